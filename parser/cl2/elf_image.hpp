// The two ELF files of a container, outer and inner, as models that print back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <amdcompat/cl2.hpp>

#include <elf/elf_view.hpp>

namespace amdcompat::cl2 {

// Header, sections, segments, symbols and gaps of the ELF file that `view` shows; `where` is its place in the file.
// What is wrong with parts of it is reported. Fails when its symbol table cannot be read.
[[nodiscard]] Result<ElfImage> read_elf(const elf::ElfView& view, SourceRange where, Diagnostics& diagnostics);

// The section of that name with its index; null when there is none. The first of several counts.
struct FoundSection {
  const cl1::Section* section = nullptr;
  std::size_t index = 0;
};
[[nodiscard]] FoundSection find_section(const elf::ElfView& view, const ElfImage& elf, std::string_view name);

// Writes headers, tables and symbols into `out`, the bytes of the whole outer file. Contents and gaps are not touched.
void put_elf(std::span<std::byte> out, const ElfImage& elf);

// Single records; `at` is a place in `out`. What would not fit is not written.
void put_header(std::span<std::byte> out, std::uint64_t at, const cl1::ElfHeader& header, bool is_64);
void put_section(std::span<std::byte> out, std::uint64_t at, const cl1::Section& section, bool is_64);
void put_segment(std::span<std::byte> out, std::uint64_t at, const cl1::Segment& segment, bool is_64);
void put_symbol(std::span<std::byte> out, std::uint64_t at, const Symbol& symbol, bool is_64);
void put_bytes(std::span<std::byte> out, std::uint64_t at, std::span<const std::byte> bytes);

constexpr std::uint32_t header_size(bool is_64) { return is_64 ? 64 : 52; }
constexpr std::uint32_t section_size(bool is_64) { return is_64 ? 64 : 40; }
constexpr std::uint32_t segment_size(bool is_64) { return is_64 ? 56 : 32; }
constexpr std::uint32_t symbol_size(bool is_64) { return is_64 ? 24 : 16; }

}  // namespace amdcompat::cl2
