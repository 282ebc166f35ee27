// One file converted: what every caller (the tool, migrations, the C interface) does with it, and nothing else.
//
//   family             Auto                                                   InPlace          Natural
//   AMDIL, HSAIL text  metadata                                               refused          metadata
//   CL1, GCN           code object in place; metadata of the kernels it       code object      metadata
//                      cannot have
//   CL1, VLIW          metadata                                               refused          metadata
//   CL2                code object in place; metadata of the others           code object      metadata
//   HSA V1, V2         code object                                            code object      metadata
//   HSA V3 to V6       as it is, or in the version and for the target that are asked for       metadata
//
// With a compiler and a target, Natural makes a code object too: the machine code is lifted [lift.hpp] and compiled
// again. Auto does that for the kernels that no code object in place can have. The compiler's metadata is held against
// the natural layout, and a kernel that is not as that says is refused.
//
// A code object is checked (`convert::check_object`), written, read again and compared with what it came from; on
// request its kernels are proved. A kernel whose proof differs is in no result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/compile.hpp>
#include <amdcompat/convert.hpp>
#include <amdcompat/export.h>
#include <amdcompat/in_place.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/prove.hpp>

namespace amdcompat::pipeline {

enum class Layout : std::uint8_t {
  Auto,  // code objects with the old machine code where that is possible, natural metadata for what is left
  InPlace,  // code objects or nothing
  Natural,  // metadata for code that is compiled again, even where the machine code could be kept
};
inline constexpr Layout kLayouts[] = {Layout::Auto, Layout::InPlace, Layout::Natural};
// "auto", "in-place", "natural".
[[nodiscard]] AMDCOMPAT_API std::string_view layout_name(Layout layout);
[[nodiscard]] AMDCOMPAT_API std::optional<Layout> find_layout(std::string_view name);

// The budget of all proofs of one file, as `ProofOptions::instructions` counts them. The kernels have it in their
// order; those that are left when it is spent stay unproved.
inline constexpr std::uint64_t kProofInstructions = 600'000'000;

// What a conversion is asked for. Its defaults are those of every caller: the tool, migrations, the C interface.
struct Request {
  Layout layout = Layout::Auto;
  convert::ObjectOptions object;  // version and target of the code object
  convert::Options natural;  // of described kernels
  bool verify = true;  // check the object and compare it with its origin; without it the object is only written
  bool prove = false;  // run old and new code
  emulate::ProofOptions proof;
  std::uint64_t proof_instructions = kProofInstructions;
  // Compiles what is lifted, for the target of `object`; may be null. Several requests may share it.
  const compile::Compiler* compiler = nullptr;
  double compiler_seconds = compile::Settings{}.seconds;
  lift::Options lift;  // of kernels that are compiled
};

// What became of a kernel, in the words of every caller.
enum class Outcome : std::uint8_t {
  Refused,
  Described,  // metadata without its machine code
  Converted,  // in the code object
  Proved,  // in the code object, and both codes did the same when they were run
  AsItIs,  // in the code object, which is the input: nothing had to be done
};
inline constexpr Outcome kOutcomes[] = {Outcome::AsItIs, Outcome::Proved, Outcome::Converted, Outcome::Described,
                                        Outcome::Refused};
// Whether a loader of today gets the kernel's machine code.
[[nodiscard]] constexpr bool has_code(Outcome outcome) { return outcome >= Outcome::Converted; }
// In JSON: "as-it-is", "proved", "converted", "described", "refused".
[[nodiscard]] AMDCOMPAT_API std::string_view outcome_name(Outcome outcome);
// For people: "runs as it is", "converted and proved", "converted", "described only", "refused".
[[nodiscard]] AMDCOMPAT_API std::string_view outcome_text(Outcome outcome);

struct KernelResult {
  std::size_t kernel = 0;  // index into Program::kernels
  Outcome outcome = Outcome::Refused;
  bool compiled = false;  // has_code: from lifted source, in `Conversion::compiled`
  // Index into the metadata's kernels, of the code object (has_code) or of the natural metadata (Described).
  std::size_t at = 0;
  // Why the kernel is not in the code object (Described) or in nothing (Refused): the first error about it, or about
  // the file as a whole. Absent where natural metadata was asked for and is there.
  std::optional<Diagnostic> reason;
  std::optional<emulate::Proof> proof;  // of what was tried, also when it was then withheld
};

struct AMDCOMPAT_API Conversion {
  std::optional<hsa::CodeObject> object;
  std::string bytes;  // its file
  std::vector<convert::InPlaceKernel> in_place;  // of OpenCL 1.x files: one for each kernel of `object`
  // What a compiler made of lifted source: the object, its file, and the source.
  std::optional<hsa::CodeObject> compiled;
  std::string compiled_bytes, source;
  std::optional<convert::Conversion> natural;  // of described kernels; its `kernels` are indices into Program::kernels
  std::vector<KernelResult> kernels;  // one for each of Program::kernels
  std::uint64_t proof_instructions = 0;  // that all proofs spent, of the request's
  [[nodiscard]] std::size_t count(Outcome outcome) const;
};

// Findings go to `diagnostics`; an error among them says that something which was asked for was not made. With Auto
// and no target asked for, metadata will do: what stands against the machine code of a kernel is then a note once
// every kernel is converted or described (a proof that differs remains an error). Where proofs are asked for, a kernel
// that is in the object without one is an error (AC4314). Nothing is converted: the result has neither object nor
// metadata. In strict mode that is so after any error among `diagnostics`, those from before included: pass the sink
// that the file was opened with.
[[nodiscard]] AMDCOMPAT_API Conversion convert(const File& file, const Request& request, Diagnostics& diagnostics);

// Keeps the kernels for which `wanted` is true, and the printf formats of their compilation units.
AMDCOMPAT_API void keep_kernels(Program& program, const std::function<bool(const Kernel&)>& wanted);

// What the proof of one kernel says, as a finding. `compiled`: of code that was compiled from lifted source.
AMDCOMPAT_API void report_proof(std::string_view kernel, const emulate::Proof& proof, Diagnostics& diagnostics,
                                bool compiled = false);

// --- machine code as source --------------------------------------------------------------------------------------

struct LiftRequest {  // defaults as above
  lift::Options lift;
  bool prove = false;  // run machine code and source
  emulate::LiftProofOptions proof;  // `exact` is that of `lift`
  std::uint64_t proof_instructions = kProofInstructions;
};

// What became of a kernel, in the words of every caller.
enum class LiftOutcome : std::uint8_t {
  Refused,  // not lifted, or the proof differs
  Lifted,
  Proved,  // lifted, and machine code and source did the same when they were run
};
inline constexpr LiftOutcome kLiftOutcomes[] = {LiftOutcome::Proved, LiftOutcome::Lifted, LiftOutcome::Refused};
// "proved", "lifted", "refused"; the same in JSON and for people.
[[nodiscard]] AMDCOMPAT_API std::string_view outcome_name(LiftOutcome outcome);

struct LiftResult {
  lift::KernelOutcome kernel;
  LiftOutcome outcome = LiftOutcome::Refused;
  std::optional<emulate::LiftProof> proof;  // of what was tried, also when it was then withheld
};
struct AMDCOMPAT_API Lifted {
  std::string source;  // one unit with the kernels that are not refused; empty: there are none
  std::vector<LiftResult> kernels;  // in the order of the program
  [[nodiscard]] std::size_t count(LiftOutcome outcome) const;
};

// `lift::lift` of a file's program. With proofs, the unit says in its first comment what they showed, a kernel that
// differs is left out (AC4423), and kernels without a proof are an error (AC4314). In strict mode there is no source
// after any error among `diagnostics`.
[[nodiscard]] AMDCOMPAT_API Lifted lift_file(const File& file, const LiftRequest& request, Diagnostics& diagnostics);

// --- two files ---------------------------------------------------------------------------------------------------

struct VerifyRequest {  // defaults as above
  bool execute = false;  // run the kernels of both instead of comparing what loaders are told
  std::string kernel{};  // only this one, which `before` has to have (AC4014); empty: all
  std::string before_name{};  // the file of findings about `before`; empty: that of the sink, as of all others
  emulate::ProofOptions proof;
  std::uint64_t proof_instructions = kProofInstructions;
};
struct Verification {
  bool same = false;  // no error was found
  std::size_t kernels_before = 0, kernels_after = 0;
  struct Kernel {
    std::string name;
    emulate::Proof proof;
  };
  std::vector<Kernel> proofs;  // with `execute`, of kernels that both files have
};
// Whether `after` runs as `before` does (`convert::compare`), or ran as it did. To be executed, `after` is a code
// object that a conversion made of `before`; the arguments of an OpenCL 1.x kernel must have the places that a
// conversion here gives them. Refused, with a finding: files without machine code, OpenCL 1.x containers that are not
// executed.
[[nodiscard]] AMDCOMPAT_API Verification verify(const File& before, const File& after, const VerifyRequest& request,
                                                Diagnostics& diagnostics);

}  // namespace amdcompat::pipeline
