// Code objects as assembly for llvm-mc and ld.lld.
//
// Kernel descriptors become `.amdhsa_kernel` blocks, so that the assembler makes the 64 bytes itself; the image becomes
// one section of bytes, `.text`, because a linker may move sections and the code relies on their distances. The
// assembler is told registers instead of granules, the most that the granules allow.
#include <amdcompat/code_object.hpp>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "object.hpp"

namespace amdcompat::hsa {
namespace {

std::unexpected<Diagnostic> refuse_assembly(std::string message, std::string path = {}) {
  return std::unexpected(make_diagnostic(Code::AssemblyRefused, {}, std::move(message), std::move(path)));
}

// A name as the assembler takes it anywhere.
std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

class Assembly {
 public:
  explicit Assembly(const CodeObject& object) : object_(object) {}

  Result<std::string> run() {
    if (!object_.target->generation)
      return refuse_assembly(fmt::format("{} has no kernel descriptors", object_.target->name), "target");
    generation_ = *object_.target->generation;
    const auto id = target_id(*object_.target, object_.version, object_.features);
    if (!id) return std::unexpected(id.error());
    out_ = fmt::format("  .amdgcn_target \"{}\"\n", *id);
    if (auto problem = image()) return std::unexpected(std::move(*problem));
    for (std::size_t i = 0; i < object_.kernels.size(); ++i)
      if (auto problem = kernel(object_.kernels[i], fmt::format("kernels[{}]", i)))
        return std::unexpected(std::move(*problem));
    out_ += "  .amdgpu_metadata\n" + to_yaml(object_.metadata) + "  .end_amdgpu_metadata\n";
    return std::move(out_);
  }

 private:
  // Sections that hold nothing but descriptors are the assembler's to make.
  [[nodiscard]] std::vector<bool> kept_sections() const {
    std::vector<std::uint64_t> described(object_.code.sections.size());
    for (const CodeKernel& kernel : object_.kernels)
      if (kernel.descriptor_place) described[kernel.descriptor_place->section] += kDescriptorBytes;
    std::vector<bool> kept;
    for (std::size_t i = 0; i < described.size(); ++i) {
      const CodeSection& section = object_.code.sections[i];
      // An empty .bss is what HIP's compilers leave in every object.
      const bool idle = section.bytes.empty() && section.writable && section.size() <= 1;
      kept.push_back(!idle && described[i] < section.bytes.size() + section.zero_bytes);
    }
    return kept;
  }

  std::optional<Diagnostic> image() {
    const std::vector<bool> kept = kept_sections();
    const auto& sections = object_.code.sections;
    constexpr std::uint64_t kMostGap = std::uint64_t{1} << 24;
    out_ += "  .text\n  .p2align 12\n";
    bool first = true;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (!kept[i]) continue;
      const CodeSection& section = sections[i];
      if (section.writable)
        return refuse_assembly(
                   fmt::format("section '{}' is written to, and its distance from the code cannot be kept by a linker",
                               section.name),
                   fmt::format("sections[{}]", i))
            .error();
      if (first) at = section.address / kPageBytes * kPageBytes;
      first = false;
      if (section.address - at > kMostGap || section.zero_bytes > kMostGap)
        return refuse_assembly(
                   fmt::format("section '{}' is more than {} bytes from the one before", section.name, kMostGap),
                   fmt::format("sections[{}]", i))
            .error();
      if (section.address != at) out_ += fmt::format("  .zero {}\n", section.address - at);
      if (auto problem = bytes(i)) return problem;
      at = section.address + section.size();
    }
    return std::nullopt;
  }

  // The bytes of a section with the labels that lie in it.
  std::optional<Diagnostic> bytes(std::size_t index) {
    const CodeSection& section = object_.code.sections[index];
    std::map<std::uint64_t, std::string> labels;
    const auto define = [&](const CodePlace& place, std::string_view name, std::string_view type,
                            std::string_view visibility) {
      if (place.section != index) return;
      const std::string q = quoted(name);
      labels[place.offset] += fmt::format("  .globl {0}\n  .{3} {0}\n  .type {0},@{1}\n  .size {0}, {2}\n{0}:\n", q,
                                          type, place.size, visibility);
    };
    for (const CodeKernel& kernel : object_.kernels) define(kernel.code, kernel.name, "function", "protected");
    for (const CodeSymbol& symbol : object_.code.symbols)
      if (symbol.place) define(*symbol.place, symbol.name, symbol.function ? "function" : "object", "protected");
    for (std::size_t i = 0; i < object_.code.relocations.size(); ++i) {
      const CodeRelocation& relocation = object_.code.relocations[i];
      if (relocation.where.section != index) continue;
      if (relocation.type != kRelocationAbs64 && relocation.type != kRelocationRelative64)
        return refuse_assembly("ld.lld writes no relocations of 32 bits into what it links",
                               fmt::format("relocations[{}]", i))
            .error();
      return refuse_assembly(
                 "constants that hold addresses would have to lie in the code, which ld.lld does not write to",
                 fmt::format("relocations[{}]", i))
          .error();
    }
    for (std::size_t i = 0; i < object_.code.symbols.size(); ++i)
      if (!object_.code.symbols[i].place && !object_.code.relocations.empty())
        return refuse_assembly(fmt::format("'{}' is defined elsewhere", object_.code.symbols[i].name),
                               fmt::format("symbols[{}]", i))
            .error();
    std::uint64_t at = 0;
    const auto until = [&](std::uint64_t end) {
      while (at < end) {
        const std::uint64_t stop = std::min(end, at + 16);
        std::string line = "  .byte ";
        for (std::uint64_t i = at; i < stop; ++i)
          line += fmt::format("{}{:#04x}", i == at ? "" : ",", std::to_integer<unsigned>(section.bytes[i]));
        out_ += line + "\n";
        at = stop;
      }
    };
    for (const auto& [offset, text] : labels) {
      until(std::min<std::uint64_t>(offset, section.bytes.size()));
      out_ += text;
    }
    until(section.bytes.size());
    if (section.zero_bytes != 0) out_ += fmt::format("  .zero {}\n", section.zero_bytes);
    return std::nullopt;
  }

