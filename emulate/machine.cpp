// The run: work-groups one after another, wavefronts of a group by turns up to a barrier or their end.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "sdwa_dpp.hpp"
#include "wave.hpp"

namespace amdcompat::emulate {
namespace {

constexpr u64 kTurn = 4096;  // instructions of a wavefront before the others of its group have theirs
constexpr u32 kMostLds = 65'536, kMostGds = 65'536;

// Decoded on first use; straight through the code, so that an instruction is found by its dword.
class Program {
 public:
  struct Step {
    Instruction instruction;
    Execute execute = nullptr;  // null: cannot be run
    u32 cost = 2, cost_of_lane = 0;
  };
  explicit Program(const Launch& launch)
      : code_(launch.code), gfx_(launch.gfx), target_(launch.target), at_((launch.code.size() + 3) / 4) {}
  [[nodiscard]] bool holds(u32 offset) const { return offset % 4 == 0 && offset + u64{4} <= code_.size(); }
  const Step& at(u32 offset) {
    auto& slot = at_[offset / 4];
    if (!slot) {
      slot = std::make_unique<Step>(target_ != nullptr ? gcn::decode(code_, offset, *target_)
                                                     : gcn::decode(code_, offset, gfx_));
      if (!is_other(slot->instruction)) slot->execute = execute_of(slot->instruction);
      set_cost(*slot);
    }
    return *slot;
  }

 private:
  // Whether an instruction does something else than on the generations before: GFX9 has two halves in a register where
  // GFX8 has one, and other descriptors of images. [VEGA: «D16 Support», «Image Resource Descriptor»]
  [[nodiscard]] bool is_other(const Instruction& instruction) const {
    if (gfx_ < gcn::Generation::Gfx9) return false;
    return instruction.format == Format::Mimg ||
           gcn::info(instruction.opcode).name.find("_format_d16_") != std::string_view::npos;
  }
  // By what they take, measured: no more than 35 ns each of what is counted, and 5 to 10 where nothing is wrong.
  static void set_cost(Step& step) {
    const gcn::OpcodeInfo& info = gcn::info(step.instruction.opcode);
    u32 dwords = gcn::shape_dwords(info.destination);
    const Format format = step.instruction.format;
    if (format == Format::Smrd) {
      step.cost += dwords;
    } else if (format > Format::Smrd) {
      for (const Shape source : info.sources) dwords = std::max(dwords, gcn::shape_dwords(source));
      const bool memory = format >= Format::Ds && format <= Format::Flat;
      step.cost = 8;
      step.cost_of_lane = memory ? std::max(2u, dwords) : std::clamp(dwords, 1u, 2u);
      // A texel is converted; a gather takes four, and a filter up to eight.
      if (format == Format::Mimg)
        step.cost_of_lane = info.name.starts_with("image_sample")    ? 20
                            : info.name.starts_with("image_gather4") ? 12
                                                                     : 4;
    }
  }

  std::span<const std::byte> code_;
  gcn::Generation gfx_;
  const Target* target_;
  std::vector<std::unique_ptr<Step>> at_;
};

class Machine {
 public:
  Machine(const Launch& launch, Memory& memory, const Limits& limits, Diagnostics& diagnostics, Observer* observer)
      : launch_(launch), limits_(limits), diagnostics_(diagnostics), observer_(observer),
        program_(launch), context_{launch, memory, limits, report_, {}, {}, {}} {}

  Report run() {
    if (!check()) return std::move(report_);
    report_.reached.resize((launch_.code.size() + 3) / 4);
    context_.poison_seen.resize(report_.reached.size());
    context_.outside_seen.resize(report_.reached.size());
    std::array<u32, 3> groups{};
    for (std::size_t d = 0; d < 3; ++d) groups[d] = (launch_.global[d] + launch_.local[d] - 1) / launch_.local[d];
    report_.outcome = Outcome::Ended;
    report_.gds = launch_.gds;
    context_.gds = {reinterpret_cast<u8*>(report_.gds.data()), report_.gds.size()};
    for (u32 z = 0; z < groups[2]; ++z)
      for (u32 y = 0; y < groups[1]; ++y)
        for (u32 x = 0; x < groups[0]; ++x)
          if (!run_group({x, y, z})) return std::move(report_);
    return std::move(report_);
  }

