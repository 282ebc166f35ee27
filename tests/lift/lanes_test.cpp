// Lanes that read what others have, and wavefronts that do not go the same way: lifted, run by an OpenCL runtime, and
// compared with models of one line [VIA ISA, «DPP»; CIA: «DS_SWIZZLE_B32», «V_MBCNT»] or with the interpreter.
#include <algorithm>
#include <bit>
#include <functional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace amdcompat_test::lifted::lanes_test {
namespace {

using amdcompat::Diagnostics;
using amdcompat::Program;
namespace gcn = amdcompat::gcn;
namespace lift = amdcompat::lift;

constexpr u32 kSeed = 20260301;
// v[kA], v[kB]: a lane's words; v[kResult]: what it had before, then the result.
constexpr u16 kA = 4, kB = 5, kResult = 8;
constexpr u16 kMask = 40;  // s[40:41]

struct Wavefront {
  std::array<u32, kLanes> a, b, old;
  u64 exec;
  [[nodiscard]] bool on(u32 lane) const { return lane < kLanes && (exec >> lane & 1) != 0; }
  [[nodiscard]] u32 enabled(u32 lane) const { return on(lane) ? a[lane] : 0; }
};
// What an enabled lane has afterwards.
using Model = std::function<u32(const Wavefront&, u32 lane)>;
struct Item {
  std::string name;
  std::function<void(Code&)> emit;
  Model model;
  bool all_lanes = false;  // the model holds for lanes that are off too
};

// A lane of another number, if it is one of the same row or wavefront.
constexpr u32 kNowhere = 64;
struct Control {
  u32 code;
  std::function<u32(u32)> from;
};
std::vector<Control> controls() {
  std::vector<Control> out;
  for (const u32 quads : {0x00u, 0xe4u, 0x1bu, 0xb1u, 0x55u, 0x93u})
    out.push_back({quads, [=](u32 l) { return (l & ~3u) | (quads >> 2 * (l & 3) & 3); }});
  for (const u32 n : {1u, 4u, 15u}) {
    out.push_back({0x100 + n, [=](u32 l) { return l % 16 + n < 16 ? l + n : kNowhere; }});
    out.push_back({0x110 + n, [=](u32 l) { return l % 16 >= n ? l - n : kNowhere; }});
    out.push_back({0x120 + n, [=](u32 l) { return l / 16 * 16 + (l + 16 - n) % 16; }});
  }
  out.push_back({0x130, [](u32 l) { return l < 63 ? l + 1 : kNowhere; }});
  out.push_back({0x134, [](u32 l) { return (l + 1) % 64; }});
  out.push_back({0x138, [](u32 l) { return l > 0 ? l - 1 : kNowhere; }});
  out.push_back({0x13c, [](u32 l) { return (l + 63) % 64; }});
  out.push_back({0x140, [](u32 l) { return l / 16 * 16 + 15 - l % 16; }});
  out.push_back({0x141, [](u32 l) { return l / 8 * 8 + 7 - l % 8; }});
  out.push_back({0x142, [](u32 l) { return l >= 16 ? l / 16 * 16 - 1 : kNowhere; }});
  out.push_back({0x143, [](u32 l) { return l >= 32 ? 31 : kNowhere; }});
  return out;
}

void add_dpp(std::vector<Item>& items) {
  const auto add = [&](Opcode opcode, const Control& control, bool zeros, u8 rows, u8 banks, auto result) {
    const auto emit = [=](Code& c) {
      Instruction i = c.make(opcode);
      i.variant = gcn::Variant::Dpp;
      i.destination = kResult;
      i.sources = {v(kA), opcode == Opcode::v_mov_b32 ? u16{0} : v(kB), 0};
      i.dpp_control = static_cast<u16>(control.code);
      i.bound_control = zeros;
      i.row_mask = rows;
      i.bank_mask = banks;
      c.add(i);
    };
    const auto model = [=](const Wavefront& w, u32 l) {
      const u32 from = control.from(l);
      const bool written = (rows >> l / 16 & 1) != 0 && (banks >> l / 4 % 4 & 1) != 0 && (zeros || w.on(from));
      return written ? result(w, w.enabled(from), l) : w.old[l];
    };
    items.push_back({fmt::format("dpp 0x{:x}{} 0x{:x} 0x{:x}", control.code, zeros ? " bound_ctrl" : "", rows, banks),
                     emit, model});
  };
  const auto moved = [](const Wavefront&, u32 x, u32) { return x; };
  const auto mixed = [](const Wavefront& w, u32 x, u32 l) { return x ^ w.b[l]; };
  bool zeros = false;
  for (const Control& control : controls()) {
    add(Opcode::v_mov_b32, control, zeros, 15, 15, moved);
    zeros = !zeros;
    add(Opcode::v_xor_b32, control, zeros, control.code % 2 == 0 ? 0xa : 15, control.code % 2 == 0 ? 15 : 0x6, mixed);
  }
}
void add_swizzles(std::vector<Item>& items) {
  const auto add = [&](u32 offset, auto from) {
    items.push_back({fmt::format("ds_swizzle 0x{:x}", offset),
                     [=](Code& c) { c.lds(Opcode::ds_swizzle_b32, kA, 0, kResult, offset & 255, offset >> 8); },
                     [=](const Wavefront& w, u32 l) { return w.enabled(from(l)); }});
  };
  for (const u32 quads : {0x00u, 0xe4u, 0x1bu, 0x4eu})
    add(0x8000 | quads, [=](u32 l) { return (l & ~3u) | (quads >> 2 * (l & 3) & 3); });
  for (const auto& [keep, set, flip] :
       {std::array{31u, 0u, 1u}, {31u, 0u, 16u}, {24u, 3u, 0u}, {0u, 5u, 0u}, {30u, 1u, 7u}})
    add(keep | set << 5 | flip << 10, [=](u32 l) { return (l & 32) | (((l & keep) | set) ^ flip); });
}
// Every step reads what others have made in the one before it.
void add_sums(std::vector<Item>& items) {
  constexpr std::array kFlips = {1u, 2u, 4u};
  for (const bool other_first : {true, false})
    items.push_back({fmt::format("sums of sums, {} first", other_first ? "the other" : "the own"),
                     [=](Code& c) {
                       c.op(Opcode::v_mov_b32, kResult, v(kA));
                       for (const u32 flip : kFlips) {
                         c.lds(Opcode::ds_swizzle_b32, kResult, 0, 9, (31 | flip << 10) & 255, (31 | flip << 10) >> 8);
                         c.op(Opcode::v_add_co_u32, kResult, v(other_first ? 9 : kResult),
                              v(other_first ? kResult : 9));
                       }
                     },
                     [=](const Wavefront& w, u32 l) {
                       std::array<u32, kLanes> sums = w.a;
                       for (const u32 flip : kFlips) {
                         const std::array<u32, kLanes> before = sums;
                         for (u32 n = 0; n < kLanes; ++n) sums[n] += w.on(n ^ flip) ? before[n ^ flip] : 0;
                       }
                       return sums[l];
                     }});
}
void add_permutes(std::vector<Item>& items) {
  items.push_back({"ds_bpermute", [](Code& c) { c.lds(Opcode::ds_bpermute_b32, kB, kA, kResult, 8); },
                   [](const Wavefront& w, u32 l) { return w.enabled((w.b[l] + 8) / 4 % 64); }});
}
// What the interpreter knows too: lanes by number, and masks as numbers.
void add_numbers(std::vector<Item>& items) {
  const auto below = [](u64 mask, u32 l) { return static_cast<u32>(std::popcount(mask & ((u64{1} << l) - 1))); };
  const auto count = [](Code& c, u16 low, u16 high) {
    c.op(Opcode::v_mbcnt_lo_u32_b32, kResult, low, v(kB));
    c.op(Opcode::v_mbcnt_hi_u32_b32, kResult, high, v(kResult));
  };
  items.push_back({"v_mbcnt of EXEC", [=](Code& c) { count(c, kExecCode, kExecCode + 1); },
                   [=](const Wavefront& w, u32 l) { return below(w.exec, l) + w.b[l]; }});
  items.push_back({"v_mbcnt of all", [=](Code& c) { count(c, kMinusOne, kMinusOne); },
                   [](const Wavefront& w, u32 l) { return l + w.b[l]; }});
  items.push_back({"v_mbcnt_hi alone", [=](Code& c) { c.op(Opcode::v_mbcnt_hi_u32_b32, kResult, kMinusOne, v(kB)); },
                   [](const Wavefront& w, u32 l) { return std::max(l, 32u) - 32 + w.b[l]; }});
  items.push_back({"v_mbcnt of a comparison",
                   [=](Code& c) {
                     c.op(Opcode::v_cmp_gt_u32, 0, v(kA), v(kB));
                     count(c, kVccCode, kVccCode + 1);
                   },
                   [=](const Wavefront& w, u32 l) {
                     u64 mask = 0;
                     for (u32 n = 0; n < kLanes; ++n) mask |= u64{w.on(n) && w.a[n] > w.b[n]} << n;
                     return below(mask, l) + w.b[l];
                   }});
  for (const u32 lane : {0u, 17u, 63u}) {
    items.push_back(
        {fmt::format("v_readlane {}", lane),
         [=](Code& c) {
           c.op(Opcode::v_readlane_b32, 50, v(kA), number(lane)).op(Opcode::v_add_co_u32, kResult, 50, v(kB));
         },
         [=](const Wavefront& w, u32 l) { return w.a[lane] + w.b[l]; }});
    items.push_back({fmt::format("v_writelane {}", lane),
                     [=](Code& c) {
                       c.op(Opcode::s_mov_b32, 50, kLiteralCode, 0, 0x1234567);
                       c.op(Opcode::v_writelane_b32, kResult, 50, number(lane));
                     },
                     [=](const Wavefront& w, u32 l) { return l == lane ? 0x1234567 : w.old[l]; }, true});
  }
  items.push_back({"v_readlane of a lane that is computed",
                   [](Code& c) {
                     c.op(Opcode::v_readfirstlane_b32, 50, v(kB)).op(Opcode::s_and_b32, 50, 50, number(63));
                     c.op(Opcode::v_readlane_b32, 51, v(kA), 50).op(Opcode::v_mov_b32, kResult, 51);
                   },
                   [](const Wavefront& w, u32) {
                     const u32 first = w.exec == 0 ? 0 : static_cast<u32>(std::countr_zero(w.exec));
                     return w.a[w.b[first] & 63];
                   }});
  // A lane reads what it had before the loop wrote to it again.
  items.push_back({"a rotation in a loop",
                   [](Code& c) {
                     c.op(Opcode::v_mov_b32, kResult, v(kA)).op(Opcode::s_mov_b32, 50, number(0));
                     const std::size_t top = c.here();
                     c.lds(Opcode::ds_swizzle_b32, kResult, 0, 9, 31, 1 << 2);  // its neighbour's
                     c.op(Opcode::v_add_co_u32, kResult, v(9), v(kB));
                     c.op(Opcode::s_add_u32, 50, 50, number(1)).op(Opcode::s_cmp_lt_u32, 0, 50, number(3));
                     c.branch(Opcode::s_cbranch_scc1, top);
                   },
                   [](const Wavefront& w, u32 l) {
                     std::array<u32, kLanes> now = w.a;
                     for (u32 turn = 0; turn < 3; ++turn) {
                       std::array<u32, kLanes> next = now;
                       for (u32 n = 0; n < kLanes; ++n)
                         if (w.on(n)) next[n] = (w.on(n ^ 1) ? now[n ^ 1] : 0) + w.b[n];
                       now = next;
                     }
                     return now[l];
                   }});
}

constexpr std::array<u64, 3> kMasks{~u64{0}, 0x0123456789abcdef, 0xffff0000000000f1};

void try_items(const std::vector<Item>& items, Generation generation, bool interpreted) {
  constexpr u32 kTried = 2 * kLanes;
  Small small{.name = "k", .code = Code(generation)};
  Code& code = small.code;
  code.prologue();
  code.place(2, kInSlot, 3).place(3, kOutSlot, static_cast<u32>(items.size() * kMasks.size()));
  code.buffer(Opcode::buffer_load_dwordx3, kA, 2, kIn);
  u32 number_of = 0;
  for (const u64 mask : kMasks) {
    code.op(Opcode::s_mov_b32, kMask, kLiteralCode, 0, static_cast<u32>(mask));
    code.op(Opcode::s_mov_b32, kMask + 1, kLiteralCode, 0, static_cast<u32>(mask >> 32));
    for (const Item& item : items) {
      code.op(Opcode::v_mov_b32, kResult, v(kA + 2));
      code.op(Opcode::s_mov_b64, kExecCode, kMask);
      item.emit(code);
      code.op(Opcode::s_mov_b64, kExecCode, kMinusOne);
      code.buffer(Opcode::buffer_store_dword, kResult, 3, kOut, 4 * number_of++);
    }
  }
  code.end();
  const Program program = program_of(std::span(&small, 1));
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
  std::mt19937 random(kSeed);
  Data run{.out = Words(std::size_t{kTried} * number_of)};
  for (u32 n = 0; n < 3 * kTried; ++n) run.in.push_back(static_cast<u32>(n % 3 == 1 ? random() % 600 : random()));
  const opencl::Result result =
      opencl::run({.source = unit.source, .launches = {launch_of("k", run, kTried)}, .seconds = 120});
  ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
  ASSERT_EQ(result.launches[0].status, opencl::Status::Ok) << result.launches[0].message;
  const Words got = words_of(result.launches[0].buffers[1]);
  const Words machine = interpreted ? interpret(program, 0, run, kTried).out : Words();
  for (u32 n = 0; n < number_of; ++n) {
    const Item& item = items[n % items.size()];
    u32 said = 0;
    for (u32 first = 0; first < kTried; first += kLanes) {
      Wavefront w{.a = {}, .b = {}, .old = {}, .exec = kMasks[n / items.size()]};
      for (u32 l = 0; l < kLanes; ++l) {
        const u32* const x = run.in.data() + std::size_t{first + l} * 3;
        w.a[l] = x[0], w.b[l] = x[1], w.old[l] = x[2];
      }
      for (u32 l = 0; l < kLanes && said < 2; ++l) {
        const u32 expected = w.on(l) || item.all_lanes ? item.model(w, l) : w.old[l];
        const std::size_t at = std::size_t{first + l} * number_of + n;
        if (interpreted) {
          EXPECT_EQ(machine[at], expected) << item.name << ", lane " << l << ", by the interpreter";
        }
        if (got[at] == expected) continue;
        ++said;
        ADD_FAILURE() << fmt::format("{}, EXEC 0x{:x}, lane {}: lifted 0x{:x}, model 0x{:x}", item.name, w.exec, l,
                                     got[at], expected);
      }
    }
  }
  fmt::print("{} instructions\n", number_of);
}

TEST(LiftedLanes, ReadWhatDppNames) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::vector<Item> items;
  add_dpp(items);
  try_items(items, Generation::Gfx8, true);
}
TEST(LiftedLanes, ReadWhatSwizzlesAndPermutesName) {
  AMDCOMPAT_NEEDS_OPENCL();
  for (const Generation generation : {Generation::Gfx7, Generation::Gfx8, Generation::Gfx9}) {
    std::vector<Item> items;
    add_swizzles(items);
    add_sums(items);
    if (generation != Generation::Gfx7) add_permutes(items);
    try_items(items, generation, generation != Generation::Gfx9);
  }
}
TEST(LiftedLanes, CountAndNameEachOther) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::vector<Item> items;
  add_numbers(items);
  std::erase_if(items, [](const Item& item) { return item.name == "a rotation in a loop"; });
  try_items(items, Generation::Gfx7, true);
}
TEST(LiftedLanes, ReadWhatOthersHadBeforeALoopsTurn) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::vector<Item> items;
  add_numbers(items);
  std::erase_if(items, [](const Item& item) { return item.name != "a rotation in a loop"; });
  try_items(items, Generation::Gfx7, false);
}

