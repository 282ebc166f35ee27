// The two ELF files of a container, outer and inner, as models that print back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <amdcompat/cl2.hpp>

#include <elf/elf_view.hpp>
#include <elf/records.hpp>

namespace amdcompat::cl2 {

// Header, sections, segments, symbols and gaps of the ELF file that `view` shows; `where` is its place in the file.
// What is wrong with parts of it is reported. Fails when its symbol table cannot be read.
[[nodiscard]] Result<ElfImage> read_elf(const elf::ElfView& view, SourceRange where, Diagnostics& diagnostics);

// The section of that name with its index; null when there is none. The first of several counts.
struct FoundSection {
  const elf::Section* section = nullptr;
  std::size_t index = 0;
};
[[nodiscard]] FoundSection find_section(const elf::ElfView& view, const ElfImage& elf, std::string_view name);

// Writes headers, tables and symbols into `out`, the bytes of the whole outer file. Contents and gaps are not touched.
void put_elf(std::span<std::byte> out, const ElfImage& elf);

using elf::header_size;
using elf::put_bytes;
using elf::put_header;
using elf::put_section;
using elf::put_segment;
using elf::put_symbol;
using elf::section_size;
using elf::segment_size;
using elf::symbol_size;

}  // namespace amdcompat::cl2
