// Speed of the interpreter: lane instructions a second, on a loop of vector arithmetic and on loads and stores.
#include <cstdlib>
#include <vector>

#include <benchmark/benchmark.h>

#include <amdcompat/emulate.hpp>

namespace {

using namespace amdcompat::emulate;

void measure(benchmark::State& state, const std::vector<std::uint32_t>& words) {
  Launch launch;
  launch.code = std::as_bytes(std::span(words));
  launch.user_sgprs = {0x10000u, 0u, 0x10000u, 0x00027facu};
  launch.global = {4096, 1, 1};
  launch.local = {256, 1, 1};
  Memory memory;
  memory.map(0x10000, std::vector<std::byte>(0x10000));
  std::uint64_t lanes = 0;
  for (auto unused : state) {
    static_cast<void>(unused);
    amdcompat::Diagnostics diagnostics;
    const Report report = run(launch, memory, {}, diagnostics);
    if (!report.clean()) std::abort();
    lanes += report.lane_instructions;
  }
  state.counters["lane instructions"] = benchmark::Counter(static_cast<double>(lanes), benchmark::Counter::kIsRate);
}

// s_movk_i32 s4, 100; v_cvt_f32_u32 v1, v0; loop: v_mac_f32 v1, v1, v1; v_add_i32 v2, vcc, v0, v0;
// v_lshlrev_b32 v3, 3, v2; v_xor_b32 v4, v3, v0; s_sub_u32 s4, s4, 1; s_cmp_lg_u32 s4, 0; s_cbranch_scc1 loop
void arithmetic(benchmark::State& state) {
  measure(state, {0xb0040064, 0x7e020d00, 0x3e020301, 0x4a040100, 0x34060483, 0x3a080103, 0x80848104, 0xbf078004,
                  0xbf85fff9, 0xbf810000});
}
// v_lshlrev_b32 v1, 2, v0; then loads and stores of v2 at v1
void memory_access(benchmark::State& state) {
  std::vector<std::uint32_t> words{0x34020082};
  for (int n = 0; n < 50; ++n)
    for (const std::uint32_t word : {0xe0301000u, 0x80000201u, 0xe0701000u, 0x80000201u}) words.push_back(word);
  words.push_back(0xbf810000);
  measure(state, words);
}
BENCHMARK(arithmetic);
BENCHMARK(memory_access);

}  // namespace

BENCHMARK_MAIN();