// --- work-groups of several wavefronts -------------------------------------------------------------------------------

constexpr u32 kGroupSize = 256, kRunLanes = 4 * kGroupSize;

template <class Body>
Small kernel(Body body, u32 lds_bytes) {
  Small out{.name = "k", .code = Code(), .lds_bytes = lds_bytes};
  Code& c = out.code;
  c.prologue(kGroupSize);
  c.place(2, kInSlot, 2).place(3, kOutSlot, 1);
  c.buffer(Opcode::buffer_load_dwordx2, kA, 2, kIn);
  c.op(Opcode::v_mov_b32, kResult, number(0));
  for (u32 n = 0; n < kValues; ++n)
    c.scalar_load(Opcode::s_buffer_load_dword, static_cast<u16>(36 + n), kCb1, 32 + 16 * n);
  body(c);
  c.buffer(Opcode::buffer_store_dword, kResult, 3, kOut).end();
  return out;
}
lift::KernelOutcome outcome_of(const Small& small, lift::Unit& unit) {
  Diagnostics diagnostics;
  unit = lift::lift(program_of(std::span(&small, 1)), {.form = lift::Form::Wave}, diagnostics);
  return unit.kernels.front();
}
void expect_same(const Small& small) {
  lift::Unit unit;
  const lift::KernelOutcome outcome = outcome_of(small, unit);
  ASSERT_TRUE(outcome.lifted) << (outcome.refusal ? outcome.refusal->message : "no reason given");
  AMDCOMPAT_NEEDS_OPENCL();
  const Program program = program_of(std::span(&small, 1));
  std::mt19937 random(kSeed);
  for (u32 n = 0; n < 3; ++n) {
    Data data{.out = Words(kRunLanes, 0xdeadbeef), .values = {n, 3, 5, 7, 1, 2}};
    for (u32 lane = 0; lane < kRunLanes; ++lane) {
      data.in.push_back(lane / kLanes % 2 == n % 2 ? 100 : static_cast<u32>(random()) % 12);
      data.in.push_back(static_cast<u32>(random()) % 9);
    }
    const opencl::Result result =
        opencl::run({.source = unit.source, .launches = {launch_of("k", data, kRunLanes, kGroupSize)}, .seconds = 60});
    ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
    ASSERT_EQ(result.launches[0].status, opencl::Status::Ok) << result.launches[0].message << unit.source;
    const Ran expected = interpret(program, 0, data, kRunLanes, kGroupSize);
    ASSERT_EQ(expected.problem, "");
    ASSERT_EQ(words_of(result.launches[0].buffers[1]), expected.out) << "launch " << n << "\n" << unit.source;
  }
}

