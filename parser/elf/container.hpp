// What the readers of OpenCL 1.x and 2.0 containers do with a file before they look at its parts.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/file_bytes.hpp>

#include <elf/elf_view.hpp>

namespace amdcompat::elf {

// `refused(bytes)` says why a file is no container of theirs, `read(view, binary)` what keeps it from being read; both
// give nothing when all is well. Empty: refused, which is reported.
template <class Binary, class Options, class Refused, class Read>
[[nodiscard]] std::optional<Binary> read_container(FileBytes bytes, const Options& options, Diagnostics& diagnostics,
                                                   Refused refused, Read read) {
  const auto stop = [&](Diagnostic reason) {
    diagnostics.add(std::move(reason));
    return std::nullopt;
  };
  const std::uint64_t limit =
      std::min<std::uint64_t>(options.max_file_bytes, std::numeric_limits<std::uint32_t>::max());
  if (bytes.size() > limit)
    return stop(make_diagnostic(Code::FileTooLarge, {},
                                fmt::format("the file has {} bytes, the limit is {}", bytes.size(), limit)));
  if (std::optional<Diagnostic> reason = refused(bytes.view())) return stop(std::move(*reason));
  Binary binary;
  binary.bytes = std::move(bytes);
  const auto view =
      ElfView::open(binary.bytes.view(), 0, {.sections = options.max_sections, .symbols = options.max_symbols});
  if (!view) return stop(view.error());
  if (std::optional<Diagnostic> reason = read(*view, binary)) return stop(std::move(*reason));
  return binary;
}

}  // namespace amdcompat::elf
