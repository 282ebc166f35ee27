// New CL1 containers and CAL images of the shape AMD's compiler gives them: for samples, tests and benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <amdcompat/cl1.hpp>

#include "build_error.hpp"

namespace amdcompat::cl1 {

// A note to put into an image.
struct NoteSpec {
  std::uint32_t type = 0;
  std::vector<std::uint32_t> words;  // payload
};

struct CalSymbolSpec {
  std::string name;  // "uav11", "cb0"
  std::uint32_t value = 0;
  std::uint16_t section = 0;  // 0x10 UAV, 0xa constant buffer [BIN]
};

// What one encoding of a new image holds.
struct EncodingSpec {
  std::uint32_t machine = 0;
  std::vector<ProgramInfoEntry> program_info;
  std::vector<NoteSpec> notes;  // in place of the empty notes of the same types; never of PROGINFO's type
  std::vector<std::byte> text;
  std::vector<std::byte> data;  // empty: 4736 zero bytes
  std::vector<CalSymbolSpec> symbols;
};

// Program information that says what `registers` says, in the entries of that generation.
[[nodiscard]] std::vector<ProgramInfoEntry> program_info_for(const Registers& registers, Isa isa);

// A CAL image with these encodings, IL first where there is one, as AMD's compiler lays them out.
[[nodiscard]] Built build_cal_image(std::span<const EncodingSpec> encodings);

struct KernelSpec {
  std::string name;
  std::string metadata;  // text; empty: no symbol
  std::optional<KernelHeader> header;  // absent: no symbol
  std::vector<std::byte> image;  // `build_cal_image`; empty: no symbol
  std::string il;  // empty: no symbol
};
struct FunctionSpec {
  std::string name;
  std::string metadata;
};
struct GlobalSpec {
  std::uint32_t index = 0;
  std::vector<std::byte> contents;
};

struct ContainerSpec {
  AddressBits elf_bits = AddressBits::Bits32;
  std::uint16_t machine = 0;  // e_machine: `Device::e_machine`
  std::vector<KernelSpec> kernels;
  std::vector<FunctionSpec> functions;
  std::vector<GlobalSpec> globals;
  std::optional<std::string> compile_options;  // absent: no symbol
  std::optional<std::string> linker_options;
  std::string driver;  // "@(#) OpenCL 1.2 AMD-APP (1702.3).  Driver version: 1702.3 (VM)"
  std::vector<std::byte> llvmir;  // empty: no section
  std::string source;  // empty: no section
};

// A new container of the shape AMD's compiler gives it.
[[nodiscard]] Built build(const ContainerSpec& spec);

}  // namespace amdcompat::cl1
