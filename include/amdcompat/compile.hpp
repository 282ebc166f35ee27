// OpenCL C to code objects, by compilers that are installed on this machine: AMD's code object manager (comgr), which
// every ROCm has, or clang.
//
//   const auto compiler = compile::Compiler::find("comgr");
//   const auto elf = compiler->compile(unit.source, {.target = *hsa::parse_target("gfx1030")});
//
// Neither a build nor a link needs them. All work is done in child processes with a time limit: a compiler that
// crashes, hangs or eats memory gives a finding like any other, and the caller's process loads nothing of it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/hsa.hpp>

namespace amdcompat::compile {

// The version that a code object of a compiler has where none is asked for: all compilers here make it, and all
// runtimes since 2021 load it. [S1 «Code Object V4»]
inline constexpr hsa::CodeObjectVersion kUsualVersion = hsa::CodeObjectVersion::V4;

// What is wanted of one source.
struct Settings {
  hsa::TargetSpec target{};
  hsa::CodeObjectVersion version = kUsualVersion;
  bool flush_denormals = false;  // floats of 32 bits, as Catalyst's kernels had them
  double seconds = 120;  // of processor time; ten times as much by the clock
};

// A compiler of this machine. Any thread may use it, and several at once: each compilation has a child process, and
// processes of comgr are kept for the next one.
class AMDCOMPAT_API Compiler {
 public:
  // "comgr", "clang" (the newest in the path that has GPUs of AMD), or the path of either, a library being one whose
  // name has ".so" in it. Refused: it is not there, or cannot be used (AC4500).
  [[nodiscard]] static Result<Compiler> find(std::string_view which = "comgr");
  ~Compiler();
  Compiler(Compiler&&) noexcept;
  Compiler& operator=(Compiler&&) noexcept;

  [[nodiscard]] const std::string& name() const;  // "comgr 2.4", "clang 19.1.7"
  // Processors that it compiles for, such as "gfx900".
  [[nodiscard]] std::span<const std::string> targets() const;
  // Why it cannot make such code objects (AC4501); nothing: it can.
  [[nodiscard]] std::optional<Diagnostic> refusal(const hsa::TargetSpec& target, hsa::CodeObjectVersion version) const;

  // A linked code object with the kernels of an OpenCL C 1.2 unit, as the compiler wrote it. Refused: what `refusal`
  // says, and what stops the compiler, with the first lines of its log (AC4502).
  [[nodiscard]] Result<std::string> compile(std::string_view source, const Settings& settings) const;

  class Tool;  // comgr or clang

 private:
  explicit Compiler(std::unique_ptr<Tool> tool);
  std::unique_ptr<Tool> tool_;
};

}  // namespace amdcompat::compile
