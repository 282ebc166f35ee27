// What an instruction reads and writes: its fields by the shapes and properties of its opcode, and what no field
// names. [SIA; CIA; VIA: «Instruction Details»; LLVM: AMDGPU instruction descriptions, against which a test holds this]
#include <algorithm>
#include <bit>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

using enum Format;
using enum Generation;

constexpr u32 kLastScalar = 106;  // one past the registers that M0 can reach
constexpr u32 kVectors = 256;

class Reader {
 public:
  Reader(const Instruction& i, Generation generation, u32 wave_size)
      : i_(i), op_(info(i.opcode)), generation_(generation), mask_dwords_(wave_size / 32) {}

  Operands take() {
    switch (i_.format) {
      case Sop2:
      case Sop1:
      case Sopc:
      case Sopk:
      case Sopp: scalar(); break;
      case Smrd: scalar_memory(); break;
      case Vop1:
      case Vop2:
      case Vopc:
      case Vop3:
      case Vop3p:
      case Vinterp: vector(); break;
      case Vintrp:
      case Ldsdir: interpolate(); break;
      case Ds: local(); break;
      case Mubuf:
      case Mtbuf: buffer(); break;
      case Mimg: image(); break;
      case Flat:
      case Global:
      case Scratch: flat(); break;
      case Exp: exports(); break;
    }
    implicit();
    return out_;
  }

 private:
  enum Access : u8 { Read = 1, Written = 2, Both = 3 };

  Operand& add(File file, u32 first, u32 dwords, Access access) {
    Operand& operand = out_.list[out_.count++];
    operand.file = file;
    operand.first = static_cast<u16>(first);
    operand.dwords = static_cast<u16>(dwords);
    operand.read = (access & Read) != 0;
    operand.written = (access & Written) != 0;
    return operand;
  }
  void add_implicit(File file, u32 first, u32 dwords, Access access, bool lane_mask = false) {
    // One entry for what is read and written.
    for (Operand& other : std::span(out_.list).first(out_.count))
      if (other.implicit && other.file == file && other.first == first && other.dwords == dwords) {
        other.read = other.read || (access & Read) != 0;
        other.written = other.written || (access & Written) != 0;
        return;
      }
    Operand& operand = add(file, first, dwords, access);
    operand.implicit = true;
    operand.lane_mask = lane_mask;
  }
  [[nodiscard]] u32 m0() const { return generation_ >= Gfx11 ? 125 : kM0; }
  [[nodiscard]] bool null(u32 code) const {
    return (generation_ >= Gfx11 && code == 124) || ((generation_ == Gfx10_1 || generation_ == Gfx10_3) && code == 125);
  }
  [[nodiscard]] bool has(Property property) const { return op_.is(property); }

  Operand* scalar_register(u32 code, u32 dwords, Access access) {
    if (dwords == 0 || null(code)) return nullptr;
    return &add(File::Scalar, code, dwords, access);
  }
  Operand* vector_register(u32 number, u32 dwords, Access access) {
    return dwords == 0 ? nullptr : &add(File::Vector, number, dwords, access);
  }
  // A source by its code of 9 bits; constants are no operands.
  Operand* source(u32 code, u32 dwords) {
    if (dwords == 0) return nullptr;
    if (code >= kFirstVector) return vector_register(code - kFirstVector, dwords, Read);
    if (code < 128) return scalar_register(code, dwords, Read);
    switch (code) {
      case 251: add_implicit(File::Scalar, kVcc, mask_dwords_, Read, true); break;  // VCCZ
      case 252: add_implicit(File::Scalar, kExec, mask_dwords_, Read, true); break;  // EXECZ
      case 253: add_implicit(File::Scc, 0, 1, Read); break;
      case 254:  // a value of LDS that M0 points to
        add_implicit(File::Scalar, m0(), 1, Read);
        out_.space = Space::Lds;
        out_.loads = true;
        break;
      default: break;
    }
    return nullptr;
  }
  void mask(u32 code, Access access) {
    if (Operand* operand = scalar_register(code, mask_dwords_, access)) operand->lane_mask = true;
  }
  [[nodiscard]] u32 width(std::size_t n) const { return shape_dwords(op_.sources[n]); }
  [[nodiscard]] Access destination_access() const {
    return has(Property::SourceDestination) ? Read : has(Property::ReadsDestination) ? Both : Written;
  }
  // Any of the registers from `operand` on.
  static void reach(Operand* operand, u32 end) {
    if (operand == nullptr || operand->first >= end) return;
    operand->dwords = static_cast<u16>(end - operand->first);
    operand->some = true;
  }