// v9 = what the next work-item of the group wrote, behind a barrier.
void exchange(Code& c) {
  c.op(Opcode::v_lshlrev_b32, 10, number(2), v(0)).lds(Opcode::ds_write_b32, 10, kA);
  c.k(Opcode::s_waitcnt, 0, 0).k(Opcode::s_barrier, 0, 0);
  c.op(Opcode::v_add_co_u32, 10, number(4), v(10)).op(Opcode::s_mov_b32, 50, kLiteralCode, 0, 4 * kGroupSize - 1);
  c.op(Opcode::v_and_b32, 10, 50, v(10)).lds(Opcode::ds_read_b32, 10, 0, 9);
  c.k(Opcode::s_waitcnt, 0, 0).op(Opcode::v_add_co_u32, kResult, v(9), v(kResult));
}

TEST(LiftedWavefronts, ThatEndBeforeABarrierDoNotKeepOthersWaiting) {
  expect_same(kernel(
      [](Code& c) {
        c.op(Opcode::v_cmp_eq_u32, 0, kLiteralCode, v(kA), 100);
        const auto done = c.branch(Opcode::s_cbranch_vccz);
        c.k(Opcode::s_endpgm, 0, 0);
        c.land(done);
        c.k(Opcode::s_barrier, 0, 0).op(Opcode::v_add_co_u32, kResult, v(kB), v(kResult));
      },
      0));
}
// The question is a launch's own, though lanes ask it.
TEST(LiftedWavefronts, MeetTheBarriersOfALoopThatTheyLeaveTogether) {
  expect_same(kernel(
      [](Code& c) {
        c.op(Opcode::v_mov_b32, 11, number(0));
        const std::size_t top = c.here();
        exchange(c);
        c.k(Opcode::s_barrier, 0, 0);
        c.op(Opcode::v_add_co_u32, 11, number(1), v(11)).op(Opcode::v_cmp_gt_u32, 0, 37, v(11));
        c.branch(Opcode::s_cbranch_vccnz, top);
      },
      4 * kGroupSize));
}
TEST(LiftedWavefronts, LeaveALoopWithoutBarriersThatOthersStillTurnIn) {
  for (const bool until_any : {false, true})
    expect_same(kernel(
        [&](Code& c) {
          c.op(Opcode::v_mov_b32, 11, number(0));
          const std::size_t top = c.here();
          c.op(Opcode::v_add_co_u32, 11, number(1), v(11)).op(Opcode::v_add_co_u32, kResult, v(11), v(kResult));
          c.op(until_any ? Opcode::v_cmp_le_u32 : Opcode::v_cmp_gt_u32, 0, v(kB), v(11));
          c.branch(until_any ? Opcode::s_cbranch_vccz : Opcode::s_cbranch_vccnz, top);
          exchange(c);
        },
        4 * kGroupSize));
}
// The first wavefront waits when it has done its part, the others before theirs, as AMD's functions for work-groups do.
void part_at_barriers(Code& c) {
  c.op(Opcode::v_lshrrev_b32, 12, number(6), v(0)).op(Opcode::v_lshlrev_b32, 10, number(2), v(0));
  c.op(Opcode::v_cmp_ne_u32, 0, number(0), v(12)).op(Opcode::s_and_saveexec_b64, kMask, kVccCode);
  const auto first = c.branch(Opcode::s_cbranch_execz);
  c.k(Opcode::s_barrier, 0, 0);
  c.op(Opcode::v_and_b32, 11, kLiteralCode, v(10), 0xff).lds(Opcode::ds_read_b32, 11, 0, 9);
  c.k(Opcode::s_waitcnt, 0, 0).op(Opcode::v_add_co_u32, kResult, v(9), v(kResult));
  c.land(first);
  c.op(Opcode::s_andn2_b64, kExecCode, kMask, kExecCode);
  const auto others = c.branch(Opcode::s_cbranch_execz);
  c.op(Opcode::v_mul_lo_u32, 13, v(kA), v(kB)).lds(Opcode::ds_write_b32, 10, 13);
  c.k(Opcode::s_waitcnt, 0, 0).k(Opcode::s_barrier, 0, 0);
  c.land(others);
  c.op(Opcode::s_mov_b64, kExecCode, kMask);
}
TEST(LiftedWavefronts, ThatWaitAtDifferentBarriersMeetAtOne) {
  expect_same(kernel(
      [](Code& c) {
        part_at_barriers(c);
        c.k(Opcode::s_barrier, 0, 0);
        exchange(c);
      },
      4 * kGroupSize));
}
TEST(LiftedWavefronts, ThatWaitAtDifferentBarriersOfALoopMeetAtOne) {
  const auto once = [](Code& c) {
    // Each wavefront comes to as many: only where the barrier stands is another place.
    c.op(Opcode::v_cmp_gt_u32, 0, kLiteralCode, v(kA), 64).op(Opcode::s_and_saveexec_b64, kMask, kVccCode);
    const auto small = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_add_co_u32, kResult, number(1), v(kResult)).k(Opcode::s_barrier, 0, 0);
    c.op(Opcode::v_add_co_u32, kResult, v(kB), v(kResult));
    const auto done = c.branch(Opcode::s_branch);
    c.land(small);
    c.op(Opcode::s_mov_b64, kExecCode, kMask).op(Opcode::v_add_co_u32, kResult, number(5), v(kResult));
    c.k(Opcode::s_barrier, 0, 0);
    c.land(done);
    c.op(Opcode::s_mov_b64, kExecCode, kMask);
  };
  expect_same(kernel(
      [&](Code& c) {
        c.op(Opcode::s_mov_b32, 70, number(0));
        const std::size_t top = c.here();
        once(c);
        exchange(c);
        c.k(Opcode::s_barrier, 0, 0);
        c.op(Opcode::s_add_u32, 70, 70, number(1)).op(Opcode::s_cmp_lt_u32, 0, 70, 37);
        c.branch(Opcode::s_cbranch_scc1, top);
      },
      4 * kGroupSize));
}
TEST(LiftedWavefronts, ThatMeetBarriersOfALoopInOtherTurnsAreRefused) {
  lift::Unit unit;
  const lift::KernelOutcome outcome = outcome_of(kernel(
                                                     [](Code& c) {
                                                       c.op(Opcode::v_mov_b32, 11, number(0));
                                                       const std::size_t top = c.here();
                                                       c.op(Opcode::v_add_co_u32, 11, number(1), v(11));
                                                       c.op(Opcode::v_cmp_gt_u32, 0, number(6), v(kA));
                                                       const auto around = c.branch(Opcode::s_cbranch_vccz);
                                                       c.k(Opcode::s_barrier, 0, 0);
                                                       c.land(around);
                                                       exchange(c);
                                                       c.op(Opcode::v_cmp_gt_u32, 0, v(kB), v(11));
                                                       c.branch(Opcode::s_cbranch_vccnz, top);
                                                     },
                                                     4 * kGroupSize),
                                                 unit);
  ASSERT_FALSE(outcome.lifted) << unit.source;
  EXPECT_EQ(amdcompat::code_label(outcome.refusal->code), "AC4420");
}

