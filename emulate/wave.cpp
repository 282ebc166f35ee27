#include "wave.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace amdcompat::emulate {
namespace {

constexpr std::array<float, 9> kConstants{0.5f, -0.5f, 1.0f, -1.0f, 2.0f, -2.0f, 4.0f, -4.0f, 0.15915494309189532f};
constexpr std::array<double, 9> kConstants64{0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 0.15915494309189532};

constexpr u32 kSharedBase = 235, kPrivateBase = 237;

std::string scalar_name(u32 code) {
  switch (code) {
    case kVcc:
    case kVcc + 1: return "VCC";
    case kM0: return "M0";
    case kExec:
    case kExec + 1: return "EXEC";
    default: return fmt::format("s{}", code);
  }
}

}  // namespace

u32 Wave::source32(const Instruction& i, u32 code) {
  if (code < 128) return sgpr(code);
  if (code <= 192) return code - 128;
  if (code <= 208) return static_cast<u32>(192 - static_cast<i32>(code));
  if (code >= 240 && code <= (launch().gfx >= gcn::Generation::Gfx8 ? 248u : 247u))
    return std::bit_cast<u32>(kConstants[code - 240]);
  switch (code) {
    case 251: return sgpr64(kVcc) == 0;
    case 252: return exec() == 0;
    case 253: return scc();
    case kLiteral: return i.literal;
    default: stop(fmt::format("operand code {} has no value", code)); return 0;
  }
}

u64 Wave::source64(const Instruction& i, u32 code, bool real) {
  if (code < 128) return sgpr64(code);
  if (code >= 240 && code <= (launch().gfx >= gcn::Generation::Gfx8 ? 248u : 247u))
    return std::bit_cast<u64>(kConstants64[code - 240]);
  // Where FLAT instructions see local and scratch memory, from GFX9 on. [VEGA: table of source operands; S1 «Flat
  // Scratch»]
  if (launch().gfx >= gcn::Generation::Gfx9 && code == kSharedBase) return u64{launch().local_aperture} << 32;
  if (launch().gfx >= gcn::Generation::Gfx9 && code == kPrivateBase) return u64{launch().scratch_aperture} << 32;
  // Integers are sign-extended when negative; a literal is zero-extended, or the high half of a double.
  if (code > 192 && code <= 208) return static_cast<u64>(i64{192} - static_cast<i64>(code));
  const u64 value = source32(i, code);
  return code == kLiteral && real ? value << 32 : value;
}

void Context::note(const PoisonRead& read) {
  u32& first = poison_seen[read.offset / 4];
  if (report.poison.size() >= limits.findings) return;
  // Those of one instruction mostly stand together.
  if (first != 0 && std::find(report.poison.begin() + first - 1, report.poison.end(), read) != report.poison.end())
    return;
  if (first == 0) first = static_cast<u32>(report.poison.size()) + 1;
  report.poison.push_back(read);
}
void Context::note(const OutsideAccess& access) {
  if (outside_seen[access.offset / 4] || report.outside.size() >= limits.findings) return;
  outside_seen[access.offset / 4] = true;
  report.outside.push_back(access);
}

void Wave::poison(std::string what) {
  ++context_.report.poison_reads;
  context_.note(PoisonRead{current_, std::move(what)});
}

void Wave::stop_unallocated(std::string_view what, u32 number) {
  stop(fmt::format("{}{}, which is not allocated", what, number));
}

bool Wave::poison_again(u32 source) {
  auto& named = context_.poison_named[current_ / 4];
  const u16 one = static_cast<u16>(source + 1);
  if (std::ranges::find(named, one) == named.end()) {
    std::ranges::rotate(named, named.end() - 1);
    named.front() = one;
    return false;
  }
  ++context_.report.poison_reads;
  return true;
}
void Wave::poison_scalar(u32 code) {
  if (!poison_again(code)) poison(scalar_name(code));
}
void Wave::poison_vector(u32 number) {
  if (!poison_again(kFirstVector + number)) poison(fmt::format("v{}", number));
}

void Wave::outside(u64 address, std::size_t size, bool is_store, bool lds) {
  constexpr u64 kCost = 6;  // measured: looking in vain takes as long as three accesses of a dword
  ++context_.report.outside_accesses;
  context_.report.lane_instructions += kCost;
  context_.note(OutsideAccess{current_, address, static_cast<u32>(size), is_store, lds});
}

void Wave::outside_lds(u64 address, std::size_t size) { outside(address, size, false, true); }

OwnMemory* Wave::own_memory(u64 address, u64& place) {
  if (is_scratch(address)) {
    place = address - kScratchAddress;
    return &group_.scratch;
  }
  if (high_half(address) != launch().local_aperture) return nullptr;
  place = low_half(address);
  // FLAT instructions clamp as DS does, before GFX9. [S2 «M0 register»]
  if (launch().gfx <= gcn::Generation::Gfx8 && place >= sgpr(kM0)) place = ~u64{0};
  return &group_.lds;
}

