// State of a wavefront, its work-group and the run, and access to them with poison and range checks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "races.hpp"
#include "space.hpp"

namespace amdcompat::emulate {

inline constexpr u32 kLanes = 64;
using Lanes = std::array<u32, kLanes>;

// What a place holds that nothing has set: see `Limits::unset`. Its bits have nothing to do with those of its
// neighbours.
[[nodiscard]] constexpr u32 unset_word(u32 unset, u64 place) {
  if (unset == 0) return 0;
  u64 mixed = (u64{unset} << 32 ^ place) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9;
  return static_cast<u32>(mixed >> 32);
}
// Memory that begins poisoned; `defined` says which bytes were stored.
struct OwnMemory {
  std::vector<u8> bytes, defined;
  void restart(u64 size, u32 unset) {
    bytes.assign(size, 0);
    for (u64 at = 0; unset != 0 && at < size; ++at) bytes[at] = static_cast<u8>(unset_word(unset, at));
    defined.assign(size, 0);
  }
};
struct Group {
  std::array<u32, 3> id{};
  OwnMemory lds;
  OwnMemory scratch;  // of all its wavefronts
};

// Elements of scratch memory, of which those of all lanes lie next to each other, and what a wavefront has, in bytes.
// [S2 «Scratch memory swizzling»] Any distance between wavefronts would do.
inline constexpr u32 kScratchElement = 4;
[[nodiscard]] constexpr u64 scratch_bytes_of_wave(u32 bytes_of_item) {
  constexpr u64 kGranule = 1024;
  return (u64{bytes_of_item} * 64 + kGranule - 1) / kGranule * kGranule;
}

// What all wavefronts of a run share.
struct Context {
  const Launch& launch;
  Space& space;
  const Limits& limits;
  Report& report;
  // By dword of the code: the registers that were named last, so that loops that read them name them once.
  std::vector<std::array<u16, 4>> poison_named;
  std::vector<u32> poison_seen;  // by dword of the code: number of its first finding, from 1; 0: none
  std::vector<bool> outside_seen;
  std::span<u8> gds;
  std::optional<Races> races{};  // if it looks for them
  u32 lane = 0;  // whose access it is, for races
  bool atomic = false;  // likewise
  bool depends_on_order = false;  // an instruction took what depends on how many ran before
  // By code of a scalar register: the other code that names the same register, or the code itself. VCC, FLAT_SCRATCH
  // and XNACK_MASK are the last registers of the allocation. [reference 10 «Scalar registers that are allocated but not
  // counted»; VIA «SGPR Initialization»]
  u32 numbered = launch.gfx >= gcn::Generation::Gfx8 ? 102 : 104;  // codes below are numbers
  std::array<u8, 128> twin = twins(launch, numbered);

  // Findings that are kept: at most so many as the limits allow, and each once.
  void note(const PoisonRead& read);
  void note(const OutsideAccess& access);

 private:
  static std::array<u8, 128> twins(const Launch& launch, u32 numbered) {
    std::array<u8, 128> out{};
    for (u32 code = 0; code < out.size(); ++code) out[code] = static_cast<u8>(code);
    const u32 special = launch.gfx == gcn::Generation::Gfx6 ? 106 : launch.gfx == gcn::Generation::Gfx7 ? 104 : 102;
    for (u32 code = special; code < 108 && launch.sgprs + code >= 108; ++code) {
      const u32 other = launch.sgprs + code - 108;
      if (other >= numbered) continue;
      out[code] = static_cast<u8>(other);
      out[other] = static_cast<u8>(code);
    }
    return out;
  }
};

// Work-groups of a launch in each dimension.
[[nodiscard]] constexpr std::array<u32, 3> group_counts(const Launch& launch) {
  std::array<u32, 3> out{};
  for (std::size_t d = 0; d < 3; ++d) out[d] = (launch.global[d] - 1) / launch.local[d] + 1;
  return out;
}

// Why a mode of rounding and denormals (as in COMPUTE_PGM_RSRC1) is none of ours; empty: it is.
[[nodiscard]] constexpr std::string_view unknown_float_mode(u32 mode) {
  if ((mode & 15) != 0) return "a rounding mode that is not to nearest";
  if ((mode >> 4 & 3) % 3 != 0 || (mode >> 6 & 3) % 3 != 0) return "denormals kept in inputs or outputs only";
  return {};
}

// Status of a wavefront. `Stopped` ends the whole run; `stop_reason` says why.
enum class Status : u8 { Running, Barrier, Ended, Stopped };

class Wave {
 public:
  // To be restarted before it is used.
  Wave(Context& context, Group& group)
      : context_(context), group_(group), v_(context.launch.vgprs), float_mode_(context.launch.float_mode) {
    vdef_.resize(v_.size());
  }

