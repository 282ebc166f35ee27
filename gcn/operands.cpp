// What an instruction reads and writes: its fields by the shapes and properties of its opcode, and what no field
// names. [SIA; CIA; VIA: «Instruction Details»; LLVM: AMDGPU instruction descriptions, against which a test holds this]
#include <algorithm>
#include <bit>

#include <amdcompat/gcn_checks.hpp>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

using enum Format;
using enum Generation;

constexpr u32 kLastScalar = 106;  // one past the registers that M0 can reach
constexpr u32 kVectors = 256;

class OperandReader {
 public:
  OperandReader(const Instruction& i, Generation generation, u32 wave_size, Operands& out)
      : i_(i), op_(info(i.opcode)), generation_(generation), mask_dwords_(wave_size / 32), out_(out) {}

  void run() {
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
      case Mimg:
      case Vsample: image(); break;
      case Flat:
      case Global:
      case Scratch: flat(); break;
      case Exp: exports(); break;
      case Vopd: dual(); break;
    }
    implicit();
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
    if (code < kFirstConstant) return scalar_register(code, dwords, Read);
    switch (code) {
      case kVccZero: add_implicit(File::Scalar, kVcc, mask_dwords_, Read, true); break;
      case 252: add_implicit(File::Scalar, kExec, mask_dwords_, Read, true); break;  // EXECZ
      case 253: add_implicit(File::Scc, 0, 1, Read); break;
      case 254:  // a value of LDS that M0 points to
        if (generation_ >= Gfx11) break;
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
  [[nodiscard]] u32 width(std::size_t n) const {
    return dwords_in_wave(*i_.row, op_.sources[n], static_cast<u32>(n), mask_dwords_ * 32);
  }
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
    const u32 result = shape_dwords(op_.destination), data = width(2);
    if (data != 0) {  // a store, or an atomic operation, which returns its result on demand
      if (result != 0 && returns()) scalar_register(i_.destination, result, Written);
      scalar_register(i_.destination, data, Read);
    } else {
      scalar_register(i_.destination, result, Written);
    }
    scalar_register(i_.resource, width(0), Read);
    const bool has_offset = generation_ >= Gfx10_1 || i_.scalar_offset || !i_.immediate_offset;
    const bool prefetch = op_.name.starts_with("s_prefetch");
    if ((width(0) != 0 || prefetch) && has_offset) source(i_.sources[1], 1);
    space(width(0) == 0 ? Space::None : Space::Scalar);
    if (op_.name.starts_with("s_scratch")) flat_scratch();
  }
  // Whether an atomic operation gives back what memory held.
  [[nodiscard]] bool returns() const { return generation_ == Gfx12 ? (i_.temporal & 1) != 0 : i_.glc; }
  // The base of scratch memory: scalar registers up to GFX9.
  void flat_scratch() {
    if (generation_ <= Gfx9)
      add_implicit(File::Scalar, gcn::flat_scratch(generation_), 2, Read);
    else
      add_implicit(File::FlatScratch, 0, 2, Read);
  }

  // In VOP1, VOP2 and VOPC of GFX11 and later the highest bit of a 16-bit operand's register is its half.
  [[nodiscard]] u32 half_number(u32 number, Shape shape) const {
    const bool narrow = i_.format == Vop1 || i_.format == Vop2 || i_.format == Vopc;
    return generation_ >= Gfx11 && narrow && (shape == Shape::B16 || shape == Shape::F16) ? number & 127 : number;
  }
  [[nodiscard]] u32 half_code(u32 code, Shape shape) const {
    return code >= kFirstVector ? kFirstVector + half_number(code - kFirstVector, shape) : code;
  }

  // Whether the result of 16 bits leaves the other half as it is. [VEGA: «V_MAD_F16», OP_SEL]
  [[nodiscard]] bool keeps_half() const {
    if (generation_ != Gfx9) return false;
    switch (i_.opcode) {
      case Opcode::v_mac_f16:
      case Opcode::v_madmk_f16:
      case Opcode::v_madak_f16:
      case Opcode::v_mad_f16:
      case Opcode::v_mad_u16:
      case Opcode::v_mad_i16:
      case Opcode::v_fma_f16:
      case Opcode::v_div_fixup_f16: return true;
      case Opcode::v_mad_u32_u16:
      case Opcode::v_mad_i32_i16: return false;
      default: return i_.format == Vop3 && (i_.op_sel & 8) != 0;
    }
  }

