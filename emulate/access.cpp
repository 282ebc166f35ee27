// Instructions that access memory: SMRD/SMEM, DS, MUBUF, MTBUF, FLAT. [SIA; CIA; VIA: chapters «Scalar Memory
// Operations», «Vector Memory Operations», «Data Share Operations»]
//
// A buffer access goes through a descriptor (V#) in four scalar registers:
//
//   offset  = instruction offset + vector offset (OFFEN) + stride * vector index (IDXEN)
//   address = base + scalar offset + offset          (ADDR64: + 64-bit vector address, no range check)
//
// With swizzling, elements of `index_stride` neighbours are interleaved instead. Loads out of range give 0 and stores
// do nothing: raw buffers (stride 0, or not swizzled) when offset >= num_records - scalar offset, structured ones when
// index >= num_records. In range says nothing about the caller's memory, which is checked on its own.
#include <algorithm>
#include <cstring>
#include <limits>

#include "half.hpp"
#include "semantics.hpp"

namespace amdcompat::emulate {
namespace {

constexpr u64 kAddressMask = 0xffff'ffff'ffff;  // 48 bits

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

template <class Body>
void each_lane(const Wave& wave, Body&& body) {
  for (u64 rest = wave.exec(); rest != 0; rest &= rest - 1) body(static_cast<u32>(std::countr_zero(rest)));
}

// What a load returns; collected before it is written, because the destination may hold the addresses.
template <u32 Dwords>
class Loaded {
 public:
  u32& at(u32 dword, u32 lane) { return values_[dword][lane]; }
  void write(Wave& wave, u32 first) {
    for (u32 n = 0; n < Dwords; ++n) {
      Lanes& out = wave.vgpr(first + n);
      each_lane(wave, [&](u32 lane) { out[lane] = values_[n][lane]; });
    }
    wave.define_vgpr(first, Dwords, wave.exec());
  }

