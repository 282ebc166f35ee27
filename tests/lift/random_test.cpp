// Random programs: what becomes of their machine code against what they are, on the same OpenCL runtime.
//
// Each is compiled by clang for one of the generations, as code objects are or for the ABI of OpenCL 1.x, loaded and
// lifted; the lifted unit and the original source get the same memory, and must leave the same, byte by byte.
//
// AMDCOMPAT_RANDOM_PROGRAMS=N runs N programs instead of those of every test run, AMDCOMPAT_RANDOM_SEED=N begins with
// another one; AMDCOMPAT_RANDOM_TARGET and AMDCOMPAT_RANDOM_OPTIONS choose what all are compiled for;
// AMDCOMPAT_RANDOM_COMPILER=PATH is another clang to compile them with, of LLVM 13 or later.
// AMDCOMPAT_RANDOM_WAVE lifts to the wave form; AMDCOMPAT_RANDOM_VERBOSE prints every refusal,
// AMDCOMPAT_RANDOM_KEEP=DIRECTORY keeps sources and code objects.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <amdcompat/emulate.hpp>
#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include "interpret.hpp"
#include "old_abi.hpp"
#include "random_program.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat::random_test {
namespace {

using namespace amdcompat_test;

constexpr std::uint64_t kFirstSeed = 1;
constexpr std::size_t kPrograms = 120, kPerUnit = 10, kOfUnitInPart = 4;
// And so many of the wider grammar, of which clang 19 makes what they say.
constexpr std::uint64_t kFirstWideSeed = random::kFirstWide + 15'000;
constexpr std::size_t kWidePrograms = 20, kLeastWideLifted = 19, kLeastWideLiftedOfPart = 7;
// Of those of every run; none may differ. Some of OpenCL 1.x are left out by the compiler.
constexpr std::size_t kLeastLifted = 110, kLeastLiftedOfPart = 44;

struct Way {
  const char* target;  // or "old-" and a way of old_abi.hpp: OpenCL 1.x
  const char* options;
};
// One unit after the other.
constexpr Way kWays[] = {
    {"gfx803", "-O3"},
    {"gfx700", "-O1"},
    {"gfx900", "-O3 -mcode-object-version=4"},
    {"gfx600", "-O2"},
    {"gfx700", "-O3 -mcode-object-version=4"},
    {"gfx803", "-O1 -mcode-object-version=6"},
    {"gfx906", "-O3"},
    {"gfx600", "-O1 -mcode-object-version=4"},
    {"gfx803", "-Os"},
    {"gfx700", "-O2"},
    {"old-Gfx6", ""},
    {"old-Gfx7", ""},
};

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
std::string text(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

struct Counts {
  std::size_t programs = 0, lifted = 0, wave = 0, equal = 0, differ = 0, not_run = 0;
  std::size_t left_out = 0;  // by the compiler
  std::size_t interpreted = 0;  // on the interpreter, and equal to the source on the device
  std::map<std::string, std::size_t> not_interpreted;  // by reason
  std::map<std::string, std::map<std::string, std::size_t>> refused;  // by target, by reason
  std::map<std::string, std::pair<std::size_t, std::size_t>> by_target;  // lifted, all
};

// A reason without its numbers and operands.
std::string reason(const Diagnostic& refusal) {
  std::string out =
      std::regex_replace(sentence(refusal), std::regex("0x[0-9a-f]+|kernel '[^']*' |code offset [^:]*: "), "");
  return std::regex_replace(out, std::regex("'([a-z0-9_]+) [^']*'"), "'$1'");
}

std::string first_difference(const opencl::LaunchResult& got, const opencl::LaunchResult& expected) {
  for (std::size_t n = 0; n < got.buffers.size(); ++n)
    for (std::size_t at = 0; at < got.buffers[n].size(); ++at)
      if (got.buffers[n][at] != expected.buffers[n][at])
        return fmt::format("buffer {}, byte {}: 0x{:02x}, source 0x{:02x}", n, at,
                           std::to_integer<unsigned>(got.buffers[n][at]),
                           std::to_integer<unsigned>(expected.buffers[n][at]));
  return {};
}

// The machine code itself against its source.
void interpret_unit(const std::string& what, const Program& program, std::span<const random::Program> programs,
                    const opencl::Result& expected, Counts& counts) {
  for (std::size_t n = 0; n < programs.size(); ++n) {
    const random::Program& one = programs[n];
    if (expected.launches[n].status != opencl::Status::Ok) continue;
    if (std::ranges::find(program.kernels, one.name, &Kernel::name) == program.kernels.end()) continue;
    const Interpreted got = interpret(program, one.launch);
    if (!got.problem.empty()) {
      ++counts.not_interpreted[std::regex_replace(got.problem, std::regex("0x[0-9a-f]+|\\([^)]*\\)"), "")];
      if (std::getenv("AMDCOMPAT_RANDOM_VERBOSE") != nullptr)
        fmt::print("seed {} ({}) is not interpreted: {}\n", one.seed, what, got.problem);
      continue;
    }
    const std::string difference = got.unset.empty() || what.ends_with("-O0")
                                       ? first_difference({.buffers = got.buffers}, expected.launches[n])
                                       : got.unset;
    if (difference.empty())
      ++counts.interpreted;
    else
      ADD_FAILURE() << "seed " << one.seed << ", " << what << ", interpreted: " << difference << "\n" << one.source;
  }
}

// The machine code of programs, or nothing where the compiler ends itself.
std::optional<Program> compiled(const Way& way, std::span<const random::Program> programs, const std::string& source) {
  for (const old_abi::Way& old : old_abi::kWays) {
    if (way.target != fmt::format("old-{}", old.name)) continue;
    std::vector<old_abi::SourceKernel> kernels;
    for (const random::Program& program : programs)
      kernels.push_back({program.name, program.parameters, program.lds_bytes});
    return old_abi::program_of_source(kernels, old, source);
  }
  const TemporaryDirectory directory;
  write_file(directory / "unit.cl", source);
  const ProcessResult made =
      run(fmt::format("timeout 300 {} -x cl -cl-std=CL1.2 -w -target amdgcn-amd-amdhsa -mcpu={} {} -nogpulib -Xclang "
                      "-finclude-default-header '{}' -o '{}' 2>&1",
                      text("AMDCOMPAT_RANDOM_COMPILER", "clang-19"), way.target, way.options,
                      (directory / "unit.cl").string(), (directory / "unit.o").string()));
  if (made.status != 0) {
    // A compiler that ends itself, as clang 19.1 does for one program in some thousand: the others go on.
    ADD_FAILURE() << "seed " << programs.front().seed << ", " << way.target << " " << way.options << ": "
                  << made.output;
    return std::nullopt;
  }
  if (const char* const keep = std::getenv("AMDCOMPAT_RANDOM_KEEP")) {
    const std::string name = fmt::format("{}/{}-{}", keep, programs.front().seed, way.target);
    write_file(name + ".cl", source);
    write_file(name + ".o", read_file(directory / "unit.o"));
  }
  Diagnostics diagnostics;
  auto file = open(read_file(directory / "unit.o"), diagnostics);
  EXPECT_TRUE(file) << way.target;
  if (!file) return std::nullopt;
  return std::move(file->program);
}

void run_unit(const Way& way, std::span<const random::Program> programs, Counts& counts) {
  std::string source = random::random_header();
  opencl::Request original{.source = {}, .options = sooner(), .seconds = 120};
  for (const random::Program& program : programs) {
    source += "\n" + program.source;
    original.launches.push_back(program.launch);
  }
  const std::optional<Program> loaded = compiled(way, programs, source);
  if (!loaded) return;
  const Program& machine = *loaded;
  Diagnostics diagnostics;
  lift::Options options;
  if (std::getenv("AMDCOMPAT_RANDOM_WAVE") != nullptr) options.form = lift::Form::Wave;
  const lift::Unit unit = lift::lift(machine, options, diagnostics);
  std::vector<const random::Program*> lifted;
  opencl::Request request{.source = unit.source, .options = sooner(), .seconds = 120};
  for (const random::Program& program : programs) {
    const auto kernel = std::ranges::find(unit.kernels, program.name, &lift::KernelOutcome::name);
    ++counts.programs;
    if (kernel == unit.kernels.end()) {
      ASSERT_EQ(machine.family, Family::Cl1) << program.name;
      ++counts.left_out;
      continue;
    }
    auto& [done, all] = counts.by_target[way.target];
    ++all;
    if (!kernel->lifted) {
      ++counts.refused[way.target][reason(*kernel->refusal)];
      if (std::getenv("AMDCOMPAT_RANDOM_VERBOSE") != nullptr)
        fmt::print("seed {} ({} {}): {}\n", program.seed, way.target, way.options, sentence(*kernel->refusal));
      continue;
    }
    ++done;
    ++counts.lifted;
    counts.wave += kernel->form == lift::Form::Wave ? 1 : 0;
    lifted.push_back(&program);
    request.launches.push_back(program.launch);
  }
  original.source = source;
  const opencl::Result expected = opencl::run(original);
  ASSERT_EQ(expected.build, opencl::Status::Ok) << expected.message << expected.log;
  if (machine.target != nullptr && emulate::runnable(*machine.target))
    interpret_unit(fmt::format("{} {}", way.target, way.options), machine, programs, expected, counts);
  if (lifted.empty()) return;
  const opencl::Result got = opencl::run(request);
  ASSERT_EQ(got.build, opencl::Status::Ok) << got.message << got.log << unit.source;
  for (std::size_t n = 0; n < lifted.size(); ++n) {
    const opencl::LaunchResult& one = got.launches[n];
    const opencl::LaunchResult& other = expected.launches[static_cast<std::size_t>(lifted[n] - programs.data())];
    const std::string what = fmt::format("seed {}, {} {}", lifted[n]->seed, way.target, way.options);
    if (one.status != opencl::Status::Ok || other.status != opencl::Status::Ok) {
      ++counts.not_run;
      ADD_FAILURE() << what << ": lifted " << status_name(one.status) << " " << one.message << ", source "
                    << status_name(other.status) << " " << other.message;
      continue;
    }
    const std::string difference = first_difference(one, other);
    ++(difference.empty() ? counts.equal : counts.differ);
    if (difference.empty()) continue;
    ADD_FAILURE() << what << ": " << difference << "\n" << lifted[n]->source;
    options.kernel = lifted[n]->name;
    options.annotate = true;
    Diagnostics again;
    fmt::print("{}\n", lift::lift(machine, options, again).source);
  }
}

// Instructions of GFX9 whose addresses have parts of 16 bits.
std::size_t short_addresses(const Program& program) {
  std::size_t out = 0;
  const CodePlace& place = *program.kernels[0].code;
  const std::span<const std::byte> code =
      std::span(program.code.sections[place.section].bytes).subspan(place.offset, place.size);
  for (std::uint32_t at = 0; at + 4 <= code.size();) {
    const gcn::Instruction instruction = gcn::decode(code, at, gcn::Generation::Gfx9);
    out += gcn::has_short_address(instruction, gcn::Generation::Gfx9) ? 1 : 0;
    at += std::max<std::uint32_t>(instruction.dwords, 1) * 4;
  }
  return out;
}

// `of_unit`: how many programs of each unit.
void run_programs(std::uint64_t seed, std::size_t programs, std::size_t of_unit, Counts& counts) {
  for (std::size_t first = 0; first < programs; first += kPerUnit) {
    const Way& known = kWays[(seed + first) / kPerUnit % std::size(kWays)];
    const std::string target = text("AMDCOMPAT_RANDOM_TARGET", known.target),
                      options = text("AMDCOMPAT_RANDOM_OPTIONS", known.options);
    std::vector<random::Program> unit;
    for (std::size_t n = first; n < std::min(first + of_unit, programs); ++n)
      unit.push_back(random::random_program(seed + n, fmt::format("k{}", seed + n)));
    run_unit({target.c_str(), options.c_str()}, unit, counts);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(LiftedRandomPrograms, LeaveTheMemoryThatTheirSourceLeaves) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("opt-19", "llvm-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const std::uint64_t seed = number("AMDCOMPAT_RANDOM_SEED", kFirstSeed);
  const std::size_t programs = number("AMDCOMPAT_RANDOM_PROGRAMS", kPrograms);
  const bool usual = seed == kFirstSeed && programs == kPrograms && std::getenv("AMDCOMPAT_RANDOM_TARGET") == nullptr;
  const bool part = usual && !runs_whole();
  Counts counts;
  const auto begin = std::chrono::steady_clock::now();
  run_programs(seed, programs, part ? kOfUnitInPart : kPerUnit, counts);
  if (HasFatalFailure()) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print("{} programs from seed {}: {} lifted ({} in wave form), {} equal, {} differ, {} not run; {:.1f} s\n",
             counts.programs, seed, counts.lifted, counts.wave, counts.equal, counts.differ, counts.not_run,
             seconds.count());
  fmt::print("  {} equal on the interpreter\n", counts.interpreted);
  if (counts.left_out != 0) fmt::print("  {} left out by the compiler for the old ABI\n", counts.left_out);
  for (const auto& [why, n] : counts.not_interpreted) fmt::print("  not interpreted {}: {}\n", n, why);
  for (const auto& [target, numbers] : counts.by_target)
    fmt::print("  {}: {} of {} lifted\n", target, numbers.first, numbers.second);
  for (const auto& [target, reasons] : counts.refused)
    for (const auto& [why, n] : reasons) fmt::print("  {} refused {}: {}\n", target, n, why);
  std::fflush(stdout);
  if (usual) {
    EXPECT_GE(counts.lifted, part ? kLeastLiftedOfPart : kLeastLifted);
  }
}

TEST(LiftedRandomPrograms, OfAWiderGrammarDoSoToo) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  Counts counts;
  run_programs(kFirstWideSeed, kWidePrograms, runs_whole() ? kPerUnit : kOfUnitInPart, counts);
  EXPECT_EQ(counts.equal, counts.lifted);
  EXPECT_GE(counts.lifted, runs_whole() ? kLeastWideLifted : kLeastWideLiftedOfPart);
}

// One program, in the work-item form.
void expect_equal(std::uint64_t seed, const Way& way) {
  const random::Program program = random::random_program(seed, fmt::format("k{}", seed));
  Counts counts;
  run_unit(way, std::span(&program, 1), counts);
  EXPECT_EQ(counts.equal, 1u) << seed;
  EXPECT_EQ(counts.wave, 0u) << seed;
}

// The first two have, in a scalar register, what one way has put there and lanes that did not go it set anew before
// they read it; the last one sets registers on the way of others, by a mask that is never theirs.
TEST(LiftedRandomPrograms, MaySetWhatTheWayOfOtherLanesHasLeft) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  expect_equal(1016006, {"gfx803", "-O2"});
  expect_equal(1012027, {"gfx803", "-O2"});
  expect_equal(1011016, {"gfx900", "-O2"});
}

// One instruction multiplies an index of 64 bits and adds a constant's address, others add the rest of the high word.
TEST(LiftedRandomPrograms, ReadConstantsAtDistancesThatAreProductsOf64Bits) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  expect_equal(1063023, {"gfx700", "-O1"});
}

// Bytes of a register that the source has not set are those of the high word of a constant's address.
TEST(LiftedRandomPrograms, MayHaveElementsThatNothingHasSetBesideOthers) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  expect_equal(1063012, {"gfx700", "-O1"});
}