void Wave::undefine_scratch(u64 address, std::size_t size) {
  u64 place = 0;
  OwnMemory* const own = own_memory(address, place);
  if (own == nullptr || place >= own->bytes.size()) return;
  const std::span<u8> rest = std::span(own->defined).subspan(static_cast<std::size_t>(place));
  std::ranges::fill(rest.first(std::min(size, rest.size())), u8{0});
}

bool Wave::load_elsewhere(u64 address, std::span<u8> out) {
  u64 place = 0;
  if (const OwnMemory* const own = own_memory(address, place)) {
    if (place > own->bytes.size() || out.size() > own->bytes.size() - place) {
      outside(address, out.size(), false, own == &group_.lds);
      std::ranges::fill(out, u8{0});
      return false;
    }
    std::memcpy(out.data(), own->bytes.data() + place, out.size());
    if (context_.races && own == &group_.lds) context_.races->load(access_of(place, true), out.size());
    const u8* const defined = own->defined.data() + place;
    if (own == &group_.lds && std::memchr(defined, 0, out.size()) != nullptr) poison("LDS");
    undefined_ = own == &group_.scratch && std::memchr(defined, 1, out.size()) == nullptr;
    return true;
  }
  const u8* const bytes = context_.space.load(address, out.size());
  if (bytes == nullptr) {
    outside(address, out.size(), false);
    std::ranges::fill(out, u8{0});
    return false;
  }
  std::memcpy(out.data(), bytes, out.size());
  if (context_.races) context_.races->load(access_of(address, false), out.size());
  return true;
}

bool Wave::load_scalar(u64 address, u32& out) {
  const u8* const bytes = context_.space.load(address, sizeof(out));
  if (bytes == nullptr) {
    context_.note(OutsideAccess{.offset = current_, .address = address, .size = sizeof(out), .poison = true});
    out = context_.limits.unset;
    return false;
  }
  std::memcpy(&out, bytes, sizeof(out));
  if (context_.races) {
    name_first_lane();
    context_.races->load(access_of(address, false), sizeof(out));
  }
  return true;
}

bool Wave::store_elsewhere(u64 address, std::span<const u8> bytes) {
  u64 place = 0;
  if (OwnMemory* const own = own_memory(address, place)) {
    if (place > own->bytes.size() || bytes.size() > own->bytes.size() - place) {
      outside(address, bytes.size(), true, own == &group_.lds);
      return false;
    }
    if (context_.races && own == &group_.lds)
      context_.races->store(access_of(place, true), std::span(own->bytes).subspan(place, bytes.size()), bytes);
    std::memcpy(own->bytes.data() + place, bytes.data(), bytes.size());
    std::memset(own->defined.data() + place, 1, bytes.size());
    return true;
  }
  u8* const target = context_.space.store(address, bytes.size());
  if (target == nullptr) {
    outside(address, bytes.size(), true);
    return false;
  }
  if (context_.races) context_.races->store(access_of(address, false), std::span(target, bytes.size()), bytes);
  std::memcpy(target, bytes.data(), bytes.size());
  ++context_.report.stores;
  return true;
}

void Wave::step(const Instruction& instruction, Execute execute) {
  current_ = instruction.offset;
  pc_ = instruction.offset + instruction.dwords * 4u;
  if (relative_) [[unlikely]]
    return step_relative(instruction, execute);
  execute(*this, instruction);
  if (take_undefined()) [[unlikely]]
    poison("scratch");
}

// M0[7:0] counts registers, M0[15:12] says of which operands: bits 0 to 2 sources, bit 3 the destination. [VIA: «VGPR
// Indexing»; CLRX GcnState] The lanes' own ways to other registers and parts of them do not go together with it; that
// they stop the run is our caution: not verified.
void Wave::step_relative(const Instruction& instruction, Execute execute) {
  constexpr u32 kDestination = 8;
  const bool vector = instruction.format == Format::Vop1 || instruction.format == Format::Vop2 ||
                      instruction.format == Format::Vopc || instruction.format == Format::Vop3;
  if (!vector) return execute(*this, instruction);
  const u32 m0 = sgpr(kM0), index = m0 & 255, mode = m0 >> 12 & 15;
  if (mode == 0) return execute(*this, instruction);
  const gcn::OpcodeInfo& info = gcn::info(instruction.opcode);
  if (info.is(gcn::Property::ScalarDestination) || info.is(gcn::Property::ReadsM0) ||
      instruction.opcode == Opcode::v_writelane_b32 || instruction.variant != gcn::Variant::Plain)
    return stop("relative registers in an instruction that has ways of its own to other ones");
  // The old destination is the third source.
  if (info.is(gcn::Property::ReadsDestination) && (mode >> 2 & 1) != (mode >> 3 & 1))
    return stop("a destination that is relative, and not as a source, or the other way round");
  Instruction moved = instruction;
  for (u32 n = 0; n < 3; ++n)
    if ((mode >> n & 1) != 0 && info.sources[n] != Shape::None && moved.sources[n] >= kFirstVector)
      moved.sources[n] = static_cast<u16>(moved.sources[n] + index);
  if ((mode & kDestination) != 0 && info.destination != Shape::None)
    moved.destination = static_cast<u16>(moved.destination + index);
  execute(*this, moved);
}

}  // namespace amdcompat::emulate
