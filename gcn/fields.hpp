// Where each field of an instruction stands: one description, read by the decoder and written by the encoder.
//
// A visitor has `io(field, low, width)` for a number, `io.scaled(field, low, width, factor)` for a register that is
// encoded in units, `io.vector(field, low)` for a vector register among source codes, `io.signed_number` for one with a
// sign, and `io.fixed(value, low, width)` for bits that the form decides. Bits count from the start of the instruction.
// [SIA; CIA; VIA: «Microcode Formats»; LLVM: what MCCodeEmitter makes of each operand]
#pragma once

#include "rows.hpp"

namespace amdcompat::gcn {

template <class Io, class I>
class Fields {
 public:
  Fields(Io& io, I& i, Generation generation) : io_(io), i_(i), op_(info(i.opcode)), g_(generation) {}

  void visit() {
    using enum Format;
    switch (i_.format) {
      case Sop2:
        io_(i_.sources[0], 0, 8);
        io_(i_.sources[1], 8, 8);
        io_(i_.destination, 16, 7);
        break;
      case Sopk:
        io_.signed_number(i_.immediate, 0, 16);
        io_(i_.destination, 16, 7);
        break;
      case Sop1:
        io_(i_.sources[0], 0, 8);
        io_(i_.destination, 16, 7);
        break;
      case Sopc:
        io_(i_.sources[0], 0, 8);
        io_(i_.sources[1], 8, 8);
        break;
      case Sopp: io_.signed_number(i_.immediate, 0, 16); break;
      case Smrd: scalar_memory(); break;
      case Vop2:
        source0();
        // The lane of v_readlane and v_writelane is a scalar operand in the vector operand's place.
        if (i_.row->has(Form::Sgpr1) || (i_.variant == Variant::Sdwa && scalar1_))
          io_(i_.sources[1], 9, 8);
        else
          io_.vector(i_.sources[1], 9);
        io_(i_.destination, 17, 8);
        io_.implied(i_.scalar_destination, kVcc, op_.is(Property::MaskOut));
        break;
      case Vop1:
        source0();
        io_(i_.destination, 17, 8);
        break;
      case Vopc:
        source0();
        if (i_.variant == Variant::Sdwa && scalar1_)
          io_(i_.sources[1], 9, 8);
        else
          io_.vector(i_.sources[1], 9);
        if (i_.variant != Variant::Sdwa || !i_.scalar_mask)
          io_.implied(i_.scalar_destination, kVcc, op_.is(Property::MaskOut));
        break;
      case Vop3: vop3(); break;
      case Vop3p: vop3p(); break;
      case Vinterp:
        io_(i_.destination, 0, 8);
        io_(i_.wait, 8, 3);
        io_(i_.op_sel, 11, 4);
        io_(i_.clamp, 15, 1);
        sources(32);
        io_(i_.negate, 61, 3);
        break;
      case Ldsdir:
        io_(i_.destination, 0, 8);
        io_(i_.channel, 8, 2);
        io_(i_.attribute, 10, 6);
        io_(i_.wait, 16, 4);
        if (g_ == Generation::Gfx12) io_(i_.wait_vsrc, 23, 1);
        break;
      case Vintrp:
        io_.vector(i_.sources[0], 0);
        io_(i_.channel, 8, 2);
        io_(i_.attribute, 10, 6);
        io_(i_.destination, 18, 8);
        break;
      case Ds:
        io_(i_.offset0, 0, 8);
        io_(i_.offset1, 8, 8);
        if (g_ != Generation::Gfx12) io_(i_.gds, g_ == Generation::Gfx8 || g_ == Generation::Gfx9 ? 16 : 17, 1);
        io_(i_.address, 32, 8);
        io_(i_.data, 40, 8);
        io_(i_.data1, 48, 8);
        io_(i_.destination, 56, 8);
        break;
      case Mtbuf:
      case Mubuf: buffer(); break;
      case Flat:
      case Global:
      case Scratch: flat(); break;
      case Mimg:
      case Vsample: image(); break;
      case Vopd: {
        io_(i_.sources[0], 0, 9);
        io_.vector(i_.sources[1], 9);
        io_(i_.second_sources[0], 32, 9);
        io_.vector(i_.second_sources[1], 41);
        io_(i_.destination, 56, 8);
        u16 half = i_.second_destination / 2;
        io_(half, 49, 7);
        io_.set(i_.second_destination, static_cast<u16>(half * 2 + (i_.destination % 2 == 0 ? 1 : 0)));
        break;
      }
      case Exp:
        io_(i_.mask, 0, 4);
        io_(i_.destination, 4, 6);
        io_(i_.done, 11, 1);
        if (g_ <= Generation::Gfx10_3) {
          io_(i_.compressed, 10, 1);
          io_(i_.valid_mask, 12, 1);
        } else {
          io_(i_.row_enable, 13, 1);
        }
        io_(i_.data, 32, 8);
        io_(i_.data1, 40, 8);
        io_.vector(i_.sources[0], 48);
        io_.vector(i_.sources[1], 56);
        break;
    }
  }

