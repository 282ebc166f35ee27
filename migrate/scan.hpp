// Programs inside other files: executables with embedded binaries, caches with headers of their own, resource packs.
//
// What is found, and how its length is known:
//
//   ELF image of OpenCL 1.x, 2.0 or HSA   magic, then every field of the header that has one right value; it ends with
//                                         the last of its tables, sections and segments (so do all 224 real files)
//   code object in an offload bundle      the bundle's table of entries
//   AMDIL text                            from `il_cs_`, `mdef(` or the first block on, as far as bytes are text, up to
//                                         the last line that ends a block, a data segment or the program; it must hold
//                                         a complete kernel block
//
// One pass over the bytes in order. Memory: the largest program that is allowed and a few MiB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "read_some.hpp"

namespace amdcompat::migrate {

struct Carved {
  std::uint64_t offset = 0;  // from the start of what is searched
  std::string bytes;
  std::string entry;  // id of a bundle's entry, or empty
};

class Scanner {
 public:
  // A program of more than `most` bytes is not found.
  Scanner(ReadSome read, std::uint64_t most);
  // The next program; programs come by offset and do not overlap, what is inside one is not searched.
  [[nodiscard]] std::optional<Carved> next();
  // The input could not be read to its end.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  struct Needle {
    std::string_view text;
    std::uint64_t from = 0;  // offset of the next occurrence, or where to look for it
    bool found = false;
  };

  bool fill(std::size_t end);
  void discard();
  std::size_t find(Needle& needle);
  std::size_t elf_size();
  bool take_bundle();
  std::size_t text_size(std::size_t& run);
  Carved take(std::size_t begin, std::size_t size, std::string entry);

  ReadSome read_;
  std::uint64_t most_;
  std::string buffer_;
  std::uint64_t base_ = 0;  // offset of the buffer's first byte
  std::size_t at_ = 0;  // in the buffer: nothing before it is wanted any more
  bool end_ = false, broken_ = false;
  std::uint64_t work_ = 0;  // bytes of tables that turned out to be no ELF image
  std::array<Needle, 5> needles_;
  std::deque<Carved> waiting_;  // entries of a bundle
};

}  // namespace amdcompat::migrate
