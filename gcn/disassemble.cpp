// Text of instructions in the syntax of LLVM's assembler, which reads it back to the same bytes.
#include <bit>
#include <iterator>

#include <fmt/format.h>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

using enum Format;
using enum Generation;

std::string range(char kind, u32 first, u32 dwords) {
  return dwords <= 1 ? fmt::format("{}{}", kind, first) : fmt::format("{}[{}:{}]", kind, first, first + dwords - 1);
}

std::string scalar_register(u32 code, u32 dwords, Generation generation) {
  const auto pair = [&](std::string_view name, u32 first) {
    return dwords == 2 ? std::string(name) : fmt::format("{}_{}", name, code == first ? "lo" : "hi");
  };
  if (code == 106 || code == 107) return pair("vcc", 106);
  if (code == 126 || code == 127) return pair("exec", 126);
  if (code == 124) return "m0";
  if (generation == Gfx7 && (code == 104 || code == 105)) return pair("flat_scratch", 104);
  if (generation == Gfx8 && (code == 102 || code == 103)) return pair("flat_scratch", 102);
  if (generation == Gfx8 && (code == 104 || code == 105)) return pair("xnack_mask", 104);
  if (code == 108 || code == 109) return pair("tba", 108);
  if (code == 110 || code == 111) return pair("tma", 110);
  if (code >= 112 && code < 124)
    return dwords <= 1 ? fmt::format("ttmp{}", code - 112)
                       : fmt::format("ttmp[{}:{}]", code - 112, code - 112 + dwords - 1);
  return range('s', code, dwords);
}

class Text {
 public:
  Text(const Instruction& i, Generation generation)
      : i_(i), op_(info(i.opcode)), name_(i.row->name), generation_(generation) {}

  std::string take() {
    out_ = name_;
    if (i_.row->has(Form::E64)) out_ += i_.format == Vop3 ? "_e64" : "_e32";
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
    if (code < 128) return scalar_register(code, dwords, generation_);
    if (code <= 192) return std::to_string(code - 128);
    if (code <= 208) return std::to_string(192 - static_cast<i32>(code));
    if (code >= 240 && code <= (generation_ == Gfx8 ? 248u : 247u)) return std::string(kReals[code - 240]);
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
    if (op_.destination != Shape::None)
      operand(scalar_register(i_.destination, shape_dwords(op_.destination), generation_));
    for (std::size_t n = 0; n < 2; ++n)
      if (op_.sources[n] != Shape::None) operand(source(i_.sources[n], shape_dwords(op_.sources[n])));
  }
  void sopk() {
    const std::string immediate = fmt::format("0x{:x}", static_cast<u32>(i_.immediate) & 0xffff);
    const std::string reg = scalar_register(i_.destination, 1, generation_);
    if (name_.starts_with("s_setreg")) {
      operand(immediate);
      operand(op_.is(Property::Literal) ? fmt::format("0x{:x}", i_.literal) : reg);
    } else {
      operand(reg);
      operand(immediate);
    }
  }
  void sopp() {
    const u32 value = static_cast<u32>(i_.immediate) & 0xffff;
    if (name_ == "s_waitcnt") return waitcnt(value);
    if (name_ == "s_endpgm" || name_ == "s_barrier" || name_ == "s_icache_inv" || name_ == "s_ttracedata") {
      if (value != 0) operand(std::to_string(value));
    } else if (name_.starts_with("s_branch") || name_.starts_with("s_cbranch")) {
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
    operand(scalar_register(i_.destination, shape_dwords(op_.destination), generation_));
    if (op_.sources[0] == Shape::None) return;  // s_memtime
    operand(scalar_register(i_.resource, shape_dwords(op_.sources[0]), generation_));
    // The assembler counts dwords before GFX8, and bytes there.
    if (i_.immediate_offset)
      operand(fmt::format("0x{:x}", static_cast<u32>(i_.immediate) / (generation_ == Gfx8 ? 1 : 4)));
    else
      operand(source(i_.sources[1], 1));
    if (i_.glc) modifier("glc");
  }
  void vector() {
    const bool wide = i_.format == Vop3;
    if (op_.destination != Shape::None)
      operand(op_.is(Property::ScalarDestination) ? scalar_register(i_.destination, 1, generation_)
                                                  : range('v', i_.destination, shape_dwords(op_.destination)));
    if (op_.is(Property::MaskOut)) operand(scalar_register(i_.scalar_destination, 2, generation_));
    for (u32 n = 0; n < 3; ++n) {
      const Shape shape = op_.sources[n];
      if (shape == Shape::None) {
        // v_madak has its literal after the second source; v_madmk between the two.
        if (op_.is(Property::Literal) && n == 2 && name_ != "v_madmk_f32") operand(fmt::format("0x{:x}", i_.literal));
        continue;
      }
      if (name_ == "v_madmk_f32" && n == 1) operand(fmt::format("0x{:x}", i_.literal));
      std::string text = source(i_.sources[n], shape_dwords(shape));
      if ((i_.absolute >> n & 1) != 0) text = fmt::format("|{}|", text);
      // A constant with a minus sign would be another constant.
      if ((i_.negate >> n & 1) != 0)
        text = i_.sources[n] >= 128 && i_.sources[n] < kFirstVector && (i_.absolute >> n & 1) == 0
                   ? fmt::format("neg({})", text)
                   : fmt::format("-{}", text);
      operand(text);
    }
    if (op_.is(Property::MaskIn)) operand(wide && i_.row->format != Vop3 ? source(i_.sources[2], 2) : "vcc");
    if (i_.clamp) modifier("clamp");
    constexpr std::string_view kOutput[] = {"", "mul:2", "mul:4", "div:2"};
    if (i_.output_modifier != 0) modifier(kOutput[i_.output_modifier]);
  }
  void ds() {
    if (op_.destination != Shape::None) operand(range('v', i_.destination, shape_dwords(op_.destination)));
    const bool addressed = name_ != "ds_append" && name_ != "ds_consume";
    if (addressed) operand(range('v', i_.address, 1));
    if (op_.sources[0] != Shape::None) operand(range('v', i_.data, shape_dwords(op_.sources[0])));
    if (op_.sources[1] != Shape::None) operand(range('v', i_.data1, shape_dwords(op_.sources[1])));
    if (name_.find("read2") != name_.npos || name_.find("write2") != name_.npos) {
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
    operand(scalar_register(i_.resource, 4, generation_));
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
    operand(scalar_register(i_.resource, i_.r128 ? 4 : 8, generation_));
    if (name_.starts_with("image_sample") || name_ == "image_get_lod")
      operand(scalar_register(i_.sampler, 4, generation_));
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
  std::string_view name_;
  Generation generation_;
  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string disassemble(const Instruction& instruction, Generation generation) {
  if (instruction.row == nullptr) return fmt::format(".long 0x{:08x}", instruction.words[0]);
  return Text(instruction, generation).take();
}

}  // namespace amdcompat::gcn