  // As at first, with everything poisoned. Memory is not made anew for each group: threads would wait for each other.
  void restart(u32 first_item) {
    first_item_ = first_item;
    const u32 unset = context_.limits.unset;
    for (std::size_t n = 0; n < s_.size(); ++n) s_[n] = unset_word(unset, kLanes + n);
    sdef_ = {};
    Lanes lanes;
    for (u32 lane = 0; lane < kLanes; ++lane) lanes[lane] = unset_word(unset, lane);
    const std::size_t used = std::exchange(used_, 0);
    std::fill_n(v_.begin(), std::min(used, v_.size()), lanes);
    std::fill_n(vdef_.begin(), std::min(used, vdef_.size()), u64{0});
    staged_ = {};
    relative_ = scc_defined_ = undefined_ = false;
    scc_ = (unset & 1) != 0;
    float_mode_ = launch().float_mode;
    pc_ = current_ = 0;
    status_ = Status::Running;
    stop_reason_.clear();
  }

  // --- scalar registers ---
  // Codes 0 to 127. Reading reports poison; writing past the allocation stops.
  [[nodiscard]] u32 sgpr(u32 code) {
    if (code >= s_.size()) [[unlikely]] {
      stop("reads scalar registers past the last one");
      return 0;
    }
    if (!sgpr_defined(code)) [[unlikely]]
      poison_scalar(code);
    return s_[code];
  }
  [[nodiscard]] u64 sgpr64(u32 code) {
    const u32 low = sgpr(code);
    return joined(low, sgpr(code + 1));
  }
  void set_sgpr(u32 code, u32 value) {
    if ((code < context_.numbered && code >= context_.launch.sgprs) || code >= s_.size()) [[unlikely]] {
      stop_unallocated("writes s", code);
      return;
    }
    const u32 twin = context_.twin[code];
    s_[code] = s_[twin] = value;
    sdef_[code >> 6] |= u64{1} << (code & 63);
    sdef_[twin >> 6] |= u64{1} << (twin & 63);
  }
  void set_sgpr64(u32 code, u64 value) {
    set_sgpr(code, low_half(value));
    set_sgpr(code + 1, high_half(value));
  }
  [[nodiscard]] bool sgpr_defined(u32 code) const { return (sdef_[code >> 6 & 1] >> (code & 63) & 1) != 0; }

  [[nodiscard]] u64 exec() const { return joined(s_[kExec], s_[kExec + 1]); }
  void set_exec(u64 value) { set_sgpr64(kExec, value); }
  [[nodiscard]] bool scc() {
    if (!scc_defined_) poison("SCC");
    return scc_;
  }
  void set_scc(bool value) {
    scc_ = value;
    scc_defined_ = true;
  }

  // A scalar source by its code: register, constant or literal, as 32 or 64 bits.
  [[nodiscard]] u32 source32(const Instruction& i, u32 code);
  // `real`: a double, whose literal is the high half.
  [[nodiscard]] u64 source64(const Instruction& i, u32 code, bool real);

  // --- vector registers ---
  // Numbers from here on are no registers of the wavefront, but copies of operands; they are always set.
  static constexpr u32 kFirstStaged = 1024, kStaged = 3;
  [[nodiscard]] Lanes& vgpr(u32 number) {
    if (number < v_.size()) [[likely]]
      return v_[number];
    if (is_staged(number)) return staged_[number - kFirstStaged];
    stop_unallocated("uses v", number);
    return spare_;
  }
  // For reading `count` registers in the lanes of `mask`; reports poison.
  void check_vgpr(u32 number, u32 count, u64 mask) {
    for (u32 n = 0; n < count; ++n) {
      if (number + n >= v_.size()) [[unlikely]] {
        if (is_staged(number + n)) continue;
        stop_unallocated("uses v", number + n);
        return;
      }
      if ((mask & ~vdef_[number + n]) != 0) [[unlikely]]
        poison_vector(number + n);
    }
  }
  [[nodiscard]] u64 vgpr_defined(u32 number) const { return number < vdef_.size() ? vdef_[number] : 0; }
  // A move takes poison along in the lanes of `mask`.
  void undefine_vgpr(u32 number, u64 mask) {
    used_ = std::max<std::size_t>(used_, number + 1);
    if (number < v_.size()) vdef_[number] &= ~mask;
  }
  void define_sgpr(u32 code) {
    for (const u32 name : {code & 127, u32{context_.twin[code & 127]}}) sdef_[name >> 6] |= u64{1} << (name & 63);
  }
  void undefine_sgpr(u32 code) {
    for (const u32 name : {code & 127, u32{context_.twin[code & 127]}}) sdef_[name >> 6] &= ~(u64{1} << (name & 63));
  }
  void define_vgpr(u32 number, u32 count, u64 mask) {
    used_ = std::max<std::size_t>(used_, number + count);
    for (u32 n = 0; n < count && number + n < v_.size(); ++n) vdef_[number + n] |= mask;
  }
  [[nodiscard]] u32 vgpr_count() const { return static_cast<u32>(v_.size()); }

