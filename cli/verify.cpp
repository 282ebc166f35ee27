// `verify`: two files held against each other, or one against the rules of code objects.
#include <fmt/format.h>

#include <algorithm>

#include <amdcompat/convert.hpp>

#include <program.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

// The file and what a loader sees of it; nothing when it cannot be opened (shown on standard error).
std::optional<File> open_side(const std::string& path, const VerifyOptions& options, int& result) {
  std::optional<std::string> bytes = read_input(path);
  if (!bytes) {
    result = kInputOutput;
    return std::nullopt;
  }
  Diagnostics diagnostics(options.common.mode());
  diagnostics.set_file(path);
  const std::string raw = *bytes;
  OpenOptions opening = options.common.open_options();
  opening.bundle_entry = options.target;
  std::optional<File> file = open(std::move(*bytes), diagnostics, opening);
  if (file && file->hsa) hsa::check_code_object(*file->hsa, diagnostics);
  if (file && !file->hsa && !file->cl2 && !(options.execute && file->container)) {
    diagnostics.report(Code::NoMachineCode, {}, "only OpenCL 2.0 files and code objects hold code to compare");
    file.reset();
  }
  constexpr Hint kHints[] = {{Code::BundleChoice, "choose with --target"}};
  show(diagnostics, {raw, file ? std::span<const TextRegion>(file->regions) : std::span<const TextRegion>{}},
       options.common, options.target.empty() ? std::span(kHints) : std::span<const Hint>{});
  if (diagnostics.has_errors()) result = std::max(result, kInputErrors);
  return file;
}

// Runs the kernels of a CL2 container or an older code object and those of the code object that it was converted to.
void execute_object(const File& before, const hsa::CodeObject& after, const VerifyOptions& options,
                    Diagnostics& diagnostics) {
  for (const Kernel& kernel : before.program.kernels)
    if (std::ranges::none_of(after.metadata.kernels, [&](const auto& k) { return k.name == kernel.name; }))
      diagnostics.report(Code::InPlaceDiffers, kernel.where, fmt::format("kernel {} is missing", kernel.name));
  migrate::prove_kernels(before.program, before.hsa ? &*before.hsa : nullptr, after, options.seed, diagnostics);
}

// Runs the kernels of a container and those of the code object that an in-place conversion made of it. Places in the
// kernarg segment are those of a conversion made here, so the object must have the same ones.
void execute(const File& before, const File& after, const VerifyOptions& options, Diagnostics& diagnostics) {
  if (!after.hsa || after.hsa->target == nullptr) {
    diagnostics.report(Code::NoMachineCode, {}, "--execute takes an old file and the code object made of it");
    return;
  }
  if (!before.container) return execute_object(before, *after.hsa, options, diagnostics);
  convert::InPlaceOptions in_place;
  in_place.version = after.hsa->version;
  in_place.target = hsa::TargetSpec{after.hsa->target, after.hsa->features};
  in_place.retarget = emulate::check_retarget;
  auto object = convert::to_in_place(before.program, diagnostics, in_place);
  if (!object) return;
  // The layouts of the conversion, the code and descriptors of the file.
  const hsa::Metadata expected = object->object.metadata;
  std::vector<convert::InPlaceKernel> layouts;
  std::vector<hsa::CodeKernel> kernels;
  for (std::size_t n = 0; n < object->kernels.size(); ++n) {
    const std::string& name = object->object.kernels[n].name;
    const auto kernel = std::ranges::find(after.hsa->kernels, name, &hsa::CodeKernel::name);
    const auto metadata = std::ranges::find(after.hsa->metadata.kernels, name, &hsa::MetadataKernel::name);
    if (kernel == after.hsa->kernels.end() || metadata == after.hsa->metadata.kernels.end() ||
        metadata->args != expected.kernels[n].args) {
      diagnostics.report(Code::InPlaceDiffers, {},
                         fmt::format("kernel {} is missing, or its arguments have other places", name));
      continue;
    }
    layouts.push_back(object->kernels[n]);
    kernels.push_back(*kernel);
  }
  object->object = *after.hsa;
  object->object.kernels = std::move(kernels);
  object->kernels = std::move(layouts);
  migrate::prove_kernels(before.program, *object, options.seed, diagnostics);
}

}  // namespace

int run_verify(const VerifyOptions& options) {
  int result = kDone;
  const auto& files = options.common.files;
  const std::optional<File> before = open_side(files[0], options, result);
  if (files.size() == 1) return result;
  const std::optional<File> after = open_side(files[1], options, result);
  if (!before || !after) return result;
  Diagnostics diagnostics(options.common.mode());
  diagnostics.set_file(files[1]);
  if (options.execute) {
    execute(*before, *after, options, diagnostics);
    show(diagnostics, {}, options.common);
    return diagnostics.has_errors() ? std::max(result, kInputErrors) : result;
  }
  const auto view = [](const File& file) {
    return file.hsa ? convert::load_view(*file.hsa) : convert::load_view(file.program);
  };
  const convert::LoadView old_view = view(*before), new_view = view(*after);
  const bool same = convert::compare(old_view, new_view, diagnostics);
  show(diagnostics, {}, options.common);
  if (!options.common.quiet && !options.common.json)
    fmt::print("{}: {} of {}, {}\n", files[1], plural(new_view.kernels.size(), "kernel"),
               plural(old_view.kernels.size(), "kernel"),
               same ? "all run as before"
                    : fmt::format("{}", plural(diagnostics.count(Severity::Error), "difference")));
  return same ? result : std::max(result, kInputErrors);
}

}  // namespace amdcompat::cli
