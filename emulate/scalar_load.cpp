// Scalar loads: SMRD, which is called SMEM from GFX8 on. [SIA; CIA; VIA: chapter «Scalar Memory Operations»]
#include "access.hpp"

namespace amdcompat::emulate {
namespace {

// Dwords from `base` on; those past the first `size` bytes are 0. An offset in a register counts bytes too, and loses
// its low bits. GFX9 may add both kinds of offsets. Loads have fixed sizes, so that compilers load more than they use: registers of dwords that are not
// listed are poisoned.
template <u32 Dwords>
void load(Wave& wave, const Instruction& i, u64 base, u64 size) {
  u64 offset = i.immediate_offset ? static_cast<u64>(i64{i.immediate}) : 0;
  if (!i.immediate_offset || i.scalar_offset) offset += wave.source32(i, i.sources[1]) & ~u32{3};
  std::array<u32, Dwords> out{};
  u32 missing = 0;
  for (u32 n = 0; n < Dwords; ++n)
    if (offset + 4 * n + 4 <= size && !wave.load_scalar((base & ~u64{3}) + offset + 4 * n, out[n])) missing |= 1u << n;
  for (u32 n = 0; n < Dwords; ++n) wave.set_sgpr(i.destination + n, out[n]);
  for (u32 n = 0; missing >> n != 0; ++n)
    if ((missing >> n & 1) != 0) wave.undefine_sgpr(i.destination + n);
}
template <u32 Dwords>
void scalar_load(Wave& wave, const Instruction& i) {
  load<Dwords>(wave, i, wave.sgpr64(i.resource) & kAddressMask, ~u64{0});
}
template <u32 Dwords>
void scalar_buffer_load(Wave& wave, const Instruction& i) {
  const Descriptor d = descriptor_at(wave, i.resource);
  if (!d.is_buffer()) return wave.stop("a load through a descriptor of another type");
  load<Dwords>(wave, i, d.base, d.stride == 0 ? d.records : u64{d.records} * d.stride);
}
template <u32 Dwords>
inline constexpr Semantics load_scalar{
    .execute = &scalar_load<Dwords>, .destination = dwords_shape(Dwords), .sources = {Shape::B64, Shape::B32}};
template <u32 Dwords>
inline constexpr Semantics load_constant{
    .execute = &scalar_buffer_load<Dwords>, .destination = dwords_shape(Dwords), .sources = {Shape::B128, Shape::B32}};

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kRows[] = {
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
    {Opcode::s_dcache_inv, kNoAccess},
};
// clang-format on
static_assert(first_missing(Room::ScalarLoad, kRows) == Opcode::none);

}  // namespace

std::span<const Row> scalar_load_rows() { return kRows; }

}  // namespace amdcompat::emulate
