// Scalar registers that code needs.
#include <algorithm>
#include <cstring>
#include <vector>

#include <amdcompat/gcn_checks.hpp>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

enum class Special : u8 { None, Numbered, FlatScratch, XnackMask, Vcc };
// What a scalar operand's code names. [SIA; CIA; VIA: table of scalar operands]
Special special(u32 code, Generation generation) {
  if (code == kVcc || code == kVcc + 1) return Special::Vcc;
  const bool late = generation == Generation::Gfx8 || generation == Generation::Gfx9;
  if (code < (late ? kNumbered : 104)) return Special::Numbered;
  if (code < 104) return Special::FlatScratch;
  if (code < kVcc) return generation == Generation::Gfx7 ? Special::FlatScratch : Special::XnackMask;
  return Special::None;
}

// --- what most instructions need, without taking them apart ---------------------------------------------------------

// Of an encoding up to GFX9 that goes on with the next instruction: where its scalar operands are.
struct Plan {
  enum class Kind : u8 {
    Apart,  // it has to be taken apart
    None,  // no scalar operands
    Scalar1,  // SOP1
    Scalar2,  // SOP2, SOPC
    ScalarK,  // SOPK
    Vector,  // VOP1, VOP2, VOPC
    Wide,  // VOP3
    WideMask,  // VOP3 with a lane mask besides its result
    Load,  // SMRD up to GFX7
    LaterLoad,  // from GFX8 on
    Buffer,  // MUBUF, MTBUF
  };
  Kind kind = Kind::Apart;
  u8 dwords = 0;  // without a source that is a literal
  bool vcc = false;  // used without a name
  std::array<u8, 3> sources{};  // dwords of each
  u8 destination = 0;  // of scalar registers, dwords
};

// `encoding`: that of the row, or VOP3 in its place.
Plan plan(const Row& row, const FormatInfo& encoding, Generation generation) {
  using enum Property;
  using enum Format;
  constexpr u8 kMask = 2;  // dwords
  const OpcodeInfo& op = info(row.opcode);
  const Format format = encoding.format;
  const bool scalar = format == Sop1 || format == Sop2 || format == Sopc;
  const bool vector = format == Vop1 || format == Vop2 || format == Vopc || format == Vop3;
  if (row.has(Form::Attribute) || flow(row.opcode) != Flow::Next) return {};
  if ((scalar || vector) && op.is(ReadsM0)) return {};  // it may say which registers are meant
  const u8 result = static_cast<u8>(shape_dwords(op.destination));
  Plan out{.dwords = encoding.dwords, .vcc = op.is(ReadsVcc)};
  for (u32 n = 0; n < 3; ++n) out.sources[n] = static_cast<u8>(dwords_in_wave(row, op.sources[n], n, 64));
  switch (format) {
    case Sop1:
    case Sop2:
    case Sopc:
      if (op.is(SourceDestination)) break;
      if (format != Sopc) out.destination = result;
      out.kind = format == Sop1 ? Plan::Kind::Scalar1 : Plan::Kind::Scalar2;
      break;
    case Sopk:
      if (op.is(Literal)) break;
      out.destination = op.is(SourceDestination) ? std::max<u8>(result, 1) : result;
      out.kind = Plan::Kind::ScalarK;
      break;
    case Sopp:
    case Ds: out.kind = Plan::Kind::None; break;
    case Vop1:
    case Vop2:
    case Vopc:
      if (row.has(Form::Sgpr1) || op.sources[0] == Shape::None) break;
      out.vcc = out.vcc || op.is(MaskIn | MaskOut);
      if (op.is(ScalarDestination)) out.destination = result;
      if (op.is(Literal)) ++out.dwords;
      out.kind = Plan::Kind::Vector;
      break;
    case Vop3:
      if (op.is(MaskIn)) out.sources[2] = kMask;
      // A comparison has its mask where others have their result.
      if (op.is(ScalarDestination)) out.destination = result;
      if (op.is(MaskOut)) out.destination = kMask;
      out.kind = op.is(MaskOut) && row.format != Vopc ? Plan::Kind::WideMask : Plan::Kind::Wide;
      break;
    case Smrd:
      if (op.sources[2] != Shape::None || op.name.starts_with("s_scratch")) break;
      out.destination = result;
      out.kind = generation <= Generation::Gfx7 ? Plan::Kind::Load : Plan::Kind::LaterLoad;
      break;
    case Mubuf:
    case Mtbuf: out.kind = op.is(Load | Store) ? Plan::Kind::Buffer : Plan::Kind::None; break;  // or cache control
    default: break;
  }
  return out;
}

