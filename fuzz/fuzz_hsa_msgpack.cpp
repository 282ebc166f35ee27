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

// Under so low a limit documents are read by way of tokens: also those that are read straight into the model else.
void check_both_ways(std::string_view input, const std::optional<hsa::Metadata>& read, const Diagnostics& findings) {
  Diagnostics others(findings.mode());
  const std::optional<hsa::Metadata> other = hsa::read_msgpack(input, others, {.max_depth = 7});
  if (others.contains(Code::HsaTooDeep)) return;
  require(other == read && others.all().size() == findings.all().size(), "both ways of reading give the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  Diagnostics diagnostics(fuzz::mode_of(input));
  const auto bare = hsa::read_msgpack(input, diagnostics);
  check_both_ways(input, bare, diagnostics);
  if (bare) check(*bare);
  if (const auto metadata = hsa::read_note(input, diagnostics)) check(*metadata);
  if (const auto elf = hsa::read_note_elf(input, diagnostics)) check(elf->metadata);
  fuzz::check_findings(diagnostics, input, {});
  return 0;
}
