// Buffers: MUBUF and MTBUF. [SIA; CIA; VIA: chapter «Vector Memory Operations»]
//
// An access goes through a descriptor (V#) in four scalar registers:
//
//   offset  = instruction offset + vector offset (OFFEN) + stride * vector index (IDXEN)
//   address = base + scalar offset + offset          (ADDR64: + 64-bit vector address, no range check)
//
// With swizzling, elements of `index_stride` neighbours are interleaved instead. Loads out of range give 0 and stores
// do nothing: raw buffers (stride 0, or not swizzled) when offset >= num_records - scalar offset, structured ones when
// index >= num_records. In range says nothing about the caller's memory, which is checked on its own.
#include <algorithm>
#include <cstring>

#include "atomics.hpp"
#include "buffer_format.hpp"

namespace amdcompat::emulate {
namespace {

// Addresses of one buffer instruction, lane by lane.
class Buffer {
 public:
  Buffer(Wave& wave, const Instruction& i)
      : i_(i), report_(wave.context().report), d_(descriptor_at(wave, i.resource)),
        soffset_(wave.source32(i, i.sources[1])), plain_(!i.addr64 && !i.idxen && !d_.add_thread && !d_.swizzled) {
    const u32 addresses = i.addr64 ? 2 : u32{i.offen} + i.idxen;
    wave.check_vgpr(i.address, addresses, wave.exec());
    if (addresses > 0) first_ = &wave.vgpr(i.address);
    if (addresses > 1) second_ = &wave.vgpr(i.address + 1u);
    if (i.offen) offsets_ = i.idxen ? second_ : first_;
    if (!d_.is_buffer()) wave.stop("a buffer access through a descriptor of another type");
    if (i.tfe || i.lds) wave.stop("buffer access with TFE or LDS");
    if (i.addr64 && (i.offen || i.idxen)) wave.stop("ADDR64 together with OFFEN or IDXEN");
  }
  [[nodiscard]] const Descriptor& descriptor() const { return d_; }

  // The address of `bytes` bytes at `skip` behind the lane's place; empty when out of range.
  [[nodiscard]] std::optional<u64> at(u32 lane, u32 skip, u32 bytes) const {
    if (!plain_) return any_at(lane, skip, bytes);
    const u64 offset = offset_of(lane, skip);
    if (offset + soffset_ + bytes <= d_.records) [[likely]]
      return (d_.base + soffset_ + offset) & kAddressMask;
    ++report_.out_of_range;
    return std::nullopt;
  }
  // The same for all enabled lanes.
  void at_all(const Wave& wave, Places& out, u32 skip, u32 bytes) const {
    if (plain_ && !d_.gfx9 && has_vector_instructions()) {
      const u64 fixed = u64{i_.offset0} + skip + soffset_;
      Flags in_range;
      plain_at_all(out.at, in_range, offsets_->data(), d_.base + fixed,
                   i64{d_.records} - bytes - static_cast<i64>(fixed));
      out.in_range = mask_of(in_range);
      if (out.in_range != ~u64{0}) report_.out_of_range += static_cast<u32>(std::popcount(wave.exec() & ~out.in_range));
      return;
    }
    each_lane(wave, [&](u32 lane) {
      const std::optional<u64> address = at(lane, skip, bytes);
      out.at[lane] = address.value_or(0);
      if (!address) out.in_range &= ~(u64{1} << lane);
    });
  }

 private:
  // GFX9 takes an offset below zero that the instruction's own brings back. [LLVM: privateMemoryResourceIsRangeChecked]
  [[nodiscard]] u64 offset_of(u32 lane, u32 skip) const {
    const u32 vector = (*offsets_)[lane];
    return (d_.gfx9 ? u64{i_.offset0 + vector} : u64{i_.offset0} + vector) + skip;
  }
  // `most` is the largest offset of a lane that is in range.
  AMDCOMPAT_ALL_LANES static void plain_at_all(std::array<u64, kLanes>& __restrict out, Flags& __restrict in_range,
                                               const u32* __restrict offsets, u64 base, i64 most) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
      out[lane] = (base + offsets[lane]) & kAddressMask;
      in_range[lane] = i64{offsets[lane]} <= most;
    }
  }
  // With an index, or swizzled, or by addresses alone.
  [[nodiscard]] std::optional<u64> any_at(u32 lane, u32 skip, u32 bytes) const {
    if (i_.addr64) {
      const u64 address = joined((*first_)[lane], (*second_)[lane]);
      return (d_.base + address + soffset_ + i_.offset0 + skip) & kAddressMask;
    }
    const u32 index = (i_.idxen ? (*first_)[lane] : 0) + (d_.add_thread ? lane : 0);
    const u64 offset = offset_of(lane, skip);
    const bool structured = d_.stride != 0 && (d_.swizzled || i_.idxen || d_.add_thread);
    if (structured ? index >= d_.records : offset + soffset_ + bytes > d_.records) {
      ++report_.out_of_range;
      return std::nullopt;
    }
    if (!d_.swizzled) return (d_.base + soffset_ + offset + u64{d_.stride} * index) & kAddressMask;
    const u64 group = index / d_.row_elements(), within = index % d_.row_elements();
    const u64 element = offset / d_.element_bytes(), rest = offset % d_.element_bytes();
    const u64 place =
        (group * d_.stride + element * d_.element_bytes()) * d_.row_elements() + within * d_.element_bytes() + rest;
    return (d_.base + soffset_ + place) & kAddressMask;
  }

