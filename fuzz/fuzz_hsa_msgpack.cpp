// HSA metadata in MessagePack, bare, in a note and in an ELF file: read, verify, write, read again.
#include <amdcompat/hsa.hpp>

#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

namespace {

void check(const hsa::Metadata& metadata) {
  Diagnostics findings;
  hsa::verify(metadata, findings);
  const std::string written = hsa::to_msgpack(metadata);
  const std::optional<hsa::Metadata> again = hsa::read_msgpack(written, findings);
  require(again && *again == metadata, "MessagePack reads back as the same model");
  require(hsa::to_msgpack(*again) == written, "MessagePack is deterministic");
  require(!hsa::to_yaml(metadata).empty(), "every model prints as YAML");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  Diagnostics diagnostics(fuzz::mode_of(input));
  if (const auto metadata = hsa::read_msgpack(input, diagnostics)) check(*metadata);
  if (const auto metadata = hsa::read_note(input, diagnostics)) check(*metadata);
  if (const auto elf = hsa::read_note_elf(input, diagnostics)) check(elf->metadata);
  fuzz::check_findings(diagnostics, input, {});
  return 0;
}
