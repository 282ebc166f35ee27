// Text of a file's machine code, for the verbs that show it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <amdcompat/open.hpp>

namespace amdcompat::cli {

// Machine code that was shown before, by its first byte. Thousands of kernels may share theirs.
struct ShownPart {
  const std::byte* end = nullptr;
  std::string_view kernel;
};
using ShownCode = std::map<const std::byte*, ShownPart>;
// Listing of a kernel's code, one instruction a line, with what it reads of constant buffers 0 and 1; as far as it was
// not shown. Where a branch goes there is a label, unless no instruction of the listing begins there. What the branches
// to one label span, forward or back, is indented by one step.
[[nodiscard]] std::string isa_text(const Program& program, const Kernel& kernel, ShownCode& shown, bool encoding);
// What a CAL image says: encodings, notes, program information, user data.
[[nodiscard]] std::string cal_text(const File& file, const cl1::Kernel& kernel);

// What an HSA code object says; `kernel` empty: of all kernels.
[[nodiscard]] std::string object_text(const std::string& name, const File& file, std::string_view kernel);

}  // namespace amdcompat::cli
