// `stub`: the source of a host program for the kernels of a file.
#include <filesystem>

#include <fmt/format.h>

#include <amdcompat/stub.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

constexpr Hint kStubHints[] = {
    {Code::BundleChoice, "choose with --target"},
};

}  // namespace

int run_stub(const StubOptions& options) {
  const std::string& path = options.common.files.front();
  std::optional<Input> input = open_input(path, options.common, options.target);
  if (!input) return kInputOutput;
  if (options.target.empty()) input->hints.insert(input->hints.end(), std::begin(kStubHints), std::end(kStubHints));
  std::optional<std::string> source;
  if (has_target(*input, options.target) && select_kernel(*input, options.common)) {
    pipeline::Request request;
    request.layout = pipeline::Layout::Natural;
    const pipeline::Conversion conversion = pipeline::convert(*input->file, request, input->diagnostics);
    if (conversion.natural && !conversion.natural->metadata.kernels.empty()) {
      const std::string name = path == "-" ? "standard input" : std::filesystem::path(path).filename().string();
      const stub::Options wanted{.api = *stub::find_api(options.api), .file = name, .kernel = options.common.kernel};
      const std::vector<stub::LeftOut> left_out = stub::left_out(conversion.natural->metadata, wanted);
      if (left_out.size() < conversion.natural->metadata.kernels.size() || left_out.empty())
        source = stub::host_program(conversion.natural->metadata, wanted);
      else
        input->diagnostics.report(
            Code::LaunchKernelChoice, {},
            fmt::format("no kernel can be launched: {}: {}", left_out.front().kernel, left_out.front().reason));
    } else if (!input->diagnostics.has_errors()) {
      input->diagnostics.report(Code::LaunchKernelChoice, {}, "the file has no kernels");
    }
  }
  show(*input, options.common);
  const int result = input->result();
  if (!source) return std::max<int>(result, kInputErrors);
  const bool written = options.output.empty() ? write_stdout(*source) : write_output(options.output, *source);
  return written ? result : kInputOutput;
}

}  // namespace amdcompat::cli
