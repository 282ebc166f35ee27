// Text of instructions in the syntax of LLVM's assembler, which reads it back to the same bytes.
#include <bit>
#include <iterator>

#include <fmt/format.h>

#include "opcode.hpp"

namespace amdcompat::emulate {
namespace {

using enum Format;

std::string range(char kind, u32 first, u32 dwords) {
  return dwords <= 1 ? fmt::format("{}{}", kind, first) : fmt::format("{}[{}:{}]", kind, first, first + dwords - 1);
}

std::string scalar_register(u32 code, u32 dwords, Gfx gfx) {
  const auto pair = [&](std::string_view name, u32 first) {
    return dwords == 2 ? std::string(name) : fmt::format("{}_{}", name, code == first ? "lo" : "hi");
  };
  if (code == 106 || code == 107) return pair("vcc", 106);
  if (code == 126 || code == 127) return pair("exec", 126);
  if (code == 124) return "m0";
  if (gfx == Gfx::Gfx7 && (code == 104 || code == 105)) return pair("flat_scratch", 104);
  if (gfx == Gfx::Gfx8 && (code == 102 || code == 103)) return pair("flat_scratch", 102);
  if (gfx == Gfx::Gfx8 && (code == 104 || code == 105)) return pair("xnack_mask", 104);
  if (code == 108 || code == 109) return pair("tba", 108);
  if (code == 110 || code == 111) return pair("tma", 110);
  if (code >= 112 && code < 124)
    return dwords <= 1 ? fmt::format("ttmp{}", code - 112)
                       : fmt::format("ttmp[{}:{}]", code - 112, code - 112 + dwords - 1);
  return range('s', code, dwords);
}

class Text {
 public:
  Text(const Instruction& i, Gfx gfx) : i_(i), op_(*i.opcode), gfx_(gfx) {}

  std::string take() {
    out_ = op_.name;
    const bool plain = op_.scalar_destination || op_.literal || op_.name == "v_writelane_b32";
    const bool narrow = op_.format == Vop1 || op_.format == Vop2 || op_.format == Vopc;
    if (narrow && !plain) out_ += i_.format == Vop3 ? "_e64" : "_e32";
    switch (i_.format) {
      case Sop2:
      case Sop1:
      case Sopc: scalar(); break;
      case Sopk: sopk(); break;
      case Sopp: sopp(); break;
      case Smrd: smrd(); break;
      case Vop1:
      case Vop2:
      case Vop3: vector(); break;
      case Vopc: vector(); break;
      case Ds: ds(); break;
      case Mubuf:
      case Mtbuf: buffer(); break;
      case Flat: flat(); break;
      case Mimg: image(); break;
      case Exp: exp(); break;
      case Vintrp: operand(range('v', i_.destination, 1)); break;
    }
    return std::move(out_);
  }

