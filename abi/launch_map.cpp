// The map of a launch image: every byte range of its constant buffers, what it holds and where we know that from.
#include <amdcompat/launch_image.hpp>

#include <algorithm>
#include <bit>
#include <iterator>

#include <fmt/format.h>

#include "launch_impl.hpp"
#include "value_text.hpp"

namespace amdcompat::abi {

std::vector<MapEntry> LaunchImage::Impl::map() const {
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
    entry.what = argument_text(argument, find_argument_rule(argument)->kind);
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
