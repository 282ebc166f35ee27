// SDWA and DPP of GFX8. [VIA: «SDWA», «DPP»; CLRX GcnSdwaDpp]
//
// Functions of opcodes know nothing of either. What a source selects is put into a register that no instruction can
// name; the plain instruction runs on that, and what it gave is put into its part of the destination.
#include "sdwa_dpp.hpp"

#include <algorithm>

#include "wave.hpp"

namespace amdcompat::emulate {
namespace {

// Registers of `Wave::staged`: one for each source, one for the result.
constexpr u32 kSource = 0, kResult = 2;
constexpr u16 staged(u32 n) { return static_cast<u16>(Wave::kFirstStaged + n); }

u64 bit(u32 lane) { return u64{1} << lane; }
template <class Body>
void each(u64 lanes, Body&& body) {
  for (; lanes != 0; lanes &= lanes - 1) body(static_cast<u32>(std::countr_zero(lanes)));
}

void run_plain(Wave& wave, const Instruction& plain) { execute_of(plain.opcode)(wave, plain); }

// A copy of what is not set is not set: see v_mov_b32. The others report it.
bool copies(const Instruction& i) { return i.opcode == Opcode::v_mov_b32; }
// Of the lanes in `used`, those that nothing has set.
u64 unset_lanes(const Wave& wave, u32 number, u64 used) { return used & ~wave.vgpr_defined(number); }

// --- SDWA ----------------------------------------------------------------------------------------------------------

// A byte, a half or all of a register.
class Part {
 public:
  explicit Part(u32 select)
      : whole_(select >= kDword), bits_(whole_             ? 32
                                        : select >= kWord0 ? 16
                                                           : 8),
        shift_(whole_             ? 0
               : select >= kWord0 ? 16 * (select - kWord0)
                                  : 8 * select) {}
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] u32 mask() const { return static_cast<u32>((u64{1} << bits_) - 1) << shift_; }
  [[nodiscard]] u32 taken(u32 value, bool extend) const {
    return extend ? extended(value >> shift_) : (value & mask()) >> shift_;
  }
  // The part holds the low bits of `value`; what is below is zero, what is above zero or the part's sign.
  [[nodiscard]] u32 put(u32 value, bool extend) const {
    return extend ? extended(value) << shift_ : value << shift_ & mask();
  }

  static constexpr u32 kWord0 = 4, kDword = 6;

