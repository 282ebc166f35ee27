// `check`: every finding of every file, and what becomes of its kernels when they are converted for a use; of a code
// object, whether a loader takes it.
#include <algorithm>

#include <fmt/format.h>

#include <amdcompat/convert.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

// The answer for the use that is asked about, whose findings are added to those of the file.
std::string answer(const File& file, const CheckOptions& options, Diagnostics& diagnostics) {
  pipeline::Request request;
  request.layout = options.use.empty()         ? pipeline::Layout::Auto
                   : options.use == "describe" ? pipeline::Layout::Natural
                                               : pipeline::Layout::InPlace;
  if (options.use == "lift") {
    const lift::Unit unit = lift::lift(file.program, {}, diagnostics);
    return fmt::format("{}, {} can be lifted", plural(unit.kernels.size(), "kernel"), count_lifted(unit));
  }
  if (!options.target.empty()) {
    request.object.target = hsa::parse_target(options.target);
    if (!request.object.target) {
      diagnostics.report(
          Code::UnknownTarget, {},
          fmt::format("'{}' is no target of the device table{}", options.target, did_you_mean_gpu(options.target)));
      return plural(file.program.kernels.size(), "kernel");
    }
  }
  if (file.program.kernels.empty()) request.layout = pipeline::Layout::Natural;  // which says so
  Diagnostics attempt(diagnostics.mode());
  attempt.set_file(diagnostics.file());
  if (!file.object()) {
    const pipeline::Conversion conversion = pipeline::convert(file, request, attempt);
    for (const Diagnostic& finding : attempt.all()) diagnostics.add(finding);
    return outcomes_text(count_outcomes(file, conversion));
  }
  // What a loader would say of the object as it is; of what is made of it, what stands against that.
  convert::check_object(*file.object(), diagnostics);
  const bool fit = !diagnostics.has_errors();
  const pipeline::Conversion conversion = pipeline::convert(file, request, attempt);
  for (const Diagnostic& finding : attempt.all())
    if (fit && finding.severity == Severity::Error) diagnostics.add(finding);
  return fmt::format("{}, {}fit to be loaded{}", outcomes_text(count_outcomes(file, conversion)), fit ? "" : "not ",
                     diagnostics.contains(Code::ObjectCodeUnchecked) ? ", code not checked" : "");
}

}  // namespace

int run_check(const CheckOptions& options) {
  const Common& common = options.common;
  int result = kDone;
  for (const std::string& path : common.files) {
    std::optional<Input> input = open_input(path, common, options.target);
    if (!input) {
      result = kInputOutput;
      continue;
    }
    Diagnostics& diagnostics = input->diagnostics;
    if (select_kernel(*input, common)) {
      const std::string summary = answer(*input->file, options, diagnostics);
      const std::string counts = count_text(diagnostics);
      if (!common.json && !common.quiet)
        fmt::print("{}: {}{}{}\n", visible(path), summary, counts.empty() ? "" : "; ", counts);
    }
    if (common.json) {
      if (!write_stdout(render_json_lines(sorted(diagnostics, input->hints), input->source()))) return kInputOutput;
    } else {
      std::fflush(stdout);
      show(*input, common);
    }
    result = std::max(result, input->result());
  }
  return result;
}

}  // namespace amdcompat::cli