 private:
  std::array<Lanes, Dwords> values_{};
};

// Values of 32 or 64 bits in registers.
template <class T>
T lane_value(Wave& wave, u32 first, u32 lane) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(wave.vgpr(first)[lane] | u64{wave.vgpr(first + 1)[lane]} << 32);
  else
    return std::bit_cast<T>(wave.vgpr(first)[lane]);
}
template <class T, u32 Dwords>
void keep_value(Loaded<Dwords>& loaded, u32 lane, T value) {
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  loaded.at(0, lane) = static_cast<u32>(bits);
  if constexpr (sizeof(T) == 8) loaded.at(1, lane) = static_cast<u32>(bits >> 32);
}

// Values as memory holds them. Those of less than 32 bits are extended in the register as `T` says.
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
template <class T>
u32 extended(T value) {
  return static_cast<u32>(static_cast<i32>(value));
}

// --- scalar loads --------------------------------------------------------------------------------------------------

// Bytes from the base. Offsets in registers count bytes too, and lose their low bits.
u64 scalar_offset(Wave& wave, const Instruction& i) {
  if (i.immediate_offset) return static_cast<u32>(i.immediate);
  return wave.source32(i, i.sources[1]) & ~u32{3};
}
template <u32 Dwords>
void scalar_load(Wave& wave, const Instruction& i) {
  const u64 address = (wave.sgpr64(i.resource) & kAddressMask & ~u64{3}) + scalar_offset(wave, i);
  std::array<u32, Dwords> out{};
  for (u32 n = 0; n < Dwords; ++n) out[n] = load_value<u32>(wave, address + 4 * n);
  for (u32 n = 0; n < Dwords; ++n) wave.set_sgpr(i.destination + n, out[n]);
}
// Through a descriptor: dwords past its end are 0.
template <u32 Dwords>
void scalar_buffer_load(Wave& wave, const Instruction& i) {
  const u64 low = wave.sgpr64(i.resource);
  const u64 records = wave.sgpr(i.resource + 2u);
  if (wave.sgpr(i.resource + 3u) >> 30 != 0) return wave.stop("a load through a descriptor of another type");
  const u64 stride = low >> 48 & 0x3fff;
  const u64 size = stride == 0 ? records : records * stride;
  const u64 offset = scalar_offset(wave, i);
  std::array<u32, Dwords> out{};
  for (u32 n = 0; n < Dwords; ++n)
    if (offset + 4 * n + 4 <= size) out[n] = load_value<u32>(wave, (low & kAddressMask & ~u64{3}) + offset + 4 * n);
  for (u32 n = 0; n < Dwords; ++n) wave.set_sgpr(i.destination + n, out[n]);
}
template <u32 Dwords>
inline constexpr Semantics load_scalar{
    .execute = &scalar_load<Dwords>, .destination = dwords_shape(Dwords), .sources = {Shape::B64, Shape::B32}};
template <u32 Dwords>
inline constexpr Semantics load_constant{
    .execute = &scalar_buffer_load<Dwords>, .destination = dwords_shape(Dwords), .sources = {Shape::B128, Shape::B32}};

// --- buffers -------------------------------------------------------------------------------------------------------

struct Descriptor {
  u64 base = 0;
  u32 stride = 0;
  u32 records = 0;
  u32 word3 = 0;
  bool swizzle = false;
  [[nodiscard]] u32 select(u32 component) const { return word3 >> (3 * component) & 7; }
  [[nodiscard]] u32 number_format() const { return word3 >> 12 & 7; }
  [[nodiscard]] u32 data_format() const { return word3 >> 15 & 15; }
  [[nodiscard]] u32 element_bytes() const { return 2u << (word3 >> 19 & 3); }
  [[nodiscard]] u32 index_stride() const { return 8u << (word3 >> 21 & 3); }
  [[nodiscard]] bool add_thread() const { return (word3 >> 23 & 1) != 0; }
};

// Addresses of one buffer instruction, lane by lane.
class Buffer {
 public:
  Buffer(Wave& wave, const Instruction& i) : i_(i), report_(wave.context().report) {
    const u64 low = wave.sgpr64(i.resource);
    d_ = {low & kAddressMask, static_cast<u32>(low >> 48 & 0x3fff), wave.sgpr(i.resource + 2u),
          wave.sgpr(i.resource + 3u), (low >> 63) != 0};
    soffset_ = wave.source32(i, i.sources[1]);
    const u32 addresses = i.addr64 ? 2 : u32{i.offen} + i.idxen;
    wave.check_vgpr(i.address, addresses, wave.exec());
    if (addresses > 0) first_ = &wave.vgpr(i.address);
    if (addresses > 1) second_ = &wave.vgpr(i.address + 1u);
    if ((d_.word3 >> 30) != 0) wave.stop("a buffer access through a descriptor of another type");
    if (i.tfe || i.lds) wave.stop("buffer access with TFE or LDS");
    if (i.addr64 && (i.offen || i.idxen)) wave.stop("ADDR64 together with OFFEN or IDXEN");
  }
  [[nodiscard]] const Descriptor& descriptor() const { return d_; }

  // The address of `bytes` bytes at `skip` behind the lane's place; empty when out of range.
  [[nodiscard]] std::optional<u64> at(u32 lane, u32 skip, u32 bytes) const {
    if (i_.addr64) {
      const u64 address = (*first_)[lane] | u64{(*second_)[lane]} << 32;
      return (d_.base + address + soffset_ + i_.offset0 + skip) & kAddressMask;
    }
    const u32 index = (i_.idxen ? (*first_)[lane] : 0) + (d_.add_thread() ? lane : 0);
    const u32 vector = i_.offen ? (*(i_.idxen ? second_ : first_))[lane] : 0;
    const u64 offset = u64{i_.offset0} + vector + skip;
    const bool structured = d_.stride != 0 && (d_.swizzle || i_.idxen || d_.add_thread());
    if (structured ? index >= d_.records : offset + soffset_ + bytes > d_.records) {
      ++report_.out_of_range;
      return std::nullopt;
    }
    if (!d_.swizzle) return (d_.base + soffset_ + offset + u64{d_.stride} * index) & kAddressMask;
    const u64 group = index / d_.index_stride(), within = index % d_.index_stride();
    const u64 element = offset / d_.element_bytes(), rest = offset % d_.element_bytes();
    const u64 place =
        (group * d_.stride + element * d_.element_bytes()) * d_.index_stride() + within * d_.element_bytes() + rest;
    return (d_.base + soffset_ + place) & kAddressMask;
  }

