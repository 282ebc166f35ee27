// The run: work-groups one after another, or, of large launches, in parts beside each other.
#include <algorithm>
#include <memory>
#include <new>
#include <system_error>
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
  if (!Program(launch).holds(launch.entry)) return fmt::format("no code at the entry 0x{:x}", launch.entry);
  return {};
}

// Groups `first` to `end` on a copy of memory.
struct Part {
  u64 first, end;
  Space space;
  Groups groups;
  bool ended = false;
  Part(const Launch& launch, const Space& now, const Limits& limits, u64 instructions, u64 from, u64 to)
      : first(from), end(to), space(Space::Copy{}, now), groups(launch, space, limits, instructions, nullptr) {}
  void run() noexcept {
    try {
      Diagnostics none;
      ended = groups.run(first, end, none) && !groups.depends_on_order();
    } catch (...) {  // they run again, and fail there
      ended = false;
    }
  }
};

// How many parts the groups behind the first one are worth, which took `spent`: a thread and its copy of memory cost
// what some ten million lane instructions do, and a byte of memory what two do.
u64 parts_of(const Launch& launch, const Limits& limits, u64 groups, u64 spent, u64 bytes) {
  constexpr u64 kStart = 10'000'000, kMostBytes = u64{1} << 30;
  const u64 threads = limits.threads != 0 ? limits.threads : std::max(1u, std::thread::hardware_concurrency());
  if (threads < 2 || groups < 2 || !launch.gds.empty() || bytes > kMostBytes / threads) return 1;
  const u64 work = spent > limits.lane_instructions / groups ? limits.lane_instructions : spent * groups;
  return std::clamp<u64>(work / (kStart + 2 * bytes), 1, std::min(threads, groups));
}

// The rest of the groups, from the second one on. Each part but the first runs on a copy of memory as the first group
// left it. In their order, what they stored is taken over, unless they have read what parts before them stored, or did
// not come to their end: then their groups run again, one after another, behind all that has happened before. So the
// result is the same for any number of parts.
void run_rest(const Launch& launch, const Limits& limits, Space& space, Groups& groups, u64 count,
              Diagnostics& diagnostics) {
  const u64 parts = parts_of(launch, limits, count - 1, groups.spent(), space.bytes());
  const auto begin_of = [&](u64 part) { return 1 + (count - 1) * part / parts; };
  std::vector<std::unique_ptr<Part>> others;
  try {
    for (u64 n = 1; n < parts; ++n)
      others.push_back(std::make_unique<Part>(launch, space, limits, groups.left(), begin_of(n), begin_of(n + 1)));
    if (parts > 1) space.note();
  } catch (const std::bad_alloc&) {
    others.clear();
  }
  if (others.empty()) return void(groups.run(1, count, diagnostics));
  bool ended = false;
  {
    std::vector<std::jthread> threads;
    for (const auto& part : others) {
      try {
        threads.emplace_back([&part] { part->run(); });
      } catch (const std::system_error&) {
        break;  // no more threads: their groups run later
      }
    }
    ended = groups.run(1, begin_of(1), diagnostics);
  }
  for (const auto& part : others) {
    if (!ended) return;
    if (part->ended && part->groups.spent() < groups.left() && space.take_over(part->space))
      groups.add(part->groups);
    else
      ended = groups.run(part->first, part->end, diagnostics);
  }
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
  if (std::string problem = problem_of(given, limits); !problem.empty()) {
    diagnostics.report(Code::EmulateLaunch, {}, std::move(problem));
    return {};
  }
  // The code is that of the start: it may lie in the memory that the kernel stores to.
  const std::vector<std::byte> code(given.code.begin(), given.code.end());
  Launch launch = given;
  launch.code = code;
  Space space(memory, launch.local_aperture, limits.races);
  Groups groups(launch, space, limits, limits.lane_instructions, observer);
  const std::array<u32, 3> counts = group_counts(launch);
  const u64 count = u64{counts[0]} * counts[1] * counts[2];
  if (groups.run(0, 1, diagnostics) && count > 1) {
    if (observer != nullptr || limits.races)
      groups.run(1, count, diagnostics);
    else
      run_rest(launch, limits, space, groups, count, diagnostics);
  }
  return std::move(groups).finish();
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