 private:
  void operand(std::string_view text) {
    out_ += first_ ? " " : ", ";
    out_ += text;
    first_ = false;
  }
  void modifier(std::string_view text) {
    out_ += ' ';
    out_ += text;
  }
  std::string source(u32 code, u32 dwords) const {
    constexpr std::string_view kReals[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
    if (code >= kFirstVector) return range('v', code - kFirstVector, dwords);
    if (code < 128) return scalar_register(code, dwords, gfx_);
    if (code <= 192) return std::to_string(code - 128);
    if (code <= 208) return std::to_string(192 - static_cast<i32>(code));
    if (code >= 240 && code <= (gfx_ == Gfx::Gfx8 ? 248u : 247u)) return std::string(kReals[code - 240]);
    switch (code) {
      case 251: return "src_vccz";
      case 252: return "src_execz";
      case 253: return "src_scc";
      case 254: return "src_lds_direct";
      case kLiteral: return fmt::format("0x{:x}", i_.literal);
      default: return fmt::format("src_{}", code);
    }
  }
  void scalar() {
    if (op_.destination != Shape::None) operand(scalar_register(i_.destination, shape_dwords(op_.destination), gfx_));
    for (std::size_t n = 0; n < 2; ++n)
      if (op_.sources[n] != Shape::None) operand(source(i_.sources[n], shape_dwords(op_.sources[n])));
  }
  void sopk() {
    const std::string immediate = fmt::format("0x{:x}", static_cast<u32>(i_.immediate) & 0xffff);
    const std::string reg = scalar_register(i_.destination, 1, gfx_);
    if (op_.name.starts_with("s_setreg")) {
      operand(immediate);
      operand(op_.literal ? fmt::format("0x{:x}", i_.literal) : reg);
    } else {
      operand(reg);
      operand(immediate);
    }
  }
  void sopp() {
    const u32 value = static_cast<u32>(i_.immediate) & 0xffff;
    if (op_.name == "s_waitcnt") return waitcnt(value);
    if (op_.name == "s_endpgm" || op_.name == "s_barrier" || op_.name == "s_icache_inv" || op_.name == "s_ttracedata") {
      if (value != 0) operand(std::to_string(value));
    } else if (op_.name.starts_with("s_branch") || op_.name.starts_with("s_cbranch")) {
      operand(std::to_string(i_.immediate));
    } else {
      operand(std::to_string(value));
    }
  }
  // Counters at their largest value are not waited for.
  void waitcnt(u32 value) {
    const u32 vm = value & 15, exp = value >> 4 & 7, lgkm = value >> 8 & 15;
    if ((value & 0xf080) != 0 || (vm == 15 && exp == 7 && lgkm == 15)) return operand(fmt::format("0x{:x}", value));
    std::string text;
    if (vm != 15) text += fmt::format("vmcnt({})", vm);
    if (exp != 7) text += fmt::format("{}expcnt({})", text.empty() ? "" : " & ", exp);
    if (lgkm != 15) text += fmt::format("{}lgkmcnt({})", text.empty() ? "" : " & ", lgkm);
    operand(text);
  }
  void smrd() {
    if (op_.destination == Shape::None) return;
    operand(scalar_register(i_.destination, shape_dwords(op_.destination), gfx_));
    if (op_.sources[0] == Shape::None) return;  // s_memtime
    operand(scalar_register(i_.resource, shape_dwords(op_.sources[0]), gfx_));
    // The assembler counts dwords before GFX8, and bytes there.
    if (i_.immediate_offset)
      operand(fmt::format("0x{:x}", static_cast<u32>(i_.immediate) / (gfx_ == Gfx::Gfx8 ? 1 : 4)));
    else
      operand(source(i_.sources[1], 1));
    if (i_.glc) modifier("glc");
  }
  void vector() {
    const bool wide = i_.format == Vop3;
    if (op_.destination != Shape::None)
      operand(op_.scalar_destination ? scalar_register(i_.destination, 1, gfx_)
                                     : range('v', i_.destination, shape_dwords(op_.destination)));
    if (op_.mask_out) operand(scalar_register(i_.scalar_destination, 2, gfx_));
    for (u32 n = 0; n < 3; ++n) {
      const Shape shape = op_.sources[n];
      if (shape == Shape::None) {
        // v_madak has its literal after the second source; v_madmk between the two.
        if (op_.literal && n == 2 && op_.name != "v_madmk_f32") operand(fmt::format("0x{:x}", i_.literal));
        continue;
      }
      if (op_.name == "v_madmk_f32" && n == 1) operand(fmt::format("0x{:x}", i_.literal));
      std::string text = source(i_.sources[n], shape_dwords(shape));
      if ((i_.absolute >> n & 1) != 0) text = fmt::format("|{}|", text);
      // A constant with a minus sign would be another constant.
      if ((i_.negate >> n & 1) != 0)
        text = i_.sources[n] >= 128 && i_.sources[n] < kFirstVector && (i_.absolute >> n & 1) == 0
                   ? fmt::format("neg({})", text)
                   : fmt::format("-{}", text);
      operand(text);
    }
    if (op_.mask_in) operand(wide && op_.format != Vop3 ? source(i_.sources[2], 2) : "vcc");
    if (i_.clamp) modifier("clamp");
    constexpr std::string_view kOutput[] = {"", "mul:2", "mul:4", "div:2"};
    if (i_.output_modifier != 0) modifier(kOutput[i_.output_modifier]);
  }
  void ds() {
    if (op_.destination != Shape::None) operand(range('v', i_.destination, shape_dwords(op_.destination)));
    const bool addressed = op_.name != "ds_append" && op_.name != "ds_consume";
    if (addressed) operand(range('v', i_.address, 1));
    if (op_.sources[0] != Shape::None) operand(range('v', i_.data, shape_dwords(op_.sources[0])));
    if (op_.sources[1] != Shape::None) operand(range('v', i_.data1, shape_dwords(op_.sources[1])));
    if (op_.name.find("read2") != op_.name.npos || op_.name.find("write2") != op_.name.npos) {
      if (i_.offset0 != 0) modifier(fmt::format("offset0:{}", i_.offset0));
      if (i_.offset1 != 0) modifier(fmt::format("offset1:{}", i_.offset1));
    } else if ((i_.offset0 | i_.offset1) != 0) {
      modifier(fmt::format("offset:{}", i_.offset0 | i_.offset1 << 8));
    }
    if (i_.gds) modifier("gds");
  }
  [[nodiscard]] u32 data_dwords() const {
    const Shape shape = op_.sources[0] != Shape::None ? op_.sources[0] : op_.destination;
    return shape_dwords(shape) + (i_.tfe ? 1 : 0);
  }
  void buffer() {
    if (data_dwords() == 0) return;
    operand(range('v', i_.data, data_dwords()));
    const u32 addresses = i_.addr64 ? 2 : u32{i_.offen} + i_.idxen;
    operand(addresses == 0 ? "off" : range('v', i_.address, addresses));
    operand(scalar_register(i_.resource, 4, gfx_));
    if (i_.format == Mtbuf) {
      operand(fmt::format("dfmt:{}", i_.data_format));
      operand(fmt::format("nfmt:{}", i_.number_format));
    }
    operand(source(i_.sources[1], 1));
    if (i_.idxen) modifier("idxen");
    if (i_.offen) modifier("offen");
    if (i_.addr64) modifier("addr64");
    if (i_.offset0 != 0) modifier(fmt::format("offset:{}", i_.offset0));
    if (i_.glc) modifier("glc");
    if (i_.slc) modifier("slc");
    if (i_.tfe) modifier("tfe");
    if (i_.lds) modifier("lds");
  }
  void flat() {
    const bool atomic = op_.destination != Shape::None && op_.sources[0] != Shape::None;
    if (op_.destination != Shape::None && (!atomic || i_.glc))
      operand(range('v', i_.destination, shape_dwords(op_.destination)));
    operand(range('v', i_.address, 2));
    if (op_.sources[0] != Shape::None) operand(range('v', i_.data, shape_dwords(op_.sources[0])));
    if (i_.glc) modifier("glc");
    if (i_.slc) modifier("slc");
    if (i_.tfe) modifier("tfe");
  }
  // How many address registers an image takes depends on its dimensions, which the instruction does not name: four are
  // shown.
  void image() {
    const u32 components = static_cast<u32>(std::popcount(i_.mask));
    operand(range('v', i_.data, components == 0 ? 1 : components));
    operand(range('v', i_.address, 4));
    operand(scalar_register(i_.resource, i_.r128 ? 4 : 8, gfx_));
    if (op_.name.starts_with("image_sample") || op_.name == "image_get_lod")
      operand(scalar_register(i_.sampler, 4, gfx_));
    modifier(fmt::format("dmask:0x{:x}", i_.mask));
    if (i_.unorm) modifier("unorm");
    if (i_.glc) modifier("glc");
    if (i_.slc) modifier("slc");
    if (i_.r128) modifier("r128");
    if (i_.tfe) modifier("tfe");
    if (i_.lwe) modifier("lwe");
    if (i_.da) modifier("da");
  }
  void exp() {
    operand(i_.destination < 8 ? fmt::format("mrt{}", i_.destination) : fmt::format("target{}", i_.destination));
    const std::array<u32, 4> values{i_.data, i_.data1, i_.sources[0] - kFirstVector, i_.sources[1] - kFirstVector};
    for (u32 n = 0; n < 4; ++n) operand((i_.mask >> n & 1) != 0 ? range('v', values[n], 1) : "off");
    if (i_.compressed) modifier("compr");
    if (i_.done) modifier("done");
    if (i_.valid_mask) modifier("vm");
  }

  const Instruction& i_;
  const OpcodeInfo& op_;
  Gfx gfx_;
  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string disassemble(const Instruction& instruction, Gfx gfx) {
  if (instruction.opcode == nullptr) return fmt::format(".long 0x{:08x}", instruction.words[0]);
  return Text(instruction, gfx).take();
}

}  // namespace amdcompat::emulate
