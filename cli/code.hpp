// Text of a file's machine code, for the verbs that show it.
#pragma once

#include <string>
#include <string_view>

#include <amdcompat/open.hpp>

namespace amdcompat::cli {

// Listing of a kernel's code, one instruction a line, with what it reads of constant buffers 0 and 1.
[[nodiscard]] std::string isa_text(const Program& program, const Kernel& kernel);
// What a CAL image says: encodings, notes, program information, user data.
[[nodiscard]] std::string cal_text(const File& file, const cl1::Kernel& kernel);

// What an HSA code object says; `kernel` empty: of all kernels.
[[nodiscard]] std::string object_text(const std::string& name, const File& file, std::string_view kernel);

}  // namespace amdcompat::cli
