// What instructions that access memory have in common. [SIA; CIA; VIA: chapters «Scalar Memory Operations», «Vector
// Memory Operations», «Data Share Operations»]
#pragma once

#include <optional>

#include <amdcompat/launch_image.hpp>

#include "semantics.hpp"

namespace amdcompat::emulate {

constexpr Shape dwords_shape(u32 n) {
  switch (n) {
    case 0: return Shape::None;
    case 1: return Shape::B32;
    case 2: return Shape::B64;
    case 3: return Shape::B96;
    case 4: return Shape::B128;
    case 8: return Shape::B256;
    default: return Shape::B512;
  }
}
// Rows of buffers, FLAT and DS: the destination is what a load returns, the first source what a store takes.
constexpr Semantics loads(Execute execute, u32 dwords) {
  return {.execute = execute, .destination = dwords_shape(dwords)};
}
constexpr Semantics stores(Execute execute, u32 dwords) {
  return {.execute = execute, .sources = {dwords_shape(dwords)}};
}
// One half of a register is loaded; the other one stays. [VEGA: «D16 Support»]
constexpr Semantics loads_half(Execute execute) {
  return {.execute = execute, .destination = Shape::B32, .reads_destination = true};
}
inline constexpr Semantics kNoAccess{.execute = [](Wave&, const Instruction&) {}};  // caches are not modelled

template <class Body>
void each_lane(const Wave& wave, Body&& body) {
  const u64 exec = wave.exec();
  if (wave.context().races) [[unlikely]]
    for (u64 rest = exec; rest != 0; rest &= rest - 1)
      body(wave.context().lane = static_cast<u32>(std::countr_zero(rest)));
  else if (exec == ~u64{0})
    for (u32 lane = 0; lane < kLanes; ++lane) body(lane);
  else
    for (u64 rest = exec; rest != 0; rest &= rest - 1) body(static_cast<u32>(std::countr_zero(rest)));
}

// --- registers -----------------------------------------------------------------------------------------------------

// A value of 32 or 64 bits in one lane of the registers from `first` on.
template <class T>
T lane_value(Wave& wave, u32 first, u32 lane) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(joined(wave.vgpr(first)[lane], wave.vgpr(first + 1)[lane]));
  else
    return std::bit_cast<T>(wave.vgpr(first)[lane]);
}

// The same of all lanes.
template <class T>
class Values {
 public:
  Values(Wave& wave, u32 first)
      : low_(wave.vgpr(first).data()), high_(sizeof(T) == 8 ? wave.vgpr(first + 1).data() : nullptr) {}
  [[nodiscard]] T operator[](u32 lane) const {
    if constexpr (sizeof(T) == 8)
      return std::bit_cast<T>(joined(low_[lane], high_[lane]));
    else
      return std::bit_cast<T>(low_[lane]);
  }

 private:
  const u32* low_;
  const u32* high_;
};

// What a load returns; collected before it is written, because the destination may hold the addresses.
template <u32 Dwords>
class Loaded {
 public:
  u32& at(u32 dword, u32 lane) { return values_[dword][lane]; }
  // A dword that was loaded from memory, with its poison.
  void take(Wave& wave, u32 dword, u32 lane, u32 value) {
    at(dword, lane) = value;
    if (wave.take_undefined()) [[unlikely]]
      undefined_[dword] |= u64{1} << lane;
  }
  // A value of 32 or 64 bits in the dwords from `first` on.
  template <class T>
  void keep(u32 first, u32 lane, T value) {
    const auto bits = std::bit_cast<BitsOf<T>>(value);
    at(first, lane) = low_half(bits);
    if constexpr (sizeof(T) == 8) at(first + 1, lane) = high_half(bits);
  }
  void write(Wave& wave, u32 first, u32 count = Dwords) {
    for (u32 n = 0; n < count; ++n) put(wave.vgpr(first + n).data(), values_[n], wave.exec());
    wave.define_vgpr(first, count, wave.exec());
    for (u32 n = 0; n < count; ++n)
      if (undefined_[n] != 0) [[unlikely]]
        wave.undefine_vgpr(first + n, undefined_[n]);
  }

 private:
  std::array<Lanes, Dwords> values_{};
  std::array<u64, Dwords> undefined_{};
};

// --- memory --------------------------------------------------------------------------------------------------------

inline constexpr u64 kAddressMask = 0xffff'ffff'ffff;  // 48 bits

