// Proof of a conversion by execution: old and new machine code are run on the same random launches, each started as its
// own runtime would, and must leave the same memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/emulate.hpp>
#include <amdcompat/export.h>
#include <amdcompat/in_place.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::emulate {

enum class Verdict : std::uint8_t {
  Proved,  // see below
  // Both sides agreed on every launch that could be compared, but that was not enough, or a budget ended it.
  Unproved,
  NotExecutable,  // the old code cannot be run here
  Differs,  // the new code did something else
};
[[nodiscard]] AMDCOMPAT_API std::string_view verdict_name(Verdict verdict);

struct ProofOptions {
  std::uint32_t seed = 1;
  std::uint32_t launches = 3;  // compared ones that are needed
  std::uint32_t attempts = 48;  // launches that are tried; most fail because random values make the code read elsewhere
  // Budgets, as `Limits::lane_instructions` counts. The first ends a run; the launch is then none that can be compared,
  // the next ones have small numbers, then a quarter of the budget if that does not help, and where the first few all
  // end so, no others are tried. The second ends the proof: it has all runs of both sides, and one for each
  // `kBytesOfAnInstruction` bytes of a launch.
  std::uint64_t run_instructions = 50'000'000;
  std::uint64_t instructions = 300'000'000;
  // What lifted source takes the texels of images for (lift::KernelOutcome::texels); empty: anything.
  std::vector<lift::TexelKind> texels{};
};
inline constexpr std::uint64_t kBytesOfAnInstruction = 4;

// *Proved*: at least `launches` launches ended on both sides and wrote something; over them at least 80 % of the old
// code's instructions were reached; neither side used a register that nothing had set or touched a byte that was not
// listed (of the kernarg segment: not in an argument of the metadata); all buffers were equal afterwards.
struct Proof {
  Verdict verdict = Verdict::NotExecutable;
  std::string reason;  // empty when proved
  std::uint32_t compared = 0;  // launches
  // Of lifted source: so many of them had work-groups of one work-item, because the old code's work-items race in
  // larger ones, and so many had one work-item, because work-groups race for a buffer too.
  std::uint32_t alone_in_group = 0, alone_in_launch = 0;
  // Of lifted source: so many of them had one work-group and local memory that began as zeros, on both sides, because
  // the old code uses some that nothing has set.
  std::uint32_t local_zeros = 0;
  Coverage coverage;
  std::uint64_t instructions = 0;  // of the budget that were spent
  bool exhausted = false;  // all of them
  bool low_addresses = false;  // a kernel of the 64-bit ABI: equal while all buffers lie below 4 GiB, else not
};

// `index` counts the kernels of `converted`. `program` is what the conversion was made from.
[[nodiscard]] AMDCOMPAT_API Proof prove_in_place(const Program& program, const convert::InPlaceObject& converted,
                                                 std::size_t index, const ProofOptions& options = {});

// The same for kernel `kernel` of a CL2 container or of an older code object, and of the code object that
// `convert::to_code_object` or `convert::to_version` made of it. `program` is that of the old file. The old CL2 code is
// started as its setup says, a code object's as its descriptor does, with a kernarg segment made from the metadata
// alone; variables of the program are compared too. Not executable: images and other objects that only a driver makes,
// generations other than GFX6 to GFX9.
[[nodiscard]] AMDCOMPAT_API Proof prove_object(const Program& program, std::size_t kernel, const hsa::CodeObject& after,
                                               const ProofOptions& options = {});

// What came of random launches of a kernel's machine code, as the file's own runtime would start it. No launch, and a
// `reason`, for a number that no kernel has and for code that is not executed here (docs/emulate.md).
struct Execution {
  std::uint32_t launches = 0;  // that were tried
  std::uint32_t ended = 0;  // inside their buffers; what nothing has set may be used as in `prove_compiled`
  std::uint32_t wrote = 0;  // those of them that wrote something, up to `ProofOptions::launches`
  Coverage coverage;  // of those that ended
  std::string reason;  // empty when one ended; else what was wrong with the last one
};
[[nodiscard]] AMDCOMPAT_API Execution execute(const Program& program, std::size_t kernel,
                                              const ProofOptions& options = {});

// --- lifted source [lift.hpp] ---

struct LiftProofOptions {
  ProofOptions proof{.attempts = 64};
  // Part of the name of an OpenCL device or of its platform; empty: pocl where it is, so that a proof means the same
  // everywhere, else the first device.
  std::string device{};
  // Limit of a build and of a launch with what the device's compiler makes for it: processor time; ten times as much by
  // the clock.
  double seconds = 20;
  bool exact = false;  // the source flushes denormal floats itself (lift::Options::exact)
  bool simulator = true;  // where results differ, oclgrind says what races, if it is there
};

// What makes a proof the weaker, beside the launches.
struct LiftProof : Proof {
  std::string device{};  // on which the source ran; empty: on none
  bool no_device = false;  // there is none as the options want it, as the reason says
  // Instructions whose results are approximations were in the code: floats then count as equal when they differ by at
  // most `kLiftTolerance` of the largest finite number in their buffer; in launches with a linear filter, by at most
  // `kFilterTolerance`. Halves then may have another last bit. Where nothing says what a buffer holds, words count as
  // floats that differ by that part of themselves, or of the largest of usual size (2^-40 to 2^40).
  bool approximate = false;
  double error = 0;  // the largest such difference
  // A launch gives other results when denormal floats are kept than when they are flushed, as the old code did.
  bool denormals = false;
};
inline constexpr double kLiftTolerance = 1e-5;
// Texture units weigh with 8 bits of a fraction. [CUDA «Linear Filtering»; seen on an H100]
inline constexpr double kFilterTolerance = 1.0 / 256;

// The machine code of a kernel against OpenCL C that has a kernel of the same name and parameters: random launches on
// the interpreter, and on an OpenCL device through libOpenCL.so.1, which is loaded in a child process for each launch
// and which this library does not depend on. *Proved* as above; all buffers of pointers and images were equal
// afterwards, a NaN being as good as another, or nearly equal (`LiftProof::approximate`, and images of texels that
// devices may round). The machine code may use what nothing has set, where the memory that it leaves is the same with
// other contents there. Not executable: no such device, no compiler that takes the source, a child that ended or took
// too long, arguments that random launches cannot give. Where results differ, the interpreter says whether work-items
// of the machine code race, and oclgrind, if it is there, what the source does: work-items that race for a buffer show
// nothing, and other races and accesses out of bounds end the proof unproved.
[[nodiscard]] AMDCOMPAT_API LiftProof prove_lifted(const Program& program, std::size_t kernel, std::string_view source,
                                                   const LiftProofOptions& options = {});

// The machine code of a kernel against that of a kernel of the same name which a compiler made of its lifted source:
// both on the interpreter, the new one with its arguments where its metadata has them. *Proved* as `prove_object`; a
// NaN is as good as another. The new code may use what nothing has set, as that of optimizing compilers does, where the
// memory that it leaves is the same with other contents there. Denormal floats of 32 bits are kept or flushed on both
// sides as the new code's mode says. Where the new code does what the interpreter refuses (an instruction that is not
// run here, addresses beyond a buffer that the old code did not use) the proof ends unproved.
[[nodiscard]] AMDCOMPAT_API Proof prove_compiled(const Program& program, std::size_t kernel,
                                                 const hsa::CodeObject& compiled, const ProofOptions& options = {});

}  // namespace amdcompat::emulate
