// Records of ELF files as they are written, and where what they describe lies. [ELF-64 object file format; System V
// ABI]
//
// The faithful models of containers and the views of code objects are made of these. Ranges count from the start of
// the file that the caller gave, also in an ELF file inside another.
#pragma once

#include <array>
#include <cstdint>

#include <amdcompat/diagnostic.hpp>

namespace amdcompat::elf {

struct Header {
  std::array<std::byte, 16> ident{};  // e_ident; [4] class 1 or 2, [5] 1 (little-endian)
  std::uint16_t type = 2;  // ET_EXEC in OpenCL 1.x programs; ET_REL compiled only, ET_DYN library [RT14 device.cpp]
  std::uint16_t machine = 0;
  std::uint32_t version = 1;
  std::uint64_t entry = 0;
  std::uint64_t phoff = 0;
  std::uint64_t shoff = 0;
  std::uint32_t flags = 0;
  std::uint16_t ehsize = 0;
  std::uint16_t phentsize = 0;
  std::uint16_t phnum = 0;
  std::uint16_t shentsize = 0;
  std::uint16_t shnum = 0;  // as written; 0 with more than 65279 sections
  std::uint16_t shstrndx = 0;

  [[nodiscard]] bool is_64() const { return ident[4] == std::byte{2}; }
};

struct Section {
  SourceRange name{};  // without the NUL; empty when there is none or it lies outside its string table
  SourceRange contents{};  // empty for SHT_NOBITS, SHT_NULL and sections outside the file
  std::uint32_t name_offset = 0;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t addr = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t align = 0;
  std::uint64_t entsize = 0;
  bool outside = false;  // it should have contents, but they lie outside the file
  bool name_broken = false;  // it should have a name, but there is none at `name_offset`
};

struct Segment {
  SourceRange contents{};
  std::uint32_t type = 0;
  std::uint32_t flags = 0;
  std::uint64_t offset = 0;
  std::uint64_t vaddr = 0;
  std::uint64_t paddr = 0;
  std::uint64_t filesz = 0;
  std::uint64_t memsz = 0;
  std::uint64_t align = 0;
  bool outside = false;  // `contents` would lie outside the file
};

struct Symbol {
  SourceRange where{};  // its entry in the symbol table
  SourceRange name{};
  std::uint32_t name_offset = 0;
  std::uint8_t info = 0;
  std::uint8_t other = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  bool name_broken = false;
};

}  // namespace amdcompat::elf
