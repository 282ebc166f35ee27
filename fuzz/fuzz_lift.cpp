// Machine code as OpenCL C: what is lifted is well formed, and what is not says why. Input: a byte of choices, then the
// code of a kernel with the parameters of code_program.hpp.
//
// AMDCOMPAT_FUZZ_CLANG=1: every unit must compile, too; that takes a process each.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <amdcompat/lift.hpp>

#include "code_program.hpp"
#include "mutants.hpp"
#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

namespace {

constexpr std::size_t kMostDwords = 1024;
constexpr std::uint32_t kLdsBytes[] = {0, 256, 1024, 4096};

gcn::Generation generation_of(std::uint8_t choice) {
  return (choice & 1) != 0 ? gcn::Generation::Gfx6 : gcn::Generation::Gfx7;
}
fuzz::Words words_of(const std::uint8_t* data, std::size_t size) {
  fuzz::Words out(std::min(size / 4, kMostDwords));
  if (!out.empty()) std::memcpy(out.data(), data, out.size() * 4);
  return out;
}

// The source without comments and without blanks between what is no word.
std::string tokens_of(std::string_view source) {
  std::string out;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source.substr(at, 2) == "//") at = std::min(source.find('\n', at), source.size() - 1);
    if (source.substr(at, 2) == "/*") at = std::min(source.find("*/", at), source.size() - 2) + 1;
    const char c = source[at];
    if (c != ' ' && c != '\n') out += c;
  }
  return out;
}
// Brackets close in order, and no operator lacks an operand. `*` may stand in front of `)`, as in casts; `(` too, as in
// calls; and `for (;;)`.
bool is_well_formed(std::string_view source) {
  const std::string text = tokens_of(source);
  std::string open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at], next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '(' || c == '[' || c == '{') open += c;
    if (c == ')' || c == ']' || c == '}') {
      constexpr std::string_view kOpening = "([{", kClosing = ")]}";
      if (open.empty() || open.back() != kOpening[kClosing.find(c)]) return false;
      open.pop_back();
    }
    const bool step = at > 0 && (c == '+' || c == '-') && text[at - 1] == c;  // n++
    if (!step && std::string_view("=+-/&|^<!~?:,[").find(c) != std::string_view::npos &&
        std::string_view(";),]").find(next) != std::string_view::npos)
      return false;
    if (c == '%' && next >= '0' && next <= '9') return false;  // a place for an argument
  }
  return open.empty();
}

bool compiles(const std::string& source) {
  std::FILE* const clang = ::popen(
      "clang-19 -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -Wall -Wextra -Werror -fsyntax-only -", "w");
  if (clang == nullptr) return false;
  const bool written = std::fwrite(source.data(), 1, source.size(), clang) == source.size();
  return ::pclose(clang) == 0 && written;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 5) return 0;
  const std::uint8_t choice = data[0];
  const corpus::CodeKernel kernel{.name = "k",
                                  .words = words_of(data + 1, size - 1),
                                  .lds_bytes = kLdsBytes[choice >> 1 & 3],
                                  .flushes = (choice & 8) != 0};
  const Program program = corpus::program_of_code(std::span(&kernel, 1), generation_of(choice));
  lift::Options options;
  options.annotate = (choice & 16) != 0;
  options.exact = (choice & 32) != 0;
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, options, diagnostics);
  require(unit.kernels.size() == 1, "every kernel has an outcome");
  const lift::KernelOutcome& outcome = unit.kernels.front();
  require(outcome.lifted != outcome.refusal.has_value(), "a kernel is lifted, or there is a reason");
  require(diagnostics.has_errors() == outcome.refusal.has_value(), "a refusal is reported");
  require(unit.source.empty() != outcome.lifted, "there is a source where the kernel is lifted");
  if (!outcome.lifted) return 0;
  const bool good = is_well_formed(unit.source);
  if (!good) std::fputs(unit.source.c_str(), stderr);
  require(good, "a unit is well formed");
  static const bool compile = std::getenv("AMDCOMPAT_FUZZ_CLANG") != nullptr;
  if (!compile || compiles(unit.source)) return 0;
  std::fputs(unit.source.c_str(), stderr);
  require(false, "a unit compiles");
  return 0;
}

// Instructions are changed as wholes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (most < 5) return size;
  std::mt19937 random(seed);
  if (size == 0) data[size++] = 0;
  if (random() % 16 == 0) data[0] = static_cast<std::uint8_t>(random());
  const fuzz::Words words =
      fuzz::mutate(words_of(data + 1, size - 1), generation_of(data[0]), std::min(kMostDwords, (most - 1) / 4), random);
  if (!words.empty()) std::memcpy(data + 1, words.data(), words.size() * 4);
  return 1 + words.size() * 4;
}
