// HSA code objects: read, check, convert to every version, write, read again.
#include <amdcompat/convert.hpp>

#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  Diagnostics diagnostics(fuzz::mode_of(input));
  if (hsa::is_bundle(input)) {
    for (const hsa::BundleEntry& entry : hsa::read_bundle(input, diagnostics))
      require(std::uint64_t{entry.where.begin} + entry.where.size <= size, "entries lie inside the bundle");
    fuzz::check_findings(diagnostics, input, {});
    return 0;
  }
  const std::optional<hsa::CodeObject> object = hsa::read_code_object(input, diagnostics);
  fuzz::check_findings(diagnostics, input, {});
  if (!object) {
    require(diagnostics.has_errors(), "a refusal has a reason");
    return 0;
  }
  Diagnostics findings;
  hsa::check_code_object(*object, findings);
  for (const auto version : {hsa::CodeObjectVersion::V3, hsa::CodeObjectVersion::V5}) {
    const auto converted = convert::to_version(*object, findings, {version, std::nullopt});
    if (!converted) continue;
    const auto written = hsa::write_code_object(*converted);
    if (!written) continue;
    Diagnostics again;
    const auto read = hsa::read_code_object(*written, again);
    require(read.has_value(), "what is written can be read");
    Diagnostics comparing;
    convert::compare(convert::load_view(*converted), convert::load_view(*read), comparing);
    fuzz::require_no_errors(comparing, "what is written is the same program");
    (void)hsa::to_assembly(*converted);
  }
  return 0;
}