  static constexpr Lanes kZeros{};
  const Instruction& i_;
  Report& report_;
  Descriptor d_;
  u32 soffset_;
  const Lanes* first_ = nullptr;
  const Lanes* second_ = nullptr;
  const Lanes* offsets_ = &kZeros;
  bool plain_;  // neither index nor address: range and address are those of the offset
};

template <class T, u32 Dwords>
std::array<Places, Dwords> places_of(Wave& wave, const Buffer& buffer) {
  std::array<Places, Dwords> out;
  for (u32 n = 0; n < Dwords; ++n) buffer.at_all(wave, out[n], 4 * n, sizeof(T));
  return out;
}
template <class T, u32 Dwords>
void buffer_load(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  if (wave.status() == Status::Stopped) return;
  load_places<T>(wave, places_of<T, Dwords>(wave, buffer), i.data);
}
template <class T, u32 Dwords>
void buffer_store(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  if (!wave.is_scratch(buffer.descriptor().base)) wave.check_vgpr(i.data, Dwords, wave.exec());
  if (wave.status() == Status::Stopped) return;
  store_places<T>(wave, places_of<T, Dwords>(wave, buffer), i.data);
}

template <class T, bool High>
void buffer_load_half(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  load_half<T, High>(wave, i.data, [&](u32 lane) { return buffer.at(lane, 0, sizeof(T)); });
}
template <class T>
void buffer_store_high(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  store_high<T>(wave, i.data, [&](u32 lane) { return buffer.at(lane, 0, sizeof(T)); });
}
// Its register is a source too.
constexpr Semantics loads_half_of_buffer(Execute execute) {
  Semantics out = loads_half(execute);
  out.sources = {Shape::B32};
  return out;
}

template <auto F>
void buffer_atomic(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  if (wave.status() == Status::Stopped) return;
  constexpr u32 kBytes = sizeof(typename Atomic<decltype(+F)>::Type);
  atomic<F>(wave, i, i.data, [&](u32 lane) { return buffer.at(lane, 0, kBytes); });
}
template <auto F>
inline constexpr Semantics buffer_rmw = atomics<F>(&buffer_atomic<F>);

// --- formats -------------------------------------------------------------------------------------------------------

// The format of an access: the instruction's own (MTBUF), or the descriptor's. Null, and the run stops: none of ours.
struct FormatUse {
  const DataFormat* data = nullptr;
  u32 number = 0;
  u32 bytes = 0;
};
FormatUse format_of(Wave& wave, const Instruction& i, const Descriptor& d) {
  const bool own = i.format == Format::Mtbuf;
  const u32 data = own ? i.data_format : d.data_format, number = own ? i.number_format : d.number_format;
  const auto* const found = std::ranges::find(kFormats, data, &DataFormat::number);
  if (found == std::end(kFormats) || !unpack(0, found->bits, number)) {
    wave.stop("buffer access in data format " + std::to_string(data) + ", number format " + std::to_string(number));
    return {};
  }
  return {found, number, found->components * found->bits / 8u};
}

bool fits(Wave& wave, const FormatUse& format) {
  if (!is_integer(format.number) || format.data->bits <= 16) return true;
  wave.stop("integers of 32 bits in registers of 16");
  return false;
}