// A register pair that one way leaves unset, read as a double.
TEST(LiftedRandomPrograms, MayHaveDoublesThatNothingHasSet) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  expect_equal(74050, {"gfx803", "-O2"});
}

// Compilers for GFX9 make an address short of which all parts are constants (A16).
TEST(LiftedImageAddresses, MayHavePartsOf16Bits) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr std::uint32_t kWidth = 16;
  std::vector<std::byte> texels(std::size_t{kWidth} * kWidth * 16);
  for (std::size_t n = 0; n < texels.size(); ++n) texels[n] = static_cast<std::byte>(n * 37 >> 3);
  const random::Program program{
      .name = "k",
      .source = R"(
__kernel void k(__global uint* out, READ_IMAGE in, SAMPLER nearest) {
  const uint gid = item_id();
  out[gid] = sample_uint(in, nearest, 5u, 9u).z + gid;
}
)",
      .parameters = {},
      .launch = {.kernel = "k",
                 .global = {64, 1, 1},
                 .local = {64, 1, 1},
                 .arguments = {opencl::Buffer{std::vector<std::byte>(64 * 4)},
                               opencl::Image{.kind = opencl::Image::Kind::D2,
                                             .size = {kWidth, kWidth, 1},
                                             .order = CL_RGBA,
                                             .type = CL_UNSIGNED_INT32,
                                             .bytes = texels},
                               opencl::Sampler{false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST}}}};
  constexpr Way kWay{"gfx900", "-O2"};
  const std::optional<Program> machine =
      compiled(kWay, std::span(&program, 1), random::random_header() + program.source);
  ASSERT_TRUE(machine);
  EXPECT_GE(short_addresses(*machine), 1u);
  Counts counts;
  run_unit(kWay, std::span(&program, 1), counts);
  EXPECT_EQ(counts.equal, 1u);
  EXPECT_EQ(counts.interpreted, 1u);
}

}  // namespace
}  // namespace amdcompat::random_test
