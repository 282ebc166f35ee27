// Writing an opened CL1 container again, byte for byte.
#include <amdcompat/cl1.hpp>

#include <elf/records.hpp>

namespace amdcompat::cl1 {

using elf::put_bytes;
using elf::put_header;
using elf::put_section;
using elf::put_segment;
using elf::put_symbol;

std::vector<std::byte> write(const Binary& binary) {
  const bool is_64 = binary.elf_bits == AddressBits::Bits64;
  std::vector<std::byte> out(binary.bytes.size());
  for (const SourceRange gap : binary.gaps) put_bytes(out, gap.begin, binary.view(gap));
  for (const elf::Section& section : binary.sections)
    put_bytes(out, section.contents.begin, binary.view(section.contents));
  for (const Symbol& symbol : binary.symbols) put_symbol(out, symbol.where.begin, symbol, is_64);
  for (std::size_t i = 0; i < binary.segments.size(); ++i)
    put_segment(out, binary.header.phoff + i * elf::segment_size(is_64), binary.segments[i], is_64);
  for (std::size_t i = 0; i < binary.sections.size(); ++i)
    put_section(out, binary.header.shoff + i * elf::section_size(is_64), binary.sections[i], is_64);
  put_header(out, 0, binary.header, is_64);
  return out;
}

}  // namespace amdcompat::cl1
