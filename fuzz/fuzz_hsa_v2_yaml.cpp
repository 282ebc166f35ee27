// The metadata of V2, YAML and binary: read, write where it can be, read the same.
#include <amdcompat/hsa.hpp>

#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  Diagnostics binary;
  if (const auto metadata = hsa::read_runtime_metadata(input, binary)) hsa::verify(*metadata, binary);
  Diagnostics diagnostics(fuzz::mode_of(input));
  const std::optional<hsa::Metadata> metadata = hsa::read_v2_yaml(input, diagnostics);
  const TextRegion whole{{0, static_cast<std::uint32_t>(size)}};
  fuzz::check_findings(diagnostics, input, {&whole, 1});
  if (!metadata) return 0;
  Diagnostics findings;
  hsa::verify(*metadata, findings);
  const Result<std::string> text = hsa::to_v2_yaml(*metadata);
  if (!text) return 0;
  require(hsa::read_v2_yaml(*text, findings).has_value(), "V2 reads what it writes");
  return 0;
}