  void vector() {
    if (const u32 dwords = dwords_in_wave(*i_.row, op_.destination, 3, mask_dwords_ * 32); dwords != 0) {
      if (has(Property::ScalarDestination)) {
        scalar_register(i_.destination, dwords, Written);
      } else {
        // Lanes without a partner, or the rest of the register, keep what they hold.
        const bool keeps = i_.variant == Variant::Dpp || i_.variant == Variant::Dpp8 || keeps_half() ||
                           (i_.variant == Variant::Sdwa && i_.destination_select < 6 && i_.destination_unused == 2);
        Operand* const destination = vector_register(half_number(i_.destination, op_.destination), dwords,
                                                     keeps                  ? Both
                                                     : i_.format == Vinterp ? Written
                                                                            : destination_access());
        if (moves_destination()) reach(destination, kVectors);
        if (accumulator(i_, 3)) destination->file = File::Accumulator;
      }
    }
    const bool exchanges = i_.opcode == Opcode::v_swap_b32 || i_.opcode == Opcode::v_swaprel_b32;
    // From GFX10 on v_cmpx writes EXEC only.
    const bool mask_out = has(Property::MaskOut) && !(has(Property::WritesExec) && generation_ >= Gfx10_1);
    const bool named = i_.format == Vop3 || i_.scalar_mask;
    if (mask_out && named) mask(i_.scalar_destination, Written);
    // A literal is one more; v_interp_p2_f32 has two more as VINTERP.
    const bool attribute = i_.row->has(Form::Attribute);
    const std::size_t sources = attribute && i_.opcode == Opcode::v_interp_p2_f32 ? 1 : has(Property::Literal) ? 2 : 3;
    for (std::size_t n = 0; n < sources; ++n) {
      if (n == 1 && attribute) continue;
      Operand* const from = source(half_code(i_.sources[n], op_.sources[n]), width(n));
      if (n == 0 && moves_source()) reach(from, kVectors);
      if (from != nullptr && from->file == File::Vector && accumulator(i_, static_cast<u32>(n)))
        from->file = File::Accumulator;
    }
    if (exchanges) {
      Operand* const other = vector_register(i_.sources[0] - kFirstVector, 1, Both);
      if (i_.opcode == Opcode::v_swaprel_b32) reach(other, kVectors);
    }
    const bool mask_in = has(Property::MaskIn);
    if (mask_in && i_.format == Vop3 && i_.sources[2] < 128) mask(i_.sources[2], Read);
    if (mask_out && !named) add_implicit(File::Scalar, kVcc, mask_dwords_, Written, true);
    if (mask_in && i_.format != Vop3) add_implicit(File::Scalar, kVcc, mask_dwords_, Read, true);
  }
  [[nodiscard]] bool moves_destination() const {
    return i_.opcode == Opcode::v_movreld_b32 || i_.opcode == Opcode::v_movrelsd_b32 ||
           i_.opcode == Opcode::v_movrelsd_2_b32 || i_.opcode == Opcode::v_swaprel_b32;
  }
  [[nodiscard]] bool moves_source() const {
    return i_.opcode == Opcode::v_movrels_b32 || i_.opcode == Opcode::v_movrelsd_b32 ||
           i_.opcode == Opcode::v_movrelsd_2_b32;
  }

  // Both operations of VOPD. They read before they write.
  void dual() {
    const OpcodeInfo& second = info(i_.second->opcode);
    const auto access = [](const OpcodeInfo& op) { return op.is(Property::ReadsDestination) ? Both : Written; };
    vector_register(i_.destination, 1, access(op_));
    vector_register(i_.second_destination, 1, access(second));
    for (std::size_t n = 0; n < 2; ++n) source(i_.sources[n], shape_dwords(op_.sources[n]));
    for (std::size_t n = 0; n < 2; ++n) source(i_.second_sources[n], shape_dwords(second.sources[n]));
    for (const OpcodeInfo* op : {&op_, &second}) {
      if (op->is(Property::MaskIn)) add_implicit(File::Scalar, kVcc, mask_dwords_, Read, true);
      if (op->is(Property::ReadsMode)) add_implicit(File::Mode, 0, 1, Read);
    }
  }

  void interpolate() {
    vector_register(i_.destination, 1, destination_access());
    if (i_.format == Vintrp && i_.sources[0] >= kFirstVector) source(i_.sources[0], width(0));
  }

  void local() {
    vector_register(i_.destination, shape_dwords(op_.destination), destination_access());
    const bool stack = op_.name.starts_with("ds_bvh_stack");  // the address moves on
    if (!i_.row->has(Form::NoAddress)) vector_register(i_.address, 1, stack ? Both : Read);
    // The data of GWS is where others have their address.
    const bool gws = op_.name.starts_with("ds_gws");
    vector_register(gws ? i_.address : i_.data, width(0), Read);
    vector_register(i_.data1, width(1), Read);
    const bool between_lanes = op_.name.find("permute") != op_.name.npos || i_.opcode == Opcode::ds_swizzle_b32;
    if (between_lanes || i_.opcode == Opcode::ds_nop) return;
    space(i_.gds ? Space::Gds : Space::Lds);
    // Up to GFX8 M0 holds the limit of LDS; from GFX9 on only those use it that say so, and those of GDS, whose part of
    // it M0 says.
    if (generation_ <= Gfx8 || i_.gds) add_implicit(File::Scalar, m0(), 1, Read);
  }

