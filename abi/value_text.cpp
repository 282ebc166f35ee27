#include "value_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include <fmt/format.h>

#include "slots.hpp"

namespace amdcompat::abi {
namespace {

// `i` of an element's bits, read as its type.
std::string element_text(ScalarType type, const std::byte* at) {
  switch (type) {
    case ScalarType::I8: return fmt::format("{}", static_cast<std::int8_t>(load<std::uint8_t>(at)));
    case ScalarType::U8: return fmt::format("{}", load<std::uint8_t>(at));
    case ScalarType::I16: return fmt::format("{}", static_cast<std::int16_t>(load<std::uint16_t>(at)));
    case ScalarType::U16: return fmt::format("{}", load<std::uint16_t>(at));
    case ScalarType::Half: return fmt::format("half {:#06x}", load<std::uint16_t>(at));
    case ScalarType::I1:
    case ScalarType::U32: return fmt::format("{}", load<std::uint32_t>(at));
    case ScalarType::I32: return fmt::format("{}", static_cast<std::int32_t>(load<std::uint32_t>(at)));
    case ScalarType::I64: return fmt::format("{}", static_cast<std::int64_t>(load<std::uint64_t>(at)));
    case ScalarType::U64: return fmt::format("{}", load<std::uint64_t>(at));
    case ScalarType::Float: return fmt::format("{}", std::bit_cast<float>(load<std::uint32_t>(at)));
    case ScalarType::Double: return fmt::format("{}", std::bit_cast<double>(load<std::uint64_t>(at)));
    default: return {};
  }
}

}  // namespace

std::string hex_text(const std::byte* at, std::size_t size) {
  constexpr std::size_t kMost = 32;
  std::string out;
  for (std::size_t i = 0; i < std::min(size, kMost); ++i)
    fmt::format_to(std::back_inserter(out), "{:02x}", std::to_integer<unsigned>(at[i]));
  if (size > kMost) out += fmt::format("… ({} bytes)", size);
  return out;
}

std::uint64_t load(const std::byte* at, std::uint32_t size) {
  std::uint64_t value = 0;
  for (std::uint32_t i = std::min(size, 8u); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(at[i]);
  return value;
}

void add_field_rows(std::vector<MapEntry>& out, std::uint32_t part, std::uint32_t base,
                    std::span<const ObjectField> rows, std::string_view owner, std::span<const std::byte> memory) {
  for (const ObjectField& row : rows) {
    MapEntry& entry = out.emplace_back();
    entry.buffer = part;
    entry.offset = base + row.offset;
    entry.size = entry.reserved = row.size;
    entry.name = owner.empty() ? std::string(row.name) : fmt::format("{}.{}", owner, row.name);
    entry.what = row.meaning;
    entry.evidence = row.evidence;
    entry.source = row.source;
    if (memory.empty() || row.size > 8) continue;  // descriptors: words of bits, which a number would not explain
    entry.value = fmt::format("{:#x}", load(memory.data() + entry.offset, row.size));
  }
}

void add_packet_rows(std::vector<MapEntry>& out, std::uint32_t part, std::uint32_t base,
                     std::span<const std::byte> memory) {
  const std::size_t first = out.size();
  add_field_rows(out, part, base, packet_fields(), {}, memory);
  for (std::size_t i = first; i < out.size() && !memory.empty(); ++i)
    if (const std::uint32_t at = out[i].offset - base; at != 0 && at < 32)  // sizes
      out[i].value = fmt::format("{}", load(memory.data() + out[i].offset, out[i].size));
}

std::string value_text(const ByValue& value, const std::byte* at, std::uint32_t first, std::uint32_t last) {
  const std::uint32_t lane = lane_bytes(value.type);
  if (lane == 0) return hex_text(at, value.elements);
  std::string out;
  for (std::uint32_t i = first; i < last; ++i) {
    if (i != first) out += ", ";
    out += element_text(value.type, at + std::size_t{i} * lane);
  }
  return out;
}

std::string argument_text(const Argument& argument, std::string_view kind) {
  std::string out(kind);
  struct Visitor {
    std::string operator()(const ByValue& v) const {
      if (v.type == ScalarType::Struct || v.type == ScalarType::Union)
        return fmt::format("{} of {} bytes", scalar_name(v.type), v.elements);
      return v.elements == 1 ? std::string(scalar_name(v.type))
                             : fmt::format("{} x{}", scalar_name(v.type), v.elements);
    }
    std::string pointer(const PointerInfo& p) const {
      return fmt::format("{} {}, align {}", memory_kind_name(p.memory), p.buffer, p.align);
    }
    std::string operator()(const GlobalPointer& p) const { return pointer(p); }
    std::string operator()(const ConstantPointer& p) const { return pointer(p); }
    std::string operator()(const LocalPointer& p) const { return pointer(p); }
    std::string operator()(const RegionPointer& p) const { return pointer(p); }
    std::string operator()(const PrivatePointer& p) const { return pointer(p); }
    std::string operator()(const amdcompat::Image& i) const {
      return fmt::format("{} image {}", image_dim_name(i.dim), i.id);
    }
    std::string operator()(const amdcompat::Sampler& s) const { return fmt::format("sampler {}", s.id); }
    std::string operator()(const Counter& c) const { return fmt::format("{}-bit counter {}", c.bits, c.id); }
    std::string operator()(const Semaphore& s) const { return fmt::format("semaphore {}", s.id); }
    std::string operator()(const Queue&) const { return "queue"; }
    std::string operator()(const Pipe&) const { return "pipe"; }
    std::string operator()(const Hidden& hidden) const {
      if (hidden.what == HiddenKind::CompletionAction) return "AQL wrap";  // AMD's name for it
      std::string name(hidden_kind_name(hidden.what));
      std::ranges::replace(name, '_', ' ');
      return name;
    }
  };
  std::string detail = std::visit(Visitor{}, argument.kind);
  if (std::holds_alternative<ByValue>(argument.kind)) return detail;
  if (out == detail || out == "image" || out == "sampler" || out == "counter" || out == "semaphore") return detail;
  return fmt::format("{}: {}", out, detail);
}

}  // namespace amdcompat::abi
