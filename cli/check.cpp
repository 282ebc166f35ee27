// `check`: every finding of every file, and whether its kernels would convert; of a code object, whether a loader takes
// it.
#include <algorithm>

#include <fmt/format.h>

#include <amdcompat/convert.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

int run_check(const Common& options) {
  int result = kDone;
  for (const std::string& path : options.files) {
    std::optional<Input> input = open_input(path, options);
    if (!input) {
      result = kInputOutput;
      continue;
    }
    Diagnostics& diagnostics = input->diagnostics;
    if (select_kernel(*input, options)) {
      const std::optional<File>& file = input->file;
      std::string summary;
      if (file->object()) {
        convert::check_object(*file->object(), diagnostics);
        summary = fmt::format("{}, {}fit to be loaded{}", plural(file->object()->kernels.size(), "kernel"),
                              diagnostics.has_errors() ? "not " : "",
                              diagnostics.contains(Code::ObjectCodeUnchecked) ? ", code not checked" : "");
      } else {
        const convert::Conversion conversion = convert::to_metadata(file->program, diagnostics);
        summary = fmt::format("{} of {} convertible", conversion.kernels.size(),
                              plural(conversion.kernels.size() + conversion.refused, "kernel"));
      }
      const std::string counts = count_text(diagnostics);
      if (!options.json && !options.quiet)
        fmt::print("{}: {}{}{}\n", path, summary, counts.empty() ? "" : "; ", counts);
    }
    if (options.json) {
      if (!write_stdout(render_json_lines(sorted(diagnostics, input->hints), input->source()))) return kInputOutput;
    } else {
      std::fflush(stdout);
      show(*input, options);
    }
    result = std::max(result, input->result());
  }
  return result;
}

}  // namespace amdcompat::cli
