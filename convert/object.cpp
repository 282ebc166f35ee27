// Code objects of any version, and CL2 programs, as code objects of V3 to V6. Machine code is never touched.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/convert.hpp>

#include "facts.hpp"
#include "retarget.hpp"

namespace amdcompat::convert {

namespace {

using hsa::CodeObject;
using hsa::CodeObjectVersion;
using hsa::FeatureSetting;

std::string at_kernel(std::size_t index) { return fmt::format("amdhsa.kernels[{}]", index); }

// --- target ------------------------------------------------------------------------------------------------

// By what their descriptors say: GFX10.1 and GFX10.3 count as one.
bool same_generation(const Target& a, const Target& b) {
  return a.generation && hsa::descriptor_group(a) == hsa::descriptor_group(b);
}

// What the code was made for against what is asked for. `Any` code runs either way, and code for one setting is no code
// for the other. Code of a target without the feature is code for it being off.
bool choose_feature(std::string_view name, bool has, bool had, FeatureSetting own, FeatureSetting wanted,
                    FeatureSetting& out, Diagnostics& diagnostics) {
  if (has && !had) own = FeatureSetting::Off;
  out = has ? (wanted == FeatureSetting::Default ? own : wanted) : wanted;
  const bool fixed = own == FeatureSetting::On || own == FeatureSetting::Off;
  if (!has || wanted == FeatureSetting::Default || !fixed || wanted == own) return true;
  diagnostics.report(Code::ConversionRefused, {},
                     fmt::format("the code was made for {}{}, not for {}{}", name,
                                 own == FeatureSetting::On ? "+" : "-", name, wanted == FeatureSetting::On ? "+" : "-"),
                     "target");
  return false;
}

bool set_target(CodeObject& out, const Target* own, hsa::TargetFeatures features,
                const std::optional<hsa::TargetSpec>& wanted, Diagnostics& diagnostics) {
  out.target = wanted && wanted->target != nullptr ? wanted->target : own;
  if (out.target == nullptr) {
    diagnostics.report(Code::UnknownTarget, {}, "the file names no known target");
    return false;
  }
  if (own != nullptr && own != out.target && !same_generation(*own, *out.target)) {
    diagnostics.report(Code::TargetDiffers, {},
                       fmt::format("the code is for {}, not for {}", own->name, out.target->name));
    return false;
  }
  const hsa::TargetFeatures asked = wanted ? wanted->features : hsa::TargetFeatures{};
  return choose_feature("xnack", out.target->xnack, own == nullptr || own->xnack, features.xnack, asked.xnack,
                        out.features.xnack, diagnostics) &&
         choose_feature("sramecc", out.target->sramecc, own == nullptr || own->sramecc, features.sramecc, asked.sramecc,
                        out.features.sramecc, diagnostics);
}

// Code of the object's kernels for another target than they were made for.
bool same_code(const CodeObject& object, const Target& to, Diagnostics& diagnostics) {
  if (object.target == nullptr || object.target == &to) return true;
  bool same = true;
  std::map<std::size_t, Retarget> sections;
  for (const hsa::CodeKernel& kernel : object.kernels) {
    if (kernel.code.section >= object.code.sections.size()) continue;
    const std::span<const std::byte> bytes(object.code.sections[kernel.code.section].bytes);
    if (kernel.code.offset >= bytes.size() || kernel.code.offset % 4 != 0 ||
        bytes.size() > std::numeric_limits<std::uint32_t>::max())
      continue;
    auto& code = sections.try_emplace(kernel.code.section, bytes, *object.target, to).first->second;
    const std::uint64_t end =
        kernel.code.offset + std::min<std::uint64_t>(kernel.code.size, bytes.size() - kernel.code.offset);
    const auto checked = code.check(static_cast<std::uint32_t>(kernel.code.offset), static_cast<std::uint32_t>(end));
    if (checked) continue;
    const DiagnosticScope scope(diagnostics, {.kernel = kernel.name});
    diagnostics.report_on(Subject::Kernel, checked.error().code, {},
                          fmt::format("cannot be converted: {}", checked.error().message));
    same = false;
  }
  return same;
}

// Version and target in the metadata; also finds out whether the flags can be said at all.
bool stamp(CodeObject& out, Diagnostics& diagnostics) {
  const auto id = hsa::target_id(*out.target, out.version, out.features);
  if (!id) {
    diagnostics.add(id.error());
    return false;
  }
  out.metadata.version = hsa::version_info(out.version).metadata;
  out.metadata.target.reset();
  if (out.version >= CodeObjectVersion::V4) out.metadata.target = *id;
  // A setting that one bit cannot say reads back as that bit.
  if (out.version == CodeObjectVersion::V3) {
    const hsa::TargetFeatures before = std::exchange(
        out.features,
        hsa::read_elf_flags(*hsa::elf_flags(*out.target, out.version, out.features), out.version).features);
    for (const auto& [name, was, is] : {std::tuple{"xnack", before.xnack, out.features.xnack},
                                        std::tuple{"sramecc", before.sramecc, out.features.sramecc}})
      if (was != FeatureSetting::On && is == FeatureSetting::On)
        diagnostics.report(Code::FeatureTurnedOn, {},
                           fmt::format("the code runs with {} on and off; V3 cannot say both, and it becomes on", name),
                           "target");
  } else {
    for (const auto& [has, setting] :
         {std::pair{out.target->xnack, &out.features.xnack}, std::pair{out.target->sramecc, &out.features.sramecc}})
      if (has && *setting == FeatureSetting::Default) *setting = FeatureSetting::Any;
  }
  return true;
}

// --- metadata of another version -----------------------------------------------------------------------------

template <class T>
bool is_set(const std::optional<T>& value) {
  return value.has_value();
}
template <class T>
bool is_set(const std::vector<T>& value) {
  return !value.empty();
}

class Upgrader {
 public:
  Upgrader(const CodeObject& from, CodeObject& out, Diagnostics& diagnostics)
      : from_(from), out_(out), diagnostics_(diagnostics) {}

