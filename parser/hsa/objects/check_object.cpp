// What a loader or the hardware would trip over in a code object.
#include <amdcompat/code_object.hpp>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <amdcompat/cl2.hpp>

#include "object.hpp"

namespace amdcompat::hsa {
namespace {

class Checker {
 public:
  Checker(const CodeObject& object, Diagnostics& diagnostics) : object_(object), diagnostics_(diagnostics) {}

  void run() {
    header();
    // Both sides by the kernel's name: a symbol is one of a kernel by this suffix. [LDR]
    constexpr std::string_view kSuffix = ".kd";
    std::unordered_map<std::string_view, const MetadataKernel*> metadata;
    for (const MetadataKernel& kernel : object_.metadata.kernels)
      if (kernel.symbol && kernel.symbol->ends_with(kSuffix))
        metadata.emplace(without_suffix(*kernel.symbol, kSuffix), &kernel);
    std::unordered_set<std::string_view> kernels;
    place_.list = "kernels";
    for (place_.index = 0; place_.index < object_.kernels.size(); ++place_.index) {
      const CodeKernel& kernel = object_.kernels[place_.index];
      const DiagnosticScope scope(diagnostics_, {.kernel = kernel.name});
      kernels.insert(kernel.name);
      const auto found = metadata.find(kernel.name);
      if (found == metadata.end())
        report(Code::ObjectKernelUnmatched, ".name", fmt::format("no metadata for kernel '{}'", kernel.name));
      check(kernel, found == metadata.end() ? nullptr : found->second);
    }
    place_.list = "amdhsa.kernels";
    for (place_.index = 0; place_.index < object_.metadata.kernels.size(); ++place_.index) {
      const MetadataKernel& kernel = object_.metadata.kernels[place_.index];
      if (!kernel.symbol) continue;
      if (kernel.symbol->ends_with(kSuffix) && kernels.contains(without_suffix(*kernel.symbol, kSuffix))) continue;
      const DiagnosticScope scope(diagnostics_,
                                  {.kernel = kernel.name ? std::string_view(*kernel.name) : std::string_view{}});
      report(Code::ObjectKernelUnmatched, ".symbol", fmt::format("no descriptor '{}'", *kernel.symbol));
    }
    places();
  }

 private:
  static std::string_view without_suffix(std::string_view text, std::string_view suffix) {
    return text.substr(0, text.size() - suffix.size());
  }

  void report(Code code, std::string_view key, std::string message) {
    diagnostics_.report(code, {}, std::move(message), fmt::format("{}[{}]{}", place_.list, place_.index, key));
  }

  void header() {
    if (object_.target == nullptr) {
      diagnostics_.report(Code::ObjectTargetUnknown, {}, "the object names no known target", "target");
      return;
    }
    if (object_.version < CodeObjectVersion::V4 || !object_.metadata.target) return;
    const auto id = target_id(*object_.target, object_.version, object_.features);
    if (id && *id != *object_.metadata.target)
      diagnostics_.report(Code::ObjectTargetDiffers, object_.metadata.where.range,
                          fmt::format("'{}' in the metadata, '{}' in the flags", *object_.metadata.target, *id),
                          "amdhsa.target");
  }

  void check(const CodeKernel& kernel, const MetadataKernel* metadata) {
    const auto& sections = object_.code.sections;
    constexpr std::uint64_t kCodeAlign = 256, kDescriptorAlign = 64;
    if (kernel.code.section < sections.size()) {
      const CodeSection& section = sections[kernel.code.section];
      if (!section.executable) report(Code::ObjectKernelBroken, ".code", fmt::format("'{}' is no code", section.name));
      if ((section.address + kernel.code.offset) % kCodeAlign != 0)
        report(Code::ObjectAlignment, ".code", "the entry is not on 256 bytes, from which the hardware starts");
      if (kernel.code.size == 0 || kernel.code.offset + kernel.code.size > section.bytes.size())
        report(Code::ObjectKernelBroken, ".code", fmt::format("{} bytes of code", kernel.code.size));
    }
    if (!kernel.descriptor) return;
    const KernelDescriptor& d = *kernel.descriptor;
    if (kernel.descriptor_place && kernel.descriptor_place->section < sections.size()) {
      const CodeSection& section = sections[kernel.descriptor_place->section];
      const std::uint64_t address = section.address + kernel.descriptor_place->offset;
      if (address % kDescriptorAlign != 0)
        report(Code::ObjectAlignment, ".descriptor", "the descriptor is not on 64 bytes");
      if (kernel.code.section < sections.size() && address + static_cast<std::uint64_t>(d.entry_offset) !=
                                                       sections[kernel.code.section].address + kernel.code.offset)
        report(Code::ObjectKernelBroken, ".descriptor.kernel_code_entry_byte_offset",
               fmt::format("{} does not lead to the code of '{}'", d.entry_offset, kernel.name));
    }
    if (object_.target != nullptr && object_.target->generation) bits(d, *object_.target, metadata);
    if (metadata != nullptr) against(d, *metadata);
  }

