// Metadata of V1 and V2 as it counts once a loader has the object.
//
// The hardware acts on `amd_kernel_code_t`, runtimes on the list of arguments; the numbers beside that list only repeat
// what the structure says. Hand-written objects and old tools left the two in disagreement. [S2; LDR; RC; BIN]
#include <amdcompat/code_object.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "object.hpp"

namespace amdcompat::hsa {
namespace {

constexpr std::uint64_t kLargestSegment = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kLargestWorkgroup = 1024;  // work-items; [S1 "Processors"]
constexpr std::uint64_t kAllocationGranule = 16;  // of kernarg segments [RT]

std::string label(const MetadataKernel& kernel, const MetadataArgument& argument) {
  if (argument.name && !argument.name->empty()) return *argument.name;
  if (argument.value_kind) return std::string(spelling(*argument.value_kind));
  return fmt::format("#{}", &argument - kernel.args.data());
}

class Settler {
 public:
  Settler(const CodeObject& object, Metadata& metadata, Diagnostics& diagnostics)
      : object_(object), metadata_(metadata), diagnostics_(diagnostics) {}

  bool run() {
    unknown(metadata_, root_keys(), [] { return std::string(); });
    // Those that were not read come from the kernel code alone.
    const auto read = [](const MetadataKernel& kernel) { return kernel.where.range.size != 0; };
    if (object_.has_metadata && !object_.kernels.empty() && std::ranges::none_of(metadata_.kernels, read)) {
      diagnostics_.report(Code::ObjectKernelUnmatched, metadata_.where.range,
                          "the metadata says nothing of any kernel of the object", "amdhsa.kernels");
      return false;
    }
    std::unordered_map<std::string_view, const CodeKernel*> by_symbol;
    std::vector<std::string> symbols;
    symbols.reserve(object_.kernels.size());
    for (const CodeKernel& kernel : object_.kernels)
      by_symbol.emplace(symbols.emplace_back(kernel.name + ".kd"), &kernel);
    bool possible = true;
    for (std::size_t i = 0; i < metadata_.kernels.size(); ++i) {
      MetadataKernel& kernel = metadata_.kernels[i];
      const DiagnosticScope scope(diagnostics_, {.kernel = kernel.name.value_or("")});
      const auto path = [i] { return fmt::format("amdhsa.kernels[{}]", i); };
      unknown(kernel, kernel_keys(), path);
      for (std::size_t a = 0; a < kernel.args.size(); ++a)
        unknown(kernel.args[a], argument_keys(), [&] { return fmt::format("{}.args[{}]", path(), a); });
      const auto found = kernel.symbol ? by_symbol.find(*kernel.symbol) : by_symbol.end();
      if (found == by_symbol.end() || !found->second->legacy) continue;
      possible = this->kernel(*found->second->legacy, kernel, path()) && possible;
    }
    return possible;
  }

 private:
  // Runtimes skip what they do not know, which may have been what a launch needs.
  template <class Record, class Path>
  void unknown(Record& record, std::span<const Key<Record>> keys, Path path) {
    std::erase_if(record.unknown, [&](const NodeEntry& entry) {
      if (std::ranges::find(keys, entry.key, &Key<Record>::name) != keys.end())
        return false;  // of the wrong type, which its reader has said
      if (!is_v2_only_key(entry.key)) {
        std::string where = path();
        if (!where.empty()) where += '.';
        diagnostics_.report(Code::V2KeyUnknown, entry.value.where.range,
                            fmt::format("'{}' is no key of V2: runtimes skip it, and it is left out", entry.key),
                            where + entry.key);
      }
      return true;
    });
  }

  bool kernel(const KernelCode& code, MetadataKernel& out, std::string path) {
    said_.clear();
    if (object_.target != nullptr) {
      said_ = unusual_fields(code, *object_.target);
      if (auto words = user_register_words(code)) said_.push_back(std::move(*words));
      registers(code, out);
    }
    const bool possible = segment(code, out);
    alignment(out);
    workgroup(out);
    overruled("GroupSegmentFixedSize", out.group_segment_fixed_size, code.group_bytes);
    overruled("PrivateSegmentFixedSize", out.private_segment_fixed_size, code.private_bytes);
    if (const bool dynamic = (code.features & kFeatureDynamicCallStack) != 0; out.uses_dynamic_stack) {
      if (*out.uses_dynamic_stack != dynamic)
        said_.push_back(fmt::format("IsDynamicCallStack {}, {} in the kernel code", *out.uses_dynamic_stack, dynamic));
      out.uses_dynamic_stack = dynamic;
    }
    const std::uint64_t bytes = out.kernarg_segment_size.value_or(0);
    if (out.args.empty() && bytes != 0)
      diagnostics_.report_on(Subject::Kernel, Code::ArgumentsUnknown, out.where.range,
                             fmt::format("has a kernarg segment of {} bytes and no arguments in the file: who launches "
                                         "it fills the segment",
                                         bytes),
                             path);
    if (!possible)
      diagnostics_.report_on(Subject::Kernel, Code::ConversionRefused, out.where.range,
                             fmt::format("needs a kernarg segment over {} bytes", kLargestSegment), path);
    else if (!said_.empty())
      diagnostics_.report_on(
          Subject::Kernel, Code::KernelCodeOverrules, out.where.range,
          fmt::format("has metadata and kernel code as no compiler leaves them: {}", fmt::join(said_, "; ")), path);
    return possible;
  }

