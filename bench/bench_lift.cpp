// Speed of lifting: the real corpus (the project's samples where that is not there), and generated kernels of 1,000 to
// 19,000 instructions, with the memory that a lift takes at most.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include "code_program.hpp"

// --- memory --------------------------------------------------------------------------------------------------------

namespace {
std::size_t live_bytes = 0, peak_bytes = 0;
void* taken(std::size_t size) {
  void* const out = std::malloc(std::max<std::size_t>(size, 1));
  if (out == nullptr) std::abort();
  live_bytes += ::malloc_usable_size(out);
  peak_bytes = std::max(peak_bytes, live_bytes);
  return out;
}
void given_back(void* memory) {
  if (memory != nullptr) live_bytes -= ::malloc_usable_size(memory);
  std::free(memory);
}
}  // namespace
void* operator new(std::size_t size) { return taken(size); }
void operator delete(void* memory) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { given_back(memory); }

namespace {

using namespace amdcompat;
using gcn::Opcode;

// --- the corpus ----------------------------------------------------------------------------------------------------

std::vector<File> files() {
  std::vector<File> out;
  const std::filesystem::path real = AMDCOMPAT_REAL_CORPUS;
  const std::filesystem::path root = real.empty() ? std::filesystem::path(AMDCOMPAT_SAMPLES) : real / "corpus";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    Diagnostics diagnostics;
    auto file = open(std::string(std::istreambuf_iterator<char>(in), {}), diagnostics);
    if (file && file->program.target != nullptr && !file->program.kernels.empty()) out.push_back(std::move(*file));
  }
  return out;
}