template <class T>
T load_value(Wave& wave, u64 address) {
  std::array<u8, sizeof(T)> bytes{};
  static_cast<void>(wave.load(address, bytes));
  return std::bit_cast<T>(bytes);
}
template <class T>
void store_value(Wave& wave, u64 address, T value) {
  wave.store(address, std::bit_cast<std::array<u8, sizeof(T)>>(value));
}
// What a register holds in one lane, at least its low bits; scratch memory takes its poison.
template <class T>
void store_register(Wave& wave, u64 address, u32 number, u32 lane) {
  store_value(wave, address, static_cast<T>(wave.vgpr(number)[lane]));
  if ((wave.vgpr_defined(number) >> lane & 1) == 0) [[unlikely]]
    wave.undefine_scratch(address, sizeof(T));
}
// Values of less than 32 bits are extended in the register as `T` says.
template <class T>
u32 extended(T value) {
  return static_cast<u32>(static_cast<i32>(value));
}

// Addresses of one dword of an access, by lane; only those of enabled lanes count. Out of range, a load gives 0, and a
// store does nothing.
struct Places {
  std::array<u64, kLanes> at;
  u64 in_range = ~u64{0};
  [[nodiscard]] bool has(u32 lane) const { return (in_range >> lane & 1) != 0; }
};

// The lowest and the highest place. Signed, as AVX2 compares: those of the upper half of all addresses are below 0.
struct Extent {
  i64 first, last;
};
AMDCOMPAT_ALL_LANES inline Extent extent_of(const std::array<u64, kLanes>& at) {
  i64 first = static_cast<i64>(at[0]), last = first;
  for (u32 lane = 1; lane < kLanes; ++lane) {
    const i64 place = static_cast<i64>(at[lane]);
    first = place < first ? place : first;
    last = place > last ? place : last;
  }
  return {first, last};
}
// Whether they follow each other without a gap: all values of a lane, then those of the next one.
template <std::size_t Dwords>
AMDCOMPAT_ALL_LANES bool is_dense(const std::array<Places, Dwords>& places, u64 first, u64 size) {
  u64 differences = 0;
  for (u32 n = 0; n < Dwords; ++n)
    for (u32 lane = 0; lane < kLanes; ++lane)
      differences |= places[n].at[lane] ^ (first + (u64{lane} * Dwords + n) * size);
  return differences == 0;
}
template <std::size_t Bytes>
AMDCOMPAT_ALL_LANES void note_dense(u8* notes, bool store) {
  store ? Space::note_store(notes, Bytes) : Space::note_load(notes, Bytes);
}

// The values of all lanes in one range of memory.
template <class T, std::size_t Dwords>
class NearPlaces {
 public:
  // Without it, nothing has happened: not all lanes take part, or not all of their places are in one range.
  [[nodiscard]] explicit operator bool() const { return near_.bytes != nullptr; }
  NearPlaces(Wave& wave, const std::array<Places, Dwords>& places, bool store) : places_(places) {
    if (wave.exec() != ~u64{0} || !has_vector_instructions()) return;
    for (const Places& one : places)
      if (one.in_range != ~u64{0}) return;
    // Mostly they follow each other; that is seen sooner than where they end.
    first_ = places[0].at[0];
    u64 last = first_ + (kLanes * Dwords - 1) * sizeof(T);
    dense_ = first_ <= last && is_dense(places, first_, sizeof(T));
    if (!dense_) {
      Extent extent = extent_of(places[0].at);
      for (std::size_t n = 1; n < Dwords; ++n) {
        const Extent one = extent_of(places[n].at);
        extent = {std::min(extent.first, one.first), std::max(extent.last, one.last)};
      }
      if (extent.first < 0) return;
      first_ = static_cast<u64>(extent.first);
      last = static_cast<u64>(extent.last);
    }
    near_ = wave.context().space.near_all(first_, last, sizeof(T), store ? kLanes * Dwords : 0);
    if (near_.bytes == nullptr) return;
    if (store) wave.context().report.stores += kLanes * Dwords;
    if (near_.notes != nullptr) note(store);
  }
  [[nodiscard]] bool dense() const { return dense_; }
  [[nodiscard]] u8* bytes() const { return near_.bytes; }  // of all of them, where they are dense
  [[nodiscard]] u8* at(u32 n, u32 lane) const {
    return near_.bytes + (dense_ ? (u64{lane} * Dwords + n) * sizeof(T) : places_[n].at[lane] - first_);
  }

 private:
  void note(bool store) {
    if (dense_) return note_dense<kLanes * Dwords * sizeof(T)>(near_.notes, store);
    for (const Places& places : places_)
      for (const u64 place : places.at) {
        u8* const notes = near_.notes + (place - first_);
        store ? Space::note_store(notes, sizeof(T)) : Space::note_load(notes, sizeof(T));
      }
  }

  const std::array<Places, Dwords>& places_;
  Space::Near near_;
  u64 first_ = 0;
  bool dense_ = false;
};

