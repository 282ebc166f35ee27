#include "races.hpp"

#include <algorithm>

#include "wave.hpp"

namespace amdcompat::emulate {
Races::Cell* Races::cell(u64 address, bool lds) {
  Cells& cells = lds ? local_ : global_;
  const auto found = cells.find(address / kBlock);
  if (found != cells.end()) return &found->second[address % kBlock];
  if (cells.size() >= kMostBlocks) {
    report_.races_missed = true;
    return nullptr;
  }
  return &cells[address / kBlock][address % kBlock];
}

void Races::meet(const Access& access, u64 address, const Last& last, bool stores) {
  using enum Race::Between;
  if (last.epoch == 0 || (last.atomic && access.atomic)) return;
  Race race{.offset = access.offset, .other = last.offset, .address = address, .lds = access.lds, .stores = stores};
  if (!is_of_group(last) || last.other_groups) {
    race.between = Groups;
  } else {
    if (last.epoch != epoch_ || (last.item == access.item && !last.other_items)) return;
    const bool same_wave = last.item / kLanes == access.item / kLanes && !last.other_waves;
    // Two lanes of one instruction have no order.
    race.between = same_wave && last.offset != access.offset ? ItemsInStep : Items;
  }
  ++report_.races_found[static_cast<std::size_t>(race.between)];
  if (report_.races.size() >= limits_.findings) return;
  const auto same = [&](const Race& other) {
    return other.offset == race.offset && other.other == race.other && other.between == race.between;
  };
  if (std::ranges::none_of(report_.races, same)) report_.races.push_back(race);
}

void Races::load(const Access& access, u64 size) {
  for (u64 n = 0; n < size; ++n) {
    Cell* const at = cell(access.address + n, access.lds);
    if (at == nullptr) return;
    if (at->store.changed || (at->store.changed_before && !is_of_group(at->store)))
      meet(access, access.address + n, at->store, false);
    Last& last = at->load;
    if (last.epoch != epoch_) {
      const bool other_groups = last.epoch != 0 && (last.other_groups || !is_of_group(last));
      last = {.epoch = epoch_,
              .offset = access.offset,
              .item = static_cast<u16>(access.item),
              .atomic = access.atomic && (!other_groups || last.atomic),
              .other_groups = other_groups};
      continue;
    }
    last.other_items = last.other_items || last.item != access.item;
    last.other_waves = last.other_waves || last.item / kLanes != access.item / kLanes;
    if (!last.atomic || access.atomic) continue;
    last.offset = access.offset;  // which has no order with atomic accesses either
    last.atomic = false;
  }
}

void Races::store(const Access& access, std::span<const u8> before, std::span<const u8> after) {
  for (u64 n = 0; n < after.size(); ++n) {
    Cell* const at = cell(access.address + n, access.lds);
    if (at == nullptr) return;
    const bool changes = before[n] != after[n];
    if (changes) {
      meet(access, access.address + n, at->store, true);
      meet(access, access.address + n, at->load, true);
    } else if (at->store.changed && (at->store.epoch == epoch_ || !is_of_group(at->store))) {
      at->store.atomic = at->store.atomic && access.atomic;
      continue;  // what others load depends on that one
    }
    at->store = {.epoch = epoch_,
                 .offset = access.offset,
                 .item = static_cast<u16>(access.item),
                 .atomic = access.atomic,
                 .changed = changes,
                 .changed_before = is_of_group(at->store) && (at->store.changed || at->store.changed_before)};
  }
}

}  // namespace amdcompat::emulate