  std::optional<Diagnostic> kernel(const CodeKernel& kernel, const std::string& path) {
    const KernelDescriptor& d = *kernel.descriptor;
    out_ += fmt::format("  .section .rodata,\"a\"\n  .p2align 6\n  .amdhsa_kernel {}\n", quoted(kernel.name));
    const auto line = [&](std::string_view directive, std::uint64_t value) {
      out_ += fmt::format("    .amdhsa_{} {}\n", directive, value);
    };
    line("group_segment_fixed_size", d.group_segment_fixed_size);
    line("private_segment_fixed_size", d.private_segment_fixed_size);
    line("kernarg_size", d.kernarg_size);
    const bool wave32 = (d.properties & kPropertyWave32) != 0;
    const RegisterLimits limits = register_limits(d.rsrc1, *object_.target, wave32);
    if (object_.target->unified_registers) line("accum_offset", ((d.rsrc3 & 63) + 1) * 4);
    line("next_free_vgpr", limits.vgprs);
    // The assembler adds what VCC and others take; the granules say it all. On gfx6 it counts four registers for flat
    // scratch, which there is no directive against because the hardware has none.
    const std::uint32_t counted = generation_ == Generation::Gfx6 ? 4 : 0;
    line("next_free_sgpr", limits.sgprs == 0 ? 1 : limits.sgprs - counted);
    line("reserve_vcc", 0);
    if (generation_ >= Generation::Gfx7 && generation_ < Generation::Gfx10_1 && !flat_scratch_is_fixed())
      line("reserve_flat_scratch", 0);
    for (const KernelDescriptorField& field : kernel_descriptor_fields()) {
      if (!has_field(*object_.target, field)) continue;
      const std::uint32_t value = field_value(d, field);
      const bool in_words = field.word != DescriptorWord::Features;
      if (field.directive.empty()) {
        const bool said = field.name.starts_with("GRANULATED_W") || !in_words;
        if (value != 0 && !said)
          return refuse_assembly(fmt::format("no directive sets {}", field.name), path + ".descriptor").error();
        continue;
      }
      if (field.name == "ACCUM_OFFSET") continue;
      if (field.word == DescriptorWord::Preload && value == 0) continue;
      if (field.name == "USES_DYNAMIC_STACK" && object_.version < CodeObjectVersion::V5) continue;
      if (field.name == "SHARED_VGPR_COUNT" && value == 0) continue;
      // gfx940 has the flat scratch of the hardware and its own word for the private segment.
      std::string_view directive = field.directive;
      const bool architected = flat_scratch_is_fixed();
      if (architected && field.name == "ENABLE_PRIVATE_SEGMENT") directive = "enable_private_segment";
      if (architected &&
          (field.name == "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER" || field.name == "ENABLE_SGPR_FLAT_SCRATCH_INIT")) {
        if (value != 0)
          return refuse_assembly(fmt::format("no directive sets {}", field.name), path + ".descriptor").error();
        continue;
      }
      line(directive, value);
    }
    out_ += "  .end_amdhsa_kernel\n";
    return std::nullopt;
  }

  [[nodiscard]] bool flat_scratch_is_fixed() const {
    constexpr std::string_view kFixed[] = {"gfx940", "gfx941", "gfx942", "gfx950", "gfx9-4-generic"};
    return generation_ >= Generation::Gfx11 || std::ranges::find(kFixed, object_.target->name) != std::end(kFixed);
  }

  const CodeObject& object_;
  Generation generation_ = Generation::Gfx6;
  std::string out_;
};

}  // namespace

Result<std::string> to_assembly(const CodeObject& object) {
  if (object.version < CodeObjectVersion::V3)
    return refuse_assembly("V1 and V2 are read, not written: convert to V3 or later");
  // The writer's own conditions are those of assembly too: unknown targets, places outside sections.
  if (const auto file = write_code_object(object); !file) return std::unexpected(file.error());
  return Assembly(object).run();
}

}  // namespace amdcompat::hsa