// --- places that are no multiples of their size ----------------------------------------------------------------------

// Records of 14 bytes in local memory, as GFX9 reaches them.
TEST(LiftedLanes, ReachRecordsOfOddSizesByBytes) {
  Small small{.name = "k", .code = Code(Generation::Gfx9), .lds_bytes = 14 * kGroupSize + 2};
  Code& c = small.code;
  c.prologue(kGroupSize);
  c.place(2, kInSlot, 2).place(3, kOutSlot, 1);
  c.buffer(Opcode::buffer_load_dwordx2, kA, 2, kIn);
  c.op(Opcode::v_mul_u32_u24, 10, number(14), v(0));
  c.lds(Opcode::ds_write_b32, 10, kA, 0, 2).lds(Opcode::ds_write_b64, 10, kA, 0, 6);
  c.k(Opcode::s_waitcnt, 0, 0).k(Opcode::s_barrier, 0, 0);
  c.op(Opcode::v_xor_b32, 11, number(1), v(0)).op(Opcode::v_mul_u32_u24, 11, number(14), v(11));
  c.lds(Opcode::ds_read_b32, 11, 0, 12, 2).lds(Opcode::ds_read_b32, 11, 0, 13, 10).k(Opcode::s_waitcnt, 0, 0);
  c.op(Opcode::v_xor_b32, kResult, v(12), v(13));
  c.buffer(Opcode::buffer_store_dword, kResult, 3, kOut).end();
  lift::Unit unit;
  const lift::KernelOutcome outcome = outcome_of(small, unit);
  ASSERT_TRUE(outcome.lifted) << (outcome.refusal ? outcome.refusal->message : "no reason given");
  for (const char* text : {"vstore4(as_uchar4(", "vstore8(as_uchar8(", "as_uint(vload4(0, "})
    EXPECT_NE(unit.source.find(text), std::string::npos) << text << "\n" << unit.source;
  AMDCOMPAT_NEEDS_OPENCL();
  Data data{.out = Words(kRunLanes)};
  std::mt19937 random(kSeed);
  for (u32 n = 0; n < 2 * kRunLanes; ++n) data.in.push_back(static_cast<u32>(random()));
  const opencl::Result result =
      opencl::run({.source = unit.source, .launches = {launch_of("k", data, kRunLanes, kGroupSize)}, .seconds = 60});
  ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
  ASSERT_EQ(result.launches[0].status, opencl::Status::Ok) << result.launches[0].message;
  const Words got = words_of(result.launches[0].buffers[1]);
  for (u32 n = 0; n < kRunLanes; ++n) ASSERT_EQ(got[n], data.in[2 * (n ^ 1)] ^ data.in[2 * (n ^ 1) + 1]) << n;
}

