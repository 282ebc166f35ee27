// Launch files and images. Input: metadata, a NUL, then a launch file. Metadata is the text of a legacy kernel, or a
// YAML document ("---") of a code object, whose kernels are launched as those of each version from V1 to V6.
#include <algorithm>

#include <amdcompat/kernarg_launch.hpp>
#include <amdcompat/open.hpp>

#include "launch_file.hpp"
#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

namespace {

constexpr std::size_t kMostKernels = 4;

// A template fits its kernel, except where sizes go over limits that only values decide.
void check_template(const Kernel& kernel, std::span<const DataSegment> data) {
  Diagnostics findings;
  const auto filled = cli::parse_launch(cli::launch_template(kernel, data), findings);
  require(filled.has_value() || findings.has_errors(), "a template is a launch file");
}

void check_legacy(std::string_view text, const std::optional<cli::LaunchFile>& launch, Mode mode) {
  Diagnostics diagnostics(mode);
  const text::Document document = text::parse(text, diagnostics);
  const Program program = lower(document, 1 << 20);
  for (std::size_t i = 0; i < std::min(program.kernels.size(), kMostKernels); ++i) {
    const Kernel& kernel = program.kernels[i];
    Diagnostics findings(mode);
    auto image = abi::LaunchImage::create(kernel, findings, {}, program.data);
    if (!image) continue;
    const auto unbuilt = image->map();
    for (const abi::MapEntry& entry : unbuilt)
      require(std::uint64_t{entry.offset} + entry.size <= image->buffer(entry.buffer).size(),
              "the map lies inside its buffers");
    if (launch) {
      const bool built = cli::apply_launch(*launch, *image, findings);
      require(built || findings.has_errors(), "a launch is built or has errors");
      require(image->map().size() == unbuilt.size(), "values do not change the map");
      if (built) {
        Diagnostics again;
        require(cli::apply_launch(*launch, *image, again), "what was built is built again");
        require(image->cb1_changed().begin == image->cb1_changed().end, "and changes nothing");
      }
    }
    check_template(kernel, program.data);
  }
}

void check_registers(const abi::KernargImage& image) {
  std::uint32_t next = 0;
  for (const abi::UserRegisterValue& row : image.user_registers()) {
    require(row.first == next && row.count != 0 && row.count <= row.words.size(), "registers follow each other");
    next += row.count;
  }
  require(next == user_register_count(entry_user_registers(image.kernel().entry)), "and are those that are enabled");
}

void check_object(std::string_view yaml, const std::optional<cli::LaunchFile>& launch, Mode mode) {
  Diagnostics diagnostics(mode);
  const auto metadata =
      yaml.starts_with("---\nVersion") ? hsa::read_v2_yaml(yaml, diagnostics) : hsa::read_yaml(yaml, diagnostics);
  if (!metadata) return;
  for (std::size_t i = 0; i < std::min(metadata->kernels.size(), kMostKernels); ++i)
    for (const hsa::VersionInfo& version : hsa::all_code_object_versions()) {
      Kernel kernel = hsa::to_kernel(metadata->kernels[i], version.version);
      hsa::KernelDescriptor descriptor;
      descriptor.properties = static_cast<std::uint16_t>(yaml.size());  // any
      kernel.entry = descriptor;
      Diagnostics findings(mode);
      auto image = abi::KernargImage::create(kernel, findings);
      if (!image) continue;
      const auto unbuilt = image->map();
      for (const abi::MapEntry& entry : unbuilt)
        require(std::uint64_t{entry.offset} + entry.size <= image->memory().size(), "the map lies inside the memory");
      require(image->segment().size() <= image->block_bytes() && image->block_bytes() % 16 == 0,
              "the packet stands behind the segment");
      for (const std::size_t argument : image->host_arguments())
        require(argument < kernel.arguments.size(), "the host's arguments are the kernel's");
      require(image->required() <= image->host_arguments().size(), "trailing arguments come last");
      check_registers(*image);
      if (launch) {
        const bool built = cli::apply_launch(*launch, *image, findings);
        require(built || findings.has_errors(), "a launch is built or has errors");
        require(image->map().size() == unbuilt.size(), "values do not change the map");
        if (built) {
          require((image->packet_header() & 0xffff) == abi::kDispatchHeader, "the packet has its header");
          check_registers(*image);
          Diagnostics again;
          require(cli::apply_launch(*launch, *image, again), "what was built is built again");
          require(image->changed().begin == image->changed().end, "and changes nothing");
        }
      }
      check_template(kernel, {});
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  const std::string_view text = input.substr(0, input.find('\0'));
  const std::string_view json = input.substr(std::min(input.size(), text.size() + 1));
  Diagnostics about_launch;
  const auto launch = cli::parse_launch(json, about_launch);
  require(launch.has_value() != about_launch.has_errors(), "a launch file is read or has errors");
  fuzz::check_findings(about_launch, json, {});
  if (text.starts_with("---"))
    check_object(text, launch, fuzz::mode_of(input));
  else
    check_legacy(text, launch, fuzz::mode_of(input));
  return 0;
}
