// The inner ELF of a Nested container.
#pragma once

#include <optional>
#include <span>

#include <amdcompat/cl2.hpp>

#include <elf/elf_view.hpp>
#include <elf/records.hpp>

#include "bytes.hpp"

namespace amdcompat::cl2 {

inline constexpr std::string_view kSamplerSection = ".hsaimage_samplerinit";
inline constexpr std::string_view kNoteSection = ".note";
inline constexpr std::uint32_t kRelaBytes = 24;
inline constexpr std::uint32_t kSamplerBytes = 8;
inline constexpr std::uint16_t kInnerMachine = 224;

// Reads the image at `where` of `file`. Empty when it cannot be read as an ELF file; the reason is reported.
[[nodiscard]] std::optional<Inner> read_inner(std::span<const std::byte> file, SourceRange where,
                                              const ReadOptions& options, Diagnostics& diagnostics);
// Writes its headers, tables, samplers and relocations into the bytes of the whole file.
void put_inner(std::span<std::byte> out, const Inner& inner);

inline void put_sampler(std::span<std::byte> out, std::uint64_t at, const SamplerInit& sampler) {
  Appender bytes(true);
  bytes.put(sampler.size);
  bytes.put(sampler.kind);
  for (const std::uint8_t byte : {sampler.normalized, sampler.filter, sampler.addressing, sampler.reserved})
    bytes.put(byte);
  elf::put_bytes(out, at, bytes.bytes());
}

inline void put_relocation(std::span<std::byte> out, std::uint64_t at, const Relocation& relocation) {
  Appender bytes(true);
  bytes.put(relocation.offset);
  bytes.put(std::uint64_t{relocation.symbol} << 32 | relocation.type);
  bytes.put(static_cast<std::uint64_t>(relocation.addend));
  elf::put_bytes(out, at, bytes.bytes());
}

}  // namespace amdcompat::cl2