void corpus_lift(benchmark::State& state) {
  const std::vector<File> all = files();
  std::size_t kernels = 0, instructions = 0;
  for (auto unused : state) {
    static_cast<void>(unused);
    kernels = instructions = 0;
    for (const File& file : all) {
      Diagnostics diagnostics;
      const lift::Unit unit = lift::lift(file.program, {}, diagnostics);
      for (const lift::KernelOutcome& kernel : unit.kernels) {
        kernels += kernel.lifted ? 1 : 0;
        instructions += kernel.lifted ? kernel.instructions : 0;
      }
      benchmark::DoNotOptimize(unit.source.data());
    }
  }
  const auto per = [&](std::size_t n) {
    return benchmark::Counter(static_cast<double>(n),
                              benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  };
  state.counters["kernels"] = static_cast<double>(kernels);
  state.counters["instructions"] = static_cast<double>(instructions);
  state.counters["time/kernel"] = per(kernels);
  state.counters["time/instruction"] = per(instructions);
}
BENCHMARK(corpus_lift)->Unit(benchmark::kMillisecond);

// --- generated kernels -----------------------------------------------------------------------------------------------

constexpr std::uint16_t kVcc = 106, kExec = 126, kVector = 256;

class Maker {
 public:
  // `instructions` of them: sums and products in 16 registers, every 40 in an `if`, every 200 with a load and a store.
  std::vector<std::uint32_t> make(std::size_t instructions) {
    // s[16:19], s[20:23] the descriptors of in and out; v2, v3 the lane's 8 bytes in them; v[4:5] the first ones of in.
    words_ = {0xc0880150, 0xc08a0158, 0xc20c0900, 0xc20c8904, 0x8f1a860c, 0x4a02001a, 0xbefc03c1,
              0xbe9a03ff, 0x00000008, 0xd2d20002, 0x00003501, 0x4a040418, 0xbe9a03ff, 0x00000008,
              0xd2d20003, 0x00003501, 0x4a060619, 0xe0341000, 0x80040402, 0x7e100280, 0x7e120280};
    constexpr std::size_t kBegin = 16, kEnd = 2;
    for (std::uint16_t n = 0; n < 16; ++n)
      op(Opcode::v_mov_b32, reg(n), static_cast<std::uint16_t>(kVector + 4 + n % 2));
    for (count_ += kBegin; count_ + kEnd < instructions;) group();
    buffer(Opcode::buffer_store_dword, reg(0), 3, 20);
    put(instruction(Opcode::s_endpgm));
    return words_;
  }

 private:
  static std::uint16_t reg(std::size_t n) { return static_cast<std::uint16_t>(6 + n % 16); }

  void group() {
    constexpr Opcode kOps[] = {Opcode::v_add_co_u32, Opcode::v_mul_u32_u24, Opcode::v_xor_b32, Opcode::v_sub_co_u32,
                               Opcode::v_or_b32,     Opcode::v_and_b32,     Opcode::v_max_u32};
    const auto sums = [&](std::size_t n) {
      for (std::size_t k = 0; k < n; ++k, ++next_)
        op(kOps[next_ % std::size(kOps)], reg(next_ * 7), kVector + reg(next_ * 3 + 1), kVector + reg(next_ * 5 + 2));
    };
    sums(28);
    op(Opcode::v_cmp_gt_u32, 0, static_cast<std::uint16_t>(128 + next_ % 60), kVector + reg(next_));
    op(Opcode::s_and_saveexec_b64, 30, kVcc);
    sums(8);
    op(Opcode::s_mov_b64, kExec, 30);
    if (++groups_ % 5 != 0) return;
    buffer(Opcode::buffer_load_dword, reg(groups_), 2, 16);
    buffer(Opcode::buffer_store_dword, reg(groups_ + 3), 3, 20);
  }

  static gcn::Instruction instruction(Opcode opcode) {
    const auto rows = gcn::rows();
    const auto row = std::ranges::find_if(
        rows, [&](const gcn::Row& one) { return one.opcode == opcode && one.on(gcn::Generation::Gfx7); });
    gcn::Instruction out;
    out.row = &*row;
    out.opcode = opcode;
    out.format = row->format;
    out.scalar_destination = kVcc;
    return out;
  }
  void op(Opcode opcode, std::uint16_t destination, std::uint16_t source0, int source1 = 0) {
    gcn::Instruction i = instruction(opcode);
    i.destination = destination;
    i.sources[0] = source0;
    i.sources[1] = static_cast<std::uint16_t>(source1);
    put(i);
  }
  void buffer(Opcode opcode, std::uint16_t data, std::uint16_t address, std::uint16_t resource) {
    gcn::Instruction i = instruction(opcode);
    i.data = static_cast<std::uint8_t>(data);
    i.address = static_cast<std::uint8_t>(address);
    i.resource = static_cast<std::uint8_t>(resource);
    i.sources[1] = 128;
    i.offen = true;
    put(i);
  }
  void put(const gcn::Instruction& i) {
    const auto encoded = gcn::encode(i, gcn::Generation::Gfx7);
    if (!encoded) std::abort();
    words_.insert(words_.end(), encoded->words.begin(), encoded->words.begin() + encoded->dwords);
    ++count_;
  }

  std::vector<std::uint32_t> words_;
  std::size_t count_ = 0, next_ = 0, groups_ = 0;
};

void generated_lift(benchmark::State& state) {
  const corpus::CodeKernel kernel{.name = "k", .words = Maker().make(static_cast<std::size_t>(state.range(0)))};
  const Program program = corpus::program_of_code(std::span(&kernel, 1), gcn::Generation::Gfx7);
  std::size_t most = 0, instructions = 0, bytes = 0;
  for (auto unused : state) {
    static_cast<void>(unused);
    peak_bytes = live_bytes;
    const std::size_t before = live_bytes;
    Diagnostics diagnostics;
    const lift::Unit unit = lift::lift(program, {}, diagnostics);
    if (!unit.kernels.front().lifted) state.SkipWithError(diagnostics.all().front().message.c_str());
    instructions = unit.kernels.front().instructions;
    bytes = unit.source.size();
    most = peak_bytes - before;
  }
  state.counters["instructions"] = static_cast<double>(instructions);
  state.counters["source bytes"] = static_cast<double>(bytes);
  state.counters["memory"] =
      benchmark::Counter(static_cast<double>(most), benchmark::Counter::kDefaults, benchmark::Counter::kIs1024);
  state.counters["memory/instruction"] =
      static_cast<double>(most) / static_cast<double>(std::max<std::size_t>(instructions, 1));
}
BENCHMARK(generated_lift)->Arg(1'000)->Arg(3'000)->Arg(10'000)->Arg(19'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