 private:
  const Instruction& i_;
  Report& report_;
  Descriptor d_;
  u32 soffset_ = 0;
  const Lanes* first_ = nullptr;
  const Lanes* second_ = nullptr;
};

template <class T, u32 Dwords>
void buffer_load(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  if (wave.status() == Status::Stopped) return;
  Loaded<Dwords> loaded;
  each_lane(wave, [&](u32 lane) {
    for (u32 n = 0; n < Dwords; ++n)
      if (const auto address = buffer.at(lane, 4 * n, sizeof(T)))
        loaded.at(n, lane) = extended(load_value<T>(wave, *address));
  });
  loaded.write(wave, i.data);
}
template <class T, u32 Dwords>
void buffer_store(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  wave.check_vgpr(i.data, Dwords, wave.exec());
  if (wave.status() == Status::Stopped) return;
  each_lane(wave, [&](u32 lane) {
    for (u32 n = 0; n < Dwords; ++n)
      if (const auto address = buffer.at(lane, 4 * n, sizeof(T)))
        store_value(wave, *address, static_cast<T>(wave.vgpr(i.data + n)[lane]));
  });
}

// --- formats -------------------------------------------------------------------------------------------------------

// Bits of each component; the packed formats 6 to 9 have no real user and no row.
struct DataFormat {
  u8 number;
  u8 components;
  u8 bits;
};
constexpr DataFormat kFormats[] = {{1, 1, 8},  {2, 1, 16},  {3, 2, 8},   {4, 1, 32},  {5, 2, 16},
                                   {10, 4, 8}, {11, 2, 32}, {12, 4, 16}, {13, 3, 32}, {14, 4, 32}};
enum NumberFormat : u32 { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kSnormOgl, kFloat };

u32 bits_of(float value) { return std::bit_cast<u32>(value); }
double largest(u32 bits) { return std::ldexp(1.0, static_cast<int>(bits)) - 1; }

// From memory to a register; empty for number formats that the width does not have.
std::optional<u32> unpack(u32 raw, u32 bits, u32 format) {
  const i32 value = static_cast<i32>(raw << (32 - bits)) >> (32 - bits);
  switch (format) {
    case kUnorm: return bits_of(static_cast<float>(raw / largest(bits)));
    case kSnorm: return bits_of(static_cast<float>(std::max(value / largest(bits - 1), -1.0)));
    case kUscaled: return bits_of(static_cast<float>(raw));
    case kSscaled: return bits_of(static_cast<float>(value));
    case kUint: return raw;
    case kSint: return static_cast<u32>(value);
    case kFloat: return bits == 32 ? raw : bits == 16 ? std::optional(bits_of(from_half(raw))) : std::nullopt;
    default: return std::nullopt;
  }
}
std::optional<u32> pack(u32 value, u32 bits, u32 format) {
  const float real = std::bit_cast<float>(value);
  const double most = largest(bits), signed_most = largest(bits - 1);
  const auto rounded = [&](double low, double high, double scale) {
    const double x = std::isnan(real) ? 0 : std::clamp(real * scale, low, high);
    return static_cast<u32>(static_cast<i64>(std::nearbyint(x)));
  };
  switch (format) {
    case kUnorm: return rounded(0, most, most);
    case kSnorm: return rounded(-signed_most, signed_most, signed_most);
    case kUscaled: return rounded(0, most, 1);
    case kSscaled: return rounded(-signed_most - 1, signed_most, 1);
    case kUint: return bits == 32 ? value : std::min(value, static_cast<u32>(most));
    case kSint:
      return static_cast<u32>(
          std::clamp<i64>(static_cast<i32>(value), static_cast<i64>(-signed_most) - 1, static_cast<i64>(signed_most)));
    case kFloat: return bits == 32 ? value : bits == 16 ? std::optional(to_half(real, false)) : std::nullopt;
    default: return std::nullopt;
  }
}

// The format of an access: the instruction's own (MTBUF), or the descriptor's. Null, and the run stops: none of ours.
struct FormatUse {
  const DataFormat* data = nullptr;
  u32 number = 0;
  u32 bytes = 0;
};
FormatUse format_of(Wave& wave, const Instruction& i, const Descriptor& d) {
  const bool own = i.format == Format::Mtbuf;
  const u32 data = own ? i.data_format : d.data_format(), number = own ? i.number_format : d.number_format();
  const auto* const found = std::ranges::find(kFormats, data, &DataFormat::number);
  if (found == std::end(kFormats) || !unpack(0, found->bits, number)) {
    wave.stop("buffer access in data format " + std::to_string(data) + ", number format " + std::to_string(number));
    return {};
  }
  return {found, number, found->components * found->bits / 8u};
}

template <u32 Components>
void format_load(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  const FormatUse format = format_of(wave, i, buffer.descriptor());
  if (wave.status() == Status::Stopped) return;
  const u32 one = format.number == kUint || format.number == kSint ? 1 : bits_of(1.0f);
  Loaded<Components> loaded;
  each_lane(wave, [&](u32 lane) {
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
    for (u32 c = 0; c < Components; ++c) {
      // MTBUF takes the components as they come; else the descriptor selects.
      const u32 select = i.format == Format::Mtbuf ? 4 + c : buffer.descriptor().select(c);
      loaded.at(c, lane) = select == 1 ? one : select >= 4 ? values[select - 4] : 0;
    }
  });
  loaded.write(wave, i.data);
}
template <u32 Components>
void format_store(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  const FormatUse format = format_of(wave, i, buffer.descriptor());
  if (wave.status() == Status::Stopped) return;
  if (Components < format.data->components) return wave.stop("a store of fewer components than its format has");
  wave.check_vgpr(i.data, format.data->components, wave.exec());
  each_lane(wave, [&](u32 lane) {
    std::array<u8, 16> raw{};
    for (u32 c = 0; c < format.data->components; ++c) {
      const u32 bits = *pack(wave.vgpr(i.data + c)[lane], format.data->bits, format.number);
      std::memcpy(raw.data() + c * format.data->bits / 8, &bits, format.data->bits / 8u);
    }
    if (const auto address = buffer.at(lane, 0, format.bytes)) wave.store(*address, std::span(raw).first(format.bytes));
  });
}

// --- atomics -------------------------------------------------------------------------------------------------------

// A function takes what memory holds and one operand, or two, and gives what memory holds then.
template <class Signature>
struct Atomic;
template <class T, class... Operands>
struct Atomic<T (*)(T, Operands...)> {
  using Type = T;
  static constexpr u32 kDwords = sizeof(T) / 4;
  static constexpr u32 kOperands = sizeof...(Operands);

