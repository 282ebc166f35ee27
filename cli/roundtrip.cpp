// `roundtrip`: prints every metadata block again from its parsed fields and compares it with the input.
#include <algorithm>

#include <fmt/format.h>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

// Elements [first, last] of the document; true when they print back identically.
bool compare(const std::string& path, std::string_view name, const text::Document& document, std::size_t first,
             std::size_t last) {
  const SourceRange begin = document.elements[first].where;
  const SourceRange end = document.elements[last].where;
  const std::string_view before = document.slice({begin.begin, end.begin + end.size - begin.begin});
  const std::string after = text::reprint(document, first, last);
  if (before == after) {
    fmt::print("{}: {}: identical\n", path, name);
    return true;
  }
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(before, after).in1 - before.begin());
  fmt::print("{}: {}: differs at byte {} (+{:#x} of the file)\n", path, name, at, begin.begin + at);
  return false;
}

}  // namespace

int run_roundtrip(const Common& options) {
  int result = kDone;
  const auto worse = [&result](int code) { result = std::max(result, code); };
  for (const std::string& path : options.files) {
    std::optional<std::string> bytes = read_input(path);
    if (!bytes) {
      worse(kInputOutput);
      continue;
    }
    Diagnostics diagnostics(options.mode());
    diagnostics.set_file(path);
    const std::string raw = *bytes;
    const std::optional<File> file = open(std::move(*bytes), diagnostics, options.open_options());
    if (!file) {
      show(diagnostics, {raw, {}}, options);
      worse(kInputErrors);
      continue;
    }
    for (const MetadataText& part : file->texts) {
      const text::Document& document = part.document;
      for (const text::Block& block : document.blocks)
        if (!compare(path, block.name, document, block.first, block.last)) worse(kInputErrors);
      for (const text::Segment& segment : document.segments) {
        const std::string name =
            segment.constant_buffer ? fmt::format("#DATASTART:{}", *segment.constant_buffer) : "#DATASTART";
        if (!compare(path, name, document, segment.first, segment.last)) worse(kInputErrors);
      }
      // What lies between the blocks, and the text as a whole.
      const std::string again = text::print(document);
      const std::string_view before = document.source();
      if (again != before) {
        const auto at = static_cast<std::size_t>(std::ranges::mismatch(before, again).in1 - before.begin());
        fmt::print("{}: text outside blocks: differs at byte {}\n", path, at);
        worse(kInputErrors);
      }
    }
    if (file->container || file->cl2) {
      const std::vector<std::byte> again = file->cl2 ? cl2::write(*file->cl2) : cl1::write(*file->container);
      const auto before = std::as_bytes(std::span(raw));
      if (!std::ranges::equal(before, again)) {
        const auto at = static_cast<std::size_t>(std::ranges::mismatch(before, again).in1 - before.begin());
        fmt::print("{}: container: differs at byte {}\n", path, at);
        worse(kInputErrors);
      } else if (file->cl2) {
        // Binary metadata and setups were written from their fields; text blocks, if any, are listed above.
        for (const cl2::Kernel& kernel : file->cl2->kernels)
          if (kernel.metadata)
            fmt::print("{}: binary metadata of {}: identical ({} bytes)\n", path, kernel.name,
                       kernel.metadata_bytes.size);
      }
    }
  }
  return result;
}

}  // namespace amdcompat::cli
