// Registers that instructions read and write, against LLVM's descriptions: for random encodings of every row, on every
// generation, each dword of a register that LLVM names is named here, and no other.
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <amdcompat/gcn.hpp>

#include "llvm_judge.hpp"

namespace amdcompat::gcn::operands_test {
namespace {

using amdcompat_test::LlvmInstruction;
using amdcompat_test::LlvmJudge;
using amdcompat_test::LlvmOperand;

struct Processor {
  Generation generation;
  const char* name;
  unsigned wave_size;
};
constexpr Processor kProcessors[] = {
    {Generation::Gfx6, "gfx600", 64},     {Generation::Gfx7, "gfx700", 64},     {Generation::Gfx8, "gfx803", 64},
    {Generation::Gfx9, "gfx900", 64},     {Generation::Gfx9, "gfx908", 64},     {Generation::Gfx10_1, "gfx1010", 32},
    {Generation::Gfx10_1, "gfx1010", 64}, {Generation::Gfx10_3, "gfx1030", 32}, {Generation::Gfx11, "gfx1100", 32},
    {Generation::Gfx11, "gfx1100", 64},   {Generation::Gfx12, "gfx1200", 32},   {Generation::Gfx12, "gfx1200", 64}};

// Where LLVM's descriptions are not what the hardware does.
struct Exception {
  std::string_view record;  // part of LLVM's name
  std::string_view what;  // how the difference begins
  std::string_view why;
};
constexpr Exception kExceptions[] = {
    {"S_MOVRELD", "", "says that the destination is read, having no word for one that M0 moves"},
    {"V_MOVRELD", "", "the same"},
    {"V_MOVRELSD", "", "the same"},
    {"V_SWAPREL", "", "the same, and does not say that lanes count"},
    {"S_CMOV", "only here reads s", "does not say that the destination stays where SCC is 0"},
    {"S_BITSET", "only here reads s", "does not say that the other bits stay; kept in an operand of no encoding"},
    {"S_QUADMASK", "only here writes scc", "does not say that SCC tells whether the result is not 0"},
    {"S_SETVSKIP", "", "describes it like a comparison; it sets VSKIP of the mode register, not SCC"},
    {"S_CBRANCH_", "only here", "does not say that forks and joins exchange EXEC"},
    {"SAVEEXEC_B", "", "gives EXEC the width of the wavefront, whatever that of the instruction"},
    {"WREXEC_B", "", "the same"},
    {"ATOMIC_CMPSWAP", "LLVM writes v", "gives the result the width of the data, two values; one is returned"},
    {"ATOMIC_FCMPSWAP", "LLVM writes v", "the same"},
    {"IMAGE_ATOMIC", "LLVM writes v", "always has a result; one is returned with `glc`"},
    {"IMAGE_ATOMIC", "only here reads v", "counts neither the components that `dmask` names nor the status"},
    {"_X_FMAC_F32", "LLVM reads v", "its disassembler takes the register before for the destination that is added to"},
    {"_X_FMAC_F32", "only here reads v", "the same"},
    {"_X_DOT2C_F32", "LLVM reads v", "the same"},
    {"_X_DOT2C_F32", "only here reads v", "the same"},
    {"IMAGE_GATHER4", "LLVM writes v", "has no registers for the status of halves that are gathered, but whole ones"},
    {"IMAGE_", "only here writes v", "counts the status that `lwe` returns only with `tfe`"},
    {"IMAGE_", "LLVM reads s", "takes eight registers for a resource of four (r128)"},
    {"V_INTERP_P2_F32_e64", "only here reads v", "does not say that the destination is added to"},
    {"V_INTERP_P2_F16", "only here reads m0", "says of GFX9 what it does not of the others"},
    {"DS_", "LLVM reads m0", "keeps what is true of GFX6 to GFX8 for later generations"},
    {"DS_", "only here reads m0", "does not say from GFX9 on that M0 has the part of GDS"},
    {"_LOAD_UBYTE_D16", "only here reads v", "does not say of FLAT that the other half of the register stays"},
    {"_LOAD_SBYTE_D16", "only here reads v", "the same"},
    {"_LOAD_SHORT_D16", "only here reads v", "the same"},
    {"_LOAD_FORMAT_D16_HI_X", "only here reads v", "the same of buffers"},
    {"V_MADMK_F16", "only here reads v", "does not say that the other half of the register stays on GFX9"},
    {"V_MADAK_F16", "only here reads v", "the same"},
    {"V_MAD_F16", "only here reads v", "the same"},
    {"V_MAD_U16", "only here reads v", "the same"},
    {"V_MAD_I16", "only here reads v", "the same"},
    {"V_FMA_F16", "only here reads v", "the same"},
    {"V_DIV_FIXUP_F16", "only here reads v", "the same"},
    {"V_ADD_I16", "only here reads v", "the same of `op_sel`"},
    {"V_SUB_I16", "only here reads v", "the same of `op_sel`"},
    {"_dpp", "only here reads v", "has no word for lanes without a partner in some rows"},
    {"S_SET_GPR_IDX_MODE", "only here reads m0", "does not say that the index in M0 stays"},
    {"V_CVT_PKACCUM_U8_F32", "only here reads v", "does not say that the other bytes of the destination stay"},
    {"S_BARRIER_SIGNAL", "", "has two records for an immediate and for M0, and takes one for the other"},
    {"S_GET_BARRIER_STATE", "", "the same"},
    {"S_BARRIER_JOIN", "", "the same"},
    {"S_BARRIER_INIT", "", "the same"},
    {"S_WAKEUP_BARRIER", "", "the same"},
    {"SCRATCH_LOAD_LDS", "only here reads", "forgets the base of scratch memory where LDS is loaded"},
    {"EXP", "LLVM reads v", "lists disabled components too"},
    {"EXP", "LLVM loads", "keeps exports in order by it"},
};
bool excepted(const std::string& record, const std::string& what) {
  for (const Exception& e : kExceptions)
    if (record.find(e.record) != record.npos && what.starts_with(e.what)) return true;
  return false;
}

// "s106", "v3", "scc": one dword each.
struct Registers {
  std::set<std::string> read, written, masks;
  std::set<std::string> perhaps_read, perhaps_written;  // of `some`
};
std::string spelled(char file, unsigned number) {
  switch (file) {
    case 'c': return "scc";
    case 'm': return "mode";
    case 'f': return "flat_scratch";
    default: return fmt::format("{}{}", file, number);
  }
}
Registers of(const LlvmInstruction& instruction) {
  Registers out;
  for (const LlvmOperand& o : instruction.operands)
    for (unsigned n = 0; n < o.dwords; ++n) {
      (o.written ? out.written : out.read).insert(spelled(o.file, o.first + n));
      if (o.lane_mask) out.masks.insert(spelled(o.file, o.first + n));
    }
  return out;
}
Registers of(const Operands& operands) {
  Registers out;
  for (const Operand& o : operands) {
    const char file = o.file == File::Scalar        ? 's'
                      : o.file == File::Vector      ? 'v'
                      : o.file == File::Accumulator ? 'a'
                      : o.file == File::Scc         ? 'c'
                      : o.file == File::Mode        ? 'm'
                                                    : 'f';
    for (unsigned n = 0; n < o.dwords; ++n) {
      const std::string name = spelled(file, o.first + n);
      const bool sure = !o.some || n == 0;
      if (o.read) (sure ? out.read : out.perhaps_read).insert(name);
      if (o.written) (sure ? out.written : out.perhaps_written).insert(name);
      if (o.lane_mask) out.masks.insert(name);
    }
  }
  return out;
}

std::vector<std::uint32_t> words_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint32_t> out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), out.size() * 4);
  return out;
}

