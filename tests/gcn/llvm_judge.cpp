#include "llvm_judge.hpp"

#include <algorithm>
#include <map>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeAMDGPUDisassembler();
}

namespace amdcompat_test {
namespace {

// Keeps the instructions that an assembler makes of each line.
class Lines : public llvm::MCStreamer {
 public:
  Lines(llvm::MCContext& context, const llvm::SourceMgr& sources) : MCStreamer(context), sources_(sources) {}
  void emitInstruction(const llvm::MCInst& instruction, const llvm::MCSubtargetInfo&) override {
    instructions[sources_.getLineAndColumn(instruction.getLoc()).first] = instruction;
  }
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, std::uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection*, llvm::MCSymbol*, std::uint64_t, llvm::Align, llvm::SMLoc) override {}
  std::map<unsigned, llvm::MCInst> instructions;

 private:
  const llvm::SourceMgr& sources_;
};

constexpr const char* kTriple = "amdgcn-amd-amdhsa";

const llvm::Target& target() {
  static const llvm::Target* const found = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUDisassembler();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(kTriple, error);
  }();
  return *found;
}

}  // namespace

std::set<std::string> llvm_features(const std::string& processor) {
  const std::unique_ptr<llvm::MCSubtargetInfo> none(target().createMCSubtargetInfo(kTriple, "", ""));
  std::set<std::string> out;
  if (!none->isCPUStringValid(processor)) return out;
  const std::unique_ptr<llvm::MCSubtargetInfo> about(target().createMCSubtargetInfo(kTriple, processor, ""));
  for (const llvm::SubtargetFeatureKV& feature : about->getEnabledProcessorFeatures()) out.insert(feature.Key);
  return out;
}

struct LlvmJudge::State {
  State(const std::string& processor, unsigned wave)
      : wave_size(wave), generation(static_cast<unsigned>(std::stoul(processor.substr(3, processor.size() - 5)))),
        old(processor.starts_with("gfx6") || processor.starts_with("gfx7")),
        subtarget(target().createMCSubtargetInfo(kTriple, processor,
                                                 processor.size() < 7 ? ""
                                                 : wave == 32         ? "+wavefrontsize32,-wavefrontsize64"
                                                                      : "-wavefrontsize32,+wavefrontsize64")),
        instructions(target().createMCInstrInfo()), registers(target().createMCRegInfo(kTriple)),
        syntax(target().createMCAsmInfo(*registers, kTriple, options)),
        context(llvm::Triple(kTriple), syntax.get(), registers.get(), subtarget.get()),
        printer(target().createMCInstPrinter(llvm::Triple(kTriple), 0, *syntax, *instructions, *registers)),
        disassembler(old ? nullptr : target().createMCDisassembler(*subtarget, context)),
        emitter(target().createMCCodeEmitter(*instructions, context)) {}

  std::vector<std::uint8_t> encode(const llvm::MCInst& instruction) const {
    llvm::SmallVector<char, 20> bytes;
    llvm::SmallVector<llvm::MCFixup, 2> fixups;
    emitter->encodeInstruction(instruction, bytes, fixups, *subtarget);
    return {bytes.begin(), bytes.end()};
  }

