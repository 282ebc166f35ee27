// The run: work-groups one after another, or, of large launches, in parts beside each other.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <new>
#include <thread>

#include <fmt/format.h>

#include "groups.hpp"

namespace amdcompat::emulate {
namespace {

constexpr u32 kMostLds = 65'536, kMostGds = 65'536;

// Why a launch is not possible; empty: it is.
std::string problem_of(const Launch& launch, const Limits& limits) {
  if (!runs(launch.gfx)) return fmt::format("{} code", gcn::generation_name(launch.gfx));
  u64 items = 1, group = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (launch.global[d] == 0 || launch.local[d] == 0) return "a launch of no work-items";
    if (launch.local[d] > 1024) return fmt::format("a work-group of {} items", launch.local[d]);
    group *= launch.local[d];
    if (items > limits.work_items / launch.global[d]) return fmt::format("more than {} work-items", limits.work_items);
    items *= launch.global[d];
  }
  if (group > 1024) return fmt::format("a work-group of {} items, more than 1024", group);
  const u32 sgprs = launch.gfx >= gcn::Generation::Gfx8 ? 112 : 104;
  if (launch.sgprs > sgprs || launch.vgprs == 0 || launch.vgprs > 256 || launch.lds_bytes > kMostLds)
    return fmt::format("{} scalar registers, {} vector registers and {} bytes of LDS: at most {}, 256 and {}",
                       launch.sgprs, launch.vgprs, launch.lds_bytes, sgprs, kMostLds);
  if (launch.scratch_bytes > kMostScratchBytes)
    return fmt::format("{} bytes of scratch memory for a work-item: at most {}", launch.scratch_bytes,
                       kMostScratchBytes);
  if (launch.gds.size() > kMostGds) return fmt::format("{} bytes of GDS", launch.gds.size());
  if (launch.user_sgprs.size() > 16) return "more than 16 user registers";
  if (launch.local_ids > 2) return "more than three local ids";
  if (const auto why = unknown_float_mode(launch.float_mode); !why.empty())
    return fmt::format("{} (0x{:x})", why, launch.float_mode);
  if (!Program(launch, {}).holds(launch.entry)) return fmt::format("no code at the entry 0x{:x}", launch.entry);
  return {};
}

std::string problem_of(const Launch::Counter& counter, const Launch& launch, const Memory& memory) {
  if (counter.offset > launch.gds.size() || counter.bytes > launch.gds.size() - counter.offset)
    return fmt::format("a counter of {} bytes at {} of {} of GDS", counter.bytes, counter.offset, launch.gds.size());
  if (memory.view(counter.address, counter.bytes).empty())
    return fmt::format("a counter at 0x{:x}, where no memory is", counter.address);
  return {};
}

// Groups `first` to `end` on a copy of memory.
struct Part {
  u64 first, end;
  Space space;
  Groups groups;
  bool ended = false;
  std::atomic<bool> done = false;  // or given up
  Part(const Launch& launch, const Space& now, const Limits& limits, u64 instructions, u64 from, u64 to)
      : first(from), end(to), space(Space::Copy{}, now), groups(launch, space, limits, instructions, nullptr) {}
  void run(const std::atomic<bool>& unwanted) noexcept {
    try {
      Diagnostics none;
      space.clear_notes();
      bool good = true;
      for (u64 n = first; good && n < end; ++n) good = !unwanted && groups.run(n, n + 1, none);
      ended = good && !groups.depends_on_order();
    } catch (...) {  // they run again, and fail there
      ended = false;
    }
    done = true;
    done.notify_all();
  }
};

// Into how many parts the groups behind `ran` ones, which took `spent`, are divided, and how many threads run them.
// A thread is worth it for some ten million lane instructions; a copy of memory costs what one or two do for each byte.
// Parts are more than threads where copies cost next to nothing, because groups are not all alike, nor are cores always
// free.
struct Division {
  u64 threads = 1, parts = 1;
};
Division division_of(const Launch& launch, const Limits& limits, const Space& space, u64 spent, u64 ran, u64 count) {
  constexpr u64 kThread = 10'000'000, kMostBytes = u64{1} << 30, kMostOfThread = 4;
  const u64 groups = count - ran, bytes = space.bytes(), copy = space.copy_bytes();
  const u64 part = 100'000 + bytes + 30 * launch.code.size();  // which is decoded anew
  const u64 allowed = limits.threads != 0 ? limits.threads : std::max(1u, std::thread::hardware_concurrency());
  if (allowed < 2 || groups < 2 || !launch.gds.empty() || copy > kMostBytes / allowed) return {};
  const u64 each = spent / ran;
  const u64 work = each > limits.lane_instructions / groups ? limits.lane_instructions : each * groups;
  const u64 threads = std::clamp<u64>(work / (kThread + 2 * bytes), 1, std::min(allowed, groups));
  const u64 cheap = work / 8 / part;
  const u64 most = std::min({kMostOfThread, groups / threads, kMostBytes / (copy + 1) / threads});
  return {threads, threads * std::clamp<u64>(cheap / threads, 1, std::max<u64>(1, most))};
}

using Parts = std::vector<std::unique_ptr<Part>>;

// Threads that run parts, in their order.
class Runners {
 public:
  Runners(const Parts& parts, u64 threads) : parts_(parts) {
    while (threads_.size() < threads) {
      try {
        threads_.emplace_back([this] {
          while (Part* const part = take()) part->run(unwanted_);
        });
      } catch (const std::exception&) {
        break;  // no more threads, or no memory for one: the others take more parts
      }
    }
  }
  ~Runners() { give_up(); }
  // Those that have not ended yet.
  void give_up() { unwanted_ = true; }
  // Waits for a part, and runs others meanwhile. False: nobody had begun it, and it is the caller's to run.
  bool wait_for(const Part& part) {
    while (!part.done) {
      Part* const taken = take();
      if (taken == &part) return false;
      if (taken != nullptr)
        taken->run(unwanted_);
      else
        part.done.wait(false);
    }
    return true;
  }

