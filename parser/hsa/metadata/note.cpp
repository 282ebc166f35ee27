// ELF note records: {name size, payload size, type} as three little-endian words, then the name and the payload,
// each padded. The metadata of V3 and later is the record "AMDGPU", type 32. [S1 "Note Records"]
#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include <amdcompat/hsa.hpp>

#include <elf/bytes.hpp>

namespace amdcompat::hsa {
namespace {

using elf::align_up;
using elf::clamp_range;
using elf::get;
using elf::pad;
using elf::put;

constexpr std::string_view kName{"AMDGPU\0", 7};
constexpr std::uint32_t kMetadataType = 32;  // NT_AMDGPU_METADATA
constexpr std::size_t kHeader = 12;

}  // namespace

std::string to_note(const Metadata& metadata) {
  const std::string payload = to_msgpack(metadata);
  std::string note;
  put<std::uint32_t>(note, static_cast<std::uint32_t>(kName.size()));
  put<std::uint32_t>(note, static_cast<std::uint32_t>(payload.size()));
  put<std::uint32_t>(note, kMetadataType);
  note += kName;
  pad(note, 4);
  note += payload;
  pad(note, 4);
  return note;
}

Result<std::optional<SourceRange>> find_note(std::string_view notes, const ReadOptions& options, std::size_t align) {
  if (notes.size() > std::numeric_limits<std::uint32_t>::max() - options.base)
    return std::unexpected(
        make_diagnostic(Code::HsaTooLarge, {options.base, 0}, "notes beyond the first 4 GiB of a file"));
  align = align == 8 ? 8 : 4;
  std::size_t at = 0;
  while (notes.size() - at >= kHeader) {
    const std::uint64_t name_size = get<std::uint32_t>(notes, at);
    const std::uint64_t payload_size = get<std::uint32_t>(notes, at + 4);
    const auto type = get<std::uint32_t>(notes, at + 8);
    const std::uint64_t payload = align_up(kHeader + name_size, align);  // from the record's start
    const std::uint64_t rest = notes.size() - at;
    if (payload > rest || payload_size > rest - payload)
      return std::unexpected(
          make_diagnostic(Code::HsaNoteTruncated, clamp_range(options.base, at, kHeader),
                          fmt::format("a record with a name of {} and a payload of {} bytes, {} bytes left", name_size,
                                      payload_size, rest - kHeader)));
    if (type == kMetadataType && notes.substr(at + kHeader, name_size) == kName)
      return clamp_range(options.base, at + payload, payload_size);
    // The padding of the last record may be missing.
    at += static_cast<std::size_t>(std::min(rest, align_up(payload + payload_size, align)));
  }
  return std::nullopt;
}

std::optional<Metadata> read_note(std::string_view notes, Diagnostics& diagnostics, const ReadOptions& options) {
  const auto found = find_note(notes, options);
  if (!found) {
    diagnostics.add(found.error());
    return std::nullopt;
  }
  const std::optional<SourceRange>& payload = *found;
  if (!payload) {
    diagnostics.report(Code::HsaNoteMissing, clamp_range(options.base, 0, notes.size()), "no metadata note");
    return std::nullopt;
  }
  ReadOptions inner = options;
  inner.base = payload->begin;
  return read_msgpack(notes.substr(payload->begin - options.base, payload->size), diagnostics, inner);
}

}  // namespace amdcompat::hsa
