// Formats, the table of opcodes, and taking an instruction apart.
//
// A format is recognised by the top bits of the first dword, the opcode is a field of it, and a row says what it is.
// Operands of 9 (or 8, scalar only) bits share one code space, so that decoding is the same for each. [SIA; CIA; VIA:
// chapter «Microcode Formats»]
#include <algorithm>
#include <cstring>
#include <vector>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

using enum Format;
using enum Generation;

constexpr std::string_view kVectorMemory = "Vector Memory Buffer Instructions";
// clang-format off
constexpr FormatInfo kFormatRows[] = {
    {Sopp,   "SOPP",   0xff800000, 0xbf800000, 16,  7, 1, Gfx6, Gfx8, "SOPP Instructions"},
    {Sopc,   "SOPC",   0xff800000, 0xbf000000, 16,  7, 1, Gfx6, Gfx8, "SOPC Instructions"},
    {Sop1,   "SOP1",   0xff800000, 0xbe800000,  8,  8, 1, Gfx6, Gfx8, "SOP1 Instructions"},
    {Sopk,   "SOPK",   0xf0000000, 0xb0000000, 23,  5, 1, Gfx6, Gfx8, "SOPK Instructions"},
    {Sop2,   "SOP2",   0xc0000000, 0x80000000, 23,  7, 1, Gfx6, Gfx8, "SOP2 Instructions"},
    {Vop1,   "VOP1",   0xfe000000, 0x7e000000,  9,  8, 1, Gfx6, Gfx8, "VOP1 Instructions"},
    {Vopc,   "VOPC",   0xfe000000, 0x7c000000, 17,  8, 1, Gfx6, Gfx8, "VOPC Instructions"},
    {Vop2,   "VOP2",   0x80000000, 0x00000000, 25,  6, 1, Gfx6, Gfx8, "VOP2 Instructions"},
    {Smrd,   "SMRD",   0xf8000000, 0xc0000000, 22,  5, 1, Gfx6, Gfx7, "SMRD Instructions"},
    {Vintrp, "VINTRP", 0xfc000000, 0xc8000000, 16,  2, 1, Gfx6, Gfx7, "VINTRP Instructions"},
    {Vop3,   "VOP3",   0xfc000000, 0xd0000000, 17,  9, 2, Gfx6, Gfx7, "VOP3 Instructions"},
    {Ds,     "DS",     0xfc000000, 0xd8000000, 18,  8, 2, Gfx6, Gfx7, "LDS/GDS Instructions"},
    {Flat,   "FLAT",   0xfc000000, 0xdc000000, 18,  7, 2, Gfx7, Gfx8, "FLAT Instructions"},
    {Mubuf,  "MUBUF",  0xfc000000, 0xe0000000, 18,  7, 2, Gfx6, Gfx8, kVectorMemory},
    {Mtbuf,  "MTBUF",  0xfc000000, 0xe8000000, 16,  3, 2, Gfx6, Gfx7, kVectorMemory},
    {Mimg,   "MIMG",   0xfc000000, 0xf0000000, 18,  7, 2, Gfx6, Gfx8, "Vector Memory Image Instructions"},
    {Exp,    "EXP",    0xfc000000, 0xf8000000,  0,  0, 2, Gfx6, Gfx7, "Export Instruction"},
    {Smrd,   "SMEM",   0xfc000000, 0xc0000000, 18,  8, 2, Gfx8, Gfx8, "SMEM Instructions"},
    {Exp,    "EXP",    0xfc000000, 0xc4000000,  0,  0, 2, Gfx8, Gfx8, "Export Instruction"},
    {Vop3,   "VOP3",   0xfc000000, 0xd0000000, 16, 10, 2, Gfx8, Gfx8, "VOP3 Instructions"},
    {Vintrp, "VINTRP", 0xfc000000, 0xd4000000, 16,  2, 1, Gfx8, Gfx8, "VINTRP Instructions"},
    {Ds,     "DS",     0xfc000000, 0xd8000000, 17,  8, 2, Gfx8, Gfx8, "LDS/GDS Instructions"},
    {Mtbuf,  "MTBUF",  0xfc000000, 0xe8000000, 15,  4, 2, Gfx8, Gfx8, kVectorMemory},
};
// clang-format on

struct Table {
  std::array<std::vector<FormatInfo>, kGenerations> formats;
  // [generation][format][number]: index + 1 into `rows()`, 0 for none.
  std::array<std::array<std::array<u16, 1024>, kFormats>, kGenerations> index{};

  Table() {
    for (std::size_t g = 0; g < kGenerations; ++g) {
      const auto generation = static_cast<Generation>(g);
      for (const FormatInfo& format : kFormatRows)
        if (format.first <= generation && generation <= format.last) formats[g].push_back(format);
      u16 number = 0;
      for (const Row& row : rows()) {
        ++number;
        if (!row.on(generation)) continue;
        index[g][static_cast<std::size_t>(row.format)][row.number] = number;
        if (row.has(Form::E64)) index[g][static_cast<std::size_t>(Vop3)][wide_number(row, generation)] = number;
      }
    }
  }
};
const Table& table() {
  static const Table instance;
  return instance;
}

