// Every row on every generation against LLVM 19: instructions with edge values and random operands are encoded,
// decoded, printed, and assembled again by llvm-mc; what LLVM disassembles (GFX8 and later) must be the same text.
//
// AMDCOMPAT_GCN_SAMPLES=N tries N samples of each form of a row instead of 3.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/gcn.hpp>

#include "code_samples.hpp"
#include "support/process.hpp"

namespace amdcompat::gcn::encoding_test {
namespace {

using amdcompat_test::ProcessResult;
using amdcompat_test::TemporaryDirectory;
using amdcompat_test::write_file;
using enum Generation;

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

// A processor that stands for a generation, or for the part of it that has some rows of its own.
struct Processor {
  Generation generation;
  const char* name;
};
constexpr Processor kProcessors[] = {
    {Gfx6, "gfx600"},     {Gfx7, "gfx700"},   {Gfx8, "gfx803"},     {Gfx9, "gfx900"},     {Gfx9, "gfx904"},
    {Gfx9, "gfx906"},     {Gfx9, "gfx908"},   {Gfx10_1, "gfx1010"}, {Gfx10_1, "gfx1011"}, {Gfx10_1, "gfx1013"},
    {Gfx10_3, "gfx1030"}, {Gfx11, "gfx1100"}, {Gfx11, "gfx1150"},   {Gfx12, "gfx1200"}};
constexpr const char* kRepresentatives[] = {"gfx600",  "gfx700",  "gfx803",  "gfx900",
                                            "gfx1010", "gfx1030", "gfx1100", "gfx1200"};

std::span<const std::byte> bytes_of(std::span<const u32> words) { return std::as_bytes(words); }

struct Sample {
  Instruction instruction;
  std::vector<u32> words;
  std::string text;
};

// Instructions whose fields are legal in the eyes of LLVM's assembler.
class Maker {
 public:
  Maker(Generation generation, u32 wave_size) : g_(generation), wave_(wave_size), random_(7) {}

  struct Shape_ {
    Format format;
    Variant variant;
  };
  static std::vector<Shape_> shapes(const Row& row) {
    std::vector<Shape_> out{{row.format, Variant::Plain}};
    const bool wide = row.format == Format::Vop3 || row.format == Format::Vop3p;
    if (row.has(Form::E64)) out.push_back({Format::Vop3, Variant::Plain});
    if (row.has(Form::Sdwa)) out.push_back({row.format, Variant::Sdwa});
    if (row.has(Form::Dpp)) out.push_back({row.format, Variant::Dpp});
    if (row.has(Form::Dpp8)) out.push_back({row.format, Variant::Dpp8});
    if (row.has(Form::E64Dpp)) out.push_back({wide ? row.format : Format::Vop3, Variant::Dpp});
    if (row.has(Form::E64Dpp8)) out.push_back({wide ? row.format : Format::Vop3, Variant::Dpp8});
    return out;
  }

  Instruction make(const Row& row, Format format, Variant variant) {
    row_ = &row;
    op_ = &info(row.opcode);
    name_ = row.name;
    scalars_ = 0;
    Instruction i;
    i.row = &row;
    i.opcode = row.opcode;
    i.format = format;
    i.variant = variant;
    switch (format) {
      case Format::Sop2:
      case Format::Sop1:
      case Format::Sopc: scalar(i); break;
      case Format::Sopk: sopk(i); break;
      case Format::Sopp: sopp(i); break;
      case Format::Smrd: scalar_memory(i); break;
      case Format::Vop1:
      case Format::Vop2:
      case Format::Vopc:
      case Format::Vop3:
      case Format::Vop3p: vector(i); break;
      case Format::Vinterp:
        i.destination = vgpr(1);
        for (u16& source : i.sources) source = static_cast<u16>(kFirstVector + vgpr(1));
        i.wait = static_cast<u8>(below(8));
        i.clamp = coin();
        i.negate = static_cast<u8>(below(8));
        if (row.has(Form::OpSel)) i.op_sel = static_cast<u8>(below(16));
        break;
      case Format::Ldsdir:
        i.destination = vgpr(1);
        i.wait = static_cast<u8>(below(16));
        if (g_ == Gfx12) i.wait_vsrc = coin();
        if (row.number == 0) {
          i.attribute = static_cast<u8>(below(33));
          i.channel = static_cast<u8>(below(4));
        }
        break;
      case Format::Vintrp:
        i.destination = vgpr(1);
        i.sources[0] = static_cast<u16>(kFirstVector + (row.opcode == Opcode::v_interp_mov_f32 ? below(3) : vgpr(1)));
        i.attribute = static_cast<u8>(below(33));
        i.channel = static_cast<u8>(below(4));
        break;
      case Format::Ds: ds(i); break;
      case Format::Mubuf:
      case Format::Mtbuf: buffer(i); break;
      case Format::Flat:
      case Format::Global:
      case Format::Scratch: flat(i); break;
      case Format::Mimg:
      case Format::Vsample: image(i); break;
      case Format::Exp: exports(i); break;
      case Format::Vopd: dual(i); break;
    }
    return i;
  }

 private:
  u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  bool coin() { return below(2) == 0; }
  // Registers that exist and are aligned for every width. Edges come up more often than others.
  u16 sgpr(u32 dwords) {
    const u32 step = dwords == 1 ? 1 : dwords == 2 ? 2 : 4, most = 100 - dwords;
    const u32 pick = below(6);
    const u32 n = pick == 0 ? 0 : pick == 1 ? most : below(most + 1);
    return static_cast<u16>(n / step * step);
  }
  u16 scalar_destination(u32 dwords) {
    if (dwords <= 2 && below(8) == 0) return kVcc;
    if (dwords <= 2 && below(10) == 0) return kExec;
    return sgpr(dwords);
  }
  u16 vgpr(u32 dwords) {
    const u32 most = (low_ ? 128 : 256) - std::max(dwords, 1u);
    const u32 pick = below(6);
    return static_cast<u16>(pick == 0 ? 0 : pick == 1 ? most : below(most + 1));
  }
  u16 constant(Shape shape) {
    const u32 n = below(80);
    if (n < 65) return static_cast<u16>(128 + n);
    if (n < 73 || shape == Shape::B16) return static_cast<u16>(193 + below(16));
    return static_cast<u16>(240 + below(g_ >= Gfx8 && shape != Shape::F64 && shape != Shape::B64 ? 9 : 8));
  }
  u16 scalar_source(Instruction& i, u32 n, Shape shape, bool literals) {
    const u32 dwords = shape_dwords(shape);
    if (dwords > 2 || row_->has(n == 0 ? Form::Sgpr0 : Form::Sgpr1)) return sgpr(dwords);
    // Constants have no bits of 16 before GFX8.
    if (g_ <= Gfx7 && (shape == Shape::F16 || shape == Shape::B16)) return sgpr(dwords);
    switch (below(6)) {
      case 0: return constant(shape);
      case 1:
        if (!literals || (shape == Shape::F64 || (shape == Shape::B64 && row_->format >= Format::Vop2)))
          return constant(shape);
        i.literal = shape == Shape::B16 || shape == Shape::F16 ? 0x1234 + below(1000) : 0x41020304 + below(1000);
        return static_cast<u16>(kLiteral);
      case 2: return dwords == 1 && below(2) == 0 ? 124 : static_cast<u16>(kVcc);
      default: return sgpr(dwords);
    }
  }

