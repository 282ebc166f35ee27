// The map of a launch image: every byte range of its constant buffers, what it holds and where we know that from.
#include <amdcompat/launch_image.hpp>

#include <algorithm>
#include <bit>
#include <iterator>

#include <fmt/format.h>

#include "slots.hpp"

namespace amdcompat::abi {
namespace {

template <class T>
T load(const std::byte* at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(at[i]) << (8 * i)));
  return value;
}

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

std::string hex_text(const std::byte* at, std::size_t size) {
  constexpr std::size_t kMost = 32;
  std::string out;
  for (std::size_t i = 0; i < std::min(size, kMost); ++i)
    fmt::format_to(std::back_inserter(out), "{:02x}", std::to_integer<unsigned>(at[i]));
  if (size > kMost) out += fmt::format("… ({} bytes)", size);
  return out;
}

// Elements [first, last) of a value whose bytes start at `at`.
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

std::string what_text(const Argument& argument) {
  std::string out(find_argument_rule(argument)->kind);
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
    std::string operator()(const Hidden&) const { return "hidden"; }
  };
  const std::string detail = std::visit(Visitor{}, argument.kind);
  if (std::holds_alternative<ByValue>(argument.kind)) return detail;
  if (out == "image" || out == "sampler" || out == "counter" || out == "semaphore") return detail;
  return fmt::format("{}: {}", out, detail);
}

}  // namespace

std::vector<MapEntry> LaunchImage::map() const {
  std::vector<MapEntry> out;
  const auto fields = cb0_fields();
  for (const std::uint8_t row : cb0_rows_) {
    const Cb0Field& field = fields[row];
    MapEntry& entry = out.emplace_back();
    entry.offset = 4u * field.dword;
    entry.size = 4u * field.dwords;
    entry.name = field.name;
    entry.what = field.meaning;
    entry.evidence = field.evidence;
    entry.source = field.source;
    if (!built_) continue;
    const std::byte* const at = cb0_.data() + entry.offset;
    const std::uint64_t value = field.dwords == 2 ? load<std::uint64_t>(at) : load<std::uint32_t>(at);
    switch (field.value) {
      case Cb0Value::ConstZero:
      case Cb0Value::ConstHalf:
      case Cb0Value::ConstOne:
      case Cb0Value::ConstTwo: entry.value = fmt::format("{:#010x}", value); break;
      case Cb0Value::PrivateRing:
      case Cb0Value::LocalRing:
      case Cb0Value::MathTable:
      case Cb0Value::DataSegment:
      case Cb0Value::PrintfAddress: entry.value = fmt::format("{:#x}", value); break;
      default: entry.value = fmt::format("{}", value); break;
    }
  }
  std::ranges::stable_sort(out, {}, &MapEntry::offset);
  const std::size_t cb0_rows = out.size();

  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    const Argument& argument = kernel_.arguments[i];
    const ArgumentRule& rule = *find_argument_rule(argument);
    MapEntry entry;
    entry.buffer = images_[slot.image].number;
    entry.offset = slot.offset;
    entry.size = slot.extent;
    entry.reserved = slot.reserved;
    entry.argument = i;
    entry.name = argument.name;
    entry.what = what_text(argument);
    entry.evidence = rule.evidence;
    entry.source = rule.source;
    const std::byte* const kept = kept_.data() + slot.kept;
    if (slot.form == Form::Image) {
      // Eight facts in one argument.
      const auto constants = image_constant_fields();
      for (std::size_t part = 0; part < constants.size(); ++part) {
        const bool old = options_.image_layout == ImageLayout::R7xx;
        MapEntry& row = out.emplace_back(entry);
        row.offset += constants[part].offset;
        row.size = 4;
        row.reserved = 4;
        row.part = old ? constants[part].r7xx : constants[part].r8xx;
        row.what = fmt::format("{}: {}", entry.what, row.part);
        row.source = constants[part].source;
        if (!built_) continue;
        const auto word = load<std::uint32_t>(kept + constants[part].offset);
        const bool real = row.what.ends_with("(float)"), hex = row.what.ends_with("(CL enum)");
        row.value = real  ? fmt::format("{}", std::bit_cast<float>(word))
                    : hex ? fmt::format("{:#x}", word)
                          : fmt::format("{}", word);
      }
      continue;
    }
    if (slot.spread) {
      const auto& value = std::get<ByValue>(argument.kind);
      for (std::uint32_t first = 0; first * slot.align < slot.copied; first += 4) {
        MapEntry& row = out.emplace_back(entry);
        row.offset += first / 4 * 16;
        row.size = 4 * slot.align;
        row.reserved = 16;
        row.part = fmt::format("elements {} to {}", first, first + 3);
        row.what = fmt::format("{}, {}", entry.what, row.part);
        if (built_) row.value = value_text(value, kept, first, first + 4);
      }
      continue;
    }
    if (built_) {
      switch (slot.form) {
        case Form::Value: {
          const auto& value = std::get<ByValue>(argument.kind);
          entry.value = value_text(value, kept, 0, value.elements);
          break;
        }
        case Form::Pointer:
        case Form::ConstantPointer:
          entry.value = fmt::format("{:#x}", slot.host == 8 ? load<std::uint64_t>(kept) : load<std::uint32_t>(kept));
          break;
        case Form::LocalPointer:
          entry.value = fmt::format("{} ({} bytes)", load<std::uint32_t>(kept), slot.local_bytes);
          break;
        case Form::Sampler: entry.value = fmt::format("{:#x}", load<std::uint32_t>(kept)); break;
        case Form::Image:
        case Form::Handle:
        case Form::Nothing: break;
      }
    }
    out.push_back(std::move(entry));
  }
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(cb0_rows), out.end(),
                   [](const MapEntry& a, const MapEntry& b) {
                     return std::pair(a.buffer, a.offset) < std::pair(b.buffer, b.offset);
                   });
  return out;
}

}  // namespace amdcompat::abi