// Plans by the first word. Its upper 9 bits tell the formats that have plans apart.
class Plans {
 public:
  explicit Plans(Generation generation) {
    plans_.resize(1);  // formats without plans
    std::array<u32, kFormats> first{};
    std::array<const FormatInfo*, kFormats> encodings{};  // that have plans
    std::array<bool, std::tuple_size_v<decltype(formats_)>> taken{};  // by the first format that has these bits
    for (const FormatInfo& format : formats(generation)) {
      const auto size = u32{1} << format.opcode_width;
      const bool told = (format.mask & ~(~u32{0} << kBelow)) == 0 && size != 1;
      const Field field{static_cast<u8>(format.opcode_bit), static_cast<u16>(size - 1),
                        static_cast<u32>(told ? plans_.size() : 0)};
      first[static_cast<std::size_t>(format.format)] = field.first;
      encodings[static_cast<std::size_t>(format.format)] = told ? &format : nullptr;
      if (told) plans_.resize(plans_.size() + size);
      for (u32 top = 0; top < formats_.size(); ++top) {
        if (taken[top] || ((top << kBelow ^ format.value) & format.mask & ~u32{0} << kBelow) != 0) continue;
        taken[top] = true;
        if (told) formats_[top] = field;
      }
    }
    // Where processors of a generation give a number different meanings the last one counts, as in `decode`.
    for (const Row& row : rows()) {
      if (!row.on(generation)) continue;
      const auto take = [&](Format format, u32 number) {
        const auto of = static_cast<std::size_t>(format);
        if (encodings[of] != nullptr) plans_[first[of] + number] = plan(row, *encodings[of], generation);
      };
      take(row.format, row.number);
      if (row.has(Form::E64)) take(Format::Vop3, wide_number(row, generation));
    }
  }
  [[nodiscard]] const Plan& of(u32 word) const {
    const Field& field = formats_[word >> kBelow];
    return plans_[field.first + (word >> field.bit & field.mask)];
  }
  // Null from GFX10 on.
  static const Plans* get(Generation generation) {
    switch (generation) {
      case Generation::Gfx6: return &of<Generation::Gfx6>();
      case Generation::Gfx7: return &of<Generation::Gfx7>();
      case Generation::Gfx8: return &of<Generation::Gfx8>();
      case Generation::Gfx9: return &of<Generation::Gfx9>();
      default: return nullptr;
    }
  }

 private:
  template <Generation generation>
  static const Plans& of() {
    static const Plans plans(generation);
    return plans;
  }
  static constexpr u32 kBelow = 23;
  struct Field {
    u8 bit = 0;
    u16 mask = 0;
    u32 first = 0;  // of its plans; 0: it has none
  };
  std::array<Field, 1u << (32 - kBelow)> formats_{};
  std::vector<Plan> plans_;
};

// Adds what instructions need of numbered scalar registers and of VCC, as long as a plan says where they are.
class Quickly {
 public:
  Quickly(std::span<const std::byte> code, const Plans& plans, Generation generation, ScalarUse& use)
      : code_(code), plans_(plans), generation_(generation), use_(use) {}

  u32 operator()(u32 at, std::span<u8> dwords) const {
    for (std::array<u32, 2> words{}; at + sizeof words <= code_.size();) {
      u8& length = dwords[at / 4];
      if (length != 0) break;
      std::memcpy(words.data(), code_.data() + at, sizeof words);
      const u32 taken = add(words);
      if (taken == 0 || taken * 4 > code_.size() - at) break;
      length = static_cast<u8>(taken);
      at += taken * 4;
    }
    return at;
  }