  void scalar() {
    const bool field = i_.format != Sopc && i_.format != Sopp;
    u32 dwords = field ? shape_dwords(op_.destination) : 0;
    if (has(Property::SourceDestination)) dwords = std::max(dwords, u32{1});
    Operand* const destination = scalar_register(i_.destination, dwords, destination_access());
    if (i_.opcode == Opcode::s_movreld_b32 || i_.opcode == Opcode::s_movreld_b64) reach(destination, kLastScalar);
    for (std::size_t n = 0; n < 2; ++n) {
      Operand* const from = source(i_.sources[n], width(n));
      if (i_.opcode == Opcode::s_movrels_b32 || i_.opcode == Opcode::s_movrels_b64) reach(from, kLastScalar);
    }
    if (i_.opcode == Opcode::s_sendmsg || i_.opcode == Opcode::s_sendmsghalt) out_.space = Space::Message;
  }

  void scalar_memory() {
    scalar_register(i_.destination, shape_dwords(op_.destination), Written);
    scalar_register(i_.resource, width(0), Read);
    if (width(0) != 0 && !i_.immediate_offset) source(i_.sources[1], 1);
    space(width(0) == 0 ? Space::None : Space::Scalar);
  }

  void vector() {
    if (const u32 dwords = shape_dwords(op_.destination); dwords != 0) {
      if (has(Property::ScalarDestination)) {
        scalar_register(i_.destination, dwords, Written);
      } else {
        Operand* const destination = vector_register(i_.destination, dwords, destination_access());
        if (i_.opcode == Opcode::v_movreld_b32 || i_.opcode == Opcode::v_movrelsd_b32) reach(destination, kVectors);
      }
    }
    // From GFX10 on v_cmpx writes EXEC only.
    const bool mask_out = has(Property::MaskOut) && !(has(Property::WritesExec) && generation_ >= Gfx10_1);
    const bool named = i_.format == Vop3;
    if (mask_out && named) mask(i_.scalar_destination, Written);
    for (std::size_t n = 0; n < 3; ++n) {
      Operand* const from = source(i_.sources[n], width(n));
      if (i_.opcode == Opcode::v_movrels_b32 || i_.opcode == Opcode::v_movrelsd_b32) reach(from, kVectors);
    }
    const bool mask_in = has(Property::MaskIn);
    const bool mask_field = named && i_.row->format != Vop3;  // the third source; v_div_fmas_f32 reads VCC
    if (mask_in && mask_field && i_.sources[2] < 128) mask(i_.sources[2], Read);
    if (mask_out && !named) add_implicit(File::Scalar, kVcc, mask_dwords_, Written, true);
    if (mask_in && !mask_field) add_implicit(File::Scalar, kVcc, mask_dwords_, Read, true);
  }

  void interpolate() {
    vector_register(i_.destination, 1, destination_access());
    source(i_.sources[0], width(0));
  }

  void local() {
    vector_register(i_.destination, shape_dwords(op_.destination), destination_access());
    const bool addressed = i_.opcode != Opcode::ds_append && i_.opcode != Opcode::ds_consume;
    if (addressed) vector_register(i_.address, 1, Read);
    vector_register(i_.data, width(0), Read);
    vector_register(i_.data1, width(1), Read);
    const bool between_lanes = i_.opcode == Opcode::ds_swizzle_b32;
    if (between_lanes) return;
    space(i_.gds ? Space::Gds : Space::Lds);
    // Up to GFX8 M0 holds the limit of LDS; from GFX9 on only those use it that say so.
    if (generation_ <= Gfx8) add_implicit(File::Scalar, m0(), 1, Read);
  }

  void buffer() {
    const u32 written = shape_dwords(op_.destination), read = width(0);
    if (written + read == 0) return;  // cache control
    const bool atomic = written != 0 && read != 0;
    if (i_.lds) {
      out_.lds_store = true;
      add_implicit(File::Scalar, m0(), 1, Read);
    } else if (!atomic) {
      vector_register(i_.data, written + read + (i_.tfe ? 1 : 0), read != 0 ? Read : destination_access());
    } else if (!i_.glc) {
      vector_register(i_.data, read, Read);
    } else {
      vector_register(i_.data, written, Written);
      vector_register(i_.data, read, Read);
    }
    vector_register(i_.address, i_.addr64 ? 2 : u32{i_.offen} + i_.idxen, Read);
    scalar_register(i_.resource, 4, Read);
    source(i_.sources[1], 1);
    space(Space::Buffer);
  }

