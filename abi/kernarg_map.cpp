// The map of a dispatch: every byte range of its memory, what it holds and where we know that from.
#include <fmt/format.h>

#include "kernarg_impl.hpp"
#include "value_text.hpp"

namespace amdcompat::abi {

std::vector<MapEntry> KernargImage::Impl::map() const {
  std::vector<MapEntry> out;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    const Argument& argument = kernel_.arguments[i];
    const ArgumentRule& rule = *find_kernarg_argument_rule(argument);
    MapEntry entry;
    entry.buffer = static_cast<std::uint32_t>(KernargPart::Segment);
    entry.offset = slot.offset;
    entry.size = entry.reserved = slot.size;
    entry.argument = i;
    entry.name = argument.name;
    entry.what = rule.kind;
    if (!argument.type_name.empty()) entry.what += ", " + argument.type_name;
    entry.evidence = rule.evidence;
    entry.source = rule.source;
    const std::byte* const at = memory_.bytes().data() + slot.offset;
    const auto number = [&] { return load(at, slot.size); };
    if (const auto* hidden = std::get_if<Hidden>(&argument.kind)) {
      const HiddenRule& written = hidden_rules()[static_cast<std::size_t>(hidden->what)];
      entry.what = written.written;
      entry.evidence = written.evidence;
      entry.source = written.source;
      const bool address = written.bytes == 8 && hidden->what > HiddenKind::GlobalOffsetZ;
      if (built_ && hidden->what != HiddenKind::None)
        entry.value = address ? fmt::format("{:#x}", number()) : fmt::format("{}", number());
    } else if (slot.form == Form::Trailing && slot.trailing.kind == TrailingKind::ConstantBuffer0 && !slot.external) {
      for (MapEntry& row : cb0_->map()) {
        if (row.buffer != 0) continue;
        row.buffer = entry.buffer;
        row.offset += slot.offset;
        row.argument = i;
        row.name = fmt::format("{}.{}", argument.name, row.name);
        if (!built_) row.value.clear();
        out.push_back(std::move(row));
      }
      continue;
    } else if (slot.form == Form::Trailing && slot.trailing.kind == TrailingKind::UavTable) {
      for (std::uint32_t from = 0; from + kUavEntryBytes <= slot.size; from += kUavEntryBytes) {
        MapEntry& row = out.emplace_back(entry);
        row.offset += from;
        row.size = row.reserved = kUavEntryBytes;
        row.part = fmt::format("entry {}", from / kUavEntryBytes);
        row.what = fmt::format("{}: V# of a buffer", row.part);
        if (built_) row.value = hex_text(at + from, kUavEntryBytes);
      }
      continue;
    } else if (built_) {
      if (slot.form == Form::LocalPointer)
        entry.value = fmt::format("{} ({} bytes)", number(), slot.local_bytes);
      else if (slot.form == Form::Value || slot.size > 8)
        entry.value = hex_text(at, slot.size);
      else
        entry.value = fmt::format("{:#x}", number());
    }
    out.push_back(std::move(entry));
  }
  std::ranges::stable_sort(out, {}, &MapEntry::offset);
  add_packet_rows(out, static_cast<std::uint32_t>(KernargPart::Packet), block_bytes_,
                  built_ ? memory_.bytes() : std::span<const std::byte>());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.object == 0) continue;
    const std::size_t first = out.size();
    add_field_rows(out, static_cast<std::uint32_t>(KernargPart::Objects), slot.object,
                   slot.form == Form::Image ? image_object_fields() : sampler_object_fields(),
                   kernel_.arguments[i].name, built_ ? memory_.bytes() : std::span<const std::byte>());
    for (std::size_t row = first; row < out.size(); ++row) {
      out[row].argument = i;
      if (built_ && slot.external) out[row].value = "elsewhere: the caller gave an address";
    }
  }
  return out;
}

}  // namespace amdcompat::abi