 private:
  // Of VOP1, VOP2 and VOPC: the source, or what stands for it with the dword that follows.
  void source0() {
    switch (i_.variant) {
      case Variant::Plain: io_(i_.sources[0], 0, 9); break;
      case Variant::Sdwa: sdwa(); break;
      case Variant::Dpp:
        io_.fixed(kDppCode, 0, 9);
        dpp(32);
        io_.bit_of(i_.negate, 0, 52);
        io_.bit_of(i_.absolute, 0, 53);
        io_.bit_of(i_.negate, 1, 54);
        io_.bit_of(i_.absolute, 1, 55);
        break;
      case Variant::Dpp8: dpp8(0, 32); break;
    }
  }
  void sdwa() {
    io_.fixed(kSdwaCode, 0, 9);
    const bool compares = i_.row->format == Format::Vopc && g_ >= Generation::Gfx9;
    if (g_ >= Generation::Gfx9) {
      bool scalar0 = i_.sources[0] < kFirstVector;
      scalar1_ = i_.row->format != Format::Vop1 && i_.sources[1] < kFirstVector;
      io_(scalar0, 55, 1);
      io_(scalar1_, 63, 1);
      if (scalar0)
        io_(i_.sources[0], 32, 8);
      else
        io_.vector(i_.sources[0], 32);
    } else {
      io_.vector(i_.sources[0], 32);
    }
    if (compares) {
      io_(i_.scalar_mask, 47, 1);
      if (i_.scalar_mask) io_(i_.scalar_destination, 40, 7);
    } else {
      io_(i_.destination_select, 40, 3);
      io_(i_.destination_unused, 43, 2);
      io_(i_.clamp, 45, 1);
      if (g_ >= Generation::Gfx9) io_(i_.output_modifier, 46, 2);
    }
    io_(i_.select0, 48, 3);
    io_.bit_of(i_.sign_extend, 0, 51);
    io_.bit_of(i_.negate, 0, 52);
    io_.bit_of(i_.absolute, 0, 53);
    io_(i_.select1, 56, 3);
    io_.bit_of(i_.sign_extend, 1, 59);
    io_.bit_of(i_.negate, 1, 60);
    io_.bit_of(i_.absolute, 1, 61);
  }
  // The dword of DPP; `at` is its first bit.
  void dpp(u32 at) {
    io_.vector(i_.sources[0], at);
    io_(i_.dpp_control, at + 8, 9);
    if (g_ >= Generation::Gfx10_1) io_(i_.fetch_inactive, at + 18, 1);
    io_(i_.bound_control, at + 19, 1);
    io_(i_.bank_mask, at + 24, 4);
    io_(i_.row_mask, at + 28, 4);
  }
  void dpp8(u32 code, u32 at) {
    bool fetch = i_.fetch_inactive;
    io_.choice(fetch, kDpp8Code, kDpp8FetchCode, code, 9);
    io_.set(i_.fetch_inactive, fetch);
    io_.vector(i_.sources[0], at);
    io_(i_.lanes, at + 8, 24);
  }

  void sources(u32 at) {
    switch (i_.variant) {
      case Variant::Dpp:
        io_.fixed(kDppCode, at, 9);
        dpp(64);
        break;
      case Variant::Dpp8: dpp8(at, 64); break;
      default: io_(i_.sources[0], at, 9); break;
    }
    io_(i_.sources[1], at + 9, 9);
    io_(i_.sources[2], at + 18, 9);
  }
  void vop3() {
    io_(i_.destination, 0, 8);
    const bool old = g_ <= Generation::Gfx7;
    if (op_.is(Property::MaskOut) && i_.row->format != Format::Vopc) {
      io_(i_.scalar_destination, 8, 7);
      if (!old) io_(i_.clamp, 15, 1);
    } else {
      io_(i_.absolute, 8, 3);
      io_.implied(i_.scalar_destination, i_.row->format == Format::Vopc ? i_.destination : u16{0}, false);
      io_(i_.clamp, old ? 11 : 15, 1);
      if (g_ >= Generation::Gfx9) io_(i_.op_sel, 11, 4);
    }
    if (i_.row->has(Form::Attribute)) {
      io_(i_.attribute, 32, 6);
      io_(i_.channel, 38, 2);
      io_(i_.high, 40, 1);
      io_(i_.sources[0], 41, 9);
      io_(i_.sources[2], 50, 9);
    } else {
      sources(32);
    }
    io_(i_.output_modifier, 59, 2);
    io_(i_.negate, 61, 3);
  }
  void vop3p() {
    io_(i_.destination, 0, 8);
    io_(i_.negate_hi, 8, 3);
    io_(i_.op_sel, 11, 3);
    io_.bit_of(i_.op_sel_hi, 2, 14);
    io_(i_.clamp, 15, 1);
    sources(32);
    io_.bit_of(i_.op_sel_hi, 0, 59);
    io_.bit_of(i_.op_sel_hi, 1, 60);
    io_(i_.negate, 61, 3);
  }