  void image() {
    const std::string_view name = op_.name;
    const bool sampled =
        name.starts_with("image_sample") || name.starts_with("image_gather4") || name == "image_get_lod";
    const u32 components = std::max(1, std::popcount(i_.mask));
    const bool store = has(Property::Store) && !has(Property::Load);
    vector_register(i_.data, components + (i_.tfe || (i_.lwe && !store) ? 1 : 0), store ? Read : Written);
    // How many depends on the dimension, which the resource holds: at least one, at most what all arguments take.
    Operand* const address = vector_register(i_.address, 1, Read);
    reach(address, std::min(kVectors, i_.address + image_address_limit(name)));
    scalar_register(i_.resource, i_.r128 ? 4 : 8, Read);
    if (sampled) scalar_register(i_.sampler, 4, Read);
    space(Space::Image);
  }
  // Coordinates and slice, offset, bias or level, reference, and derivatives of three coordinates.
  static u32 image_address_limit(std::string_view name) {
    const auto part = [&](std::string_view p) { return name.find(p) != std::string_view::npos; };
    return 4u + (part("_o") ? 1 : 0) + (part("_b") || part("_l") || part("_mip") ? 1 : 0) + (part("_c_") ? 1 : 0) +
           (part("_d") || part("_cd") ? 6 : 0);
  }

  void flat() {
    const u32 written = shape_dwords(op_.destination), read = width(0);
    const bool atomic = written != 0 && read != 0;
    if (!atomic || i_.glc)
      vector_register(i_.destination, written + (written != 0 && i_.tfe ? 1 : 0), destination_access());
    vector_register(i_.address, 2, Read);
    vector_register(i_.data, read, Read);
    space(Space::Flat);
    // Scalar registers hold the base of scratch up to GFX9.
    if (generation_ <= Gfx9)
      add_implicit(File::Scalar, generation_ == Gfx7 ? 104 : 102, 2, Read);
    else
      add_implicit(File::FlatScratch, 0, 2, Read);
  }

  void exports() {
    const std::array<u32, 4> values{i_.data, i_.data1, i_.sources[0] - kFirstVector, i_.sources[1] - kFirstVector};
    // Two halves share a register where they are compressed.
    const u32 mask = i_.compressed ? ((i_.mask & 3) != 0 ? 1u : 0u) | ((i_.mask & 12) != 0 ? 2u : 0u) : i_.mask;
    for (u32 n = 0; n < 4; ++n)
      if ((mask >> n & 1) != 0) vector_register(values[n], 1, Read);
    space(Space::Export);
  }

  void space(Space space) {
    out_.space = space;
    out_.loads = has(Property::Load);
    out_.stores = has(Property::Store);
  }

  void implicit() {
    const auto both = [&](Property read, Property written, File file, u32 first, u32 dwords, bool lane_mask) {
      if (has(read)) add_implicit(file, first, dwords, Read, lane_mask);
      if (has(written)) add_implicit(file, first, dwords, Written, lane_mask);
    };
    using enum Property;
    both(ReadsScc, WritesScc, File::Scc, 0, 1, false);
    if (has(ReadsVcc)) add_implicit(File::Scalar, kVcc, mask_dwords_, Read, true);
    const bool lanes = i_.format > Smrd && i_.opcode != Opcode::v_readlane_b32 && i_.opcode != Opcode::v_writelane_b32;
    if (lanes) add_implicit(File::Scalar, kExec, mask_dwords_, Read, true);
    both(ReadsExec, WritesExec, File::Scalar, kExec, exec_dwords(), true);
    both(ReadsM0, WritesM0, File::Scalar, m0(), 1, false);
    both(ReadsMode, WritesMode, File::Mode, 0, 1, false);
  }
  // Scalar instructions that save EXEC say how much of it.
  [[nodiscard]] u32 exec_dwords() const {
    const u32 dwords = shape_dwords(op_.destination);
    return i_.format <= Smrd && dwords != 0 ? dwords : mask_dwords_;
  }

  const Instruction& i_;
  const OpcodeInfo& op_;
  Generation generation_;
  u32 mask_dwords_;
  Operands out_;
};

}  // namespace

Operands operands(const Instruction& instruction, Generation generation, std::uint32_t wave_size) {
  if (instruction.row == nullptr) return {};
  return Reader(instruction, generation, wave_size).take();
}

}  // namespace amdcompat::gcn