  void bits(const KernelDescriptor& d, const Target& target, const MetadataKernel* metadata) {
    const auto word = [&](DescriptorWord which, std::uint32_t value) {
      const std::uint32_t unknown = value & ~known_bits(which, target, object_.version);
      if (unknown != 0)
        report(Code::ObjectReservedBits, fmt::format(".descriptor.{}", word_name(which)),
               fmt::format("bits {:#x} are reserved on {} in {}", unknown, descriptor_group(target),
                           version_info(object_.version).name));
    };
    word(DescriptorWord::Rsrc1, d.rsrc1);
    word(DescriptorWord::Rsrc2, d.rsrc2);
    word(DescriptorWord::Rsrc3, d.rsrc3);
    word(DescriptorWord::Properties, d.properties);
    word(DescriptorWord::Preload, d.preload);
    const auto zero = [](auto bytes) {
      return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{}; });
    };
    if (!zero(d.reserved0) || !zero(d.reserved1) || !zero(d.reserved3))
      report(Code::ObjectReservedBits, ".descriptor", "reserved bytes are not 0");
    // Preloaded arguments are user registers too.
    const std::uint32_t count = d.rsrc2 >> 1 & 31;
    const std::uint32_t sum = cl2::user_register_count(d.properties & 0x7f) + (d.preload & 0x7f);
    if (count < sum)
      report(Code::UserRegisterCount, ".descriptor.compute_pgm_rsrc2",
             fmt::format("{} user registers enabled, {} counted", sum, count));
    if (metadata == nullptr) return;
    const bool wave32 = (d.properties & kPropertyWave32) != 0;
    const RegisterLimits limits = register_limits(d.rsrc1, target, wave32);
    const auto registers = [&](std::string_view key, std::optional<std::uint64_t> used, std::uint32_t limit) {
      if (used && limit != 0 && *used > limit)
        report(Code::ObjectRegisters, ".descriptor.compute_pgm_rsrc1",
               fmt::format("room for {} registers, {} says {}", limit, key, *used));
    };
    registers(".vgpr_count", metadata->vgpr_count, limits.vgprs);
    registers(".sgpr_count", metadata->sgpr_count, limits.sgprs);
    if (metadata->wavefront_size && *metadata->wavefront_size != (wave32 ? 32u : 64u))
      report(Code::ObjectSegmentDiffers, ".descriptor.kernel_code_properties",
             fmt::format("wavefronts of {}, {} in the metadata", wave32 ? 32 : 64, *metadata->wavefront_size));
  }

  void against(const KernelDescriptor& d, const MetadataKernel& metadata) {
    const auto same = [&](std::string_view field, std::uint64_t value, std::optional<std::uint64_t> stated) {
      if (stated && value != *stated)
        report(Code::ObjectSegmentDiffers, fmt::format(".descriptor.{}", field),
               fmt::format("{} bytes, {} in the metadata", value, *stated));
    };
    same("group_segment_fixed_size", d.group_segment_fixed_size, metadata.group_segment_fixed_size);
    same("private_segment_fixed_size", d.private_segment_fixed_size, metadata.private_segment_fixed_size);
    if (d.kernarg_size != 0) same("kernarg_size", d.kernarg_size, metadata.kernarg_segment_size);
    if (d.private_segment_fixed_size != 0 && (d.rsrc2 & 1) == 0)
      report(
          Code::ObjectSegmentDiffers, ".descriptor.compute_pgm_rsrc2",
          fmt::format("{} bytes of scratch per work-item, but scratch is not enabled", d.private_segment_fixed_size));
    if (!metadata.args.empty() && (d.properties & kSgprKernargPtr) == 0 && (d.preload & 0x7f) == 0)
      report(Code::ObjectKernargUnused, ".descriptor.kernel_code_properties",
             "the metadata lists arguments, the code gets no pointer to them");
    if (object_.version >= CodeObjectVersion::V5 && metadata.uses_dynamic_stack &&
        *metadata.uses_dynamic_stack != ((d.properties & kPropertyDynamicStack) != 0))
      report(Code::ObjectSegmentDiffers, ".descriptor.kernel_code_properties",
             "descriptor and metadata disagree on the dynamic stack");
  }

  void places() {
    const auto& code = object_.code;
    std::uint64_t end = 0;
    place_.list = "sections";
    for (place_.index = 0; place_.index < code.sections.size(); ++place_.index) {
      const CodeSection& section = code.sections[place_.index];
      if (section.address < end || section.address % std::max<std::uint64_t>(section.align, 1) != 0)
        report(Code::ObjectSections, "",
               fmt::format("'{}' overlaps the section before it or is not aligned", section.name));
      end = section.address + section.size();
    }
    place_.list = "relocations";
    for (place_.index = 0; place_.index < code.relocations.size(); ++place_.index) {
      const CodeRelocation& relocation = code.relocations[place_.index];
      const bool inside =
          relocation.where.section < code.sections.size() &&
          relocation.where.offset + relocation.where.size <= code.sections[relocation.where.section].bytes.size();
      const bool target =
          relocation.symbol ? *relocation.symbol < code.symbols.size() : relocation.target < code.sections.size();
      if (!inside || !target) report(Code::ObjectRelocation, "", "outside its section, or against nothing");
    }
  }

  const CodeObject& object_;
  Diagnostics& diagnostics_;
  // What is looked at; spelled only for a finding.
  struct Place {
    std::string_view list;
    std::size_t index = 0;
  };
  Place place_;
};

}  // namespace

bool check_code_object(const CodeObject& object, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.count(Severity::Error);
  Checker(object, diagnostics).run();
  VerifyOptions options;
  options.version = object.version;
  if (object.version >= CodeObjectVersion::V3) {
    verify(object.metadata, diagnostics, options);
  } else {
    Metadata metadata = object.metadata;
    if (settle_metadata(object, metadata, diagnostics)) verify(metadata, diagnostics, options);
  }
  return diagnostics.count(Severity::Error) == errors;
}

}  // namespace amdcompat::hsa