  bool run() {
    hsa::Metadata& metadata = out_.metadata;
    drop_keys(metadata, hsa::root_keys(), [] { return std::string{}; });
    bool possible = true;
    for (std::size_t i = 0; i < metadata.kernels.size(); ++i) {
      hsa::MetadataKernel& kernel = metadata.kernels[i];
      const auto path = [i] { return at_kernel(i); };
      const DiagnosticScope scope(diagnostics_, {.kernel = kernel.name.value_or("")});
      drop_keys(kernel, hsa::kernel_keys(), path);
      for (std::size_t a = 0; a < kernel.args.size(); ++a) possible = argument(kernel.args[a], i, a) && possible;
    }
    return descriptors() && possible;
  }

 private:
  // `path` gives that of the record, for a finding.
  template <class Record, class Path>
  void drop_keys(Record& record, std::span<const hsa::Key<Record>> keys, Path path) {
    for (const hsa::Key<Record>& row : keys) {
      if (row.since <= out_.version) continue;
      std::visit(
          [&](auto member) {
            if (!is_set(record.*member)) return;
            diagnostics_.report(
                Code::KeyDropped, record.where.range,
                fmt::format("{} came with {} and is left out", row.name, hsa::version_info(row.since).name),
                path() + std::string(row.name.starts_with('.') ? "" : ".") + std::string(row.name));
            record.*member = {};
          },
          row.field);
    }
    if (from_.version == CodeObjectVersion::V2) record.unknown.clear();  // values that their reader has reported
  }

  bool argument(hsa::MetadataArgument& argument, std::size_t kernel, std::size_t index) {
    const auto path = [=] { return fmt::format("{}.args[{}]", at_kernel(kernel), index); };
    drop_keys(argument, hsa::argument_keys(), path);
    // Obsolete: later runtimes' and LLVM's tables have no such key. [RC; LV]
    argument.value_type.reset();
    if (!argument.value_kind) return true;
    const hsa::ValueKindInfo& info = hsa::value_kind_info(*argument.value_kind);
    if (info.since <= out_.version) return true;
    diagnostics_.report(Code::ConversionRefused, argument.where.range,
                        fmt::format("the code reads {}, which runtimes of {} do not fill", info.name,
                                    hsa::version_info(out_.version).name),
                        path() + ".value_kind");
    return false;
  }

