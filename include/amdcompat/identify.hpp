// What a file is: containers, texts and code objects of AMD's OpenCL compilers, and what is mistaken for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>

namespace amdcompat {

enum class FileKind : std::uint8_t {
  Empty,          // no bytes
  Cl1Gpu,         // AMD OpenCL 1.x container for a GPU: what `cl1::read` reads
  Cl1Cpu,         // AMD OpenCL 1.x container for the CPU
  Cl2,            // AMD OpenCL 2.0 container (HSAIL)
  HsaV1,
  HsaV2,
  HsaV3,
  HsaV4,
  HsaV5,
  HsaV6,  // HSA code object by version
  Brig,           // BRIG module, bare or in an ELF of its own
  HsailText,      // HSAIL assembly
  AmdilText,      // IL text or bare metadata text, with or without leading semicolons
  Gallium,        // Mesa clover binary
  OffloadBundle,  // clang offload bundle
  Encrypted,      // a block without structure: encrypted or compressed
  OtherElf,       // an ELF file of another kind
  Unknown,
};
// "CL1 GPU container", "HSA code object V3".
[[nodiscard]] AMDCOMPAT_API std::string_view kind_name(FileKind kind);
// HSA code objects of every version.
[[nodiscard]] constexpr bool is_code_object(FileKind kind) {
  return kind >= FileKind::HsaV1 && kind <= FileKind::HsaV6;
}
// Tells a file's kind from its first bytes, its ELF header and, where these leave it open, its section names and
// notes. Never fails, reads nothing outside `bytes`, and costs at most one pass over them.
[[nodiscard]] AMDCOMPAT_API FileKind identify(std::span<const std::byte> bytes);
// Why `cl1::read` and `open` do not take this file: names what it is, and what can be done with it. Each
// kind has a code of its own.
[[nodiscard]] AMDCOMPAT_API Diagnostic refusal(std::span<const std::byte> bytes);

}  // namespace amdcompat
