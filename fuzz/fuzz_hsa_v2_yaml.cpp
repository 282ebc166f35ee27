// The metadata of V2, YAML and binary: read, by two readers the same; write where it can be, read the same.
#include <algorithm>
#include <span>

#include <amdcompat/hsa.hpp>

#include "property.hpp"
#include "v2_tree_reader.hpp"

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
  Diagnostics others(diagnostics.mode());
  if (const auto other = hsa::read_v2_tree(input, others)) {
    require(*other == metadata, "both readers of V2 give the same model");
    require(std::ranges::equal(diagnostics.all(), others.all(),
                               [](const Diagnostic& a, const Diagnostic& b) {
                                 return a.code == b.code && a.where.begin == b.where.begin &&
                                        a.where.size == b.where.size && a.path == b.path && a.message == b.message;
                               }),
            "both readers of V2 report the same");
  }
  if (!metadata) return 0;
  Diagnostics findings;
  hsa::verify(*metadata, findings);
  const Result<std::string> text = hsa::to_v2_yaml(*metadata);
  if (!text) return 0;
  require(hsa::read_v2_yaml(*text, findings).has_value(), "V2 reads what it writes");
  return 0;
}
