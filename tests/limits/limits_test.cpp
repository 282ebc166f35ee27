// What the tool may take: half a gigabyte of address space and five seconds of one core, whatever it is given.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/code_object.hpp>

#include "code_object_sample.hpp"
#include "support/process.hpp"

namespace {

namespace fs = std::filesystem;
using namespace amdcompat;
using namespace amdcompat_test;

// `IN` and `OUT` stand for the input and for a file to write.
constexpr const char* kVerbs[] = {
    "inspect IN",
    "inspect --format json IN",
    "inspect --isa IN",
    "check IN",
    "convert --to yaml -o OUT IN",
    "convert --to elf --prove -o OUT.hsaco IN",
    "convert --to text -o OUT IN",
    "roundtrip --all IN",
    "layout IN",
    "pack --template IN",
    "extract -o OUT.d IN",
    "verify IN IN",
    "verify --execute IN IN",
    "lift -o OUT.cl IN",
    "stub --api hsa -o OUT.c IN",
    "printf --buffer IN IN",
    "migrate --prove --out OUT.m IN",
};

// Empty: an exit status of the tool. Else what happened.
std::string outcome(std::string verb, const fs::path& input, const TemporaryDirectory& directory) {
  const auto put = [&](std::string_view word, const std::string& value) {
    for (std::size_t at = 0; (at = verb.find(word, at)) != std::string::npos; at += value.size())
      verb.replace(at, word.size(), value);
  };
  put("OUT", (directory / "out").string());
  put("IN", "'" + input.string() + "'");
  // The shell says 128 and more for a signal.
  const ProcessResult result =
      run(fmt::format("bash -c \"ulimit -v 524288 -t 5; {} {} > /dev/null; exit \\$?\"", AMDCOMPAT_CLI, verb));
  const int most = verb.starts_with("migrate") ? 4 : 3;  // of the documented ones
  // Memory that was asked for in vain ends in a documented status, too.
  const bool starved = result.output.contains("bad_alloc");
  if (result.status >= 0 && result.status <= most && !starved) return {};
  return fmt::format("{}: status {}\n{}", verb, result.status, result.output.substr(0, 2000));
}

std::string block(std::string_view name, int id, std::string_view lines) {
  return fmt::format(
      ";ARGSTART:__OpenCL_{0}_kernel\n;version:3:1:111\n;device:pitcairn\n;uniqueid:{1}\n;memory:uavprivate:0\n"
      ";memory:hwlocal:0\n;memory:hwregion:0\n{2};function:1:{3}\n;uavid:11\n;printfid:9\n;cbid:10\n;privateid:8\n"
      ";ARGEND:__OpenCL_{0}_kernel\n",
      name, id, lines, id + 100'000);
}

// Thousands of kernels that share one machine code.
std::string kernels_over_the_same_code() {
  hsa::CodeObject object = corpus::code_object_sample();
  auto& text = object.code.sections.front().bytes;
  text.clear();
  const auto put = [&](std::uint32_t word) {
    for (int i = 0; i < 4; ++i) text.push_back(std::byte(word >> (8 * i) & 255));
  };
  for (int i = 0; i < 19'000; ++i) put(0x7e000300);  // v_mov_b32 v0, v0
  put(0xbf810000);                                    // s_endpgm
  object.code.sections[1].address = (text.size() + 4095) / 4096 * 4096;
  object.kernels.front().code.size = text.size();
  for (int i = 0; i < 2'000; ++i) {
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

TEST(Limits, EveryVerbEndsOnEveryDamagedSample) {
  const TemporaryDirectory directory;
  std::vector<fs::path> inputs;
  for (const char* part : {"broken", "refused"})
    for (const auto& entry : fs::directory_iterator(fs::path(AMDCOMPAT_SAMPLES) / part))
      if (entry.path().extension() != ".txt") inputs.push_back(entry.path());  // those describe the others
  ASSERT_GT(inputs.size(), 50u);
  std::ranges::sort(inputs);
  for (const fs::path& input : inputs)
    for (const char* const verb : kVerbs) {
      const std::string problem = outcome(verb, input, directory);
      EXPECT_TRUE(problem.empty()) << input << ": " << problem;
    }
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
      {"kernels.hsaco", kernels_over_the_same_code()},
  };
  for (const auto& [name, bytes] : inputs) {
    const fs::path input = directory / name;
    write_file(input, bytes);
    for (const char* const verb : kVerbs) {
      const std::string problem = outcome(verb, input, directory);
      EXPECT_TRUE(problem.empty()) << name << ": " << problem;
    }
    fs::remove(input);
  }
}

}  // namespace