  void overruled(std::string_view key, std::optional<std::uint64_t>& field, std::uint64_t value) {
    if (field && *field != value) said_.push_back(fmt::format("{} {}, {} in the kernel code", key, *field, value));
    field = value;
  }

  // As large as the kernel code says, or as the arguments need; 0 in the kernel code stands for "unknown". [LDR]
  bool segment(const KernelCode& code, MetadataKernel& out) {
    const std::uint64_t stated = out.kernarg_segment_size.value_or(0);
    const std::uint64_t own = code.kernarg_bytes != 0 ? code.kernarg_bytes : stated;
    std::uint64_t size = own;
    const MetadataArgument* outside = nullptr;
    for (const MetadataArgument& argument : out.args) {
      const std::uint64_t offset = argument.offset.value_or(0), bytes = argument.size.value_or(0);
      if (offset > kLargestSegment || bytes > kLargestSegment - offset) return false;
      if (outside == nullptr && offset + bytes > std::min(own, stated)) outside = &argument;
      size = std::max(size, offset + bytes);
    }
    if (size > kLargestSegment) return false;
    if (outside != nullptr)
      said_.push_back(fmt::format("KernargSegmentSize {}{} leaves out argument '{}' ({} bytes at {}); {} are used",
                                  stated, own != stated ? fmt::format(" (kernel code: {})", own) : "",
                                  label(out, *outside), outside->size.value_or(0), outside->offset.value_or(0), size));
    else if (own != stated)
      said_.push_back(fmt::format("KernargSegmentSize {}, {} in the kernel code", stated, own));
    out.kernarg_segment_size = size;
    return true;
  }

  void alignment(MetadataKernel& out) {
    const std::uint64_t stated = out.kernarg_segment_align.value_or(kAllocationGranule);
    const MetadataArgument* most = nullptr;
    std::uint64_t needed = 4;
    for (const MetadataArgument& argument : out.args) {
      const std::uint64_t own = argument.value_kind ? value_kind_info(*argument.value_kind).size : 0;
      if (own <= needed) continue;
      needed = own;
      most = &argument;
    }
    if (std::has_single_bit(stated) && stated >= needed) return;
    out.kernarg_segment_align = kAllocationGranule;
    said_.push_back(most != nullptr ? fmt::format("KernargSegmentAlign {}, argument '{}' needs {}; {} is used", stated,
                                                  label(out, *most), needed, kAllocationGranule)
                                    : fmt::format("KernargSegmentAlign {}; {} is used", stated, kAllocationGranule));
  }

  // The required size is launched.
  void workgroup(MetadataKernel& out) {
    if (!out.reqd_workgroup_size || !out.max_flat_workgroup_size) return;
    const auto [x, y, z] = *out.reqd_workgroup_size;
    if (x == 0 || y == 0 || z == 0 || x > kLargestWorkgroup || y > kLargestWorkgroup / x ||
        z > kLargestWorkgroup / (x * y) || x * y * z <= *out.max_flat_workgroup_size)
      return;
    said_.push_back(fmt::format("ReqdWorkGroupSize [{}, {}, {}] over MaxFlatWorkGroupSize {}; {} work-items are used",
                                x, y, z, *out.max_flat_workgroup_size, x * y * z));
    out.max_flat_workgroup_size = x * y * z;
  }

  void registers(const KernelCode& code, MetadataKernel& out) {
    const bool wave32 = is_wave32(code, *object_.target);
    const RegisterLimits room = register_limits(code.rsrc1, *object_.target, wave32);
    const auto limit = [&](std::string_view key, std::optional<std::uint64_t>& field, std::uint32_t most) {
      if (!field || most == 0 || *field <= most) return;
      said_.push_back(fmt::format("{} {}, compute_pgm_rsrc1 has room for {}", key, *field, most));
      field = most;
    };
    limit("NumVGPRs", out.vgpr_count, room.vgprs);
    limit("NumSGPRs", out.sgpr_count, room.sgprs);
    overruled("WavefrontSize", out.wavefront_size, wave32 ? 32 : 64);
  }

  const CodeObject& object_;
  Metadata& metadata_;
  Diagnostics& diagnostics_;
  std::vector<std::string> said_;  // of one kernel
};

}  // namespace

bool settle_metadata(const CodeObject& object, Metadata& metadata, Diagnostics& diagnostics) {
  return object.version >= CodeObjectVersion::V3 || Settler(object, metadata, diagnostics).run();
}

}  // namespace amdcompat::hsa
