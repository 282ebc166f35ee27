// ELF records of both classes, written field by field into bytes that are there. What would not fit is dropped, never
// written outside; `at` is a place in `out`. [ELF-64 object file format; System V ABI, "Object Files"]
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <amdcompat/elf.hpp>

#include <elf/little_endian.hpp>

namespace amdcompat::elf {

constexpr std::uint32_t header_size(bool is_64) { return is_64 ? 64 : 52; }
constexpr std::uint32_t section_size(bool is_64) { return is_64 ? 64 : 40; }
constexpr std::uint32_t segment_size(bool is_64) { return is_64 ? 56 : 32; }
constexpr std::uint32_t symbol_size(bool is_64) { return is_64 ? 24 : 16; }

// Writes fields one after another.
class FieldWriter {
 public:
  FieldWriter(std::span<std::byte> bytes, std::uint64_t at, bool is_64 = false)
      : bytes_(bytes), at_(at), is_64_(is_64) {}
  template <std::unsigned_integral T>
  FieldWriter& put(T value) {
    if (inside(at_, sizeof value, bytes_.size())) store(bytes_, static_cast<std::size_t>(at_), value);
    at_ += sizeof value;
    return *this;
  }
  // A field that is 4 bytes in the 32-bit class and 8 in the other.
  FieldWriter& word(std::uint64_t value) { return is_64_ ? put(value) : put(static_cast<std::uint32_t>(value)); }

 private:
  std::span<std::byte> bytes_;
  std::uint64_t at_;
  bool is_64_;
};

inline void put_bytes(std::span<std::byte> out, std::uint64_t at, std::span<const std::byte> bytes) {
  if (inside(at, bytes.size(), out.size())) std::ranges::copy(bytes, out.begin() + static_cast<std::ptrdiff_t>(at));
}

// The first bytes of a little-endian file.
[[nodiscard]] inline std::array<std::byte, 16> identification(bool is_64, int os_abi = 0, int abi_version = 0) {
  std::array<std::byte, 16> out{};
  std::size_t at = 0;
  for (const int value : {0x7f, int{'E'}, int{'L'}, int{'F'}, is_64 ? 2 : 1, 1, 1, os_abi, abi_version})
    out[at++] = static_cast<std::byte>(value);
  return out;
}

inline void put_header(std::span<std::byte> out, std::uint64_t at, const Header& header, bool is_64) {
  put_bytes(out, at, header.ident);
  FieldWriter(out, at + 16, is_64)
      .put(header.type)
      .put(header.machine)
      .put(header.version)
      .word(header.entry)
      .word(header.phoff)
      .word(header.shoff)
      .put(header.flags)
      .put(header.ehsize)
      .put(header.phentsize)
      .put(header.phnum)
      .put(header.shentsize)
      .put(header.shnum)
      .put(header.shstrndx);
}

inline void put_section(std::span<std::byte> out, std::uint64_t at, const Section& section, bool is_64) {
  FieldWriter(out, at, is_64)
      .put(section.name_offset)
      .put(section.type)
      .word(section.flags)
      .word(section.addr)
      .word(section.offset)
      .word(section.size)
      .put(section.link)
      .put(section.info)
      .word(section.align)
      .word(section.entsize);
}

inline void put_segment(std::span<std::byte> out, std::uint64_t at, const Segment& segment, bool is_64) {
  FieldWriter writer(out, at, is_64);
  writer.put(segment.type);
  if (is_64) writer.put(segment.flags);
  writer.word(segment.offset).word(segment.vaddr).word(segment.paddr).word(segment.filesz).word(segment.memsz);
  if (!is_64) writer.put(segment.flags);
  writer.word(segment.align);
}

inline void put_symbol(std::span<std::byte> out, std::uint64_t at, const Symbol& symbol, bool is_64) {
  FieldWriter writer(out, at, is_64);
  writer.put(symbol.name_offset);
  if (!is_64) writer.word(symbol.value).word(symbol.size);
  writer.put(symbol.info).put(symbol.other).put(symbol.section);
  if (is_64) writer.word(symbol.value).word(symbol.size);
}

}  // namespace amdcompat::elf
