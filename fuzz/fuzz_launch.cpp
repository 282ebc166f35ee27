// Launch files and images. Input: metadata text, a NUL, then a launch file.
#include <algorithm>

#include <amdcompat/open.hpp>

#include "launch_file.hpp"
#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  const std::string_view text = input.substr(0, input.find('\0'));
  const std::string_view json = input.substr(std::min(input.size(), text.size() + 1));
  Diagnostics diagnostics(fuzz::mode_of(input));
  const text::Document document = text::parse(text, diagnostics);
  const Program program = lower(document, 1 << 20);
  Diagnostics about_launch;
  const auto launch = cli::parse_launch(json, about_launch);
  require(launch.has_value() != about_launch.has_errors(), "a launch file is read or has errors");
  fuzz::check_findings(about_launch, json, {});

  for (std::size_t i = 0; i < std::min<std::size_t>(program.kernels.size(), 4); ++i) {
    const Kernel& kernel = program.kernels[i];
    Diagnostics findings(diagnostics.mode());
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
    // A template fits its kernel, except where sizes go over limits that only values decide.
    Diagnostics about_template;
    const auto filled = cli::parse_launch(cli::launch_template(kernel, program.data), about_template);
    require(filled.has_value() || about_template.has_errors(), "a template is a launch file");
  }
  return 0;
}