// One value of type T for each of `Dwords` registers from `first` on.
template <class T, std::size_t Dwords>
void load_places(Wave& wave, const std::array<Places, Dwords>& places, u32 first) {
  Loaded<Dwords> loaded;
  Space& space = wave.context().space;
  if (const NearPlaces<T, Dwords> near(wave, places, false); near) {
    if (near.dense() && Dwords == 1 && sizeof(T) == sizeof(u32)) {
      std::memcpy(&loaded.at(0, 0), near.bytes(), sizeof(Lanes));
      return loaded.write(wave, first);
    }
    for (u32 n = 0; n < Dwords; ++n)
      for (u32 lane = 0; lane < kLanes; ++lane) {
        T value;
        std::memcpy(&value, near.at(n, lane), sizeof(T));
        loaded.at(n, lane) = extended(value);
      }
    return loaded.write(wave, first);
  }
  each_lane(wave, [&](u32 lane) {
    for (u32 n = 0; n < Dwords; ++n) {
      if (!places[n].has(lane)) continue;
      const u64 address = places[n].at[lane];
      if (const u8* const bytes = space.near_load(address, sizeof(T))) [[likely]] {
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        loaded.at(n, lane) = extended(value);
      } else {
        loaded.take(wave, n, lane, extended(load_value<T>(wave, address)));
      }
    }
  });
  loaded.write(wave, first);
}
template <class T, std::size_t Dwords>
void store_places(Wave& wave, const std::array<Places, Dwords>& places, u32 first) {
  std::array<const u32*, Dwords> values{};
  u64 unset = 0;
  for (u32 n = 0; n < Dwords; ++n) {
    values[n] = wave.vgpr(first + n).data();
    unset |= wave.exec() & ~wave.vgpr_defined(first + n);
  }
  if (wave.status() == Status::Stopped) return;
  if (unset == 0) {
    if (const NearPlaces<T, Dwords> near(wave, places, true); near) {
      if (near.dense() && Dwords == 1 && sizeof(T) == sizeof(u32)) {
        std::memcpy(near.bytes(), values[0], sizeof(Lanes));
        return;
      }
      for (u32 lane = 0; lane < kLanes; ++lane)
        for (u32 n = 0; n < Dwords; ++n) {
          const T value = static_cast<T>(values[n][lane]);
          std::memcpy(near.at(n, lane), &value, sizeof(T));
        }
      return;
    }
  }
  Space& space = wave.context().space;
  u64 stores = 0;
  each_lane(wave, [&](u32 lane) {
    for (u32 n = 0; n < Dwords; ++n) {
      if (!places[n].has(lane)) continue;
      const u64 address = places[n].at[lane];
      u8* const bytes = unset == 0 ? space.near_store(address, sizeof(T)) : nullptr;
      if (bytes != nullptr) [[likely]] {
        const T value = static_cast<T>(values[n][lane]);
        std::memcpy(bytes, &value, sizeof(T));
        ++stores;
      } else {
        store_register<T>(wave, address, first + n, lane);
      }
    }
  });
  wave.context().report.stores += stores;
}

// Loads of one half of a register and stores of its high half; `address_of` gives a lane's address, or nothing when it
// is out of range. A compiler loads halves of registers that are not set yet: the whole register counts as set then.
template <class T, bool High, class Address>
void load_half(Wave& wave, u32 number, Address&& address_of) {
  if (wave.status() == Status::Stopped) return;
  Loaded<1> loaded;
  each_lane(wave, [&](u32 lane) {
    const std::optional<u64> address = address_of(lane);
    const u32 half = (address ? extended(load_value<T>(wave, *address)) : 0) & 0xffff;
    const u32 old = wave.vgpr(number)[lane];
    loaded.take(wave, 0, lane, High ? half << 16 | (old & 0xffff) : half | (old & 0xffff'0000));
  });
  loaded.write(wave, number);
}
template <class T, class Address>
void store_high(Wave& wave, u32 number, Address&& address_of) {
  wave.check_vgpr(number, 1, wave.exec());
  if (wave.status() == Status::Stopped) return;
  each_lane(wave, [&](u32 lane) {
    if (const std::optional<u64> address = address_of(lane))
      store_value(wave, *address, static_cast<T>(wave.vgpr(number)[lane] >> 16));
  });
}

// A buffer descriptor (V#). [SIA; CIA; VIA: chapter «Vector Memory Operations»]
struct Descriptor : abi::HardwareBuffer {
  bool gfx9 = false;
  // Bytes, and elements next to each other. GFX9 has no other elements than those of 4 bytes.
  [[nodiscard]] u32 element_bytes() const { return gfx9 ? 4 : 2u << element_size; }
  [[nodiscard]] u32 row_elements() const { return 8u << index_stride; }
  [[nodiscard]] bool is_buffer() const { return type == 0; }
};
// From four scalar registers.
inline Descriptor descriptor_at(Wave& wave, u32 first) {
  std::array<u32, 4> words{};
  for (u32 n = 0; n < 4; ++n) words[n] = wave.sgpr(first + n);
  return {abi::decode_buffer_descriptor(words), wave.launch().gfx >= gcn::Generation::Gfx9};
}

}  // namespace amdcompat::emulate
