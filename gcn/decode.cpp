// Formats, the table of opcodes, and taking an instruction apart.
//
// A format is recognised by the top bits of the first dword, the opcode is a field of it, and a row says what it is.
// Operands of 9 (or 8, scalar only) bits share one code space, so that decoding is the same for each. [SIA; CIA; VIA:
// chapter «Microcode Formats»]
#include <algorithm>
#include <cstring>
#include <vector>

#include "fields.hpp"

namespace amdcompat::gcn {
namespace {

using enum Format;
using enum Generation;

constexpr std::string_view kVectorMemory = "Vector Memory Buffer Instructions";
constexpr std::string_view kImage = "Vector Memory Image Instructions";
// clang-format off
constexpr FormatInfo kFormatRows[] = {
    {Sopp,    "SOPP",    0xff800000, 0xbf800000, 16,  7, 1, Gfx6,    Gfx12,   "SOPP Instructions"},
    {Sopc,    "SOPC",    0xff800000, 0xbf000000, 16,  7, 1, Gfx6,    Gfx12,   "SOPC Instructions"},
    {Sop1,    "SOP1",    0xff800000, 0xbe800000,  8,  8, 1, Gfx6,    Gfx12,   "SOP1 Instructions"},
    {Sopk,    "SOPK",    0xf0000000, 0xb0000000, 23,  5, 1, Gfx6,    Gfx12,   "SOPK Instructions"},
    {Sop2,    "SOP2",    0xc0000000, 0x80000000, 23,  7, 1, Gfx6,    Gfx12,   "SOP2 Instructions"},
    {Vop1,    "VOP1",    0xfe000000, 0x7e000000,  9,  8, 1, Gfx6,    Gfx12,   "VOP1 Instructions"},
    {Vopc,    "VOPC",    0xfe000000, 0x7c000000, 17,  8, 1, Gfx6,    Gfx12,   "VOPC Instructions"},
    {Vop2,    "VOP2",    0x80000000, 0x00000000, 25,  6, 1, Gfx6,    Gfx12,   "VOP2 Instructions"},
    {Smrd,    "SMRD",    0xf8000000, 0xc0000000, 22,  5, 1, Gfx6,    Gfx7,    "SMRD Instructions"},
    {Smrd,    "SMEM",    0xfc000000, 0xc0000000, 18,  8, 2, Gfx8,    Gfx9,    "SMEM Instructions"},
    {Smrd,    "SMEM",    0xfc000000, 0xf4000000, 18,  8, 2, Gfx10_1, Gfx11,   "SMEM Instructions"},
    {Smrd,    "SMEM",    0xfc000000, 0xf4000000, 13,  6, 2, Gfx12,   Gfx12,   "SMEM Instructions"},
    {Vintrp,  "VINTRP",  0xfc000000, 0xc8000000, 16,  2, 1, Gfx6,    Gfx7,    "VINTRP Instructions"},
    {Vintrp,  "VINTRP",  0xfc000000, 0xd4000000, 16,  2, 1, Gfx8,    Gfx9,    "VINTRP Instructions"},
    {Vintrp,  "VINTRP",  0xfc000000, 0xc8000000, 16,  2, 1, Gfx10_1, Gfx10_3, "VINTRP Instructions"},
    {Vop3,    "VOP3",    0xfc000000, 0xd0000000, 17,  9, 2, Gfx6,    Gfx7,    "VOP3 Instructions"},
    {Vop3p,   "VOP3P",   0xff800000, 0xd3800000, 16,  7, 2, Gfx9,    Gfx9,    "VOP3P Instructions"},
    {Vop3,    "VOP3",    0xfc000000, 0xd0000000, 16, 10, 2, Gfx8,    Gfx9,    "VOP3 Instructions"},
    {Vop3,    "VOP3",    0xfc000000, 0xd4000000, 16, 10, 2, Gfx10_1, Gfx12,   "VOP3 Instructions"},
    {Vop3p,   "VOP3P",   0xff800000, 0xcc000000, 16,  7, 2, Gfx10_1, Gfx12,   "VOP3P Instructions"},
    {Vinterp, "VINTERP", 0xff000000, 0xcd000000, 16,  7, 2, Gfx11,   Gfx11,   "VINTERP Instructions"},
    {Vinterp, "VINTERP", 0xff000000, 0xcd000000, 16,  5, 2, Gfx12,   Gfx12,   "VINTERP Instructions"},
    {Ldsdir,  "LDSDIR",  0xff000000, 0xce000000, 20,  2, 1, Gfx11,   Gfx12,   "LDSDIR Instructions"},
    {Vopd,    "VOPD",    0xfc000000, 0xc8000000, 22,  4, 2, Gfx11,   Gfx12,   "VOPD Instructions"},
    {Ds,      "DS",      0xfc000000, 0xd8000000, 18,  8, 2, Gfx6,    Gfx7,    "LDS/GDS Instructions"},
    {Ds,      "DS",      0xfc000000, 0xd8000000, 17,  8, 2, Gfx8,    Gfx9,    "LDS/GDS Instructions"},
    {Ds,      "DS",      0xfc000000, 0xd8000000, 18,  8, 2, Gfx10_1, Gfx12,   "LDS/GDS Instructions"},
    {Flat,    "FLAT",    0xfc000000, 0xdc000000, 18,  7, 2, Gfx7,    Gfx8,    "FLAT Instructions"},
    {Flat,    "FLAT",    0xfc00c000, 0xdc000000, 18,  7, 2, Gfx9,    Gfx10_3, "FLAT Instructions"},
    {Scratch, "SCRATCH", 0xfc00c000, 0xdc004000, 18,  7, 2, Gfx9,    Gfx10_3, "FLAT Instructions"},
    {Global,  "GLOBAL",  0xfc00c000, 0xdc008000, 18,  7, 2, Gfx9,    Gfx10_3, "FLAT Instructions"},
    {Flat,    "FLAT",    0xfc030000, 0xdc000000, 18,  7, 2, Gfx11,   Gfx11,   "FLAT Instructions"},
    {Scratch, "SCRATCH", 0xfc030000, 0xdc010000, 18,  7, 2, Gfx11,   Gfx11,   "FLAT Instructions"},
    {Global,  "GLOBAL",  0xfc030000, 0xdc020000, 18,  7, 2, Gfx11,   Gfx11,   "FLAT Instructions"},
    {Flat,    "VFLAT",   0xff000000, 0xec000000, 14,  8, 3, Gfx12,   Gfx12,   "VFLAT Instructions"},
    {Scratch, "VSCRATCH",0xff000000, 0xed000000, 14,  8, 3, Gfx12,   Gfx12,   "VFLAT Instructions"},
    {Global,  "VGLOBAL", 0xff000000, 0xee000000, 14,  8, 3, Gfx12,   Gfx12,   "VFLAT Instructions"},
    {Mubuf,   "MUBUF",   0xfc000000, 0xe0000000, 18,  7, 2, Gfx6,    Gfx9,    kVectorMemory},
    {Mubuf,   "MUBUF",   0xfc000000, 0xe0000000, 18,  8, 2, Gfx10_1, Gfx11,   kVectorMemory},
    {Mtbuf,   "MTBUF",   0xfc000000, 0xe8000000, 16,  3, 2, Gfx6,    Gfx7,    kVectorMemory},
    {Mtbuf,   "MTBUF",   0xfc000000, 0xe8000000, 15,  4, 2, Gfx8,    Gfx9,    kVectorMemory},
    {Mtbuf,   "MTBUF",   0xfc000000, 0xe8000000, 16,  3, 2, Gfx10_1, Gfx10_3, kVectorMemory},  // and bit 53
    {Mtbuf,   "MTBUF",   0xfc000000, 0xe8000000, 15,  4, 2, Gfx11,   Gfx11,   kVectorMemory},
    {Mtbuf,   "VBUFFER", 0xfc200000, 0xc4200000, 14,  8, 3, Gfx12,   Gfx12,   kVectorMemory},
    {Mubuf,   "VBUFFER", 0xfc000000, 0xc4000000, 14,  8, 3, Gfx12,   Gfx12,   kVectorMemory},
    {Mimg,    "MIMG",    0xfc000000, 0xf0000000, 18,  7, 2, Gfx6,    Gfx9,    kImage},
    {Mimg,    "MIMG",    0xfc000000, 0xf0000000, 18,  7, 2, Gfx10_1, Gfx10_3, kImage},  // and bit 0
    {Mimg,    "MIMG",    0xfc000000, 0xf0000000, 18,  8, 2, Gfx11,   Gfx11,   kImage},
    {Mimg,    "VIMAGE",  0xfc000000, 0xd0000000, 14,  8, 3, Gfx12,   Gfx12,   kImage},
    {Vsample, "VSAMPLE", 0xfc000000, 0xe4000000, 14,  8, 3, Gfx12,   Gfx12,   kImage},
    {Exp,     "EXP",     0xfc000000, 0xf8000000,  0,  0, 2, Gfx6,    Gfx7,    "Export Instruction"},
    {Exp,     "EXP",     0xfc000000, 0xc4000000,  0,  0, 2, Gfx8,    Gfx9,    "Export Instruction"},
    {Exp,     "EXP",     0xfc000000, 0xf8000000,  0,  0, 2, Gfx10_1, Gfx12,   "Export Instruction"},
};
// clang-format on

constexpr u32 kTopBits = 9;  // of a first dword, which are in the masks of nearly all formats

struct Table {
  std::array<std::vector<FormatInfo>, kGenerations> formats;
  // The first format that has these top bits; those before it need not be tried.
  std::array<std::array<u8, 1u << kTopBits>, kGenerations> first_format{};
  // [generation][format][number]: index + 1 into `rows()`, 0 for none.
  std::array<std::array<std::array<u16, 1024>, kFormats>, kGenerations> index{};
  std::vector<const Row*> of_processors;  // rows that not all of a generation have

