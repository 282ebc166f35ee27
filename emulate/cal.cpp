// The state in which a CAL runtime starts a kernel: what user-data elements say goes into the first scalar registers,
// work-group ids follow, and everything else is reached through descriptors. [CLRX AmdAbi.md; RUN]
#include <algorithm>

#include <fmt/format.h>

#include <amdcompat/gcn_checks.hpp>

#include "cal.hpp"

namespace amdcompat::emulate {
namespace {

constexpr u64 kFirstPlace = 0x7e00'0000'0000;  // far from where buffers are put; descriptors hold 48 bits
constexpr u64 kPlaces = 0x1'0000'0000;
constexpr u32 kWord3 = 0x00027fac;  // selects x, y, z, w; 32-bit float [RUN]

std::vector<std::byte> bytes_of(std::span<const u32> words) {
  std::vector<std::byte> out;
  for (const u32 word : words)
    for (u32 n = 0; n < 32; n += 8) out.push_back(static_cast<std::byte>(word >> n & 255));
  return out;
}

class Starter {
 public:
  Starter(const CalBindings& bindings, u64 region_bytes, Launch& launch, Memory& memory)
      : bindings_(bindings), region_bytes_(region_bytes), launch_(launch), memory_(memory) {}

  // The registers of one element; empty with `problem` set when it is not known or not bound.
  std::vector<u32> registers(const cl1::UserElement& element) {
    switch (element.data_class) {
      case cl1::kClassConstantBuffer: return constant_buffer(element.slot);
      case cl1::kClassUav: return descriptor(bindings_.uavs, element.slot, 4, "UAV");
      case cl1::kClassSampler: return descriptor(bindings_.samplers, element.slot, 4, "sampler");
      case cl1::kClassUavTable: return table("UAV table", bindings_.uavs, 32, {});
      case cl1::kClassResourceTable: return table("resource table", bindings_.resources, 32, {});
      case cl1::kClassSamplerTable: return table("sampler table", bindings_.samplers, 16, {});
      case cl1::kClassConstantBufferTable:
        return table("constant buffer table", bindings_.constant_buffers, 16, {0, 1});
      case cl1::kClassGdsCounters: return gds_range(counters());
      case cl1::kClassGdsMemory: return gds_range(region());
      case cl1::kClassInternalGlobalTable:
        if (launch_.scratch_bytes != 0) return scratch_table();
        [[fallthrough]];
      default: {
        const cl1::UserDataClass* const row = cl1::find_user_data_class(element.data_class);
        problem = fmt::format("user data of class 0x{:x} ({}) is not provided", element.data_class,
                              row != nullptr ? row->name : "unknown");
        return {};
      }
    }
  }
  std::string problem;

 private:
  // Maps `bytes` at the next free place.
  u64 place(std::vector<std::byte> bytes, const std::string& name) {
    const u64 at = next_;
    next_ += kPlaces;
    if (!memory_.map(at, std::move(bytes), name)) problem = fmt::format("no place for the {}", name);
    return at;
  }
  std::vector<u32> constant_buffer(u32 slot) {
    if (slot > 1) return descriptor(bindings_.constant_buffers, slot, 4, "constant buffer");
    const auto& bytes = slot == 0 ? bindings_.cb0 : bindings_.cb1;
    u64& at = buffers_[slot];
    if (at == 0 && !bytes.empty()) at = place(bytes, fmt::format("constant buffer {}", slot));
    return {low_half(at), high_half(at), static_cast<u32>(bytes.size()), kWord3};
  }
  std::vector<u32> descriptor(const std::vector<CalBindings::Slot>& from, u32 slot, std::size_t words,
                              std::string_view what) {
    const auto found = std::ranges::find(from, slot, &CalBindings::Slot::slot);
    if (found != from.end() && found->words.size() >= words) return {found->words.begin(), found->words.begin() + 4};
    problem = fmt::format("nothing is bound to {} {}", what, slot);
    return {};
  }
  // Address of a table with an entry for each slot that is bound, and for these constant buffers of our own.
  std::vector<u32> table(const std::string& name, const std::vector<CalBindings::Slot>& from, u32 entry,
                         std::initializer_list<u32> own) {
    const u64 base = next_;
    next_ += kPlaces;
    const auto put = [&](u32 slot, std::span<const u32> words) {
      if (!memory_.map(base + u64{slot} * entry, bytes_of(words), fmt::format("{}, slot {}", name, slot)))
        problem = fmt::format("no place for slot {} of the {}", slot, name);
    };
    for (const u32 slot : own) put(slot, constant_buffer(slot));
    for (const CalBindings::Slot& slot : from) put(slot.slot, slot.words);
    return {low_half(base), high_half(base)};
  }

  // The second entry, in counting from 0 or from 1. [CLRX AmdAbi; reference 03: which of them is not verified]
  std::vector<u32> scratch_table() {
    const std::array<u32, 4> words = scratch_words(launch_.scratch_bytes, 1);
    const u64 base = next_;
    next_ += kPlaces;
    for (const u64 entry : {1u, 2u})
      if (!memory_.map(base + entry * 16, bytes_of(words), "descriptor of scratch memory"))
        problem = "no place for the descriptor of scratch memory";
    return {low_half(base), high_half(base)};
  }

