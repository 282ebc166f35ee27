#include "groups.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include <amdcompat/gcn_checks.hpp>

#include "sdwa_dpp.hpp"

namespace amdcompat::emulate {
namespace {

constexpr u64 kTurn = 4096;  // instructions of a wavefront before the others of its group have theirs

// By what they take, measured: no more than 35 ns each of what is counted, and 5 to 10 where nothing is wrong.
void set_cost(Program::Step& step) {
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
    // Halves are converted and rounded, two of each register in packed instructions.
    if (info.name.find("f16") != std::string_view::npos)
      step.cost_of_lane *= info.name.find("_pk_") != std::string_view::npos ? 4 : 2;
    // A texel is converted; a gather takes four, and a filter up to eight.
    if (format == Format::Mimg)
      step.cost_of_lane = info.name.starts_with("image_sample") ? 20 : info.name.starts_with("image_gather4") ? 12 : 4;
  }
}

// What a device that approximates otherwise has. Halves, parts of registers, zeros and denormal numbers are left.
void execute_moved(Wave& wave, const Instruction& i) {
  execute_of(i)(wave, i);
  const gcn::Shape shape = gcn::info(i.opcode).destination;
  if (i.variant != gcn::Variant::Plain || (shape != gcn::Shape::F32 && shape != gcn::Shape::F64)) return;
  const i64 places = wave.context().limits.last_places;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    if ((wave.exec() >> lane & 1) == 0) continue;
    u32& word = wave.vgpr(i.destination)[lane];
    if (shape == gcn::Shape::F32) {
      if (std::isnormal(std::bit_cast<float>(word))) word += static_cast<u32>(places);
      continue;
    }
    u32& high = wave.vgpr(i.destination + 1u)[lane];
    u64 bits = u64{high} << 32 | word;
    if (std::isnormal(std::bit_cast<double>(bits))) bits += static_cast<u64>(places);
    word = static_cast<u32>(bits);
    high = static_cast<u32>(bits >> 32);
  }
}

}  // namespace

void Program::add_reached(std::vector<bool>& to) const {
  for (std::size_t n = 0; n < at_.size(); ++n)
    if (at_[n] && at_[n]->reached) to[n] = true;
}

Program::Step& Program::decoded(u32 offset) {
  auto& slot = at_[offset / 4];
  slot = std::make_unique<Step>(target_ != nullptr ? gcn::decode(code_, offset, *target_)
                                                   : gcn::decode(code_, offset, gfx_));
  slot->execute = execute_of(slot->instruction);
  if (moves_ && slot->execute != nullptr && gcn::is_approximation(slot->instruction)) slot->execute = execute_moved;
  set_cost(*slot);
  return *slot;
}

Groups::Groups(const Launch& launch, Space& space, const Limits& limits, u64 instructions, Observer* observer)
    : launch_(launch), instructions_(instructions), observer_(observer), program_(launch, limits),
      context_{launch, space, limits, report_, {}, {}, {}, {}} {
  report_.reached.resize((launch.code.size() + 3) / 4);
  context_.poison_named.resize(report_.reached.size());
  context_.poison_seen.resize(report_.reached.size());
  context_.outside_seen.resize(report_.reached.size());
  report_.gds = launch.gds;
  context_.gds = {reinterpret_cast<u8*>(report_.gds.data()), report_.gds.size()};
  report_.outcome = Outcome::Ended;
  if (limits.races) context_.races.emplace(limits, report_);
}

bool Groups::run(u64 first, u64 end, Diagnostics& diagnostics) {
  diagnostics_ = &diagnostics;
  const std::array<u32, 3> groups = group_counts(launch_);
  for (u64 n = first; n < end; ++n)
    if (!run_group({static_cast<u32>(n % groups[0]), static_cast<u32>(n / groups[0] % groups[1]),
                    static_cast<u32>(n / groups[0] / groups[1])}))
      return false;
  return true;
}

void Groups::add(const Groups& other) {
  const Report& theirs = other.report_;
  report_.instructions += theirs.instructions;
  report_.lane_instructions += theirs.lane_instructions;
  spent_on_starts_ += other.spent_on_starts_;
  report_.stores += theirs.stores;
  report_.out_of_range += theirs.out_of_range;
  report_.odd_samples += theirs.odd_samples;
  report_.poison_reads += theirs.poison_reads;
  report_.outside_accesses += theirs.outside_accesses;
  other.program_.add_reached(report_.reached);
  for (const PoisonRead& read : theirs.poison) context_.note(read);
  for (const OutsideAccess& access : theirs.outside) context_.note(access);
}

Report Groups::finish() && {
  program_.add_reached(report_.reached);
  return std::move(report_);
}

