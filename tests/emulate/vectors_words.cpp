// Which instructions the vectors are about, and their words.
#include <algorithm>
#include <stdexcept>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {

namespace {

// The row with operands that its encoding can hold: registers where it takes nothing else.
std::vector<u32> any_words(const gcn::Row& row, Generation gfx) {
  Instruction i;
  i.row = &row;
  i.opcode = row.opcode;
  i.format = row.format;
  i.scalar_destination = kVccLo;
  constexpr std::array<u16, 2> kCodes{0, kV0};
  for (const u16 first : kCodes)
    for (const u16 second : kCodes) {
      i.sources = {first, second, 0};
      if (const auto encoded = gcn::encode(i, gfx))
        return {encoded->words.begin(), encoded->words.begin() + encoded->dwords};
    }
  throw std::runtime_error("no words of " + std::string(row.name));
}

// Whether the interpreter knows what the instruction does: it says AC5002 where it does not.
bool executed(const gcn::Row& row, Generation gfx) {
  std::vector<u32> words = any_words(row, gfx);
  words.push_back(0xbf810000);  // s_endpgm
  Launch launch;
  launch.gfx = gfx;
  launch.code = std::as_bytes(std::span(words));
  Memory memory;
  Diagnostics diagnostics;
  static_cast<void>(run(launch, memory, {.lane_instructions = 1000}, diagnostics));
  return std::ranges::none_of(diagnostics.all(),
                              [](const Diagnostic& d) { return d.code == Code::EmulateNotExecutable; });
}

}  // namespace

std::string name_of(const gcn::Row& row, Generation gfx) {
  return std::string(gfx >= Generation::Gfx9 ? gcn::info(row.opcode).name : row.name);
}

static std::vector<Row> executed_rows(Generation gfx) {
  std::vector<Row> out;
  for (const gcn::Row& row : gcn::rows())
    if (row.on(gfx) && executed(row, gfx)) out.push_back({name_of(row, gfx), row.format, &row});
  return out;
}

std::vector<Encoding> Row::encodings() const {
  std::vector<Encoding> out{Encoding::Own};
  if (row->has(gcn::Form::E64)) out.push_back(Encoding::Vop3);
  if (row->has(gcn::Form::Sdwa)) out.push_back(Encoding::Sdwa);
  if (row->has(gcn::Form::Dpp)) out.push_back(Encoding::Dpp);
  return out;
}

const std::vector<Row>& rows_of(Generation gfx) {
  static const std::array<std::vector<Row>, 4> all{executed_rows(Generation::Gfx6), executed_rows(Generation::Gfx7),
                                                   executed_rows(Generation::Gfx8), executed_rows(Generation::Gfx9)};
  return all[static_cast<std::size_t>(gfx)];
}

const Row* find_row(Generation gfx, string_view name) {
  const auto& rows = rows_of(gfx);
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

std::vector<u32> words_of(const Instruction& instruction, Generation gfx) {
  Instruction i = instruction;
  if (i.format == Format::Smrd && gfx == Generation::Gfx7 && i.immediate_offset && i.immediate >= 1024) {
    i.sources[1] = kLit;
    i.literal = static_cast<u32>(i.immediate) / 4;
  }
  const auto encoded = gcn::encode(i, gfx);
  if (!encoded) throw std::runtime_error(encoded.error().message);
  return {encoded->words.begin(), encoded->words.begin() + encoded->dwords};
}

}  // namespace amdcompat::emulate::vectors