  // Operands are in registers from `first` and `second` on.
  template <auto F>
  static T apply(Wave& wave, T old, u32 first, u32 second, u32 lane) {
    const T a = lane_value<T>(wave, first, lane);
    if constexpr (kOperands == 2)
      return F(old, a, lane_value<T>(wave, second, lane));
    else
      return F(old, a);
  }
};

template <auto F, class Address>
void atomic(Wave& wave, const Instruction& i, u32 result, Address&& address_of) {
  using A = Atomic<decltype(+F)>;
  using T = typename A::Type;
  wave.check_vgpr(i.data, A::kDwords * A::kOperands, wave.exec());
  if (wave.status() == Status::Stopped) return;
  Loaded<A::kDwords> old_values;
  each_lane(wave, [&](u32 lane) {
    const std::optional<u64> address = address_of(lane);
    if (!address) return;
    const T old = load_value<T>(wave, *address);
    store_value(wave, *address, A::template apply<F>(wave, old, i.data, i.data + A::kDwords, lane));
    keep_value(old_values, lane, old);
  });
  if (i.glc) old_values.write(wave, result);
}
template <auto F>
void buffer_atomic(Wave& wave, const Instruction& i) {
  const Buffer buffer(wave, i);
  if (wave.status() == Status::Stopped) return;
  constexpr u32 kBytes = sizeof(typename Atomic<decltype(+F)>::Type);
  atomic<F>(wave, i, i.data, [&](u32 lane) { return buffer.at(lane, 0, kBytes); });
}

template <class T>
constexpr auto kSwap = [](T, T a) -> T { return a; };
// The operand in the lower registers is what is stored, the other one what is expected.
template <class T>
constexpr auto kCompareSwap = [](T old, T a, T expected) -> T { return old == expected ? a : old; };
template <class T>
constexpr auto kAdd = [](T old, T a) -> T { return old + a; };
template <class T>
constexpr auto kSub = [](T old, T a) -> T { return old - a; };
template <class T>
constexpr auto kReverseSub = [](T old, T a) -> T { return a - old; };
template <class T>
constexpr auto kMin = [](T old, T a) -> T { return a < old ? a : old; };
template <class T>
constexpr auto kMax = [](T old, T a) -> T { return a > old ? a : old; };
template <class T>
constexpr auto kAnd = [](T old, T a) -> T { return old & a; };
template <class T>
constexpr auto kOr = [](T old, T a) -> T { return old | a; };
template <class T>
constexpr auto kXor = [](T old, T a) -> T { return old ^ a; };
template <class T>
constexpr auto kInc = [](T old, T a) -> T { return old >= a ? 0 : old + 1; };
template <class T>
constexpr auto kDec = [](T old, T a) -> T { return old == 0 || old > a ? a : old - 1; };

// --- FLAT ----------------------------------------------------------------------------------------------------------

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

// --- LDS -----------------------------------------------------------------------------------------------------------

// Accesses of one instruction. M0 is the limit that the hardware clamps to.
class Lds {
 public:
  Lds(Wave& wave, const Instruction& i) : wave_(wave), i_(i), limit_(wave.sgpr(kM0)) {
    if (i.gds) wave.stop("GDS");
    wave.check_vgpr(i.address, 1, wave.exec());
  }
  template <class T>
  T read(u32 lane, u32 offset) {
    const std::optional<u32> at = place<T>(lane, offset);
    if (!at) return T{};
    Group& group = wave_.group();
    if (std::find(group.defined.begin() + *at, group.defined.begin() + *at + sizeof(T), u8{0}) !=
        group.defined.begin() + *at + sizeof(T))
      wave_.poison("LDS");
    T out;
    std::memcpy(&out, group.lds.data() + *at, sizeof(T));
    return out;
  }
  template <class T>
  void write(u32 lane, u32 offset, T value) {
    const std::optional<u32> at = place<T>(lane, offset);
    if (!at) return;
    std::memcpy(wave_.group().lds.data() + *at, &value, sizeof(T));
    std::memset(wave_.group().defined.data() + *at, 1, sizeof(T));
  }