 private:
  bool refuse(std::string why) {
    report_.outcome = Outcome::Refused;
    diagnostics_.report(Code::EmulateLaunch, {}, std::move(why));
    return false;
  }
  bool check() {
    if (!runs(launch_.gfx)) return refuse(fmt::format("{} code", gcn::generation_name(launch_.gfx)));
    u64 items = 1, group = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      if (launch_.global[d] == 0 || launch_.local[d] == 0) return refuse("a launch of no work-items");
      if (launch_.local[d] > 1024) return refuse(fmt::format("a work-group of {} items", launch_.local[d]));
      group *= launch_.local[d];
      if (items > limits_.work_items / launch_.global[d])
        return refuse(fmt::format("more than {} work-items", limits_.work_items));
      items *= launch_.global[d];
    }
    if (group > 1024) return refuse(fmt::format("a work-group of {} items, more than 1024", group));
    const u32 sgprs = launch_.gfx >= gcn::Generation::Gfx8 ? 112 : 104;
    if (launch_.sgprs > sgprs || launch_.vgprs == 0 || launch_.vgprs > 256 || launch_.lds_bytes > kMostLds)
      return refuse(fmt::format("{} scalar registers, {} vector registers and {} bytes of LDS: at most {}, 256 and {}",
                                launch_.sgprs, launch_.vgprs, launch_.lds_bytes, sgprs, kMostLds));
    if (launch_.scratch_bytes > kMostScratchBytes)
      return refuse(fmt::format("{} bytes of scratch memory for a work-item: at most {}", launch_.scratch_bytes,
                                kMostScratchBytes));
    if (launch_.gds.size() > kMostGds) return refuse(fmt::format("{} bytes of GDS", launch_.gds.size()));
    if (launch_.user_sgprs.size() > 16) return refuse("more than 16 user registers");
    if (launch_.local_ids > 2) return refuse("more than three local ids");
    if (const auto why = unknown_float_mode(launch_.float_mode); !why.empty())
      return refuse(fmt::format("{} (0x{:x})", why, launch_.float_mode));
    if (!program_.holds(launch_.entry)) return refuse(fmt::format("no code at the entry 0x{:x}", launch_.entry));
    return true;
  }

  // The initial state; everything else is poisoned.
  void start(Wave& wave, const Group& group, u32 first, u32 items, const std::array<u32, 3>& size) {
    u32 next = 0;
    for (const auto& value : launch_.user_sgprs) {
      if (value) wave.set_sgpr(next, *value);
      ++next;
    }
    for (std::size_t d = 0; d < 3; ++d)
      if (launch_.group_id[d]) wave.set_sgpr(next++, group.id[d]);
    if (launch_.group_info) ++next;
    if (launch_.scratch_offset && launch_.scratch_bytes != 0)
      wave.set_sgpr(next, static_cast<u32>(first / kLanes * scratch_bytes_of_wave(launch_.scratch_bytes)));
    const u32 lanes = std::min(items - first, kLanes);
    const u64 mask = lanes == kLanes ? ~u64{0} : (u64{1} << lanes) - 1;
    wave.set_exec(mask);
    for (u32 n = 0; n <= launch_.local_ids && n < wave.vgpr_count(); ++n) {
      Lanes& out = wave.vgpr(n);
      for (u32 lane = 0; lane < lanes; ++lane) {
        const u32 item = first + lane;
        out[lane] = n == 0 ? item % size[0] : n == 1 ? item / size[0] % size[1] : item / size[0] / size[1];
      }
      wave.define_vgpr(n, 1, mask);
    }
    wave.jump(launch_.entry);
  }

  bool run_group(const std::array<u32, 3>& id) {
    // Registers and local memory of a group have to be made: that counts too.
    std::array<u32, 3> size{};  // the last group of a dimension may be smaller
    for (std::size_t d = 0; d < 3; ++d)
      size[d] = std::min(launch_.local[d], launch_.global[d] - id[d] * launch_.local[d]);
    const u32 items = size[0] * size[1] * size[2];
    const u64 scratch = (items + kLanes - 1) / kLanes * scratch_bytes_of_wave(launch_.scratch_bytes);
    limit_ -= std::min<u64>(limit_, launch_.vgprs + (launch_.lds_bytes + scratch) / 16);
    Group group{id, OwnMemory(launch_.lds_bytes), OwnMemory(scratch)};
    std::vector<std::unique_ptr<Wave>> waves;
    for (u32 first = 0; first < items; first += kLanes) {
      waves.push_back(std::make_unique<Wave>(context_, group));
      start(*waves.back(), group, first, items, size);
      if (waves.back()->status() == Status::Stopped) return stopped(*waves.back());
    }
    for (;;) {
      bool running = false;
      std::size_t waiting = 0, ended = 0;
      for (u32 n = 0; n < waves.size(); ++n) {
        if (waves[n]->status() == Status::Running && !turn(*waves[n], n)) return false;
        running = running || waves[n]->status() == Status::Running;
        waiting += waves[n]->status() == Status::Barrier;
        ended += waves[n]->status() == Status::Ended;
      }
      if (ended == waves.size()) return true;
      // Wavefronts that have ended no longer take part in barriers.
      if (!running && waiting + ended == waves.size())
        for (const auto& wave : waves)
          if (wave->status() == Status::Barrier) wave->set_status(Status::Running);
    }
  }

