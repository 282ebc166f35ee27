// Rows of the instruction table, and how a row's semantics are made from a small function over its operands.
#pragma once

#include <span>

#include <amdcompat/emulate.hpp>

namespace amdcompat::emulate {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

class Wave;
// Executes one instruction of one wavefront.
using Execute = void (*)(Wave& wave, const Instruction& instruction);

// What a row does, and the operands that follow from it.
struct Semantics {
  Execute execute = nullptr;
  Shape destination = Shape::None;
  std::array<Shape, 3> sources{};
  bool mask_out = false;
  bool mask_in = false;
  bool reads_destination = false;
  bool literal = false;
  bool scalar_destination = false;
};

struct Row {
  std::string_view name;
  Format format;
  std::array<std::int16_t, 3> number;  // on GFX6, GFX7, GFX8
  Semantics semantics;
};

// The table, by module; each has the rows of one kind of instruction.
[[nodiscard]] std::span<const Row> scalar_rows();
[[nodiscard]] std::span<const Row> vector_rows();
[[nodiscard]] std::span<const Row> compare_rows();
[[nodiscard]] std::span<const Row> memory_rows();
[[nodiscard]] std::span<const Row> other_rows();  // disassembled only

// The function of a row of `opcodes()`.
[[nodiscard]] Execute execute_of(const OpcodeInfo& opcode);

// Codes of scalar operands.
inline constexpr u32 kVcc = 106;
inline constexpr u32 kM0 = 124;
inline constexpr u32 kExec = 126;
inline constexpr u32 kLiteral = 255;
inline constexpr u32 kFirstVector = 256;

}  // namespace amdcompat::emulate