// The components of a lane as the descriptor selects them; MTBUF takes them as they come.
std::array<u32, 4> components_of(Wave& wave, const Instruction& i, const Buffer& buffer, const FormatUse& format,
                                 u32 lane) {
  const u32 one = is_integer(format.number) ? 1 : bits_of(1.0f);
  std::array<u32, 4> values{};
  if (const auto address = buffer.at(lane, 0, format.bytes)) {  // all or nothing
    std::array<u8, 16> raw{};
    static_cast<void>(wave.load(*address, std::span(raw).first(format.bytes)));
    for (u32 c = 0; c < format.data->components; ++c) {
      u32 bits = 0;
      std::memcpy(&bits, raw.data() + c * format.data->bits / 8, format.data->bits / 8u);
      values[c] = *unpack(bits, format.data->bits, format.number);
    }
    if (format.data->components < 4) values[3] = one;
  }
  std::array<u32, 4> out{};
  for (u32 c = 0; c < 4; ++c) {
    const u32 select = i.format == Format::Mtbuf ? 4 + c : buffer.descriptor().select[c];
    out[c] = select == 1 ? one : select >= 4 ? values[select - 4] : 0;
  }
  return out;
}
void store_components(Wave& wave, const Buffer& buffer, const FormatUse& format, u32 lane,
                      const std::array<u32, 4>& values) {
  std::array<u8, 16> raw{};
  for (u32 c = 0; c < format.data->components; ++c) {
    const u32 bits = *pack(values[c], format.data->bits, format.number);
    std::memcpy(raw.data() + c * format.data->bits / 8, &bits, format.data->bits / 8u);
  }
  if (const auto address = buffer.at(lane, 0, format.bytes)) wave.store(*address, std::span(raw).first(format.bytes));
}