class Comparison {
 public:
  explicit Comparison(const Processor& processor)
      : processor_(processor), judge_(processor.name, processor.wave_size), random_(11) {}

  void run() {
    for (const FormatInfo& format : formats(processor_.generation))
      for (std::uint32_t number = 0; number < 1u << format.opcode_width; ++number) sample(format, number);
    if (!lines_.empty()) assemble();
    for (const auto& [what, names] : differences_)
      ADD_FAILURE() << processor_.name << " wave" << processor_.wave_size << ": " << what << ": "
                    << fmt::format("{}", fmt::join(names, ", "));
    std::set<std::string> unseen;
    std::size_t all = 0;
    for (const Row& row : rows())
      if (exists(row, *find_target(processor_.name))) {
        ++all;
        const bool here = row.subset == Subset::Any && (row.format != Format::Vopd || processor_.wave_size == 32);
        if (!seen_.contains(&row) && here) unseen.insert(std::string(row.name));
      }
    // Some encodings of few valid fields are hit rarely.
    EXPECT_LE(unseen.size(), 4u) << processor_.name << ": not compared: " << fmt::format("{}", fmt::join(unseen, " "));
    fmt::print("{} wave{}: {} of {} rows, {} instructions compared\n", processor_.name, processor_.wave_size,
               seen_.size(), all, compared_);
  }

