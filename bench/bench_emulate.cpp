// Speed of the interpreter, in lane instructions a second: a vector instruction counts once for each enabled lane, a
// scalar one counts once. (`Report::lane_instructions` weighs them by the time they take.)
#include <bit>
#include <cstdlib>
#include <vector>

#include <benchmark/benchmark.h>

#include <amdcompat/emulate.hpp>

namespace {

using namespace amdcompat::emulate;
namespace gcn = amdcompat::gcn;

class Counter : public Observer {
 public:
  std::uint64_t lanes = 0;
  void before(const gcn::Instruction& instruction, const View& view) override {
    const std::uint64_t exec = view.sgprs[gcn::kExec] | std::uint64_t{view.sgprs[gcn::kExec + 1]} << 32;
    lanes += instruction.format > gcn::Format::Smrd ? static_cast<std::uint64_t>(std::popcount(exec)) : 1;
  }
};

// Work-items in groups of 256; v0 is the local id, s[0:3] the descriptor of a buffer of 64 KiB, or with `own_memory` of
// 4 bytes for each work-item, and then s4 is the group's id.
void measure(benchmark::State& state, const std::vector<std::uint32_t>& words,
             gcn::Generation gfx = gcn::Generation::Gfx6, std::uint32_t items = 4096, unsigned threads = 1,
             bool own_memory = false) {
  Launch launch;
  launch.gfx = gfx;
  launch.code = std::as_bytes(std::span(words));
  const std::uint32_t bytes = own_memory ? 4 * items : 0x10000;
  launch.user_sgprs = {0x10000u, 0u, bytes, 0x00027facu};
  launch.group_id[0] = own_memory;
  launch.lds_bytes = 2048;
  launch.global = {items, 1, 1};
  launch.local = {256, 1, 1};
  Memory memory;
  memory.map(0x10000, std::vector<std::byte>(bytes));
  Counter counter;
  amdcompat::Diagnostics diagnostics;
  if (!run(launch, memory, {}, diagnostics, &counter).clean()) std::abort();
  for (auto unused : state) {
    static_cast<void>(unused);
    const Report report = run(launch, memory, {.threads = threads}, diagnostics);
    if (!report.clean()) std::abort();
  }
  state.counters["lane instructions"] = benchmark::Counter(
      static_cast<double>(counter.lanes) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// s_movk_i32 s4, 100; v_cvt_f32_u32 v1, v0; loop: v_mac_f32 v1, v1, v1; v_add_i32 v2, vcc, v0, v0;
// v_lshlrev_b32 v3, 3, v2; v_xor_b32 v4, v3, v0; s_sub_u32 s4, s4, 1; s_cmp_lg_u32 s4, 0; s_cbranch_scc1 loop
const std::vector<std::uint32_t> kArithmetic{0xb0040064, 0x7e020d00, 0x3e020301, 0x4a040100, 0x34060483,
                                             0x3a080103, 0x80848104, 0xbf078004, 0xbf85fff9, 0xbf810000};
void arithmetic(benchmark::State& state) { measure(state, kArithmetic); }
void arithmetic_in_threads(benchmark::State& state) {
  measure(state, kArithmetic, gcn::Generation::Gfx6, 1 << 18, static_cast<unsigned>(state.range(0)));
}
// The same loop around v_cmp_lt_f32 vcc, v1, v0; v_cndmask_b32 v2, v1, v0, vcc; v_max_i32 v3, v2, v0;
// v_mul_lo_u32 v2, v3, v0; v_min_f32 v1, v2, v3
void comparisons(benchmark::State& state) {
  measure(state, {0xb0040064, 0x7e020d00, 0x7c020101, 0x00040101, 0x24060102, 0xd2d20002, 0x00020103, 0x1e020702,
                  0x80848104, 0xbf078004, 0xbf85fff7, 0xbf810000});
}
// v_fma_f64 v[4:5], v[2:3], v[2:3], 1.0; v_add_f64 v[2:3], v[4:5], v[2:3]; v_mul_f64 v[2:3], v[2:3], 0.5
void doubles(benchmark::State& state) {
  measure(state, {0xb0040064, 0x7e042d00, 0xd2980004, 0x03ca0502, 0xd2c80002, 0x00020504, 0xd2ca0002, 0x0001e102,
                  0x80848104, 0xbf078004, 0xbf85fff7, 0xbf810000});
}
// v_rcp_f32 v2, v1; v_sqrt_f32 v3, v2; v_exp_f32 v4, v3; v_log_f32 v5, v4; v_sin_f32 v6, v5
void transcendental(benchmark::State& state) {
  measure(state, {0xb0040064, 0x7e020d00, 0x7e045501, 0x7e066702, 0x7e084b03, 0x7e0a4f04, 0x7e0c6b05, 0x80848104,
                  0xbf078004, 0xbf85fff8, 0xbf810000});
}
// v_lshlrev_b32 v1, 2, v0; then loads and stores of v2 at v1
std::vector<std::uint32_t> loads_and_stores(std::vector<std::uint32_t> words = {0x34020082}) {
  for (int n = 0; n < 50; ++n)
    for (const std::uint32_t word : {0xe0301000u, 0x80000201u, 0xe0701000u, 0x80000201u}) words.push_back(word);
  words.push_back(0xbf810000);
  return words;
}
void buffers(benchmark::State& state) { measure(state, loads_and_stores()); }
// s_lshl_b32 s5, s4, 10; v_lshlrev_b32 v1, 2, v0; v_add_i32 v1, vcc, s5, v1; then as above
void buffers_in_threads(benchmark::State& state) {
  measure(state, loads_and_stores({0x8f058a04, 0x34020082, 0x4a020205}), gcn::Generation::Gfx6, 1 << 19,
          static_cast<unsigned>(state.range(0)), true);
}
// The first loop, in each group as many times as its id says: s_add_u32 s4, s4, 1; …
void uneven_in_threads(benchmark::State& state) {
  std::vector<std::uint32_t> words = kArithmetic;
  words[0] = 0x80048104;
  measure(state, words, gcn::Generation::Gfx6, 1 << 17, static_cast<unsigned>(state.range(0)), true);
}
// v_lshlrev_b32 v1, 2, v0; v_add_i32 v2, vcc, s0, v1; v_mov_b32 v3, 0; s_movk_i32 s4, 50; loop:
// flat_load_dword v4, v[2:3]; flat_store_dword v[2:3], v4; s_sub_u32 s4, s4, 1; s_cmp_lg_u32 s4, 0; s_cbranch_scc1 loop
void flat(benchmark::State& state) {
  measure(state,
          {0x34020082, 0x4a040200, 0x7e060280, 0xb0040032, 0xdc300000, 0x04000002, 0xdc700000, 0x00000402, 0x80848104,
           0xbf078004, 0xbf85fff9, 0xbf810000},
          gcn::Generation::Gfx7);
}
// s_mov_b32 m0, -1; v_lshlrev_b32 v1, 2, v0; v_mov_b32 v2, v0; s_movk_i32 s4, 50; ds_write_b32 v1, v2; loop:
// ds_read_b32 v2, v1; ds_write_b32 v1, v2 offset:1024; ds_read2st64_b32 v[2:3], v1 offset1:4; ds_write_b32 v1, v3; ...
void local_memory(benchmark::State& state) {
  measure(state,
          {0xbefc03c1, 0x34020082, 0x7e040300, 0xb0040032, 0xd8340000, 0x00000201, 0xd8d80000, 0x02000001, 0xd8340400,
           0x00000201, 0xd8e00400, 0x02000001, 0xd8340000, 0x00000301, 0x80848104, 0xbf078004, 0xbf85fff5, 0xbf810000});
}
BENCHMARK(arithmetic);
BENCHMARK(arithmetic_in_threads)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(uneven_in_threads)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(comparisons);
BENCHMARK(doubles);
BENCHMARK(transcendental);
BENCHMARK(buffers);
BENCHMARK(buffers_in_threads)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(flat);
BENCHMARK(local_memory);

}  // namespace

BENCHMARK_MAIN();
