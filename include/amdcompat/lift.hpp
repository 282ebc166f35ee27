// Machine code whose source is lost, as OpenCL C.
//
//   Diagnostics diagnostics;
//   if (const auto file = open(bytes, diagnostics)) {
//     const lift::Unit unit = lift::lift(file->program, {}, diagnostics);
//     std::puts(unit.source.c_str());
//   }
//
// The unit has the kernels of the program that could be lifted: same names, same parameters in the same order as the
// host sees them, same required work-group size. A kernel that cannot be lifted is refused with the reason and the
// offset of the instruction; nothing is guessed. docs/lift.md says what is assumed.
//
// Lifting needs no OpenCL runtime and no compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/program.hpp>

namespace amdcompat::lift {

// How a kernel is written: every work-item computes its own lane, or one work-item of each wavefront all lanes of it.
// The second form is slower, and right where nothing can be shown of single lanes.
enum class Form : std::uint8_t { WorkItem, Wave };
[[nodiscard]] constexpr std::string_view form_name(Form form) { return form == Form::WorkItem ? "work-item" : "wave"; }

class CachedKernels;  // the library's own

// What kernels were lifted to. The same machine code stands in files for many devices, and in many builds of a program:
// with a cache it is lifted once. A kernel is taken from here where all that its lift reads is the same, bytes of code,
// metadata and entry state, so that units are the same with and without a cache. Any number of threads may use one.
class AMDCOMPAT_API Cache {
 public:
  // `most_bytes`: about so many bytes are kept, of what was asked for last; 0: nothing is.
  explicit Cache(std::size_t most_bytes = std::size_t{16} << 20);
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  ~Cache();
  [[nodiscard]] std::size_t size() const;  // bytes of what is kept, about
  [[nodiscard]] CachedKernels& kernels() { return *kernels_; }  // for the library

 private:
  std::unique_ptr<CachedKernels> kernels_;
};

struct Options {
  std::string kernel{};  // only this one; empty: all
  std::optional<Form> form{};  // absent: what can be shown to be right
  // Denormal floats count as zeros where the machine code's mode says so, by statements of the source; else devices do
  // with them what they like.
  bool exact = false;
  bool annotate = false;  // machine-code offsets in comments
  std::string file{};  // named in the unit's first comment; may be empty
  std::vector<std::string> remarks{};  // lines of that comment
  Cache* cache = nullptr;  // may be null; outlives the call
};

// What read_image and write_image are told of an image's texels. `Any`: the source asks the image, or has no access.
enum class TexelKind : std::uint8_t { Any, Floats, Signed, Unsigned };

struct KernelOutcome {
  std::string name;
  std::size_t index = 0;  // in `Program::kernels`
  bool lifted = false;
  Form form = Form::WorkItem;
  // Reachable ones of the machine code; of functions that it calls as often as they are called.
  std::uint32_t instructions = 0;
  std::uint32_t statements = 0;  // of the lifted kernel
  std::vector<TexelKind> texels{};  // by argument; empty where the source accesses no image
  std::optional<Diagnostic> refusal{};  // why it is not lifted; reported to the sink as well
  std::optional<Diagnostic> fallback{};  // why it is not in the work-item form, unless the other one was asked for
};

struct Unit {
  std::string source;  // one OpenCL C translation unit; without kernels where none was lifted
  std::vector<KernelOutcome> kernels;  // in the order of the program
};

// How a line of a unit's first comment begins that makes it OpenCL C 2.0, behind "// ".
inline constexpr std::string_view kNeedsOpenCl20 = "Needs OpenCL C 2.0";
// What to give to clBuildProgram with a unit: "-cl-std=CL1.2"; or "-cl-std=CL2.0" where kernels write to variables of
// the program, or take a queue or an image that is read and written, which the unit's first comment says. Of any other
// text the first.
[[nodiscard]] AMDCOMPAT_API std::string_view build_options(std::string_view source);

// The definitions of all kernels of a unit that `lift` wrote, by their names: from the comment right above to the brace
// that ends it at the start of a line. Views of `unit`, which may be any text.
[[nodiscard]] AMDCOMPAT_API std::map<std::string_view, std::string_view> kernel_sources(std::string_view unit);

// The program with arguments for kernels of code objects whose file lists none: those that their machine code reads of
// the kernarg segment, by their place in it; pointers to global memory where addresses are made of them, else words
// (`uint`), named arg0, arg1, …; of as many kernels as are lifted of a file (docs/limits.md). Absent where no kernel
// needs them, also of a program that comes from here. `lift` does this by itself; who launches what it has lifted, or
// lifts kernels one at a time, takes the program from here. [S1 «Kernel Dispatch»]
[[nodiscard]] AMDCOMPAT_API std::optional<Program> with_arguments_read(const Program& program);

// Always a unit, for as much as could be lifted. Refusals are findings AC44xx of `diagnostics`.
[[nodiscard]] AMDCOMPAT_API Unit lift(const Program& program, const Options& options, Diagnostics& diagnostics);

}  // namespace amdcompat::lift
