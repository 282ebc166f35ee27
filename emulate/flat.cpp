// Memory by addresses in vector registers: FLAT, and GLOBAL and SCRATCH of GFX9. [CIA; VIA; VEGA: instruction chapter,
// FLAT]
//
// Addresses of the local and the scratch aperture are such memory, by offset. FLAT_SCRATCH says where the scratch
// memory of the wavefront is: its size for a work-item in the low register, its offset in units of 256 bytes in the
// high one. GFX9 has the address there. [S2 «Flat scratch», whose name of the register for the offset is that of the
// size; LU «Flat Scratch»]
#include "atomics.hpp"

namespace amdcompat::emulate {
namespace {

// Where in memory the lane has `offset` of its scratch memory, as FLAT_SCRATCH says; empty: it has no such byte.
std::optional<u64> scratch_place(Wave& wave, u32 lane, u32 offset) {
  const Launch& launch = wave.launch();
  const u32 low = gcn::flat_scratch(launch.gfx);
  const u64 place = u64{offset / kScratchElement * kLanes + lane} * kScratchElement + offset % kScratchElement;
  if (launch.gfx >= gcn::Generation::Gfx9)
    return offset < launch.scratch_bytes ? std::optional(wave.sgpr64(low) + place) : std::nullopt;
  const u32 size = wave.sgpr(low), begin = wave.sgpr(low + 1);
  return offset < size ? std::optional(kScratchAddress + u64{begin} * 256 + place) : std::nullopt;
}

// Addresses of one instruction, lane by lane. FLAT reaches everything; SCRATCH the lane's own scratch memory alone, by
// offset.
class Addresses {
 public:
  Addresses(Wave& wave, const Instruction& i)
      : wave_(wave), i_(i),
        scalar_(i.format != Format::Flat && i.resource != gcn::no_scalar_address(wave.launch().gfx)),
        // Up to GFX8 there is no offset. [VEGA: «FLAT Microcode Formats», SADDR, OFFSET]
        base_(static_cast<u64>(i64{i.immediate})) {
    if (i.tfe) wave.stop("FLAT access with TFE");
    if (i.lds) wave.stop("a load into LDS");
    if (scalar_) base_ += i.format == Format::Global ? wave.sgpr64(i.resource) : wave.sgpr(i.resource);
    const u32 dwords = i.format == Format::Scratch ? u32{!scalar_} : scalar_ ? 1 : 2;
    wave.check_vgpr(i.address, dwords, wave.exec());
  }
  // `skip` bytes behind the lane's own address.
  [[nodiscard]] u64 at(u32 lane, u32 skip = 0) const {
    if (i_.format == Format::Scratch) {
      const u32 offset = low_half(base_) + skip + (scalar_ ? 0 : wave_.vgpr(i_.address)[lane]);
      return scratch_place(wave_, lane, offset).value_or(offset);  // which is outside of all memory
    }
    const u64 lane_part = scalar_ ? wave_.vgpr(i_.address)[lane] : lane_value<u64>(wave_, i_.address, lane);
    const u64 address = base_ + lane_part + skip;
    if (i_.format == Format::Global || high_half(address) != wave_.launch().scratch_aperture ||
        wave_.launch().scratch_bytes == 0)
      return address;
    return scratch_place(wave_, lane, low_half(address)).value_or(address);
  }
  // The same for all enabled lanes.
  void at_all(const Wave& wave, Places& out, u32 skip) const {
    const bool anywhere = wave.launch().scratch_bytes == 0 || i_.format == Format::Global;
    if (i_.format == Format::Scratch || !anywhere || !has_vector_instructions())
      return each_lane(wave, [&](u32 lane) { out.at[lane] = at(lane, skip); });
    const u32* const low = wave_.vgpr(i_.address).data();
    scalar_ ? add_offsets(out.at, low, base_ + skip)
            : add_all(out.at, low, wave_.vgpr(i_.address + 1u).data(), base_ + skip);
  }

