// The map of a CL2 launch: every byte range of its memory, what it holds and where we know that from.
#include <amdcompat/cl2_launch.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "cl2_impl.hpp"
#include "value_text.hpp"

namespace amdcompat::abi {

std::vector<MapEntry> Cl2LaunchImage::Impl::map() const {
  std::vector<MapEntry> out;
  const auto add = [&](Cl2Part part, std::uint32_t offset, std::uint32_t size) -> MapEntry& {
    MapEntry& entry = out.emplace_back();
    entry.buffer = static_cast<std::uint32_t>(part);
    entry.offset = offset;
    entry.size = entry.reserved = size;
    return entry;
  };
  const auto number = [&](std::uint32_t offset, std::uint32_t size) {
    return load(memory_.bytes().data() + offset, size);
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    const Argument& argument = kernel_.arguments[i];
    const ArgumentRule& rule = *find_cl2_argument_rule(argument);
    MapEntry& entry = add(Cl2Part::Block, slot.offset, slot.size);
    entry.argument = i;
    entry.name = argument.name;
    entry.what = argument_text(argument, rule.kind);
    entry.evidence = rule.evidence;
    entry.source = rule.source;
    if (!built_) continue;
    if (slot.form == Form::Value)
      // As many elements as the block holds; a half has a form of its own.
      entry.value = rule.evidence == Evidence::NotVerified
                        ? hex_text(memory_.bytes().data() + slot.offset, slot.size)
                        : value_text(std::get<ByValue>(argument.kind), memory_.bytes().data() + slot.offset, 0,
                                     std::get<ByValue>(argument.kind).elements);
    else if (slot.form == Form::LocalPointer)
      entry.value = fmt::format("{} ({} bytes)", number(slot.offset, slot.size), slot.local_bytes);
    else
      entry.value = fmt::format("{:#x}", number(slot.offset, slot.size));
  }
  const std::span<const std::byte> built = built_ ? memory_.bytes() : std::span<const std::byte>();
  const auto fields = [&](Cl2Part part, std::uint32_t base, std::span<const ObjectField> rows, std::string_view owner) {
    add_field_rows(out, static_cast<std::uint32_t>(part), base, rows, owner, built);
  };
  add_packet_rows(out, static_cast<std::uint32_t>(Cl2Part::Packet), block_bytes_, built);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.object == 0) continue;
    const std::size_t first = out.size();
    const Argument& argument = kernel_.arguments[i];
    if (slot.form == Form::Image) {
      fields(Cl2Part::Objects, slot.object, image_object_fields(), argument.name);
    } else if (slot.form == Form::Sampler) {
      fields(Cl2Part::Objects, slot.object, sampler_object_fields(), argument.name);
    } else {
      const ArgumentRule& rule = *find_cl2_argument_rule(argument);
      MapEntry& entry = add(Cl2Part::Objects, slot.object, slot.host);
      entry.name = argument.name;
      entry.what = fmt::format("copy of the {}", argument_text(argument, rule.kind));
      entry.evidence = rule.evidence;
      entry.source = rule.source;
      if (built_) entry.value = hex_text(memory_.bytes().data() + slot.object, slot.host);
    }
    for (std::size_t row = first; row < out.size(); ++row) {
      out[row].argument = i;
      if (built_ && slot.external) out[row].value = "elsewhere: the caller gave an address";
    }
  }
  if (queue_ != 0) fields(Cl2Part::Objects, queue_, queue_fields(), "queue");
  return out;
}

}  // namespace amdcompat::abi
