// Every instruction that is lifted, a few of its forms each: the lifted source on an OpenCL runtime against the
// interpreter, over edge-case and random operands.
//
// What is tried is found by lifting: each row of the vector and scalar formats in each form that it has. Many
// instructions share a kernel, for runtimes take a while for each; each has words of its own in the output.
//
// Results are equal bit by bit, but for these:
// - NaN and NaN are equal whatever their payloads and signs: OpenCL promises none.
// - v_rcp, v_rsq, v_sqrt, v_exp, v_log, v_sin, v_cos of any type: 2 ulp; v_sin and v_cos: or 2^-48 where they are
//   about zero.
//
// AMDCOMPAT_OPCODES_ONLY=text tries only the instructions whose text has it and prints the source.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace amdcompat_test::lifted::opcodes_test {
namespace {

using amdcompat::Diagnostics;
using amdcompat::Program;
using amdcompat::gcn::Form;
using amdcompat::gcn::OpcodeInfo;
using amdcompat::gcn::Property;
using amdcompat::gcn::Shape;
namespace gcn = amdcompat::gcn;
namespace lift = amdcompat::lift;

constexpr u32 kSeed = 20260101;

// Registers of a lane's operands: a, b, c of 64 bits, d, m; then what always is 0 and 1; results.
constexpr u32 kA = 4, kB = 6, kC = 8, kD = 10, kM = 11, kZero = 12, kOne = 13, kScratch = 14, kResult = 24;
constexpr u16 kMask = 32;  // scalar pair

// One instruction with what it needs around it.
struct Item {
  std::string name;
  // Of each dword of the result: 'u' bits, 'f' a float, 'd' the low half of a double (the next one is the high one),
  // 'n' bits of a float, which devices may change where it is no number, 'h' one or two halves.
  std::string kinds{};
  u32 ulps = 0;
  float absolute = 0;  // as good as that many ulps
  // Ends with the result in v[kResult] and up; or in place, at `at` bytes of the lane's output, if `stores`.
  std::function<void(Code&, u32 at)> emit{};
  bool stores = false;
};

// --- operands --------------------------------------------------------------------------------------------------------

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr double kInfD = std::numeric_limits<double>::infinity();

u32 bits(float x) { return std::bit_cast<u32>(x); }
u64 bits(double x) { return std::bit_cast<u64>(x); }

const std::vector<u32>& floats() {
  static const std::vector<u32> all = [] {
    std::vector<u32> out;
    for (const float x : {0.0f, 0x1p-149f, 0x1.fffffcp-127f, 0x1p-126f, 0.5f, 1.0f, 1.5f, 2.5f, 255.0f, 256.25f,
                          0x1.fffffep-1f, 8388609.0f, 2147483648.0f, 4294967296.0f, 0x1.fffffep127f, kInf, 3.1415927f})
      for (const float sign : {1.0f, -1.0f}) out.push_back(bits(std::copysign(x, sign)));
    out.push_back(0x7fc00001);
    out.push_back(0xffa00000);  // a signalling NaN
    return out;
  }();
  return all;
}
const std::vector<u64>& doubles() {
  static const std::vector<u64> all = [] {
    std::vector<u64> out;
    for (const double x : {0.0, 0x1p-1074, 0x1p-1022, 0x1p-1000, 0.5, 1.0, 1.5, 2.5, 0x1.fffffffffffffp-1, 2147483647.5,
                           4294967295.5, 0x1p53, 0x1p1000, 0x1.fffffffffffffp1023, kInfD, 1e-300, 0x1p-130, 3.0e38})
      for (const double sign : {1.0, -1.0}) out.push_back(bits(std::copysign(x, sign)));
    out.push_back(0x7ff8000000000001);
    return out;
  }();
  return all;
}
const std::vector<u64>& integers() {
  static const std::vector<u64> all{0,          1,          2,          31,           32,         33,
                                    63,         64,         0x7fffff,   0x800000,     0xffffff,   0x1000000,
                                    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,   0xffffffff, 0x1'0000'0000,
                                    ~u64{0},    1ull << 63, ~0ull >> 1, 0x00ff80017f, 0x3f800000, 0xffff'8000};
  return all;
}

struct Operands {
  std::array<u64, 3> x{};
  u32 d = 0, m = 0;
};
// Pairs of all edge cases of each type, then random bits; whole wavefronts.
const std::vector<Operands>& operands() {
  static const std::vector<Operands> all = [] {
    std::mt19937_64 random(kSeed);
    std::vector<Operands> out;
    const auto add = [&](u64 a, u64 b, u64 c) {
      out.push_back({{a, b, c}, static_cast<u32>(random()), static_cast<u32>(random())});
    };
    const auto any = [&](const auto& list) { return u64{list[random() % list.size()]}; };
    for (const u32 a : floats())
      for (const u32 b : floats()) {
        add(a | any(floats()) << 32, b | any(floats()) << 32, any(floats()));
        out.back().d = static_cast<u32>(any(floats()));
      }
    for (const u64 a : doubles())
      for (const u64 b : doubles()) add(a, b, any(doubles()));
    for (const u64 a : integers())
      for (const u64 b : integers()) add(a, b, any(integers()));
    for (const u64 a : floats()) add(a, any(integers()), any(integers()));  // v_ldexp_f32, v_cmp_class_f32
    for (const u64 a : doubles()) add(a, random() % 4096 - 2048, any(integers()));
    while (out.size() < 3800) {
      add(random(), random(), random());
      if (out.size() % 2 != 0) out.back().x[1] = random() % 2048;
    }
    // Floats near each other: differences, quotients.
    while (out.size() % kLanes != 0 || out.size() < 4000) {
      const float x = std::ldexp(static_cast<float>(random() % 2000) - 1000.0f, static_cast<int>(random() % 24) - 12);
      add(bits(x), bits(x * 1.25f), bits(0.5f - x));
      out.back().d = bits(3.0f * x);
    }
    return out;
  }();
  return all;
}
Words input() {
  Words out;
  for (const Operands& o : operands()) {
    for (const u64 x : o.x) {
      out.push_back(static_cast<u32>(x));
      out.push_back(static_cast<u32>(x >> 32));
    }
    out.push_back(o.d);
    out.push_back(o.m);
  }
  return out;
}

u32 hash(std::string_view text, u32 more = 0) {
  u32 out = 2166136261 + more * 7919;  // FNV-1a: the same everywhere
  for (const char c : text) out = (out ^ static_cast<u8>(c)) * 16777619;
  return out ^ out >> 15;
}

// --- items -----------------------------------------------------------------------------------------------------------

std::string kinds_of(Shape shape) {
  if (shape == Shape::F32) return "f";
  if (shape == Shape::F64) return "dD";
  return std::string(gcn::shape_dwords(shape), 'u');
}
u32 tolerance(std::string_view name) {
  for (const std::string_view approximate : {"v_rcp_", "v_rsq_", "v_sqrt_", "v_exp_", "v_log_", "v_sin_", "v_cos_"})
    if (name.starts_with(approximate)) return 2;
  return 0;
}
// Functions of pocl 3.1's library that give no code at all for constants that do not fit into an int, or that are NaN:
// rint(2147483648.0f) makes the whole kernel empty. Of a value in memory they are right.
bool needs_tame_constants(std::string_view name) {
  for (const std::string_view prefix : {"v_rndne_", "v_ceil_", "v_floor_", "v_trunc_", "v_fract_", "v_exp_", "v_log_",
                                        "v_sin_", "v_cos_", "v_cvt_flr_"})
    if (name.starts_with(prefix)) return true;
  return false;
}
constexpr float kTame[] = {0.5f, -0.5f, 1.5f, 2.5f, -1.0f, 3.1415927f, -0.0f, 8388609.0f, 0x1p-126f};
void move(Code& code, u32 to, u16 from) { code.op(Opcode::v_mov_b32, static_cast<u16>(to), from); }
void move_literal(Code& code, u32 to, u32 literal) {
  code.op(Opcode::v_mov_b32, static_cast<u16>(to), kLiteralCode, 0, literal);
}
// v[to] = the lane's bit of a mask.
void bit(Code& code, u32 to, u16 mask) {
  Instruction i = code.make(Opcode::v_cndmask_b32);
  i.format = Format::Vop3;
  i.destination = static_cast<u16>(to);
  i.sources = {number(0), number(1), mask};
  code.add(i);
}
// A mask of the lanes whose v[of] is negative.
void negative(Code& code, u16 mask, u32 of) {
  Instruction i = code.make(Opcode::v_cmp_gt_i32);
  i.format = Format::Vop3;
  i.destination = i.scalar_destination = mask;
  i.sources = {number(0), v(of), 0};
  code.add(i);
}

struct Form3 {  // of a vector instruction
  enum Kind : u8 { Plain, Wide, Literal, Inline0, Inline1, Constants, Modified } kind = Plain;
  u32 n = 0;
};

// An instruction of a vector format; null `emit`: it has no such form.
Item vector_item(const gcn::Row& row, Generation generation, const Form3& form) {
  const OpcodeInfo& op = gcn::info(row.opcode);
  const bool wide = form.kind == Form3::Wide || form.kind == Form3::Modified || form.kind == Form3::Inline1;
  Item out;
  if (wide && row.format != Format::Vop3 && !row.has(Form::E64)) return out;
  if (form.kind == Form3::Wide && row.format == Format::Vop3) return out;
  Code probe(generation);
  Instruction i = probe.make(row.opcode);
  i.row = &row;
  if (wide) i.format = Format::Vop3;
  const bool vop3 = i.format == Format::Vop3, compares = op.destination == Shape::None;
  u32 sources = 0;
  for (u32 n = 0; n < 3; ++n) {
    if (op.sources[n] == Shape::None) continue;
    i.sources[n] = v(kA + 2 * n);
    sources = n + 1;
  }
  if (!compares) i.destination = kResult;
  if (op.is(Property::Literal)) i.literal = floats()[hash(op.name) % floats().size()];
  const bool mask_in = op.is(Property::MaskIn), mask_out = op.is(Property::MaskOut);
  if (vop3 && mask_in) i.sources[2] = kMask;
  if (vop3 && mask_out) i.scalar_destination = 34;
  if (vop3 && row.format == Format::Vopc) i.destination = 34;
  constexpr u16 kInline[] = {129, 128, 193, 208, 192, 160, 240, 245, 247, 159, 243};
  std::array<u64, 3> constants{};
  const u32 pick = hash(op.name, form.n);
  switch (form.kind) {
    case Form3::Plain:
    case Form3::Wide: break;
    case Form3::Literal:
      if (vop3 || op.is(Property::Literal)) return out;
      i.sources[0] = kLiteralCode;
      i.literal = needs_tame_constants(op.name) ? bits(kTame[pick % std::size(kTame)])
                  : form.n % 2 == 0             ? floats()[pick % floats().size()]
                                                : static_cast<u32>(integers()[pick % integers().size()]);
      break;
    case Form3::Inline0:
      i.sources[0] =
          needs_tame_constants(op.name) ? static_cast<u16>(240 + pick % 8) : kInline[pick % std::size(kInline)];
      break;
    case Form3::Inline1:
      if (sources < 2) return out;
      i.sources[1] = kInline[pick % std::size(kInline)];
      break;
    case Form3::Constants:
      for (u32 n = 0; n < sources; ++n) {
        const u32 own = hash(op.name, 10 * form.n + n);
        if (needs_tame_constants(op.name) && op.sources[n] == Shape::F64)
          constants[n] = bits(double{kTame[own % std::size(kTame)]});
        else if (needs_tame_constants(op.name))
          constants[n] = bits(kTame[own % std::size(kTame)]);
        else if (op.sources[n] == Shape::F32)
          constants[n] = floats()[own % floats().size()];
        else if (op.sources[n] == Shape::F64)
          constants[n] = doubles()[own % doubles().size()];
        else
          constants[n] = integers()[own % integers().size()];
        i.sources[n] = v(kScratch + 2 * n);
      }
      break;
    case Form3::Modified: {
      // 0: negated; 1: absolute; 2: both of some; 3: clamped; 4: negated and clamped. Output modifiers need another
      // mode than these kernels have: lift_proof_test.
      const u8 allowed = static_cast<u8>((row.has(Form::Mod0) ? 1 : 0) | (row.has(Form::Mod1) ? 2 : 0) |
                                         (row.has(Form::Mod2) ? 4 : 0));
      const u8 all = static_cast<u8>(allowed & ((1u << sources) - 1));
      const bool modifies = form.n < 3 || form.n == 4;
      if (modifies && all == 0) return out;
      if (form.n == 0 || form.n == 4) i.negate = all;
      if (form.n == 1) i.absolute = all;
      if (form.n == 2) {
        i.negate = static_cast<u8>(all & (pick | 1));
        i.absolute = static_cast<u8>(all & (pick >> 3 | 1));
      }
      const bool clamps = form.n >= 3;
      if (clamps && !row.has(Form::Clamp)) return out;
      i.clamp = clamps;
      break;
    }
  }
  if (!gcn::encode(i, generation)) return out;
  out.name = gcn::disassemble(i, generation);
  if (form.kind == Form3::Constants)
    out.name += fmt::format(" of 0x{:x}, 0x{:x}, 0x{:x}", constants[0], constants[1], constants[2]);
  out.ulps = tolerance(op.name);
  // The interpreter reduces the angle in a double: its zeros are some 1e-16 of a turn off.
  if (op.name.starts_with("v_sin_") || op.name.starts_with("v_cos_")) out.absolute = 0x1p-48f;
  out.kinds = kinds_of(op.destination);
  if (op.name.starts_with("v_cvt_f16_") || op.name.starts_with("v_cvt_pkrtz_")) out.kinds = "h";
  if (i.opcode == Opcode::v_cndmask_b32 && (i.negate != 0 || i.absolute != 0)) out.kinds = "n";
  const u32 at_bit = kResult + static_cast<u32>(out.kinds.size());
  const bool to_exec = op.is(Property::WritesExec);
  if (mask_out) out.kinds += "u";
  if (to_exec) out.kinds += "u";
  const u16 mask = i.scalar_destination;
  const bool constant = form.kind == Form3::Constants, old = op.is(Property::ReadsDestination);
  const bool vcc = (mask_in && !vop3) || op.is(Property::ReadsVcc);
  out.emit = [=](Code& code, u32) {
    if (constant)
      for (u32 n = 0; n < sources; ++n) {
        move_literal(code, kScratch + 2 * n, static_cast<u32>(constants[n]));
        move_literal(code, kScratch + 2 * n + 1, static_cast<u32>(constants[n] >> 32));
      }
    if (old) move(code, kResult, v(kD));
    if (mask_in || vcc) negative(code, vcc ? kVccCode : kMask, kM);
    if (to_exec) move(code, at_bit + 1, number(0));
    code.add(i);
    if (to_exec) {
      move(code, at_bit + 1, number(1));
      code.op(Opcode::s_mov_b64, kExecCode, kMinusOne);
    }
    if (mask_out) bit(code, at_bit, mask);
  };
  return out;
}

// Masks bit by bit: what 64-bit logic does to them, and to EXEC.
Item mask_item(Opcode opcode, Generation generation, bool saves) {
  Code probe(generation);
  Instruction i = probe.make(opcode);
  const OpcodeInfo& op = gcn::info(opcode);
  i.destination = 36;
  i.sources[0] = kMask;
  if (op.sources[1] != Shape::None) i.sources[1] = 34;
  Item out{.name = gcn::disassemble(i, generation) + " of masks", .kinds = saves ? "uu" : "u"};
  out.emit = [=](Code& code, u32) {
    negative(code, kMask, kM);
    negative(code, 34, kD);
    if (saves) {
      move(code, kResult + 1, number(0));
      code.op(Opcode::s_mov_b64, kExecCode, 34);
    }
    code.op(Opcode::s_and_b32, 42, kGroup, number(1));  // SCC
    code.add(i);
    if (saves) {
      move(code, kResult + 1, number(1));
      code.op(Opcode::s_mov_b64, kExecCode, kMinusOne);
    }
    bit(code, kResult, 36);
  };
  return out;
}

// Scalar operands: s[36:37], s[38:39] are p0 to p3, s[40:41] p4 and p5, which set the old destination and SCC.
Item scalar_item(const gcn::Row& row, Generation generation, u32 form) {
  const OpcodeInfo& op = gcn::info(row.opcode);
  Code probe(generation);
  Instruction i = probe.make(row.opcode);
  i.row = &row;
  Item out;
  u32 sources = 0;
  for (u32 n = 0; n < 2; ++n) {
    if (op.sources[n] == Shape::None) continue;
    i.sources[n] = static_cast<u16>(36 + 2 * n);
    sources = n + 1;
  }
  const bool compares = op.is(Property::SourceDestination) || op.destination == Shape::None;
  if (op.destination != Shape::None) i.destination = op.is(Property::SourceDestination) ? 36 : 50;
  const u32 pick = hash(op.name, form);
  bool constants = false;
  if (row.format == Format::Sopk) {
    constexpr std::int32_t kImmediates[] = {-1, 5, -32768, 32767, 0, 1};
    if (form >= std::size(kImmediates)) return out;
    i.immediate = kImmediates[form];
  } else if (form == 1 || form == 2) {
    if (sources < form) return out;
    i.sources[form - 1] = kLiteralCode;
    i.literal = static_cast<u32>(integers()[pick % integers().size()]);
  } else if (form == 3 || form == 4) {
    if (sources < form - 2) return out;
    constexpr u16 kInline[] = {129, 128, 193, 208, 192, 160, 159};
    i.sources[form - 3] = kInline[pick % std::size(kInline)];
  } else if (form >= 5) {
    if (form >= 8 || sources == 0) return out;
    constants = true;
    for (u32 n = 0; n < sources; ++n) i.sources[n] = static_cast<u16>(60 + 2 * n);
  }
  if (row.opcode == Opcode::s_bfe_u32 || row.opcode == Opcode::s_bfe_i32) {
    constexpr u32 kFields[] = {0x80000, 0x10000, 0x5001f, 0x1f0000, 0x1f0001, 4, 0x10003, 0x80018};
    if (form >= std::size(kFields)) return out;
    i.sources = {36, kLiteralCode, 0};
    i.literal = kFields[form];
    constants = false;
  }
  if (!gcn::encode(i, generation)) return out;
  std::array<u32, 4> values{};
  for (u32 n = 0; n < 4; ++n) {
    const u64 x = integers()[hash(op.name, form * 10 + n / 2) % integers().size()];
    values[n] = static_cast<u32>(n % 2 == 0 ? x : x >> 32);
  }
  out.name = gcn::disassemble(i, generation);
  if (constants)
    out.name += fmt::format(" of 0x{:x}, 0x{:x}, 0x{:x}, 0x{:x}", values[0], values[1], values[2], values[3]);
  const u32 dwords = compares ? 0 : gcn::shape_dwords(op.destination);
  out.kinds = std::string(dwords + 1, 'u');
  out.emit = [=](Code& code, u32) {
    if (constants)
      for (u32 n = 0; n < 4; ++n) code.op(Opcode::s_mov_b32, static_cast<u16>(60 + n), kLiteralCode, 0, values[n]);
    code.op(Opcode::s_mov_b32, 50, 40);
    code.op(Opcode::s_mov_b32, 51, 41);
    code.op(Opcode::s_and_b32, 42, 41, number(1));  // SCC
    code.add(i);
    for (u32 n = 0; n < dwords; ++n) move(code, kResult + n, static_cast<u16>(50 + n));
    code.op(Opcode::s_cselect_b32, 52, number(1), number(0));
    move(code, kResult + dwords, 52);
  };
  return out;
}

// --- memory ----------------------------------------------------------------------------------------------------------

// v[kScratch] = b where m is negative, else a: what a compare-and-swap compares with.
void choose(Code& code, u32 to) {
  negative(code, kMask, kM);
  Instruction i = code.make(Opcode::v_cndmask_b32);
  i.format = Format::Vop3;
  i.destination = static_cast<u16>(to);
  i.sources = {v(kA), v(kB), kMask};
  code.add(i);
}

std::vector<Item> buffer_items() {
  std::vector<Item> out;
  const auto text = [](const Instruction& i) { return gcn::disassemble(i, Generation::Gfx7); };
  const auto access = [](Opcode opcode, u16 address, u16 resource, u16 data) {
    Instruction i = Code().make(opcode);
    i.address = address;
    i.offen = true;
    i.resource = resource;
    i.sources[1] = number(0);
    i.data = data;
    return i;
  };
  const auto load = [&](Opcode opcode, u32 dwords, u32 offset, u8 data = 0, u8 form = 0) {
    Instruction i = access(opcode, 2, kIn, kResult);
    i.offset0 = offset;
    i.data_format = data;
    i.number_format = form;
    out.push_back({.name = text(i), .kinds = std::string(dwords, 'u'), .emit = [i](Code& code, u32) { code.add(i); }});
  };
  const auto store = [&](Opcode opcode, u32 dwords, u32 offset, u8 data = 0, u8 form = 0) {
    Instruction i = access(opcode, 3, kOut, kA);
    i.offset0 = offset;
    i.data_format = data;
    i.number_format = form;
    out.push_back({.name = text(i),
                   .kinds = std::string(dwords, 'u'),
                   .emit =
                       [i](Code& code, u32 at) {
                         Instruction here = i;
                         here.offset0 += at;
                         code.add(here);
                       },
                   .stores = true});
  };
  for (u32 n = 0; n < 4; ++n) {
    load(Opcode::buffer_load_ubyte, 1, n);
    load(Opcode::buffer_load_sbyte, 1, 4 + n);
    store(Opcode::buffer_store_byte, 1, n);
  }
  for (const u32 n : {0u, 2u}) {
    load(Opcode::buffer_load_ushort, 1, n);
    load(Opcode::buffer_load_sshort, 1, 12 + n);
    store(Opcode::buffer_store_short, 2, 4 + n);
  }
  for (const u32 n : {0u, 4u, 16u}) {
    load(Opcode::buffer_load_dword, 1, n);
    load(Opcode::buffer_load_dwordx2, 2, n);
    load(Opcode::buffer_load_dwordx3, 3, n);
    load(Opcode::buffer_load_dwordx4, 4, n);
  }
  store(Opcode::buffer_store_dword, 1, 0);
  store(Opcode::buffer_store_dwordx2, 3, 4);
  store(Opcode::buffer_store_dwordx3, 3, 0);
  store(Opcode::buffer_store_dwordx4, 4, 0);
  constexpr u8 kUint = 4, kSint = 5, kFloat = 7;
  for (const u8 form : {kUint, kSint, kFloat}) {
    load(Opcode::tbuffer_load_format_x, 1, 4, 4, form);
    load(Opcode::tbuffer_load_format_xy, 2, 8, 11, form);
    load(Opcode::tbuffer_load_format_xyz, 3, 0, 13, form);
    load(Opcode::tbuffer_load_format_xyzw, 4, 16, 14, form);
    store(Opcode::tbuffer_store_format_x, 1, 0, 4, form);
    store(Opcode::tbuffer_store_format_xy, 2, 0, 11, form);
    store(Opcode::tbuffer_store_format_xyz, 4, 4, 13, form);
    store(Opcode::tbuffer_store_format_xyzw, 4, 0, 14, form);
  }
  for (const u8 form : {kUint, kSint}) {
    load(Opcode::tbuffer_load_format_x, 1, 3, 1, form);
    load(Opcode::tbuffer_load_format_x, 1, 6, 2, form);
    store(Opcode::tbuffer_store_format_x, 1, 1, 1, form);
    store(Opcode::tbuffer_store_format_x, 1, 2, 2, form);
  }
  for (const Opcode opcode :
       {Opcode::buffer_atomic_add, Opcode::buffer_atomic_sub, Opcode::buffer_atomic_swap, Opcode::buffer_atomic_cmpswap,
        Opcode::buffer_atomic_smin, Opcode::buffer_atomic_umin, Opcode::buffer_atomic_smax, Opcode::buffer_atomic_umax,
        Opcode::buffer_atomic_and, Opcode::buffer_atomic_or, Opcode::buffer_atomic_xor, Opcode::buffer_atomic_inc,
        Opcode::buffer_atomic_dec, Opcode::buffer_atomic_fmin, Opcode::buffer_atomic_fmax})
    for (const bool returns : {false, true}) {
      Instruction i = access(opcode, 3, kOut, kScratch);
      i.glc = returns;
      out.push_back({.name = text(i),
                     .kinds = returns ? "uu" : "u",
                     .emit =
                         [i](Code& code, u32 at) {
                           Instruction here = i;
                           here.offset0 = at;
                           code.buffer(Opcode::buffer_store_dword, kB, 3, kOut, at);
                           move(code, kScratch, v(kA));
                           choose(code, kScratch + 1);
                           code.add(here);
                           if (i.glc) code.buffer(Opcode::buffer_store_dword, kScratch, 3, kOut, at + 4);
                         },
                     .stores = true});
    }
  // A scalar offset, and both.
  for (const bool scalar : {false, true}) {
    Instruction i = access(Opcode::buffer_load_dword, 2, kIn, kResult);
    i.sources[1] = scalar ? 43 : number(12);
    i.offset0 = 8;
    out.push_back({.name = text(i), .kinds = "u", .emit = [i](Code& code, u32) {
                     code.op(Opcode::s_mov_b32, 43, number(16));
                     code.add(i);
                   }});
  }
  // Constant buffers, and instructions that do nothing.
  for (const auto& [opcode, count] :
       {std::pair(Opcode::s_buffer_load_dwordx2, 2u), std::pair(Opcode::s_buffer_load_dwordx4, 4u),
        std::pair(Opcode::s_buffer_load_dwordx8, 8u), std::pair(Opcode::s_buffer_load_dwordx16, 16u)})
    out.push_back({.name = std::string(gcn::info(opcode).name),
                   .kinds = std::string((count + 3) / 4, 'u'),
                   .emit = [=](Code& code, u32) {
                     code.scalar_load(opcode, 56, kCb1, 48);
                     for (u32 n = 0; n < count; n += 4) move(code, kResult + n / 4, static_cast<u16>(56 + n));
                   }});
  out.push_back(
      {.name = "s_buffer_load_dword with its offset in a register", .kinds = "u", .emit = [](Code& code, u32) {
         Instruction i = code.make(Opcode::s_buffer_load_dword);
         i.destination = 56;
         i.resource = kCb1;
         i.sources[1] = 43;
         code.k(Opcode::s_movk_i32, 43, 64).add(i);
         move(code, kResult, 56);
       }});
  out.push_back({.name = "v_readfirstlane_b32 of what all lanes have", .kinds = "uu", .emit = [](Code& code, u32) {
                   move(code, kScratch, 38);
                   code.op(Opcode::v_readfirstlane_b32, 50, v(kScratch));
                   move(code, kResult, 50);
                   code.op(Opcode::v_readfirstlane_b32, 50, 39);
                   move(code, kResult + 1, 50);
                 }});
  out.push_back({.name = "instructions that do nothing", .kinds = "u", .emit = [](Code& code, u32) {
                   for (const Opcode opcode :
                        {Opcode::s_nop, Opcode::s_waitcnt, Opcode::s_sleep, Opcode::s_setprio, Opcode::s_icache_inv})
                     code.k(opcode, 0, 0);
                   for (const Opcode opcode :
                        {Opcode::s_dcache_inv, Opcode::v_nop, Opcode::buffer_wbinvl1, Opcode::buffer_wbinvl1_vol})
                     code.add(code.make(opcode));
                   move(code, kResult, v(kA));
                 }});
  return out;
}

// Every lane has 32 bytes of local memory, and 4 or 8 in each of two rows for accesses that are 64 elements apart.
constexpr u32 kLdsBytes = 8192, kRows32 = 2048, kRows64 = 4096;
constexpr u32 kPlace = 20;  // v: the byte offset

void lds_place(Code& code, u32 log, u32 base) {
  code.op(Opcode::v_lshlrev_b32, kPlace, number(log), v(0));
  if (base != 0) code.op(Opcode::v_add_co_u32, kPlace, kLiteralCode, v(kPlace), base);
}
// All 32 bytes are those of the operands.
void lds_fill(Code& code) {
  lds_place(code, 5, 0);
  for (u16 n = 0; n < 8; ++n) code.lds(Opcode::ds_write_b32, kPlace, static_cast<u16>(kA + n), 0, 4u * n);
}

std::vector<Item> lds_items() {
  std::vector<Item> out;
  const auto add = [&](Opcode opcode, std::string what, u32 dwords, std::function<void(Code&)> emit) {
    out.push_back({.name = std::string(gcn::info(opcode).name) + what,
                   .kinds = std::string(dwords, 'u'),
                   .emit = [emit = std::move(emit)](Code& code, u32) { emit(code); }});
  };
  const auto read = [&](Opcode opcode, u32 dwords, u32 offset0, u32 offset1 = 0) {
    add(opcode, fmt::format(" offset {} {}", offset0, offset1), dwords, [=](Code& code) {
      lds_fill(code);
      code.lds(opcode, kPlace, 0, kResult, offset0, offset1);
    });
  };
  for (u32 n = 0; n < 4; ++n) {
    read(Opcode::ds_read_i8, 1, n);
    read(Opcode::ds_read_u8, 1, 8 + n);
  }
  for (const u32 n : {0u, 2u}) {
    read(Opcode::ds_read_i16, 1, n);
    read(Opcode::ds_read_u16, 1, 12 + n);
  }
  read(Opcode::ds_read_b32, 1, 20);
  read(Opcode::ds_read_b64, 2, 8);
  read(Opcode::ds_read2_b32, 2, 1, 6);
  read(Opcode::ds_read2_b64, 4, 2, 0);
  const auto write = [&](Opcode opcode, u32 offset0, u32 offset1 = 0) {
    add(opcode, fmt::format(" offset {} {}", offset0, offset1), 8, [=](Code& code) {
      lds_fill(code);
      const bool two =
          gcn::info(opcode).name.find('2') != std::string_view::npos && gcn::info(opcode).name.starts_with("ds_write2");
      code.lds(opcode, kPlace, kM, 0, offset0, offset1, two ? kB : 0);
      for (u32 n = 0; n < 8; ++n) code.lds(Opcode::ds_read_b32, kPlace, 0, static_cast<u16>(kResult + n), 4 * n);
    });
  };
  for (u32 n = 0; n < 4; ++n) write(Opcode::ds_write_b8, 4 + n);
  for (const u32 n : {0u, 2u}) write(Opcode::ds_write_b16, 8 + n);
  write(Opcode::ds_write_b32, 28);
  write(Opcode::ds_write_b64, 16);
  write(Opcode::ds_write2_b32, 7, 0);
  write(Opcode::ds_write2_b64, 3, 1);
  const auto rows = [&](Opcode read2, Opcode write2, u32 bytes) {
    const u32 base = bytes == 4 ? kRows32 : kRows64, dwords = bytes / 4;
    add(write2, " and read in turn", 2 * dwords, [=](Code& code) {
      lds_place(code, bytes == 4 ? 2 : 3, base);
      code.lds(write2, kPlace, kA, 0, 1, 0, kC);
      for (u32 n = 0; n < 2 * dwords; ++n)
        code.lds(Opcode::ds_read_b32, kPlace, 0, static_cast<u16>(kResult + n),
                 n / dwords * 64 * bytes % 256 + n % dwords * 4, n / dwords * 64 * bytes / 256);
    });
    add(read2, " of what was written in turn", 2 * dwords, [=](Code& code) {
      lds_place(code, bytes == 4 ? 2 : 3, base);
      for (u32 n = 0; n < 2 * dwords; ++n)
        code.lds(Opcode::ds_write_b32, kPlace, static_cast<u16>(kA + n), 0,
                 n / dwords * 64 * bytes % 256 + n % dwords * 4, n / dwords * 64 * bytes / 256);
      code.lds(read2, kPlace, 0, kResult, 0, 1);
    });
  };
  rows(Opcode::ds_read2st64_b32, Opcode::ds_write2st64_b32, 4);
  rows(Opcode::ds_read2st64_b64, Opcode::ds_write2st64_b64, 8);
  for (const Opcode opcode :
       {Opcode::ds_add_u32,       Opcode::ds_sub_u32,     Opcode::ds_min_i32,      Opcode::ds_max_i32,
        Opcode::ds_min_u32,       Opcode::ds_max_u32,     Opcode::ds_and_b32,      Opcode::ds_or_b32,
        Opcode::ds_xor_b32,       Opcode::ds_cmpst_b32,   Opcode::ds_add_rtn_u32,  Opcode::ds_sub_rtn_u32,
        Opcode::ds_min_rtn_i32,   Opcode::ds_max_rtn_i32, Opcode::ds_min_rtn_u32,  Opcode::ds_max_rtn_u32,
        Opcode::ds_and_rtn_b32,   Opcode::ds_or_rtn_b32,  Opcode::ds_xor_rtn_b32,  Opcode::ds_wrxchg_rtn_b32,
        Opcode::ds_cmpst_rtn_b32, Opcode::ds_inc_u32,     Opcode::ds_inc_rtn_u32,  Opcode::ds_dec_u32,
        Opcode::ds_dec_rtn_u32,   Opcode::ds_rsub_u32,    Opcode::ds_rsub_rtn_u32, Opcode::ds_min_f32,
        Opcode::ds_min_rtn_f32,   Opcode::ds_max_f32,     Opcode::ds_max_rtn_f32}) {
    const bool returns = gcn::info(opcode).destination != Shape::None;
    const bool compares = opcode == Opcode::ds_cmpst_b32 || opcode == Opcode::ds_cmpst_rtn_b32;
    add(opcode, "", returns ? 2 : 1, [=](Code& code) {
      lds_fill(code);  // b's low half is at 8
      move(code, kScratch, v(kA));
      if (compares) choose(code, kScratch);
      code.lds(opcode, kPlace, kScratch, returns ? kResult + 1 : 0, 8, 0, compares ? kC : 0);
      code.lds(Opcode::ds_read_b32, kPlace, 0, kResult, 8);
    });
  }
  for (const Opcode opcode : {Opcode::ds_inc_u64, Opcode::ds_inc_rtn_u64, Opcode::ds_dec_u64, Opcode::ds_dec_rtn_u64,
                              Opcode::ds_rsub_u64, Opcode::ds_rsub_rtn_u64, Opcode::ds_min_f64, Opcode::ds_min_rtn_f64,
                              Opcode::ds_max_f64, Opcode::ds_max_rtn_f64}) {
    const bool returns = gcn::info(opcode).destination != Shape::None;
    add(opcode, "", returns ? 4 : 2, [=](Code& code) {
      lds_fill(code);
      code.lds(opcode, kPlace, kA, returns ? kResult + 2 : 0, 8);
      code.lds(Opcode::ds_read_b64, kPlace, 0, kResult, 8);
    });
  }
  return out;
}

// --- kernels of items ------------------------------------------------------------------------------------------------

struct Batch {
  Small kernel;
  std::vector<Item> items;
  std::string kinds{};  // of a lane's output
  std::vector<u32> owner{};  // item of each dword
};

Batch batch_of(std::string name, std::vector<Item> items, Generation generation, u32 lds_bytes) {
  Batch out{.kernel = {std::move(name), Code(generation), lds_bytes}, .items = std::move(items)};
  for (u32 n = 0; n < out.items.size(); ++n) {
    out.kinds += out.items[n].kinds;
    out.owner.insert(out.owner.end(), out.items[n].kinds.size(), n);
  }
  Code& code = out.kernel.code;
  code.prologue();
  code.place(2, kInSlot, 8).place(3, kOutSlot, static_cast<u32>(out.kinds.size()));
  code.buffer(Opcode::buffer_load_dwordx4, kA, 2, kIn).buffer(Opcode::buffer_load_dwordx4, kC, 2, kIn, 16);
  move(code, kZero, number(0));
  move(code, kOne, number(1));
  for (u32 n = 0; n < kValues; ++n)
    code.scalar_load(Opcode::s_buffer_load_dword, static_cast<u16>(36 + n), kCb1, 32 + 16 * n);
  u32 at = 0;
  for (const Item& item : out.items) {
    item.emit(code, at);
    if (!item.stores)
      for (u32 n = 0; n < item.kinds.size(); ++n)
        code.buffer(Opcode::buffer_store_dword, static_cast<u16>(kResult + n), 3, kOut, at + 4 * n);
    at += static_cast<u32>(4 * item.kinds.size());
  }
  code.end();
  return out;
}

// Why it is not lifted; empty: it is.
std::string refusal(const Small& kernel) {
  const Program program = program_of(std::span(&kernel, 1));
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  const auto& outcome = unit.kernels.front();
  return outcome.refusal ? outcome.refusal->message : outcome.lifted ? "" : "no reason given";
}
std::string refusal(const Item& item, Generation generation) {
  return refusal(batch_of("k", {item}, generation, 0).kernel);
}

const char* only() { return std::getenv("AMDCOMPAT_OPCODES_ONLY"); }

bool is_nan(u32 x) { return (x & 0x7fffffff) > 0x7f800000; }
bool is_nan(u64 x) { return (x & ~(u64{1} << 63)) > 0x7ff0'0000'0000'0000; }
bool is_nan(u16 x) { return (x & 0x7fff) > 0x7c00; }
// The same halves, or no numbers.
bool same_halves(u32 a, u32 b) {
  for (const u32 shift : {0u, 16u}) {
    const u16 x = static_cast<u16>(a >> shift), y = static_cast<u16>(b >> shift);
    if (x != y && !(is_nan(x) && is_nan(y))) return false;
  }
  return true;
}
// Whether two results are as good as the same. Bits of floats of one sign are in the order of their values.
template <class T>
bool close(T got, T expected, u32 ulps) {
  if (got == expected || (is_nan(got) && is_nan(expected))) return true;
  if (ulps == 0 || is_nan(got) || is_nan(expected)) return false;
  const T sign = T{1} << (sizeof(T) * 8 - 1);
  if ((got & sign) != (expected & sign)) return false;
  return (got > expected ? got - expected : expected - got) <= ulps;
}

std::string words_text(std::span<const u32> words, std::string_view kinds) {
  std::string out;
  for (std::size_t n = 0; n < words.size(); ++n) {
    out += fmt::format(" 0x{:08x}", words[n]);
    if (kinds[n] == 'f') out += fmt::format(" ({})", std::bit_cast<float>(words[n]));
    if (kinds[n] == 'D') out += fmt::format(" ({})", std::bit_cast<double>(words[n - 1] | u64{words[n]} << 32));
  }
  return out;
}

// Compares one launch; says at most two lanes of each item.
void compare(const Batch& batch, const Data& run, std::span<const u32> got, std::span<const u32> expected,
             std::map<std::string, u32>& said) {
  const std::size_t stride = batch.kinds.size();
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const char kind = batch.kinds[n % stride];
    const Item& item = batch.items[batch.owner[n % stride]];
    bool right = got[n] == expected[n];
    if (kind == 'f')
      right = close(got[n], expected[n], item.ulps) ||
              std::fabs(std::bit_cast<float>(got[n]) - std::bit_cast<float>(expected[n])) < item.absolute;
    if (kind == 'n') right = close(got[n], expected[n], 0);
    if (kind == 'h') right = same_halves(got[n], expected[n]);
    if (kind == 'D') continue;  // with its low half
    if (kind == 'd') right = close(got[n] | u64{got[n + 1]} << 32, expected[n] | u64{expected[n + 1]} << 32, item.ulps);
    if (right || ++said[item.name] > 2) continue;
    const std::size_t lane = n / stride;
    std::size_t first = 0;
    while (batch.owner[first] != batch.owner[n % stride]) ++first;
    const std::size_t from = lane * stride + first, count = item.kinds.size();
    std::string text;
    for (std::size_t k = 0; k < 8 && lane * 8 + k < run.in.size(); ++k)
      text += fmt::format(" 0x{:08x}", run.in[lane * 8 + k]);
    ADD_FAILURE() << item.name << ", lane " << lane << fmt::format("\n  v[4:11]:{}\n  p0 to p5:", text)
                  << words_text(run.values, "uuuuuu")
                  << "\n  lifted:     " << words_text(got.subspan(from, count), item.kinds)
                  << "\n  interpreter:" << words_text(expected.subspan(from, count), item.kinds);
  }
}

// Lifts the items, `per_kernel` of them in a kernel and `per_unit` kernels in a unit, and compares all launches.
void try_items(std::vector<Item> items, Generation generation, std::span<const Data> runs, u32 lanes, u32 lds_bytes = 0,
               bool exact = false) {
  constexpr std::size_t kPerKernel = 24, kPerUnit = 12;
  if (only() != nullptr)
    std::erase_if(items, [](const Item& item) { return item.name.find(only()) == std::string::npos; });
  std::vector<Batch> batches;
  for (std::size_t n = 0; n < items.size(); n += kPerKernel) {
    const std::size_t end = std::min(items.size(), n + kPerKernel);
    batches.push_back(
        batch_of("k" + std::to_string(batches.size()),
                 {items.begin() + static_cast<std::ptrdiff_t>(n), items.begin() + static_cast<std::ptrdiff_t>(end)},
                 generation, lds_bytes));
    batches.back().kernel.flushes = exact;
  }
  std::map<std::string, u32> said;
  for (std::size_t first = 0; first < batches.size(); first += kPerUnit) {
    const auto unit = std::span(batches).subspan(first, std::min(kPerUnit, batches.size() - first));
    std::vector<Small> kernels;
    for (const Batch& batch : unit) kernels.push_back(batch.kernel);
    const Program program = program_of(kernels);
    Diagnostics diagnostics;
    const lift::Unit lifted = lift::lift(program, {.exact = exact}, diagnostics);
    for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
    if (only() != nullptr) fmt::print("{}\n", lifted.source);
    opencl::Request request{.source = lifted.source, .options = sooner(), .seconds = 60};
    std::vector<Data> launched;
    for (const Batch& batch : unit)
      for (const Data& run : runs) {
        launched.push_back(run);
        std::mt19937 random(kSeed);
        launched.back().out.resize(lanes * batch.kinds.size());
        for (u32& word : launched.back().out) word = static_cast<u32>(random());
        request.launches.push_back(launch_of(batch.kernel.name, launched.back(), lanes));
      }
    const opencl::Result result = opencl::run(request);
    ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << result.message << lifted.source;
    for (std::size_t n = 0; n < launched.size(); ++n) {
      const Batch& batch = unit[n / runs.size()];
      const Ran expected = interpret(program, n / runs.size(), launched[n], lanes);
      EXPECT_EQ(expected.problem, "") << batch.items.front().name;
      const opencl::LaunchResult& launch = result.launches[n];
      if (launch.status != opencl::Status::Ok) {
        ADD_FAILURE() << batch.items.front().name << " and others: " << opencl::status_name(launch.status) << ": "
                      << launch.message;
        continue;
      }
      EXPECT_EQ(launch.said, "") << batch.items.front().name << " and others";
      compare(batch, launched[n], words_of(launch.buffers[1]), expected.out, said);
    }
  }
  for (const auto& [name, count] : said)
    if (count > 2) fmt::print("{}: {} results differ\n", name, count);
}

// Items of all rows of some formats, as far as they are lifted.
struct Found {
  std::vector<Item> items;
  std::set<std::string> lifted, refused;  // opcodes
};
void print(const Found& found) {
  fmt::print("{} instructions in {} forms, seed {}; not lifted:", found.lifted.size(), found.items.size(), kSeed);
  for (const std::string& name : found.refused) fmt::print(" {}", name);
  fmt::print("\n");
  std::fflush(stdout);
}

Found vector_items(Generation generation, const std::set<Format>& formats, bool comparisons) {
  Found out;
  for (const gcn::Row& row : gcn::rows()) {
    if (!row.on(generation) || !formats.contains(row.format)) continue;
    const OpcodeInfo& op = gcn::info(row.opcode);
    const bool compares = op.destination == Shape::None && op.is(Property::MaskOut);
    // Others have no result of a lane, or registers that no field names.
    if (op.is(Property::ScalarDestination) || op.is(Property::ReadsM0) || row.opcode == Opcode::v_writelane_b32)
      continue;
    // lift_model_test has it: the interpreter has not.
    if (row.opcode == Opcode::v_trig_preop_f64) continue;
    if (compares != comparisons || (op.destination == Shape::None && !compares)) continue;
    std::vector<Form3> forms{{Form3::Plain}, {Form3::Wide}, {Form3::Inline0}};
    if (compares) {
      for (const u32 n : {0u, 2u}) forms.push_back({Form3::Modified, n});
      forms.push_back({Form3::Literal, op.sources[0] == Shape::F32 ? 0u : 1u});
      forms.push_back({Form3::Constants, 0});
    } else {
      for (u32 n = 0; n < 5; ++n) forms.push_back({Form3::Modified, n});
      for (u32 n = 0; n < 2; ++n) {
        forms.push_back({Form3::Literal, n});
        forms.push_back({Form3::Inline1, n});
      }
      for (u32 n = 0; n < 3; ++n) forms.push_back({Form3::Constants, n});
    }
    const std::string name(op.name);
    for (const Form3& form : forms) {
      Item item = vector_item(row, generation, form);
      if (!item.emit) continue;
      if (refusal(item, generation).empty()) {
        out.lifted.insert(name);
        out.items.push_back(std::move(item));
      } else if (form.kind == Form3::Plain) {
        out.refused.insert(name);
        break;
      }
    }
  }
  return out;
}

Data vector_run() { return {.in = input(), .values = {0, 1, 2, 3, 4, 5}}; }
u32 vector_lanes() { return static_cast<u32>(operands().size()); }

void try_vector(Generation generation, const std::set<Format>& formats, bool comparisons, std::size_t least,
                std::string_view without = {}) {
  Found found = vector_items(generation, formats, comparisons);
  if (!without.empty())
    std::erase_if(found.items, [&](const Item& item) { return item.name.find(without) != std::string::npos; });
  print(found);
  EXPECT_GE(found.lifted.size(), least);
  const Data run = vector_run();
  try_items(std::move(found.items), generation, std::span(&run, 1), vector_lanes());
}

TEST(LiftedOpcodes, VectorInstructionsOfOneSourceComputeWhatTheInterpreterComputes) {
  AMDCOMPAT_NEEDS_OPENCL();
  try_vector(Generation::Gfx7, {Format::Vop1}, false, 51);
}
TEST(LiftedOpcodes, VectorInstructionsOfTwoSourcesComputeWhatTheInterpreterComputes) {
  AMDCOMPAT_NEEDS_OPENCL();
  try_vector(Generation::Gfx7, {Format::Vop2}, false, 42);
}
TEST(LiftedOpcodes, VectorInstructionsOfThreeSourcesComputeWhatTheInterpreterComputes) {
  AMDCOMPAT_NEEDS_OPENCL();
  try_vector(Generation::Gfx7, {Format::Vop3}, false, 41);
}
TEST(LiftedOpcodes, VectorComparisonsComputeWhatTheInterpreterComputes) {
  AMDCOMPAT_NEEDS_OPENCL();
  try_vector(Generation::Gfx7, {Format::Vopc}, true, 132);
}

// With denormals among the operands that the machine code takes for zeros, and results that it makes zeros.
TEST(LiftedOpcodes, FloatsOfAnExactLiftAreFlushedAsTheInterpreterFlushesThem) {
  AMDCOMPAT_NEEDS_OPENCL();
  Found found;
  for (const bool comparisons : {false, true}) {
    Found more = vector_items(Generation::Gfx7, {Format::Vop1, Format::Vop2, Format::Vop3, Format::Vopc}, comparisons);
    std::ranges::move(more.items, std::back_inserter(found.items));
    found.lifted.merge(more.lifted);
  }
  const auto without_floats = [](const Item& item) {
    return item.name.find("f32") == std::string::npos && item.kinds.find('f') == std::string::npos;
  };
  std::erase_if(found.items, without_floats);
  EXPECT_GE(found.items.size(), 300u);
  const Data run = vector_run();
  try_items(std::move(found.items), Generation::Gfx7, std::span(&run, 1), vector_lanes(), 0, true);
}

TEST(LiftedOpcodes, LogicOfMasksAndOfExecComputesWhatTheInterpreterComputes) {
  AMDCOMPAT_NEEDS_OPENCL();
  Found found;
  for (const Opcode opcode :
       {Opcode::s_and_b64, Opcode::s_or_b64, Opcode::s_xor_b64, Opcode::s_andn2_b64, Opcode::s_orn2_b64,
        Opcode::s_nand_b64, Opcode::s_nor_b64, Opcode::s_xnor_b64, Opcode::s_mov_b64, Opcode::s_not_b64,
        Opcode::s_cselect_b64, Opcode::s_and_saveexec_b64, Opcode::s_or_saveexec_b64, Opcode::s_xor_saveexec_b64,
        Opcode::s_andn2_saveexec_b64, Opcode::s_orn2_saveexec_b64, Opcode::s_nand_saveexec_b64,
        Opcode::s_nor_saveexec_b64, Opcode::s_xnor_saveexec_b64}) {
    Item item = mask_item(opcode, Generation::Gfx7, gcn::info(opcode).is(Property::WritesExec));
    EXPECT_EQ(refusal(item, Generation::Gfx7), "") << item.name;
    found.lifted.insert(std::string(gcn::info(opcode).name));
    found.items.push_back(std::move(item));
  }
  print(found);
  const Data run = vector_run();
  try_items(std::move(found.items), Generation::Gfx7, std::span(&run, 1), vector_lanes());
}

TEST(LiftedOpcodes, ScalarInstructionsComputeWhatTheInterpreterComputes) {
  AMDCOMPAT_NEEDS_OPENCL();
  Found found;
  for (const gcn::Row& row : gcn::rows()) {
    const std::set<Format> formats{Format::Sop1, Format::Sop2, Format::Sopc, Format::Sopk};
    if (!row.on(Generation::Gfx7) || !formats.contains(row.format)) continue;
    const OpcodeInfo& op = gcn::info(row.opcode);
    const std::string name(op.name);
    if (op.is(Property::WritesExec) || gcn::flow(row.opcode) != gcn::Flow::Next) continue;
    for (u32 form = 0; form < 8; ++form) {
      Item item = scalar_item(row, Generation::Gfx7, form);
      if (!item.emit) continue;
      if (refusal(item, Generation::Gfx7).empty()) {
        found.lifted.insert(name);
        found.items.push_back(std::move(item));
      } else if (form == 0) {
        found.refused.insert(name);
        break;
      }
    }
  }
  print(found);
  EXPECT_GE(found.lifted.size(), 101u);
  std::mt19937_64 random(kSeed);
  std::vector<Data> runs;
  const auto add = [&](u64 a, u64 b) {
    Data run{.in = Words(kLanes * 8)};
    const u64 c = random();
    run.values = {static_cast<u32>(a),       static_cast<u32>(a >> 32), static_cast<u32>(b),
                  static_cast<u32>(b >> 32), static_cast<u32>(c),       static_cast<u32>(c >> 32)};
    runs.push_back(std::move(run));
  };
  const auto any = [&] { return integers()[random() % integers().size()]; };
  for (const u64 a : integers()) {
    add(a, any());
    add(any(), a);
  }
  for (u32 n = 0; n < 16; ++n) add(random(), n % 2 == 0 ? random() : random() % 64);
  add(5, 5);
  try_items(std::move(found.items), Generation::Gfx7, runs, kLanes);
}

void try_memory(std::vector<Item> items, u32 lds_bytes) {
  for (const Item& item : items)
    EXPECT_EQ(refusal(batch_of("k", {item}, Generation::Gfx7, lds_bytes).kernel), "") << item.name;
  fmt::print("{} forms, seed {}\n", items.size(), kSeed);
  const Data run = vector_run();
  try_items(std::move(items), Generation::Gfx7, std::span(&run, 1), vector_lanes(), lds_bytes);
}
TEST(LiftedOpcodes, BufferInstructionsLeaveTheMemoryThatTheInterpreterLeaves) {
  AMDCOMPAT_NEEDS_OPENCL();
  try_memory(buffer_items(), 0);
}
TEST(LiftedOpcodes, LocalMemoryInstructionsComputeWhatTheInterpreterComputes) {
  AMDCOMPAT_NEEDS_OPENCL();
  try_memory(lds_items(), kLdsBytes);
}
// Formats that convert are not written out.
TEST(LiftedOpcodes, WhatConvertsIsRefused) {
  const auto refused = [](const Instruction& i) {
    return refusal(batch_of("k",
                            {{.name = "",
                              .kinds = "u",
                              .emit =
                                  [&i](Code& code, u32) {
                                    lds_fill(code);
                                    code.add(i);
                                  }}},
                            Generation::Gfx7, kLdsBytes)
                       .kernel);
  };
  for (const u8 form : {u8{0}, u8{1}, u8{2}, u8{3}, u8{6}, u8{7}})
    for (const u8 data : {u8{1}, u8{2}, u8{4}}) {
      Instruction i = Code().make(Opcode::tbuffer_load_format_x);
      i.address = 2;
      i.offen = true;
      i.resource = kIn;
      i.sources[1] = number(0);
      i.data = kResult;
      i.data_format = data;
      i.number_format = form;
      EXPECT_EQ(refused(i).ends_with("which is not lifted"), data != 4 || form != 7) << u32{data} << " " << u32{form};
    }
}

}  // namespace
}  // namespace amdcompat_test::lifted::opcodes_test