  bool descriptors() {
    if (!out_.target->generation) {
      diagnostics_.report(Code::VliwElf, {}, fmt::format("{} has no kernel descriptors", out_.target->name));
      return false;
    }
    std::map<std::string_view, hsa::MetadataKernel*> by_symbol;
    for (hsa::MetadataKernel& kernel : out_.metadata.kernels)
      if (kernel.symbol) by_symbol.emplace(*kernel.symbol, &kernel);
    bool possible = true;
    for (std::size_t i = 0; i < out_.kernels.size(); ++i) {
      hsa::CodeKernel& kernel = out_.kernels[i];
      const auto found = by_symbol.find(kernel.name + ".kd");
      hsa::MetadataKernel* metadata = found == by_symbol.end() ? nullptr : found->second;
      const DiagnosticScope scope(diagnostics_, {.kernel = kernel.name});
      if (kernel.legacy) {
        Diagnostics findings(diagnostics_.mode());
        kernel.descriptor =
            hsa::to_descriptor(*kernel.legacy, *out_.target, out_.version, findings, fmt::format("kernels[{}]", i));
        for (Diagnostic finding : findings.all()) {
          // Said already, of the kernel as a whole.
          if (finding.code == Code::KernelCodeUnusual || finding.code == Code::UserRegisterCount) continue;
          finding.kernel = kernel.name;
          diagnostics_.add(std::move(finding));
        }
        if ((kernel.legacy->features & kFeatureDynamicCallStack) != 0 && metadata != nullptr &&
            out_.version >= CodeObjectVersion::V5)
          metadata->uses_dynamic_stack = true;
        kernel.legacy.reset();
        if (!kernel.descriptor) {
          possible = false;
          continue;
        }
        kernel.descriptor->kernarg_size = 0;  // that of the settled metadata
        if (metadata != nullptr && out_.version >= CodeObjectVersion::V5 &&
            out_.target->generation >= Generation::Gfx10_1)
          metadata->workgroup_processor_mode = kernel.descriptor->rsrc1 >> 29 & 1;
      }
      if (metadata != nullptr) agree(*kernel.descriptor, *metadata);
    }
    return possible;
  }

  // What a descriptor of this version has and an older one had not.
  void agree(hsa::KernelDescriptor& descriptor, const hsa::MetadataKernel& metadata) const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (descriptor.kernarg_size == 0 && metadata.kernarg_segment_size && *metadata.kernarg_segment_size <= kMost)
      descriptor.kernarg_size = static_cast<std::uint32_t>(*metadata.kernarg_segment_size);
    const bool dynamic = out_.version >= CodeObjectVersion::V5 && metadata.uses_dynamic_stack.value_or(false);
    descriptor.properties = static_cast<std::uint16_t>(dynamic ? descriptor.properties | hsa::kPropertyDynamicStack
                                                               : descriptor.properties & ~hsa::kPropertyDynamicStack);
  }

  const CodeObject& from_;
  CodeObject& out_;
  Diagnostics& diagnostics_;
};

// --- CL2 -------------------------------------------------------------------------------------------------------

// Runtimes fill these by name wherever `.offset` says they are. A word that the kernel has no use for is none.
hsa::ValueKind hidden_kind(const Kernel& kernel, HiddenKind what) {
  switch (what) {
    case HiddenKind::GlobalOffsetX: return hsa::ValueKind::HiddenGlobalOffsetX;
    case HiddenKind::GlobalOffsetY: return hsa::ValueKind::HiddenGlobalOffsetY;
    case HiddenKind::GlobalOffsetZ: return hsa::ValueKind::HiddenGlobalOffsetZ;
    case HiddenKind::PrintfBuffer:
      return kernel.uses_printf ? hsa::ValueKind::HiddenPrintfBuffer : hsa::ValueKind::HiddenNone;
    case HiddenKind::DefaultQueue:
      return kernel.device_enqueue ? hsa::ValueKind::HiddenDefaultQueue : hsa::ValueKind::HiddenNone;
    case HiddenKind::CompletionAction:
      return kernel.device_enqueue ? hsa::ValueKind::HiddenCompletionAction : hsa::ValueKind::HiddenNone;
    default: return hsa::ValueKind::HiddenNone;  // no CL2 kernel has others
  }
  return hsa::ValueKind::HiddenNone;
}

struct ValueKindWriter {
  const Kernel& kernel;
  hsa::MetadataArgument& out;
  bool representable = true;