  // --- flow ---
  [[nodiscard]] u32 pc() const { return pc_; }  // bytes; during an instruction: of the next one
  void jump(u64 offset) { pc_ = static_cast<u32>(offset); }
  [[nodiscard]] Status status() const { return status_; }
  void set_status(Status status) {
    if (status_ != Status::Stopped) status_ = status;
  }
  // Ends the run at this instruction.
  void stop(std::string reason) {
    if (status_ != Status::Stopped) stop_reason_ = std::move(reason);
    status_ = Status::Stopped;
  }
  void stop_unallocated(std::string_view what, u32 number);
  [[nodiscard]] const std::string& stop_reason() const { return stop_reason_; }
  void step(const Instruction& instruction, Execute execute);
  // Whether vector registers are relative to M0.
  void set_relative(bool relative) { relative_ = relative; }
  [[nodiscard]] bool relative() const { return relative_; }
  // Rounding and denormals, as in `Launch`.
  [[nodiscard]] u32 float_mode() const { return float_mode_; }
  void set_float_mode(u32 mode) { float_mode_ = mode; }
  [[nodiscard]] Observer::View view(u32 number) const { return {group_.id, number, s_, v_, scc_}; }

  // --- findings ---
  void poison(std::string what);
  [[nodiscard]] Context& context() const { return context_; }
  [[nodiscard]] const Launch& launch() const { return context_.launch; }
  [[nodiscard]] Group& group() { return group_; }
  [[nodiscard]] u32 current() const { return current_; }  // offset of the instruction being executed

  // --- memory; outside accesses are reported, give 0 and store nothing ---
  // Addresses are those of FLAT instructions: local memory has its aperture, scratch memory the place of its element.
  [[nodiscard]] bool load(u64 address, std::span<u8> out) {
    const u8* const bytes = context_.space.near_load(address, out.size());
    if (bytes == nullptr) [[unlikely]]
      return load_elsewhere(address, out);
    std::memcpy(out.data(), bytes, out.size());
    return true;
  }
  bool store(u64 address, std::span<const u8> bytes) {
    u8* const target = context_.space.near_store(address, bytes.size());
    if (target == nullptr) [[unlikely]]
      return store_elsewhere(address, bytes);
    std::memcpy(target, bytes.data(), bytes.size());
    ++context_.report.stores;
    return true;
  }
  [[nodiscard]] bool is_scratch(u64 address) const { return address - kScratchAddress < group_.scratch.bytes.size(); }
  // A store of what is not set: see `take_undefined`.
  void undefine_scratch(u64 address, std::size_t size);
  // Whether a load since the last call took nothing but bytes of scratch memory that nothing has stored. Compilers
  // spill and copy variables that are not set yet, so that is no finding before they are used: the caller poisons its
  // register. They also load more bytes than they use.
  [[nodiscard]] bool take_undefined() { return std::exchange(undefined_, false); }
  // False, and only noted: the dword is not listed.
  [[nodiscard]] bool load_scalar(u64 address, u32& out);
  void outside_lds(u64 address, std::size_t size);
  // The lane whose access a scalar instruction's is, for races.
  void name_first_lane() { context_.lane = exec() == 0 ? 0 : static_cast<u32>(std::countr_zero(exec())); }
  // Of the lane that the context names; for those who look for races.
  [[nodiscard]] Races::Access access_of(u64 address, bool lds) const {
    return {address, first_item_ + context_.lane, current_, lds, context_.atomic};
  }

 private:
  // In any range, or in memory of the group's.
  [[nodiscard]] bool load_elsewhere(u64 address, std::span<u8> out);
  bool store_elsewhere(u64 address, std::span<const u8> bytes);
  [[nodiscard]] static bool is_staged(u32 number) { return number >= kFirstStaged && number < kFirstStaged + kStaged; }
  bool poison_again(u32 source);  // counted, as this instruction named it already
  void poison_scalar(u32 code);
  void poison_vector(u32 number);
  void outside(u64 address, std::size_t size, bool is_store, bool lds = false);
  void step_relative(const Instruction& instruction, Execute execute);
  // Local or scratch memory, and the place in it; null: the address is one of the caller's memory.
  [[nodiscard]] OwnMemory* own_memory(u64 address, u64& place);

  Context& context_;
  Group& group_;
  u32 first_item_ = 0;  // of its lanes in the group
  std::array<u32, 128> s_{};
  std::array<u64, 2> sdef_{};
  std::vector<Lanes> v_;
  std::vector<u64> vdef_;
  std::size_t used_ = ~std::size_t{0};  // registers from here on are as at first
  Lanes spare_{};
  std::array<Lanes, kStaged> staged_{};
  bool relative_ = false;
  u32 float_mode_;
  bool scc_ = false;
  bool scc_defined_ = false;
  bool undefined_ = false;
  u32 pc_ = 0;
  u32 current_ = 0;
  Status status_ = Status::Running;
  std::string stop_reason_;
};

}  // namespace amdcompat::emulate
