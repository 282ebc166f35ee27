// HSA metadata in YAML: read, verify, write as YAML and as MessagePack, read both again.
#include <amdcompat/hsa.hpp>

#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  Diagnostics diagnostics(fuzz::mode_of(input));
  const std::optional<hsa::Metadata> metadata = hsa::read_yaml(input, diagnostics);
  const TextRegion whole{{0, static_cast<std::uint32_t>(size)}};
  fuzz::check_findings(diagnostics, input, {&whole, 1});
  if (!metadata) return 0;

  Diagnostics findings;
  hsa::verify(*metadata, findings);
  const std::string yaml = hsa::to_yaml(*metadata);
  const std::optional<hsa::Metadata> from_yaml = hsa::read_yaml(yaml, findings);
  require(from_yaml && *from_yaml == *metadata, "YAML reads back as the same model");
  require(hsa::to_yaml(*from_yaml) == yaml, "YAML is deterministic");
  const std::optional<hsa::Metadata> from_bytes = hsa::read_msgpack(hsa::to_msgpack(*metadata), findings);
  require(from_bytes && *from_bytes == *metadata, "MessagePack holds the same model");
  return 0;
}