  void pointer(hsa::ValueKind kind, hsa::AddressSpace space) {
    out.value_kind = kind;
    out.address_space = space;
  }
  void operator()(const ByValue&) { out.value_kind = hsa::ValueKind::ByValue; }
  void operator()(const GlobalPointer&) { pointer(hsa::ValueKind::GlobalBuffer, hsa::AddressSpace::Global); }
  void operator()(const ConstantPointer&) { pointer(hsa::ValueKind::GlobalBuffer, hsa::AddressSpace::Constant); }
  void operator()(const LocalPointer& local) {
    pointer(hsa::ValueKind::DynamicSharedPointer, hsa::AddressSpace::Local);
    out.pointee_align = usable_alignment(local.align);
    out.size = kLocalPointerBytes;
  }
  void operator()(const RegionPointer&) { representable = false; }
  void operator()(const PrivatePointer&) { representable = false; }
  void operator()(const Image& image) {
    out.value_kind = hsa::ValueKind::Image;
    out.access = access_of(image.access);
  }
  void operator()(const Sampler&) { out.value_kind = hsa::ValueKind::Sampler; }
  void operator()(const Counter&) { representable = false; }
  void operator()(const Semaphore&) { representable = false; }
  void operator()(const Queue&) { out.value_kind = hsa::ValueKind::Queue; }
  void operator()(const Pipe& pipe) {
    pointer(hsa::ValueKind::Pipe, hsa::AddressSpace::Global);
    out.access = access_of(pipe.access);
    out.is_pipe = true;
  }
  void operator()(const Hidden& hidden) {
    out.value_kind = hidden_kind(kernel, hidden.what);
    if (out.value_kind == hsa::ValueKind::HiddenPrintfBuffer) out.address_space = hsa::AddressSpace::Global;
  }
};

class InPlace {
 public:
  InPlace(const Program& program, CodeObject& out, Diagnostics& diagnostics)
      : program_(program), out_(out), diagnostics_(diagnostics) {}

  bool run() {
    out_.code = program_.code;
    if (!out_.target->generation) return false;
    const auto language = language_version(program_);
    out_.kernels.reserve(program_.kernels.size());
    out_.metadata.kernels.reserve(program_.kernels.size());
    for (const Kernel& source : program_.kernels) {
      const DiagnosticScope scope(diagnostics_, {.block = source.block, .kernel = source.name});
      if (!kernel(source, language)) out_.metadata.kernels.resize(out_.kernels.size());
    }
    if (out_.kernels.empty() && !program_.kernels.empty()) return false;
    for (const PrintfFormat& format : program_.printf)
      out_.metadata.printf.push_back(hsa::encode_printf(format.id, format.sizes, format.format));
    out_.has_metadata = true;
    return samplers();
  }

 private:
  // `predicate` says something of the kernel.
  bool refuse(Code code, SourceRange where, std::string predicate) {
    diagnostics_.report_on(Subject::Kernel, code, where, std::move(predicate));
    return false;
  }