template <u32 Components, bool Short>
void format_load(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  const FormatUse format = format_of(wave, i, buffer.descriptor());
  if (wave.status() == Status::Stopped || (Short && !fits(wave, format))) return;
  const Layout layout(wave.launch().gfx, i, Short, format.number);
  Loaded<Components> loaded;
  each_lane(wave, [&](u32 lane) {
    const std::array<u32, 4> values = components_of(wave, i, buffer, format, lane);
    for (u32 c = 0; c < Components; ++c) loaded.at(layout.place(c), lane) |= layout.put(c, values[c]);
  });
  loaded.write(wave, i.data, layout.registers(Components));
}
template <u32 Components, bool Short>
void format_store(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  const FormatUse format = format_of(wave, i, buffer.descriptor());
  if (wave.status() == Status::Stopped || (Short && !fits(wave, format))) return;
  // What is not given is 0. [LLVM: GCNSubtarget::hasDefaultComponentZero]
  const u32 components = std::min<u32>(Components, format.data->components);
  const Layout layout(wave.launch().gfx, i, Short, format.number);
  wave.check_vgpr(i.data, layout.registers(components), wave.exec());
  each_lane(wave, [&](u32 lane) {
    std::array<u32, 4> values{};
    for (u32 c = 0; c < components; ++c) values[c] = layout.get(c, wave.vgpr(i.data + layout.place(c))[lane]);
    store_components(wave, buffer, format, lane, values);
  });
}
// The first component goes to, or comes from, the upper half of a register; the lower one stays.
void format_load_high(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  const FormatUse format = format_of(wave, i, buffer.descriptor());
  if (wave.status() == Status::Stopped || !fits(wave, format)) return;
  Loaded<1> loaded;
  each_lane(wave, [&](u32 lane) {
    const u32 value = shortened(components_of(wave, i, buffer, format, lane)[0], format.number);
    loaded.at(0, lane) = value << 16 | (wave.vgpr(i.data)[lane] & 0xffff);
  });
  loaded.write(wave, i.data);
}
void format_store_high(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  const FormatUse format = format_of(wave, i, buffer.descriptor());
  if (wave.status() == Status::Stopped || !fits(wave, format)) return;
  if (format.data->components > 1) return wave.stop("a store of fewer components than its format has");
  wave.check_vgpr(i.data, 1, wave.exec());
  each_lane(wave, [&](u32 lane) {
    store_components(wave, buffer, format, lane, {lengthened(wave.vgpr(i.data)[lane] >> 16, format.number)});
  });
}

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kBufferRows[] = {
    {Opcode::buffer_load_format_x, loads(&format_load<1, false>, 1)},
    {Opcode::buffer_load_format_d16_x, loads(&format_load<1, true>, 1)},
    {Opcode::buffer_load_format_xy, loads(&format_load<2, false>, 2)},
    {Opcode::buffer_load_format_d16_xy, loads(&format_load<2, true>, 1)},
    {Opcode::buffer_load_format_xyz, loads(&format_load<3, false>, 3)},
    {Opcode::buffer_load_format_d16_xyz, loads(&format_load<3, true>, 2)},
    {Opcode::buffer_load_format_xyzw, loads(&format_load<4, false>, 4)},
    {Opcode::buffer_load_format_d16_xyzw, loads(&format_load<4, true>, 2)},
    {Opcode::buffer_store_format_x, stores(&format_store<1, false>, 1)},
    {Opcode::buffer_store_format_d16_x, stores(&format_store<1, true>, 1)},
    {Opcode::buffer_store_format_xy, stores(&format_store<2, false>, 2)},
    {Opcode::buffer_store_format_d16_xy, stores(&format_store<2, true>, 1)},
    {Opcode::buffer_store_format_xyz, stores(&format_store<3, false>, 3)},
    {Opcode::buffer_store_format_d16_xyz, stores(&format_store<3, true>, 2)},
    {Opcode::buffer_store_format_xyzw, stores(&format_store<4, false>, 4)},
    {Opcode::buffer_store_format_d16_xyzw, stores(&format_store<4, true>, 2)},
    {Opcode::buffer_load_ubyte, loads(&buffer_load<u8, 1>, 1)},
    {Opcode::buffer_load_sbyte, loads(&buffer_load<i8, 1>, 1)},
    {Opcode::buffer_load_ushort, loads(&buffer_load<u16, 1>, 1)},
    {Opcode::buffer_load_sshort, loads(&buffer_load<i16, 1>, 1)},
    {Opcode::buffer_load_dword, loads(&buffer_load<u32, 1>, 1)},
    {Opcode::buffer_load_dwordx2, loads(&buffer_load<u32, 2>, 2)},
    {Opcode::buffer_load_dwordx4, loads(&buffer_load<u32, 4>, 4)},
    {Opcode::buffer_load_dwordx3, loads(&buffer_load<u32, 3>, 3)},
    {Opcode::buffer_store_byte, stores(&buffer_store<u8, 1>, 1)},
    {Opcode::buffer_store_short, stores(&buffer_store<u16, 1>, 1)},
    {Opcode::buffer_store_dword, stores(&buffer_store<u32, 1>, 1)},
    {Opcode::buffer_store_dwordx2, stores(&buffer_store<u32, 2>, 2)},
    {Opcode::buffer_store_dwordx4, stores(&buffer_store<u32, 4>, 4)},
    {Opcode::buffer_store_dwordx3, stores(&buffer_store<u32, 3>, 3)},
    {Opcode::buffer_load_ubyte_d16, loads_half_of_buffer(&buffer_load_half<u8, false>)},
    {Opcode::buffer_load_ubyte_d16_hi, loads_half_of_buffer(&buffer_load_half<u8, true>)},
    {Opcode::buffer_load_sbyte_d16, loads_half_of_buffer(&buffer_load_half<i8, false>)},
    {Opcode::buffer_load_sbyte_d16_hi, loads_half_of_buffer(&buffer_load_half<i8, true>)},
    {Opcode::buffer_load_short_d16, loads_half_of_buffer(&buffer_load_half<u16, false>)},
    {Opcode::buffer_load_short_d16_hi, loads_half_of_buffer(&buffer_load_half<u16, true>)},
    {Opcode::buffer_load_format_d16_hi_x, loads_half_of_buffer(&format_load_high)},
    {Opcode::buffer_store_format_d16_hi_x, stores(&format_store_high, 1)},
    {Opcode::buffer_store_byte_d16_hi, stores(&buffer_store_high<u8>, 1)},
    {Opcode::buffer_store_short_d16_hi, stores(&buffer_store_high<u16>, 1)},
    {Opcode::buffer_atomic_swap, buffer_rmw<kSwap<u32>>},
    {Opcode::buffer_atomic_cmpswap, buffer_rmw<kCompareSwap<u32>>},
    {Opcode::buffer_atomic_add, buffer_rmw<kAdd<u32>>},
    {Opcode::buffer_atomic_sub, buffer_rmw<kSub<u32>>},
    {Opcode::buffer_atomic_smin, buffer_rmw<kMin<i32>>},
    {Opcode::buffer_atomic_umin, buffer_rmw<kMin<u32>>},
    {Opcode::buffer_atomic_smax, buffer_rmw<kMax<i32>>},
    {Opcode::buffer_atomic_umax, buffer_rmw<kMax<u32>>},
    {Opcode::buffer_atomic_and, buffer_rmw<kAnd<u32>>},
    {Opcode::buffer_atomic_or, buffer_rmw<kOr<u32>>},
    {Opcode::buffer_atomic_xor, buffer_rmw<kXor<u32>>},
    {Opcode::buffer_atomic_inc, buffer_rmw<kInc<u32>>},
    {Opcode::buffer_atomic_dec, buffer_rmw<kDec<u32>>},
    {Opcode::buffer_atomic_swap_x2, buffer_rmw<kSwap<u64>>},
    {Opcode::buffer_atomic_cmpswap_x2, buffer_rmw<kCompareSwap<u64>>},
    {Opcode::buffer_atomic_add_x2, buffer_rmw<kAdd<u64>>},
    {Opcode::buffer_atomic_sub_x2, buffer_rmw<kSub<u64>>},
    {Opcode::buffer_atomic_smin_x2, buffer_rmw<kMin<i64>>},
    {Opcode::buffer_atomic_umin_x2, buffer_rmw<kMin<u64>>},
    {Opcode::buffer_atomic_smax_x2, buffer_rmw<kMax<i64>>},
    {Opcode::buffer_atomic_umax_x2, buffer_rmw<kMax<u64>>},
    {Opcode::buffer_atomic_and_x2, buffer_rmw<kAnd<u64>>},
    {Opcode::buffer_atomic_or_x2, buffer_rmw<kOr<u64>>},
    {Opcode::buffer_atomic_xor_x2, buffer_rmw<kXor<u64>>},
    {Opcode::buffer_atomic_inc_x2, buffer_rmw<kInc<u64>>},
    {Opcode::buffer_atomic_dec_x2, buffer_rmw<kDec<u64>>},
    {Opcode::buffer_atomic_fcmpswap, buffer_rmw<kCompareSwap<float>>},
    {Opcode::buffer_atomic_fmin, buffer_rmw<kMin<float>>},
    {Opcode::buffer_atomic_fmax, buffer_rmw<kMax<float>>},
    {Opcode::buffer_atomic_fcmpswap_x2, buffer_rmw<kCompareSwap<double>>},
    {Opcode::buffer_atomic_fmin_x2, buffer_rmw<kMin<double>>},
    {Opcode::buffer_atomic_fmax_x2, buffer_rmw<kMax<double>>},
    {Opcode::buffer_wbinvl1, kNoAccess},
    {Opcode::buffer_wbinvl1_sc, kNoAccess},
    {Opcode::buffer_wbinvl1_vol, kNoAccess},
    {Opcode::tbuffer_load_format_x, loads(&format_load<1, false>, 1)},
    {Opcode::tbuffer_load_format_d16_x, loads(&format_load<1, true>, 1)},
    {Opcode::tbuffer_load_format_xy, loads(&format_load<2, false>, 2)},
    {Opcode::tbuffer_load_format_d16_xy, loads(&format_load<2, true>, 1)},
    {Opcode::tbuffer_load_format_xyz, loads(&format_load<3, false>, 3)},
    {Opcode::tbuffer_load_format_d16_xyz, loads(&format_load<3, true>, 2)},
    {Opcode::tbuffer_load_format_xyzw, loads(&format_load<4, false>, 4)},
    {Opcode::tbuffer_load_format_d16_xyzw, loads(&format_load<4, true>, 2)},
    {Opcode::tbuffer_store_format_x, stores(&format_store<1, false>, 1)},
    {Opcode::tbuffer_store_format_d16_x, stores(&format_store<1, true>, 1)},
    {Opcode::tbuffer_store_format_xy, stores(&format_store<2, false>, 2)},
    {Opcode::tbuffer_store_format_d16_xy, stores(&format_store<2, true>, 1)},
    {Opcode::tbuffer_store_format_xyz, stores(&format_store<3, false>, 3)},
    {Opcode::tbuffer_store_format_d16_xyz, stores(&format_store<3, true>, 2)},
    {Opcode::tbuffer_store_format_xyzw, stores(&format_store<4, false>, 4)},
    {Opcode::tbuffer_store_format_d16_xyzw, stores(&format_store<4, true>, 2)},
};
// clang-format on
static_assert(first_missing(Room::Buffer, kBufferRows) == Opcode::none);

}  // namespace

std::span<const Row> buffer_rows() { return kBufferRows; }

}  // namespace amdcompat::emulate
