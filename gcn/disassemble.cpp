// Text of instructions in the syntax of LLVM's assembler, which reads it back to the same bytes.
#include <algorithm>
#include <bit>
#include <iterator>

#include <fmt/format.h>

#include <amdcompat/gcn_checks.hpp>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

using enum Format;
using enum Generation;

std::string range(char kind, u32 first, u32 dwords) {
  return dwords <= 1 ? fmt::format("{}{}", kind, first) : fmt::format("{}[{}:{}]", kind, first, first + dwords - 1);
}
std::string hex(i32 value) {
  return value < 0 ? fmt::format("-0x{:x}", -std::int64_t{value}) : fmt::format("0x{:x}", value);
}

std::string scalar_register(u32 code, u32 dwords, Generation generation) {
  const auto pair = [&](std::string_view name, u32 first) {
    return dwords == 2 ? std::string(name) : fmt::format("{}_{}", name, code == first ? "lo" : "hi");
  };
  if (code == 106 || code == 107) return pair("vcc", 106);
  if (code == 126 || code == 127) return pair("exec", 126);
  if (generation >= Gfx11 && code == 124) return "null";
  if (code == 124) return "m0";
  if (generation >= Gfx11 && code == 125) return "m0";
  if (generation >= Gfx10_1 && code == 125) return "null";
  if (generation == Gfx7 && (code == 104 || code == 105)) return pair("flat_scratch", 104);
  if (generation == Gfx8 || generation == Gfx9) {
    if (code == 102 || code == 103) return pair("flat_scratch", 102);
    if (code == 104 || code == 105) return pair("xnack_mask", 104);
  }
  if (generation <= Gfx8) {
    if (code == 108 || code == 109) return pair("tba", 108);
    if (code == 110 || code == 111) return pair("tma", 110);
  }
  const u32 first_trap = generation <= Gfx8 ? 112 : 108;
  if (code >= first_trap && code < 124) {
    const u32 n = code - first_trap;
    return dwords <= 1 ? fmt::format("ttmp{}", n) : fmt::format("ttmp[{}:{}]", n, n + dwords - 1);
  }
  return range('s', code, dwords);
}

class Text {
 public:
  Text(const Instruction& i, Generation generation, u32 wave_size)
      : i_(i), op_(info(i.opcode)), row_(*i.row), name_(i.row->name), g_(generation), mask_dwords_(wave_size / 32) {}

