// `check`: every finding of every file, and whether its kernels would convert; of a code object, whether a loader takes
// it.
#include <unistd.h>

#include <fmt/format.h>

#include <amdcompat/convert.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

int run_check(const Common& options) {
  int result = kDone;
  for (const std::string& path : options.files) {
    std::optional<std::string> bytes = read_input(path);
    if (!bytes) {
      result = kInputOutput;
      continue;
    }
    Diagnostics diagnostics(options.mode());
    diagnostics.set_file(path);
    const std::string raw = *bytes;  // a refused file has no model to render from
    std::optional<File> file = open(std::move(*bytes), diagnostics, options.open_options());
    if (file && select_kernel(file->program, options, diagnostics)) {
      std::string summary;
      if (file->object()) {
        hsa::check_code_object(*file->object(), diagnostics);
        summary = fmt::format("{}, {}fit to be loaded", plural(file->object()->kernels.size(), "kernel"),
                              diagnostics.has_errors() ? "not " : "");
      } else {
        const convert::Conversion conversion = convert::to_metadata(file->program, diagnostics);
        summary = fmt::format("{} of {} convertible", conversion.kernels.size(),
                              plural(conversion.kernels.size() + conversion.refused, "kernel"));
      }
      const std::string counts = count_text(diagnostics);
      if (!options.json && !options.quiet)
        fmt::print("{}: {}{}{}\n", path, summary, counts.empty() ? "" : "; ", counts);
    }
    const SourceView view{raw, file ? std::span<const TextRegion>(file->regions) : std::span<const TextRegion>{}};
    const Diagnostics ordered = sorted(diagnostics);
    if (options.json) {
      if (!write_stdout(render_json_lines(ordered, view))) return kInputOutput;
    } else {
      std::fflush(stdout);
      show(diagnostics, view, options);
    }
    if (diagnostics.has_errors() && result == kDone) result = kInputErrors;
  }
  return result;
}

}  // namespace amdcompat::cli