  Table() {
    for (const Row& row : rows())
      if (row.subset != Subset::Any) of_processors.push_back(&row);
    for (std::size_t g = 0; g < kGenerations; ++g) {
      const auto generation = static_cast<Generation>(g);
      for (const FormatInfo& format : kFormatRows)
        if (format.first <= generation && generation <= format.last) formats[g].push_back(format);
      for (u32 top = 0; top < first_format[g].size(); ++top) {
        const u32 word = top << (32 - kTopBits), bits = ~u32{0} << (32 - kTopBits);
        const auto first = std::ranges::find_if(
            formats[g], [&](const FormatInfo& f) { return ((word ^ f.value) & f.mask & bits) == 0; });
        first_format[g][top] = static_cast<u8>(first - formats[g].begin());
      }
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

// Reads fields; see fields.hpp.
class Reader {
 public:
  explicit Reader(const Instruction& i) : words_(i.words) {}

  [[nodiscard]] u32 bits(u32 low, u32 width) const {
    const u32 word = low / 32, shift = low % 32;
    u32 value = words_[word] >> shift;
    if (shift + width > 32 && word + 1 < words_.size()) value |= words_[word + 1] << (32 - shift);
    return width == 32 ? value : value & ((u32{1} << width) - 1);
  }
  template <class T>
  void operator()(T& field, u32 low, u32 width) const {
    field = static_cast<T>(bits(low, width));
  }
  void scaled(u16& field, u32 low, u32 width, u32 factor) const { field = static_cast<u16>(bits(low, width) * factor); }
  void vector(u16& field, u32 low) const { field = static_cast<u16>(kFirstVector + bits(low, 8)); }
  void signed_number(i32& field, u32 low, u32 width) const {
    field = static_cast<i32>(bits(low, width) << (32 - width)) >> (32 - width);
  }
  void unsigned_number(i32& field, u32 low, u32 width) const { field = static_cast<i32>(bits(low, width)); }
  void unsigned_scaled(i32& field, u32 low, u32 width, u32 factor) const {
    field = static_cast<i32>(bits(low, width) * factor);
  }
  void bit_of(u8& field, u32 n, u32 low) const { field = static_cast<u8>(field | bits(low, 1) << n); }
  void choice(bool& field, u32, u32 yes, u32 low, u32 width) const { field = bits(low, width) == yes; }
  void fixed(u32, u32, u32) const {}
  void implied(u16& field, u32 value, bool) const { field = static_cast<u16>(value); }
  template <class T>
  void set(T& field, T value) const {
    field = value;
  }
  [[nodiscard]] bool literal_offset() const { return false; }

 private:
  const std::array<u32, 5>& words_;
};

// Which form of a row the first words say; empty: none that it has.
std::optional<Variant> variant_of(const Row& row, Format format, const Reader& read, Generation generation) {
  if (generation < Gfx8) return Variant::Plain;
  const bool wide = format == Vop3 || format == Vop3p;
  if (wide ? generation < Gfx11 : format != Vop1 && format != Vop2 && format != Vopc) return Variant::Plain;
  // Those without operands need not have what these codes mean.
  const bool lax = !wide && info(row.opcode).sources[0] == Shape::None;
  const auto choose = [&](Form form, Variant variant) {
    return row.has(form) ? std::optional(variant) : lax ? std::optional(Variant::Plain) : std::nullopt;
  };
  switch (read.bits(wide ? 32 : 0, 9)) {
    case kSdwaCode:
      if (wide || generation > Gfx10_3) return Variant::Plain;
      return choose(Form::Sdwa, Variant::Sdwa);
    case kDppCode: return choose(wide ? Form::E64Dpp : Form::Dpp, Variant::Dpp);
    case kDpp8Code:
    case kDpp8FetchCode:
      if (generation < Gfx10_1) return Variant::Plain;
      return choose(wide ? Form::E64Dpp8 : Form::Dpp8, Variant::Dpp8);
    default: return Variant::Plain;
  }
}

// The format of a first word, or the end of `formats`.
std::vector<FormatInfo>::const_iterator format_of(u32 word, Generation generation) {
  const auto at = static_cast<std::size_t>(generation);
  const std::vector<FormatInfo>& formats = table().formats[at];
  auto format = formats.begin() + table().first_format[at][word >> (32 - kTopBits)];
  while (format != formats.end() && (word & format->mask) != format->value) ++format;
  return format;
}

// Whether there is a row; without one `out` is left half filled.
bool fill(Instruction& out, std::span<const std::byte> code, Generation generation, const Target* target) {
  const std::size_t left = code.size();
  if (left >= sizeof out.words)
    std::memcpy(out.words.data(), code.data(), sizeof out.words);  // of a known size: no call
  else
    std::memcpy(out.words.data(), code.data(), left);
  if (left < 4) return false;
  const auto& all = table();
  const auto at = static_cast<std::size_t>(generation);
  const auto format = format_of(out.words[0], generation);
  if (format == all.formats[at].end()) return false;
  out.format = format->format;
  const Reader read(out);
  const u32 opcode = opcode_number(*format, generation, [&](u32 low, u32 width) { return read.bits(low, width); });
  const u16 row = all.index[at][static_cast<std::size_t>(format->format)][opcode];
  if (row == 0) return false;
  out.row = &rows()[row - 1u];
  if (target != nullptr && !exists(*out.row, *target)) {
    // A number that some processors have is that of others only where those are named too.
    const auto same = std::ranges::find_if(all.of_processors, [&](const Row* other) {
      return other->format == out.row->format && other->number == out.row->number && exists(*other, *target);
    });
    if (same == all.of_processors.end()) return false;
    out.row = *same;
  }
  out.opcode = out.row->opcode;
  if (out.format == Vopd) {
    const u16 second = all.index[at][static_cast<std::size_t>(Vopd)][read.bits(17, 5)];
    if (second == 0) return false;
    out.second = &rows()[second - 1u];
  }
  const auto variant = variant_of(*out.row, out.format, read, generation);
  if (!variant) return false;
  out.variant = *variant;
  out.dwords = static_cast<u8>(format->dwords + (out.variant == Variant::Plain ? 0 : 1));
  if (left < out.dwords * 4u) return false;
  Fields(read, out, generation).visit();
  out.dwords = static_cast<u8>(out.dwords + out.address_dwords);
  if (left < out.dwords * 4u) return false;
  const bool literal_offset =
      generation == Gfx7 && out.format == Smrd && !out.immediate_offset && out.sources[1] == kLiteral;
  if (literal_offset || wants_literal(out, generation)) {
    if (left < out.dwords * 4u + 4) return false;
    out.literal = out.words[out.dwords++];
    if (literal_offset) {
      out.immediate_offset = true;
      out.immediate = static_cast<i32>(out.literal * 4);
    }
  }
  for (std::size_t n = out.dwords; n < out.words.size(); ++n) out.words[n] = 0;
  out.packed_halves = target != nullptr && packs_halves(*target) && (out.d16 || out.row->has(Form::Unpacked));
  return true;
}

Instruction decode_for(std::span<const std::byte> code, u32 offset, Generation generation, const Target* target) {
  Instruction out;
  out.offset = offset;
  if (!fill(out, code.subspan(offset), generation, target)) {
    const u32 word = out.words[0];
    out = {};
    out.offset = offset;
    out.words[0] = word;
  }
  return out;
}

}  // namespace

std::span<const FormatInfo> formats(Generation generation) {
  return table().formats[static_cast<std::size_t>(generation)];
}

Instruction decode(std::span<const std::byte> code, std::uint32_t offset, Generation generation) {
  return decode_for(code, offset, generation, nullptr);
}
Instruction decode(std::span<const std::byte> code, std::uint32_t offset, const Target& target) {
  return decode_for(code, offset, *generation_of(target), &target);
}

}  // namespace amdcompat::gcn
