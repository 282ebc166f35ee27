// Scalar loads and stores: SMRD, which is called SMEM from GFX8 on. [SIA; CIA; VIA: chapter «Scalar Memory Operations»]
#include "access.hpp"

namespace amdcompat::emulate {
namespace {

// In bytes. One in a register counts bytes too, and loses its low bits; GFX9 may add both kinds.
u64 offset_of(Wave& wave, const Instruction& i) {
  const u64 fixed = i.immediate_offset ? static_cast<u64>(i64{i.immediate}) : 0;
  return i.immediate_offset && !i.scalar_offset ? fixed : fixed + (wave.source32(i, i.sources[1]) & ~u32{3});
}
// Dwords from `base` on; those past the first `size` bytes are 0. Loads have fixed sizes, so that compilers load more
// than they use: registers of dwords that are not listed are poisoned.
template <u32 Dwords>
void load(Wave& wave, const Instruction& i, u64 base, u64 size) {
  const u64 offset = offset_of(wave, i);
  std::array<u32, Dwords> out{};
  u32 missing = 0;
  for (u32 n = 0; n < Dwords; ++n)
    if (offset + 4 * n + 4 <= size && !wave.load_scalar((base & ~u64{3}) + offset + 4 * n, out[n])) missing |= 1u << n;
  for (u32 n = 0; n < Dwords; ++n) wave.set_sgpr(i.destination + n, out[n]);
  for (u32 n = 0; missing >> n != 0; ++n)
    if ((missing >> n & 1) != 0) wave.undefine_sgpr(i.destination + n);
}
// The data is in the destination's place. Addresses are those of loads.
template <u32 Dwords>
void store(Wave& wave, const Instruction& i, u64 base, u64 size) {
  wave.name_first_lane();
  const u64 offset = offset_of(wave, i);
  for (u32 n = 0; n < Dwords; ++n) {
    const u32 value = wave.sgpr(i.destination + n);
    if (offset + 4 * n + 4 <= size) store_value(wave, (base & ~u64{3}) + offset + 4 * n, value);
  }
}
// Through a pointer, and through a descriptor.
using Access = void (*)(Wave&, const Instruction&, u64 base, u64 size);
template <Access A>
void by_pointer(Wave& wave, const Instruction& i) {
  A(wave, i, wave.sgpr64(i.resource) & kAddressMask, ~u64{0});
}
template <Access A>
void by_descriptor(Wave& wave, const Instruction& i) {
  const Descriptor d = descriptor_at(wave, i.resource);
  if (!d.is_buffer()) return wave.stop("a scalar access through a descriptor of another type");
  A(wave, i, d.base, d.stride == 0 ? d.records : u64{d.records} * d.stride);
}
template <u32 Dwords>
inline constexpr Semantics store_scalar{.execute = &by_pointer<store<Dwords>>,
                                        .sources = {Shape::B64, Shape::B32, dwords_shape(Dwords)}};
template <u32 Dwords>
inline constexpr Semantics store_buffer{.execute = &by_descriptor<store<Dwords>>,
                                        .sources = {Shape::B128, Shape::B32, dwords_shape(Dwords)}};
// Asks for a translation of an address, which has no effect here.
template <u32 Dwords>
inline constexpr Semantics probe{.execute =
                                     [](Wave& wave, const Instruction& i) {
                                       for (u32 n = 0; n < Dwords; ++n) static_cast<void>(wave.sgpr(i.resource + n));
                                       static_cast<void>(offset_of(wave, i));
                                     },
                                 .sources = {dwords_shape(Dwords), Shape::B32}};
// Time passes with the instructions of all wavefronts.
inline constexpr Semantics kTime{.execute =
                                     [](Wave& wave, const Instruction& i) {
                                       wave.context().depends_on_order = true;
                                       wave.set_sgpr64(i.destination, wave.context().report.instructions);
                                     },
                                 .destination = Shape::B64};
template <u32 Dwords>
inline constexpr Semantics load_scalar{
    .execute = &by_pointer<load<Dwords>>, .destination = dwords_shape(Dwords), .sources = {Shape::B64, Shape::B32}};
template <u32 Dwords>
inline constexpr Semantics load_constant{
    .execute = &by_descriptor<load<Dwords>>, .destination = dwords_shape(Dwords), .sources = {Shape::B128, Shape::B32}};

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kScalarLoadRows[] = {
    {Opcode::s_load_dword, load_scalar<1>},
    {Opcode::s_load_dwordx2, load_scalar<2>},
    {Opcode::s_load_dwordx4, load_scalar<4>},
    {Opcode::s_load_dwordx8, load_scalar<8>},
    {Opcode::s_load_dwordx16, load_scalar<16>},
    {Opcode::s_buffer_load_dword, load_constant<1>},
    {Opcode::s_buffer_load_dwordx2, load_constant<2>},
    {Opcode::s_buffer_load_dwordx4, load_constant<4>},
    {Opcode::s_buffer_load_dwordx8, load_constant<8>},
    {Opcode::s_buffer_load_dwordx16, load_constant<16>},
    {Opcode::s_store_dword, store_scalar<1>},
    {Opcode::s_store_dwordx2, store_scalar<2>},
    {Opcode::s_store_dwordx4, store_scalar<4>},
    {Opcode::s_buffer_store_dword, store_buffer<1>},
    {Opcode::s_buffer_store_dwordx2, store_buffer<2>},
    {Opcode::s_buffer_store_dwordx4, store_buffer<4>},
    {Opcode::s_memtime, kTime},
    {Opcode::s_memrealtime, kTime},
    {Opcode::s_atc_probe, probe<2>},
    {Opcode::s_atc_probe_buffer, probe<4>},
    {Opcode::s_dcache_inv, kNoAccess},
    {Opcode::s_dcache_inv_vol, kNoAccess},
    {Opcode::s_dcache_wb, kNoAccess},
    {Opcode::s_dcache_wb_vol, kNoAccess},
};
// clang-format on
static_assert(first_missing(Room::ScalarLoad, kScalarLoadRows) == Opcode::none);

}  // namespace

std::span<const Row> scalar_load_rows() { return kScalarLoadRows; }

}  // namespace amdcompat::emulate