constexpr u32 bits(u32 word, u32 low, u32 width) { return word >> low & ((u32{1} << width) - 1); }
constexpr bool bit(u32 word, u32 n) { return (word >> n & 1) != 0; }
constexpr u16 bits16(u32 word, u32 low, u32 width) { return static_cast<u16>(bits(word, low, width)); }
constexpr u16 vector_code(u32 word, u32 low) { return static_cast<u16>(kFirstVector + bits(word, low, 8)); }
constexpr u16 quad(u32 word, u32 low) { return static_cast<u16>(bits(word, low, 5) * 4); }

// Takes the fields of `i.words`, whose format and opcode are known.
class Fields {
 public:
  Fields(Instruction& i, Generation generation)
      : i_(i), op_(info(i.opcode)), generation_(generation), a_(i.words[0]), b_(i.words[1]) {}

  void take() {
    switch (i_.format) {
      case Sop2:
        i_.sources = {bits16(a_, 0, 8), bits16(a_, 8, 8), 0};
        i_.destination = bits16(a_, 16, 7);
        break;
      case Sopk:
        i_.immediate = static_cast<i16>(a_ & 0xffff);
        i_.destination = bits16(a_, 16, 7);
        break;
      case Sop1:
        i_.sources[0] = bits16(a_, 0, 8);
        i_.destination = bits16(a_, 16, 7);
        break;
      case Sopc: i_.sources = {bits16(a_, 0, 8), bits16(a_, 8, 8), 0}; break;
      case Sopp: i_.immediate = static_cast<i16>(a_ & 0xffff); break;
      case Smrd: generation_ == Gfx8 ? smem() : smrd(); break;
      case Vop2:
        i_.sources = {bits16(a_, 0, 9), vector_code(a_, 9), 0};
        // The lane of v_readlane and v_writelane is a scalar operand in the vector operand's place.
        if (op_.is(Property::ScalarDestination) || i_.opcode == Opcode::v_writelane_b32)
          i_.sources[1] = bits16(a_, 9, 8);
        i_.destination = bits16(a_, 17, 8);
        i_.scalar_destination = kVcc;
        break;
      case Vop1:
        i_.sources[0] = bits16(a_, 0, 9);
        i_.destination = bits16(a_, 17, 8);
        break;
      case Vopc:
        i_.sources = {bits16(a_, 0, 9), vector_code(a_, 9), 0};
        i_.scalar_destination = kVcc;
        break;
      case Vop3: vop3(); break;
      case Ds:
        i_.offset0 = bits(a_, 0, 8);
        i_.offset1 = bits(a_, 8, 8);
        i_.gds = bit(a_, generation_ == Gfx8 ? 16 : 17);
        i_.address = bits16(b_, 0, 8);
        i_.data = bits16(b_, 8, 8);
        i_.data1 = bits16(b_, 16, 8);
        i_.destination = bits16(b_, 24, 8);
        break;
      case Mtbuf:
        i_.data_format = static_cast<u8>(bits(a_, 19, 4));
        i_.number_format = static_cast<u8>(bits(a_, 23, 3));
        buffer();
        break;
      case Mubuf:
        i_.lds = bit(a_, 16);
        buffer();
        break;
      case Flat:
        i_.glc = bit(a_, 16);
        i_.slc = bit(a_, 17);
        i_.address = bits16(b_, 0, 8);
        i_.data = bits16(b_, 8, 8);
        i_.tfe = bit(b_, 23);
        i_.destination = bits16(b_, 24, 8);
        break;
      case Mimg:
        i_.mask = static_cast<u8>(bits(a_, 8, 4));
        i_.unorm = bit(a_, 12);
        i_.glc = bit(a_, 13);
        i_.da = bit(a_, 14);
        i_.r128 = bit(a_, 15);
        i_.tfe = bit(a_, 16);
        i_.lwe = bit(a_, 17);
        i_.slc = bit(a_, 25);
        i_.address = bits16(b_, 0, 8);
        i_.data = bits16(b_, 8, 8);
        i_.resource = quad(b_, 16);
        i_.sampler = quad(b_, 21);
        break;
      case Exp:
        i_.mask = static_cast<u8>(bits(a_, 0, 4));
        i_.destination = bits16(a_, 4, 6);
        i_.compressed = bit(a_, 10);
        i_.done = bit(a_, 11);
        i_.valid_mask = bit(a_, 12);
        i_.data = bits16(b_, 0, 8);
        i_.data1 = bits16(b_, 8, 8);
        i_.sources = {vector_code(b_, 16), vector_code(b_, 24), 0};
        break;
      case Vintrp: i_.destination = bits16(a_, 18, 8); break;
    }
  }

