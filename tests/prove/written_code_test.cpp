// The code of every object that is written, V3 to V6, from real files and from samples of our own: all that a kernel
// reaches is code of the target that the object states, for us and for LLVM, and is what the source had.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/pipeline.hpp>

#include "cl2_samples.hpp"
#include "code_object_sample.hpp"
#include "code_samples.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::written_code_test {
namespace {

using amdcompat_test::run;
using gcn::Instruction;
using hsa::CodeObjectVersion;

struct Reached {
  std::string name;
  std::vector<Instruction> code;  // offsets from the entry
};
// An object with its bytes, which LLVM disassembles.
struct Written {
  std::string name, bytes;
  const Target* target = nullptr;
  bool wave64 = false;
  std::vector<Reached> kernels;
};
struct Sources {
  std::size_t files = 0, objects = 0, kernels = 0, instructions = 0, unchecked = 0;
  std::vector<Written> distinct;  // by target and code
};

std::vector<Instruction> reached(std::span<const std::byte> code, std::uint32_t entry, const Target& target) {
  return gcn::Reachable(code, target).from(entry);
}
auto words_of(const Instruction& i) { return std::vector(i.words.begin(), i.words.begin() + i.dwords); }

// Instructions of a source kernel and of what became of it; `ahead` bytes of prologue are in front of the latter.
void expect_same(const std::vector<Instruction>& before, const std::vector<Instruction>& after, std::uint32_t entry,
                 std::uint32_t ahead) {
  std::map<std::uint32_t, const Instruction*> by_offset;
  for (const Instruction& i : after) by_offset[i.offset] = &i;
  for (const Instruction& i : before) {
    const auto found = by_offset.find(i.offset + entry + ahead);
    ASSERT_NE(found, by_offset.end()) << "+" << i.offset << " is not reached any more";
    const Instruction& now = *found->second;
    ASSERT_EQ(words_of(now), words_of(i)) << "+" << i.offset;
    ASSERT_EQ(now.opcode, i.opcode) << "+" << i.offset;
  }
  const auto old_code = std::ranges::count_if(after, [&](const Instruction& i) { return i.offset >= entry + ahead; });
  EXPECT_EQ(static_cast<std::size_t>(old_code), before.size());
}

void take(const File& file, CodeObjectVersion version, Sources& sources) {
  pipeline::Request request;
  request.layout = pipeline::Layout::InPlace;
  request.object.version = version;
  Diagnostics diagnostics;
  const pipeline::Conversion made = pipeline::convert(file, request, diagnostics);
  if (!made.object) return;
  Diagnostics reading;
  const auto object = hsa::read_code_object(made.bytes, reading);
  ASSERT_TRUE(object && object->target != nullptr);
  ++sources.objects;
  if (!gcn::generation_of(*object->target)) {
    ++sources.unchecked;
    return;
  }
  Written written{fmt::format("{:04}.hsaco", sources.distinct.size()), made.bytes, object->target, false, {}};
  std::string key(object->target->name);
  for (std::size_t n = 0; n < object->kernels.size(); ++n) {
    const hsa::CodeKernel& kernel = object->kernels[n];
    SCOPED_TRACE(kernel.name);
    ASSERT_LT(kernel.code.section, object->code.sections.size());
    const std::span<const std::byte> section(object->code.sections[kernel.code.section].bytes);
    const auto entry = static_cast<std::uint32_t>(kernel.code.offset);
    Reached out{kernel.name, reached(section, entry, *object->target)};
    for (const Instruction& i : out.code) ASSERT_NE(i.row, nullptr) << "+" << i.offset - entry;
    const auto source = std::ranges::find(file.program.kernels, kernel.name, &Kernel::name);
    ASSERT_NE(source, file.program.kernels.end());
    std::uint32_t ahead = 0;
    for (const convert::InPlaceKernel& in_place : made.in_place)
      if (file.program.kernels[in_place.kernel].name == kernel.name) ahead = in_place.prologue_bytes;
    ASSERT_NE(file.program.target, nullptr);
    expect_same(reached(kernel_code(file.program, *source), 0, *file.program.target), out.code, entry, ahead);
    for (Instruction& i : out.code) i.offset -= entry;
    sources.instructions += out.code.size();
    ++sources.kernels;
    written.wave64 = written.wave64 || (kernel.descriptor->properties & hsa::kPropertyWave32) == 0;
    key += fmt::format(" {} {}", kernel.name, entry);
    written.kernels.push_back(std::move(out));
  }
  for (const CodeSection& section : object->code.sections)
    if (section.executable) key.append(reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size());
  static std::set<std::string> seen;
  if (seen.insert(amdcompat_test::content_hash(key)).second) sources.distinct.push_back(std::move(written));
}

void take(const std::string& name, std::string bytes, Sources& sources) {
  SCOPED_TRACE(name);
  Diagnostics opening;
  const auto file = open(std::move(bytes), opening);
  if (!file || !(file->object() || file->cl1() || file->cl2())) return;
  ++sources.files;
  for (const CodeObjectVersion version :
       {CodeObjectVersion::V3, CodeObjectVersion::V4, CodeObjectVersion::V5, CodeObjectVersion::V6})
    take(*file, version, sources);
}

// What LLVM makes of the objects: by file and kernel, instructions by offset from the kernel's entry.
struct Line {
  std::string mnemonic;
  std::vector<std::uint32_t> words;
};
using Listing = std::map<std::string, std::map<std::string, std::map<std::uint32_t, Line>>>;
Listing disassemble(const std::filesystem::path& directory, const std::vector<const Written*>& objects, bool wave64) {
  std::string files;
  for (const Written* object : objects) files += " " + object->name;
  const auto result = run(fmt::format("cd {} && llvm-objdump-19 -d {}{}", directory.string(),
                                      wave64 ? "--mattr=-wavefrontsize32,+wavefrontsize64" : "", files));
  EXPECT_EQ(result.status, 0) << result.output.substr(0, 1000);
  Listing out;
  std::istringstream lines(result.output);
  std::map<std::string, std::map<std::uint32_t, Line>>* file = nullptr;
  std::map<std::uint32_t, Line>* kernel = nullptr;
  std::uint64_t entry = 0;
  for (std::string line; std::getline(lines, line);) {
    if (const auto at = line.find(":\tfile format"); at != line.npos) {
      file = &out[line.substr(0, at)];
    } else if (line.ends_with(">:") && file != nullptr) {
      const auto open = line.find('<');
      entry = std::stoull(line.substr(0, open), nullptr, 16);
      kernel = &(*file)[line.substr(open + 1, line.size() - open - 3)];
    } else if (const auto comment = line.find("// "); line.starts_with("\t") && comment != line.npos) {
      if (kernel == nullptr) continue;
      std::istringstream numbers(line.substr(comment + 3));
      std::string address, word;
      numbers >> address;
      Line& here = (*kernel)[static_cast<std::uint32_t>(std::stoull(address, nullptr, 16) - entry)];
      while (numbers >> word && word.size() == 8 && !word.starts_with("<"))
        here.words.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
      here.mnemonic = line.substr(1, line.find_first_of(" \t", 1) - 1);
    }
  }
  return out;
}

void expect_listed(const Sources& sources) {
  const amdcompat_test::TemporaryDirectory directory;
  // It takes the processor of the first file for all.
  std::map<std::pair<std::string_view, bool>, std::vector<const Written*>> runs;
  for (const Written& object : sources.distinct) {
    const auto generation = *gcn::generation_of(*object.target);
    if (generation < Generation::Gfx8) continue;
    amdcompat_test::write_file(directory / object.name, object.bytes);
    runs[{object.target->name, generation >= Generation::Gfx10_1 && object.wave64}].push_back(&object);
  }
  for (const auto& [run, objects] : runs) {
    const auto generation = *gcn::generation_of(*objects.front()->target);
    const std::uint32_t lanes = run.second || generation < Generation::Gfx10_1 ? 64 : 32;
    Listing listing = disassemble(directory / "", objects, run.second);
    std::size_t count = 0;
    for (const Written* object : objects)
      for (const Reached& kernel : object->kernels) {
        SCOPED_TRACE(object->name + " " + kernel.name);
        const auto& lines = listing[object->name][kernel.name];
        for (const Instruction& i : kernel.code) {
          const auto line = lines.find(i.offset);
          ASSERT_NE(line, lines.end()) << "+" << i.offset;
          ASSERT_EQ(line->second.words, words_of(i)) << "+" << i.offset;
          const std::string text = gcn::disassemble(i, generation, lanes);
          ASSERT_EQ(line->second.mnemonic, text.substr(0, text.find(' '))) << "+" << i.offset;
          ++count;
        }
      }
    fmt::print("{} wave{}: {} instructions are those of LLVM\n", run.first, lanes, count);
  }
}

// LLVM's assembler has no word for a literal that is a constant of the instruction as well.
Instruction with_large_literal(Instruction i) {
  constexpr std::uint32_t kMost = 64, kLeast = ~std::uint32_t{0} - 15;
  if (std::ranges::find(i.sources, gcn::kLiteral) == i.sources.end()) return i;
  if (i.literal > kMost && i.literal < kLeast) return i;
  i.literal = i.words[i.dwords - 1u] = 0x12345678;
  return i;
}

// LLVM has no disassembler for GFX6 and GFX7: it assembles what ours prints.
void expect_reassembled(const Sources& sources) {
  std::map<std::string_view, std::map<std::vector<std::uint32_t>, Instruction>> by_target;
  for (const Written& object : sources.distinct) {
    if (*gcn::generation_of(*object.target) > Generation::Gfx7) continue;
    for (const Reached& kernel : object.kernels)
      for (const Instruction& i : kernel.code) {
        const Instruction spelled = with_large_literal(i);
        by_target[object.target->name].emplace(words_of(spelled), spelled);
      }
  }
  const amdcompat_test::TemporaryDirectory directory;
  for (const auto& [target, instructions] : by_target) {
    std::string source, expected;
    std::vector<std::pair<std::size_t, std::string>> places;
    std::size_t stray = 0;
    for (const auto& [words, i] : instructions) {
      const std::string text = gcn::disassemble(i, *gcn::generation_of(*find_target(target)));
      places.emplace_back(expected.size(), text);
      source += text + "\n";
      // Real code has bits of operands that the instruction does not have, which text does not say.
      Instruction plain = i;
      const gcn::OpcodeInfo& op = gcn::info(i.opcode);
      for (std::size_t n = 0; n < plain.sources.size(); ++n)
        if (i.format == gcn::Format::Vop3 && op.sources[n] == gcn::Shape::None && !op.is(gcn::Property::MaskIn))
          plain.sources[n] = 0;
      const auto canonical = gcn::encode(plain, *gcn::generation_of(*find_target(target))).value();
      const auto first = canonical.words.begin();
      if (!std::equal(words.begin(), words.end(), first, first + canonical.dwords)) ++stray;
      for (const std::uint32_t word : std::span(canonical.words).first(canonical.dwords))
        for (unsigned n = 0; n < 32; n += 8) expected += static_cast<char>(word >> n & 255);
    }
    amdcompat_test::write_file(directory / "all.s", source);
    const auto result = run(fmt::format("cd {} && llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu={} -filetype=obj all.s -o "
                                        "all.o && llvm-objcopy-19 -O binary --only-section=.text all.o all.bin",
                                        (directory / "").string(), target));
    ASSERT_EQ(result.status, 0) << target << ": " << result.output.substr(0, 2000);
    const std::string made = amdcompat_test::read_file(directory / "all.bin");
    const auto differs = static_cast<std::size_t>(std::ranges::mismatch(made, expected).in2 - expected.begin());
    const auto place = std::ranges::upper_bound(places, differs, {}, &std::pair<std::size_t, std::string>::first);
    EXPECT_TRUE(made == expected) << target << ": " << (place == places.begin() ? "" : std::prev(place)->second);
    EXPECT_LE(stray, instructions.size() / 10);
    fmt::print("{}: {} distinct instructions assembled to the same bytes, but for stray bits of {}\n", target,
               instructions.size(), stray);
  }
}

void expect_good(const Sources& sources) {
  fmt::print("{} files, {} objects, {} kernels, {} instructions, {} objects of targets without rows; {} distinct\n",
             sources.files, sources.objects, sources.kernels, sources.instructions, sources.unchecked,
             sources.distinct.size());
  expect_listed(sources);
  expect_reassembled(sources);
}

TEST(WrittenCode, OfOwnSamplesIsCodeOfTheirTargets) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  Sources sources;
  for (const corpus::Cl1Code& sample : corpus::cl1_code_samples()) {
    const auto bytes = cl1::build(corpus::container_of(sample)).value();
    take(sample.file, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), sources);
  }
  for (const corpus::Cl2Sample& sample : corpus::cl2_samples()) {
    const auto bytes = cl2::build(sample.spec).value();
    take(sample.name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), sources);
  }
  take("sample.hsaco", hsa::write_code_object(corpus::code_object_sample()).value(), sources);
  EXPECT_GE(sources.objects, 20u);
  expect_good(sources);
}

TEST(WrittenCode, OfRealFilesIsCodeOfTheirTargets) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  Sources sources;
  for (const char* const prefix : {"amdcl1", "amdcl2", "hsaco"})
    for (const auto& real : amdcompat_test::real_files(prefix))
      take(real.path, amdcompat_test::read_real(real), sources);
  const auto pairs = amdcompat_test::real_root() / "pairs";
  std::vector<std::filesystem::path> others;
  if (std::filesystem::is_directory(pairs))
    for (const auto& entry : std::filesystem::recursive_directory_iterator(pairs))
      if (entry.is_regular_file()) others.push_back(entry.path());
  std::ranges::sort(others);
  for (const auto& path : others) take(path.string(), amdcompat_test::read_file(path), sources);
  EXPECT_GE(sources.objects, 300u);
  expect_good(sources);
}

}  // namespace
}  // namespace amdcompat::written_code_test