  void scalar_memory() {
    if (g_ <= Generation::Gfx7) {
      io_(i_.destination, 15, 7);
      io_.scaled(i_.resource, 9, 6, 2);
      bool immediate = i_.immediate_offset && !io_.literal_offset();
      io_(immediate, 8, 1);
      io_.set(i_.immediate_offset, immediate);
      if (immediate)
        io_.unsigned_scaled(i_.immediate, 0, 8, 4);
      else if (io_.literal_offset())
        io_.fixed(kLiteral, 0, 8);
      else
        io_(i_.sources[1], 0, 8);
      return;
    }
    io_.scaled(i_.resource, 0, 6, 2);
    io_(i_.destination, 6, 7);
    if (g_ <= Generation::Gfx9) {
      io_(i_.glc, 16, 1);
      io_(i_.immediate_offset, 17, 1);
      if (g_ == Generation::Gfx9) {
        io_(i_.scalar_offset, 14, 1);
        io_(i_.nv, 15, 1);
        if (i_.scalar_offset) io_(i_.sources[1], 57, 7);
      }
      if (i_.immediate_offset) {
        if (g_ == Generation::Gfx8)
          io_.unsigned_number(i_.immediate, 32, 20);
        else
          io_.signed_number(i_.immediate, 32, 21);
      } else if (!i_.scalar_offset) {
        io_(i_.sources[1], 32, 7);
      }
      return;
    }
    io_(i_.sources[1], 57, 7);
    if (g_ == Generation::Gfx12) {
      io_.signed_number(i_.immediate, 32, 24);
      io_(i_.scope, 21, 2);
      io_(i_.temporal, 23, 2);
      return;
    }
    io_.signed_number(i_.immediate, 32, 21);
    const bool rdna3 = g_ == Generation::Gfx11;
    io_(i_.dlc, rdna3 ? 13 : 14, 1);
    io_(i_.glc, rdna3 ? 14 : 16, 1);
  }

  void buffer() {
    const bool typed = i_.format == Format::Mtbuf;
    if (g_ == Generation::Gfx12) {
      io_(i_.sources[1], 0, 7);
      io_(i_.tfe, 22, 1);
      io_(i_.data, 32, 8);
      io_.scaled(i_.resource, 41, 9, 1);
      io_(i_.scope, 50, 2);
      io_(i_.temporal, 52, 3);
      if (typed)
        io_(i_.data_format, 55, 7);
      else
        io_.fixed(1, 55, 7);
      io_(i_.offen, 62, 1);
      io_(i_.idxen, 63, 1);
      io_(i_.address, 64, 8);
      io_(i_.offset0, 72, 24);
      return;
    }
    io_(i_.offset0, 0, 12);
    io_(i_.glc, 14, 1);
    io_(i_.address, 32, 8);
    io_(i_.data, 40, 8);
    io_.scaled(i_.resource, 48, 5, 4);
    io_(i_.sources[1], 56, 8);
    if (g_ == Generation::Gfx11) {
      io_(i_.slc, 12, 1);
      io_(i_.dlc, 13, 1);
      io_(i_.tfe, 53, 1);
      io_(i_.offen, 54, 1);
      io_(i_.idxen, 55, 1);
      if (typed) io_(i_.data_format, 19, 7);
      return;
    }
    io_(i_.offen, 12, 1);
    io_(i_.idxen, 13, 1);
    io_(i_.tfe, 55, 1);
    if (g_ <= Generation::Gfx7) io_(i_.addr64, 15, 1);
    if (g_ >= Generation::Gfx10_1) io_(i_.dlc, 15, 1);
    if (!typed) io_(i_.lds, 16, 1);
    io_(i_.slc, !typed && (g_ == Generation::Gfx8 || g_ == Generation::Gfx9) ? 17 : 54, 1);
    if (typed && g_ >= Generation::Gfx10_1) {
      io_(i_.data_format, 19, 7);
    } else if (typed) {
      io_(i_.data_format, 19, 4);
      io_(i_.number_format, 23, 3);
    }
  }

