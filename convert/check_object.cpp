// Whether the code of an object is code of its target.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/gcn_checks.hpp>

namespace amdcompat::convert {
namespace {

using u32 = std::uint32_t;
using gcn::Instruction;

// The other processors of the family, one of those that have the same instructions.
std::vector<const Target*> relatives(const Target& target) {
  std::vector<const Target*> out{&target};
  for (const Target& other : all_targets())
    if (other.generic == 0 && gcn::generation_of(other) &&
        hsa::descriptor_group(other) == hsa::descriptor_group(target) &&
        std::ranges::none_of(out, [&](const Target* known) { return gcn::same_instructions(*known, other); }))
      out.push_back(&other);
  out.erase(out.begin());
  return out;
}

bool has_wave32(const hsa::CodeKernel& kernel, Generation generation) {
  if (generation < Generation::Gfx10_1) return false;
  if (kernel.descriptor) return (kernel.descriptor->properties & hsa::kPropertyWave32) != 0;
  return kernel.legacy &&
         ((kernel.legacy->user_registers & hsa::kPropertyWave32) != 0 || kernel.legacy->wavefront == 5);
}

class CodeChecker {
 public:
  CodeChecker(const hsa::CodeObject& object, Diagnostics& diagnostics) : object_(object), diagnostics_(diagnostics) {}

  void run() {
    if (object_.target == nullptr || !object_.target->generation || object_.kernels.empty()) return;
    const auto generation = gcn::generation_of(*object_.target);
    if (!generation) {
      diagnostics_.report(
          Code::ObjectCodeUnchecked, {},
          fmt::format("the instructions of {} are not known here: its code was not checked", object_.target->name));
      return;
    }
    generation_ = *generation;
    for (std::size_t i = 0; i < object_.kernels.size(); ++i) check(object_.kernels[i], i);
  }

 private:
  void check(const hsa::CodeKernel& kernel, std::size_t index) {
    const auto& sections = object_.code.sections;
    if (kernel.code.section >= sections.size()) return;
    const std::span<const std::byte> code(sections[kernel.code.section].bytes);
    if (kernel.code.offset >= code.size() || kernel.code.offset % 4 != 0 || code.size() > ~u32{0}) return;
    const auto entry = static_cast<u32>(kernel.code.offset);
    const bool wave32 = has_wave32(kernel, generation_);
    const auto reachable = reachable_.try_emplace({kernel.code.section, wave32}, code, *object_.target).first;
    const DiagnosticScope scope(diagnostics_, {.kernel = kernel.name});
    bool lacking = false, unknown = false;
    const auto report = [&](Code what, bool& done, const Instruction& i, std::string text) {
      if (std::exchange(done, true)) return;
      diagnostics_.report(
          what, {},
          fmt::format("kernel {}: {} at {}0x{:x} {}", kernel.name, text, i.offset < entry ? "-" : "+",
                      i.offset < entry ? entry - i.offset : i.offset - entry,
                      what == Code::ObjectInstruction
                          ? fmt::format("is nothing on {}{}", object_.target->name,
                                        i.row == nullptr ? "" : " in wavefronts of 64 lanes")
                          : fmt::format("is no instruction of {} that is known here", object_.target->name)),
          fmt::format("kernels[{}].code", index));
    };
    const std::size_t before = reachable->second.computed().size();
    const std::vector<Instruction> instructions = reachable->second.from(entry);
    lost(kernel, index, instructions, reachable->second.computed().subspan(before), entry);
    for (const Instruction& i : instructions) {
      if (i.row != nullptr) {
        if (i.format == gcn::Format::Vopd && !wave32)
          report(Code::ObjectInstruction, lacking, i, fmt::format("'{}'", gcn::disassemble(i, generation_)));
        continue;
      }
      if (!relatives_) relatives_ = relatives(*object_.target);
      const auto other = std::ranges::find_if(
          *relatives_, [&](const Target* t) { return gcn::decode(code, i.offset, *t).row != nullptr; });
      if (other != relatives_->end())
        report(Code::ObjectInstruction, lacking, i,
               fmt::format("'{}' of {}",
                           gcn::disassemble(gcn::decode(code, i.offset, **other), *gcn::generation_of(**other)),
                           (*other)->name));
      else
        report(Code::ObjectEncodingUnknown, unknown, i, fmt::format("0x{:08x}", i.words[0]));
    }
  }

  // The first jump or call that goes where only a run knows. A function returns to where its call wrote.
  void lost(const hsa::CodeKernel& kernel, std::size_t index, std::span<const Instruction> instructions,
            std::span<const u32> computed, u32 entry) {
    for (const Instruction& i : instructions)
      if (i.opcode == gcn::Opcode::s_swappc_b64 || i.opcode == gcn::Opcode::s_call_b64) links_.insert(i.destination);
    std::vector<u32> sorted(computed.begin(), computed.end());
    std::ranges::sort(sorted);
    for (const Instruction& i : instructions) {
      const bool returns = i.opcode == gcn::Opcode::s_setpc_b64 && links_.contains(i.sources[0]);
      if (returns || !std::ranges::binary_search(sorted, i.offset)) continue;
      diagnostics_.report(Code::ObjectCodeUnchecked, {},
                          fmt::format("kernel {}: '{}' at {}0x{:x} goes to an address that is not known here: code "
                                      "there was not checked",
                                      kernel.name, gcn::disassemble(i, generation_), i.offset < entry ? "-" : "+",
                                      i.offset < entry ? entry - i.offset : i.offset - entry),
                          fmt::format("kernels[{}].code", index));
      return;
    }
  }

  const hsa::CodeObject& object_;
  Diagnostics& diagnostics_;
  Generation generation_{};
  std::set<u32> links_;  // registers that calls write their return address to
  std::optional<std::vector<const Target*>> relatives_;  // once they are asked for
  std::map<std::pair<std::size_t, bool>, gcn::Reachable> reachable_;  // by section and size of wavefronts
};

}  // namespace

bool check_object(const hsa::CodeObject& object, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.count(Severity::Error);
  hsa::check_code_object(object, diagnostics);
  CodeChecker(object, diagnostics).run();
  return diagnostics.count(Severity::Error) == errors;
}

}  // namespace amdcompat::convert