  void buffer() {
    if (!has(Property::Load) && !has(Property::Store)) return;  // cache control
    const bool to_lds = i_.lds && shape_dwords(op_.destination) != 0;
    if (i_.opcode == Opcode::buffer_store_lds_dword) {
      add_implicit(File::Scalar, m0(), 1, Read);
    } else if (to_lds) {
      out_.lds_store = true;
      add_implicit(File::Scalar, m0(), 1, Read);
    } else {
      data(i_.data, 0);
    }
    vector_register(i_.address, i_.addr64 ? 2 : u32{i_.offen} + i_.idxen, Read);
    scalar_register(i_.resource, 4, Read);
    source(i_.sources[1], 1);
    space(Space::Buffer);
  }
  // What is loaded, stored or exchanged in registers from `number` on, or from `separate` on for what is loaded when
  // that has a field of its own.
  void data(u32 number, u32 separate) {
    const u32 written = memory_dwords(op_.destination), read = memory_dwords(op_.sources[0]);
    const u32 status = i_.tfe ? 1 : 0;
    const u32 to = separate != 0 ? separate - 1 : number;
    const bool atomic = has(Property::Load) && has(Property::Store);
    if (atomic) {
      if (returns()) vector_register(to, written + (separate == 0 ? 0 : status), Written);
      vector_register(number, read, Read);
    } else if (written != 0) {
      vector_register(to, written + status, destination_access());
    } else {
      vector_register(number, read + (separate == 0 ? status : 0), Read);
    }
  }
  // Formats of 16 bits take a register for each component where the processor does not pack them.
  [[nodiscard]] u32 memory_dwords(Shape shape) const {
    const u32 dwords = shape_dwords(shape);
    if (i_.row->has(Form::HalfD)) return dwords / mask_dwords_;
    if (dwords == 0 || !i_.row->has(Form::Unpacked) || i_.packed_halves) return dwords;
    return static_cast<u32>(op_.name.size() - op_.name.rfind('_') - 1);  // x, xy, xyz, xyzw
  }

  void image() {
    const bool load = has(Property::Load), store = has(Property::Store);
    const u32 dwords = image_data_dwords(i_, generation_) + (i_.tfe || (i_.lwe && !store) ? 1 : 0);
    vector_register(i_.data, dwords, !store ? Written : load && returns() ? Both : Read);
    if (generation_ <= Gfx9) {
      // How many depends on the dimension, which the resource holds: at least one, at most what all arguments take.
      Operand* const address = vector_register(i_.address, 1, Read);
      reach(address, std::min(kVectors, i_.address + image_address_limit(op_.name)));
    } else {
      const ImageAddress address = image_address(i_, generation_);
      for (const Registers& part : std::span(address.parts).first(address.count))
        vector_register(part.first, part.dwords, Read);
    }
    scalar_register(i_.resource, i_.r128 ? 4 : 8, Read);
    if (has_sampler(i_)) scalar_register(i_.sampler, 4, Read);
    space(Space::Image);
  }
  // Coordinates and slice, offset, bias or level, reference, and derivatives of three coordinates.
  static u32 image_address_limit(std::string_view name) {
    const auto part = [&](std::string_view p) { return name.find(p) != std::string_view::npos; };
    return 4u + (part("_o") ? 1 : 0) + (part("_b") || part("_l") || part("_mip") ? 1 : 0) + (part("_c_") ? 1 : 0) +
           (part("_d") || part("_cd") ? 6 : 0);
  }

  void flat() {
    if (!has(Property::Load) && !has(Property::Store)) return;
    if (i_.lds) {
      out_.lds_store = true;
      add_implicit(File::Scalar, m0(), 1, Read);
    } else {
      data(i_.data, i_.destination + 1u);
    }
    const bool scalar = i_.format != Flat && generation_ >= Gfx9 && i_.resource < kM0;
    if (i_.format == Scratch)
      vector_register(i_.address, scratch_address() ? 1 : 0, Read);
    else if (!i_.row->has(Form::NoAddress))
      vector_register(i_.address, scalar ? 1 : 2, Read);
    if (scalar) scalar_register(i_.resource, i_.format == Scratch ? 1 : 2, Read);
    space(i_.format == Flat ? Space::Flat : i_.format == Global ? Space::Global : Space::Scratch);
    if (i_.format != Global) flat_scratch();
  }
  // Whether a vector register is part of a scratch address.
  [[nodiscard]] bool scratch_address() const {
    if (generation_ >= Gfx11) return i_.sve;
    return i_.resource == no_scalar_address(generation_);  // GFX10 has 127 for none at all
  }