  // Whether a literal follows: the row says so, or an operand that can name one does.
  [[nodiscard]] bool wants_literal() const {
    if (op_.is(Property::Literal)) return true;
    switch (i_.format) {
      case Sop2:
      case Sopc: return i_.sources[0] == kLiteral || i_.sources[1] == kLiteral;
      case Sop1:
      case Vop2:
      case Vop1:
      case Vopc: return op_.sources[0] != Shape::None && i_.sources[0] == kLiteral;
      case Smrd: return literal_offset_;
      default: return false;
    }
  }
  void take_literal(u32 literal) {
    i_.literal = literal;
    if (literal_offset_) i_.immediate = static_cast<i32>(literal * 4);
  }

 private:
  void smrd() {
    i_.destination = bits16(a_, 15, 7);
    i_.resource = static_cast<u16>(bits(a_, 9, 6) * 2);
    i_.immediate_offset = bit(a_, 8);
    if (i_.immediate_offset)
      i_.immediate = static_cast<i32>(bits(a_, 0, 8) * 4);
    else
      i_.sources[1] = bits16(a_, 0, 8);
    if (generation_ == Gfx7 && !i_.immediate_offset && i_.sources[1] == kLiteral)
      literal_offset_ = i_.immediate_offset = true;
  }
  void smem() {
    i_.resource = static_cast<u16>(bits(a_, 0, 6) * 2);
    i_.destination = bits16(a_, 6, 7);
    i_.glc = bit(a_, 16);
    i_.immediate_offset = bit(a_, 17);
    if (i_.immediate_offset)
      i_.immediate = static_cast<i32>(bits(b_, 0, 20));
    else
      i_.sources[1] = bits16(b_, 0, 7);
  }
  void vop3() {
    i_.destination = bits16(a_, 0, 8);
    if (op_.is(Property::MaskOut) && i_.row->format != Vopc) {
      i_.scalar_destination = bits16(a_, 8, 7);
    } else {
      i_.absolute = static_cast<u8>(bits(a_, 8, 3));
      i_.scalar_destination = i_.row->format == Vopc ? i_.destination : u16{0};
      if (generation_ != Gfx8) i_.clamp = bit(a_, 11);
    }
    if (generation_ == Gfx8) i_.clamp = bit(a_, 15);
    i_.sources = {bits16(b_, 0, 9), bits16(b_, 9, 9), bits16(b_, 18, 9)};
    i_.output_modifier = static_cast<u8>(bits(b_, 27, 2));
    i_.negate = static_cast<u8>(bits(b_, 29, 3));
  }
  void buffer() {
    i_.offset0 = bits(a_, 0, 12);
    i_.offen = bit(a_, 12);
    i_.idxen = bit(a_, 13);
    i_.glc = bit(a_, 14);
    i_.addr64 = generation_ != Gfx8 && bit(a_, 15);
    i_.address = bits16(b_, 0, 8);
    i_.data = bits16(b_, 8, 8);
    i_.resource = quad(b_, 16);
    i_.slc = generation_ == Gfx8 && i_.format == Mubuf ? bit(a_, 17) : bit(b_, 22);
    i_.tfe = bit(b_, 23);
    i_.sources[1] = bits16(b_, 24, 8);
  }

  Instruction& i_;
  const OpcodeInfo& op_;
  Generation generation_;
  u32 a_, b_;
  bool literal_offset_ = false;
};

}  // namespace

std::span<const FormatInfo> formats(Generation generation) {
  return table().formats[static_cast<std::size_t>(generation)];
}

Instruction decode(std::span<const std::byte> code, std::uint32_t offset, Generation generation) {
  Instruction out;
  out.offset = offset;
  const std::size_t left = code.size() - offset;
  std::memcpy(out.words.data(), code.data() + offset, std::min<std::size_t>(left, 8));
  const Instruction unknown = [&] {
    Instruction u;
    u.offset = offset;
    u.words[0] = out.words[0];
    return u;
  }();
  if (left < 4) return unknown;
  const auto& all = table();
  const auto at = static_cast<std::size_t>(generation);
  const auto format =
      std::ranges::find_if(all.formats[at], [&](const FormatInfo& f) { return (out.words[0] & f.mask) == f.value; });
  if (format == all.formats[at].end()) return unknown;
  out.format = format->format;
  const u32 opcode = bits(out.words[0], format->opcode_bit, format->opcode_width);
  const u16 row = all.index[at][static_cast<std::size_t>(format->format)][opcode];
  if (row == 0) return unknown;
  out.row = &rows()[row - 1u];
  out.opcode = out.row->opcode;
  out.dwords = format->dwords;
  if (left < out.dwords * 4u) return unknown;
  Fields fields(out, generation);
  fields.take();
  if (out.dwords == 1) out.words[1] = 0;
  if (fields.wants_literal()) {
    if (left < out.dwords * 4u + 4) return unknown;
    u32 literal = 0;
    std::memcpy(&literal, code.data() + offset + out.dwords * 4u, 4);
    fields.take_literal(literal);
    out.words[out.dwords++] = literal;
  }
  // GFX8 puts SDWA and DPP in place of a source; they have no meaning here.
  const bool narrow = out.format == Vop1 || out.format == Vop2 || out.format == Vopc;
  if (generation == Gfx8 && narrow && (out.sources[0] == 249 || out.sources[0] == 250)) return unknown;
  return out;
}

}  // namespace amdcompat::gcn
