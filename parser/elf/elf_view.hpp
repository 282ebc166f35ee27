// Sections, symbols, segments and notes of an ELF file as ranges of the caller's bytes.
//
// This is the only place that knows libelf. What is asked of libelf is what it is good at, the two ELF classes and
// alignment; what it trusts (counts, offsets, table sizes) is checked before it sees them. Names and contents are
// never copied: they are ranges of the caller's bytes, and the caller's bytes are never written.
//
// All ranges count from the start of the *file*: a view of an image inside a file is told where the image begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/elf.hpp>

namespace amdcompat::elf {

// Values of the ELF specification that the readers need; libelf's header stays out of their sight.
inline constexpr std::uint32_t kSectionNull = 0;
inline constexpr std::uint32_t kSectionProgbits = 1;
inline constexpr std::uint32_t kSectionSymbols = 2;
inline constexpr std::uint32_t kSectionStrings = 3;
inline constexpr std::uint32_t kSectionNote = 7;
inline constexpr std::uint32_t kSectionNobits = 8;
inline constexpr std::uint32_t kSegmentLoad = 1;
inline constexpr std::uint32_t kSegmentNote = 4;
inline constexpr std::uint16_t kFirstReservedSection = 0xff00;

struct Note {
  SourceRange where;  // header, name and description with padding
  SourceRange name;   // with its NUL, as namesz counts it
  SourceRange description;
  std::uint32_t type = 0;
};

struct Notes {
  std::vector<Note> notes;
  SourceRange rest;  // what could not be read as notes; empty when all could
};

struct Limits {
  std::uint32_t sections = 65'535;
  std::uint32_t symbols = 1'000'000;
  std::uint32_t name_bytes = 4'096;  // a longer name counts as broken; bounds the search for its end
};

// The four magic bytes.
[[nodiscard]] bool has_elf_magic(std::span<const std::byte> bytes);

class ElfView {
 public:
  // `bytes` must outlive the view. `base` is where they start in the file that diagnostics are about; the sum of
  // both must fit 32 bits. Fails with a diagnostic when header or tables cannot be read.
  [[nodiscard]] static Result<ElfView> open(std::span<const std::byte> bytes, std::uint32_t base = 0,
                                            Limits limits = {});

  ElfView(ElfView&&) noexcept;
  ElfView& operator=(ElfView&&) noexcept;
  ~ElfView();

  [[nodiscard]] const Header& header() const { return header_; }
  // All of them in order, the null section first.
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }

  // Entries of a symbol table, the null symbol first. Fails with a diagnostic when they cannot be read. Symbols past
  // sh_info may be local: AMD's writers leave sh_info 0 and make every symbol local [BIN].
  [[nodiscard]] Result<std::vector<Symbol>> symbols(const Section& table) const;

  // Notes of a range of the file; sizes are padded to 4 bytes from the start of the range.
  [[nodiscard]] Notes notes(SourceRange range) const;

  // The bytes of a range; empty when it lies outside the view.
  [[nodiscard]] std::span<const std::byte> view(SourceRange range) const;
  [[nodiscard]] std::string_view text(SourceRange range) const;

 private:
  struct Handle;
  explicit ElfView(std::unique_ptr<Handle> handle);
  [[nodiscard]] SourceRange range(std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] bool find_name(const Section& strings, std::uint32_t offset, SourceRange& out) const;

  std::unique_ptr<Handle> handle_;
  std::span<const std::byte> bytes_;
  std::uint32_t base_ = 0;
  Limits limits_;
  Header header_;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
};

}  // namespace amdcompat::elf
