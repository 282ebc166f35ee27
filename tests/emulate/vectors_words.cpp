// Instruction words from fields, for the vectors.
#include <algorithm>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {

namespace {

// Whether the interpreter knows what the instruction does: it says AC5002 where it does not.
bool executed(const gcn::Row& row, Generation gfx) {
  Instruction i;
  i.row = &row;
  i.opcode = row.opcode;
  i.format = row.format;
  std::vector<u32> words = words_of(i, gfx);
  words.push_back(0xbf810000);  // s_endpgm
  Launch launch;
  launch.gfx = gfx;
  launch.code = std::as_bytes(std::span(words));
  Memory memory;
  Diagnostics diagnostics;
  static_cast<void>(run(launch, memory, {.instructions = 10}, diagnostics));
  return std::ranges::none_of(diagnostics.all(),
                              [](const Diagnostic& d) { return d.code == Code::EmulateNotExecutable; });
}

}  // namespace

static std::vector<Row> executed_rows(Generation gfx) {
  std::vector<Row> out;
  for (const gcn::Row& row : gcn::rows())
    if (row.on(gfx) && executed(row, gfx))
      out.push_back({std::string(row.name), row.format, row.has(gcn::Form::E64), &row});
  return out;
}

const std::vector<Row>& rows_of(Generation gfx) {
  static const std::array<std::vector<Row>, 3> all{executed_rows(Generation::Gfx6), executed_rows(Generation::Gfx7),
                                                   executed_rows(Generation::Gfx8)};
  return all[static_cast<std::size_t>(gfx)];
}

const Row* find_row(Generation gfx, string_view name) {
  const auto& rows = rows_of(gfx);
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

std::vector<u32> words_of(const Instruction& i, Generation gfx) {
  const bool vi = gfx == Generation::Gfx8;
  u32 number = i.row->number;
  if (i.format == Format::Vop3 && i.row->format == Format::Vop2) number += 0x100;
  if (i.format == Format::Vop3 && i.row->format == Format::Vop1) number += vi ? 0x140 : 0x180;
  const auto all = gcn::formats(gfx);
  const auto format = std::ranges::find(all, i.format, &gcn::FormatInfo::format);
  u32 a = format->value | number << format->opcode_bit, b = 0;
  const u32 d = i.destination, s0 = i.sources[0], s1 = i.sources[1], s2 = i.sources[2];
  const u32 k = static_cast<u32>(i.immediate) & 0xffff;
  bool literal = gcn::info(i.opcode).is(gcn::Property::Literal);
  const auto buffer = [&] {
    a |= i.offset0 | u32{i.offen} << 12 | u32{i.idxen} << 13 | u32{i.glc} << 14 | u32{i.addr64} << 15;
    b = i.address | u32{i.data} << 8 | i.resource / 4u << 16 | s1 << 24;
  };
  switch (i.format) {
    case Format::Sop2:
      a |= s0 | s1 << 8 | d << 16;
      literal = s0 == kLit || s1 == kLit;
      break;
    case Format::Sopk: a |= k | d << 16; break;
    case Format::Sop1:
      a |= s0 | d << 16;
      literal = s0 == kLit;
      break;
    case Format::Sopc:
      a |= s0 | s1 << 8;
      literal = s0 == kLit || s1 == kLit;
      break;
    case Format::Sopp: a |= k; break;
    case Format::Smrd:
      if (vi) {
        a |= i.resource / 2u | d << 6 | u32{i.immediate_offset} << 17;
        b = i.immediate_offset ? static_cast<u32>(i.immediate) : s1;
      } else {
        a |= i.resource / 2u << 9 | d << 15;
        if (!i.immediate_offset)
          a |= s1;
        else if (i.immediate < 1024)
          a |= 1u << 8 | static_cast<u32>(i.immediate) / 4;
        else {  // GFX7
          a |= kLit;
          return {a, static_cast<u32>(i.immediate) / 4};
        }
      }
      break;
    case Format::Vop2:
      a |= s0 | (s1 & 255) << 9 | d << 17;
      literal = literal || s0 == kLit;
      break;
    case Format::Vop1:
      a |= s0 | d << 17;
      literal = s0 == kLit;
      break;
    case Format::Vopc:
      a |= s0 | (s1 & 255) << 9;
      literal = s0 == kLit;
      break;
    case Format::Vop3: {
      const bool b_form = gcn::info(i.opcode).is(gcn::Property::MaskOut) && i.row->format != Format::Vopc;
      a |= i.row->format == Format::Vopc ? i.scalar_destination : d;
      if (b_form)
        a |= u32{i.scalar_destination} << 8;
      else
        a |= u32{i.absolute} << 8 | (vi ? 0 : u32{i.clamp} << 11);
      if (vi) a |= u32{i.clamp} << 15;
      b = s0 | s1 << 9 | s2 << 18 | u32{i.output_modifier} << 27 | u32{i.negate} << 29;
      break;
    }
    case Format::Ds:
      a |= i.offset0 | i.offset1 << 8;
      b = i.address | u32{i.data} << 8 | u32{i.data1} << 16 | d << 24;
      break;
    case Format::Mtbuf:
      a |= u32{i.data_format} << 19 | u32{i.number_format} << 23;
      buffer();
      break;
    case Format::Mubuf: buffer(); break;
    case Format::Flat:
      a |= u32{i.glc} << 16;
      b = i.address | u32{i.data} << 8 | d << 24;
      break;
    case Format::Mimg:
    case Format::Exp:
    case Format::Vintrp:
    case Format::Global:  // and what came after GFX8
    case Format::Scratch:
    case Format::Vop3p:
    case Format::Vinterp:
    case Format::Ldsdir: break;
  }
  std::vector<u32> out{a};
  if (format->dwords == 2) out.push_back(b);
  if (literal) out.push_back(i.literal);
  return out;
}

}  // namespace amdcompat::emulate::vectors