  void exports() {
    const std::array<u32, 4> values{i_.data, i_.data1, i_.sources[0] - kFirstVector, i_.sources[1] - kFirstVector};
    // Two halves share a register where they are compressed.
    const u32 mask = i_.compressed ? ((i_.mask & 3) != 0 ? 1u : 0u) | ((i_.mask & 12) != 0 ? 2u : 0u) : i_.mask;
    for (u32 n = 0; n < 4; ++n)
      if ((mask >> n & 1) != 0) vector_register(values[n], 1, Read);
    if (i_.row_enable) add_implicit(File::Scalar, m0(), 1, Read);
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
    return i_.format <= Smrd && dwords != 0 && !has(Property::SourceDestination) ? dwords : mask_dwords_;
  }

  const Instruction& i_;
  const OpcodeInfo& op_;
  Generation generation_;
  u32 mask_dwords_;
  Operands& out_;
};

}  // namespace

bool has_sampler(const Instruction& instruction) {
  const std::string_view name = info(instruction.opcode).name;
  return name.starts_with("image_sample") || name.starts_with("image_gather4") || name == "image_get_lod";
}

u32 image_data_dwords(const Instruction& i, Generation generation) {
  const std::string_view name = info(i.opcode).name;
  // These return four values of the one component that the mask names.
  const bool four = name.starts_with("image_gather4") || (name == "image_msaa_load" && generation >= Gfx11);
  u32 components = four ? 4 : static_cast<u32>(std::max(1, std::popcount(i.mask)));
  if (name.ends_with("cmpswap")) components = std::max(components, 2u);
  return i.packed_halves || (i.d16 && generation > Gfx8) ? (components + 1) / 2 : components;
}

ImageAddress image_address(const Instruction& i, Generation generation) {
  constexpr u8 kCoordinates[] = {1, 2, 3, 3, 2, 3, 3, 4}, kGradients[] = {2, 4, 6, 4, 2, 4, 4, 4};
  const std::string_view name = info(i.opcode).name;
  u32 coordinates = name == "image_get_resinfo" ? 1 : kCoordinates[i.dimension & 7], gradients = 0, arguments = 0;
  for (std::size_t at = name.find('_'); at != name.npos; at = name.find('_', at + 1)) {
    const std::string_view part = name.substr(at + 1, name.find('_', at + 1) - at - 1);
    if (part == "mip" || part == "l" || part == "cl") ++coordinates;
    if (part == "c" || part == "b" || part == "o") ++arguments;
    if (part == "d" || part == "cd") gradients = kGradients[i.dimension & 7];
    if (part == "g16") gradients = (gradients / 2 + 1) & ~1u;  // two in a register, those of an axis apart
  }
  const u32 dwords = arguments + gradients + (has_short_address(i, generation) ? (coordinates + 1) / 2 : coordinates);
  ImageAddress out;
  if (traces_rays(i)) {
    // A node of 1 or 2 dwords, the length of the ray, its origin, direction and the inverse of that.
    const u32 node = i.opcode == Opcode::image_bvh64_intersect_ray ? 2 : 1;
    const u32 all = node + (i.a16 ? 7 : 10);
    out.list = generation == Gfx12 || i.address_dwords != 0;
    if (!out.list) {
      out.parts[out.count++] = {i.address, all};
    } else if (generation <= Gfx10_3) {
      out.count = std::min(all, 1 + 4u * i.address_dwords);
      for (u32 n = 0; n < out.count; ++n) out.parts[n] = {n == 0 ? u32{i.address} : i.more_addresses[n - 1], 1};
    } else {
      for (const u32 part : {node, 1u, 3u, 3u, 3u}) {
        if (out.count == 4 && i.a16) break;
        out.parts[out.count] = {out.count == 0 ? u32{i.address} : i.more_addresses[out.count - 1], part};
        ++out.count;
      }
    }
    return out;
  }
  u32 most = 1;  // parts; the last one holds what is left
  if (generation == Gfx12)
    most = i.format == Vsample ? 4 : 5;
  else
    most = 1 + 4u * i.address_dwords;
  out.list = most > 1 && dwords > 1;
  out.count = std::min(dwords, most);
  for (u32 n = 0; n < out.count; ++n) out.parts[n] = {n == 0 ? u32{i.address} : i.more_addresses[n - 1], 1};
  out.parts[out.count - 1].dwords = dwords - (out.count - 1);
  return out;
}

Operands operands(const Instruction& instruction, Generation generation, std::uint32_t wave_size) {
  Operands out;
  if (instruction.row != nullptr) OperandReader(instruction, generation, wave_size, out).run();
  return out;
}

}  // namespace amdcompat::gcn