 private:
  template <class T>
  std::optional<u32> place(u32 lane, u32 offset) {
    const u64 at = u64{wave_.vgpr(i_.address)[lane]} + offset;
    if (at % std::min<u32>(sizeof(T), 4) != 0) {
      wave_.stop("LDS access at " + std::to_string(at) + ", which is not aligned");
      return std::nullopt;
    }
    if (at + sizeof(T) > wave_.group().lds.size() || at + sizeof(T) > limit_) {
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
      keep_value(loaded, lane, value);
    else
      loaded.at(0, lane) = extended(value);
  });
  loaded.write(wave, i.destination);
}
template <class T, u32 Scale>
void ds_read2(Wave& wave, const Instruction& i) {
  Lds lds(wave, i);
  if (wave.status() == Status::Stopped) return;
  constexpr u32 kDwords = sizeof(T) / 4;
  Loaded<2 * kDwords> loaded;
  each_lane(wave, [&](u32 lane) {
    for (u32 n = 0; n < 2; ++n) {
      const u64 value = lds.read<T>(lane, (n == 0 ? i.offset0 : i.offset1) * Scale);
      for (u32 dword = 0; dword < kDwords; ++dword)
        loaded.at(n * kDwords + dword, lane) = static_cast<u32>(value >> (32 * dword));
    }
  });
  loaded.write(wave, i.destination);
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
    keep_value(old_values, lane, old);
  });
  if (Returns) old_values.write(wave, i.destination);
}
// DS compares with its first operand and stores the second.
template <class T>
constexpr auto kDsCompareSwap = [](T old, T expected, T a) -> T { return old == expected ? a : old; };

