// Vectors for every instruction that the interpreter executes: operands -> result.
//
// What an instruction must do is written here a second time, from the documents (keys in docs/sources.md) and
// differently: exact arithmetic of 113 bits that is rounded once, loops over bits, tables. A program of a few
// instructions runs in the interpreter, while a model of the wavefront steps along; before each instruction all
// registers of both must agree, and at the end memory too. So a vector also says what an instruction leaves alone.
//
//   vectors_test.cpp      a program around every instruction, in each encoding
//   vectors_run.cpp       edge-case and random operands, the model's registers, the comparison
//   vectors_words.cpp     which instructions are executed, and their words
//   vectors_scalar.cpp    SOP2, SOPK, SOP1, SOPC, SOPP
//   vectors_vector.cpp    VOP1, VOP2, VOP3, VOPC: lanes, modifiers, programs; what one lane does is in
//                         vectors_one_source.cpp, vectors_two_sources.cpp and vectors_three_sources.cpp, of
//                         instructions of 16 bits in vectors_half.cpp
//   vectors_sdwa_dpp.cpp  parts of registers and other lanes as operands of VOP1, VOP2 and VOPC
//   vectors_memory.cpp    SMRD, MUBUF, MTBUF, FLAT, DS, of which most is in vectors_share.cpp
//   vectors_image.cpp     MIMG
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/emulate.hpp>
#include <amdcompat/gcn.hpp>

namespace amdcompat::emulate::vectors {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using gcn::Format;
using gcn::Generation;
using gcn::Instruction;
using std::string_view;
using Lanes = std::array<u32, 64>;

// 113 bits hold every product of two doubles, and every sum and quotient of floats, exactly or well enough that the one
// rounding that follows is the right one.
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
using Quad = long double;
#endif
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

inline constexpr u32 kVgprs = 16, kVccLo = 106, kM0Code = 124, kExecLo = 126, kLit = 255, kV0 = 256;
inline constexpr u64 kData = 0x1'2345'0000;  // memory that instructions under test access
inline constexpr u32 kDataBytes = 4096, kLdsBytes = 2048, kGdsBytes = 4096;
inline constexpr u64 kCode = 0x7f12'3456'0000;

// The numbers of the registers that VCC and FLAT_SCRATCH are in an allocation of `scalar_allocation`: 102 and 103 on
// GFX6, from 100 on on GFX7. On GFX8 all of them lie behind the highest number.
[[nodiscard]] constexpr u32 scalar_allocation(Generation gfx) { return gfx >= Generation::Gfx8 ? 112 : 104; }
[[nodiscard]] constexpr u32 twin(u32 code, Generation gfx) {
  const u32 first = gfx == Generation::Gfx6 ? 106 : 104;
  if (gfx >= Generation::Gfx8) return code;
  if (code >= first && code < 108) return code - 4;
  return code + 4 >= first && code < 104 ? code + 4 : code;
}

struct Modes {
  u8 floats = 0xc0;
  bool dx10_clamp = true;
  [[nodiscard]] bool keeps(bool is_double) const { return (floats >> (is_double ? 6 : 4) & 3) != 0; }
};

// How far a result of one lane may be from what the model says.
struct Slack {
  u32 reg = 0, lane = 0;
  u8 kind = 'f';  // 'f', 'd', 'h' (half), 'p' (two of them): any NaN is as good as another
  bool any = false;  // documents disagree or say nothing
  bool zero_sign = false;  // a zero of either sign
  u32 ulps = 0;
  double absolute = 0;
};

// The model of a wavefront with what it can reach.
struct State {
  Generation gfx = Generation::Gfx6;
  Modes modes;
  std::array<u32, 128> s{};
  std::array<Lanes, kVgprs> v{};
  bool scc = false;
  bool ended = false;
  bool relative = false;  // vector registers are relative to M0
  u64 pc = 0;  // bytes from the start of the code; of the next instruction while one is modelled
  std::vector<u8> memory, lds, gds;
  std::vector<Slack> slack;  // of the last instruction
  std::vector<u32> unknown;  // scalar registers that it sets to what the model does not know
  u64 out_of_range = 0;