// The initial state; everything else is poisoned.
void Groups::start(Wave& wave, u32 first, u32 items, const std::array<u32, 3>& size) {
  u32 next = 0;
  for (const auto& value : launch_.user_sgprs) {
    if (value) wave.set_sgpr(next, *value);
    ++next;
  }
  for (std::size_t d = 0; d < 3; ++d)
    if (launch_.group_id[d]) wave.set_sgpr(next++, group_.id[d]);
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

bool Groups::run_group(const std::array<u32, 3>& id) {
  // Registers and local memory of a group have to be made: that counts too.
  std::array<u32, 3> size{};  // the last group of a dimension may be smaller
  for (std::size_t d = 0; d < 3; ++d)
    size[d] = std::min(launch_.local[d], launch_.global[d] - id[d] * launch_.local[d]);
  const u32 items = size[0] * size[1] * size[2];
  const u64 scratch = u64{(items + kLanes - 1) / kLanes} * scratch_bytes_of_wave(launch_.scratch_bytes);
  spent_on_starts_ += launch_.vgprs + (launch_.lds_bytes + scratch) / 16;
  group_.id = id;
  group_.lds.restart(launch_.lds_bytes, context_.limits.local_zeros ? 0 : context_.limits.unset);
  group_.scratch.restart(scratch, context_.limits.unset);
  if (context_.races) context_.races->begin_group();
  const u32 count = (items + kLanes - 1) / kLanes;
  while (waves_.size() < count) waves_.push_back(std::make_unique<Wave>(context_, group_));
  const std::span waves(waves_.data(), count);
  for (u32 n = 0; n < count; ++n) {
    waves[n]->restart(n * kLanes);
    start(*waves[n], n * kLanes, items, size);
    if (waves[n]->status() == Status::Stopped) return stopped(*waves[n]);
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
    if (running || waiting + ended != waves.size()) continue;
    if (context_.races) context_.races->barrier();
    for (const auto& wave : waves)
      if (wave->status() == Status::Barrier) wave->set_status(Status::Running);
  }
}

bool Groups::turn(Wave& wave, u32 number) {
  for (u64 n = 0; n < kTurn && wave.status() == Status::Running; ++n) {
    if (spent() >= instructions_) {
      report_.outcome = Outcome::Budget;
      diagnostics_->report(Code::EmulateBudget, {},
                           fmt::format("the budget of {} lane instructions was spent at +0x{:x}",
                                       context_.limits.lane_instructions, wave.pc()));
      return false;
    }
    if (!program_.holds(wave.pc())) {
      wave.stop("the program counter leaves the code");
      return stopped(wave);
    }
    Program::Step& step = program_.at(wave.pc());
    if (step.execute == nullptr) return unknown(step.instruction);
    if (observer_ != nullptr) observer_->before(step.instruction, wave.view(number));
    step.reached = true;
    ++report_.instructions;
    report_.lane_instructions += step.cost;
    if (step.cost_of_lane != 0) {
      const u64 exec = wave.exec();
      report_.lane_instructions +=
          step.cost_of_lane * (exec == ~u64{0} ? kLanes : static_cast<u32>(std::popcount(exec)));
    }
    wave.step(step.instruction, step.execute);
  }
  return wave.status() != Status::Stopped || stopped(wave);
}
bool Groups::unknown(const Instruction& instruction) {
  report_.outcome = Outcome::Stopped;
  const std::string_view form = instruction.variant == gcn::Variant::Sdwa  ? "_sdwa"
                                : instruction.variant == gcn::Variant::Dpp ? "_dpp"
                                                                           : "";
  if (instruction.row == nullptr)
    diagnostics_->report(Code::EmulateUnknownOpcode, {},
                         fmt::format("no {} instruction has the encoding 0x{:08x} at +0x{:x}",
                                     gcn::generation_name(launch_.gfx), instruction.words[0], instruction.offset));
  else
    diagnostics_->report(Code::EmulateNotExecutable, {},
                         fmt::format("{}{} (0x{:08x}) at +0x{:x} is not executed here", instruction.row->name, form,
                                     instruction.words[0], instruction.offset));
  return false;
}
bool Groups::stopped(const Wave& wave) {
  report_.outcome = Outcome::Stopped;
  const std::string text = program_.holds(wave.current())
                               ? gcn::disassemble(program_.at(wave.current()).instruction, launch_.gfx)
                               : std::string("no code");
  diagnostics_->report(Code::EmulateStopped, {},
                       fmt::format("{}, at +0x{:x}: {}", wave.stop_reason(), wave.current(), text));
  return false;
}

}  // namespace amdcompat::emulate