  bool kernel(const Kernel& source, std::optional<std::array<std::uint64_t, 2>> language) {
    if (!source.complete)
      return refuse(Code::IncompleteKernel, source.where,
                    "cannot be converted: its metadata is damaged (see the other findings)");
    if (source.address_bits != AddressBits::Bits64)
      return refuse(
          Code::AddressWidth, source.where,
          "has addresses of 32 bits, and runtimes of today give out 64: its machine code cannot be carried over. "
          "Metadata in the natural layout describes its arguments for the same kernel compiled anew; lifting "
          "the code to OpenCL C is another way");
    const ArgumentBlockLaunch* const facts = source.argument_block();
    if (facts == nullptr || setup_of(source) == nullptr || !source.code)
      return refuse(Code::NoMachineCode, source.where, "has no machine code in this file");
    if (program_.target != nullptr)
      if (const auto same = check_retarget(kernel_code(program_, source), *program_.target, *out_.target); !same)
        return refuse(same.error().code, source.where, fmt::format("cannot be converted: {}", same.error().message));
    const std::size_t index = out_.kernels.size();
    auto descriptor = hsa::to_descriptor(*setup_of(source), *out_.target, out_.version, diagnostics_,
                                         fmt::format("kernels[{}]", index));
    if (!descriptor) return false;

    hsa::MetadataKernel& kernel = out_.metadata.kernels.emplace_back();
    take_facts(source, kernel);
    kernel.language_version = language;
    // The segment ends where the setup says; code of hand-made files may count on more than its arguments take.
    kernel.kernarg_segment_size = std::max(facts->argument_bytes, setup_of(source)->kernarg_bytes);
    kernel.kernarg_segment_align = 16;  // of the block that AMD's runtime gave [RT loadArguments]
    if (out_.version >= CodeObjectVersion::V5 && (setup_of(source)->features & kFeatureDynamicCallStack) != 0)
      kernel.uses_dynamic_stack = true;
    descriptor->kernarg_size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(*kernel.kernarg_segment_size, std::numeric_limits<std::uint32_t>::max()));
    kernel.args.reserve(source.arguments.size());
    for (const Argument& argument : source.arguments)
      if (!add_argument(source, argument, kernel)) return false;

    hsa::CodeKernel& code = out_.kernels.emplace_back();
    code.name = source.name;
    code.descriptor = *descriptor;
    code.code = *source.code;
    if (source.code->offset >= kKernelCodeBytes)
      code.legacy_place = CodePlace{source.code->section, source.code->offset - kKernelCodeBytes, kKernelCodeBytes};
    return true;
  }

  bool add_argument(const Kernel& source, const Argument& argument, hsa::MetadataKernel& kernel) {
    hsa::MetadataArgument& out = kernel.args.emplace_back();
    const DiagnosticScope scope(diagnostics_, {.argument = argument.name});
    const ArgumentBlockSlot* const slot = argument.in_block();
    if (slot == nullptr || slot->align == 0)
      return refuse(Code::IncompleteKernel, argument.where,
                    fmt::format("cannot be converted: where '{}' stands is not known", argument.name));
    out.offset = slot->offset;
    out.size = slot->size;
    ValueKindWriter writer{source, out};
    std::visit(writer, argument.kind);
    if (!writer.representable)
      return refuse(Code::UnsupportedArgument, argument.where,
                    fmt::format("cannot be converted: no HSA argument is like '{}'", argument.name));
    if (std::holds_alternative<Hidden>(argument.kind)) return true;
    out.name = argument.name;
    if (!argument.type_name.empty()) out.type_name = argument.type_name;
    if (slot->by_reference) {
      writer.pointer(hsa::ValueKind::GlobalBuffer, hsa::AddressSpace::Constant);
      out.is_const = true;
      diagnostics_.report(
          Code::StructByReference, argument.where,
          fmt::format("the code reads '{}' through an address: give it a buffer that holds the {}", argument.name,
                      argument.type_name.empty() ? "value" : argument.type_name),
          fmt::format("{}.args[{}]", at_kernel(out_.metadata.kernels.size() - 1), kernel.args.size() - 1));
      return true;
    }
    if (out.address_space) {
      if (argument.is_const) out.is_const = true;
      if (argument.is_volatile) out.is_volatile = true;
      if (argument.is_restrict) out.is_restrict = true;
    }
    return true;
  }

