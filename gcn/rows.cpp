// The table of opcodes and rows, and which processors are of which generation.
#include <algorithm>
#include <utility>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

using enum Generation;
using enum Format;
using enum Shape;
using enum Property;
using enum Form;
using enum Subset;

constexpr OpcodeInfo kInfos[] = {
    {"none"},
#define AMDCOMPAT_OPCODE(name, destination, source0, source1, source2, properties)                                     \
  {#name, destination, {source0, source1, source2}, properties},
#define AMDCOMPAT_ROW(opcode, first, last, format, number, name, subset, forms)
#include <amdcompat/gcn_opcodes.def>
#undef AMDCOMPAT_OPCODE
#undef AMDCOMPAT_ROW
};
static_assert(std::size(kInfos) == kOpcodes);

constexpr Row kRows[] = {
#define AMDCOMPAT_OPCODE(name, destination, source0, source1, source2, properties)
#define AMDCOMPAT_ROW(opcode, first, last, format, number, name, subset, forms)                                        \
  {Opcode::opcode, first, last, format, number, #name, subset, forms},
#include <amdcompat/gcn_opcodes.def>
#undef AMDCOMPAT_OPCODE
#undef AMDCOMPAT_ROW
};

}  // namespace

std::string_view generation_name(Generation generation) {
  constexpr std::string_view kNames[] = {"gfx6", "gfx7", "gfx8", "gfx9", "gfx10.1", "gfx10.3", "gfx11", "gfx12"};
  return kNames[static_cast<std::size_t>(generation)];
}

std::optional<Generation> generation_of(Isa isa) {
  switch (isa) {
    case Isa::Gcn1_0: return Gfx6;
    case Isa::Gcn1_1: return Gfx7;
    case Isa::Gcn1_2: return Gfx8;
    case Isa::Gcn1_4: return Gfx9;
    case Isa::Vliw5:
    case Isa::Vliw4: break;
  }
  return std::nullopt;
}

std::optional<Generation> generation_of(const Target& target) {
  return target.unified_registers ? std::nullopt : target.generation;
}

bool exists(const Row& row, const Target& target) {
  const auto generation = generation_of(target);
  if (!generation || !row.on(*generation)) return false;
  const auto one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, target.name) != names.end();
  };
  switch (row.subset) {
    case Subset::Any: return true;
    case Subset::Gfx900: return one_of({"gfx900", "gfx902", "gfx909", "gfx90c"});
    case Subset::Gfx904: return one_of({"gfx904", "gfx906", "gfx908"});
    case Subset::Gfx906: return one_of({"gfx906", "gfx908"});
    case Subset::Gfx908: return one_of({"gfx908"});
    case Subset::Gfx1011: return one_of({"gfx1011", "gfx1012"});
    case Subset::Gfx1013: return one_of({"gfx1013"});
    case Subset::Gfx1150: return one_of({"gfx1150", "gfx1151", "gfx1152", "gfx1153"});
  }
  return false;
}

bool wants_literal(const Instruction& i, Generation generation) {
  const OpcodeInfo& op = info(i.opcode);
  if (op.is(Property::Literal)) return true;
  if (i.format == Vopd)
    return info(i.second->opcode).is(Property::Literal) || i.sources[0] == kLiteral || i.second_sources[0] == kLiteral;
  if (i.variant != Variant::Plain) return false;
  const auto named = [&](std::size_t n) { return op.sources[n] != Shape::None && i.sources[n] == kLiteral; };
  switch (i.format) {
    case Sop2:
    case Sopc: return i.sources[0] == kLiteral || (i.sources[1] == kLiteral && i.opcode != Opcode::s_set_gpr_idx_on);
    case Sop1:
    case Vop2:
    case Vop1:
    case Vopc: return named(0);
    case Vop3:
    case Vop3p: return generation >= Gfx10_1 && (named(0) || named(1) || named(2));
    default: return false;
  }
}

const OpcodeInfo& info(Opcode opcode) { return kInfos[static_cast<std::size_t>(opcode)]; }
std::span<const Row> rows() { return kRows; }

}  // namespace amdcompat::gcn
