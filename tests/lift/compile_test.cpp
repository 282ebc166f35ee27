// Every unit that is lifted compiles, for a CPU and for GPUs, without a warning: clang 19 is the judge.
//
// Real files and the project's own samples. The front end reads every unit for a CPU and a GPU; for the other targets,
// and down to machine code, it is every eighth, or all with AMDCOMPAT_ALL_TARGETS. AMDCOMPAT_UNITS=DIRECTORY keeps the
// units there.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::compile_test {
namespace {

using namespace amdcompat_test;

// Of the real kernels with GCN machine code, so many are lifted.
constexpr std::size_t kLeastLifted = 608;

struct Sample {
  std::string path;  // for people
  std::string bytes;
};

std::vector<Sample> real_samples() {
  std::vector<Sample> out;
  if (has_real_corpus())
    for (const RealFile& file : real_files("")) out.push_back({file.path, read_real(file)});
  return out;
}

std::vector<Sample> own_samples() {
  std::vector<Sample> out;
  for (const auto& entry : std::filesystem::directory_iterator(AMDCOMPAT_SAMPLES))
    out.push_back({entry.path().filename().string(), read_file(entry.path())});
  std::ranges::sort(out, {}, &Sample::path);
  return out;
}

// The source without comments, by which two units are the same: they begin with the name of the file.
std::string without_comments(std::string_view source) {
  std::string out;
  while (!source.empty()) {
    const std::size_t line = source.find("//"), block = source.find("/*");
    const std::size_t at = std::min(line, block);
    out += source.substr(0, at);
    if (at == std::string_view::npos) break;
    const std::size_t end = at == line ? source.find('\n', at) : source.find("*/", at);
    if (end == std::string_view::npos) break;
    source.remove_prefix(at == line ? end : end + 2);
  }
  return out;
}

struct Counts {
  std::size_t kernels = 0, lifted = 0, instructions = 0, statements = 0;
  std::map<std::string, std::size_t> refused;  // by code
};

// Distinct units by their source, each with the first file that has it.
using Units = std::map<std::string, std::string>;

// All that a lift says.
std::string told(const lift::Unit& unit) {
  std::string out = unit.source;
  for (const lift::KernelOutcome& kernel : unit.kernels) {
    out += fmt::format("{} {} {} {} {} {}", kernel.name, kernel.index, kernel.lifted, lift::form_name(kernel.form),
                       kernel.instructions, kernel.statements);
    for (const lift::TexelKind kind : kernel.texels) out += static_cast<char>('0' + static_cast<int>(kind));
    for (const auto& finding : {kernel.refusal, kernel.fallback})
      if (finding) out += fmt::format(" {} {} {}", code_label(finding->code), finding->where.begin, sentence(*finding));
    out += "\n";
  }
  return out;
}

// `counts` are of kernels with GCN machine code, by the kind of their file. `cache`: of all samples.
void lift_sample(const Sample& sample, lift::Cache& cache, Units& units, std::set<std::string>& seen,
                 std::map<std::string, Counts>& counts) {
  Diagnostics diagnostics;
  const auto file = open(sample.bytes, diagnostics);
  if (!file) return;
  Diagnostics findings;
  const lift::Unit unit = lift::lift(file->program, {.file = sample.path}, findings);
  Diagnostics again;
  EXPECT_TRUE(told(unit) == told(lift::lift(file->program, {.file = sample.path, .cache = &cache}, again)))
      << sample.path << " is lifted otherwise with a cache";
  EXPECT_EQ(again.all().size(), findings.all().size()) << sample.path;
  Counts& of_kind = counts[std::string(kind_name(file->kind))];
  std::size_t refused = 0, lifted = 0;
  for (const lift::KernelOutcome& kernel : unit.kernels) {
    const bool machine_code = file->program.target != nullptr && file->program.kernels[kernel.index].code;
    EXPECT_FALSE(kernel.lifted && !machine_code) << sample.path << " " << kernel.name;
    EXPECT_NE(kernel.lifted, kernel.refusal.has_value()) << sample.path << " " << kernel.name;
    if (kernel.lifted)
      ++lifted;
    else
      ++refused;
    if (!machine_code) continue;
    ++of_kind.kernels;
    if (kernel.lifted) {
      ++of_kind.lifted;
      of_kind.instructions += kernel.instructions;
      of_kind.statements += kernel.statements;
    } else {
      ++of_kind.refused[kernel.refusal ? code_label(kernel.refusal->code) : "no reason given"];
    }
  }
  EXPECT_EQ(unit.kernels.size(), file->program.kernels.size()) << sample.path;
  EXPECT_EQ(findings.count(Severity::Error), refused) << sample.path;
  EXPECT_FALSE(unit.source.contains("true ? ")) << sample.path << " has a choice that is none";
  if (lifted == 0) return;
  if (seen.insert(without_comments(unit.source)).second) units.emplace(unit.source, sample.path);
}

void print(std::string_view what, const std::map<std::string, Counts>& counts, std::size_t units) {
  for (const auto& [kind, of_kind] : counts) {
    if (of_kind.kernels == 0) continue;
    fmt::print("{}, {}: {} of {} kernels lifted; {} instructions, {} statements\n", what, kind, of_kind.lifted,
               of_kind.kernels, of_kind.instructions, of_kind.statements);
    for (const auto& [code, n] : of_kind.refused) fmt::print("  refused {}: {}\n", code, n);
  }
  fmt::print("{}: {} distinct units\n", what, units);
  std::fflush(stdout);
}

struct Judge {
  const char* name;
  const char* options;  // of clang
  bool all;  // of all units, also by default
};
constexpr Judge kJudges[] = {
    {"CPU", "-target x86_64-linux-gnu -fsyntax-only", true},
    {"SPIR", "-target spir64 -fsyntax-only", false},
    {"gfx803", "-target amdgcn--amdhsa -mcpu=gfx803 -nogpulib -O1 -c -o /dev/null", false},
    {"gfx900", "-target amdgcn--amdhsa -mcpu=gfx900 -nogpulib -fsyntax-only", true},
    {"gfx1030", "-target amdgcn--amdhsa -mcpu=gfx1030 -nogpulib -fsyntax-only", false},
    {"gfx1100", "-target amdgcn--amdhsa -mcpu=gfx1100 -nogpulib -fsyntax-only", false},
};

// What clang says of the unit in FILE goes to FILE.said, so that two can be compiled at a time.
void compile(const Units& units) {
  const TemporaryDirectory directory;
  std::vector<std::pair<std::string, const std::string*>> files;  // name, path of the sample
  for (const auto& [source, path] : units) {
    constexpr std::size_t kEvery = 8;
    const bool everywhere = files.size() % kEvery == 0 || std::getenv("AMDCOMPAT_ALL_TARGETS") != nullptr;
    const bool newer = lift::build_options(source) != lift::build_options({});
    const std::string name = fmt::format("{}{}.{}.cl", everywhere ? "all-" : "", files.size(), newer ? "2.0" : "1.2");
    write_file(directory / name, source);
    files.emplace_back(name, &path);
  }
  if (files.empty()) return;
  for (const Judge& judge : kJudges) {
    const ProcessResult result =
        run(fmt::format("cd '{}' && ls {}*.cl | xargs -P 2 -I@ sh -c '"
                        "case @ in *.2.0.cl) std=CL2.0;; *) std=CL1.2;; esac; "
                        "timeout 120 clang-19 -x cl -cl-std=$std -Xclang -finclude-default-header -Wall -Wextra {} @ "
                        "> @.said 2>&1 || echo status $? >> @.said'",
                        (directory / ".").string(), judge.all ? "" : "all-", judge.options));
    EXPECT_EQ(result.output, "");
    std::size_t failed = 0;
    for (const auto& [name, path] : files) {
      if (!judge.all && !name.starts_with("all-")) continue;
      const std::string said = read_file(directory / (name + ".said"));
      if (!said.empty() && ++failed <= 10)
        ADD_FAILURE() << judge.name << ", " << *path << ":\n" << said.substr(0, 2000);
    }
    EXPECT_EQ(failed, 0u) << judge.name << ": of " << files.size() << " units";
  }
}

void keep(const Units& units) {
  const char* const directory = std::getenv("AMDCOMPAT_UNITS");
  if (directory == nullptr) return;
  std::filesystem::create_directories(directory);
  for (const auto& [source, path] : units) {
    std::string name = path + ".cl";
    std::ranges::replace(name, '/', '+');
    write_file(std::filesystem::path(directory) / name, source);
  }
}

void judge(std::string_view what, const std::vector<Sample>& samples, std::size_t least) {
  Units units;
  std::set<std::string> seen;
  std::map<std::string, Counts> counts;
  lift::Cache cache;
  for (const Sample& sample : samples) lift_sample(sample, cache, units, seen, counts);
  print(what, counts, units.size());
  keep(units);
  std::size_t lifted = 0;
  for (const auto& [kind, of_kind] : counts) lifted += of_kind.lifted;
  EXPECT_GE(lifted, least);
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  compile(units);
}

TEST(LiftedUnits, OfRealFilesCompileWithoutAWarning) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  judge("real files", real_samples(), kLeastLifted);
}

TEST(LiftedUnits, OfOwnSamplesCompileWithoutAWarning) { judge("own samples", own_samples(), 0); }

}  // namespace
}  // namespace amdcompat::compile_test
