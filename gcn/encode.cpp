// Puts an instruction together: the exact inverse of `decode`.
#include <algorithm>

#include <fmt/format.h>

#include "fields.hpp"

namespace amdcompat::gcn {
namespace {

// Writes fields; see fields.hpp. The first one that does not fit is remembered.
class Writer {
 public:
  explicit Writer(bool literal_offset) : literal_offset_(literal_offset) {}

  void bits(u32 value, u32 low, u32 width) {
    if (width < 32 && value >> width != 0) return refuse(value, low, width);
    const u32 word = low / 32, shift = low % 32;
    words[word] |= value << shift;
    if (shift + width > 32) words[word + 1] |= value >> (32 - shift);
  }
  template <class T>
  void operator()(const T& field, u32 low, u32 width) {
    bits(static_cast<u32>(field), low, width);
  }
  void scaled(u16 field, u32 low, u32 width, u32 factor) {
    if (field % factor != 0) return refuse(field, low, width);
    bits(field / factor, low, width);
  }
  void vector(u16 field, u32 low) {
    if (field < kFirstVector || field >= kFirstVector + 256) return refuse(field, low, 8);
    bits(field - kFirstVector, low, 8);
  }
  void signed_number(i32 field, u32 low, u32 width) {
    const i32 limit = i32{1} << (width - 1);
    if (field < -limit || field >= limit) return refuse(static_cast<u32>(field), low, width);
    bits(static_cast<u32>(field) & ((u32{1} << width) - 1), low, width);
  }
  void unsigned_number(i32 field, u32 low, u32 width) { bits(static_cast<u32>(field), low, width); }
  void unsigned_scaled(i32 field, u32 low, u32 width, u32 factor) {
    if (field < 0 || static_cast<u32>(field) % factor != 0) return refuse(static_cast<u32>(field), low, width);
    bits(static_cast<u32>(field) / factor, low, width);
  }
  void bit_of(u8 field, u32 n, u32 low) { bits(field >> n & 1u, low, 1); }
  void choice(bool field, u32 no, u32 yes, u32 low, u32 width) { bits(field ? yes : no, low, width); }
  void fixed(u32 value, u32 low, u32 width) { bits(value, low, width); }
  void implied(u16 field, u32 value, bool matters) {
    if (matters && field != value && why.empty())
      why = fmt::format("this form writes its lane mask to code {}, not {}", value, field);
  }
  template <class T>
  void set(const T&, const T&) {}
  [[nodiscard]] bool literal_offset() const { return literal_offset_; }

  std::array<u32, 5> words{};
  std::string why;

 private:
  void refuse(u32 value, u32 low, u32 width) {
    if (why.empty())
      why = fmt::format("{} does not fit into bits {} to {}", static_cast<i32>(value), low, low + width - 1);
  }
  bool literal_offset_;
};

}  // namespace

Result<Encoded> encode(const Instruction& i, Generation generation) {
  const auto refuse = [&](std::string why) {
    return std::unexpected(make_diagnostic(
        Code::GcnEncode, {},
        fmt::format("{}: {}", i.row == nullptr ? std::string_view("no instruction") : i.row->name, std::move(why))));
  };
  if (i.row == nullptr) return refuse("no row");
  const Row& row = *i.row;
  if (!row.on(generation) || i.opcode != row.opcode)
    return refuse(fmt::format("not an instruction of {}", generation_name(generation)));
  const bool wide = i.format == Format::Vop3 && row.format != Format::Vop3;
  if (wide ? !row.has(Form::E64) : i.format != row.format) return refuse("no such format");
  const bool long_form = i.format == Format::Vop3 || i.format == Format::Vop3p;
  const Form needed = i.variant == Variant::Sdwa   ? Form::Sdwa
                      : i.variant == Variant::Dpp  ? (long_form ? Form::E64Dpp : Form::Dpp)
                      : i.variant == Variant::Dpp8 ? (long_form ? Form::E64Dpp8 : Form::Dpp8)
                                                   : Form::Only;
  if (needed != Form::Only && !row.has(needed)) return refuse("no such form");
  const auto all = formats(generation);
  const auto format = std::ranges::find(all, i.format, &FormatInfo::format);
  if (format == all.end()) return refuse("no such format");
  const u32 number = wide ? wide_number(row, generation) : row.number;
  const bool literal_offset =
      generation == Generation::Gfx7 && i.format == Format::Smrd && i.immediate_offset && i.sources[1] == kLiteral;

  Writer writer(literal_offset);
  writer.words[0] = format->value & format->mask;
  // The number's bits may be among those that name the format.
  u32 low_number = number;
  if (const HighBit high = high_bit(*format, generation); high.any) {
    low_number &= (1u << format->opcode_width) - 1;
    writer.bits(number >> format->opcode_width, high.at, 1);
  }
  if (low_number >> format->opcode_width != 0) return refuse("only the second operation can be this");
  if (i.format == Format::Vopd) {
    if (i.second == nullptr || i.second->format != Format::Vopd || !i.second->on(generation))
      return refuse("no second operation");
    writer.bits(i.second->number, 17, 5);
  }
  writer.words[0] |= low_number << format->opcode_bit;
  Fields(writer, i, generation).visit();
  if (!writer.why.empty()) return refuse(std::move(writer.why));
  Encoded out;
  out.words = writer.words;
  out.dwords = static_cast<u8>(format->dwords + (i.variant == Variant::Plain ? 0 : 1) + i.address_dwords);
  if (out.dwords > out.words.size()) return refuse("too long");
  if (literal_offset || wants_literal(i, generation)) out.words[out.dwords++] = i.literal;

  // What the words cannot say is lost.
  Instruction back = decode(std::as_bytes(std::span(out.words).first(out.dwords)), 0, generation);
  back.row = i.row;
  back.opcode = i.opcode;
  back.second = i.second;
  back.offset = i.offset;
  back.dwords = i.dwords;
  back.words = i.words;
  if (!info(i.opcode).is(Property::MaskOut)) back.scalar_destination = i.scalar_destination;
  if (back != i) return refuse("a field that this encoding does not have");
  return out;
}

}  // namespace amdcompat::gcn