 private:
  [[nodiscard]] u32 extended(u32 value) const {
    return static_cast<u32>(static_cast<i32>(value << (32 - bits_)) >> (32 - bits_));
  }
  bool whole_;
  u32 bits_, shift_;
};

void execute_sdwa(Wave& wave, const Instruction& i) {
  constexpr u32 kSigns = 1, kKept = 2;
  if (std::max({i.destination_select, i.select0, i.select1}) > Part::kDword || i.destination_unused > kKept)
    return wave.stop("SDWA with a selection that has no meaning");
  const gcn::OpcodeInfo& info = gcn::info(i.opcode);
  const u64 exec = wave.exec();
  u64 unset = 0;
  Instruction plain = i;
  plain.variant = gcn::Variant::Plain;
  for (u32 n = 0; n < 2 && info.sources[n] != Shape::None; ++n) {
    const Part part(n == 0 ? i.select0 : i.select1);
    const bool extend = (i.sign_extend >> n & 1) != 0;
    Lanes& out = wave.vgpr(staged(kSource + n));
    plain.sources[n] = static_cast<u16>(kFirstVector + staged(kSource + n));
    if (i.sources[n] < kFirstVector) {  // [VEGA: «SDWA», S0 and S1]
      if (wave.launch().gfx < gcn::Generation::Gfx9)
        return wave.stop("SDWA of a scalar register, which GFX8 does not have");
      if (i.sources[n] >= 128) return wave.stop("SDWA of a constant: no document says what its parts are");
      out.fill(part.taken(wave.source32(i, i.sources[n]), extend));
      continue;
    }
    const u32 number = i.sources[n] - kFirstVector;
    if (copies(i))
      unset |= unset_lanes(wave, number, exec);
    else
      wave.check_vgpr(number, 1, exec);
    const Lanes& from = wave.vgpr(number);
    each(exec, [&](u32 lane) { out[lane] = part.taken(from[lane], extend); });
  }
  if (info.destination == Shape::None) return run_plain(wave, plain);

  const Part part(i.destination_select);
  const bool keeps = !part.whole() && i.destination_unused == kKept;
  if (keeps && copies(i))
    unset |= unset_lanes(wave, i.destination, exec);
  else if (keeps)
    wave.check_vgpr(i.destination, 1, exec);
  plain.destination = staged(kResult);
  Lanes& destination = wave.vgpr(i.destination);
  Lanes& result = wave.vgpr(plain.destination);
  run_plain(wave, plain);
  if (wave.status() == Status::Stopped) return;
  each(exec, [&](u32 lane) {
    const u32 kept = keeps ? destination[lane] & ~part.mask() : 0;
    destination[lane] = kept | part.put(result[lane], !part.whole() && i.destination_unused == kSigns);
  });
  wave.define_vgpr(i.destination, 1, exec);
  wave.undefine_vgpr(i.destination, unset);
}

// --- DPP -----------------------------------------------------------------------------------------------------------

constexpr u32 kRow = 16, kBank = 4;

// Where a lane reads: a lane, `kNone` beyond the ends of its row or wavefront, `kUnknown` for no such control.
constexpr u32 kNone = 64, kUnknown = 65;
u32 source_lane(u32 control, u32 lane) {
  const u32 by = control & 15, in_row = lane % kRow, row = lane - in_row;
  if (control < 0x100) return lane - lane % 4 + (control >> 2 * (lane % 4) & 3);
  if (control < 0x130 && by == 0) return kUnknown;
  if (control < 0x110) return in_row + by < kRow ? lane + by : kNone;
  if (control < 0x120) return in_row >= by ? lane - by : kNone;
  if (control < 0x130) return row + (in_row + kRow - by) % kRow;
  switch (control) {
    case 0x130: return lane + 1 < kLanes ? lane + 1 : kNone;
    case 0x134: return (lane + 1) % kLanes;
    case 0x138: return lane != 0 ? lane - 1 : kNone;
    case 0x13c: return (lane + kLanes - 1) % kLanes;
    case 0x140: return row + kRow - 1 - in_row;
    case 0x141: return lane - lane % 8 + 7 - lane % 8;
    case 0x142: return row != 0 ? row - 1 : kNone;
    case 0x143: return lane >= 32 ? 31 : kNone;
    default: return kUnknown;
  }
}

void execute_dpp(Wave& wave, const Instruction& i) {
  const gcn::OpcodeInfo& info = gcn::info(i.opcode);
  Instruction plain = i;
  plain.variant = gcn::Variant::Plain;
  if (info.sources[0] == Shape::None) return run_plain(wave, plain);
  if (source_lane(i.dpp_control, 0) == kUnknown) return wave.stop("DPP with a control that has no meaning");
  const u32 number = i.sources[0] - kFirstVector;
  const Lanes& from = wave.vgpr(number);
  Lanes& out = wave.vgpr(staged(kSource));
  const u64 exec = wave.exec(), defined = wave.vgpr_defined(number);
  u64 written = 0, used = 0, unset = 0;
  each(exec, [&](u32 lane) {
    if ((i.row_mask >> lane / kRow & 1) == 0 || (i.bank_mask >> lane / kBank % 4 & 1) == 0) return;
    // A disabled lane has no value either.
    const u32 source = source_lane(i.dpp_control, lane);
    const bool there = source < kLanes && (exec >> source & 1) != 0;
    if (!there && !i.bound_control) return;
    out[lane] = there ? from[source] : 0;
    written |= bit(lane);
    if (!there) return;
    used |= bit(source);
    if ((defined >> source & 1) == 0) unset |= bit(lane);
  });
  if (!copies(i)) {
    wave.check_vgpr(number, 1, used);
    unset = 0;
  }
  if (info.is(gcn::Property::MaskOut) && written != exec)
    return wave.stop("a lane mask by DPP of some lanes only: no document says what the others' bits become");
  plain.sources[0] = static_cast<u16>(kFirstVector + staged(kSource));
  wave.set_exec(written);
  run_plain(wave, plain);
  wave.set_exec(exec);
  if (unset != 0) wave.undefine_vgpr(i.destination, unset);
}

}  // namespace

Execute execute_of(const Instruction& instruction) {
  const Execute plain = execute_of(instruction.opcode);
  if (plain == nullptr) return nullptr;
  switch (instruction.variant) {
    case gcn::Variant::Plain: return plain;
    case gcn::Variant::Sdwa: return &execute_sdwa;
    case gcn::Variant::Dpp: return &execute_dpp;
    case gcn::Variant::Dpp8: break;
  }
  return nullptr;
}

}  // namespace amdcompat::emulate
