// What gcn::operands says of an instruction, against its execution: nothing changes but registers that are listed as
// written, and the result does not depend on registers that are not listed as read. The programs are those of
// vectors.hpp.
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors::operands_test {
namespace {

using gcn::File;
using gcn::Operand;
using gcn::Operands;

struct Listed {
  std::set<u32> scalar, vector;
  bool scc = false;
};
// `some`: those count that may be meant.
Listed listed(const Operands& operands, bool written) {
  Listed out;
  for (const Operand& o : operands) {
    if (!(written ? o.written : o.read)) continue;
    for (u32 n = 0; n < o.dwords; ++n) {
      if (o.file == File::Scalar) out.scalar.insert(o.first + n);
      if (o.file == File::Vector) out.vector.insert(o.first + n);
    }
    out.scc = out.scc || o.file == File::Scc;
  }
  return out;
}

// Notes what changed between two instructions that the first does not list.
class Changes : public Observer {
 public:
  explicit Changes(Generation gfx) : gfx_(gfx) {}
  void before(const Instruction& instruction, const View& view) override {
    // What is relative to M0 no instruction says.
    if (started_ && last_.opcode == gcn::Opcode::s_set_gpr_idx_on) relative_ = true;
    if (started_ && last_.opcode == gcn::Opcode::s_set_gpr_idx_off) relative_ = false;
    if (started_ && !relative_) {
      const Listed may = listed(gcn::operands(last_, gfx_), true);
      for (u32 n = 0; n < 128; ++n)
        if (view.sgprs[n] != scalars_[n] && !may.scalar.contains(n) && !may.scalar.contains(twin(n, gfx_)))
          note(fmt::format("s{}", n));
      for (u32 n = 0; n < kVgprs; ++n)
        if (view.vgprs[n] != vectors_[n] && !may.vector.contains(n)) note(fmt::format("v{}", n));
      if (view.scc != scc_ && !may.scc) note("scc");
      ++steps;
    }
    started_ = true;
    last_ = instruction;
    std::copy_n(view.sgprs.begin(), 128, scalars_.begin());
    std::copy_n(view.vgprs.begin(), kVgprs, vectors_.begin());
    scc_ = view.scc;
  }
  std::set<std::string> wrong;
  u32 steps = 0;

 private:
  void note(const std::string& what) { wrong.insert(fmt::format("{} changes {}", last_.row->name, what)); }
  Generation gfx_;
  bool started_ = false, relative_ = false;
  Instruction last_;
  std::array<u32, 128> scalars_{};
  std::array<Lanes, kVgprs> vectors_{};
  bool scc_ = false;
};

// The instruction as it is decoded from its own words, which is what users give to gcn::operands.
Instruction decoded(const Instruction& i, Generation gfx) {
  const std::vector<u32> words = words_of(i, gfx);
  return gcn::decode(std::as_bytes(std::span(words)), 0, gfx);
}

class Dependence {
 public:
  Dependence(const Row& row, Generation gfx, u32 seed) : row_(row), gfx_(gfx), random_(seed) {}

  // Follows the program in the model, and at each instance of the row tries other values of what it does not read.
  void follow(const Maker& maker) {
    std::map<u64, Instruction> code;
    u64 at = 0;
    for (const Instruction& i : maker.code) {
      code.emplace(at, i);
      at += words_of(i, gfx_).size() * 4;
    }
    State state = maker.start;
    state.gfx = gfx_;
    state.memory.resize(kDataBytes);
    state.lds.resize(kLdsBytes);
    for (u32 n = 0; n < 1000 && !state.ended; ++n) {
      const auto found = code.find(state.pc);
      if (found == code.end()) break;
      const State before = state;
      step(state, found->second);
      if (found->second.row == row_.row) compare(before, state, found->second);
    }
  }
  std::set<std::string> wrong;
  u32 tried = 0, executed = 0;

 private:
  void step(State& state, const Instruction& i) const {
    state.slack.clear();
    state.pc += words_of(i, gfx_).size() * 4;
    vectors::step(state, i);
  }
  void compare(const State& before, const State& after, const Instruction& i) {
    const Operands operands = gcn::operands(decoded(i, gfx_), gfx_);
    Listed keep = listed(operands, false);
    for (const Operand& o : operands)  // what is perhaps not written shows its old value
      for (u32 n = 0; o.some && o.written && n < o.dwords; ++n)
        (o.file == File::Vector ? keep.vector : keep.scalar).insert(o.first + n);
    State other = before;
    for (u32 n = 0; n < 128; ++n)
      if (!keep.scalar.contains(n) && (n < 104 || n == kVccLo || n == kVccLo + 1 || n == kM0Code || n >= kExecLo))
        other.s[n] = static_cast<u32>(random_());
    for (u32 n = 0; n < kVgprs; ++n)
      if (!keep.vector.contains(n))
        for (u32& lane : other.v[n]) lane = static_cast<u32>(random_());
    if (!keep.scc) other.scc = (random_() & 1) != 0;
    const State start = other;
    step(other, i);
    ++tried;

    const Listed written = listed(operands, true);
    const auto differ = [&](const std::string& what) {
      wrong.insert(fmt::format("{}: {} depends on a register that is not listed", i.row->name, what));
    };
    for (const u32 n : written.scalar)
      if (other.s[n] != after.s[n]) differ(fmt::format("s{}", n));
    for (const u32 n : written.vector)
      for (u32 lane = 0; n < kVgprs && lane < 64; ++lane)
        if (before.active(lane) && other.v[n][lane] != after.v[n][lane]) differ(fmt::format("v{}", n));
    if (written.scc && other.scc != after.scc) differ("scc");
    if (other.memory != after.memory || other.lds != after.lds) differ("memory");
    if (other.pc != after.pc || other.ended != after.ended) differ("the program counter");
    if (executed < 4 && runs_alone(before, i)) {
      Maker alone(row_, gfx_, 1);
      alone.start = start;
      alone.add(i);
      // Where it runs with the old values, the interpreter does what the model does with the other ones too.
      const std::string problem = run_program(alone);
      if (!problem.empty()) wrong.insert(problem);
      ++executed;
    }
  }
  // Not where it needs LDS that was stored before, or other code.
  bool runs_alone(const State& before, const Instruction& i) const {
    Maker alone(row_, gfx_, 1);
    alone.start = before;
    alone.start.pc = 0;
    alone.add(i);
    return run_program(alone).empty();
  }

  const Row& row_;
  Generation gfx_;
  std::mt19937_64 random_;
};

TEST(Operands, OfEveryExecutedInstructionAreWhatItReadsAndWrites) {
  u32 rows = 0, steps = 0, tried = 0, executed = 0;
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8, Generation::Gfx9})
    for (const Row& row : rows_of(gfx)) {
      const auto reference = references().find(row.name);
      if (reference == references().end()) continue;  // another test says so
      ++rows;
      for (const Encoding encoding : row.encodings()) {
        const u32 seed = rows * 2 + static_cast<u32>(encoding);
        Maker maker(row, gfx, seed);
        maker.encoding = encoding;
        fill(maker);
        reference->second.make(maker, 0);
        Dependence dependence(row, gfx, seed);
        dependence.follow(maker);
        Changes changes(gfx);
        EXPECT_EQ(run_program(maker, &changes), "") << row.name << text_of(encoding);
        for (const std::string& wrong : changes.wrong) ADD_FAILURE() << gcn::generation_name(gfx) << ' ' << wrong;
        for (const std::string& wrong : dependence.wrong) ADD_FAILURE() << gcn::generation_name(gfx) << ' ' << wrong;
        steps += changes.steps;
        tried += dependence.tried;
        executed += dependence.executed;
      }
    }
  fmt::print("{} rows: {} instructions executed, {} tried with other values, {} of them in the interpreter\n", rows,
             steps, tried, executed);
  EXPECT_GT(rows, 1500u);
  EXPECT_GT(executed, rows * 3);
}

}  // namespace
}  // namespace amdcompat::emulate::vectors::operands_test
