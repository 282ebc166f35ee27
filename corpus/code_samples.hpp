// Samples whose machine code does something: built, converted and run by the tests. What each is for stands in
// README.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cl1_builder.hpp>

namespace corpus {

// A container with one kernel, before it is built: tests change the parts.
struct Cl1Code {
  std::string file;  // name
  std::string device;
  amdcompat::cl1::EncodingSpec encoding;
  std::string metadata;
  std::vector<std::byte> constants{};  // of constant buffer 2; empty: no symbol
};
// data[i] *= factor: of the 32-bit and of the 64-bit ABI.
[[nodiscard]] Cl1Code scale_32();
[[nodiscard]] Cl1Code scale_64();
// data[i] *= table[1], where the table is a constant of the program: 3, 5, 7, 11. 32-bit ABI.
[[nodiscard]] Cl1Code table_32();
[[nodiscard]] amdcompat::cl1::ContainerSpec container_of(const Cl1Code& code);
[[nodiscard]] std::vector<Cl1Code> cl1_code_samples();

// Machine code for CL2 containers, whose arguments follow six hidden words.
[[nodiscard]] std::span<const std::uint32_t> axpy_code();  // GFX8: y[i] += a * x[i] where i < n
[[nodiscard]] std::span<const std::uint32_t> histogram_code();  // GFX8: bins[data[i] % 64] += 1, groups of 64
[[nodiscard]] std::span<const std::uint32_t> reverse_code();  // GFX7: out[n - 1 - i] = in[i] where i < n, groups of 64

}  // namespace corpus
