// What the parts that read, write and check code objects share. Private to this module.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <amdcompat/code_object.hpp>

namespace amdcompat::hsa {

inline constexpr std::uint64_t kPageBytes = 0x1000;

// `size` bytes from `address` on, in the one section that holds them all.
[[nodiscard]] std::optional<CodePlace> find_place(const MachineCode& code, std::uint64_t address, std::uint64_t size);

// Fills what metadata of V1 and V2 leaves to `amd_kernel_code_t`.
void complete_metadata(CodeObject& object, Diagnostics& diagnostics);

// What kernel code asks of wavefronts: 32 lanes, which GFX10 and later have.
[[nodiscard]] bool is_wave32(const KernelCode& code, const Target& target);
// Fields of kernel code that compilers do not write, or that loaders do not read, in words: "is_ptr64 0: ...".
[[nodiscard]] std::vector<std::string> unusual_fields(const KernelCode& code, const Target& target);
// A count of user registers that is not what the enabled ones take, in words.
[[nodiscard]] std::optional<std::string> user_register_words(const KernelCode& code);

// Gives every kernel's descriptor a place and its entry offset, and writes it there. Descriptors must fit their places.
void place_descriptors(CodeObject& object);

// What differs first between two objects of V3 and later, in words; empty: nothing that is loaded or said.
[[nodiscard]] std::string first_difference(const CodeObject& a, const CodeObject& b);

}  // namespace amdcompat::hsa