  void image() {
    if (g_ == Generation::Gfx12) {
      const bool sampled = i_.format == Format::Vsample;
      io_(i_.dimension, 0, 3);
      io_(i_.r128, 4, 1);
      io_(i_.d16, 5, 1);
      io_(i_.a16, 6, 1);
      io_(i_.mask, 22, 4);
      io_(i_.data, 32, 8);
      io_.scaled(i_.resource, 41, 9, 1);
      io_(i_.scope, 50, 2);
      io_(i_.temporal, 52, 3);
      io_(i_.address, 64, 8);
      for (u32 n = 0; n < 3; ++n) io_(i_.more_addresses[n], 72 + 8 * n, 8);
      if (sampled) {
        io_(i_.tfe, 3, 1);
        io_(i_.unorm, 13, 1);
        io_(i_.lwe, 40, 1);
        io_.scaled(i_.sampler, 55, 9, 1);
      } else {
        io_(i_.tfe, 55, 1);
        io_(i_.more_addresses[3], 56, 8);
      }
      return;
    }
    io_(i_.mask, 8, 4);
    io_(i_.r128, 15, 1);
    io_(i_.address, 32, 8);
    io_(i_.data, 40, 8);
    io_.scaled(i_.resource, 48, 5, 4);
    if (g_ == Generation::Gfx11) {
      io_(i_.address_dwords, 0, 1);
      io_(i_.dimension, 2, 3);
      io_(i_.unorm, 7, 1);
      io_(i_.slc, 12, 1);
      io_(i_.dlc, 13, 1);
      io_(i_.glc, 14, 1);
      io_(i_.a16, 16, 1);
      io_(i_.d16, 17, 1);
      io_(i_.tfe, 53, 1);
      io_(i_.lwe, 54, 1);
      io_.scaled(i_.sampler, 58, 5, 4);
    } else {
      io_(i_.unorm, 12, 1);
      io_(i_.glc, 13, 1);
      io_(i_.tfe, 16, 1);
      io_(i_.lwe, 17, 1);
      io_(i_.slc, 25, 1);
      io_.scaled(i_.sampler, 53, 5, 4);
      if (g_ >= Generation::Gfx8) io_(i_.d16, 63, 1);
      if (g_ <= Generation::Gfx9) {
        io_(i_.da, 14, 1);
        return;
      }
      io_(i_.address_dwords, 1, 2);
      io_(i_.dimension, 3, 3);
      io_(i_.dlc, 7, 1);
      io_(i_.a16, 62, 1);
    }
    for (u32 n = 0; n < 4u * i_.address_dwords; ++n) io_(i_.more_addresses[n], 64 + 8 * n, 8);
  }

  void flat() {
    if (g_ == Generation::Gfx12) {
      io_(i_.resource, 0, 7);
      io_(i_.destination, 32, 8);
      io_(i_.sve, 49, 1);
      io_(i_.scope, 50, 2);
      io_(i_.temporal, 52, 3);
      io_(i_.data, 55, 8);
      io_(i_.address, 64, 8);
      io_.signed_number(i_.immediate, 72, 24);
      return;
    }
    io_(i_.address, 32, 8);
    io_(i_.data, 40, 8);
    io_(i_.destination, 56, 8);
    if (g_ == Generation::Gfx11) {
      io_(i_.dlc, 13, 1);
      io_(i_.glc, 14, 1);
      io_(i_.slc, 15, 1);
      io_(i_.resource, 48, 7);
      io_(i_.sve, 55, 1);
      offset(13);
      return;
    }
    io_(i_.glc, 16, 1);
    io_(i_.slc, 17, 1);
    if (g_ <= Generation::Gfx8) {
      io_(i_.tfe, 55, 1);
      return;
    }
    io_(i_.lds, 13, 1);
    if (g_ == Generation::Gfx9) {
      io_(i_.resource, 48, 7);
      io_(i_.nv, 55, 1);
      offset(13);
    } else {
      io_(i_.resource, 48, 7);
      io_(i_.dlc, 12, 1);
      offset(12);
    }
  }
  // The flat segment has no negative offsets before GFX12, and none at all on GFX10.
  void offset(u32 width) {
    if (i_.format == Format::Flat)
      io_.unsigned_number(i_.immediate, 0, width - 1);
    else
      io_.signed_number(i_.immediate, 0, width);
  }

  Io& io_;
  I& i_;
  const OpcodeInfo& op_;
  Generation g_;
  bool scalar1_ = false;
};

}  // namespace amdcompat::gcn
