// ELF files as models: what an ElfView shows, copied into values, and those values as bytes again.
#include "elf_image.hpp"

#include <algorithm>
#include <utility>

#include "bytes.hpp"

namespace amdcompat::cl2 {
namespace {

using elf::inside;

void find_contents(const elf::ElfView& view, const ElfImage& elf, Symbol& symbol, std::size_t index,
                   Diagnostics& diagnostics) {
  const std::string_view name = view.text(symbol.name);
  // Undefined, absolute and file symbols have no bytes.
  if (symbol.section == 0 || symbol.section >= elf::kFirstReservedSection) return;
  if (symbol.section >= elf.sections.size()) {
    diagnostics.report(
        Code::Cl2SymbolOutside, symbol.where,
        fmt::format("symbol {} ({}) is in section {}, which does not exist", index, quoted(name), symbol.section));
    return;
  }
  const elf::Section& section = elf.sections[symbol.section];
  const bool no_bits = section.type == elf::kSectionNobits;
  if (!inside(symbol.value, symbol.size, no_bits ? section.size : section.contents.size)) {
    diagnostics.report(Code::Cl2SymbolOutside, symbol.where,
                       fmt::format("symbol {} ({}): {} bytes at 0x{:x} reach outside its section {} of {} bytes", index,
                                   quoted(name), symbol.size, symbol.value, quoted(view.text(section.name)),
                                   section.contents.size));
    return;
  }
  if (no_bits) return;
  symbol.contents = {static_cast<std::uint32_t>(section.contents.begin + symbol.value),
                     static_cast<std::uint32_t>(symbol.size)};
}

std::vector<SourceRange> find_gaps(const ElfImage& elf) {
  const bool is_64 = elf.bits == AddressBits::Bits64;
  const std::uint64_t base = elf.where.begin;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> covered;
  covered.emplace_back(base, header_size(is_64));
  covered.emplace_back(base + elf.header.phoff, elf.segments.size() * segment_size(is_64));
  covered.emplace_back(base + elf.header.shoff, elf.sections.size() * section_size(is_64));
  for (const elf::Section& section : elf.sections) covered.emplace_back(section.contents.begin, section.contents.size);
  std::ranges::sort(covered);
  std::vector<SourceRange> gaps;
  std::uint64_t at = base;
  const auto add = [&](std::uint64_t end) {
    if (end > at) gaps.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end - at)});
  };
  for (const auto& [begin, size] : covered) {
    if (size == 0) continue;
    add(begin);
    at = std::max(at, begin + size);
  }
  add(base + elf.where.size);
  return gaps;
}

}  // namespace

Result<ElfImage> read_elf(const elf::ElfView& view, SourceRange where, Diagnostics& diagnostics) {
  ElfImage elf;
  elf.where = where;
  const elf::Header& h = view.header();
  elf.header = h;
  elf.bits = h.is_64() ? AddressBits::Bits64 : AddressBits::Bits32;
  const std::uint32_t entry = section_size(h.is_64());

  const auto& sections = view.sections();
  elf.sections = sections;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const elf::Section& from = sections[i];
    const SourceRange header{static_cast<std::uint32_t>(where.begin + h.shoff + i * entry), entry};
    if (from.name_broken)
      diagnostics.report(
          Code::ElfNameBroken, header,
          fmt::format("the name of section {} (offset {}) is not in the string table", i, from.name_offset));
    if (from.outside)
      diagnostics.report(Code::ElfSectionOutside, header,
                         fmt::format("section {} {}: 0x{:x} bytes at 0x{:x} lie outside the ELF file of 0x{:x} bytes",
                                     i, quoted(view.text(from.name)), from.size, from.offset, where.size));
    if (from.type == elf::kSectionSymbols && !elf.symbol_table) elf.symbol_table = i;
  }
  elf.segments = view.segments();

  if (elf.symbol_table) {
    const auto symbols = view.symbols(sections[*elf.symbol_table]);
    if (!symbols) return std::unexpected(symbols.error());
    elf.symbols.reserve(symbols->size());
    for (const elf::Symbol& from : *symbols) {
      Symbol& symbol = elf.symbols.emplace_back(Symbol{from, {}, {}, Role::None});
      const std::size_t index = elf.symbols.size() - 1;
      if (from.name_broken)
        diagnostics.report(
            Code::ElfNameBroken, from.where,
            fmt::format("the name of symbol {} (offset {}) is not in the string table", index, from.name_offset));
      find_contents(view, elf, symbol, index, diagnostics);
    }
  }
  elf.gaps = find_gaps(elf);
  return elf;
}

FoundSection find_section(const elf::ElfView& view, const ElfImage& elf, std::string_view name) {
  for (std::size_t i = 0; i < elf.sections.size(); ++i)
    if (view.text(elf.sections[i].name) == name) return {&elf.sections[i], i};
  return {};
}

void put_elf(std::span<std::byte> out, const ElfImage& elf) {
  const bool is_64 = elf.bits == AddressBits::Bits64;
  for (const Symbol& symbol : elf.symbols) put_symbol(out, symbol.where.begin, symbol, is_64);
  for (std::size_t i = 0; i < elf.segments.size(); ++i)
    put_segment(out, elf.where.begin + elf.header.phoff + i * segment_size(is_64), elf.segments[i], is_64);
  for (std::size_t i = 0; i < elf.sections.size(); ++i)
    put_section(out, elf.where.begin + elf.header.shoff + i * section_size(is_64), elf.sections[i], is_64);
  put_header(out, elf.where.begin, elf.header, is_64);
}

}  // namespace amdcompat::cl2