  void scalar(Instruction& i) {
    if (row_->opcode == Opcode::s_set_gpr_idx_on) {
      i.sources = {sgpr(1), static_cast<u16>(below(16)), 0};
      return;
    }
    i.destination = op_->destination == Shape::None ? u16{0} : scalar_destination(shape_dwords(op_->destination));
    if (name_.find("barrier") != name_.npos) {
      i.sources[0] = coin() ? 125 : static_cast<u16>(129 + below(8));
      return;
    }
    if (name_.starts_with("s_sendmsg_rtn")) i.sources[0] = static_cast<u16>(128 + below(8));
    bool literals = !op_->is(Property::Literal);
    for (std::size_t n = 0; n < 2; ++n)
      if (op_->sources[n] != Shape::None) {
        i.sources[n] = scalar_source(i, static_cast<u32>(n), op_->sources[n], literals);
        literals = literals && i.sources[n] != kLiteral;
      }
    if (op_->is(Property::Literal)) i.literal = 0x41020304 + below(1000);
  }
  void sopk(Instruction& i) {
    if (op_->destination != Shape::None) i.destination = sgpr(shape_dwords(op_->destination));
    i.immediate = static_cast<std::int16_t>(random_());
    if (g_ == Gfx11 && name_.starts_with("s_waitcnt_")) i.destination = 124;
    if (op_->is(Property::Literal)) i.literal = 0x41020304 + below(1000);
  }
  void sopp(Instruction& i) {
    if (row_->has(Form::NoImmediate)) return;
    i.immediate = static_cast<std::int16_t>(below(16));
    if (name_.find("branch") != name_.npos && coin()) i.immediate = static_cast<std::int16_t>(random_());
  }
  void scalar_memory(Instruction& i) {
    const bool based = op_->sources[0] != Shape::None;
    const Shape data = op_->destination != Shape::None ? op_->destination : op_->sources[2];
    if (data != Shape::None) i.destination = sgpr(shape_dwords(data));
    if (!based) {
      if (g_ == Gfx8 || g_ == Gfx9) i.sources[1] = 0;
      return;
    }
    if (data == Shape::None && name_.find("atc_probe") != name_.npos)
      i.destination = static_cast<u16>(below(g_ == Gfx12 ? 32 : 128));
    i.resource = sgpr(op_->sources[0] == Shape::B128 ? 4 : 2);
    if (g_ <= Gfx7) {
      i.immediate_offset = coin();
      if (i.immediate_offset)
        i.immediate = static_cast<std::int32_t>(below(256) * 4);
      else
        i.sources[1] = sgpr(1);
      if (g_ == Gfx7 && i.immediate_offset && below(3) == 0) {
        i.sources[1] = static_cast<u16>(kLiteral);
        i.literal = 0x1000 + below(1000);
        i.immediate = static_cast<std::int32_t>(i.literal * 4);
      }
      return;
    }
    const bool buffer = name_.find("buffer") != name_.npos;
    const bool cached = name_.starts_with("s_load") || name_.starts_with("s_buffer_load");
    if (cached && g_ != Gfx12) i.glc = coin();
    if (g_ == Gfx8) {
      i.immediate_offset = coin();
      if (i.immediate_offset)
        i.immediate = static_cast<std::int32_t>(below(1 << 20));
      else
        i.sources[1] = sgpr(1);
    } else if (g_ == Gfx9) {
      const u32 mode = below(3);
      i.immediate_offset = mode != 1;
      i.scalar_offset = mode == 2;
      if (i.immediate_offset)
        i.immediate = static_cast<std::int32_t>(below(1 << 20)) - (buffer || i.scalar_offset ? 0 : 1 << 19);
      if (mode != 0) i.sources[1] = sgpr(1);
    } else {
      const bool null = coin();
      i.sources[1] = null ? (g_ >= Gfx11 ? 124 : 125) : sgpr(1);
      const std::int32_t limit = g_ == Gfx12 ? 1 << 23 : 1 << 20;
      i.immediate = static_cast<std::int32_t>(below(static_cast<u32>(limit))) - (buffer || !null ? 0 : limit / 2);
      if (!null && coin()) i.immediate = 0;
      if (cached && g_ != Gfx12) i.dlc = coin();
      if (g_ == Gfx12 && cached) {
        i.scope = static_cast<u8>(below(4));
        i.temporal = static_cast<u8>(below(4));
      }
    }
  }

