// Machine code of a file's kernels, for the verbs that show, write or run it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/emulate.hpp>
#include <amdcompat/open.hpp>

namespace amdcompat::cli {

struct KernelCodeView {
  const Kernel* kernel = nullptr;
  const cl1::Kernel* cl1 = nullptr;  // OpenCL 1.x containers only
  std::optional<gcn::Generation> gfx;  // empty: VLIW, or newer than GFX8
  std::span<const std::byte> code;
};
// Kernels of `file.program` that have machine code.
[[nodiscard]] std::vector<KernelCodeView> kernel_codes(const File& file);

// Listing of the code, one instruction a line, with what it reads of constant buffers 0 and 1.
[[nodiscard]] std::string isa_text(const KernelCodeView& view);
// What a CAL image says: encodings, notes, program information, user data.
[[nodiscard]] std::string cal_text(const File& file, const cl1::Kernel& kernel);

// What an HSA code object says; `kernel` empty: of all kernels.
[[nodiscard]] std::string object_text(const std::string& name, const File& file, std::string_view kernel);

}  // namespace amdcompat::cli