 private:
  static constexpr int kTries = 4000, kWanted = 4;

  void sample(const FormatInfo& format, std::uint32_t number) {
    const bool text = processor_.generation < Generation::Gfx8;
    int found = 0;
    const int wanted = text || format.format == Format::Vopd ? 60 : kWanted;
    for (int n = 0; n < kTries && found < wanted; ++n) {
      std::array<std::uint32_t, 5> words{};
      for (std::uint32_t& word : words) word = n == 0 ? 0 : static_cast<std::uint32_t>(random_()) & narrow(n);
      const std::uint32_t field = (1u << format.opcode_width) - 1;
      words[0] = (words[0] & ~format.mask & ~(field << format.opcode_bit)) | format.value | number << format.opcode_bit;
      if (format.format == Format::Mimg && n % 2 == 0)  // one component, or two
        words[0] = (words[0] & ~0xf00u) | (n % 4 == 0 ? 0x100 : 0x300);
      const bool gfx10 = processor_.generation == Generation::Gfx10_1 || processor_.generation == Generation::Gfx10_3;
      if (format.format == Format::Mtbuf && gfx10)  // the opcode's highest bit
        words[1] = (words[1] & ~(1u << 21)) | static_cast<std::uint32_t>(n & 1) << 21;
      if (format.format == Format::Mimg && gfx10) words[0] = (words[0] & ~1u) | static_cast<std::uint32_t>(n & 1);
      if (format.format >= Format::Flat && format.format <= Format::Scratch && n % 2 == 0) no_scalar_address(words, n);
      fix_bits(format, number, words, static_cast<std::uint32_t>(n));
      const auto bytes = std::as_bytes(std::span(words));
      const Instruction i = decode(bytes, 0, *find_target(processor_.name));
      if (i.row == nullptr) {
        if (n == 8) return;  // no row has this number
        continue;
      }
      // LLVM's disassembler crashes on accumulation registers that do not exist.
      if (text || i.row->has(Form::Accumulators)) {
        ++found;
        lines_.push_back(disassemble(i, processor_.generation));
      } else if (const auto theirs = judge_.disassemble(bytes)) {
        if (theirs->bytes.size() != i.dwords * 4u || !same_address(i, theirs->text)) continue;
        ++found;
        compare(i, *theirs);
      }
    }
  }
  // Of instructions that random words would hit too rarely.
  void fix_bits(const FormatInfo& format, std::uint32_t number, std::array<std::uint32_t, 5>& words,
                std::uint32_t n) const {
    const Generation g = processor_.generation;
    if (format.format == Format::Vopd) words[0] = (words[0] & ~(31u << 17)) | n % 19 << 17;
    if (format.format == Format::Vop3p && n % 4 == 0) {  // matrices: vector registers, no modifiers
      words[0] = (words[0] & ~0xff00u) | 0x4000;
      words[1] = (words[1] & 0x07ffffff) | 0x1c020100;
    }
    if (format.format != Format::Mimg || (number != 25 && number != 26)) return;
    if (g == Generation::Gfx11) {  // rays
      words[0] = (words[0] & 0xfffc0000) | 0x8f80 | (n >> 3 & 1);
      words[1] &= 0x001fffff;
    } else if (g == Generation::Gfx12) {
      words[0] = (words[0] & 0xffffc000) | 0x03c00010 | (n & 8) << 3;
      words[1] &= 0xff003eff;
    }
  }
  void no_scalar_address(std::array<std::uint32_t, 5>& words, int n) const {
    const Generation g = processor_.generation;
    if (g < Generation::Gfx9) return;
    const std::uint32_t code = g >= Generation::Gfx11 ? 124 : g == Generation::Gfx9 || n % 4 == 0 ? 127 : 125;
    if (g == Generation::Gfx12)
      words[0] = (words[0] & ~0x7fu) | code;
    else
      words[1] = (words[1] & ~0x7f0000u) | code << 16;
  }
  // Small register numbers and few flags are more often valid.
  std::uint32_t narrow(int n) {
    constexpr std::uint32_t kMasks[] = {0xffffffff, 0x1f1f1f1f, 0x0f1f0f1f, 0x07070707};
    if (n % 7 < 4) return kMasks[n % 7];
    const auto few = static_cast<std::uint32_t>(random_() & random_());
    return n % 7 == 4 ? few : n % 7 == 5 ? few & static_cast<std::uint32_t>(random_()) : few & few >> 7 & few << 11;
  }
  // Images may have more or fewer registers in their encoding than their address takes: LLVM then shows those.
  [[nodiscard]] bool same_address(const Instruction& i, const std::string& theirs) const {
    if (i.row->format != Format::Mimg && i.row->format != Format::Vsample) return true;
    if (processor_.generation < Generation::Gfx10_1) return true;
    const auto address = [](const std::string& text) {
      const auto begin = std::min(text.find(", "), text.size());
      return text.substr(begin, text.find(", s", begin) - begin);
    };
    return address(theirs) == address(disassemble(i, processor_.generation, processor_.wave_size));
  }
  void assemble() {
    std::vector<std::string> errors;
    const auto made = judge_.assemble(lines_, errors);
    std::map<std::string, int> done;
    for (const auto& theirs : made) {
      if (!theirs) continue;
      const std::vector<std::uint32_t> words = words_of(theirs->bytes);
      const Instruction i = decode(std::as_bytes(std::span(words)), 0, *find_target(processor_.name));
      if (i.row != nullptr && ++done[theirs->name] <= kWanted) compare(i, *theirs);
    }
  }

