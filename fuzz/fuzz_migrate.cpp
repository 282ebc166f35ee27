// What a migration reads that is no program: files to search, lines of manifests, policies. The first byte says which.
#include <cstdint>
#include <string>
#include <string_view>

#include <manifest.hpp>
#include <policy.hpp>
#include <scan.hpp>

#include "property.hpp"

namespace {

using namespace amdcompat;
using namespace amdcompat::migrate;
using fuzz::require;

// Programs come by offset, do not overlap, and are what stands there.
void search(std::string_view bytes) {
  Scanner scanner(read_from(bytes), 1u << 20);
  std::uint64_t end = 0;
  while (const auto found = scanner.next()) {
    require(found->offset >= end && !found->bytes.empty(), "programs come by offset and do not overlap");
    end = found->offset + found->bytes.size();
    require(end <= bytes.size() && bytes.substr(found->offset, found->bytes.size()) == found->bytes,
            "a program is what stands at its offset");
  }
  require(!scanner.broken(), "bytes in memory are read to their end");
}

// A record that is read says the same when it is written and read again.
void read_line(std::string_view line) {
  const auto record = parse_line(line);
  if (!record) return;
  const std::string written = std::visit([](const auto& one) { return to_line(one); }, *record);
  const auto again = parse_line(written);
  require(again.has_value(), "what is written is read");
  require(std::visit([](const auto& one) { return to_line(one); }, *again) == written, "and says the same");
}

void read_toml(std::string_view text) {
  Policy policy;
  Diagnostics findings;
  require(read_policy(text, policy, findings) != findings.has_errors(), "a policy is refused with a reason");
  const TextRegion whole{{0, static_cast<std::uint32_t>(text.size())}};
  fuzz::check_findings(findings, text, {&whole, 1});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > fuzz::kMostBytes) return 0;
  const std::string_view rest = fuzz::text_of(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0: search(rest); break;
    case 1: read_line(rest); break;
    default: read_toml(rest); break;
  }
  return 0;
}