  void vector(Instruction& i) {
    const Row& row = *row_;
    const bool wide = i.format == Format::Vop3 || i.format == Format::Vop3p;
    const bool native_mask = op_->is(Property::MaskOut) && !wide && !i.scalar_mask;
    // Halves of registers have the upper bit of their number in the encodings of 32 bits.
    low_ = g_ >= Gfx11 && !wide && (name_.find("16") != name_.npos);
    const u32 mask_dwords = wave_ / 32;
    if (op_->destination != Shape::None)
      i.destination = op_->is(Property::ScalarDestination) ? sgpr(shape_dwords(op_->destination))
                                                           : vgpr(shape_dwords(op_->destination));
    if (row.has(Form::Accumulators)) i.destination = static_cast<u16>(below(96));
    if (op_->sources[0] == Shape::None && i.variant != Variant::Plain) i.sources[0] = kFirstVector;  // v_nop
    if (row.format == Format::Vop2 && !wide) i.scalar_destination = kVcc;
    if (row.format == Format::Vopc) i.scalar_destination = kVcc;
    static_cast<void>(native_mask);
    if (wide && op_->is(Property::MaskOut)) {
      i.scalar_destination = row.has(Form::NoMask) ? static_cast<u16>(kExec)
                             : below(4) == 0       ? static_cast<u16>(kVcc)
                                                   : sgpr(mask_dwords);
      if (row.format == Format::Vopc) i.destination = i.scalar_destination;
    }
    // At most one scalar value: the mask that goes in is one, too.
    bool scalar_used =
        (op_->is(Property::MaskIn) || name_.starts_with("v_div_fmas") || name_.starts_with("v_movrel")) && g_ <= Gfx9;
    bool literal_used = false;
    for (u32 n = 0; n < 3; ++n) {
      const Shape shape = op_->sources[n];
      if (shape == Shape::None) continue;
      if (op_->is(Property::Literal) && n == (name_.find("mk") != name_.npos ? 2 : 2)) {
        break;
      }
      const Form vector_only = n == 0 ? Form::Vgpr0 : n == 1 ? Form::Vgpr1 : Form::Vgpr2;
      const Form scalar_only = n == 0 ? Form::Sgpr0 : n == 1 ? Form::Sgpr1 : Form::Sgpr2;
      const bool first_of_form = n == 0 && i.variant != Variant::Plain;
      if (row.has(Form::Matrix) && n == 2 && !row.has(Form::Vgpr2) && below(4) == 0) {
        i.sources[n] = static_cast<u16>(128 + below(65));  // the same value for every element
      } else if (row.has(Form::Accumulators)) {
        i.sources[n] = static_cast<u16>(kFirstVector + (n == 2 ? 128 : 0) + below(96));
        if (n == 2 && coin()) i.sources[n] = static_cast<u16>(kFirstVector + i.destination);
      } else if (row.has(scalar_only)) {
        i.sources[n] = name_.starts_with("v_s_") ? sgpr(1) : coin() ? constant(Shape::B16) : sgpr(1);
        if (i.sources[n] < 128 && scalar_used) i.sources[n] = 130;
        scalar_used = scalar_used || i.sources[n] < 128;
      } else if (row.has(vector_only) || (!wide && n > 0) || first_of_form || coin() || shape_dwords(shape) > 2 ||
                 op_->is(Property::Literal) || (wide && i.variant != Variant::Plain)) {
        i.sources[n] = static_cast<u16>(kFirstVector + vgpr(shape_dwords(shape)));
      } else {
        const bool literals = i.variant == Variant::Plain && (!wide || g_ >= Gfx10_1) && !literal_used &&
                              i.format != Format::Vop3p && !scalar_used;
        u16 code = scalar_source(i, n, shape, literals);
        if ((code < 128 || code == kLiteral) && scalar_used) code = constant(shape);
        if (code != kLiteral && i.literal != 0 && !literal_used) i.literal = 0;
        literal_used = literal_used || code == kLiteral;
        scalar_used = scalar_used || code < 128 || code == kLiteral;
        i.sources[n] = code;
      }
    }
    if (op_->is(Property::Literal))
      i.literal = name_.ends_with("f16") ? 0x1234 + below(1000) : 0x41020304 + below(1000);
    if (op_->is(Property::MaskIn) && wide) i.sources[2] = below(4) == 0 ? static_cast<u16>(kVcc) : sgpr(mask_dwords);
    if (row.has(Form::Attribute)) {
      i.sources[0] = static_cast<u16>((row.opcode == Opcode::v_interp_mov_f32 ? below(3) : kFirstVector + vgpr(1)));
      i.attribute = static_cast<u8>(below(33));
      i.channel = static_cast<u8>(below(4));
      if (name_.ends_with("f16")) i.high = coin();
    }
    if (wide) modifiers(i);
    if (i.variant == Variant::Sdwa) sdwa(i);
    if (i.variant == Variant::Dpp) dpp(i);
    if (i.variant == Variant::Dpp8) {
      i.lanes = below(1 << 24);
      i.fetch_inactive = coin();
    }
    low_ = false;
  }
  void modifiers(Instruction& i) {
    const Row& row = *row_;
    const Form mods[] = {Form::Mod0, Form::Mod1, Form::Mod2};
    const bool packed = i.format == Format::Vop3p;
    u32 count = 0;
    for (u32 n = 0; n < 3; ++n) {
      if (op_->sources[n] == Shape::None) continue;
      ++count;
      if (!row.has(mods[n])) continue;
      const bool split = packed && !row.has(Form::NegHi) && !row.has(Form::Matrix);
      if (coin()) i.negate = static_cast<u8>(i.negate | 1 << n);
      if (packed && !split) {
        if (row.has(Form::NegHi) && coin()) i.negate_hi = static_cast<u8>(i.negate_hi | 1 << n);
      } else if (coin() && !(op_->is(Property::MaskOut) && row.format != Format::Vopc)) {
        (split ? i.negate_hi : i.absolute) = static_cast<u8>((split ? i.negate_hi : i.absolute) | 1 << n);
      }
    }
    if (row.has(Form::Clamp)) i.clamp = coin();
    if (row.has(Form::Omod)) i.output_modifier = static_cast<u8>(below(4));
    const u32 all = (1u << count) - 1;
    if (packed) {
      if (row.has(Form::OpSel)) i.op_sel = static_cast<u8>(random_() & all);
      if (row.has(Form::OpSelHi))
        i.op_sel_hi = static_cast<u8>((random_() & all) | (7 & ~all));
      else
        i.op_sel_hi = 7;
      if (name_.starts_with("v_swmmac")) i.op_sel = static_cast<u8>(below(index_keys()));
      if (name_.starts_with("v_mfma")) {
        i.op_sel = static_cast<u8>(below(8));
        i.op_sel_hi = static_cast<u8>(below(8));
        i.negate = static_cast<u8>(below(8));
        i.negate_hi = static_cast<u8>(below(8));
      }
    } else if (row.has(Form::OpSel)) {
      i.op_sel = static_cast<u8>(random_() & (all | 8));
      if (name_.starts_with("v_permlane")) i.op_sel &= 3;
      if (name_ == "v_dot2_f16_f16" || name_ == "v_dot2_bf16_bf16") i.op_sel &= 12;
    }
  }
  // Parts of the register that holds the indices of a sparse matrix.
  [[nodiscard]] u32 index_keys() const {
    if (name_.ends_with("16x16x64_iu4")) return wave_ == 64 ? 2 : 1;
    return wave_ == 64 && !name_.ends_with("_iu4") ? 4 : 2;
  }
  // The row is that of either operation. Sources that stand in the same place must be of different register banks.
  void dual(Instruction& i) {
    std::vector<const Row*> others;
    for (const Row& row : rows())
      if (row.format == Format::Vopd && row.on(g_) && (row_->number < 16 || row.number < 16)) others.push_back(&row);
    i.second = others[below(static_cast<u32>(others.size()))];
    if (row_->number >= 16) std::swap(i.row, i.second);
    i.opcode = i.row->opcode;
    i.destination = vgpr(1);
    i.second_destination = static_cast<u16>((vgpr(1) & 254) | (i.destination % 2 == 0 ? 1 : 0));
    const auto reg = [&](u32 bank) { return static_cast<u16>(kFirstVector + (vgpr(1) & 252) + bank); };
    const u32 odd = i.destination % 2;
    i.sources = {reg(odd), reg(2 + odd), 0};
    i.second_sources = {reg(1 - odd), reg(3 - odd)};
    const OpcodeInfo &first = info(i.row->opcode), &second = info(i.second->opcode);
    const bool literal = first.is(Property::Literal) || second.is(Property::Literal);
    const bool masked = first.is(Property::MaskIn) || second.is(Property::MaskIn);
    const auto scalar = [&] {  // with the literal and VCC there is no room for a register
      return below(3) == 0 || (literal && masked) ? constant(Shape::F32)
             : below(3) != 0 || literal           ? sgpr(1)
                                                  : static_cast<u16>(kLiteral);
    };
    const bool dot = i.row->number == 12 || i.second->number == 12;
    if (const u32 where = dot ? 2 : below(3); where == 0)
      i.sources[0] = scalar();
    else if (where == 1)
      i.second_sources[0] = scalar();
    if (first.sources[1] == Shape::None) i.sources[1] = kFirstVector;
    if (second.sources[1] == Shape::None) i.second_sources[1] = kFirstVector;
    if (literal || i.sources[0] == kLiteral || i.second_sources[0] == kLiteral) i.literal = 0x41020304 + below(1000);
  }
  void sdwa(Instruction& i) {
    if (op_->sources[0] == Shape::None) return;  // v_nop
    i.select0 = static_cast<u8>(below(7));
    if (op_->sources[1] != Shape::None)
      i.select1 = static_cast<u8>(below(7));
    else
      i.select1 = 0;
    const bool compares = row_->format == Format::Vopc;
    if (!compares) {
      i.destination_select = static_cast<u8>(below(7));
      i.destination_unused = static_cast<u8>(below(3));
    }
    if (compares && g_ >= Gfx9) {
      i.scalar_mask = !row_->has(Form::NoMask) && coin();
      if (i.scalar_mask) i.scalar_destination = sgpr(wave_ / 32);
    }
    if (row_->has(Form::Clamp) && (!compares || g_ == Gfx8)) i.clamp = coin();
    if (row_->has(Form::Omod) && g_ >= Gfx9 && (op_->destination == Shape::F32 || op_->destination == Shape::F16))
      i.output_modifier = static_cast<u8>(below(4));
  }
  void dpp(Instruction& i) {
    static constexpr u16 kOld[] = {0x00,  0xe4,  0x1b,  0xff,  0x101, 0x10f, 0x111, 0x11f, 0x121,
                                   0x12f, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
    static constexpr u16 kNew[] = {0x00,  0xe4,  0x1b,  0xff,  0x101, 0x10f, 0x111, 0x11f,
                                   0x121, 0x12f, 0x140, 0x141, 0x150, 0x15f, 0x160, 0x16f};
    i.dpp_control = g_ <= Gfx9 ? kOld[below(std::size(kOld))] : kNew[below(std::size(kNew))];
    i.row_mask = static_cast<u8>(below(16));
    i.bank_mask = static_cast<u8>(below(16));
    i.bound_control = coin();
    if (g_ >= Gfx10_1) i.fetch_inactive = coin();
  }

  void ds(Instruction& i) {
    const Row& row = *row_;
    if (row.has(Form::Two)) {
      i.offset0 = below(256);
      i.offset1 = below(256);
    } else if (!row.has(Form::NoOffset)) {
      i.offset0 = below(256);
      i.offset1 = below(256);
    }
    if (row.has(Form::GdsOnly)) i.gds = true;
    if (row.has(Form::Gds)) i.gds = coin();
    const bool addressed = !row.has(Form::NoAddress);
    if (addressed) i.address = vgpr(1);
    if (op_->sources[0] != Shape::None)
      (name_.starts_with("ds_gws") ? i.address : i.data) = vgpr(shape_dwords(op_->sources[0]));
    if (op_->sources[1] != Shape::None) i.data1 = vgpr(shape_dwords(op_->sources[1]));
    if (op_->destination != Shape::None) i.destination = vgpr(shape_dwords(op_->destination));
  }
  void cache(Instruction& i, bool atomic) {
    if (g_ == Gfx12) {
      i.scope = static_cast<u8>(below(4));
      i.temporal = static_cast<u8>(atomic ? below(i.scope == 3 ? 2 : 4) : below(7));
      return;
    }
    i.glc = coin();
    i.slc = coin();
    if (g_ >= Gfx10_1) i.dlc = coin();
  }
  void buffer(Instruction& i) {
    const Row& row = *row_;
    const bool data = op_->destination != Shape::None || op_->sources[0] != Shape::None;
    if (row.opcode == Opcode::buffer_store_lds_dword) {
      i.lds = true;
      i.resource = sgpr(4);
      i.sources[1] = sgpr(1);
      i.offset0 = below(4096);
      return;
    }
    if (!data && !row.has(Form::LdsOnly)) return;
    const bool atomic = name_.find("atomic") != name_.npos;
    if (row.has(Form::Lds)) i.lds = below(3) == 0;
    if (row.has(Form::Tfe) && !i.lds) i.tfe = below(3) == 0;
    if (!row.has(Form::LdsOnly) && !i.lds) i.data = vgpr(5);
    const u32 mode = below(g_ <= Gfx7 ? 5 : 4);
    i.offen = mode == 1 || mode == 3;
    i.idxen = mode == 2 || mode == 3;
    i.addr64 = mode == 4;
    if (mode != 0) i.address = vgpr(2);
    i.resource = sgpr(4);
    i.sources[1] = sgpr(1);
    i.offset0 = g_ == Gfx12 ? below(1 << 23) : below(4096);
    cache(i, atomic);
    if (atomic && g_ <= Gfx10_3) i.dlc = false;
    if (row.subset == Subset::Gfx908) i.glc = false;  // nothing comes back there
    if (row.format == Format::Mtbuf) {
      i.data_format = static_cast<u8>(g_ >= Gfx10_1 ? 1 + below(60) : 1 + below(14));
      if (g_ <= Gfx9) i.number_format = static_cast<u8>(below(6));
    }
  }
  u16 off() const { return static_cast<u16>(g_ >= Gfx11 ? 124 : g_ >= Gfx10_1 ? 125 : 127); }
  void flat(Instruction& i) {
    const Row& row = *row_;
    const bool atomic = op_->destination != Shape::None && op_->sources[0] != Shape::None;
    if (row.has(Form::Lds)) i.lds = below(3) == 0;
    cache(i, name_.find("atomic") != name_.npos);
    if (row.subset == Subset::Gfx908) i.glc = false;
    const bool only_returns = name_.find("csub") != name_.npos;
    if (only_returns && g_ == Gfx12)
      i.temporal |= 1;
    else if (only_returns)
      i.glc = true;
    const bool returns =
        op_->destination != Shape::None && (!atomic || (g_ == Gfx12 ? (i.temporal & 1) != 0 : i.glc)) && !i.lds;
    if (op_->destination == Shape::None && op_->sources[0] != Shape::None && name_.find("atomic") != name_.npos) {
      i.glc = false;
      i.temporal &= 6;
    }
    if (returns) i.destination = vgpr(shape_dwords(op_->destination));
    if (op_->sources[0] != Shape::None) i.data = vgpr(shape_dwords(op_->sources[0]));
    if (g_ >= Gfx9) i.resource = off();
    if (row.format == Format::Flat) {
      i.resource = g_ == Gfx9 || g_ <= Gfx8 ? u16{0} : off();
      i.address = vgpr(2);
    } else if (row.format == Format::Global) {
      const bool scalar = coin();
      if (scalar) i.resource = sgpr(2);
      if (!row.has(Form::NoAddress)) i.address = vgpr(scalar ? 1 : 2);
      if (op_->destination == Shape::None && op_->sources[0] == Shape::None && !i.lds) {
        i.resource = off();
        i.address = 0;
        i.temporal = 0;
        return;
      }
    } else {
      const u32 mode = below(g_ >= Gfx10_3 ? g_ >= Gfx11 ? 4 : 3 : 2);
      if (mode == 0) {
        i.address = vgpr(1);
        i.sve = g_ >= Gfx11;
      } else if (mode == 1) {
        i.resource = sgpr(1);
      } else if (mode == 2) {
        if (g_ == Gfx10_3) i.resource = 127;
      } else {
        i.address = vgpr(1);
        i.sve = true;
        i.resource = sgpr(1);
      }
    }
    if (g_ <= Gfx8) return;
    const u32 bits = g_ == Gfx9 || g_ == Gfx11 ? 13 : g_ == Gfx12 ? 24 : 12;
    const bool positive = row.format == Format::Flat;
    if (positive && (g_ == Gfx10_1 || g_ == Gfx10_3)) return;
    i.immediate = static_cast<std::int32_t>(below(1u << (bits - 1)));
    if (!positive && coin()) i.immediate = -i.immediate;
  }
  void rays(Instruction& i) {
    i.mask = 15;
    i.r128 = true;
    i.unorm = g_ != Gfx12;
    i.a16 = coin();
    i.address = vgpr(12);
    i.data = vgpr(4);
    i.resource = sgpr(4);
    u32 more = (i.a16 ? 7 : 10) + (name_.contains("64") ? 1 : 0);
    if (g_ >= Gfx11) more = i.a16 ? 3 : 4;
    if (g_ != Gfx12 && coin()) return;
    if (g_ != Gfx12) i.address_dwords = static_cast<u8>((more + 3) / 4);
    for (u32 n = 0; n < more; ++n) i.more_addresses[n] = static_cast<u8>(vgpr(3));
  }
  void image(Instruction& i) {
    if (name_.contains("bvh")) return rays(i);
    const bool atomic = name_.find("atomic") != name_.npos, msaa = name_ == "image_msaa_load";
    const bool one = name_.starts_with("image_gather") || msaa;
    const bool sampled =
        name_.starts_with("image_sample") || name_.starts_with("image_gather") || name_ == "image_get_lod";
    i.mask = static_cast<u8>(one ? 1 << below(4) : atomic ? 1 : 1 + below(15));
    if (name_.find("cmpswap") != name_.npos) i.mask = 3;
    if (name_.find("_pk_") != name_.npos) i.mask = 1;
    i.address = vgpr(16);
    i.data = vgpr(5);
    i.resource = sgpr(8);
    if (sampled) i.sampler = sgpr(4);
    i.unorm = coin() && (g_ < Gfx12 || row_->format == Format::Vsample);
    if (g_ <= Gfx9) {
      i.glc = coin();
      i.slc = coin();
      i.da = coin();
      return;
    }
    cache(i, atomic);
    if (atomic && g_ <= Gfx10_3) i.dlc = false;
    const bool no_levels = !sampled && name_.find("_mip") == name_.npos;
    i.dimension = static_cast<u8>(msaa ? 6 + below(2) : below(no_levels ? 8 : 6));
    i.r128 = coin();
    i.a16 = coin();
    // LLVM has no registers for the status of a compare and swap, and of halves that are gathered.
    i.tfe = below(3) == 0 && name_.find("store") == name_.npos && name_.find("cmpswap") == name_.npos;
    i.lwe = coin() && (g_ < Gfx12 || row_->format == Format::Vsample);
    const bool packs = sampled || msaa || name_ == "image_load" || name_ == "image_load_mip" ||
                       name_ == "image_store" || name_ == "image_store_mip";
    i.d16 = packs && name_ != "image_get_lod" && coin() && !(one && i.tfe);
    // Registers that need not follow each other, as many as there are.
    const u32 count = address_dwords(i), most = g_ == Gfx10_3 ? 13 : row_->format == Format::Vsample ? 4 : 5;
    if (g_ != Gfx12) {
      if (count == 1 || (g_ == Gfx10_1 && count > most) || coin()) return;
      i.address_dwords = static_cast<u8>((std::min(count, most) + 2) / 4);
    }
    for (u32 n = 0; n + 1 < std::min(count, most); ++n) i.more_addresses[n] = static_cast<u8>(vgpr(9));
    // LLVM's disassembler takes v0 in all other places for no register there.
    if (g_ == Gfx12 && count > 1 && i.more_addresses[0] == 0) i.more_addresses[0] = 1;
  }
  // Of an image from GFX10 on: what its text names.
  [[nodiscard]] u32 address_dwords(const Instruction& i) const {
    u32 count = 0, seen = 0;
    for (const Operand& o : operands(i, g_))
      if (o.file == File::Vector && seen++ != 0) count += o.dwords;  // behind the data
    return count;
  }
  void exports(Instruction& i) {
    static constexpr u8 kTargets[] = {0, 7, 8, 12, 15};
    i.destination = kTargets[below(std::size(kTargets))];
    i.mask = static_cast<u8>(below(16));
    const auto value = [&](u32 n) { return (i.mask >> n & 1) != 0 ? vgpr(1) : u16{0}; };
    i.data = value(0);
    i.data1 = value(1);
    i.sources[0] = static_cast<u16>(kFirstVector + value(2));
    i.sources[1] = static_cast<u16>(kFirstVector + value(3));
    i.done = coin();
    if (g_ <= Gfx10_3)
      i.valid_mask = coin();
    else
      i.row_enable = coin();
  }

  Generation g_;
  u32 wave_;
  std::mt19937 random_;
  const Row* row_ = nullptr;
  const OpcodeInfo* op_ = nullptr;
  std::string_view name_;
  u32 scalars_ = 0;
  bool low_ = false;
};

std::string flags(const char* cpu, u32 wave) {
  return fmt::format("llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu={}{}", cpu,
                     wave == 64 && std::string_view(cpu) >= "gfx1010" && std::string_view(cpu).size() == 7
                         ? " -mattr=-wavefrontsize32,+wavefrontsize64"
                         : "");
}

// One run for all lines; a line that is refused has no bytes, and stands in `errors`.
std::vector<std::vector<u8>> assemble(std::span<const Sample> samples, const std::string& program,
                                      std::map<std::size_t, std::string>& errors) {
  TemporaryDirectory directory;
  std::string source;
  // A line of its own stands between two: s_nop with a number that no sample has.
  for (const Sample& sample : samples) source += sample.text + "\ns_nop 0x5555\n";
  write_file(directory / "all.s", source);
  const ProcessResult result = amdcompat_test::run(fmt::format(
      "( {} -show-encoding {} > {} )", program, (directory / "all.s").string(), (directory / "out").string()));
  std::istringstream messages(result.output);
  for (std::string line; std::getline(messages, line);)
    if (const auto at = line.find(": error:"); at != line.npos) {
      const std::size_t column = line.rfind(':', at - 1), number = line.rfind(':', column - 1);
      errors.emplace((std::stoul(line.substr(number + 1, column - number - 1)) - 1) / 2, line.substr(at + 9));
    }
  std::vector<std::vector<u8>> out(samples.size());
  std::ifstream printed(directory / "out");
  std::size_t next = 0;
  for (std::string line; std::getline(printed, line);) {
    const auto at = line.find("encoding: [");
    if (at == line.npos) continue;
    std::vector<u8> bytes;
    for (std::size_t p = at + 11; p < line.size() && line[p] != ']'; p += 5)
      bytes.push_back(static_cast<u8>(std::stoul(line.substr(p, 4), nullptr, 16)));
    if (bytes == std::vector<u8>{0x55, 0x55, 0x80, 0xbf})
      ++next;
    else if (next < out.size())
      out[next].insert(out[next].end(), bytes.begin(), bytes.end());
  }
  return out;
}

// LLVM's text of each instruction; empty where it knows none.
std::vector<std::string> disassemble_all(std::span<const Sample> samples, const std::string& program) {
  TemporaryDirectory directory;
  std::string source;
  for (const Sample& sample : samples) {
    for (const u32 word : sample.words)
      for (u32 n = 0; n < 4; ++n) source += fmt::format("0x{:02x} ", word >> (8 * n) & 255);
    // A line of its own stands between two instructions: s_nop with a number that no sample has.
    source += "\n0x55 0x55 0x80 0xbf\n";
  }
  write_file(directory / "all.txt", source);
  static_cast<void>(amdcompat_test::run(fmt::format("( {} --disassemble {} > {} )", program,
                                                    (directory / "all.txt").string(), (directory / "out").string())));
  std::vector<std::string> out;
  std::string current;
  std::ifstream printed(directory / "out");
  for (std::string line; std::getline(printed, line);) {
    if (const auto comment = line.find("//"); comment != line.npos) line.resize(comment);
    if (const auto comment = line.find(';'); comment != line.npos) line.resize(comment);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.pop_back();
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.erase(0, 1);
    if (line.empty() || line.starts_with(".")) continue;
    if (line == "s_nop 0x5555") {
      out.push_back(std::move(current));
      current.clear();
    } else {
      current += current.empty() ? line : " / " + line;
    }
  }
  return out;
}

// Immediates that LLVM prints with names of what they mean, and we as numbers; what it assembles is compared all the
// same.
bool named_by_llvm(const Instruction& i) {
  static const std::set<std::string_view> kNames = {
      "s_getreg_b32",       "s_setreg_b32",     "s_setreg_imm32_b32", "s_sendmsg",        "s_sendmsghalt",
      "s_set_gpr_idx_mode", "s_set_gpr_idx_on", "ds_swizzle_b32",     "s_delay_alu",      "s_waitcnt_depctr",
      "s_wait_alu",         "s_version",        "s_sendmsg_rtn_b32",  "s_sendmsg_rtn_b64"};
  return kNames.contains(i.row->name) || i.format == Format::Mtbuf ||
         (i.opcode == Opcode::s_waitcnt && (i.immediate & 0xc08f) == i.immediate);
}
// The register of an image's address, without how many there are: before GFX10 the instruction does not say.
std::string first_of_address(const std::string& text) {
  const auto begin = text.find(", v");
  if (begin == text.npos) return text;
  const auto end = text.find(',', begin + 2);
  std::string address = text.substr(begin + 2, end - begin - 2);
  if (const auto colon = address.find(':'); colon != address.npos) address = "v" + address.substr(2, colon - 2);
  return text.substr(0, begin + 2) + address + text.substr(end);
}
std::string normalised(std::string_view text);
std::string compared_text(const Instruction& i, const std::string& text) {
  std::string out = normalised(text);
  if (named_by_llvm(i)) out.resize(std::min(out.find(' '), out.size()));
  if (i.format == Format::Mimg && !text.contains("dim:") && !text.contains("bvh")) out = first_of_address(out);
  if (i.row->format == Format::Vop1 && info(i.opcode).sources[0] == Shape::None)
    for (const std::string_view suffix : {"_e64", "_sdwa", "_dpp"})
      if (const auto at = out.find(suffix); at != out.npos) out.erase(at, suffix.size());
  // LLVM leaves the suffix out for some.
  if (const auto at = out.find("_dpp "); i.row->format == Format::Vopc && at != out.npos) out.erase(at, 4);
  if (i.format == Format::Sopp || i.format == Format::Sopk)
    if (const auto last = out.rfind(' ');
        last != out.npos && out.find_first_not_of("-0123456789", last + 1) == out.npos)
      out = out.substr(0, last + 1) + std::to_string(std::stol(out.substr(last + 1)) & 0xffff);
  for (auto at = out.find(" & "); at != out.npos; at = out.find(" & ")) out.replace(at, 3, " ");
  return out;
}
// Numbers in one notation.
std::string normalised(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool boundary = out.empty() || (std::isalnum(static_cast<unsigned char>(out.back())) == 0 &&
                                          out.back() != '_' && out.back() != '.');
    if (boundary && text[at] == '0' && at + 1 < text.size() && text[at + 1] == 'x') {
      std::size_t end = at + 2;
      while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
      out += std::to_string(std::stoull(std::string(text.substr(at + 2, end - at - 2)), nullptr, 16));
      at = end;
    } else {
      const char c = text[at++] == '\t' ? ' ' : text[at - 1];
      if (c != ' ' || !out.ends_with(' ')) out += c;
    }
  }
  return out;
}

u32 samples_per_form() {
  const char* const text = std::getenv("AMDCOMPAT_GCN_SAMPLES");
  return text == nullptr ? 3 : static_cast<u32>(std::max(1, std::atoi(text)));
}

class Encodings : public testing::TestWithParam<std::tuple<Processor, u32>> {};

TEST_P(Encodings, OfEveryRowAreThoseOfLlvm) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const auto& [processor, wave] = GetParam();
  const Generation generation = processor.generation;
  const Target* const target = find_target(processor.name);
  ASSERT_NE(target, nullptr);
  const bool representative = std::ranges::find(kRepresentatives, std::string_view(processor.name), [](const char* s) {
                                return std::string_view(s);
                              }) != std::end(kRepresentatives);
  Maker maker(generation, wave);
  std::vector<Sample> samples;
  std::size_t row_count = 0;
  const u32 count = samples_per_form();
  for (const Row& row : rows()) {
    if (!exists(row, *target) || (!representative && row.subset == Subset::Any)) continue;
    if (row.format == Format::Vopd && wave == 64) continue;  // which do not have it
    ++row_count;
    for (const auto& [format, variant] : Maker::shapes(row))
      for (u32 n = 0; n < count; ++n) {
        Sample sample;
        sample.instruction = maker.make(row, format, variant);
        const auto encoded = encode(sample.instruction, generation);
        if (!encoded) {
          ADD_FAILURE() << row.name << " " << encoded.error().message;
          continue;
        }
        sample.words.assign(encoded->words.begin(), encoded->words.begin() + encoded->dwords);
        const Instruction decoded = decode(bytes_of(sample.words), 0, *target);
        Instruction same = sample.instruction;
        same.words = decoded.words;
        same.dwords = decoded.dwords;
        EXPECT_EQ(decoded, same) << disassemble(sample.instruction, generation, wave) << " / "
                                 << disassemble(decoded, generation, wave);
        sample.text = disassemble(decoded, generation, wave);
        samples.push_back(std::move(sample));
      }
  }
  const std::string program = flags(processor.name, wave);
  std::map<std::size_t, std::string> errors;
  const auto encodings = assemble(samples, program, errors);
  std::size_t shown = 0;
  std::set<std::string> failing;
  const auto fail = [&](const Sample& sample, std::string why) {
    failing.insert(std::string(sample.instruction.row->name));
    if (++shown <= 400)
      ADD_FAILURE() << processor.name << ": " << sample.text << fmt::format("   [{:08x}", fmt::join(sample.words, " "))
                    << "] " << why;
  };
  for (std::size_t n = 0; n < samples.size(); ++n) {
    std::vector<u8> expected(samples[n].words.size() * 4);
    std::memcpy(expected.data(), samples[n].words.data(), expected.size());
    if (errors.contains(n))
      fail(samples[n], "refused: " + errors[n]);
    else if (encodings[n] != expected)
      fail(samples[n], fmt::format("assembles to {:02x}", fmt::join(encodings[n], " ")));
  }
  std::size_t compared = 0;
  if (generation >= Gfx8) {
    const auto texts = disassemble_all(samples, program);
    EXPECT_EQ(texts.size(), samples.size());
    if (texts.size() == samples.size())
      for (std::size_t n = 0; n < samples.size(); ++n) {
        if (samples[n].text == "v_nop_sdwa") continue;  // LLVM takes it for a v_nop of one dword
        ++compared;
        if (compared_text(samples[n].instruction, texts[n]) != compared_text(samples[n].instruction, samples[n].text))
          fail(samples[n], "is for LLVM: " + texts[n]);
      }
  }
  std::cout << fmt::format("{} wave{}: {} rows, {} instructions assembled, {} disassembled, {} names fail\n",
                           processor.name, wave, row_count, samples.size(), compared, failing.size());
}

std::vector<std::tuple<Processor, u32>> cases() {
  std::vector<std::tuple<Processor, u32>> out;
  for (const Processor& processor : kProcessors) {
    if (processor.generation >= Gfx10_1) out.emplace_back(processor, 32);
    out.emplace_back(processor, 64);
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(All, Encodings, testing::ValuesIn(cases()), [](const auto& tested) {
  return fmt::format("{}_wave{}", std::get<0>(tested.param).name, std::get<1>(tested.param));
});

// A mnemonic that a generation does not have is refused there: by us, and by LLVM, which takes some old names for what
// has a new one.
class Absence : public testing::TestWithParam<Processor> {};

TEST_P(Absence, OfARowIsKnownToLlvmToo) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const Generation generation = GetParam().generation;
  const Target* const target = find_target(GetParam().name);
  ASSERT_NE(target, nullptr);
  std::set<std::string_view> here;
  for (const Row& row : rows())
    if (exists(row, *target)) here.insert(row.name);
  std::vector<Sample> samples;
  for (const Row& row : rows()) {
    if (row.on(generation)) continue;
    Maker maker(row.first, 64);
    Sample sample;
    sample.instruction = maker.make(row, row.format, Variant::Plain);
    EXPECT_FALSE(encode(sample.instruction, generation)) << row.name;
    if (here.contains(row.name)) continue;
    sample.text = disassemble(sample.instruction, row.first, 64);
    samples.push_back(std::move(sample));
  }
  std::map<std::size_t, std::string> errors;
  const auto encodings = assemble(samples, flags(GetParam().name, 64), errors);
  std::size_t renamed = 0;
  for (std::size_t n = 0; n < samples.size(); ++n) {
    if (errors.contains(n)) continue;
    ++renamed;
    std::vector<u32> words(encodings[n].size() / 4);
    std::memcpy(words.data(), encodings[n].data(), words.size() * 4);
    const Instruction i = words.empty() ? Instruction{} : decode(bytes_of(words), 0, generation);
    ASSERT_NE(i.row, nullptr) << samples[n].text;
    // Other opcodes here: a product whose low bits are the same, and comparisons that treat NaNs in another way.
    static const std::set<std::string_view> kOthers = {"v_mul_lo_i32", "s_min_f32", "s_max_f32", "s_min_f16",
                                                       "s_max_f16"};
    if (!kOthers.contains(samples[n].instruction.row->name)) {
      EXPECT_EQ(i.opcode, samples[n].instruction.opcode) << samples[n].text << " is " << i.row->name;
    }
  }
  std::cout << fmt::format("{}: {} rows of other generations refused, {} of them new names of what is there\n",
                           GetParam().name, samples.size(), renamed);
}
INSTANTIATE_TEST_SUITE_P(All, Absence,
                         testing::Values(Processor{Gfx6, "gfx600"}, Processor{Gfx7, "gfx700"},
                                         Processor{Gfx8, "gfx803"}, Processor{Gfx9, "gfx900"},
                                         Processor{Gfx10_1, "gfx1010"}, Processor{Gfx10_3, "gfx1030"},
                                         Processor{Gfx11, "gfx1100"}, Processor{Gfx12, "gfx1200"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Data of 16 bits takes a register for each component on GFX8, and half of one on gfx810.
TEST(Halves, ArePackedOnGfx810Alone) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  for (const char* const name : {"gfx803", "gfx810"}) {
    const Target& target = *find_target(name);
    std::vector<Sample> samples;
    const auto add = [&](Sample sample) {
      sample.instruction = decode(bytes_of(sample.words), 0, target);
      ASSERT_NE(sample.instruction.row, nullptr) << sample.words[0];
      sample.text = disassemble(sample.instruction, Gfx8);
      samples.push_back(std::move(sample));
    };
    for (const FormatInfo& format : formats(Gfx8)) {
      const bool image = format.format == Format::Mimg;
      if (!image && format.format != Format::Mubuf && format.format != Format::Mtbuf) continue;
      for (u32 number = 0; number < 1u << format.opcode_width; ++number) {
        const u32 word = format.value | number << format.opcode_bit;
        // Of images every mask, with D16 (bit 63); data begins at v4, resources at s8, the offset of a buffer is s1.
        for (u32 mask = 1; mask < 16; ++mask) {
          const std::vector<u32> words{image ? word | mask << 8 : word, image ? 0x80620401 : 0x01020401};
          const Instruction i = decode(bytes_of(words), 0, target);
          const std::string_view what = i.row == nullptr ? "" : i.row->name;
          if (image ? what.starts_with("image_load") || what.starts_with("image_store") ||
                          what.starts_with("image_sample") || what.starts_with("image_gather4")
                    : what.contains("_d16_") && mask == 1)
            add({{}, words, {}});
        }
      }
    }
    EXPECT_GT(samples.size(), 900u);
    const std::vector<std::string> texts = disassemble_all(samples, flags(name, 64));
    ASSERT_EQ(texts.size(), samples.size());
    std::size_t compared = 0;
    for (std::size_t n = 0; n < samples.size(); ++n) {
      const Instruction& i = samples[n].instruction;
      // LLVM gives D16 to fewer image instructions, and takes the second word of the others for one.
      if (!texts[n].starts_with(i.row->name)) continue;
      EXPECT_EQ(compared_text(i, samples[n].text), compared_text(i, texts[n]));
      // The data, as registers.
      const std::string data = texts[n].substr(texts[n].find(' ') + 1);
      const auto colon = data.find(':');
      const u32 dwords = !data.starts_with("v[") ? 1 : static_cast<u32>(std::stoul(data.substr(colon + 1))) - 3;
      const Operands all = operands(i, Gfx8);
      const auto* const own = std::ranges::find_if(
          all, [](const Operand& operand) { return operand.file == File::Vector && operand.first == 4; });
      ASSERT_NE(own, all.end()) << texts[n];
      EXPECT_EQ(own->dwords, dwords) << name << ": " << texts[n];
      ++compared;
    }
    std::cout << fmt::format("{}: {} instructions with data of 16 bits\n", name, compared);
    EXPECT_GT(compared, 500u);
  }
}

// Every number of every format, and of those that are not covered: what LLVM disassembles and we do not know is this,
// and nothing else. docs/gcn.md lists the same.
class Coverage : public testing::TestWithParam<Processor> {};

TEST_P(Coverage, LacksOnlyWhatIsListed) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const Generation generation = GetParam().generation;
  const Target& target = *find_target(GetParam().name);
  struct Range {
    u32 value, bit, width;
  };
  std::vector<Range> ranges;
  for (const FormatInfo& format : formats(generation)) {
    const bool image = format.format == Format::Mimg || format.format == Format::Vsample;
    const u32 mask = !image ? 0 : generation == Gfx12 ? 1u << 22 : 0x100;  // of one component
    ranges.push_back({format.value | mask, format.opcode_bit, format.opcode_width});
    if (image && (generation == Gfx10_1 || generation == Gfx10_3))  // the opcode's highest bit
      ranges.push_back({format.value | mask | 1, format.opcode_bit, format.opcode_width});
  }
  if (generation >= Gfx11) ranges.push_back({0xc8000000, 17, 9});  // VOPD, both operations
  std::vector<Sample> samples;
  for (const Range& range : ranges)
    for (u32 number = 0; number < 1u << range.width; ++number)
      // Sources that are scalar registers, and such that are vector registers.
      for (const auto& [low, high] : {std::pair{0u, 0u}, std::pair{0x100u, 0x04020100u}}) {
        const u32 word = range.value | number << range.bit;
        const bool vector = (range.value & 0x80000000) == 0 || low == 0;
        Sample sample;
        sample.words = {vector ? word | (low & (range.bit > 8 ? low : 0)) : word, high, 0, 0};
        sample.instruction = decode(bytes_of(sample.words), 0, target);
        if (sample.instruction.row == nullptr) samples.push_back(std::move(sample));
      }
  const std::vector<std::string> texts = disassemble_all(samples, flags(GetParam().name, 64));
  ASSERT_EQ(texts.size(), samples.size());
  std::set<std::string> missing;
  for (std::size_t n = 0; n < samples.size(); ++n) {
    const std::string name = texts[n].substr(0, texts[n].find(' '));
    // Where LLVM knows nothing, it tries the second word; and it is lax with reserved bits.
    const Instruction second = decode(bytes_of(std::span(samples[n].words).subspan(1)), 0, generation);
    if (texts[n].empty() || texts[n].starts_with(disassemble(second, generation)) || texts[n].contains("Invalid"))
      continue;
    missing.insert(name);
  }
  static constexpr std::string_view kListed[] = {"v_illegal", "v_mov_b16"};
  std::string unexpected;
  for (const std::string& name : missing)
    if (std::ranges::none_of(kListed, [&](std::string_view listed) { return name.starts_with(listed); }))
      unexpected += name + " ";
  EXPECT_EQ(unexpected, "");
  std::cout << fmt::format("{}: not covered: {}\n", GetParam().name, fmt::join(missing, " "));
}
INSTANTIATE_TEST_SUITE_P(All, Coverage,
                         testing::Values(Processor{Gfx8, "gfx803"}, Processor{Gfx9, "gfx900"},
                                         Processor{Gfx9, "gfx906"}, Processor{Gfx9, "gfx908"},
                                         Processor{Gfx10_1, "gfx1011"}, Processor{Gfx10_1, "gfx1013"},
                                         Processor{Gfx11, "gfx1150"}, Processor{Gfx10_1, "gfx1010"},
                                         Processor{Gfx10_3, "gfx1030"}, Processor{Gfx11, "gfx1100"},
                                         Processor{Gfx12, "gfx1200"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// The machine code of our own samples: listed without a gap, and the assembler makes the same of the listing.
TEST(OwnCode, IsWhatTheAssemblerMakesOfItsListing) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const std::vector<std::byte> scale_32 = corpus::scale_32().encoding.text, scale_64 = corpus::scale_64().encoding.text;
  const std::tuple<std::span<const std::byte>, Generation, const char*> codes[] = {
      {scale_32, Gfx6, "pitcairn"},
      {scale_64, Gfx6, "pitcairn"},
      {std::as_bytes(corpus::axpy_code()), Gfx8, "tonga"},
      {std::as_bytes(corpus::histogram_code()), Gfx8, "tonga"},
      {std::as_bytes(corpus::reverse_code()), Gfx7, "hawaii"}};
  for (const auto& [code, generation, cpu] : codes) {
    std::vector<Sample> samples;
    for (u32 at = 0; at < code.size();) {
      const Instruction i = decode(code, at, generation);
      ASSERT_NE(i.row, nullptr) << cpu << " +" << at;
      samples.push_back({i, {i.words.begin(), i.words.begin() + i.dwords}, disassemble(i, generation)});
      const auto again = encode(i, generation);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(std::vector<u32>(again->words.begin(), again->words.begin() + again->dwords), samples.back().words);
      at += i.dwords * 4u;
    }
    std::map<std::size_t, std::string> errors;
    const auto encodings = assemble(samples, flags(cpu, 64), errors);
    EXPECT_TRUE(errors.empty());
    for (std::size_t n = 0; n < samples.size(); ++n) {
      std::vector<u8> expected(samples[n].words.size() * 4);
      std::memcpy(expected.data(), samples[n].words.data(), expected.size());
      EXPECT_EQ(encodings[n], expected) << samples[n].text;
    }
  }
}

// Words of any bits: what is decoded is encoded to words that mean the same, and never stops anything.
TEST(Decoding, OfAnyWordsIsUndoneByEncoding) {
  std::mt19937 random(5);
  std::size_t known = 0;
  for (u32 n = 0; n < 400'000; ++n) {
    const auto generation = static_cast<Generation>(n % kGenerations);
    std::array<u32, 4> words{};
    for (u32& word : words) word = static_cast<u32>(random());
    const Instruction i = decode(bytes_of(words), 0, generation);
    ASSERT_FALSE(disassemble(i, generation).empty());
    if (i.row == nullptr) continue;
    ++known;
    const auto encoded = encode(i, generation);
    ASSERT_TRUE(encoded) << disassemble(i, generation) << ": " << encoded.error().message;
    const Instruction again = decode(bytes_of(std::span(encoded->words).first(encoded->dwords)), 0, generation);
    Instruction same = i;
    same.words = again.words;
    ASSERT_EQ(again, same) << disassemble(i, generation);
  }
  EXPECT_GT(known, 100'000u);
}

TEST(Encoding, RefusesWhatItsBitsCannotSay) {
  const auto row_of = [](std::string_view name, Generation generation) {
    const auto all = rows();
    const auto found =
        std::ranges::find_if(all, [&](const Row& row) { return row.name == name && row.on(generation); });
    return found == all.end() ? nullptr : &*found;
  };
  Instruction i;
  EXPECT_FALSE(encode(i, Gfx6));
  i.row = row_of("s_add_u32", Gfx6);
  ASSERT_NE(i.row, nullptr);
  i.opcode = i.row->opcode;
  i.format = Format::Sop2;
  EXPECT_TRUE(encode(i, Gfx6));
  EXPECT_FALSE(encode(i, Gfx12)) << "it is called s_add_co_u32 there";
  i.destination = 128;
  EXPECT_FALSE(encode(i, Gfx6)) << "seven bits";
  i.destination = 0;
  i.clamp = true;
  EXPECT_FALSE(encode(i, Gfx6)) << "no such field";
  i.clamp = false;
  i.format = Format::Vop3;
  EXPECT_FALSE(encode(i, Gfx6));

  Instruction add;
  add.row = row_of("v_add_f32", Gfx8);
  ASSERT_NE(add.row, nullptr);
  add.opcode = add.row->opcode;
  add.format = Format::Vop2;
  add.sources = {256, 257, 0};
  EXPECT_TRUE(encode(add, Gfx8));
  add.sources[1] = 3;
  EXPECT_FALSE(encode(add, Gfx8)) << "a scalar register where only vector registers can be";
  add.sources[1] = 257;
  add.negate = 1;
  EXPECT_FALSE(encode(add, Gfx8)) << "modifiers need VOP3";
  add.format = Format::Vop3;
  EXPECT_TRUE(encode(add, Gfx8));
  add.variant = Variant::Dpp;
  EXPECT_FALSE(encode(add, Gfx8)) << "DPP of VOP3 came with GFX11";
}

TEST(Decoding, ForATargetGivesWhatThatHas) {
  const std::array<u32, 2> mix{0xd3a04000, 0x1c0e0501}, dot{0xd3a80000, 0x040e0501};
  EXPECT_EQ(decode(bytes_of(mix), 0, *find_target("gfx900")).opcode, Opcode::v_mad_mix_f32);
  EXPECT_EQ(decode(bytes_of(mix), 0, *find_target("gfx906")).opcode, Opcode::v_fma_mix_f32);
  EXPECT_EQ(decode(bytes_of(dot), 0, *find_target("gfx906")).opcode, Opcode::v_dot4_i32_i8);
  EXPECT_EQ(decode(bytes_of(dot), 0, *find_target("gfx900")).row, nullptr);
}

TEST(Table, RowsOfOneProcessorHaveDistinctEncodings) {
  for (const Target& target : all_targets()) {
    const auto generation = generation_of(target);
    if (!generation) continue;
    std::map<std::pair<Format, u16>, std::string_view> seen;
    for (const Row& row : rows()) {
      if (!exists(row, target)) continue;
      const auto [at, fresh] = seen.emplace(std::pair{row.format, row.number}, row.name);
      EXPECT_TRUE(fresh) << target.name << ": " << row.name << " and " << at->second;
    }
    EXPECT_GT(seen.size(), 700u) << target.name;
  }
}

}  // namespace
}  // namespace amdcompat::gcn::encoding_test
