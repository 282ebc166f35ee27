// `verify`: two files held against each other, or one against the rules of code objects.
#include <fmt/format.h>

#include <algorithm>

#include <amdcompat/pipeline.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

bool has_kernel(const File& file, const std::string& name) {
  const auto named = [&](const auto& kernel) { return kernel.name == name; };
  return std::ranges::any_of(file.program.kernels, named) ||
         (file.object() && std::ranges::any_of(file.object()->kernels, named));
}

// The file and what a loader sees of it; nothing when it cannot be opened (shown on standard error).
std::optional<File> open_side(const std::string& path, const VerifyOptions& options, int& result) {
  std::optional<Input> input = open_input(path, options.common, options.target);
  if (!input) {
    result = kInputOutput;
    return std::nullopt;
  }
  Diagnostics& diagnostics = input->diagnostics;
  std::optional<File>& file = input->file;
  if (!has_target(*input, options.target)) file.reset();
  if (file && file->object()) convert::check_object(*file->object(), diagnostics);
  if (file && !file->object() && !file->cl2() && !(options.request.execute && file->cl1())) {
    diagnostics.report(Code::NoMachineCode, {}, "only OpenCL 2.0 files and code objects hold code to compare");
    file.reset();
  }
  if (file && !options.common.kernel.empty() && !has_kernel(*file, options.common.kernel)) {
    diagnostics.report(Code::KernelNotFound, {}, fmt::format("no kernel '{}' in this file", options.common.kernel));
    file.reset();
  }
  if (options.target.empty()) input->hints.push_back({Code::BundleChoice, "choose with --target"});
  show(*input, options.common);
  result = std::max(result, input->result());
  return std::move(file);
}

}  // namespace

int run_verify(const VerifyOptions& given) {
  VerifyOptions options = given;
  options.request.kernel = options.common.kernel;
  options.request.before_name = options.common.files.front();
  int result = kDone;
  const auto& files = options.common.files;
  const std::optional<File> before = open_side(files[0], options, result);
  if (files.size() == 1) return result;
  const std::optional<File> after = open_side(files[1], options, result);
  if (!before || !after) return result;
  Diagnostics diagnostics(options.common.mode());
  diagnostics.set_file(files[1]);
  const pipeline::Verification verification = pipeline::verify(*before, *after, options.request, diagnostics);
  show(diagnostics, {}, options.common);
  if (!options.common.quiet && !options.common.json) {
    const auto proved = std::ranges::count(verification.proofs, emulate::Verdict::Proved,
                                           [](const auto& kernel) { return kernel.proof.verdict; });
    if (options.request.execute)
      fmt::print("{}: {} of {} proved to run as before\n", visible(files[1]), proved,
                 plural(verification.kernels_before, "kernel"));
    else
      fmt::print("{}: {} of {}, {}\n", visible(files[1]), plural(verification.kernels_after, "kernel"),
                 plural(verification.kernels_before, "kernel"),
                 verification.same ? "all run as before" : plural(diagnostics.count(Severity::Error), "difference"));
  }
  return verification.same ? result : std::max(result, kInputErrors);
}

}  // namespace amdcompat::cli