 private:
  // Its dwords; 0: it has to be taken apart.
  [[nodiscard]] u32 add(const std::array<u32, 2>& words) const {
    const Plan& plan = plans_.of(words[0]);
    u32 dwords = plan.dwords, numbered = 0;
    bool vcc = plan.vcc, known = true;
    const auto field = [&](u32 low, u32 width) { return words[low / 32] >> low % 32 & ((u32{1} << width) - 1); };
    constexpr u32 kTrap = kVcc + 2;  // registers of trap handlers, M0 and EXEC: neither numbered nor VCC
    const auto registers = [&](u32 first, u32 count) {
      if (count == 0) return;
      if (first >= kTrap) {
        known = known && first != kVccZero;
      } else if (first >= kVcc) {
        vcc = true;
        known = known && first == kVcc && count <= 2;
      } else {
        numbered = std::max(numbered, first + count);
        known = known && first + count <= kNumbered;
      }
    };
    const auto source = [&](u32 n, u32 low, u32 width) { registers(field(low, width), plan.sources[n]); };
    switch (plan.kind) {
      case Plan::Kind::Apart: return 0;
      case Plan::Kind::None: break;
      case Plan::Kind::Scalar2:
        source(1, 8, 8);
        if (field(8, 8) == kLiteral) dwords = 2;
        [[fallthrough]];
      case Plan::Kind::Scalar1:
        source(0, 0, 8);
        registers(field(16, 7), plan.destination);
        if (field(0, 8) == kLiteral) dwords = 2;
        break;
      case Plan::Kind::ScalarK: registers(field(16, 7), plan.destination); break;
      case Plan::Kind::Vector: {
        const u32 first = field(0, 9);
        if (generation_ >= Generation::Gfx8 && (first == kSdwaCode || first == kDppCode)) return 0;
        source(0, 0, 9);
        registers(field(17, 8), plan.destination);
        if (first == kLiteral) dwords = 2;
        break;
      }
      case Plan::Kind::WideMask:
      case Plan::Kind::Wide:
        if (plan.kind == Plan::Kind::Wide)
          registers(field(0, 8), plan.destination);
        else
          registers(field(8, 7), plan.destination);
        source(0, 32, 9);
        source(1, 41, 9);
        source(2, 50, 9);
        break;
      case Plan::Kind::Load: {
        const u32 offset = field(0, 8);
        const bool immediate = field(8, 1) != 0, literal = generation_ == Generation::Gfx7 && offset == kLiteral;
        registers(field(15, 7), plan.destination);
        registers(field(9, 6) * 2, plan.sources[0]);
        if (immediate) break;
        if (literal)
          dwords = 2;
        else
          registers(offset, plan.sources[0] != 0 ? 1 : 0);
        break;
      }
      case Plan::Kind::LaterLoad:
        if (field(17, 1) == 0 || (generation_ == Generation::Gfx9 && field(14, 1) != 0)) return 0;
        registers(field(6, 7), plan.destination);
        registers(field(0, 6) * 2, plan.sources[0]);
        break;
      case Plan::Kind::Buffer:
        registers(field(48, 5) * 4, 4);
        registers(field(56, 8), 1);
        break;
    }
    if (!known) return 0;
    use_.numbered = std::max(use_.numbered, numbered);
    use_.vcc = use_.vcc || vcc;
    return dwords;
  }

  std::span<const std::byte> code_;
  const Plans& plans_;
  Generation generation_;
  ScalarUse& use_;
};

}  // namespace

ScalarUse scalar_use(std::span<const std::byte> code, std::uint32_t entry, Generation generation) {
  ScalarUse out;
  const auto visit = [&](const Instruction& i) {
    // Scratch and flat accesses take their base from FLAT_SCRATCH without naming it.
    out.flat_scratch = out.flat_scratch || i.format == Format::Flat || i.format == Format::Scratch;
    for (const Operand& operand : operands(i, generation)) {
      if (operand.file != File::Scalar) continue;
      const u32 end = u32{operand.first} + operand.dwords;
      if (end <= kNumbered) {
        out.numbered = std::max(out.numbered, end);
        continue;
      }
      for (u32 n = operand.first; n < end; ++n) {
        const Special what = special(n, generation);
        if (what == Special::Numbered) out.numbered = std::max(out.numbered, n + 1);
        out.vcc = out.vcc || what == Special::Vcc;
        out.flat_scratch = out.flat_scratch || what == Special::FlatScratch;
      }
    }
  };
  Quick quick;
  if (const Plans* plans = Plans::get(generation)) quick = Quickly(code, *plans, generation, out);
  const bool known = for_each_reachable(code, entry, generation, visit, std::move(quick));
  if (!known) out.vcc = out.flat_scratch = true;
  return out;
}

std::uint32_t special_scalars(const ScalarUse& use, Generation generation, bool xnack) {
  if (generation > Generation::Gfx9) return 0;
  if (use.flat_scratch && generation >= Generation::Gfx8) return 6;
  if (use.flat_scratch && generation == Generation::Gfx7) return 4;
  if (xnack && generation >= Generation::Gfx8) return 4;
  return use.vcc ? 2 : 0;
}

std::uint32_t allocated_scalars(std::uint32_t count, Generation generation) {
  const u32 granule = generation <= Generation::Gfx7 ? 8 : 16;
  return (std::max(count, 1u) + granule - 1) / granule * granule;
}

}  // namespace amdcompat::gcn