  void compare(const Instruction& i, const LlvmInstruction& llvm) {
    ++compared_;
    seen_.insert(i.row);
    if (i.second != nullptr) seen_.insert(i.second);
    const Operands found = operands(i, processor_.generation, processor_.wave_size);
    const Registers ours = of(found), theirs = of(llvm);
    const auto one_way = [&](const char* what, const std::set<std::string>& have, const std::set<std::string>& in,
                             const std::set<std::string>& also) {
      for (const std::string& r : have)
        if (!in.contains(r) && !also.contains(r)) note(llvm, fmt::format("{} {}", what, group(r)), r);
    };
    one_way("LLVM reads", theirs.read, ours.read, ours.perhaps_read);
    one_way("only here reads", ours.read, theirs.read, {});
    one_way("LLVM writes", theirs.written, ours.written, ours.perhaps_written);
    one_way("only here writes", ours.written, theirs.written, {});
    one_way("LLVM has a lane mask in", theirs.masks, ours.masks, {});
    one_way("only here a lane mask in", ours.masks, theirs.masks, {});
    const Format format = i.row->format;  // LLVM keeps other instructions in their place by calling them loads
    if (format < Format::Smrd || (format > Format::Smrd && format < Format::Ds) || format > Format::Scratch) return;
    if (found.loads != llvm.loads) note(llvm, found.loads ? "only here loads" : "LLVM loads", "");
    const bool stores = found.stores || found.lds_store;
    if (stores != llvm.stores) note(llvm, stores ? "only here stores" : "LLVM stores", "");
  }
  static std::string group(const std::string& name) {
    if (name == "s124" || name == "s125") return "m0";
    if (name == "s126" || name == "s127") return "exec";
    if (name == "s106" || name == "s107") return "vcc";
    return name[0] == 'v' || (name[0] == 's' && name != "scc") ? name.substr(0, 1) : name;
  }
  void note(const LlvmInstruction& llvm, const std::string& what, const std::string& which) {
    if (excepted(llvm.name, what)) return;
    auto& list = differences_[what];
    if (list.size() < 12) list.push_back(fmt::format("{}{} {}", llvm.name, llvm.text, which));
  }

  Processor processor_;
  LlvmJudge judge_;
  std::mt19937 random_;
  std::set<const Row*> seen_;
  std::size_t compared_ = 0;
  std::vector<std::string> lines_;
  std::map<std::string, std::vector<std::string>> differences_;
};

class OperandsOf : public testing::TestWithParam<Processor> {};
TEST_P(OperandsOf, EveryRowAreThoseThatLlvmNames) { Comparison(GetParam()).run(); }
INSTANTIATE_TEST_SUITE_P(Processors, OperandsOf, testing::ValuesIn(kProcessors),
                         [](const auto& one) { return fmt::format("{}_wave{}", one.param.name, one.param.wave_size); });

}  // namespace
}  // namespace amdcompat::gcn::operands_test