  bool turn(Wave& wave, u32 number) {
    for (u64 n = 0; n < kTurn && wave.status() == Status::Running; ++n) {
      if (report_.lane_instructions >= limit_) {
        report_.outcome = Outcome::Budget;
        diagnostics_.report(Code::EmulateBudget, {},
                            fmt::format("the budget of {} lane instructions was spent at +0x{:x}",
                                        limits_.lane_instructions, wave.pc()));
        return false;
      }
      if (!program_.holds(wave.pc())) {
        wave.stop("the program counter leaves the code");
        return stopped(wave);
      }
      const auto& [instruction, execute, cost, cost_of_lane] = program_.at(wave.pc());
      if (execute == nullptr) return unknown(instruction);
      if (observer_ != nullptr) observer_->before(instruction, wave.view(number));
      report_.reached[instruction.offset / 4] = true;
      ++report_.instructions;
      report_.lane_instructions += cost;
      if (cost_of_lane != 0) report_.lane_instructions += cost_of_lane * static_cast<u32>(std::popcount(wave.exec()));
      wave.step(instruction, execute);
    }
    return wave.status() != Status::Stopped || stopped(wave);
  }
  bool unknown(const Instruction& instruction) {
    report_.outcome = Outcome::Stopped;
    const std::string_view form = instruction.variant == gcn::Variant::Sdwa  ? "_sdwa"
                                  : instruction.variant == gcn::Variant::Dpp ? "_dpp"
                                                                             : "";
    if (instruction.row == nullptr)
      diagnostics_.report(Code::EmulateUnknownOpcode, {},
                          fmt::format("no {} instruction has the encoding 0x{:08x} at +0x{:x}",
                                      gcn::generation_name(launch_.gfx), instruction.words[0], instruction.offset));
    else
      diagnostics_.report(Code::EmulateNotExecutable, {},
                          fmt::format("{}{} (0x{:08x}) at +0x{:x} is not executed here", instruction.row->name, form,
                                      instruction.words[0], instruction.offset));
    return false;
  }
  bool stopped(const Wave& wave) {
    report_.outcome = Outcome::Stopped;
    const std::string text = program_.holds(wave.current())
                                 ? gcn::disassemble(program_.at(wave.current()).instruction, launch_.gfx)
                                 : std::string("no code");
    diagnostics_.report(Code::EmulateStopped, {},
                        fmt::format("{}, at +0x{:x}: {}", wave.stop_reason(), wave.current(), text));
    return false;
  }

  const Launch& launch_;
  const Limits& limits_;
  Diagnostics& diagnostics_;
  Observer* observer_;
  u64 limit_ = limits_.lane_instructions;
  Report report_;
  Program program_;
  Context context_;
};

// By opcode.
struct Table {
  std::array<Execute, gcn::kOpcodes> execute{};
  Table() {
    for (const auto rows : {scalar_rows(), vector_rows(), half_rows(), packed_rows(), compare_rows(),
                            scalar_load_rows(), buffer_rows(), image_rows(), flat_rows(), lds_rows()})
      for (const Row& row : rows) execute[static_cast<std::size_t>(row.opcode)] = row.semantics.execute;
  }
};

}  // namespace

Execute execute_of(Opcode opcode) {
  static const Table table;
  return table.execute[static_cast<std::size_t>(opcode)];
}

Report run(const Launch& launch, Memory& memory, const Limits& limits, Diagnostics& diagnostics, Observer* observer) {
  return Machine(launch, memory, limits, diagnostics, observer).run();
}

Coverage coverage(std::span<const std::byte> code, std::uint32_t begin, gcn::Generation gfx,
                  std::span<const Report> reports) {
  Coverage out, whole;
  for (u64 at = begin; at + 4 <= code.size();) {
    const Instruction instruction = gcn::decode(code, static_cast<u32>(at), gfx);
    ++out.instructions;
    const auto reached = [&](const Report& report) { return at / 4 < report.reached.size() && report.reached[at / 4]; };
    if (std::ranges::any_of(reports, reached)) ++out.reached;
    if (instruction.opcode == Opcode::s_endpgm) whole = out;
    at += instruction.dwords * u64{4};
  }
  return whole.instructions != 0 ? whole : out;
}

}  // namespace amdcompat::emulate
