// The machine code of a file, run by the interpreter as the file's own runtime would start it: one side of every proof.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <amdcompat/launch_image.hpp>

#include "judge.hpp"

namespace amdcompat::emulate {

// Where sections of code objects and of OpenCL 2.0 containers lie.
inline constexpr u64 kCodeAddress = 0x7f00'0000'0000;
// Where argument blocks and kernarg segments lie.
inline constexpr u64 kKernargAddress = 0x7d00'0000'0000;

// What a run has, and where it leaves what it did.
struct Room {
  Budget& budget;
  Memory& memory;
  Report& report;
  bool keep_denormals = false;  // of floats, whatever the kernel's own mode is
  bool* flushes = nullptr;  // gets whether its own mode flushes them
  Questions questions{};
};

// The images of a trial; `split` gives the descriptor's base of an address.
[[nodiscard]] std::optional<abi::LaunchImage> cal_image(const Program& program, const Kernel& kernel,
                                                        const Trial& trial, const std::function<u64(u64)>& split,
                                                        Diagnostics& diagnostics);

// With a kernarg segment that only the arguments of `lowered` fill, whose explicit ones are those of `kernel`; `start`
// gives the launch. Empty when the run ended clean, else what was wrong.
[[nodiscard]] std::string run_kernarg(const Kernel& kernel, const Kernel& lowered, const Trial& trial, const Room& room,
                                      const std::function<Result<Launch>(const ObjectBindings&, u64 lds_bytes)>& start);

// Whether random launches can give a kernel its arguments, and what it takes where they cannot.
[[nodiscard]] bool can_be_given(const Kernel& kernel);
inline constexpr const char* kCannotBeGiven =
    "it takes an image that is a buffer, holds depths or is both read and written, a queue or a semaphore";

// Empty: the kernel has no machine code in the file.
[[nodiscard]] std::optional<OldCode> old_code(const Program& program, const Kernel& kernel);

// Launches of the old code and of what was made of its lifted source, which names buffers by argument: where addresses
// must not come back into a buffer.
[[nodiscard]] TrialMaker trials_of_source(const Program& program, const Kernel& kernel, std::uint32_t seed);
// The same buffers and other numbers, which need not fit the launch.
[[nodiscard]] TrialMaker trials_of_code(const Program& program, const Kernel& kernel, std::uint32_t seed);

// The first race of work-items in a launch of the old code that `counts`, so that other code may give other results.
[[nodiscard]] std::optional<Race> race_of_old(
    const Program& program, std::size_t kernel, const Trial& trial, Budget& budget, bool keep_denormals,
    const std::function<bool(const Race&)>& counts = [](const Race&) { return true; });
[[nodiscard]] std::string race_text(const Race& race);

// Empty when the run ended clean, else what was wrong.
[[nodiscard]] std::string run_old(const Program& program, std::size_t kernel, const Trial& trial, const Room& room);

// The kernel of that name in a new code object, which is likely to be at `index`; null: there is none.
[[nodiscard]] const hsa::MetadataKernel* metadata_of(const hsa::Metadata& metadata, std::string_view name,
                                                     std::size_t index);
// The code of a kernel of the object's metadata.
[[nodiscard]] std::optional<std::size_t> code_of(const hsa::CodeObject& object, const hsa::MetadataKernel* metadata);

}  // namespace amdcompat::emulate
