// Offload bundles: what clang puts the code objects of several processors into.
//
//   "__CLANG_OFFLOAD_BUNDLE__", u64 number of entries, then for each: u64 offset, u64 size, u64 length of its id, id
//
// Ids are KIND-TRIPLE-PROCESSOR, such as "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-" or "host-x86_64-unknown-linux--".
// [clang «Offload Bundler», «Bundled Binary Layout»]
//
// The bundler writes the files one behind the other. Entries that share bytes would make many large files out of a
// small one, so of such entries the first is taken.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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

// Parts of a file by their first byte: the table, and entries.
class Parts {
 public:
  struct Part {
    std::uint64_t size = 0;
    std::optional<std::string_view> id;  // absent: of the table
  };
  // The part that has some of those bytes; null: none, and they are this one's now.
  const Part* take(std::uint64_t begin, const Part& part) {
    const auto behind = parts_.lower_bound(begin);
    if (behind != parts_.end() && behind->first - begin < part.size) return &behind->second;
    if (behind != parts_.begin())
      if (const auto before = std::prev(behind); begin - before->first < before->second.size) return &before->second;
    parts_.emplace_hint(behind, begin, part);
    return nullptr;
  }

 private:
  std::map<std::uint64_t, Part> parts_;
};

}  // namespace

bool is_bundle(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::vector<BundleEntry> read_bundle(std::string_view bytes, Diagnostics& diagnostics) {
  struct Row {
    std::string_view id;
    std::uint64_t offset = 0, size = 0;
    std::size_t at = 0;  // bytes into the file
  };
  std::vector<BundleEntry> out;
  std::vector<Row> rows;
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
    Row row{{}, get<std::uint64_t>(bytes, at), get<std::uint64_t>(bytes, at + 8), at};
    const auto length = get<std::uint64_t>(bytes, at + 16);
    at += 24;
    if (length > kLongestId || length > bytes.size() - at) {
      broken(fmt::format("entry {} has an id of {} bytes", i, length));
      break;
    }
    row.id = bytes.substr(at, length);
    at += length;
    rows.push_back(row);
  }
  Parts parts;
  parts.take(0, {at, {}});
  for (const Row& row : rows) {
    at = row.at;
    if (row.offset > bytes.size() || row.size > bytes.size() - row.offset ||
        bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
      broken(fmt::format("entry '{}': {} bytes at {} lie outside the file", row.id, row.size, row.offset));
      continue;
    }
    // A host entry is often empty, at whatever offset.
    if (const Parts::Part* const other = row.size == 0 ? nullptr : parts.take(row.offset, {row.size, row.id})) {
      broken(fmt::format("entry '{}': {} bytes at {} share some with {}", row.id, row.size, row.offset,
                         other->id ? fmt::format("entry '{}'", *other->id) : std::string("the table")));
      continue;
    }
    out.push_back(
        {std::string(row.id), {static_cast<std::uint32_t>(row.offset), static_cast<std::uint32_t>(row.size)}});
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