  // Loaders of today make no sampler objects, to which handles point.
  bool samplers() {
    if (program_.samplers.empty()) return true;
    constexpr std::uint64_t kObject = abi::kSamplerObjectBytes;
    auto& sections = out_.code.sections;
    CodeSection made;
    made.name = ".rodata.samplers";
    made.align = 64;
    made.bytes.resize(program_.samplers.size() * kObject);
    if (!sections.empty()) made.address = (sections.back().address + sections.back().size() + 4095) / 4096 * 4096;
    for (std::size_t i = 0; i < program_.samplers.size(); ++i) {
      const SamplerObject& sampler = program_.samplers[i];
      const auto section = std::ranges::find(sections, sampler.section, &CodeSection::name);
      if (section == sections.end() || sampler.offset > section->bytes.size() ||
          section->bytes.size() - sampler.offset < 8)
        return refuse(
            Code::ConversionRefused, {},
            fmt::format("the handle of sampler '{}' lies outside section '{}'", sampler.name, sampler.section));
      std::ranges::copy(abi::sampler_object(abi::sampler_word(sampler)),
                        made.bytes.begin() + static_cast<std::ptrdiff_t>(i * kObject));
      const std::size_t symbol = out_.code.symbols.size();
      out_.code.symbols.push_back(
          {fmt::format("amdcompat.sampler.{}", i), CodePlace{sections.size(), i * kObject, kObject}, false});
      out_.code.relocations.push_back({{static_cast<std::size_t>(section - sections.begin()), sampler.offset, 8},
                                       hsa::kRelocationAbs64,
                                       symbol,
                                       0,
                                       0});
      diagnostics_.report(Code::SamplerEmbedded, {},
                          fmt::format("sampler '{}' of the source becomes constant data, as {} wants it", sampler.name,
                                      hsa::descriptor_group(*out_.target)));
    }
    sections.push_back(std::move(made));
    return true;
  }

  const Program& program_;
  CodeObject& out_;
  Diagnostics& diagnostics_;
};

}  // namespace

CodeObjectVersion default_version(const Target& target) {
  if (target.generic != 0) return CodeObjectVersion::V6;
  return target.generation >= Generation::Gfx9 ? CodeObjectVersion::V5 : CodeObjectVersion::V3;
}

std::optional<CodeObject> to_version(const CodeObject& object, Diagnostics& diagnostics, const ObjectOptions& options) {
  CodeObject out = object;
  if (!set_target(out, object.target, object.features, options.target, diagnostics)) return std::nullopt;
  if (!same_code(object, *out.target, diagnostics)) return std::nullopt;
  // An object that has a version of today keeps it unless asked.
  out.version =
      options.version.value_or(object.version >= CodeObjectVersion::V3 ? object.version : default_version(*out.target));
  if (!stamp(out, diagnostics)) return std::nullopt;
  if (!hsa::settle_metadata(object, out.metadata, diagnostics)) return std::nullopt;
  if (!Upgrader(object, out, diagnostics).run()) return std::nullopt;
  out.v1 = false;
  out.notes = {};
  out.relocatable = false;
  out.metadata_bytes.clear();
  return out;
}

std::optional<CodeObject> to_code_object(const Program& program, Diagnostics& diagnostics,
                                         const ObjectOptions& options) {
  const std::string_view wanted =
      options.target && options.target->target != nullptr ? options.target->target->name : "";
  const Result<const Target*> target = choose_target(program, wanted);
  if (!target) {
    diagnostics.add(target.error());
    return std::nullopt;
  }
  CodeObject out;
  // Kernels say whether they were made for XNACK; so does the name of the chip.
  hsa::TargetFeatures features;
  const bool xnack = program.xnack || std::ranges::any_of(program.kernels, [](const Kernel& kernel) {
                       const KernelCode* const setup = setup_of(kernel);
                       return setup != nullptr && (setup->features & kFeatureXnack) != 0;
                     });
  if ((*target)->xnack) features.xnack = xnack ? FeatureSetting::On : FeatureSetting::Off;
  // Compilers of CL2 knew no SRAM-ECC. [CODE ConvertOldTargetNameToNew]
  if ((*target)->sramecc) features.sramecc = FeatureSetting::Off;
  if (!set_target(out, *target, features, options.target, diagnostics)) return std::nullopt;
  out.version = options.version.value_or(default_version(*out.target));
  if (!stamp(out, diagnostics)) return std::nullopt;
  if (!InPlace(program, out, diagnostics).run()) return std::nullopt;
  return out;
}

}  // namespace amdcompat::convert
