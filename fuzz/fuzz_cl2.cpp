// Binary metadata of CL2 kernels, deeper than mutated containers get: read, written, put into a container of its own,
// opened, converted and launched. Input: a byte of choices, then the metadata; or a BRIG module.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>

#include "launch_file.hpp"
#include "property.hpp"
#include <cl2_builder.hpp>

using namespace amdcompat;
using fuzz::require;

namespace {

void check_brig(std::span<const std::byte> bytes, std::string_view input) {
  Diagnostics diagnostics;
  const auto brig = cl2::read_brig(bytes, {0, static_cast<std::uint32_t>(bytes.size())}, diagnostics);
  require(brig || !diagnostics.all().empty(), "a module that is not read has a reason");
  fuzz::check_findings(diagnostics, input, {});
  if (!brig) return;
  const cl2::BrigText text = cl2::brig_text(bytes, *brig, 1 << 16);
  require(text.text.size() <= 1 << 16 && text.starts.size() == text.origins.size(), "the text has its limit");
  for (const SourceRange origin : text.origins)
    require(std::uint64_t{origin.begin} + origin.size <= bytes.size(), "every line comes from the module");
}

void check_launch(const Kernel& kernel, Mode mode) {
  Diagnostics findings(mode);
  auto image = abi::Cl2LaunchImage::create(kernel, findings);
  if (!image) return;
  const auto rows = image->map();
  for (const abi::MapEntry& row : rows)
    require(std::uint64_t{row.offset} + row.size <= image->memory().size(), "the map lies inside the memory");
  (void)image->user_registers();
  Diagnostics about_template;
  const auto launch = cli::parse_launch(cli::launch_template(kernel, {}), about_template);
  require(launch.has_value() || about_template.has_errors(), "a template is a launch file");
  if (!launch) return;
  const bool built = cli::apply_launch(*launch, *image, findings);
  require(built || findings.has_errors(), "a launch is built or has errors");
  require(image->map().size() == rows.size(), "values do not change the map");
  if (!built) return;
  require((image->packet_header() & 0xffff) == abi::kDispatchHeader, "the packet has its header");
  Diagnostics again;
  require(cli::apply_launch(*launch, *image, again), "what was built is built again");
  require(image->changed().begin == image->changed().end, "and changes nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > fuzz::kMostBytes) return 0;
  const std::uint8_t choices = data[0];
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  const std::string_view input = fuzz::text_of(data + 1, size - 1);
  if ((choices & 4) != 0) {
    check_brig(bytes, input);
    return 0;
  }
  const AddressBits bits = (choices & 1) != 0 ? AddressBits::Bits64 : AddressBits::Bits32;
  Diagnostics diagnostics(fuzz::mode_of(input));
  const auto metadata = cl2::read_metadata(bytes, {0, static_cast<std::uint32_t>(bytes.size())}, bits, diagnostics);
  require(metadata.has_value() || diagnostics.has_errors(), "metadata that is not read has a reason");
  fuzz::check_findings(diagnostics, input, {});
  if (!metadata) return 0;
  require(std::ranges::equal(cl2::write_metadata(*metadata), bytes), "metadata writes back");

  cl2::ContainerSpec spec;
  spec.bits = bits;
  spec.storage = (choices & 2) != 0 ? cl2::CodeStorage::Separate : cl2::CodeStorage::Nested;
  spec.chip = choices >> 3;
  cl2::KernelSpec& kernel = spec.kernels.emplace_back();
  kernel.name = "k";
  kernel.metadata = *metadata;
  kernel.setup.user_registers = static_cast<std::uint16_t>(choices | 8);
  kernel.code.resize(4);
  const Built built = cl2::build(spec);
  if (!built) return 0;
  Diagnostics about_file(diagnostics.mode());
  const auto file = open(std::string(reinterpret_cast<const char*>(built->data()), built->size()), about_file);
  require(file && file->cl2(), "what was built opens");
  require(cl2::write(*file->cl2()) == *built, "and writes back");
  (void)convert::to_metadata(file->program, about_file);
  for (const Kernel& lowered : file->program.kernels) check_launch(lowered, diagnostics.mode());
  return 0;
}
