// Local memory and the global data share: DS. [SIA; CIA; VIA: chapter «Data Share Operations»]
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "atomics.hpp"

namespace amdcompat::emulate {
namespace {

// Accesses of one instruction. M0 is the limit that the hardware clamps to, for local memory up to GFX8; of GDS its low
// half is that, and the high half where the kernel's part begins. [CLRX GcnInstrsDs; VEGA: «LDS Access», M0]
class Share {
 public:
  Share(Wave& wave, const Instruction& i) : Share(wave, i, m0(wave, i)) {
    wave.check_vgpr(i.address, 1, wave.exec());
    addresses_ = &wave.vgpr(i.address);
  }
  // Of plain loads and stores: from GFX9 on they may lie anywhere, as drivers set the hardware and compilers use it.
  // [LLVM: FeatureUnalignedDSAccess of GFX9]
  struct Plain {};
  Share(Wave& wave, const Instruction& i, Plain) : Share(wave, i) {
    aligned_ = i.gds || wave.launch().gfx < gcn::Generation::Gfx9;
  }
  // Without addresses.
  struct Fixed {};
  Share(Wave& wave, const Instruction& i, Fixed) : Share(wave, i, m0(wave, i)) {
    // M0 is no limit for local memory then.
    if (!i.gds) end_ = wave.group().lds.bytes.size();
  }

  template <class T>
  T read(u32 lane, u32 offset) {
    return read_at<T>(effective((*addresses_)[lane], offset));
  }
  template <class T>
  void write(u32 lane, u32 offset, T value) {
    write_at(effective((*addresses_)[lane], offset), value);
  }
  // Where the places of all lanes are, to which `offset` is added; null: not all of them can be reached by all lanes,
  // or each access counts. `defined`: what of them is.
  template <class T>
  [[nodiscard]] u8* all(u32 offset, u8*& defined) const {
    if (wave_.exec() != ~u64{0} || races_ != nullptr || defined_ == nullptr || !has_vector_instructions())
      return nullptr;
    const Reach reach = reach_of(addresses_->data());
    if (!is_aligned<T>(reach.bits | offset) || u64{reach.last} + offset + sizeof(T) > end_) return nullptr;
    defined = defined_ + offset;
    return bytes_ + offset;
  }
  [[nodiscard]] const u32* addresses() const { return addresses_->data(); }
  [[nodiscard]] u32 address(u32 lane) const { return (*addresses_)[lane]; }
  template <class T>
  [[gnu::always_inline]] T read_at(u64 address) {
    T out{};
    if (!holds<T>(address)) [[unlikely]]
      return refuse<T>(address), out;
    const u64 at = base_ + address;
    if (defined_ != nullptr && std::memcmp(defined_ + at, kDefined<T>.data(), sizeof(T)) != 0) [[unlikely]]
      wave_.poison("LDS");
    std::memcpy(&out, bytes_ + at, sizeof(T));
    if (races_ != nullptr) [[unlikely]]
      races_->load(wave_.access_of(at, true), sizeof(T));
    return out;
  }
  template <class T>
  void write_at(u64 address, T value) {
    if (!holds<T>(address)) [[unlikely]]
      return refuse<T>(address);
    const u64 at = base_ + address;
    if (races_ != nullptr) [[unlikely]]
      races_->store(wave_.access_of(at, true), {bytes_ + at, sizeof(T)},
                    std::bit_cast<std::array<u8, sizeof(T)>>(value));
    std::memcpy(bytes_ + at, &value, sizeof(T));
    if (defined_ != nullptr) std::memcpy(defined_ + at, kDefined<T>.data(), sizeof(T));
  }

