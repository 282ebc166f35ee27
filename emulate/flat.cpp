// Memory by addresses in vector registers: FLAT. [CIA; VIA: instruction chapter, FLAT]
#include "atomics.hpp"

namespace amdcompat::emulate {
namespace {

// Every address is one of global memory: the apertures of LDS and scratch are not modelled, so such an address is
// reported as one that is not listed.
u64 flat_address(Wave& wave, const Instruction& i, u32 lane) { return lane_value<u64>(wave, i.address, lane); }
bool flat_ready(Wave& wave, const Instruction& i) {
  wave.check_vgpr(i.address, 2, wave.exec());
  if (i.tfe) wave.stop("FLAT access with TFE");
  return wave.status() != Status::Stopped;
}
template <class T, u32 Dwords>
void flat_load(Wave& wave, const Instruction& i) {
  if (!flat_ready(wave, i)) return;
  Loaded<Dwords> loaded;
  each_lane(wave, [&](u32 lane) {
    for (u32 n = 0; n < Dwords; ++n)
      loaded.at(n, lane) = extended(load_value<T>(wave, flat_address(wave, i, lane) + 4 * n));
  });
  loaded.write(wave, i.destination);
}
template <class T, u32 Dwords>
void flat_store(Wave& wave, const Instruction& i) {
  wave.check_vgpr(i.data, Dwords, wave.exec());
  if (!flat_ready(wave, i)) return;
  each_lane(wave, [&](u32 lane) {
    for (u32 n = 0; n < Dwords; ++n)
      store_value(wave, flat_address(wave, i, lane) + 4 * n, static_cast<T>(wave.vgpr(i.data + n)[lane]));
  });
}
template <auto F>
void flat_atomic(Wave& wave, const Instruction& i) {
  if (!flat_ready(wave, i)) return;
  atomic<F>(wave, i, i.destination, [&](u32 lane) { return std::optional(flat_address(wave, i, lane)); });
}

template <auto F>
inline constexpr Semantics flat_rmw = atomics<F>(&flat_atomic<F>);

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kRows[] = {
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
    {Opcode::flat_atomic_fcmpswap, flat_rmw<kCompareSwap<float>>},
    {Opcode::flat_atomic_fmin, flat_rmw<kMin<float>>},
    {Opcode::flat_atomic_fmax, flat_rmw<kMax<float>>},
    {Opcode::flat_atomic_fcmpswap_x2, flat_rmw<kCompareSwap<double>>},
    {Opcode::flat_atomic_fmin_x2, flat_rmw<kMin<double>>},
    {Opcode::flat_atomic_fmax_x2, flat_rmw<kMax<double>>},
};
// clang-format on
static_assert(first_missing(Room::Flat, kRows) == Opcode::none);

}  // namespace

std::span<const Row> flat_rows() { return kRows; }

}  // namespace amdcompat::emulate
