// What the tool may take: half a gigabyte of address space, and twenty seconds of one core, whatever it is given. On an
// idle machine all ends within five; other tests beside this one make these seconds longer.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/code_object.hpp>

#include "code_object_sample.hpp"
#include "code_object_v2_builder.hpp"
#include "support/process.hpp"
#include "support/wants_all.hpp"

namespace limits_test {
namespace {

namespace fs = std::filesystem;
using namespace amdcompat;
using namespace amdcompat_test;

// `IN`, `OUT` and `LAUNCH` stand for the input, for a file to write and for the launch that the tool proposes for the
// input; where it proposes none, for one without arguments. Not here: `opencl`, `devices` and `manual`, which read none
// of these inputs.
constexpr const char* kVerbs[] = {
    "inspect IN",
    "inspect --format json IN",
    "inspect --isa IN",
    "inspect --lift IN",
    "check IN",
    "check --strict IN",
    "check --for lift IN",
    "convert --to yaml -o OUT IN",
    "convert --to json -o OUT IN",
    "convert --to elf --prove -o OUT.hsaco IN",
    "convert --to elf --layout natural --target gfx906 -o OUT.co IN",
    "convert --to asm -o OUT.s IN",
    "convert --to text -o OUT IN",
    "roundtrip --all IN",
    "layout IN",
    "pack --template IN",
    "pack --launch LAUNCH -o OUT.p IN",
    "run --launch LAUNCH IN",
    "launch --launch LAUNCH IN",
    "extract -o OUT.d IN",
    "verify IN IN",
    "verify --execute IN IN",
    "lift -o OUT.cl IN",
    "stub --api hsa -o OUT.c IN",
    "printf --buffer IN IN",
    "migrate --prove --out OUT.m IN",
};
// Those that start a device, for a second and more.
constexpr const char* kDeviceVerbs[] = {
    "lift --prove -o OUT.cl IN",
    "migrate --prove --lift --target gfx906 --out OUT.t IN",
};

std::string with(std::string verb, std::string_view word, const std::string& value) {
  for (std::size_t at = 0; (at = verb.find(word, at)) != std::string::npos; at += value.size())
    verb.replace(at, word.size(), value);
  return verb;
}

// A verb of the tool, whose words go to a file; its wait status and what it used. None: it could not be waited for.
template <class Prepare>
std::optional<std::pair<int, rusage>> run_tool(const std::string& verb, const fs::path& words, const Prepare& prepare) {
  const std::string command = fmt::format("exec '{}' {} > /dev/null 2> '{}'", AMDCOMPAT_CLI, verb, words.string());
  const pid_t child = ::fork();
  if (child == 0) {
    prepare();
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || ::wait4(child, &status, 0, &used) != child) return std::nullopt;
  return std::pair(status, used);
}

// With half a gigabyte of address space and twenty seconds of a processor.
ProcessResult run_within_limits(const std::string& verb, const fs::path& words) {
  const auto ended = run_tool(verb, words, [] {
    constexpr rlimit kSpace{512u << 20, 512u << 20}, kSeconds{20, 20};
    ::setrlimit(RLIMIT_AS, &kSpace);
    ::setrlimit(RLIMIT_CPU, &kSeconds);
  });
  ProcessResult out;
  if (ended && WIFEXITED(ended->first)) out.status = WEXITSTATUS(ended->first);
  std::ifstream said(words, std::ios::binary);
  out.output.assign(std::istreambuf_iterator<char>(said), {});
  return out;
}

// Empty: an exit status of the tool. Else what happened.
std::string outcome(const std::string& pattern, const fs::path& input, const fs::path& launch, const fs::path& own) {
  std::string verb = with(pattern, "LAUNCH", launch.string());
  verb = with(verb, "OUT", (own / "out").string());
  verb = with(verb, "IN", "'" + input.string() + "'");
  const ProcessResult result = run_within_limits(verb, own / "words");
  const int most = verb.starts_with("migrate") ? 4 : 3;  // of the documented ones
  // Memory that was asked for in vain ends in a documented status, too. What compilers and a device's own libraries ask
  // for, in processes of theirs, is not ours.
  const bool with_others =
      verb.starts_with("launch") || verb.contains("--target") || (verb.contains("--prove") && verb.contains("lift"));
  const bool starved = !with_others && result.output.contains("bad_alloc");
  if (result.status >= 0 && result.status <= most && !starved) return {};
  return fmt::format("{}: status {}\n{}", verb, result.status, result.output.substr(0, 2000));
}

// Calls `work` for all numbers below `count`, on two cores (this test's PROCESSORS), with a directory of its core.
template <class Work>
void on_two_cores(std::size_t count, const TemporaryDirectory& directory, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (const char* const name : {"first", "second"}) {
    const fs::path own = directory / name;
    fs::create_directory(own);
    threads.emplace_back([&, own] {
      for (std::size_t n; (n = next++) < count;) work(n, own);
    });
  }
}

// Every verb on every input; in a run of parts on every eighth, others for each verb.
void expect_outcomes(std::span<const char* const> verbs, const std::vector<fs::path>& inputs,
                     const TemporaryDirectory& directory) {
  const std::size_t part = one_of(8);
  const auto launch_of = [&](std::size_t input) { return directory / fmt::format("launch-{}.json", input); };
  on_two_cores(inputs.size(), directory, [&](std::size_t n, const fs::path&) {
    const std::string propose = fmt::format("('{}' pack --template '{}' > '{}' 2> /dev/null)", AMDCOMPAT_CLI,
                                            inputs[n].string(), launch_of(n).string());
    if (run(propose).status != 0) write_file(launch_of(n), R"({"global": [64], "local": [64]})");
  });
  on_two_cores(inputs.size() * verbs.size(), directory, [&](std::size_t n, const fs::path& own) {
    const std::size_t input = n / verbs.size(), verb = n % verbs.size();
    if ((input + verb) % part != 0) return;
    const std::string problem = outcome(verbs[verb], inputs[input], launch_of(input), own);
    EXPECT_TRUE(problem.empty()) << inputs[input] << ": " << problem;
  });
}

// Those of `inputs` whose lifts differ in more than the name of the file, and all without one: a device sees no more.
std::vector<fs::path> different_for_devices(const std::vector<fs::path>& inputs, const TemporaryDirectory& directory) {
  const fs::path unit = directory / "unit.cl";
  std::vector<fs::path> out;
  std::set<std::string> seen;
  for (const fs::path& input : inputs) {
    fs::remove(unit);
    run(fmt::format("'{}' lift -o '{}' '{}' 2>&1", AMDCOMPAT_CLI, unit.string(), input.string()));
    std::ifstream lines(unit);
    std::string code;
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("// Lifted from")) code += line + "\n";
    if (code.empty() || seen.insert(code).second) out.push_back(input);
  }
  return out;
}

std::string block(std::string_view name, int id, std::string_view lines) {
  return fmt::format(
      ";ARGSTART:__OpenCL_{0}_kernel\n;version:3:1:111\n;device:pitcairn\n;uniqueid:{1}\n;memory:uavprivate:0\n"
      ";memory:hwlocal:0\n;memory:hwregion:0\n{2};function:1:{3}\n;uavid:11\n;printfid:9\n;cbid:10\n;privateid:8\n"
      ";ARGEND:__OpenCL_{0}_kernel\n",
      name, id, lines, id + 100'000);
}

// Thousands of kernels that share one machine code of `instructions`.
std::string kernels_over_the_same_code(int kernels, int instructions) {
  hsa::CodeObject object = corpus::code_object_sample();
  auto& text = object.code.sections.front().bytes;
  text.clear();
  const auto put = [&](std::uint32_t word) {
    for (int i = 0; i < 4; ++i) text.push_back(std::byte(word >> (8 * i) & 255));
  };
  for (int i = 0; i < instructions; ++i) put(0x7e000300);  // v_mov_b32 v0, v0
  put(0xbf810000);  // s_endpgm
  object.code.sections[1].address = (text.size() + 4095) / 4096 * 4096;
  object.kernels.front().code.size = text.size();
  for (int i = 0; i < kernels; ++i) {
    hsa::CodeKernel kernel = object.kernels.front();
    hsa::MetadataKernel metadata = object.metadata.kernels.front();
    kernel.name = fmt::format("k{}", i);
    metadata.name = kernel.name;
    metadata.symbol = kernel.name + ".kd";
    object.kernels.push_back(std::move(kernel));
    object.metadata.kernels.push_back(std::move(metadata));
  }
  return hsa::write_code_object(object).value();
}

// Thousands of kernels whose arguments only their code shows, each of which loads `loads` times.
std::string kernels_without_metadata(int kernels, int loads) {
  hsa::V2Object object;
  object.isa = {8, 0, 3};
  hsa::V2Kernel kernel;
  kernel.setup.user_registers = kSgprKernargPtr;
  kernel.setup.rsrc2 = 2 << 1;
  kernel.setup.kernarg_bytes = 4096;
  kernel.code.clear();
  for (int i = 0; i < loads; ++i) {
    const auto place = static_cast<std::uint32_t>(i) * 8 % 4096;
    // s_load_dwordx2 s[4:5], s[0:1], place; s_waitcnt; v_mov_b32 v0, s4; v_mov_b32 v1, s5; flat_store_dword v[0:1], v0
    kernel.code.insert(kernel.code.end(), {0xc0060100, place, 0xbf8c007f, 0x7e000204, 0x7e020205, 0xdc700000, 0});
  }
  kernel.code.push_back(0xbf810000);  // s_endpgm
  for (int i = 0; i < kernels; ++i) {
    kernel.name = fmt::format("k{}", i);
    object.kernels.push_back(kernel);
  }
  return hsa::build_v2(object);
}

// The most memory that a verb had at a time, in bytes; none: it did not end by itself.
std::optional<std::uint64_t> peak_of(std::string verb, const fs::path& input, const TemporaryDirectory& directory) {
  verb = with(with(std::move(verb), "OUT", (directory / "out").string()), "IN", "'" + input.string() + "'");
  const auto ended = run_tool(verb, "/dev/null", [] {});
  if (!ended || !WIFEXITED(ended->first) || WEXITSTATUS(ended->first) > 4) return std::nullopt;
  return static_cast<std::uint64_t>(ended->second.ru_maxrss) * 1024;
}

// docs/limits.md: kernels of two instructions are what costs most for each byte of a file.
TEST(Limits, MemoryIsASmallMultipleOfAnObject) {
  constexpr double kMost = 32;
  constexpr const char* kMeasured[] = {
      "inspect IN",
      "inspect --format json IN",
      "check IN",
      "roundtrip IN",
      "roundtrip --all IN",
      "convert --to yaml -o OUT IN",
      "verify --execute IN IN",
      "convert --to json -o OUT IN",
      "convert --to elf -o OUT IN",
      "lift -o OUT IN",
      "layout IN",
      "stub --api hsa -o OUT IN",
      "extract -o OUT.d IN",
      "migrate --lift --out OUT.m IN",
  };
  const TemporaryDirectory directory;
  const std::string small = kernels_over_the_same_code(2'000, 1), large = kernels_over_the_same_code(10'000, 1);
  write_file(directory / "small", small);
  write_file(directory / "large", large);
  for (const char* const verb : part_of(kMeasured, 2)) {
    const auto few = peak_of(verb, directory / "small", directory),
               many = peak_of(verb, directory / "large", directory);
    ASSERT_TRUE(few && many) << verb;
    const double growth =
        (static_cast<double>(*many) - static_cast<double>(*few)) / static_cast<double>(large.size() - small.size());
    EXPECT_LE(growth, kMost) << verb << ": bytes for each byte of the file";
  }
}

// 19,000 instructions that 2,000 kernels have are one file with 2,000 names; parts of them are not written at will.
TEST(Limits, SharedCodeIsExtractedOnce) {
  const TemporaryDirectory directory;
  const std::string object = kernels_over_the_same_code(2'000, 19'000);
  write_file(directory / "in", object);
  const fs::path out = directory / "out";
  for (int time = 0; time < 2; ++time) {  // the second finds the files of the first
    const ProcessResult result =
        run(fmt::format("'{}' extract -o '{}' '{}'", AMDCOMPAT_CLI, out.string(), (directory / "in").string()));
    EXPECT_EQ(result.status, 0) << result.output.substr(0, 2000);
    EXPECT_TRUE(result.output.contains("76004 k.isa\n")) << result.output.substr(0, 2000);
    EXPECT_TRUE(result.output.contains("76004 k1999.isa (as k.isa)\n")) << result.output.substr(0, 2000);
    EXPECT_EQ(fs::file_size(out / "k1999.isa"), 76'004u);
    EXPECT_EQ(fs::hard_link_count(out / "k.isa"), 2'001u);
  }
}

TEST(Limits, EveryVerbEndsOnEveryDamagedSample) {
  const TemporaryDirectory directory;
  std::vector<fs::path> inputs;
  for (const char* part : {"broken", "refused"})
    for (const auto& entry : fs::directory_iterator(fs::path(AMDCOMPAT_SAMPLES) / part))
      if (entry.path().extension() != ".txt") inputs.push_back(entry.path());  // those describe the others
  ASSERT_GT(inputs.size(), 50u);
  std::ranges::sort(inputs);
  expect_outcomes(kVerbs, inputs, directory);
  expect_outcomes(kDeviceVerbs, different_for_devices(inputs, directory), directory);
}

TEST(Limits, EveryVerbEndsOnInputsThatAskForMuch) {
  const TemporaryDirectory directory;
  const auto repeated = [](std::string_view text, std::size_t times) {
    std::string out;
    out.reserve(text.size() * times);
    while (times-- > 0) out += text;
    return out;
  };
  const auto data = [](std::string_view size) {
    return block("k", 1024, ";memory:datareqd\n") + fmt::format(";#DATASTART:{}\n;#i32:0:4:1:2:3:4\n;#DATAEND\n", size);
  };
  std::string arguments;
  for (int i = 0; i < 65'000; ++i) arguments += fmt::format(";value:a{0}:u32:1:1:{1}\n", i, 16 * i);
  std::string kernels;
  for (int i = 0; i < 5; ++i) kernels += block(fmt::format("k{}", i), 1024 + i, arguments);
  const auto quad = [](std::uint64_t value) {
    std::string out;
    for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
  };
  // Entries that are nearly all of the same bytes.
  constexpr std::uint64_t kEntries = 4096, kEntry = 8u << 20;
  constexpr std::string_view kId = "hip-amdgcn-amd-amdhsa--gfx906";
  std::string bundle = "__CLANG_OFFLOAD_BUNDLE__" + quad(kEntries);
  for (std::uint64_t i = 0; i < kEntries; ++i)
    bundle += quad((1u << 20) + i) + quad(kEntry) + quad(kId.size()) + std::string(kId);
  bundle.resize((1u << 20) + kEntries + kEntry);
  const std::pair<const char*, std::string> inputs[] = {
      {"unknown-lines.amdil", block("k", 1024, repeated(";x\n", 3'000'000))},
      {"arguments.amdil", kernels},
      {"data.amdil", data("268435456")},
      {"most-data.amdil", data("16777216")},
      {"struct.amdil", block("k", 1024, ";value:s:struct:4294967295:1:0\n;reflection:0:struct s\n")},
      {"blocks.amdil", repeated(block("k", 1024, ""), 20'000)},
      {"zeros.bin", std::string(64u << 20, '\0')},
      {"bundle.bin", bundle},
      {"kernels.hsaco", kernels_over_the_same_code(2'000, 19'000)},
      {"many-kernels.hsaco", kernels_over_the_same_code(24'000, 1)},  // 16 MB
  };
  std::vector<fs::path> files;
  for (const auto& [name, bytes] : inputs) write_file(files.emplace_back(directory / name), bytes);
  expect_outcomes(kVerbs, files, directory);
  expect_outcomes(kDeviceVerbs, files, directory);
}

// Proofs and objects of these are not among them: a compiler takes their thousand kernels, which is what was asked for.
TEST(Limits, ArgumentsThatNoMetadataListsAreReadOfAsMuchCodeAsIsLifted) {
  const TemporaryDirectory directory;
  const std::pair<const char*, std::string> inputs[] = {
      {"kernels.hsaco", kernels_without_metadata(4'000, 70)},
      {"arguments.hsaco", kernels_without_metadata(100, 3'900)},
  };
  constexpr const char* kThatRead[] = {"check --for lift IN", "lift -o OUT.cl IN", "launch --launch LAUNCH IN"};
  std::vector<fs::path> files;
  for (const auto& [name, bytes] : inputs) write_file(files.emplace_back(directory / name), bytes);
  expect_outcomes(kThatRead, files, directory);
}

}  // namespace
}  // namespace limits_test
