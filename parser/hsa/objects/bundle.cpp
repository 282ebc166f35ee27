// Offload bundles: what clang puts the code objects of several processors into.
//
//   "__CLANG_OFFLOAD_BUNDLE__", u64 number of entries, then for each: u64 offset, u64 size, u64 length of its id, id
//
// Ids are KIND-TRIPLE-PROCESSOR, such as "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-" or "host-x86_64-unknown-linux--".
// [clang «Offload Bundler», «Bundled Binary Layout»]
#include <algorithm>

#include <fmt/format.h>

#include <amdcompat/code_object.hpp>

#include <elf/bytes.hpp>

namespace amdcompat::hsa {
namespace {

using elf::clamp_range;
using elf::get;

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::size_t kMostEntries = 4096;
constexpr std::uint64_t kLongestId = 4096;

}  // namespace

bool is_bundle(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::vector<BundleEntry> read_bundle(std::string_view bytes, Diagnostics& diagnostics) {
  std::vector<BundleEntry> out;
  std::size_t at = kMagic.size();
  const auto broken = [&](std::string message) {
    const std::size_t begin = std::min(at, bytes.size());
    diagnostics.report(Code::BundleBroken, clamp_range(0, begin, std::min<std::size_t>(24, bytes.size() - begin)),
                       std::move(message));
  };
  if (!is_bundle(bytes) || bytes.size() - at < 8) {
    broken("no table of entries");
    return out;
  }
  const auto count = get<std::uint64_t>(bytes, at);
  at += 8;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i == kMostEntries) {
      broken(fmt::format("{} entries, the limit is {}", count, kMostEntries));
      break;
    }
    if (bytes.size() - at < 24) {
      broken(fmt::format("the table ends after {} of {} entries", i, count));
      break;
    }
    const auto offset = get<std::uint64_t>(bytes, at), size = get<std::uint64_t>(bytes, at + 8),
               length = get<std::uint64_t>(bytes, at + 16);
    at += 24;
    if (length > kLongestId || length > bytes.size() - at) {
      broken(fmt::format("entry {} has an id of {} bytes", i, length));
      break;
    }
    const std::string_view id = bytes.substr(at, length);
    at += length;
    if (offset > bytes.size() || size > bytes.size() - offset ||
        bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
      broken(fmt::format("entry '{}': {} bytes at {} lie outside the file", id, size, offset));
      continue;
    }
    out.push_back({std::string(id), {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)}});
  }
  return out;
}

std::string_view bundle_target(std::string_view id) {
  const std::size_t triple = id.find("amdgcn-amd-amdhsa-");
  if (triple == std::string_view::npos) return {};
  id.remove_prefix(triple);
  const std::size_t processor = id.find("gfx");
  return processor == std::string_view::npos ? std::string_view{} : id.substr(processor);
}

}  // namespace amdcompat::hsa