 private:
  struct Reach {
    u32 bits, last;  // set in any address; the largest one
  };
  AMDCOMPAT_ALL_LANES static Reach reach_of(const u32* addresses) {
    Reach out{};
    for (u32 lane = 0; lane < kLanes; ++lane) {
      out.bits |= addresses[lane];
      out.last = addresses[lane] > out.last ? addresses[lane] : out.last;
    }
    return out;
  }
  static u32 m0(Wave& wave, const Instruction& i) {
    return i.gds || wave.launch().gfx <= gcn::Generation::Gfx8 ? wave.sgpr(kM0) : ~u32{0};
  }
  // GFX6 does not take an address below zero that an offset brings back. [LLVM: AMDGPUDAGToDAGISel::isDSOffsetLegal]
  [[nodiscard]] u64 effective(u32 address, u32 offset) const { return (u64{address} + offset) & wraps_; }
  Share(Wave& wave, const Instruction& i, u32 m0) : wave_(wave) {
    if (!i.gds) {
      OwnMemory& lds = wave.group().lds;
      bytes_ = lds.bytes.data();
      defined_ = lds.defined.data();
      end_ = std::min<u64>(lds.bytes.size(), m0);
      if (wave.context().races) races_ = &*wave.context().races;
      return;
    }
    const std::span<u8> gds = wave.context().gds;
    bytes_ = gds.data();
    base_ = m0 >> 16;
    end_ = gds.size() > base_ ? std::min<u64>(gds.size() - base_, m0 & 0xffff) : 0;
    if (gds.empty()) wave.stop("GDS, of which the launch has none");
  }
  template <class T>
  static constexpr u32 kAlignment = sizeof(T) > 8 ? 16 : std::min<u32>(sizeof(T), 4);
  template <class T>
  static constexpr auto kDefined = [] {
    std::array<u8, sizeof(T)> out{};
    out.fill(1);
    return out;
  }();
  template <class T>
  [[nodiscard]] bool is_aligned(u64 address) const {
    return !aligned_ || address % kAlignment<T> == 0;
  }
  template <class T>
  [[nodiscard]] bool holds(u64 address) const {
    return is_aligned<T>(base_ + address) && address <= end_ && sizeof(T) <= end_ - address;
  }
  template <class T>
  void refuse(u64 address) {
    const u64 at = base_ + address;
    if (!is_aligned<T>(at))
      wave_.stop("LDS access at " + std::to_string(at) + ", which is not aligned");
    else
      wave_.outside_lds(at, sizeof(T));
  }
  Wave& wave_;
  const Lanes* addresses_ = nullptr;
  bool aligned_ = true;  // places must be
  u8* bytes_ = nullptr;
  u8* defined_ = nullptr;  // null: everything is, in GDS
  Races* races_ = nullptr;  // of local memory; null: nobody asks
  u64 base_ = 0;
  u64 end_ = 0;  // of what can be reached, from the base on
  u64 wraps_ = wave_.launch().gfx == gcn::Generation::Gfx6 ? ~u64{0} : ~u32{0};
};

u32 one_offset(const Instruction& i) { return i.offset0 | i.offset1 << 8; }

// A value of all lanes, if they can be read without a finding; else nothing happens.
template <class T, u32 Dwords>
bool read_all(const Share& share, u32 offset, Loaded<Dwords>& out, u32 first) {
  u8* defined = nullptr;
  const u8* const bytes = share.all<T>(offset, defined);
  if (bytes == nullptr) return false;
  const u32* const addresses = share.addresses();
  using Bits = std::make_unsigned_t<T>;
  Bits all = static_cast<Bits>(~Bits{0});
  for (u32 lane = 0; lane < kLanes; ++lane) {
    T value;
    Bits is;
    std::memcpy(&value, bytes + addresses[lane], sizeof(T));
    std::memcpy(&is, defined + addresses[lane], sizeof(T));
    all &= is;
    if constexpr (sizeof(T) == 8)
      out.keep(first, lane, value);
    else
      out.at(first, lane) = extended(value);
  }
  return all == static_cast<Bits>(0x0101'0101'0101'0101);
}
// Stores one of all lanes; false, and nothing happens: that needs a closer look.
template <class T>
bool write_all(const Share& share, u32 offset, const auto& values) {
  u8* defined = nullptr;
  u8* const bytes = share.all<T>(offset, defined);
  if (bytes == nullptr) return false;
  const u32* const addresses = share.addresses();
  constexpr auto kAll = static_cast<std::make_unsigned_t<T>>(0x0101'0101'0101'0101);
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const T value = static_cast<T>(values[lane]);
    std::memcpy(bytes + addresses[lane], &value, sizeof(T));
    std::memcpy(defined + addresses[lane], &kAll, sizeof(T));
  }
  return true;
}

template <class T>
void ds_read(Wave& wave, const Instruction& i) {
  Share share(wave, i, Share::Plain{});
  if (wave.status() == Status::Stopped) return;
  Loaded<sizeof(T) == 8 ? 2 : 1> loaded;
  if (read_all<T>(share, one_offset(i), loaded, 0)) return loaded.write(wave, i.destination);
  each_lane(wave, [&](u32 lane) {
    const T value = share.read<T>(lane, one_offset(i));
    if constexpr (sizeof(T) == 8)
      loaded.keep(0, lane, value);
    else
      loaded.at(0, lane) = extended(value);
  });
  loaded.write(wave, i.destination);
}
// Three and four dwords, which lie on 16 bytes.
template <u32 Dwords>
void ds_read_wide(Wave& wave, const Instruction& i) {
  Share share(wave, i, Share::Plain{});
  if (wave.status() == Status::Stopped) return;
  Loaded<Dwords> loaded;
  each_lane(wave, [&](u32 lane) {
    const auto value = share.read<std::array<u32, Dwords>>(lane, one_offset(i));
    for (u32 n = 0; n < Dwords; ++n) loaded.at(n, lane) = value[n];
  });
  loaded.write(wave, i.destination);
}
template <u32 Dwords>
void ds_write_wide(Wave& wave, const Instruction& i) {
  Share share(wave, i, Share::Plain{});
  wave.check_vgpr(i.data, Dwords, wave.exec());
  if (wave.status() == Status::Stopped) return;
  each_lane(wave, [&](u32 lane) {
    std::array<u32, Dwords> value;
    for (u32 n = 0; n < Dwords; ++n) value[n] = wave.vgpr(i.data + n)[lane];
    share.write(lane, one_offset(i), value);
  });
}
template <class T, u32 Scale>
void ds_read2(Wave& wave, const Instruction& i) {
  Share share(wave, i, Share::Plain{});
  if (wave.status() == Status::Stopped) return;
  constexpr u32 kDwords = sizeof(T) / 4;
  Loaded<2 * kDwords> loaded;
  if (read_all<T>(share, i.offset0 * Scale, loaded, 0) && read_all<T>(share, i.offset1 * Scale, loaded, kDwords))
    return loaded.write(wave, i.destination);
  each_lane(wave, [&](u32 lane) {
    loaded.keep(0, lane, share.read<T>(lane, i.offset0 * Scale));
    loaded.keep(kDwords, lane, share.read<T>(lane, i.offset1 * Scale));
  });
  loaded.write(wave, i.destination);
}
template <class T, bool High>
void ds_read_half(Wave& wave, const Instruction& i) {
  Share lds(wave, i, Share::Plain{});
  if (wave.status() == Status::Stopped) return;
  Loaded<1> loaded;
  each_lane(wave, [&](u32 lane) {
    const u32 half = extended(lds.read<T>(lane, one_offset(i))) & 0xffff, old = wave.vgpr(i.destination)[lane];
    loaded.at(0, lane) = High ? half << 16 | (old & 0xffff) : half | (old & 0xffff'0000);
  });
  loaded.write(wave, i.destination);
}
template <class T>
void ds_write_high(Wave& wave, const Instruction& i) {
  Share lds(wave, i, Share::Plain{});
  wave.check_vgpr(i.data, 1, wave.exec());
  if (wave.status() == Status::Stopped) return;
  each_lane(wave, [&](u32 lane) { lds.write(lane, one_offset(i), static_cast<T>(wave.vgpr(i.data)[lane] >> 16)); });
}
template <class T>
void ds_write(Wave& wave, const Instruction& i) {
  using Value = std::conditional_t<sizeof(T) == 8, u64, u32>;
  Share share(wave, i, Share::Plain{});
  wave.check_vgpr(i.data, sizeof(Value) / 4, wave.exec());
  if (wave.status() == Status::Stopped) return;
  const Values<Value> values(wave, i.data);
  if (write_all<T>(share, one_offset(i), values)) return;
  each_lane(wave, [&](u32 lane) { share.write(lane, one_offset(i), static_cast<T>(values[lane])); });
}
template <class T, u32 Scale>
void ds_write2(Wave& wave, const Instruction& i) {
  Share share(wave, i, Share::Plain{});
  wave.check_vgpr(i.data, sizeof(T) / 4, wave.exec());
  wave.check_vgpr(i.data1, sizeof(T) / 4, wave.exec());
  if (wave.status() == Status::Stopped) return;
  const Values<T> first(wave, i.data), second(wave, i.data1);
  each_lane(wave, [&](u32 lane) {
    share.write(lane, i.offset0 * Scale, first[lane]);
    share.write(lane, i.offset1 * Scale, second[lane]);
  });
}
template <auto F, bool Returns>
void ds_atomic(Wave& wave, const Instruction& i) {
  using A = Atomic<decltype(+F)>;
  using T = typename A::Type;
  Share share(wave, i);
  wave.check_vgpr(i.data, A::kDwords, wave.exec());
  if (A::kOperands == 2) wave.check_vgpr(i.data1, A::kDwords, wave.exec());
  if (wave.status() == Status::Stopped) return;
  Loaded<A::kDwords> old_values;
  each_lane(wave, [&](u32 lane) {
    wave.context().atomic = true;
    const T old = share.read<T>(lane, one_offset(i));
    share.write(lane, one_offset(i), A::template apply<F>(wave, old, i.data, i.data1, lane));
    wave.context().atomic = false;
    old_values.keep(0, lane, old);
  });
  if (Returns) old_values.write(wave, i.destination);
}
// DS compares with its first operand and stores the second.
template <class T>
constexpr auto kDsCompareSwap = [](T old, T expected, T a) -> T { return old == expected ? a : old; };
template <class T>
constexpr auto kMaskedOr = [](T old, T mask, T a) -> T { return (old & ~mask) | a; };
constexpr auto kWrap = [](u32 old, u32 a, u32 b) -> u32 { return old >= a ? old - a : old + b; };
// Each half of 32 bits is stored where its top bit is set, without that bit.
constexpr auto kConditionalSwap = [](u64 old, u64 a) -> u64 {
  const u64 low = (a >> 31 & 1) != 0 ? a & 0x7fff'ffff : old & 0xffff'ffff;
  const u64 high = a >> 63 != 0 ? a << 1 >> 33 : old >> 32;
  return low | high << 32;
};

template <class T, u32 Scale>
void ds_exchange2(Wave& wave, const Instruction& i) {
  Share share(wave, i);
  constexpr u32 kDwords = sizeof(T) / 4;
  wave.check_vgpr(i.data, kDwords, wave.exec());
  wave.check_vgpr(i.data1, kDwords, wave.exec());
  if (wave.status() == Status::Stopped) return;
  Loaded<2 * kDwords> old_values;
  wave.context().atomic = true;
  each_lane(wave, [&](u32 lane) {
    old_values.keep(0, lane, share.read<T>(lane, i.offset0 * Scale));
    old_values.keep(kDwords, lane, share.read<T>(lane, i.offset1 * Scale));
    share.write(lane, i.offset0 * Scale, lane_value<T>(wave, i.data, lane));
    share.write(lane, i.offset1 * Scale, lane_value<T>(wave, i.data1, lane));
  });
  wave.context().atomic = false;
  old_values.write(wave, i.destination);
}

// Both operands in memory: what is at A with what is some dwords behind it. [SIA; CIA; VIA: DS_ADD_SRC2_U32]
template <auto F>
void ds_source2(Wave& wave, const Instruction& i) {
  using T = typename Atomic<decltype(+F)>::Type;
  Share share(wave, i);
  if (wave.status() == Status::Stopped) return;
  const u32 offset = one_offset(i);
  const bool own = (offset & 0x8000) == 0;  // the distance is the instruction's, else the address has it too
  each_lane(wave, [&](u32 lane) {
    const u32 address = share.address(lane), a = own ? address : address & 0x1ffff;
    const i32 distance = own ? static_cast<i32>(offset << 17) >> 17 : static_cast<i32>(address) >> 17;
    const u64 b = static_cast<u64>(i64{a} + i64{distance} * 4);
    if ((a | b) % sizeof(T) != 0) return wave.stop("LDS access of two places, which are not aligned");
    const T old = share.read_at<T>(a), other = share.read_at<T>(b);
    share.write_at(a, F(old, other));
  });
}

// A counter: every lane gets the old value. [VEGA: «DS_APPEND», «DS_CONSUME»] In local memory M0 holds the address,
// as LLVM's compiler has it; [CLRX] leaves M0 out: not verified.
template <bool Appends>
void ds_count(Wave& wave, const Instruction& i) {
  Share share(wave, i, Share::Fixed{});
  if (wave.status() == Status::Stopped) return;
  const u64 address = u64{one_offset(i)} + (i.gds ? 0 : wave.sgpr(kM0) & 0xffff);
  wave.name_first_lane();
  wave.context().atomic = true;
  const u32 old = share.read_at<u32>(address), lanes = static_cast<u32>(std::popcount(wave.exec()));
  share.write_at(address, Appends ? old + lanes : old - lanes);
  wave.context().atomic = false;
  Loaded<1> result;
  each_lane(wave, [&](u32 lane) { result.at(0, lane) = old; });
  result.write(wave, i.destination);
}

// --- between lanes -------------------------------------------------------------------------------------------------

// Each lane gets what the lane has that `from` names, or zero where that one is disabled.
template <class From>
void take(Wave& wave, const Instruction& i, u32 data, From&& from) {
  if (i.gds) return wave.stop("GDS between lanes");
  const Lanes& values = wave.vgpr(data);
  const u64 exec = wave.exec();
  u64 used = 0;
  Loaded<1> result;
  each_lane(wave, [&](u32 lane) {
    const u32 other = from(lane);
    if ((exec >> other & 1) == 0) return;
    used |= u64{1} << other;
    result.at(0, lane) = values[other];
  });
  wave.check_vgpr(data, 1, used);
  result.write(wave, i.destination);
}
// [CIA; VIA: «DS_SWIZZLE_B32»] Other bits name further ways from GFX9 on.
void swizzle(Wave& wave, const Instruction& i) {
  constexpr u32 kQuads = 0x8000;
  const u32 offset = one_offset(i);
  if ((offset & kQuads) != 0 && (offset & ~0x80ffu) != 0) return wave.stop("a swizzle of an unknown kind");
  take(wave, i, i.address, [&](u32 lane) {
    if ((offset & kQuads) != 0) return (lane & ~3u) | (offset >> 2 * (lane & 3) & 3);
    return (lane & 32) | (((lane & offset & 31) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
  });
}
u32 lane_of(const Instruction& i, const Lanes& addresses, u32 lane) {
  return (addresses[lane] + one_offset(i)) / 4 % kLanes;
}
void backward_permute(Wave& wave, const Instruction& i) {
  wave.check_vgpr(i.address, 1, wave.exec());
  const Lanes& addresses = wave.vgpr(i.address);
  take(wave, i, i.data, [&](u32 lane) { return lane_of(i, addresses, lane); });
}
// The highest lane wins where several write to one.
void forward_permute(Wave& wave, const Instruction& i) {
  wave.check_vgpr(i.address, 1, wave.exec());
  wave.check_vgpr(i.data, 1, wave.exec());
  const Lanes &addresses = wave.vgpr(i.address), &values = wave.vgpr(i.data);
  Loaded<1> result;
  each_lane(wave, [&](u32 lane) { result.at(0, lane_of(i, addresses, lane)) = values[lane]; });
  result.write(wave, i.destination);
}

constexpr Semantics ds_stores(Execute execute, u32 dwords, u32 dwords1 = 0) {
  return {.execute = execute, .sources = {dwords_shape(dwords), dwords_shape(dwords1)}};
}
template <auto F, bool Returns>
constexpr Semantics ds_atomics() {
  using A = Atomic<decltype(+F)>;
  return {.execute = &ds_atomic<F, Returns>,
          .destination = dwords_shape(Returns ? A::kDwords : 0),
          .sources = {dwords_shape(A::kDwords), dwords_shape(A::kOperands == 2 ? A::kDwords : 0)}};
}

template <Execute F, u32 Dwords>
inline constexpr Semantics ds_exchange{
    .execute = F, .destination = dwords_shape(2 * Dwords), .sources = {dwords_shape(Dwords), dwords_shape(Dwords)}};
constexpr Semantics permutes(Execute execute) {
  return {.execute = execute, .destination = Shape::B32, .sources = {Shape::B32}};
}
template <auto F>
inline constexpr Semantics source2{.execute = &ds_source2<F>};

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kLdsRows[] = {
    {Opcode::ds_add_u32, ds_atomics<kAdd<u32>, false>()},
    {Opcode::ds_sub_u32, ds_atomics<kSub<u32>, false>()},
    {Opcode::ds_rsub_u32, ds_atomics<kReverseSub<u32>, false>()},
    {Opcode::ds_inc_u32, ds_atomics<kInc<u32>, false>()},
    {Opcode::ds_dec_u32, ds_atomics<kDec<u32>, false>()},
    {Opcode::ds_min_i32, ds_atomics<kMin<i32>, false>()},
    {Opcode::ds_max_i32, ds_atomics<kMax<i32>, false>()},
    {Opcode::ds_min_u32, ds_atomics<kMin<u32>, false>()},
    {Opcode::ds_max_u32, ds_atomics<kMax<u32>, false>()},
    {Opcode::ds_and_b32, ds_atomics<kAnd<u32>, false>()},
    {Opcode::ds_or_b32, ds_atomics<kOr<u32>, false>()},
    {Opcode::ds_xor_b32, ds_atomics<kXor<u32>, false>()},
    {Opcode::ds_cmpst_b32, ds_atomics<kDsCompareSwap<u32>, false>()},
    {Opcode::ds_add_rtn_u32, ds_atomics<kAdd<u32>, true>()},
    {Opcode::ds_sub_rtn_u32, ds_atomics<kSub<u32>, true>()},
    {Opcode::ds_rsub_rtn_u32, ds_atomics<kReverseSub<u32>, true>()},
    {Opcode::ds_inc_rtn_u32, ds_atomics<kInc<u32>, true>()},
    {Opcode::ds_dec_rtn_u32, ds_atomics<kDec<u32>, true>()},
    {Opcode::ds_min_rtn_i32, ds_atomics<kMin<i32>, true>()},
    {Opcode::ds_max_rtn_i32, ds_atomics<kMax<i32>, true>()},
    {Opcode::ds_min_rtn_u32, ds_atomics<kMin<u32>, true>()},
    {Opcode::ds_max_rtn_u32, ds_atomics<kMax<u32>, true>()},
    {Opcode::ds_and_rtn_b32, ds_atomics<kAnd<u32>, true>()},
    {Opcode::ds_or_rtn_b32, ds_atomics<kOr<u32>, true>()},
    {Opcode::ds_xor_rtn_b32, ds_atomics<kXor<u32>, true>()},
    {Opcode::ds_wrxchg_rtn_b32, ds_atomics<kSwap<u32>, true>()},
    {Opcode::ds_cmpst_rtn_b32, ds_atomics<kDsCompareSwap<u32>, true>()},
    {Opcode::ds_write_b32, ds_stores(&ds_write<u32>, 1)},
    {Opcode::ds_write2_b32, ds_stores(&ds_write2<u32, 4>, 1, 1)},
    {Opcode::ds_write2st64_b32, ds_stores(&ds_write2<u32, 256>, 1, 1)},
    {Opcode::ds_read_b32, loads(&ds_read<u32>, 1)},
    {Opcode::ds_read2_b32, loads(&ds_read2<u32, 4>, 2)},
    {Opcode::ds_read2st64_b32, loads(&ds_read2<u32, 256>, 2)},
    {Opcode::ds_read_u8_d16, loads_half(&ds_read_half<u8, false>)},
    {Opcode::ds_read_u8_d16_hi, loads_half(&ds_read_half<u8, true>)},
    {Opcode::ds_read_i8_d16, loads_half(&ds_read_half<i8, false>)},
    {Opcode::ds_read_i8_d16_hi, loads_half(&ds_read_half<i8, true>)},
    {Opcode::ds_read_u16_d16, loads_half(&ds_read_half<u16, false>)},
    {Opcode::ds_read_u16_d16_hi, loads_half(&ds_read_half<u16, true>)},
    {Opcode::ds_write_b8_d16_hi, ds_stores(&ds_write_high<u8>, 1)},
    {Opcode::ds_write_b16_d16_hi, ds_stores(&ds_write_high<u16>, 1)},
    {Opcode::ds_add_u64, ds_atomics<kAdd<u64>, false>()},
    {Opcode::ds_sub_u64, ds_atomics<kSub<u64>, false>()},
    {Opcode::ds_rsub_u64, ds_atomics<kReverseSub<u64>, false>()},
    {Opcode::ds_inc_u64, ds_atomics<kInc<u64>, false>()},
    {Opcode::ds_dec_u64, ds_atomics<kDec<u64>, false>()},
    {Opcode::ds_min_i64, ds_atomics<kMin<i64>, false>()},
    {Opcode::ds_max_i64, ds_atomics<kMax<i64>, false>()},
    {Opcode::ds_min_u64, ds_atomics<kMin<u64>, false>()},
    {Opcode::ds_max_u64, ds_atomics<kMax<u64>, false>()},
    {Opcode::ds_and_b64, ds_atomics<kAnd<u64>, false>()},
    {Opcode::ds_or_b64, ds_atomics<kOr<u64>, false>()},
    {Opcode::ds_xor_b64, ds_atomics<kXor<u64>, false>()},
    {Opcode::ds_cmpst_b64, ds_atomics<kDsCompareSwap<u64>, false>()},
    {Opcode::ds_add_rtn_u64, ds_atomics<kAdd<u64>, true>()},
    {Opcode::ds_sub_rtn_u64, ds_atomics<kSub<u64>, true>()},
    {Opcode::ds_rsub_rtn_u64, ds_atomics<kReverseSub<u64>, true>()},
    {Opcode::ds_inc_rtn_u64, ds_atomics<kInc<u64>, true>()},
    {Opcode::ds_dec_rtn_u64, ds_atomics<kDec<u64>, true>()},
    {Opcode::ds_min_rtn_i64, ds_atomics<kMin<i64>, true>()},
    {Opcode::ds_max_rtn_i64, ds_atomics<kMax<i64>, true>()},
    {Opcode::ds_min_rtn_u64, ds_atomics<kMin<u64>, true>()},
    {Opcode::ds_max_rtn_u64, ds_atomics<kMax<u64>, true>()},
    {Opcode::ds_and_rtn_b64, ds_atomics<kAnd<u64>, true>()},
    {Opcode::ds_or_rtn_b64, ds_atomics<kOr<u64>, true>()},
    {Opcode::ds_xor_rtn_b64, ds_atomics<kXor<u64>, true>()},
    {Opcode::ds_wrxchg_rtn_b64, ds_atomics<kSwap<u64>, true>()},
    {Opcode::ds_cmpst_rtn_b64, ds_atomics<kDsCompareSwap<u64>, true>()},
    {Opcode::ds_write_b64, ds_stores(&ds_write<u64>, 2)},
    {Opcode::ds_write2_b64, ds_stores(&ds_write2<u64, 8>, 2, 2)},
    {Opcode::ds_write2st64_b64, ds_stores(&ds_write2<u64, 512>, 2, 2)},
    {Opcode::ds_read_b64, loads(&ds_read<u64>, 2)},
    {Opcode::ds_read2_b64, loads(&ds_read2<u64, 8>, 4)},
    {Opcode::ds_read2st64_b64, loads(&ds_read2<u64, 512>, 4)},
    {Opcode::ds_write_b96, ds_stores(&ds_write_wide<3>, 3)},
    {Opcode::ds_write_b128, ds_stores(&ds_write_wide<4>, 4)},
    {Opcode::ds_read_b96, loads(&ds_read_wide<3>, 3)},
    {Opcode::ds_read_b128, loads(&ds_read_wide<4>, 4)},
    {Opcode::ds_write_b8, ds_stores(&ds_write<u8>, 1)},
    {Opcode::ds_write_b16, ds_stores(&ds_write<u16>, 1)},
    {Opcode::ds_read_i8, loads(&ds_read<i8>, 1)},
    {Opcode::ds_read_u8, loads(&ds_read<u8>, 1)},
    {Opcode::ds_read_i16, loads(&ds_read<i16>, 1)},
    {Opcode::ds_read_u16, loads(&ds_read<u16>, 1)},
    {Opcode::ds_mskor_b32, ds_atomics<kMaskedOr<u32>, false>()},
    {Opcode::ds_mskor_rtn_b32, ds_atomics<kMaskedOr<u32>, true>()},
    {Opcode::ds_mskor_b64, ds_atomics<kMaskedOr<u64>, false>()},
    {Opcode::ds_mskor_rtn_b64, ds_atomics<kMaskedOr<u64>, true>()},
    {Opcode::ds_wrxchg2_rtn_b32, ds_exchange<&ds_exchange2<u32, 4>, 1>},
    {Opcode::ds_wrxchg2st64_rtn_b32, ds_exchange<&ds_exchange2<u32, 256>, 1>},
    {Opcode::ds_wrxchg2_rtn_b64, ds_exchange<&ds_exchange2<u64, 8>, 2>},
    {Opcode::ds_wrxchg2st64_rtn_b64, ds_exchange<&ds_exchange2<u64, 512>, 2>},
    {Opcode::ds_wrap_rtn_b32, ds_atomics<kWrap, true>()},
    {Opcode::ds_condxchg32_rtn_b64, ds_atomics<kConditionalSwap, true>()},
    {Opcode::ds_add_f32, ds_atomics<kAdd<float>, false>()},
    {Opcode::ds_add_rtn_f32, ds_atomics<kAdd<float>, true>()},
    {Opcode::ds_add_src2_f32, source2<kAdd<float>>},
    {Opcode::ds_cmpst_f32, ds_atomics<kDsCompareSwap<float>, false>()},
    {Opcode::ds_min_f32, ds_atomics<kMin<float>, false>()},
    {Opcode::ds_max_f32, ds_atomics<kMax<float>, false>()},
    {Opcode::ds_cmpst_rtn_f32, ds_atomics<kDsCompareSwap<float>, true>()},
    {Opcode::ds_min_rtn_f32, ds_atomics<kMin<float>, true>()},
    {Opcode::ds_max_rtn_f32, ds_atomics<kMax<float>, true>()},
    {Opcode::ds_cmpst_f64, ds_atomics<kDsCompareSwap<double>, false>()},
    {Opcode::ds_min_f64, ds_atomics<kMin<double>, false>()},
    {Opcode::ds_max_f64, ds_atomics<kMax<double>, false>()},
    {Opcode::ds_cmpst_rtn_f64, ds_atomics<kDsCompareSwap<double>, true>()},
    {Opcode::ds_min_rtn_f64, ds_atomics<kMin<double>, true>()},
    {Opcode::ds_max_rtn_f64, ds_atomics<kMax<double>, true>()},
    {Opcode::ds_add_src2_u32, source2<kAdd<u32>>},
    {Opcode::ds_sub_src2_u32, source2<kSub<u32>>},
    {Opcode::ds_rsub_src2_u32, source2<kReverseSub<u32>>},
    {Opcode::ds_inc_src2_u32, source2<kInc<u32>>},
    {Opcode::ds_dec_src2_u32, source2<kDec<u32>>},
    {Opcode::ds_min_src2_i32, source2<kMin<i32>>},
    {Opcode::ds_max_src2_i32, source2<kMax<i32>>},
    {Opcode::ds_min_src2_u32, source2<kMin<u32>>},
    {Opcode::ds_max_src2_u32, source2<kMax<u32>>},
    {Opcode::ds_and_src2_b32, source2<kAnd<u32>>},
    {Opcode::ds_or_src2_b32, source2<kOr<u32>>},
    {Opcode::ds_xor_src2_b32, source2<kXor<u32>>},
    {Opcode::ds_write_src2_b32, source2<kSwap<u32>>},
    {Opcode::ds_min_src2_f32, source2<kMin<float>>},
    {Opcode::ds_max_src2_f32, source2<kMax<float>>},
    {Opcode::ds_add_src2_u64, source2<kAdd<u64>>},
    {Opcode::ds_sub_src2_u64, source2<kSub<u64>>},
    {Opcode::ds_rsub_src2_u64, source2<kReverseSub<u64>>},
    {Opcode::ds_inc_src2_u64, source2<kInc<u64>>},
    {Opcode::ds_dec_src2_u64, source2<kDec<u64>>},
    {Opcode::ds_min_src2_i64, source2<kMin<i64>>},
    {Opcode::ds_max_src2_i64, source2<kMax<i64>>},
    {Opcode::ds_min_src2_u64, source2<kMin<u64>>},
    {Opcode::ds_max_src2_u64, source2<kMax<u64>>},
    {Opcode::ds_and_src2_b64, source2<kAnd<u64>>},
    {Opcode::ds_or_src2_b64, source2<kOr<u64>>},
    {Opcode::ds_xor_src2_b64, source2<kXor<u64>>},
    {Opcode::ds_write_src2_b64, source2<kSwap<u64>>},
    {Opcode::ds_min_src2_f64, source2<kMin<double>>},
    {Opcode::ds_max_src2_f64, source2<kMax<double>>},
    {Opcode::ds_nop, kNoAccess},
    {Opcode::ds_append, loads(&ds_count<true>, 1)},
    {Opcode::ds_consume, loads(&ds_count<false>, 1)},
    {Opcode::ds_swizzle_b32, loads(&swizzle, 1)},
    {Opcode::ds_permute_b32, permutes(&forward_permute)},
    {Opcode::ds_bpermute_b32, permutes(&backward_permute)},
};
// clang-format on
static_assert(first_missing(Room::Lds, kLdsRows) == Opcode::none);

}  // namespace

std::span<const Row> lds_rows() { return kLdsRows; }

}  // namespace amdcompat::emulate
