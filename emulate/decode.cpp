// Formats, the table of opcodes, and taking an instruction apart.
//
// A format is recognised by the top bits of the first dword, the opcode is a field of it, and a row says what it is.
// Operands of 9 (or 8, scalar only) bits share one code space, so that decoding is the same for each. [SIA; CIA; VIA:
// chapter «Microcode Formats»]
#include <algorithm>
#include <cstring>

#include "opcode.hpp"

namespace amdcompat::emulate {
namespace {

using enum Format;
constexpr std::array<bool, 3> kAll{true, true, true};
constexpr std::array<bool, 3> kOld{true, true, false};
constexpr std::array<bool, 3> kNew{false, false, true};

constexpr std::string_view kVectorMemory = "Vector Memory Buffer Instructions";
// clang-format off
constexpr FormatInfo kFormats[] = {
    {Sopp,   "SOPP",   0xff800000, 0xbf800000, 16,  7, 1, kAll, "SOPP Instructions"},
    {Sopc,   "SOPC",   0xff800000, 0xbf000000, 16,  7, 1, kAll, "SOPC Instructions"},
    {Sop1,   "SOP1",   0xff800000, 0xbe800000,  8,  8, 1, kAll, "SOP1 Instructions"},
    {Sopk,   "SOPK",   0xf0000000, 0xb0000000, 23,  5, 1, kAll, "SOPK Instructions"},
    {Sop2,   "SOP2",   0xc0000000, 0x80000000, 23,  7, 1, kAll, "SOP2 Instructions"},
    {Vop1,   "VOP1",   0xfe000000, 0x7e000000,  9,  8, 1, kAll, "VOP1 Instructions"},
    {Vopc,   "VOPC",   0xfe000000, 0x7c000000, 17,  8, 1, kAll, "VOPC Instructions"},
    {Vop2,   "VOP2",   0x80000000, 0x00000000, 25,  6, 1, kAll, "VOP2 Instructions"},
    {Smrd,   "SMRD",   0xf8000000, 0xc0000000, 22,  5, 1, kOld, "SMRD Instructions"},
    {Vintrp, "VINTRP", 0xfc000000, 0xc8000000, 16,  2, 1, kOld, "VINTRP Instructions"},
    {Vop3,   "VOP3",   0xfc000000, 0xd0000000, 17,  9, 2, kOld, "VOP3 Instructions"},
    {Ds,     "DS",     0xfc000000, 0xd8000000, 18,  8, 2, kOld, "LDS/GDS Instructions"},
    {Flat,   "FLAT",   0xfc000000, 0xdc000000, 18,  7, 2, {false, true, true}, "FLAT Instructions"},
    {Mubuf,  "MUBUF",  0xfc000000, 0xe0000000, 18,  7, 2, kAll, kVectorMemory},
    {Mtbuf,  "MTBUF",  0xfc000000, 0xe8000000, 16,  3, 2, kOld, kVectorMemory},
    {Mimg,   "MIMG",   0xfc000000, 0xf0000000, 18,  7, 2, kAll, "Vector Memory Image Instructions"},
    {Exp,    "EXP",    0xfc000000, 0xf8000000,  0,  0, 2, kOld, "Export Instruction"},
    {Smrd,   "SMEM",   0xfc000000, 0xc0000000, 18,  8, 2, kNew, "SMEM Instructions"},
    {Exp,    "EXP",    0xfc000000, 0xc4000000,  0,  0, 2, kNew, "Export Instruction"},
    {Vop3,   "VOP3",   0xfc000000, 0xd0000000, 16, 10, 2, kNew, "VOP3 Instructions"},
    {Vintrp, "VINTRP", 0xfc000000, 0xd4000000, 16,  2, 1, kNew, "VINTRP Instructions"},
    {Ds,     "DS",     0xfc000000, 0xd8000000, 17,  8, 2, kNew, "LDS/GDS Instructions"},
    {Mtbuf,  "MTBUF",  0xfc000000, 0xe8000000, 15,  4, 2, kNew, kVectorMemory},
};
// clang-format on
constexpr std::string_view kWriteLane = "v_writelane_b32";
constexpr std::size_t kFormatKinds = static_cast<std::size_t>(Flat) + 1;

struct Table {
  std::vector<OpcodeInfo> opcodes;
  std::vector<Execute> execute;
  std::array<std::vector<FormatInfo>, 3> formats;
  // [gfx][format][opcode]: index + 1 into `opcodes`, 0 for none.
  std::array<std::array<std::array<u16, 1024>, kFormatKinds>, 3> index{};