  std::string take() {
    out_ = name_;
    switch (i_.format) {
      case Sop2:
      case Sop1:
      case Sopc: scalar(); break;
      case Sopk: sopk(); break;
      case Sopp: sopp(); break;
      case Smrd: scalar_memory(); break;
      case Vop1:
      case Vop2:
      case Vopc:
      case Vop3:
      case Vop3p: vector(); break;
      case Ds: ds(); break;
      case Mubuf:
      case Mtbuf: buffer(); break;
      case Flat:
      case Global:
      case Scratch: flat(); break;
      case Mimg:
      case Vsample: image(); break;
      case Exp: exp(); break;
      case Vintrp: interpolate(); break;
      case Vinterp: interpolate_in_registers(); break;
      case Ldsdir: direct(); break;
      case Vopd: dual(); break;
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
  [[nodiscard]] std::string vgpr(u32 first, Shape shape) const { return range('v', first, shape_dwords(shape)); }
  [[nodiscard]] std::string sgpr(u32 code, u32 dwords) const { return scalar_register(code, dwords, g_); }

  [[nodiscard]] std::string source(u32 code, Shape shape) const {
    constexpr std::string_view kReals[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
    const u32 dwords = shape_dwords(shape);
    if (code >= kFirstVector) return range('v', code - kFirstVector, dwords);
    if (code < kFirstConstant) return sgpr(code, dwords);
    if (code <= 192) return std::to_string(code - kFirstConstant);
    if (code <= 208) return std::to_string(192 - static_cast<i32>(code));
    if (code == 248 && g_ >= Gfx8 && shape == Shape::F64 && g_ >= Gfx9) return "0.15915494309189532";
    if (code >= 240 && code <= (g_ >= Gfx8 ? 248u : 247u)) return std::string(kReals[code - 240]);
    if (g_ >= Gfx9 && code >= 235 && code <= 239) {
      constexpr std::string_view kNames[] = {"src_shared_base", "src_shared_limit", "src_private_base",
                                             "src_private_limit", "src_pops_exiting_wave_id"};
      return std::string(kNames[code - 235]);
    }
    switch (code) {
      case kVccZero: return "src_vccz";
      case 252: return "src_execz";
      case 253: return "src_scc";
      case 254: return "src_lds_direct";
      case kLiteral: return fmt::format("0x{:x}", i_.literal);
      default: return fmt::format("src_{}", code);
    }
  }

  // --- scalar instructions ---
  void scalar() {
    if (i_.opcode == Opcode::s_set_gpr_idx_on) {
      operand(source(i_.sources[0], Shape::B32));
      return operand(std::to_string(i_.sources[1]));
    }
    const u32 dwords = shape_dwords(op_.destination);
    if (op_.destination != Shape::None) operand(sgpr(i_.destination, dwords));
    if (i_.opcode == Opcode::s_sendmsg_rtn_b32 || i_.opcode == Opcode::s_sendmsg_rtn_b64)
      return operand(std::to_string(i_.sources[0]));
    const bool literal = op_.is(Property::Literal);
    const bool between = name_ == "s_fmamk_f32";
    for (std::size_t n = 0; n < 2; ++n) {
      if (literal && between && n == 1) operand(fmt::format("0x{:x}", i_.literal));
      if (op_.sources[n] != Shape::None) operand(source(i_.sources[n], op_.sources[n]));
    }
    if (literal && !between) operand(fmt::format("0x{:x}", i_.literal));
  }
  void sopk() {
    const std::string immediate = fmt::format("0x{:x}", static_cast<u32>(i_.immediate) & 0xffff);
    const std::string reg = sgpr(i_.destination, std::max(shape_dwords(op_.destination), 1u));
    if (name_.starts_with("s_setreg")) {
      operand(immediate);
      operand(op_.is(Property::Literal) ? fmt::format("0x{:x}", i_.literal) : reg);
      return;
    }
    const bool reads = i_.opcode == Opcode::s_getreg_b32;
    if (op_.destination != Shape::None || reads) operand(reg);
    if (is_branch())
      operand(std::to_string(i_.immediate));
    else
      operand(immediate);
  }
  [[nodiscard]] bool is_branch() const {
    return name_.find("branch") != name_.npos || name_.starts_with("s_call") || name_.starts_with("s_subvector");
  }
  void sopp() {
    const u32 value = static_cast<u32>(i_.immediate) & 0xffff;
    if (i_.opcode == Opcode::s_waitcnt) return waitcnt(value);
    if (row_.has(Form::NoImmediate) || i_.opcode == Opcode::s_endpgm) {
      if (value != 0) operand(std::to_string(value));
    } else if (is_branch()) {
      operand(std::to_string(i_.immediate));
    } else {
      operand(std::to_string(value));
    }
  }
  // Counters at their largest value are not waited for.
  void waitcnt(u32 value) {
    u32 vm = value & 15, exp = value >> 4 & 7, lgkm = value >> 8 & 15, vm_most = 15, lgkm_most = 15, unused = 0xf080;
    if (g_ >= Gfx9) {
      vm |= value >> 14 << 4;
      vm_most = 63;
      unused = 0x3080;
    }
    if (g_ >= Gfx10_1) {
      lgkm = value >> 8 & 63;
      lgkm_most = 63;
      unused = 0x0080;
    }
    if (g_ >= Gfx11) {
      exp = value & 7;
      lgkm = value >> 4 & 63;
      vm = value >> 10;
      unused = 8;
    }
    if ((value & unused) != 0 || (vm == vm_most && exp == 7 && lgkm == lgkm_most))
      return operand(fmt::format("0x{:x}", value));
    std::string text;
    if (vm != vm_most) text += fmt::format("vmcnt({})", vm);
    if (exp != 7) text += fmt::format("{}expcnt({})", text.empty() ? "" : " & ", exp);
    if (lgkm != lgkm_most) text += fmt::format("{}lgkmcnt({})", text.empty() ? "" : " & ", lgkm);
    operand(text);
  }
  void scalar_memory() {
    const Shape data = op_.destination != Shape::None ? op_.destination : op_.sources[2];
    const bool based = op_.sources[0] != Shape::None;
    if (name_.find("prefetch") != name_.npos) return prefetch();
    if (data != Shape::None)
      operand(sgpr(i_.destination, shape_dwords(data)));
    else if (based && name_.starts_with("s_atc_probe"))
      operand(std::to_string(i_.destination));
    if (based) {
      operand(sgpr(i_.resource, shape_dwords(op_.sources[0])));
      scalar_offset();
    }
    scalar_cache();
  }
  void scalar_offset() {
    if (g_ <= Gfx8) {
      // The assembler counts dwords before GFX8, and bytes there.
      if (i_.immediate_offset)
        operand(fmt::format("0x{:x}", static_cast<u32>(i_.immediate) / (g_ == Gfx8 ? 1 : 4)));
      else
        operand(source(i_.sources[1], Shape::B32));
    } else if (g_ == Gfx9) {
      if (!i_.immediate_offset || i_.scalar_offset) operand(source(i_.sources[1], Shape::B32));
      if (i_.immediate_offset && !i_.scalar_offset) operand(hex(i_.immediate));
      if (i_.immediate_offset && i_.scalar_offset) modifier("offset:" + hex(i_.immediate));
    } else if (i_.sources[1] == (g_ >= Gfx11 ? 124 : 125)) {
      operand(hex(i_.immediate));
    } else {
      operand(sgpr(i_.sources[1], 1));
      if (i_.immediate != 0 || g_ == Gfx12) modifier("offset:" + hex(i_.immediate));
    }
  }
  void scalar_cache() {
    if (g_ == Gfx12) return temporal();
    if (i_.glc) modifier("glc");
    if (i_.dlc) modifier("dlc");
  }
  // Where, how far from there, and how much.
  void prefetch() {
    if (op_.sources[0] != Shape::None) operand(sgpr(i_.resource, shape_dwords(op_.sources[0])));
    operand(hex(i_.immediate));
    operand(sgpr(i_.sources[1], 1));
    operand(std::to_string(i_.destination));
  }
  // TH and SCOPE of GFX12.
  void temporal() {
    const u32 th = i_.temporal;
    const bool atomic = name_.find("_atomic_") != name_.npos;
    const bool stores = name_.find("_store") != name_.npos;
    if (th != 0) {
      std::string text = "th:";
      if (atomic) {
        text += "TH_ATOMIC_";
        if ((th & 4) != 0)
          text += i_.scope >= 2 ? std::string("CASCADE") + ((th & 2) != 0 ? "_NT" : "_RT") : fmt::format("0x{:x}", th);
        else if ((th & 2) != 0)
          text += std::string("NT") + ((th & 1) != 0 ? "_RETURN" : "");
        else
          text += "RETURN";
      } else {
        constexpr std::string_view kNames[] = {"", "NT", "HT", "", "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
        if (!stores && th == 7) {
          text += "0x7";
        } else {
          text += stores ? "TH_STORE_" : "TH_LOAD_";
          text += th == 3 ? (i_.scope == 3 ? "BYPASS" : stores ? "RT_WB" : "LU") : kNames[th];
        }
      }
      modifier(text);
    }
    constexpr std::string_view kScopes[] = {"", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"};
    if (i_.scope != 0) modifier(fmt::format("scope:{}", kScopes[i_.scope]));
  }
  void cache() {
    if (g_ == Gfx12) return temporal();
    if (i_.glc) modifier("glc");
    if (i_.slc) modifier("slc");
    if (i_.dlc) modifier("dlc");
  }

  // --- vector instructions ---
  [[nodiscard]] bool wide() const { return i_.format == Vop3 || i_.format == Vop3p; }
  void suffix() {
    const bool native = row_.format == Vop1 || row_.format == Vop2 || row_.format == Vopc;
    switch (i_.variant) {
      case Variant::Sdwa:
        if (row_.format != Vopc || g_ >= Gfx9) out_ += "_sdwa";
        break;
      case Variant::Dpp:
      case Variant::Dpp8: out_ += wide() ? "_e64_dpp" : "_dpp"; break;
      case Variant::Plain:
        if (native && i_.format == Vop3)
          out_ += "_e64";
        else if (native && !row_.has(Form::Bare))
          out_ += "_e32";
        else if (row_.has(Form::Suffix))
          out_ += "_e64";
        break;
    }
  }
  [[nodiscard]] std::string mask(u32 code) const { return sgpr(code, mask_dwords_); }
  [[nodiscard]] static constexpr bool bit(u32 bits, u32 n) { return (bits >> n & 1) != 0; }

  // Of instructions on matrices.
  [[nodiscard]] std::string matrix_source(u32 n) const {
    if (i_.sources[n] < kFirstVector) return source(i_.sources[n], op_.sources[n]);
    return range(accumulator(i_, n) ? 'a' : 'v', i_.sources[n] - kFirstVector,
                 dwords_in_wave(row_, op_.sources[n], n, mask_dwords_ * 32));
  }
  [[nodiscard]] std::string modified(u32 n) const {
    const u32 code = i_.sources[n];
    if (row_.has(Form::Matrix) || row_.has(Form::Accumulators)) return matrix_source(n);
    std::string text = source(code, op_.sources[n]);
    const bool packed = i_.format == Vop3p;
    if (packed && row_.has(Form::NegHi)) return text;
    if (bit(i_.sign_extend, n)) text = fmt::format("sext({})", text);
    const bool absolute = bit(packed ? i_.negate_hi : i_.absolute, n);
    if (absolute) text = fmt::format("|{}|", text);
    // A constant with a minus sign would be another constant.
    if (bit(i_.negate, n))
      text = code >= 128 && code < kFirstVector && !absolute ? fmt::format("neg({})", text) : fmt::format("-{}", text);
    return text;
  }
  [[nodiscard]] std::string list(std::string_view name, u32 bits, u32 count) const {
    std::string text = fmt::format("{}:[", name);
    for (u32 n = 0; n < count; ++n) text += fmt::format("{}{}", n == 0 ? "" : ",", bits >> n & 1);
    return text + "]";
  }
  [[nodiscard]] u32 source_count() const {
    u32 count = 0;
    for (const Shape shape : op_.sources) count += shape != Shape::None ? 1 : 0;
    return count;
  }
  [[nodiscard]] std::string attribute() const { return fmt::format("attr{}.{}", i_.attribute, "xyzw"[i_.channel & 3]); }

  void vector() {
    suffix();
    if (op_.destination != Shape::None && row_.format != Vopc)
      operand(op_.is(Property::ScalarDestination) ? sgpr(i_.destination, shape_dwords(op_.destination))
                                                  : range(accumulator(i_, 3) ? 'a' : 'v', i_.destination,
                                                          dwords_in_wave(row_, op_.destination, 3, mask_dwords_ * 32)));
    if (op_.is(Property::MaskOut) && !row_.has(Form::NoMask)) operand(mask(i_.scalar_destination));
    if (row_.has(Form::Attribute)) {
      if (i_.opcode == Opcode::v_interp_mov_f32)
        operand(parameter(i_.sources[0]));
      else
        operand(modified(0));
      operand(attribute());
      if (op_.sources[2] != Shape::None) operand(modified(2));
      if (i_.high) modifier("high");
    } else {
      vector_sources();
    }
    if (op_.is(Property::MaskIn)) operand(mask(wide() ? i_.sources[2] : static_cast<u16>(kVcc)));
    selects();
    if (i_.clamp) modifier("clamp");
    constexpr std::string_view kOutput[] = {"", "mul:2", "mul:4", "div:2"};
    if (i_.output_modifier != 0) modifier(kOutput[i_.output_modifier]);
    switch (i_.variant) {
      case Variant::Plain: break;
      case Variant::Sdwa: sdwa(); break;
      case Variant::Dpp: dpp(); break;
      case Variant::Dpp8: {
        std::string text = "dpp8:[";
        for (u32 n = 0; n < 8; ++n) text += fmt::format("{}{}", n == 0 ? "" : ",", i_.lanes >> (3 * n) & 7);
        modifier(text + "]");
        if (i_.fetch_inactive) modifier("fi:1");
        break;
      }
    }
  }
  void vector_sources() {
    // v_madak has its literal after the second source; v_madmk between the two.
    const bool literal = op_.is(Property::Literal);
    const bool between = name_.find("madmk") != name_.npos || name_.find("fmamk") != name_.npos;
    for (u32 n = 0; n < 3; ++n) {
      if (literal && n == (between ? 1 : 2)) operand(fmt::format("0x{:x}", i_.literal));
      if (literal && n == 2) break;
      if (op_.sources[n] != Shape::None) operand(modified(n));
    }
  }
  // Which halves or bytes, and what is negated.
  void selects() {
    const u32 count = source_count();
    if (row_.has(Form::Accumulators)) {
      if (count == 1) return;
      const u32 block = i_.op_sel | (i_.op_sel_hi >> 2 & 1u) << 3;
      if (i_.negate_hi != 0) modifier(fmt::format("cbsz:{}", i_.negate_hi));
      if (block != 0) modifier(fmt::format("abid:{}", block));
      if (i_.negate != 0) modifier(fmt::format("blgp:{}", i_.negate));
    } else if (i_.format == Vop3p) {
      if (name_.starts_with("v_swmmac") && i_.op_sel != 0) modifier(fmt::format("index_key:{}", i_.op_sel));
      if (row_.has(Form::OpSel) && i_.op_sel != 0) modifier(list("op_sel", i_.op_sel, count));
      if (row_.has(Form::OpSelHi)) {
        const u32 all = (1u << count) - 1, normal = row_.has(Form::NegHi) ? all : 0;
        if ((i_.op_sel_hi & all) != normal) modifier(list("op_sel_hi", i_.op_sel_hi, count));
      }
      if (row_.has(Form::NegHi) || row_.has(Form::Matrix)) {
        if (i_.negate != 0) modifier(list("neg_lo", i_.negate, count));
        if (i_.negate_hi != 0) modifier(list("neg_hi", i_.negate_hi, count));
      }
    } else if (row_.has(Form::ByteSel) && i_.op_sel != 0) {
      // The two bits are those of the destination, or of source 0 in reverse.
      const u32 byte = row_.format == Vop1 ? (i_.op_sel >> 1 & 1u) | (i_.op_sel & 1u) << 1 : i_.op_sel >> 2;
      modifier(fmt::format("byte_sel:{}", byte));
    } else if (row_.has(Form::OpSel) && i_.op_sel != 0) {
      if (name_.starts_with("v_permlane")) return modifier(list("op_sel", i_.op_sel, 2));
      // The destination comes last.
      const u32 bits = (i_.op_sel & ((1u << count) - 1)) | (i_.op_sel >> 3 & 1u) << count;
      modifier(list("op_sel", bits, count + 1));
    }
  }
  void sdwa() {
    if (op_.sources[0] == Shape::None) return;  // v_nop
    constexpr std::string_view kSelects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "7"};
    constexpr std::string_view kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "3"};
    if (row_.format != Vopc) {
      modifier(fmt::format("dst_sel:{}", kSelects[i_.destination_select]));
      modifier(fmt::format("dst_unused:{}", kUnused[i_.destination_unused]));
    }
    modifier(fmt::format("src0_sel:{}", kSelects[i_.select0]));
    if (op_.sources[1] != Shape::None) modifier(fmt::format("src1_sel:{}", kSelects[i_.select1]));
  }
  void dpp() {
    const u32 c = i_.dpp_control, low = c & 15;
    std::string text;
    if (c < 0x100)
      text = fmt::format("quad_perm:[{},{},{},{}]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6);
    else if (c > 0x100 && c <= 0x10f)
      text = fmt::format("row_shl:{}", low);
    else if (c > 0x110 && c <= 0x11f)
      text = fmt::format("row_shr:{}", low);
    else if (c > 0x120 && c <= 0x12f)
      text = fmt::format("row_ror:{}", low);
    else if (c == 0x130)
      text = "wave_shl:1";
    else if (c == 0x134)
      text = "wave_rol:1";
    else if (c == 0x138)
      text = "wave_shr:1";
    else if (c == 0x13c)
      text = "wave_ror:1";
    else if (c == 0x140)
      text = "row_mirror";
    else if (c == 0x141)
      text = "row_half_mirror";
    else if (c == 0x142)
      text = "row_bcast:15";
    else if (c == 0x143)
      text = "row_bcast:31";
    else if (c >= 0x150 && c <= 0x15f)
      text = fmt::format("row_share:{}", low);
    else if (c >= 0x160 && c <= 0x16f)
      text = fmt::format("row_xmask:{}", low);
    else
      text = fmt::format("dpp_ctrl:0x{:x}", c);
    modifier(text);
    modifier(fmt::format("row_mask:0x{:x}", i_.row_mask));
    modifier(fmt::format("bank_mask:0x{:x}", i_.bank_mask));
    if (i_.bound_control) modifier("bound_ctrl:1");
    if (i_.fetch_inactive) modifier("fi:1");
  }

  // Both operations of VOPD, which share a literal.
  void dual() {
    half(op_, name_, i_.destination, i_.sources);
    out_ += fmt::format(" :: {}", i_.second->name);
    first_ = true;
    half(info(i_.second->opcode), i_.second->name, i_.second_destination, i_.second_sources);
  }
  void half(const OpcodeInfo& op, std::string_view name, u32 destination, std::span<const u16> sources) {
    const std::string literal = fmt::format("0x{:x}", i_.literal);
    operand(range('v', destination, 1));
    operand(source(sources[0], op.sources[0]));
    if (name.find("fmamk") != name.npos) operand(literal);
    if (op.sources[1] != Shape::None) operand(source(sources[1], op.sources[1]));
    if (name.find("fmaak") != name.npos) operand(literal);
  }

  // --- interpolation ---
  [[nodiscard]] static std::string parameter(u32 code) {
    constexpr std::string_view kNames[] = {"p10", "p20", "p0"};
    const u32 n = code >= kFirstVector ? code - kFirstVector : code;
    return n < 3 ? std::string(kNames[n]) : fmt::format("invalid_param_{}", n);
  }
  void interpolate() {
    if (!row_.has(Form::Bare)) out_ += "_e32";
    operand(range('v', i_.destination, 1));
    operand(i_.opcode == Opcode::v_interp_mov_f32 ? parameter(i_.sources[0])
                                                  : range('v', i_.sources[0] - kFirstVector, 1));
    operand(attribute());
  }
  void interpolate_in_registers() {
    operand(range('v', i_.destination, 1));
    for (u32 n = 0; n < 3; ++n) operand(modified(n));
    if (i_.clamp) modifier("clamp");
    if (row_.has(Form::OpSel) && i_.op_sel != 0) modifier(list("op_sel", i_.op_sel, 4));
    modifier(fmt::format("wait_exp:{}", i_.wait));
  }
  void direct() {
    operand(range('v', i_.destination, 1));
    if (row_.number == 0) operand(attribute());
    modifier(fmt::format("{}:{}", g_ == Gfx12 ? "wait_va_vdst" : "wait_vdst", i_.wait));
    if (g_ == Gfx12) modifier(fmt::format("wait_vm_vsrc:{}", i_.wait_vsrc ? 1 : 0));
  }

  // --- memory ---
  void ds() {
    if (op_.destination != Shape::None) operand(vgpr(i_.destination, op_.destination));
    const bool addressed = !row_.has(Form::NoAddress);
    if (addressed) operand(range('v', i_.address, 1));
    // GWS has its data where others have their address.
    if (op_.sources[0] != Shape::None)
      operand(vgpr(name_.starts_with("ds_gws") ? i_.address : i_.data, op_.sources[0]));
    if (op_.sources[1] != Shape::None) operand(vgpr(i_.data1, op_.sources[1]));
    if (row_.has(Form::Two)) {
      if (i_.offset0 != 0) modifier(fmt::format("offset0:{}", i_.offset0));
      if (i_.offset1 != 0) modifier(fmt::format("offset1:{}", i_.offset1));
    } else if ((i_.offset0 | i_.offset1) != 0) {
      modifier(fmt::format("offset:{}", i_.offset0 | i_.offset1 << 8));
    }
    if (i_.gds) modifier("gds");
  }
  [[nodiscard]] u32 data_dwords() const {
    const Shape shape = op_.sources[0] != Shape::None ? op_.sources[0] : op_.destination;
    if (row_.has(Form::Unpacked) && !i_.packed_halves)
      return (name_.ends_with("xyzw") ? 4u : name_.ends_with("xyz") ? 3u : 2u) + (i_.tfe ? 1 : 0);
    return shape_dwords(shape) + (i_.tfe ? 1 : 0);
  }
  void buffer() {
    const bool to_lds = i_.lds || row_.has(Form::LdsOnly);
    if (data_dwords() == 0 && !to_lds) return cache();
    if (!to_lds) operand(range('v', i_.data, data_dwords()));
    const u32 addresses = i_.addr64 ? 2 : u32{i_.offen} + i_.idxen;
    if (i_.opcode != Opcode::buffer_store_lds_dword)
      operand(addresses == 0 ? "off" : range('v', i_.address, addresses));
    operand(sgpr(i_.resource, 4));
    if (i_.format == Mtbuf && g_ <= Gfx9) {
      operand(fmt::format("dfmt:{}", i_.data_format));
      operand(fmt::format("nfmt:{}", i_.number_format));
    } else if (i_.format == Mtbuf) {
      operand(fmt::format("format:{}", i_.data_format));
    }
    operand(source(i_.sources[1], Shape::B32));
    if (i_.idxen) modifier("idxen");
    if (i_.offen) modifier("offen");
    if (i_.addr64) modifier("addr64");
    if (i_.offset0 != 0) modifier(fmt::format("offset:{}", i_.offset0));
    cache();
    if (i_.tfe) modifier("tfe");
    if (i_.lds) modifier("lds");
  }
  void flat() {
    const bool atomic = op_.destination != Shape::None && op_.sources[0] != Shape::None;
    const bool returns = g_ == Gfx12 ? (i_.temporal & 1) != 0 : i_.glc;
    const bool loads = op_.destination != Shape::None && (!atomic || returns) && !i_.lds;
    if (loads) operand(range('v', i_.destination, dwords_in_wave(row_, op_.destination, 3, mask_dwords_ * 32)));
    const bool scalar = i_.format != Flat && i_.resource != no_scalar_address(g_);
    const auto data = [&] {
      if (op_.sources[0] != Shape::None) operand(vgpr(i_.data, op_.sources[0]));
    };
    if (i_.format == Flat) {
      operand(range('v', i_.address, 2));
      data();
    } else if (i_.format == Global) {
      if (row_.has(Form::NoAddress)) {
        data();
        if (op_.sources[0] == Shape::None && op_.destination == Shape::None) return cache();
        operand(scalar ? sgpr(i_.resource, 2) : "off");
      } else {
        operand(range('v', i_.address, scalar ? 1 : 2));
        data();
        operand(scalar ? sgpr(i_.resource, 2) : "off");
      }
    } else {
      const bool none = (g_ == Gfx10_1 || g_ == Gfx10_3) && i_.resource == 127;
      const bool vector = g_ >= Gfx11 ? i_.sve : !scalar;
      operand(vector ? range('v', i_.address, 1) : "off");
      data();
      operand(scalar && !none ? sgpr(i_.resource, 1) : "off");
    }
    if (i_.immediate != 0) modifier(fmt::format("offset:{}", i_.immediate));
    cache();
    if (i_.tfe) modifier("tfe");
    if (i_.lds) modifier("lds");
  }
  // How many address registers an image takes depends on its dimensions, which the instruction does not name before
  // GFX10: four are shown.
  void image() {
    operand(range('v', i_.data, image_data_dwords(i_, g_) + (i_.tfe ? 1 : 0)));
    if (g_ <= Gfx9)
      operand(range('v', i_.address, 4));
    else
      image_addresses();
    operand(sgpr(i_.resource, (i_.r128 && g_ <= Gfx8) || traces_rays(i_) ? 4 : 8));
    if (traces_rays(i_)) {
      if (i_.a16) modifier("a16");
      return;
    }
    if (has_sampler(i_)) operand(sgpr(i_.sampler, 4));
    modifier(fmt::format("dmask:0x{:x}", i_.mask));
    if (g_ >= Gfx10_1) {
      constexpr std::string_view kDimensions[] = {"1D",       "2D",       "3D",      "CUBE",
                                                  "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};
      modifier(fmt::format("dim:SQ_RSRC_IMG_{}", kDimensions[i_.dimension & 7]));
    }
    if (i_.unorm) modifier("unorm");
    cache();
    if (i_.r128 && g_ != Gfx9) modifier("r128");
    if (has_short_address(i_, g_)) modifier("a16");
    if (i_.tfe) modifier("tfe");
    if (i_.lwe) modifier("lwe");
    if (i_.da) modifier("da");
    if (i_.d16) modifier("d16");
  }
  void image_addresses() {
    const ImageAddress address = image_address(i_, g_);
    std::string text;
    for (const Registers& part : std::span(address.parts).first(address.count))
      text += fmt::format("{}{}", text.empty() ? "" : ", ", range('v', part.first, part.dwords));
    operand(address.list ? fmt::format("[{}]", text) : text);
  }
  [[nodiscard]] std::string target() const {
    const u32 n = i_.destination;
    if (n < 8) return fmt::format("mrt{}", n);
    if (n == 8) return "mrtz";
    if (n == 9) return "null";
    if (n >= 12 && n <= (g_ >= Gfx10_1 ? 16u : 15u)) return fmt::format("pos{}", n - 12);
    if (g_ >= Gfx10_1 && n == 20) return "prim";
    if (g_ >= Gfx11 && (n == 21 || n == 22)) return fmt::format("dual_src_blend{}", n - 21);
    if (g_ <= Gfx10_3 && n >= 32) return fmt::format("param{}", n - 32);
    return fmt::format("target{}", n);
  }
  void exp() {
    modifier(target());
    const std::array<u32, 4> values{i_.data, i_.data1, i_.sources[0] - kFirstVector, i_.sources[1] - kFirstVector};
    for (u32 n = 0; n < 4; ++n) operand((i_.mask >> n & 1) != 0 ? range('v', values[n], 1) : "off");
    if (i_.compressed) modifier("compr");
    if (i_.done) modifier("done");
    if (i_.valid_mask) modifier("vm");
    if (i_.row_enable) modifier("row_en");
  }

  const Instruction& i_;
  const OpcodeInfo& op_;
  const Row& row_;
  std::string_view name_;
  Generation g_;
  u32 mask_dwords_;
  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string disassemble(const Instruction& instruction, Generation generation, std::uint32_t wave_size) {
  if (instruction.row == nullptr) return fmt::format(".long 0x{:08x}", instruction.words[0]);
  return Text(instruction, generation, wave_size).take();
}

}  // namespace amdcompat::gcn
