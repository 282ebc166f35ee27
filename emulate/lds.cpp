// Local memory: DS. [SIA; CIA; VIA: chapter «Data Share Operations»]
#include <algorithm>
#include <array>
#include <cstring>

#include "atomics.hpp"

namespace amdcompat::emulate {
namespace {

// Accesses of one instruction. Up to GFX8, M0 is the limit that the hardware clamps to. [VEGA: «LDS Access», M0]
class Lds {
 public:
  Lds(Wave& wave, const Instruction& i) : wave_(wave), i_(i), limit_(wave.launch().gfx <= gcn::Generation::Gfx8 ? wave.sgpr(kM0) : ~u32{0}) {
    if (i.gds) wave.stop("GDS");
    wave.check_vgpr(i.address, 1, wave.exec());
  }
  template <class T>
  T read(u32 lane, u32 offset) {
    const std::optional<u32> at = place<T>(lane, offset);
    if (!at) return T{};
    const OwnMemory& lds = wave_.group().lds;
    if (std::memchr(lds.defined.data() + *at, 0, sizeof(T)) != nullptr) wave_.poison("LDS");
    T out;
    std::memcpy(&out, lds.bytes.data() + *at, sizeof(T));
    return out;
  }
  template <class T>
  void write(u32 lane, u32 offset, T value) {
    const std::optional<u32> at = place<T>(lane, offset);
    if (!at) return;
    OwnMemory& lds = wave_.group().lds;
    std::memcpy(lds.bytes.data() + *at, &value, sizeof(T));
    std::memset(lds.defined.data() + *at, 1, sizeof(T));
  }

 private:
  template <class T>
  std::optional<u32> place(u32 lane, u32 offset) {
    u64 at = u64{wave_.vgpr(i_.address)[lane]} + offset;
    // GFX6 does not take an address below zero that an offset brings back. [LLVM: AMDGPUDAGToDAGISel::isDSOffsetLegal]
    if (wave_.launch().gfx != gcn::Generation::Gfx6) at = low_half(at);
    constexpr u32 kAlignment = sizeof(T) > 8 ? 16 : std::min<u32>(sizeof(T), 4);
    if (at % kAlignment != 0) {
      wave_.stop("LDS access at " + std::to_string(at) + ", which is not aligned");
      return std::nullopt;
    }
    if (at + sizeof(T) > wave_.group().lds.bytes.size() || at + sizeof(T) > limit_) {
      wave_.outside_lds(at, sizeof(T));
      return std::nullopt;
    }
    return static_cast<u32>(at);
  }
  Wave& wave_;
  const Instruction& i_;
  u32 limit_;
};

u32 one_offset(const Instruction& i) { return i.offset0 | i.offset1 << 8; }

template <class T>
void ds_read(Wave& wave, const Instruction& i) {
  Lds lds(wave, i);
  if (wave.status() == Status::Stopped) return;
  Loaded<sizeof(T) == 8 ? 2 : 1> loaded;
  each_lane(wave, [&](u32 lane) {
    const T value = lds.read<T>(lane, one_offset(i));
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
  Lds lds(wave, i);
  if (wave.status() == Status::Stopped) return;
  Loaded<Dwords> loaded;
  each_lane(wave, [&](u32 lane) {
    const auto value = lds.read<std::array<u32, Dwords>>(lane, one_offset(i));
    for (u32 n = 0; n < Dwords; ++n) loaded.at(n, lane) = value[n];
  });
  loaded.write(wave, i.destination);
}
template <u32 Dwords>
void ds_write_wide(Wave& wave, const Instruction& i) {
  Lds lds(wave, i);
  wave.check_vgpr(i.data, Dwords, wave.exec());
  if (wave.status() == Status::Stopped) return;
  each_lane(wave, [&](u32 lane) {
    std::array<u32, Dwords> value;
    for (u32 n = 0; n < Dwords; ++n) value[n] = wave.vgpr(i.data + n)[lane];
    lds.write(lane, one_offset(i), value);
  });
}
template <class T, u32 Scale>
void ds_read2(Wave& wave, const Instruction& i) {
  Lds lds(wave, i);
  if (wave.status() == Status::Stopped) return;
  constexpr u32 kDwords = sizeof(T) / 4;
  Loaded<2 * kDwords> loaded;
  each_lane(wave, [&](u32 lane) {
    loaded.keep(0, lane, lds.read<T>(lane, i.offset0 * Scale));
    loaded.keep(kDwords, lane, lds.read<T>(lane, i.offset1 * Scale));
  });
  loaded.write(wave, i.destination);
}
template <class T, bool High>
void ds_read_half(Wave& wave, const Instruction& i) {
  Lds lds(wave, i);
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
  Lds lds(wave, i);
  wave.check_vgpr(i.data, 1, wave.exec());
  if (wave.status() == Status::Stopped) return;
  each_lane(wave, [&](u32 lane) { lds.write(lane, one_offset(i), static_cast<T>(wave.vgpr(i.data)[lane] >> 16)); });
}
template <class T>
void ds_write(Wave& wave, const Instruction& i) {
  using Value = std::conditional_t<sizeof(T) == 8, u64, u32>;
  Lds lds(wave, i);
  wave.check_vgpr(i.data, sizeof(Value) / 4, wave.exec());
  if (wave.status() == Status::Stopped) return;
  each_lane(wave,
            [&](u32 lane) { lds.write(lane, one_offset(i), static_cast<T>(lane_value<Value>(wave, i.data, lane))); });
}
template <class T, u32 Scale>
void ds_write2(Wave& wave, const Instruction& i) {
  Lds lds(wave, i);
  wave.check_vgpr(i.data, sizeof(T) / 4, wave.exec());
  wave.check_vgpr(i.data1, sizeof(T) / 4, wave.exec());
  if (wave.status() == Status::Stopped) return;
  each_lane(wave, [&](u32 lane) {
    lds.write(lane, i.offset0 * Scale, lane_value<T>(wave, i.data, lane));
    lds.write(lane, i.offset1 * Scale, lane_value<T>(wave, i.data1, lane));
  });
}
template <auto F, bool Returns>
void ds_atomic(Wave& wave, const Instruction& i) {
  using A = Atomic<decltype(+F)>;
  using T = typename A::Type;
  Lds lds(wave, i);
  wave.check_vgpr(i.data, A::kDwords, wave.exec());
  if (A::kOperands == 2) wave.check_vgpr(i.data1, A::kDwords, wave.exec());
  if (wave.status() == Status::Stopped) return;
  Loaded<A::kDwords> old_values;
  each_lane(wave, [&](u32 lane) {
    const T old = lds.read<T>(lane, one_offset(i));
    lds.write(lane, one_offset(i), A::template apply<F>(wave, old, i.data, i.data1, lane));
    old_values.keep(0, lane, old);
  });
  if (Returns) old_values.write(wave, i.destination);
}
// DS compares with its first operand and stores the second.
template <class T>
constexpr auto kDsCompareSwap = [](T old, T expected, T a) -> T { return old == expected ? a : old; };

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

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kRows[] = {
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
};
// clang-format on
static_assert(first_missing(Room::Lds, kRows) == Opcode::none);

}  // namespace

std::span<const Row> lds_rows() { return kRows; }

}  // namespace amdcompat::emulate