// --- loops over the values that lanes have ---------------------------------------------------------------------------

// All lanes whose v[kB] is the first one's at a time: `work` has it in s44, and its result in v13.
template <class Work>
void one_value_a_turn(Code& c, bool compilers_of_today, Work work) {
  c.op(Opcode::s_mov_b64, kMask, kExecCode).op(Opcode::s_mov_b64, kMask + 2, kExecCode);
  const std::size_t top = c.here();
  c.op(Opcode::v_readfirstlane_b32, 44, v(kB)).op(Opcode::v_cmp_eq_u32, 0, 44, v(kB));
  c.op(Opcode::s_and_saveexec_b64, 46, kVccCode);
  if (compilers_of_today) {
    work(c);
    c.op(Opcode::s_xor_b64, kExecCode, kExecCode, 46);
    c.branch(Opcode::s_cbranch_execnz, top);
  } else {
    const auto none = c.branch(Opcode::s_cbranch_execz);
    work(c);
    c.op(Opcode::s_andn2_b64, kMask + 2, kMask + 2, kExecCode);
    const auto done = c.branch(Opcode::s_cbranch_scc0);
    c.land(none);
    c.op(Opcode::s_and_b64, kExecCode, 46, kMask + 2);
    c.branch(Opcode::s_branch, top);
    c.land(done);
  }
  c.op(Opcode::s_mov_b64, kExecCode, kMask);
}
lift::KernelOutcome lift_work_items(const Small& small, lift::Unit& unit) {
  Diagnostics diagnostics;
  unit = lift::lift(program_of(std::span(&small, 1)), {.form = lift::Form::WorkItem}, diagnostics);
  return unit.kernels.front();
}
void expect_one_turn(const Small& small) {
  expect_same(small);
  lift::Unit unit;
  const lift::KernelOutcome outcome = lift_work_items(small, unit);
  ASSERT_TRUE(outcome.lifted) << outcome.refusal->message;
  EXPECT_EQ(unit.source.find("for ("), std::string::npos) << unit.source;
}
TEST(LiftedWaterfalls, AreOneTurnInWhichEveryLaneHasItsOwnValue) {
  for (const bool compilers_of_today : {false, true}) {
    const Small small = kernel(
        [&](Code& c) {
          c.op(Opcode::v_cmp_gt_u32, 0, kLiteralCode, v(kA), 64).op(Opcode::s_and_saveexec_b64, 52, kVccCode);
          const auto none = c.branch(Opcode::s_cbranch_execz);
          one_value_a_turn(c, compilers_of_today, [](Code& w) {
            w.op(Opcode::s_lshl_b32, 45, 44, number(3)).op(Opcode::v_mul_lo_u32, 13, 45, v(kA));
            // The value that decides is another one afterwards.
            w.op(Opcode::v_add_co_u32, kResult, v(13), v(kResult)).op(Opcode::v_mov_b32, kB, number(9));
          });
          c.land(none);
          c.op(Opcode::s_mov_b64, kExecCode, 52).op(Opcode::v_add_co_u32, kResult, v(kB), v(kResult));
        },
        0);
    expect_one_turn(small);
  }
}
TEST(LiftedWaterfalls, AreOneTurnAlsoWhereTwoValuesDecide) {
  const Small small = kernel(
      [](Code& c) {
        c.op(Opcode::v_and_b32, 14, number(3), v(kA)).op(Opcode::s_mov_b64, kMask, kExecCode);
        const std::size_t top = c.here();
        c.op(Opcode::v_readfirstlane_b32, 44, v(kB)).op(Opcode::v_readfirstlane_b32, 45, v(14));
        c.op(Opcode::v_cmp_eq_u32, 0, 44, v(kB)).op(Opcode::s_mov_b64, 48, kVccCode);
        c.op(Opcode::v_cmp_eq_u32, 0, 45, v(14)).op(Opcode::s_and_b64, 48, 48, kVccCode);
        c.op(Opcode::s_and_saveexec_b64, 46, 48);
        c.op(Opcode::s_mul_i32, 50, 44, 45).op(Opcode::v_mul_lo_u32, 13, 50, v(kA));
        c.op(Opcode::v_add_co_u32, kResult, v(13), v(kResult));
        c.op(Opcode::s_xor_b64, kExecCode, kExecCode, 46);
        c.branch(Opcode::s_cbranch_execnz, top);
        c.op(Opcode::s_mov_b64, kExecCode, kMask);
      },
      0);
  expect_one_turn(small);
}
TEST(LiftedWaterfalls, ReadOtherLanesByTheLanesOwnNumber) {
  const Small small = kernel(
      [&](Code& c) {
        c.op(Opcode::v_add_co_u32, kA, number(3), v(kA));
        for (const u16 to : {u16{13}, u16{14}})
          one_value_a_turn(c, false, [&](Code& w) {
            w.op(Opcode::v_readlane_b32, 45, v(to == 13 ? kA : kResult), 44).op(Opcode::v_mov_b32, to, 45);
            if (to == 13) w.op(Opcode::v_add_co_u32, 15, v(13), v(kA));
          });
        c.op(Opcode::v_add_co_u32, kResult, v(13), v(14)).op(Opcode::v_add_co_u32, kResult, v(15), v(kResult));
      },
      0);
  expect_same(small);
  lift::Unit unit;
  ASSERT_TRUE(outcome_of(small, unit).lifted);
  EXPECT_EQ(unit.source.find("for (;;)"), std::string::npos) << unit.source;
}
// What the last turn has left, or lanes of other turns have done, is none of a lane's own.
TEST(LiftedWaterfalls, StayLoopsWhereATurnKnowsOfOthers) {
  const std::array<std::function<void(Code&)>, 4> bodies = {
      // A scalar that is used behind the loop.
      [](Code& c) {
        one_value_a_turn(c, true, [](Code& w) { w.op(Opcode::v_add_co_u32, kResult, 44, v(kResult)); });
        c.op(Opcode::v_add_co_u32, kResult, 44, v(kResult));
      },
      // A scalar that goes from turn to turn.
      [](Code& c) {
        c.op(Opcode::s_mov_b32, 50, number(0));
        one_value_a_turn(c, true, [](Code& w) {
          w.op(Opcode::s_add_u32, 50, 50, 44).op(Opcode::v_add_co_u32, kResult, 50, v(kResult));
        });
      },
      // What other lanes have been given in their turns.
      [](Code& c) {
        one_value_a_turn(c, false, [](Code& w) {
          w.op(Opcode::v_readlane_b32, 45, v(kResult), 44).op(Opcode::v_add_co_u32, kResult, 45, v(kA));
        });
      },
      // How many lanes have the turn.
      [](Code& c) {
        one_value_a_turn(c, false, [](Code& w) {
          w.op(Opcode::s_bcnt1_i32_b64, 45, kExecCode).op(Opcode::v_add_co_u32, kResult, 45, v(kA));
        });
      }};
  for (const auto& body : bodies) {
    const Small small = kernel(body, 0);
    expect_same(small);
    lift::Unit unit;
    EXPECT_FALSE(lift_work_items(small, unit).lifted) << unit.source;
  }
}
// Work-items that compute no lanes leave such a loop too, to meet a barrier behind it.
TEST(LiftedWaterfalls, ThatStayLoopsLetAllWorkItemsGoOnToABarrier) {
  expect_same(kernel(
      [](Code& c) {
        one_value_a_turn(c, false, [](Code& w) {
          w.op(Opcode::v_readlane_b32, 45, v(kResult), 44).op(Opcode::v_add_co_u32, kResult, 45, v(kA));
        });
        exchange(c);
      },
      4 * kGroupSize));
}
// A comparison has the bits of lanes that are on: what they choose by it is the same for all of them where what is
// compared is, and the first one's may be a scalar.
TEST(LiftedLanes, ChooseAlikeWhereTheyCompareAlike) {
  const Small small = kernel(
      [](Code& c) {
        c.op(Opcode::v_mov_b32, 20, kGroup).op(Opcode::v_mov_b32, 22, number(9));
        c.op(Opcode::v_cmp_gt_u32, 0, number(32), v(kA)).op(Opcode::s_and_saveexec_b64, 40, kVccCode);
        const auto none = c.branch(Opcode::s_cbranch_execz);
        c.op(Opcode::v_cmp_eq_u32, 0, number(1), v(20)).op(Opcode::s_mov_b64, 46, kVccCode);
        c.op(Opcode::v_cmp_gt_u32, 0, number(5), v(20)).op(Opcode::s_and_b64, kVccCode, kVccCode, 46);
        c.op(Opcode::v_cndmask_b32, 21, number(3), v(22));
        c.op(Opcode::v_readfirstlane_b32, 44, v(21)).op(Opcode::v_add_co_u32, kResult, 44, v(kB));
        c.land(none);
        c.op(Opcode::s_mov_b64, kExecCode, 40);
      },
      0);
  expect_same(small);
  lift::Unit unit;
  const lift::KernelOutcome outcome = lift_work_items(small, unit);
  EXPECT_TRUE(outcome.lifted) << outcome.refusal->message;
}
// Scalars that are put away in lanes of a vector register are scalars again, in both forms.
TEST(LiftedLanes, HoldScalarsThatAreScalarsAgain) {
  for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
    SCOPED_TRACE(lift::form_name(form));
    Small small{.name = "k", .code = Code()};
    Code& c = small.code;
    c.prologue().place(2, kInSlot, 2).place(3, kOutSlot, 1);
    c.buffer(Opcode::buffer_load_dwordx2, kA, 2, kIn);
    c.scalar_load(Opcode::s_buffer_load_dword, 36, kCb1, 32);
    c.op(Opcode::v_writelane_b32, 20, 36, number(5));
    c.op(Opcode::s_mov_b32, 36, number(1)).op(Opcode::v_writelane_b32, 20, kOutSlot, number(6));
    // A mask of lanes, whose halves are put away around a branch on it.
    c.op(Opcode::v_mov_b32, kResult, number(7)).op(Opcode::v_cmp_gt_u32, 0, number(6), v(kA));
    c.op(Opcode::s_and_saveexec_b64, 40, kVccCode);
    c.op(Opcode::v_writelane_b32, 20, 40, number(0)).op(Opcode::v_writelane_b32, 20, 41, number(1));
    const auto around = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_readlane_b32, 44, v(20), number(5)).op(Opcode::v_add_co_u32, kResult, 44, v(kB));
    c.land(around);
    c.op(Opcode::v_readlane_b32, 42, v(20), number(0)).op(Opcode::v_readlane_b32, 43, v(20), number(1));
    c.op(Opcode::s_mov_b64, kExecCode, 42);
    c.buffer(Opcode::buffer_store_dword, kResult, 3, kOut).end();
    const Program program = program_of(std::span(&small, 1));
    Diagnostics diagnostics;
    const lift::Unit unit = lift::lift(program, {.form = form}, diagnostics);
    for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
    ASSERT_TRUE(unit.kernels.front().lifted);
    if (!amdcompat_test::opencl_missing().empty()) continue;
    std::mt19937 random(kSeed);
    Data data{.out = Words(2 * kLanes, 0xdeadbeef), .values = {1000}};
    for (u32 n = 0; n < 4 * kLanes; ++n) data.in.push_back(static_cast<u32>(random()) % 12);
    const opencl::Result result =
        opencl::run({.source = unit.source, .launches = {launch_of("k", data, 2 * kLanes)}, .seconds = 60});
    ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
    ASSERT_EQ(result.launches[0].status, opencl::Status::Ok) << result.launches[0].message;
    const Ran expected = interpret(program, 0, data, 2 * kLanes);
    ASSERT_EQ(expected.problem, "");
    EXPECT_EQ(words_of(result.launches[0].buffers[1]), expected.out) << unit.source;
  }
}

}  // namespace
}  // namespace amdcompat_test::lifted::lanes_test