 private:
  // Null: all are taken.
  Part* take() {
    const std::size_t n = next_++;
    return n < parts_.size() ? parts_[n].get() : nullptr;
  }

  const Parts& parts_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> unwanted_ = false;
  std::vector<std::jthread> threads_;  // the last one: they end before the rest does
};

// The groups from `first` on. Each part of them but the first runs on a copy of memory as the groups before `first`
// left it. In their order, what they stored is taken over, unless they have read what parts before them stored, or did
// not come to their end: then that part and all behind it run again, one after another, behind all that has happened
// before. So the result is the same for any number of parts.
void run_divided(const Launch& launch, const Limits& limits, const Division& division, Space& space, Groups& groups,
                 u64 first, u64 count, Diagnostics& diagnostics) {
  const auto begin_of = [&](u64 part) { return first + (count - first) * part / division.parts; };
  Parts others;
  try {
    for (u64 n = 1; n < division.parts; ++n)
      others.push_back(std::make_unique<Part>(launch, space, limits, groups.left(), begin_of(n), begin_of(n + 1)));
    if (!others.empty()) space.note();
  } catch (const std::bad_alloc&) {
    others.clear();
    space.stop_noting();
  }
  if (others.empty()) return void(groups.run(first, count, diagnostics));

  Runners runners(others, division.threads - 1);
  space.clear_notes();
  bool ended = groups.run(first, begin_of(1), diagnostics), apart = true;
  for (std::size_t n = 0; ended && n < others.size(); ++n) {
    const Part& part = *others[n];
    const bool ran = apart && runners.wait_for(part);
    if (ran && part.ended && part.groups.spent() < groups.left() && space.take_over(part.space)) {
      groups.add(part.groups);
      continue;
    }
    if (ran) {
      apart = false;
      runners.give_up();
      space.stop_noting();
    }
    ended = groups.run(part.first, part.end, diagnostics);
  }
}

// All groups: one after another, as long as those that have run do not say that the rest is worth more threads.
void run_all(const Launch& launch, const Limits& limits, Space& space, Groups& groups, u64 count,
             Diagnostics& diagnostics) {
  for (u64 ran = 0, next = 1;;) {
    if (!groups.run(ran, next, diagnostics) || next == count) return;
    ran = next;
    const Division division = division_of(launch, limits, space, groups.spent(), ran, count);
    if (division.threads > 1) return run_divided(launch, limits, division, space, groups, ran, count, diagnostics);
    next = std::min(2 * ran, count);
  }
}

// Of a launch that is possible.
Report run_in(const Launch& launch, Memory& memory, const Limits& limits, Diagnostics& diagnostics,
              Observer* observer) {
  Space space(memory, launch.local_aperture, limits.races);
  Groups groups(launch, space, limits, limits.lane_instructions, observer);
  const std::array<u32, 3> counts = group_counts(launch);
  const u64 count = u64{counts[0]} * counts[1] * counts[2];
  if (observer != nullptr || limits.races)
    groups.run(0, count, diagnostics);
  else
    run_all(launch, limits, space, groups, count, diagnostics);
  return std::move(groups).finish();
}

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

Report run(const Launch& given, Memory& memory, const Limits& limits, Diagnostics& diagnostics, Observer* observer) {
  std::string problem = problem_of(given, limits);
  for (const Launch::Counter& counter : given.counters)
    if (problem.empty()) problem = problem_of(counter, given, memory);
  if (!problem.empty()) {
    diagnostics.report(Code::EmulateLaunch, {}, std::move(problem));
    return {};
  }
  // The code is that of the start: it may lie in the memory that the kernel stores to.
  const std::vector<std::byte> code(given.code.begin(), given.code.end());
  Launch launch = given;
  launch.code = code;
  for (const Launch::Counter& counter : launch.counters)
    std::ranges::copy(memory.view(counter.address, counter.bytes), launch.gds.begin() + counter.offset);
  Report out = run_in(launch, memory, limits, diagnostics, observer);
  for (const Launch::Counter& counter : launch.counters) {
    const auto now = std::span(out.gds).subspan(counter.offset, counter.bytes);
    if (std::ranges::equal(now, memory.view(counter.address, counter.bytes))) continue;
    std::ranges::copy(now, memory.store(counter.address, counter.bytes).begin());
    ++out.stores;
  }
  return out;
}

Coverage coverage(std::span<const std::byte> code, std::uint32_t begin, gcn::Generation gfx,
                  std::span<const Report> reports) {
  Coverage out, whole;
  const auto count = [&](u64 at) {
    const auto reached = [&](const Report& report) { return at / 4 < report.reached.size() && report.reached[at / 4]; };
    ++out.instructions;
    if (std::ranges::any_of(reports, reached)) ++out.reached;
  };
  const gcn::ControlFlow flow = gcn::control_flow(code, begin, gfx);
  const auto comes_back = [&](u32 at) { return gcn::flow(gcn::decode(code, at, gfx).opcode) == gcn::Flow::Call; };
  if (flow.unknown.empty() && flow.leaving.empty() && std::ranges::all_of(flow.computed, comes_back)) {
    for (const gcn::Block& block : flow.blocks) std::ranges::for_each(block.instructions, count);
    return out;
  }
  for (u64 at = begin; at + 4 <= code.size();) {
    const Instruction instruction = gcn::decode(code, static_cast<u32>(at), gfx);
    count(at);
    if (instruction.opcode == Opcode::s_endpgm) whole = out;
    at += instruction.dwords * u64{4};
  }
  return whole.instructions != 0 ? whole : out;
}

}  // namespace amdcompat::emulate