// --- shapes of rows ------------------------------------------------------------------------------------------------

// For buffers, FLAT and DS: the destination is what a load returns, the first source what a store or atomic takes.
constexpr Semantics loads(Execute execute, u32 dwords) {
  return {.execute = execute, .destination = dwords_shape(dwords)};
}
constexpr Semantics stores(Execute execute, u32 dwords) {
  return {.execute = execute, .sources = {dwords_shape(dwords)}};
}
template <auto F>
constexpr Semantics atomics(Execute execute) {
  using A = Atomic<decltype(+F)>;
  return {.execute = execute,
          .destination = dwords_shape(A::kDwords),
          .sources = {dwords_shape(A::kDwords * A::kOperands)}};
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
template <auto F>
inline constexpr Semantics buffer_rmw = atomics<F>(&buffer_atomic<F>);
template <auto F>
inline constexpr Semantics flat_rmw = atomics<F>(&flat_atomic<F>);
constexpr Semantics kNothing{.execute = [](Wave&, const Instruction&) {}};  // caches are not modelled

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
    {Opcode::s_dcache_inv, kNothing},
    {Opcode::buffer_load_format_x, loads(&format_load<1>, 1)},
    {Opcode::buffer_load_format_xy, loads(&format_load<2>, 2)},
    {Opcode::buffer_load_format_xyz, loads(&format_load<3>, 3)},
    {Opcode::buffer_load_format_xyzw, loads(&format_load<4>, 4)},
    {Opcode::buffer_store_format_x, stores(&format_store<1>, 1)},
    {Opcode::buffer_store_format_xy, stores(&format_store<2>, 2)},
    {Opcode::buffer_store_format_xyz, stores(&format_store<3>, 3)},
    {Opcode::buffer_store_format_xyzw, stores(&format_store<4>, 4)},
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
    {Opcode::buffer_wbinvl1, kNothing},
    {Opcode::buffer_wbinvl1_sc, kNothing},
    {Opcode::buffer_wbinvl1_vol, kNothing},
    {Opcode::tbuffer_load_format_x, loads(&format_load<1>, 1)},
    {Opcode::tbuffer_load_format_xy, loads(&format_load<2>, 2)},
    {Opcode::tbuffer_load_format_xyz, loads(&format_load<3>, 3)},
    {Opcode::tbuffer_load_format_xyzw, loads(&format_load<4>, 4)},
    {Opcode::tbuffer_store_format_x, stores(&format_store<1>, 1)},
    {Opcode::tbuffer_store_format_xy, stores(&format_store<2>, 2)},
    {Opcode::tbuffer_store_format_xyz, stores(&format_store<3>, 3)},
    {Opcode::tbuffer_store_format_xyzw, stores(&format_store<4>, 4)},
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
    {Opcode::ds_write_b8, ds_stores(&ds_write<u8>, 1)},
    {Opcode::ds_write_b16, ds_stores(&ds_write<u16>, 1)},
    {Opcode::ds_read_i8, loads(&ds_read<i8>, 1)},
    {Opcode::ds_read_u8, loads(&ds_read<u8>, 1)},
    {Opcode::ds_read_i16, loads(&ds_read<i16>, 1)},
    {Opcode::ds_read_u16, loads(&ds_read<u16>, 1)},
};
// clang-format on
static_assert(first_missing(Room::Memory, kRows) == Opcode::none);

}  // namespace

std::span<const Row> memory_rows() { return kRows; }

}  // namespace amdcompat::emulate