  [[nodiscard]] u64 pair(u32 code) const { return s[code] | u64{s[code + 1]} << 32; }
  void set_pair(u32 code, u64 value) {
    s[code] = static_cast<u32>(value);
    s[code + 1] = static_cast<u32>(value >> 32);
  }
  [[nodiscard]] u64 exec() const { return pair(kExecLo); }
  [[nodiscard]] bool active(u32 lane) const { return (exec() >> lane & 1) != 0; }
  // A source operand by its code; `lane` for vector registers.
  [[nodiscard]] u32 read32(const Instruction& i, u32 code, u32 lane = 0) const;
  // `real`: a double, whose literal is the high half and whose inline constants are doubles.
  [[nodiscard]] u64 read64(const Instruction& i, u32 code, bool real, u32 lane = 0) const;
};

class Maker;
// Everything known about one instruction: what it does, and what its operands should look like.
struct Reference {
  std::function<void(State&, const Instruction&)> step;
  // Appends instances of the instruction, with what they need around them. Programs are made until `rounds` are done.
  std::function<void(Maker&, u32 round)> make;
  u32 rounds = 4;
  // How many registers its address takes, where other registers say so.
  std::function<u32(const State&, const Instruction&)> addresses{};
};
using References = std::map<std::string, Reference, std::less<>>;
void add_scalar(References& all);
void add_vector(References& all);
void add_memory(References& all);
void add_images(References& all);
[[nodiscard]] const References& references();
// One instruction in the model.
void step(State& state, const Instruction& instruction);
// GFX9 gives old names to other instructions: there the opcode's own says which one a row is.
[[nodiscard]] std::string name_of(const gcn::Row& row, Generation gfx);

// How an instruction is encoded: VOP1, VOP2 and VOPC have further ways.
enum class Encoding : u8 { Own, Vop3, Sdwa, Dpp };
[[nodiscard]] constexpr string_view text_of(Encoding encoding) {
  constexpr std::array<string_view, 4> kTexts{"", " as VOP3", " as SDWA", " as DPP"};
  return kTexts[static_cast<std::size_t>(encoding)];
}
// One instruction of one generation as the interpreter lists it.
struct Row {
  std::string name;
  Format format;  // of its own
  const gcn::Row* row = nullptr;
  [[nodiscard]] std::vector<Encoding> encodings() const;
};
[[nodiscard]] const std::vector<Row>& rows_of(Generation gfx);
[[nodiscard]] const Row* find_row(Generation gfx, string_view name);
[[nodiscard]] std::vector<u32> words_of(const Instruction& instruction, Generation gfx);

// Builds one program: what the registers hold at its start, and its instructions.
class Maker {
 public:
  Maker(const Row& row, Generation gfx, u32 seed) : row_(row), random_(seed) {
    start.gfx = gfx;
    gfx_ = gfx;
  }
  State start;
  std::vector<Instruction> code;
  Encoding encoding = Encoding::Own;  // what `instance` encodes

  [[nodiscard]] const Row& row() const { return row_; }
  [[nodiscard]] Generation gfx() const { return gfx_; }
  [[nodiscard]] u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  [[nodiscard]] bool chance(u32 percent) { return below(100) < percent; }
  [[nodiscard]] u64 bits() { return random_(); }
  // Values that tend to be special for operands of this kind: 'f', 'd', 'h' (half), 'u' (32 bits), 'U' (64 bits).
  [[nodiscard]] u64 value(char kind);

  // Fields every instance has; `name` another instruction than the one under test.
  [[nodiscard]] Instruction instance() const;
  [[nodiscard]] Instruction instance(string_view name) const;
  void add(const Instruction& i) { code.push_back(i); }
  void add_simple(string_view name, u32 destination, u32 source0, u32 source1 = 0, u32 literal = 0);
  // Sets EXEC to something; full half of the time.
  void random_exec();

 private:
  const Row& row_;
  Generation gfx_;
  std::mt19937_64 random_;
};

// Random registers and memory.
void fill(Maker& maker);
// Adds s_endpgm and runs it in the interpreter and the model. Empty when everything agrees. `also` sees the
// instructions of the program too.
[[nodiscard]] std::string run_program(Maker& maker, Observer* also = nullptr);
// Runs the first instance of the instruction with single registers unset. Empty when the interpreter reports exactly
// those that `gcn::operands` says are read, and those that are written count as set.
[[nodiscard]] std::string check_poison(Maker& maker);
// What the interpreter says when it runs one instruction, into whose words `bits` are put; empty when it ends well.
[[nodiscard]] std::string run_one(const Maker& maker, const Instruction& instruction, std::array<u32, 2> bits = {});

// --- floating point -------------------------------------------------------------------------------------------------

inline float as_float(u64 bits) { return std::bit_cast<float>(static_cast<u32>(bits)); }
inline double as_double(u64 bits) { return std::bit_cast<double>(bits); }
inline u32 bits_of(float value) { return std::bit_cast<u32>(value); }
inline u64 bits_of(double value) { return std::bit_cast<u64>(value); }
// By fields of the encoding, for 32 or 64 bits.
struct Fields {
  bool sign;
  u32 exponent;
  u64 mantissa;
  bool is_double;
  Fields(u64 bits, bool wide)
      : sign((bits >> (wide ? 63 : 31) & 1) != 0),
        exponent(static_cast<u32>(bits >> (wide ? 52 : 23) & (wide ? 0x7ff : 0xff))),
        mantissa(bits & (wide ? 0xf'ffff'ffff'ffff : 0x7f'ffff)), is_double(wide) {}
  [[nodiscard]] bool top() const { return exponent == (is_double ? 0x7ffu : 0xffu); }
  [[nodiscard]] bool nan() const { return top() && mantissa != 0; }
  [[nodiscard]] bool inf() const { return top() && mantissa == 0; }
  [[nodiscard]] bool zero() const { return exponent == 0 && mantissa == 0; }
  [[nodiscard]] bool denormal() const { return exponent == 0 && mantissa != 0; }
};
// IEEE half precision; `toward_zero` instead of to nearest.
[[nodiscard]] u32 half_of(u32 bits, bool toward_zero);
[[nodiscard]] u32 float_of_half(u32 half);
inline constexpr u32 kNan32 = 0x7fc00000;
inline constexpr u64 kNan64 = 0x7ff8000000000000;

}  // namespace amdcompat::emulate::vectors