  Table() {
    for (const auto rows : {scalar_rows(), vector_rows(), compare_rows(), memory_rows(), other_rows()})
      for (const Row& row : rows) add(row);
    for (const FormatInfo& format : kFormats)
      for (std::size_t gfx = 0; gfx < 3; ++gfx)
        if (format.exists[gfx]) formats[gfx].push_back(format);
  }
  void add(const Row& row) {
    const Semantics& s = row.semantics;
    opcodes.push_back({row.name, row.format, row.number, s.destination, s.sources, s.mask_out, s.mask_in,
                       s.reads_destination, s.literal, s.scalar_destination, s.execute != nullptr});
    execute.push_back(s.execute);
    const u16 number = static_cast<u16>(opcodes.size());
    for (std::size_t gfx = 0; gfx < 3; ++gfx) {
      if (row.number[gfx] == kAbsent) continue;
      const auto n = static_cast<u32>(row.number[gfx]);
      put(gfx, row.format, n, number);
      // The same operation with the operands and modifiers of VOP3; not where a literal or a lane belongs to it.
      if (s.literal || s.scalar_destination || row.name == kWriteLane) continue;
      if (row.format == Vopc) put(gfx, Vop3, n, number);
      if (row.format == Vop2) put(gfx, Vop3, 0x100 + n, number);
      if (row.format == Vop1) put(gfx, Vop3, (gfx == 2 ? 0x140 : 0x180) + n, number);
    }
  }
  void put(std::size_t gfx, Format format, u32 opcode, u16 number) {
    index[gfx][static_cast<std::size_t>(format)][opcode] = number;
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
  Fields(Instruction& i, Gfx gfx) : i_(i), op_(*i.opcode), gfx_(gfx), a_(i.words[0]), b_(i.words[1]) {}

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
      case Smrd: gfx_ == Gfx::Gfx8 ? smem() : smrd(); break;
      case Vop2:
        i_.sources = {bits16(a_, 0, 9), vector_code(a_, 9), 0};
        // The lane of v_readlane and v_writelane is a scalar operand in the vector operand's place.
        if (op_.scalar_destination || op_.name == kWriteLane) i_.sources[1] = bits16(a_, 9, 8);
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
        i_.gds = bit(a_, gfx_ == Gfx::Gfx8 ? 16 : 17);
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
    if (op_.literal) return true;
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
    if (gfx_ == Gfx::Gfx7 && !i_.immediate_offset && i_.sources[1] == kLiteral)
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
    if (op_.mask_out && op_.format != Vopc) {
      i_.scalar_destination = bits16(a_, 8, 7);
    } else {
      i_.absolute = static_cast<u8>(bits(a_, 8, 3));
      i_.scalar_destination = op_.format == Vopc ? i_.destination : u16{0};
      if (gfx_ != Gfx::Gfx8) i_.clamp = bit(a_, 11);
    }
    if (gfx_ == Gfx::Gfx8) i_.clamp = bit(a_, 15);
    i_.sources = {bits16(b_, 0, 9), bits16(b_, 9, 9), bits16(b_, 18, 9)};
    i_.output_modifier = static_cast<u8>(bits(b_, 27, 2));
    i_.negate = static_cast<u8>(bits(b_, 29, 3));
  }
  void buffer() {
    i_.offset0 = bits(a_, 0, 12);
    i_.offen = bit(a_, 12);
    i_.idxen = bit(a_, 13);
    i_.glc = bit(a_, 14);
    i_.addr64 = gfx_ != Gfx::Gfx8 && bit(a_, 15);
    i_.address = bits16(b_, 0, 8);
    i_.data = bits16(b_, 8, 8);
    i_.resource = quad(b_, 16);
    i_.slc = gfx_ == Gfx::Gfx8 && i_.format == Mubuf ? bit(a_, 17) : bit(b_, 22);
    i_.tfe = bit(b_, 23);
    i_.sources[1] = bits16(b_, 24, 8);
  }

  Instruction& i_;
  const OpcodeInfo& op_;
  Gfx gfx_;
  u32 a_, b_;
  bool literal_offset_ = false;
};

}  // namespace

std::string_view gfx_name(Gfx gfx) {
  constexpr std::string_view kNames[] = {"gfx6", "gfx7", "gfx8"};
  return kNames[static_cast<std::size_t>(gfx)];
}

std::optional<Gfx> gfx_of(Isa isa) {
  switch (isa) {
    case Isa::Gcn1_0: return Gfx::Gfx6;
    case Isa::Gcn1_1: return Gfx::Gfx7;
    case Isa::Gcn1_2: return Gfx::Gfx8;
    case Isa::Vliw5:
    case Isa::Vliw4:
    case Isa::Gcn1_4: break;
  }
  return std::nullopt;
}

std::span<const FormatInfo> formats(Gfx gfx) { return table().formats[static_cast<std::size_t>(gfx)]; }

std::span<const OpcodeInfo> opcodes() { return table().opcodes; }

Execute execute_of(const OpcodeInfo& opcode) {
  return table().execute[static_cast<std::size_t>(&opcode - table().opcodes.data())];
}

Instruction decode(std::span<const std::byte> code, std::uint32_t offset, Gfx gfx) {
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
  const auto at = static_cast<std::size_t>(gfx);
  const auto format =
      std::ranges::find_if(all.formats[at], [&](const FormatInfo& f) { return (out.words[0] & f.mask) == f.value; });
  if (format == all.formats[at].end()) return unknown;
  out.format = format->format;
  const u32 opcode = bits(out.words[0], format->opcode_bit, format->opcode_width);
  const u16 row = all.index[at][static_cast<std::size_t>(format->format)][opcode];
  if (row == 0) return unknown;
  out.opcode = &all.opcodes[row - 1u];
  out.dwords = format->dwords;
  if (left < out.dwords * 4u) return unknown;
  Fields fields(out, gfx);
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
  if (gfx == Gfx::Gfx8 && narrow && (out.sources[0] == 249 || out.sources[0] == 250)) return unknown;
  return out;
}

}  // namespace amdcompat::emulate