 private:
  AMDCOMPAT_ALL_LANES static void add_all(std::array<u64, kLanes>& __restrict out, const u32* __restrict low,
                                          const u32* __restrict high, u64 base) {
    for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = base + joined(low[lane], high[lane]);
  }
  AMDCOMPAT_ALL_LANES static void add_offsets(std::array<u64, kLanes>& __restrict out, const u32* __restrict offsets,
                                              u64 base) {
    for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = base + offsets[lane];
  }
  Wave& wave_;
  const Instruction& i_;
  bool scalar_;
  u64 base_;
};

template <u32 Dwords>
std::array<Places, Dwords> places_of(const Wave& wave, const Addresses& addresses) {
  std::array<Places, Dwords> out;
  for (u32 n = 0; n < Dwords; ++n) addresses.at_all(wave, out[n], 4 * n);
  return out;
}
template <class T, u32 Dwords>
void flat_load(Wave& wave, const Instruction& i) {
  const Addresses addresses(wave, i);
  if (wave.status() == Status::Stopped) return;
  load_places<T>(wave, places_of<Dwords>(wave, addresses), i.destination);
}
template <class T, u32 Dwords>
void flat_store(Wave& wave, const Instruction& i) {
  const Addresses addresses(wave, i);
  if (wave.status() == Status::Stopped) return;
  u64 elsewhere = wave.exec();  // lanes whose poison counts
  if (wave.launch().scratch_bytes != 0)
    each_lane(wave, [&](u32 lane) {
      if (wave.is_scratch(addresses.at(lane))) elsewhere &= ~(u64{1} << lane);
    });
  wave.check_vgpr(i.data, Dwords, elsewhere);
  if (wave.status() == Status::Stopped) return;
  store_places<T>(wave, places_of<Dwords>(wave, addresses), i.data);
}
template <class T, bool High>
void flat_load_half(Wave& wave, const Instruction& i) {
  const Addresses addresses(wave, i);
  load_half<T, High>(wave, i.destination, [&](u32 lane) { return std::optional(addresses.at(lane)); });
}
template <class T>
void flat_store_high(Wave& wave, const Instruction& i) {
  const Addresses addresses(wave, i);
  store_high<T>(wave, i.data, [&](u32 lane) { return std::optional(addresses.at(lane)); });
}
template <auto F>
void flat_atomic(Wave& wave, const Instruction& i) {
  const Addresses addresses(wave, i);
  if (wave.status() == Status::Stopped) return;
  atomic<F>(wave, i, i.destination, [&](u32 lane) { return std::optional(addresses.at(lane)); });
}

template <auto F>
inline constexpr Semantics flat_rmw = atomics<F>(&flat_atomic<F>);

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kFlatRows[] = {
    {Opcode::flat_load_ubyte, loads(&flat_load<u8, 1>, 1)},
    {Opcode::flat_load_sbyte, loads(&flat_load<i8, 1>, 1)},
    {Opcode::flat_load_ushort, loads(&flat_load<u16, 1>, 1)},
    {Opcode::flat_load_sshort, loads(&flat_load<i16, 1>, 1)},
    {Opcode::flat_load_dword, loads(&flat_load<u32, 1>, 1)},
    {Opcode::flat_load_dwordx2, loads(&flat_load<u32, 2>, 2)},
    {Opcode::flat_load_dwordx4, loads(&flat_load<u32, 4>, 4)},
    {Opcode::flat_load_dwordx3, loads(&flat_load<u32, 3>, 3)},
    {Opcode::flat_store_byte, stores(&flat_store<u8, 1>, 1)},
    {Opcode::flat_store_short, stores(&flat_store<u16, 1>, 1)},
    {Opcode::flat_store_dword, stores(&flat_store<u32, 1>, 1)},
    {Opcode::flat_store_dwordx2, stores(&flat_store<u32, 2>, 2)},
    {Opcode::flat_store_dwordx4, stores(&flat_store<u32, 4>, 4)},
    {Opcode::flat_store_dwordx3, stores(&flat_store<u32, 3>, 3)},
    {Opcode::flat_atomic_swap, flat_rmw<kSwap<u32>>},
    {Opcode::flat_atomic_cmpswap, flat_rmw<kCompareSwap<u32>>},
    {Opcode::flat_atomic_add, flat_rmw<kAdd<u32>>},
    {Opcode::flat_atomic_sub, flat_rmw<kSub<u32>>},
    {Opcode::flat_atomic_smin, flat_rmw<kMin<i32>>},
    {Opcode::flat_atomic_umin, flat_rmw<kMin<u32>>},
    {Opcode::flat_atomic_smax, flat_rmw<kMax<i32>>},
    {Opcode::flat_atomic_umax, flat_rmw<kMax<u32>>},
    {Opcode::flat_atomic_and, flat_rmw<kAnd<u32>>},
    {Opcode::flat_atomic_or, flat_rmw<kOr<u32>>},
    {Opcode::flat_atomic_xor, flat_rmw<kXor<u32>>},
    {Opcode::flat_atomic_inc, flat_rmw<kInc<u32>>},
    {Opcode::flat_atomic_dec, flat_rmw<kDec<u32>>},
    {Opcode::flat_atomic_swap_x2, flat_rmw<kSwap<u64>>},
    {Opcode::flat_atomic_cmpswap_x2, flat_rmw<kCompareSwap<u64>>},
    {Opcode::flat_atomic_add_x2, flat_rmw<kAdd<u64>>},
    {Opcode::flat_atomic_sub_x2, flat_rmw<kSub<u64>>},
    {Opcode::flat_atomic_smin_x2, flat_rmw<kMin<i64>>},
    {Opcode::flat_atomic_umin_x2, flat_rmw<kMin<u64>>},
    {Opcode::flat_atomic_smax_x2, flat_rmw<kMax<i64>>},
    {Opcode::flat_atomic_umax_x2, flat_rmw<kMax<u64>>},
    {Opcode::flat_atomic_and_x2, flat_rmw<kAnd<u64>>},
    {Opcode::flat_atomic_or_x2, flat_rmw<kOr<u64>>},
    {Opcode::flat_atomic_xor_x2, flat_rmw<kXor<u64>>},
    {Opcode::flat_atomic_inc_x2, flat_rmw<kInc<u64>>},
    {Opcode::flat_atomic_dec_x2, flat_rmw<kDec<u64>>},
    {Opcode::global_load_ubyte, loads(&flat_load<u8, 1>, 1)},
    {Opcode::global_load_sbyte, loads(&flat_load<i8, 1>, 1)},
    {Opcode::global_load_ushort, loads(&flat_load<u16, 1>, 1)},
    {Opcode::global_load_sshort, loads(&flat_load<i16, 1>, 1)},
    {Opcode::global_load_dword, loads(&flat_load<u32, 1>, 1)},
    {Opcode::global_load_dwordx2, loads(&flat_load<u32, 2>, 2)},
    {Opcode::global_load_dwordx4, loads(&flat_load<u32, 4>, 4)},
    {Opcode::global_load_dwordx3, loads(&flat_load<u32, 3>, 3)},
    {Opcode::global_store_byte, stores(&flat_store<u8, 1>, 1)},
    {Opcode::global_store_short, stores(&flat_store<u16, 1>, 1)},
    {Opcode::global_store_dword, stores(&flat_store<u32, 1>, 1)},
    {Opcode::global_store_dwordx2, stores(&flat_store<u32, 2>, 2)},
    {Opcode::global_store_dwordx4, stores(&flat_store<u32, 4>, 4)},
    {Opcode::global_store_dwordx3, stores(&flat_store<u32, 3>, 3)},
    {Opcode::global_atomic_swap, flat_rmw<kSwap<u32>>},
    {Opcode::global_atomic_cmpswap, flat_rmw<kCompareSwap<u32>>},
    {Opcode::global_atomic_add, flat_rmw<kAdd<u32>>},
    {Opcode::global_atomic_sub, flat_rmw<kSub<u32>>},
    {Opcode::global_atomic_smin, flat_rmw<kMin<i32>>},
    {Opcode::global_atomic_umin, flat_rmw<kMin<u32>>},
    {Opcode::global_atomic_smax, flat_rmw<kMax<i32>>},
    {Opcode::global_atomic_umax, flat_rmw<kMax<u32>>},
    {Opcode::global_atomic_and, flat_rmw<kAnd<u32>>},
    {Opcode::global_atomic_or, flat_rmw<kOr<u32>>},
    {Opcode::global_atomic_xor, flat_rmw<kXor<u32>>},
    {Opcode::global_atomic_inc, flat_rmw<kInc<u32>>},
    {Opcode::global_atomic_dec, flat_rmw<kDec<u32>>},
    {Opcode::global_atomic_swap_x2, flat_rmw<kSwap<u64>>},
    {Opcode::global_atomic_cmpswap_x2, flat_rmw<kCompareSwap<u64>>},
    {Opcode::global_atomic_add_x2, flat_rmw<kAdd<u64>>},
    {Opcode::global_atomic_sub_x2, flat_rmw<kSub<u64>>},
    {Opcode::global_atomic_smin_x2, flat_rmw<kMin<i64>>},
    {Opcode::global_atomic_umin_x2, flat_rmw<kMin<u64>>},
    {Opcode::global_atomic_smax_x2, flat_rmw<kMax<i64>>},
    {Opcode::global_atomic_umax_x2, flat_rmw<kMax<u64>>},
    {Opcode::global_atomic_and_x2, flat_rmw<kAnd<u64>>},
    {Opcode::global_atomic_or_x2, flat_rmw<kOr<u64>>},
    {Opcode::global_atomic_xor_x2, flat_rmw<kXor<u64>>},
    {Opcode::global_atomic_inc_x2, flat_rmw<kInc<u64>>},
    {Opcode::global_atomic_dec_x2, flat_rmw<kDec<u64>>},
    {Opcode::scratch_load_ubyte, loads(&flat_load<u8, 1>, 1)},
    {Opcode::scratch_load_sbyte, loads(&flat_load<i8, 1>, 1)},
    {Opcode::scratch_load_ushort, loads(&flat_load<u16, 1>, 1)},
    {Opcode::scratch_load_sshort, loads(&flat_load<i16, 1>, 1)},
    {Opcode::scratch_load_dword, loads(&flat_load<u32, 1>, 1)},
    {Opcode::scratch_load_dwordx2, loads(&flat_load<u32, 2>, 2)},
    {Opcode::scratch_load_dwordx4, loads(&flat_load<u32, 4>, 4)},
    {Opcode::scratch_load_dwordx3, loads(&flat_load<u32, 3>, 3)},
    {Opcode::scratch_store_byte, stores(&flat_store<u8, 1>, 1)},
    {Opcode::scratch_store_short, stores(&flat_store<u16, 1>, 1)},
    {Opcode::scratch_store_dword, stores(&flat_store<u32, 1>, 1)},
    {Opcode::scratch_store_dwordx2, stores(&flat_store<u32, 2>, 2)},
    {Opcode::scratch_store_dwordx4, stores(&flat_store<u32, 4>, 4)},
    {Opcode::scratch_store_dwordx3, stores(&flat_store<u32, 3>, 3)},
    {Opcode::flat_load_ubyte_d16, loads_half(&flat_load_half<u8, false>)},
    {Opcode::flat_load_ubyte_d16_hi, loads_half(&flat_load_half<u8, true>)},
    {Opcode::flat_load_sbyte_d16, loads_half(&flat_load_half<i8, false>)},
    {Opcode::flat_load_sbyte_d16_hi, loads_half(&flat_load_half<i8, true>)},
    {Opcode::flat_load_short_d16, loads_half(&flat_load_half<u16, false>)},
    {Opcode::flat_load_short_d16_hi, loads_half(&flat_load_half<u16, true>)},
    {Opcode::flat_store_byte_d16_hi, stores(&flat_store_high<u8>, 1)},
    {Opcode::flat_store_short_d16_hi, stores(&flat_store_high<u16>, 1)},
    {Opcode::global_load_ubyte_d16, loads_half(&flat_load_half<u8, false>)},
    {Opcode::global_load_ubyte_d16_hi, loads_half(&flat_load_half<u8, true>)},
    {Opcode::global_load_sbyte_d16, loads_half(&flat_load_half<i8, false>)},
    {Opcode::global_load_sbyte_d16_hi, loads_half(&flat_load_half<i8, true>)},
    {Opcode::global_load_short_d16, loads_half(&flat_load_half<u16, false>)},
    {Opcode::global_load_short_d16_hi, loads_half(&flat_load_half<u16, true>)},
    {Opcode::global_store_byte_d16_hi, stores(&flat_store_high<u8>, 1)},
    {Opcode::global_store_short_d16_hi, stores(&flat_store_high<u16>, 1)},
    {Opcode::scratch_load_ubyte_d16, loads_half(&flat_load_half<u8, false>)},
    {Opcode::scratch_load_ubyte_d16_hi, loads_half(&flat_load_half<u8, true>)},
    {Opcode::scratch_load_sbyte_d16, loads_half(&flat_load_half<i8, false>)},
    {Opcode::scratch_load_sbyte_d16_hi, loads_half(&flat_load_half<i8, true>)},
    {Opcode::scratch_load_short_d16, loads_half(&flat_load_half<u16, false>)},
    {Opcode::scratch_load_short_d16_hi, loads_half(&flat_load_half<u16, true>)},
    {Opcode::scratch_store_byte_d16_hi, stores(&flat_store_high<u8>, 1)},
    {Opcode::scratch_store_short_d16_hi, stores(&flat_store_high<u16>, 1)},
    {Opcode::flat_atomic_fcmpswap, flat_rmw<kCompareSwap<float>>},
    {Opcode::flat_atomic_fmin, flat_rmw<kMin<float>>},
    {Opcode::flat_atomic_fmax, flat_rmw<kMax<float>>},
    {Opcode::flat_atomic_fcmpswap_x2, flat_rmw<kCompareSwap<double>>},
    {Opcode::flat_atomic_fmin_x2, flat_rmw<kMin<double>>},
    {Opcode::flat_atomic_fmax_x2, flat_rmw<kMax<double>>},
};
// clang-format on
static_assert(first_missing(Room::Flat, kFlatRows) == Opcode::none);

}  // namespace

std::span<const Row> flat_rows() { return kFlatRows; }

}  // namespace amdcompat::emulate