  LlvmInstruction describe(const llvm::MCInst& instruction) const {
    LlvmInstruction out;
    const llvm::MCInstrDesc& about = instructions->get(instruction.getOpcode());
    out.name = instructions->getName(instruction.getOpcode()).str();
    llvm::raw_string_ostream stream(out.text);
    printer->printInst(&instruction, 0, "", *subtarget, stream);
    out.loads = about.mayLoad();
    out.stores = about.mayStore();
    for (unsigned n = 0; n < instruction.getNumOperands() && n < about.getNumOperands(); ++n) {
      if (!instruction.getOperand(n).isReg() || !instruction.getOperand(n).getReg()) continue;
      const int number = about.operands()[n].RegClass;
      const llvm::MCRegisterClass* const kind = number < 0 ? nullptr : &registers->getRegClass(number);
      const std::string name = kind == nullptr ? "" : registers->getRegClassName(kind);
      LlvmOperand operand = named(instruction.getOperand(n).getReg());
      const std::string reg = registers->getName(instruction.getOperand(n).getReg());
      if (reg == "SRC_VCCZ" || reg == "SRC_EXECZ") {
        operand.dwords = wave_size / 32;
        operand.lane_mask = true;
        out.operands.push_back(operand);
        continue;
      }
      if ((operand.file == 's' && operand.first >= 128) || reg.starts_with("SGPR_NULL")) continue;  // constants
      operand.lane_mask = name.starts_with("SReg_1") && (name == "SReg_1" || name == "SReg_1_XEXEC");
      operand.dwords = operand.lane_mask                               ? wave_size / 32
                       : kind != nullptr && kind->getSizeInBits() > 32 ? kind->getSizeInBits() / 32
                                                                       : 1;
      operand.written = n < about.getNumDefs();
      out.operands.push_back(operand);
    }
    for (const bool written : {true, false})
      for (const llvm::MCPhysReg reg : written ? about.implicit_defs() : about.implicit_uses()) {
        LlvmOperand operand = named(reg);
        operand.written = written;
        operand.implicit = true;
        if (operand.file == 's' && (operand.first == 106 || operand.first == 126)) {
          operand.lane_mask = true;
          operand.dwords = wave_size / 32;
        }
        out.operands.push_back(operand);
      }
    return out;
  }
  LlvmOperand named(llvm::MCRegister reg) const {
    const std::string name = registers->getName(reg);
    LlvmOperand out;
    const unsigned code = registers->getEncodingValue(reg);
    out.first = code & 0xff;
    if ((code & 0x100) != 0)
      out.file = name.starts_with("AGPR") ? 'a' : 'v';
    else if (name == "SCC" || name.starts_with("SRC_SCC"))
      out = {.file = 'c'};
    else if (name == "MODE")
      out = {.file = 'm'};
    else if (name == "FLAT_SCR")  // a pair of scalar registers up to GFX9
      out = generation >= 10 ? LlvmOperand{.file = 'f', .dwords = 2}
                             : LlvmOperand{.first = generation == 7 ? 104u : 102u, .dwords = 2};
    else if (name == "M0")
      out.first = generation >= 11 ? 125 : 124;
    else if (name == "VCC" || name == "VCC_LO" || name.starts_with("SRC_VCCZ"))
      out.first = 106;
    else if (name == "EXEC" || name == "EXEC_LO" || name.starts_with("SRC_EXECZ"))
      out.first = 126;
    return out;
  }

  unsigned wave_size;
  unsigned generation;  // 6 to 12
  bool old;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> syntax;
  llvm::MCContext context;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCCodeEmitter> emitter;
};

LlvmJudge::LlvmJudge(const std::string& processor, unsigned wave_size)
    : state_(std::make_unique<State>(processor, wave_size)) {}
LlvmJudge::~LlvmJudge() = default;

std::optional<LlvmInstruction> LlvmJudge::disassemble(std::span<const std::byte> bytes) {
  llvm::MCInst instruction;
  std::uint64_t size = 0;
  const llvm::ArrayRef<std::uint8_t> view(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (state_->disassembler->getInstruction(instruction, size, view, 0, llvm::nulls()) != llvm::MCDisassembler::Success)
    return std::nullopt;
  LlvmInstruction out = state_->describe(instruction);
  out.bytes = state_->encode(instruction);
  // Its disassembler passes over bits that mean nothing, rounds numbers of register pairs, and takes vector registers
  // where only scalar ones can be: no such encoding is one.
  if (out.text.find("Invalid register") != out.text.npos) return std::nullopt;
  if (out.bytes.size() != size || !std::equal(out.bytes.begin(), out.bytes.end(), view.begin())) return std::nullopt;
  return out;
}

std::vector<std::optional<LlvmInstruction>> LlvmJudge::assemble(const std::vector<std::string>& lines,
                                                                std::vector<std::string>& errors) {
  std::string text = ".text\n";  // line 1
  for (const std::string& line : lines) text += line + "\n";
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  errors.assign(lines.size(), "");
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic& found, void* out) {
        auto& list = *static_cast<std::vector<std::string>*>(out);
        const int line = found.getLineNo() - 2;
        if (line >= 0 && static_cast<std::size_t>(line) < list.size())
          list[static_cast<std::size_t>(line)] = found.getMessage().str();
      },
      &errors);
  State& s = *state_;
  llvm::MCContext context(llvm::Triple(kTriple), s.syntax.get(), s.registers.get(), s.subtarget.get(), &sources);
  const std::unique_ptr<llvm::MCObjectFileInfo> file(target().createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(file.get());
  Lines stream(context, sources);
  target().createNullTargetStreamer(stream);
  const std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, stream, *s.syntax));
  const std::unique_ptr<llvm::MCTargetAsmParser> syntax(
      target().createMCAsmParser(*s.subtarget, *parser, *s.instructions, s.options));
  parser->setTargetParser(*syntax);
  parser->Run(true);
  std::vector<std::optional<LlvmInstruction>> out(lines.size());
  for (const auto& [line, instruction] : stream.instructions) {
    LlvmInstruction& made = out[line - 2].emplace(s.describe(instruction));
    made.bytes = s.encode(instruction);
  }
  return out;
}

}  // namespace amdcompat_test