  struct GdsRange {
    u64 begin = 0, size = 0;
  };
  // As M0 has it, the base in its upper half and the size in its lower one. That a runtime gives it in that form is not
  // verified: [M2S Binary.h] has it as one number, an «address range».
  std::vector<u32> gds_range(GdsRange range) {
    const u64 end = range.begin + range.size;
    if (end > 0xffff) {
      problem = fmt::format("{} bytes of GDS", end);
      return {};
    }
    if (launch_.gds.size() < end) launch_.gds.resize(end);
    return {static_cast<u32>(range.begin << 16 | range.size)};
  }
  // Those of all ids.
  GdsRange counters() {
    constexpr u32 kIds = 8;  // [BE AMDIL.h]
    u32 bits = 32;
    for (const CalBindings::Counter& counter : bindings_.counters) bits = std::max(bits, counter.bits);
    if (launch_.counters.empty())
      for (const CalBindings::Counter& counter : bindings_.counters) {
        if (counter.id >= kIds) problem = fmt::format("a counter {}", counter.id);
        if (counter.bits != bits) problem = "counters of 32 and of 64 bits beside each other";
        launch_.counters.push_back({cl1::counter_offset(counter.id, bits), bits / 8, counter.address});
      }
    return {0, cl1::counter_offset(kIds, bits)};
  }
  GdsRange region() {
    if (region_bytes_ == 0) problem = "the metadata names no region memory";
    return {counters().size, region_bytes_};
  }

  const CalBindings& bindings_;
  u64 region_bytes_;
  Launch& launch_;  // gets GDS and what is there
  Memory& memory_;
  u64 next_ = kFirstPlace;
  std::array<u64, 2> buffers_{};
};

}  // namespace

Result<Launch> cal_launch(std::span<const std::byte> code, const cl1::CalState& state, gcn::Generation gfx,
                          const CalBindings& bindings, std::uint64_t lds_bytes, std::uint64_t region_bytes,
                          Memory& memory) {
  const auto refuse = [&](std::string why) {
    return std::unexpected(make_diagnostic(Code::EmulateLaunch, state.where, std::move(why)));
  };
  if (code.empty()) return refuse("the image has no machine code");
  const cl1::ProgramInfo& info = state.info;
  if (!info.rsrc2 || !info.vgprs || !info.sgprs) return refuse("the image does not say which registers the code uses");
  if (info.scratch_dwords.value_or(0) > kMostScratchBytes / 4)
    return refuse(fmt::format("{} dwords of scratch memory for a work-item", *info.scratch_dwords));
  if (lds_bytes > 65'536) return refuse(fmt::format("{} bytes of local memory", lds_bytes));

  if (const std::string what = unmodelled(0, *info.rsrc2); !what.empty()) return refuse(what);
  Launch launch;
  launch.gfx = gfx;
  launch.code = code;
  const u32 rsrc2 = *info.rsrc2;
  launch.user_sgprs.resize(rsrc2 >> 1 & 31);
  if (launch.user_sgprs.size() > 16) return refuse("more than 16 user registers");
  launch.scratch_bytes = info.scratch_dwords.value_or(0) * 4;
  Starter starter(bindings, region_bytes, launch, memory);
  for (const cl1::UserElement& element : state.user_elements) {
    const std::vector<u32> words = starter.registers(element);
    if (!starter.problem.empty()) return refuse(starter.problem);
    if (words.size() != element.count || element.first > launch.user_sgprs.size() ||
        element.count > launch.user_sgprs.size() - element.first)
      return refuse(fmt::format("user data of class 0x{:x} in {} registers from s{} on, of {} user registers",
                                element.data_class, element.count, element.first, launch.user_sgprs.size()));
    std::ranges::copy(words, launch.user_sgprs.begin() + element.first);
  }
  for (u32 d = 0; d < 3; ++d) launch.group_id[d] = (rsrc2 >> (7 + d) & 1) != 0;
  launch.group_info = (rsrc2 >> 10 & 1) != 0;
  launch.scratch_offset = (rsrc2 & 1) != 0;
  launch.local_ids = rsrc2 >> 11 & 3;
  // The number leaves out VCC and its neighbours, which the old runtime allocated too.
  const gcn::ScalarUse use = gcn::scalar_use(code, 0, gfx);
  launch.sgprs = gcn::allocated_scalars(std::max(*info.sgprs, use.numbered) + gcn::special_scalars(use, gfx), gfx);
  launch.vgprs = std::clamp(*info.vgprs, 1u, 256u);
  launch.lds_bytes = static_cast<u32>(lds_bytes);
  launch.float_mode = static_cast<u8>(info.float_mode.value_or(0xc0));
  launch.ieee = (info.ieee_mode.value_or(0) & 1) != 0;
  return launch;
}

}  // namespace amdcompat::emulate
