// Natural layout: V3 metadata as a compiler of today writes it for the same signature.
#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/gcn_checks.hpp>

#include "facts.hpp"

namespace amdcompat::convert {

namespace {

constexpr std::uint64_t kPointerBytes = 8;       // global, constant, images, samplers, queues, pipes [S1]
constexpr std::uint32_t kMostStructAlign = 16;   // a constant buffer slot, the most a legacy compiler gave

std::uint64_t align_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// How each kind appears in V3.
struct KindWriter {
  hsa::MetadataArgument& out;
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
  }
  void operator()(const RegionPointer&) {}
  void operator()(const PrivatePointer&) {}
  void operator()(const Image& image) {
    out.value_kind = hsa::ValueKind::Image;
    out.access = access_of(image.access);
  }
  void operator()(const Sampler&) { out.value_kind = hsa::ValueKind::Sampler; }
  void operator()(const Counter&) { pointer(hsa::ValueKind::GlobalBuffer, hsa::AddressSpace::Global); }
  void operator()(const Semaphore&) { pointer(hsa::ValueKind::GlobalBuffer, hsa::AddressSpace::Global); }
  void operator()(const Queue&) { out.value_kind = hsa::ValueKind::Queue; }
  void operator()(const Pipe& pipe) {
    pointer(hsa::ValueKind::Pipe, hsa::AddressSpace::Global);
    out.access = access_of(pipe.access);
    out.is_pipe = true;
  }
  void operator()(const Hidden&) {}
};

bool is_struct(const Argument& argument) {
  const auto* value = std::get_if<ByValue>(&argument.kind);
  return value != nullptr && (value->type == ScalarType::Struct || value->type == ScalarType::Union);
}

class Converter {
 public:
  Converter(const Program& program, Diagnostics& diagnostics, const Options& options)
      : program_(program), diagnostics_(diagnostics), options_(options) {}

  Conversion run() {
    result_.metadata.version = {1, 0};
    language_version_ = language_version(program_);
    const bool prints = !program_.printf.empty();
    for (std::size_t i = 0; i < program_.kernels.size(); ++i) {
      const Kernel& source = program_.kernels[i];
      const DiagnosticScope scope(diagnostics_, {.block = source.block, .kernel = source.name});
      path_ = fmt::format("amdhsa.kernels[{}]", result_.metadata.kernels.size());
      std::optional<hsa::MetadataKernel> kernel = convert(source, prints);
      if (!kernel) {
        ++result_.refused;
        continue;
      }
      result_.metadata.kernels.push_back(std::move(*kernel));
      result_.kernels.push_back(i);
    }
    duplicates();
    printf();
    result_.refused += program_.refused;
    // The readers of containers say so themselves.
    if (program_.kernels.empty() && program_.refused == 0 && program_.family == Family::Text)
      diagnostics_.report(Code::NoKernels, {}, "no kernels");
    hsa::VerifyOptions verify;
    verify.version = hsa::CodeObjectVersion::V3;
    verify.allow_duplicate_kernels = true;  // reported above, with the units they come from
    hsa::verify(result_.metadata, diagnostics_, verify);
    return std::move(result_);
  }

 private:
  std::optional<hsa::MetadataKernel> convert(const Kernel& source, bool prints) {
    if (!source.complete) {
      diagnostics_.report_on(Subject::Kernel, Code::IncompleteKernel, source.where,
                             "cannot be converted: its metadata, or that of a function it calls, is damaged or records "
                             "a failed build (see the other findings)");
      return std::nullopt;
    }
    hsa::MetadataKernel kernel;
    take_facts(source, kernel);
    if (const auto gfx = program_.target == nullptr ? std::nullopt : gcn::generation_of(*program_.target);
        gfx && std::holds_alternative<cl1::CalState>(source.entry))
      if (const auto code = kernel_code(program_, source); !code.empty())
        kernel.sgpr_count = scalar_registers(code, source.registers.sgprs, *gfx, false);
    kernel.language_version = language_version_;
    std::uint64_t end = 0;
    std::uint64_t align = 4;  // [LS: at least 4]
    std::size_t count = 0;
    constexpr std::size_t kHidden = 4;  // three offsets, and a buffer for printf
    kernel.args.reserve(source.arguments.size() + kHidden);
    for (const Argument& argument : source.arguments) {
      if (std::holds_alternative<Hidden>(argument.kind)) continue;  // this layout has its own
      const std::optional<NaturalSize> size = place(source, argument, kernel.args.size());
      if (!size) return std::nullopt;
      end = align_up(end, size->align);
      align = std::max(align, size->align);
      hsa::MetadataArgument& out = kernel.args.emplace_back();
      out.name = argument.name;
      if (!argument.type_name.empty()) out.type_name = argument.type_name;
      out.offset = end;
      out.size = size->size;
      std::visit(KindWriter{out}, argument.kind);
      // clang writes qualifiers of pointers only; the metadata has them for no other kind either. [LS]
      if (out.address_space) {
        if (argument.is_const) out.is_const = true;
        if (argument.is_volatile) out.is_volatile = true;
        if (argument.is_restrict) out.is_restrict = true;
      }
      end += size->size;
      ++count;
    }
    end = align_up(end, kPointerBytes);
    align = std::max(align, kPointerBytes);
    const auto hidden = [&](hsa::ValueKind kind) {
      hsa::MetadataArgument& out = kernel.args.emplace_back();
      out.offset = end;
      out.size = kPointerBytes;
      out.value_kind = kind;
      if (kind == hsa::ValueKind::HiddenPrintfBuffer) out.address_space = hsa::AddressSpace::Global;
      end += kPointerBytes;
    };
    hidden(hsa::ValueKind::HiddenGlobalOffsetX);
    hidden(hsa::ValueKind::HiddenGlobalOffsetY);
    hidden(hsa::ValueKind::HiddenGlobalOffsetZ);
    if (prints || source.device_enqueue)
      hidden(source.uses_printf ? hsa::ValueKind::HiddenPrintfBuffer : hsa::ValueKind::HiddenNone);
    // Each stands at a place of its own, so the printf buffer's is taken too. [LS emitHiddenKernelArgs]
    if (source.device_enqueue) {
      hidden(hsa::ValueKind::HiddenDefaultQueue);
      hidden(hsa::ValueKind::HiddenCompletionAction);
    }

    if (!source.registers.known)
      diagnostics_.report(Code::RegistersUnknown, source.where,
                          "the input holds no register counts: .vgpr_count and .sgpr_count are 0", path_);
    kernel.kernarg_segment_size = end;
    kernel.kernarg_segment_align = align;
    result_.arguments += count;
    return kernel;
  }

  // `index` is the argument's place among those of the new kernel.
  std::optional<NaturalSize> place(const Kernel& kernel, const Argument& argument, std::size_t index) {
    const std::string path = fmt::format("{}.args[{}]", path_, index);
    const DiagnosticScope scope(diagnostics_, {.argument = argument.name});
    std::uint32_t wanted = 0;
    if (is_struct(argument)) wanted = struct_align(kernel, argument, path);
    const std::optional<NaturalSize> size = natural_size(argument, wanted);
    if (!size) {
      diagnostics_.report_on(Subject::Kernel, Code::UnsupportedArgument, argument.where,
                             fmt::format("cannot be converted: no HSA argument is like '{}'", argument.name));
      return std::nullopt;
    }
    if (std::holds_alternative<Counter>(argument.kind))
      diagnostics_.report(Code::CounterArgument, argument.where,
                          fmt::format("HSA has no counters: '{}' becomes an 8-byte global buffer", argument.name),
                          path);
    if (std::holds_alternative<Semaphore>(argument.kind))
      diagnostics_.report(Code::SemaphoreArgument, argument.where,
                          fmt::format("HSA has no semaphores: '{}' becomes an 8-byte global buffer", argument.name),
                          path);
    return size;
  }

  std::uint32_t struct_align(const Kernel& kernel, const Argument& argument, const std::string& path) {
    const auto& table = options_.struct_align;
    auto found = table.find(kernel.name + "." + argument.name);
    if (found == table.end() && !argument.type_name.empty()) found = table.find(argument.type_name);
    if (found == table.end()) found = table.find("*");
    if (found != table.end()) return found->second;
    const std::uint32_t bytes = std::get<ByValue>(argument.kind).elements;
    const std::uint32_t align = assumed_struct_align(bytes);
    diagnostics_.report(Code::StructAlignAssumed, argument.where,
                        fmt::format("'{}' is a struct of {} bytes; its alignment is not in the metadata, {} is assumed",
                                    argument.name, bytes, align),
                        path);
    return align;
  }

  void duplicates() {
    std::vector<std::size_t> order(result_.metadata.kernels.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) {
      return std::pair<std::string_view, std::size_t>(*result_.metadata.kernels[i].name, i);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Kernel& kernel = program_.kernels[result_.kernels[order[i]]];
      const Kernel& before = program_.kernels[result_.kernels[order[i - 1]]];
      if (kernel.name != before.name) continue;
      const DiagnosticScope scope(diagnostics_, {.kernel = kernel.name});
      diagnostics_.report_on(Subject::Kernel, Code::DuplicateKernelName, kernel.where,
                             fmt::format("of unit {} stands in unit {} too; one loader can take only one of them",
                                         kernel.unit, before.unit),
                             fmt::format("amdhsa.kernels[{}]", order[i]));
    }
  }

  // Legacy ids are kept. Code that is compiled again stores each argument in whole dwords. [LP; RC]
  void printf() {
    std::map<std::uint32_t, std::string> by_id;  // lines so far
    std::uint32_t next = 0;                      // ids below it are taken
    for (const PrintfFormat& format : program_.printf) next = std::max(next, format.id + 1);
    for (const PrintfFormat& format : program_.printf) {
      std::vector<std::uint32_t> sizes;
      for (const std::uint32_t size : format.sizes) sizes.push_back(static_cast<std::uint32_t>(align_up(size, 4)));
      if (!hsa::printf_format_survives(format.format))
        diagnostics_.report(Code::PrintfNotRepresentable, format.where,
                            fmt::format("printf {}: a backslash in the format reads as an escape in V3", format.id));
      // Units number their formats on their own: the same line needs to stand only once, and of two different ones
      // the second gets a free id, which is right for code that is compiled again.
      std::string text = hsa::encode_printf(format.id, sizes, format.format);
      const auto [same, fresh] = by_id.try_emplace(format.id, text);
      if (!fresh && same->second == text) continue;
      if (!fresh) {
        while (by_id.contains(next)) ++next;
        diagnostics_.report(Code::PrintfRenumbered, format.where,
                            fmt::format("printf {} of unit {} stands for another format in an earlier unit: it becomes "
                                        "{}",
                                        format.id, format.unit, next));
        text = hsa::encode_printf(next, sizes, format.format);
        by_id.emplace(next, text);
      }
      result_.metadata.printf.push_back(std::move(text));
    }
  }

  const Program& program_;
  Diagnostics& diagnostics_;
  const Options& options_;
  Conversion result_;
  std::string path_;
  std::optional<std::array<std::uint64_t, 2>> language_version_;
};

struct Sizer {
  std::uint32_t struct_align;
  using Size = std::optional<NaturalSize>;

  Size operator()(const ByValue& value) const {
    if (value.elements == 0) return std::nullopt;
    switch (value.type) {
      case ScalarType::Struct:
      case ScalarType::Union:
        return NaturalSize{value.elements, struct_align != 0 ? struct_align : assumed_struct_align(value.elements)};
      // A Boolean argument is a 32-bit lane of which only bit 0 counts. [SPEC «Scalar Arguments»]
      case ScalarType::I1: return vector(4, value.elements);
      case ScalarType::Event:
      case ScalarType::Unsized:
      case ScalarType::Sampler:
      case ScalarType::Other: return std::nullopt;
      default: return vector(scalar_size(value.type), value.elements);
    }
  }
  // A vector of three is stored as four; a vector is aligned to its size. [OpenCL 1.2 §6.1.5]
  static Size vector(std::uint64_t width, std::uint32_t elements) {
    if (elements > 16) return std::nullopt;
    const std::uint64_t size = width * std::bit_ceil(elements);
    return NaturalSize{size, size};
  }
  Size operator()(const GlobalPointer&) const { return word(); }
  Size operator()(const ConstantPointer&) const { return word(); }
  Size operator()(const LocalPointer&) const { return NaturalSize{kLocalPointerBytes, kLocalPointerBytes}; }
  Size operator()(const RegionPointer&) const { return std::nullopt; }
  Size operator()(const PrivatePointer&) const { return std::nullopt; }
  Size operator()(const Image&) const { return word(); }
  Size operator()(const Sampler&) const { return word(); }
  Size operator()(const Counter&) const { return word(); }
  Size operator()(const Semaphore&) const { return word(); }
  Size operator()(const Queue&) const { return word(); }
  Size operator()(const Pipe&) const { return word(); }
  Size operator()(const Hidden&) const { return std::nullopt; }
  static Size word() { return NaturalSize{kPointerBytes, kPointerBytes}; }
};

}  // namespace

std::optional<hsa::AccessQualifier> access_of(Access access) {
  switch (access) {
    case Access::ReadOnly: return hsa::AccessQualifier::ReadOnly;
    case Access::WriteOnly: return hsa::AccessQualifier::WriteOnly;
    case Access::ReadWrite: return hsa::AccessQualifier::ReadWrite;
    case Access::Unspecified: break;
  }
  return std::nullopt;
}

std::optional<std::array<std::uint64_t, 2>> language_version(const Program& program) {
  const auto digits = [](std::string_view text,
                         std::string_view before) -> std::optional<std::array<std::uint64_t, 2>> {
    const std::size_t at = text.rfind(before);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + before.size());
    if (text.size() < 3 || text[1] != '.') return std::nullopt;
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!digit(text[0]) || !digit(text[2])) return std::nullopt;
    return std::array{static_cast<std::uint64_t>(text[0] - '0'), static_cast<std::uint64_t>(text[2] - '0')};
  };
  if (const auto version = digits(program.compile_options, "-cl-std=CL")) return version;
  return digits(program.driver, "OpenCL ");
}

void take_facts(const Kernel& source, hsa::MetadataKernel& kernel) {
  kernel.name = source.name;
  kernel.symbol = source.name + ".kd";
  kernel.language = "OpenCL C";
  kernel.group_segment_fixed_size = source.segments.local_bytes();
  kernel.private_segment_fixed_size =
      std::max<std::uint64_t>(source.segments.private_bytes(), source.registers.scratch_bytes);
  kernel.wavefront_size = source.registers.wavefront_size != 0 ? source.registers.wavefront_size : kWavefront;
  kernel.sgpr_count = source.registers.sgprs;
  kernel.vgpr_count = source.registers.vgprs;
  kernel.max_flat_workgroup_size = max_flat_group_size(source);
  const auto sizes = [](const std::array<std::uint32_t, 3>& from) -> std::optional<std::array<std::uint64_t, 3>> {
    if (from == std::array<std::uint32_t, 3>{}) return std::nullopt;
    return std::array<std::uint64_t, 3>{from[0], from[1], from[2]};
  };
  kernel.reqd_workgroup_size = sizes(source.limits.required_group_size);
  kernel.workgroup_size_hint = sizes(source.limits.group_size_hint);
  if (!source.limits.vector_type_hint.empty()) kernel.vec_type_hint = source.limits.vector_type_hint;
}

std::uint32_t scalar_registers(std::span<const std::byte> code, std::uint32_t numbered, gcn::Generation generation,
                               bool vcc) {
  gcn::ScalarUse use = gcn::scalar_use(code, 0, generation);
  use.vcc = use.vcc || vcc;
  return std::max(numbered, use.numbered) + gcn::special_scalars(use, generation);
}

std::uint32_t assumed_struct_align(std::uint32_t bytes) { return std::min(usable_alignment(bytes), kMostStructAlign); }

std::optional<NaturalSize> natural_size(const Argument& argument, std::uint32_t struct_align) {
  return std::visit(Sizer{struct_align}, argument.kind);
}

Conversion to_metadata(const Program& program, Diagnostics& diagnostics, const Options& options) {
  return Converter(program, diagnostics, options).run();
}

Result<const Target*> choose_target(const Program& program, std::string_view wanted) {
  const auto refuse = [](Code code, std::string message) {
    return std::unexpected(make_diagnostic(code, {}, std::move(message)));
  };
  const auto refuse_kernel = [](const Kernel& kernel, Code code, std::string predicate) {
    return std::unexpected(make_diagnostic(code, {}, DiagnosticContext{.kernel = kernel.name}, std::move(predicate)));
  };
  const Device* device = nullptr;
  for (const Kernel& kernel : program.kernels) {
    const Device* own = find_device(kernel.device.empty() ? program.device : kernel.device);
    if (own == nullptr) {
      if (!wanted.empty()) continue;
      return refuse_kernel(kernel, Code::UnknownTarget,
                           fmt::format("is for device '{}', which has no known target", kernel.device));
    }
    if (own->isa == Isa::Vliw4 || own->isa == Isa::Vliw5)
      return refuse_kernel(kernel, Code::VliwElf,
                           fmt::format("is for {}, a VLIW device: it converts to metadata, not to an ELF", own->name));
    if (device != nullptr && own->target != device->target && wanted.empty())
      return refuse(Code::MixedDevices,
                    fmt::format("kernels for {} and for {} do not fit into one ELF", device->name, own->name));
    device = own;
  }
  if (wanted.empty()) {
    if (device == nullptr) return refuse(Code::UnknownTarget, "no kernel names a device, so that no target is known");
    wanted = device->target;
  }
  const Target* target = find_target(wanted);
  if (target == nullptr)
    return refuse(Code::UnknownTarget, fmt::format("'{}' is no target of the device table", wanted));
  // gfx6, gfx7, gfx8, gfx9: code of one generation does not run on another.
  if (device != nullptr && !device->target.empty() &&
      device->target.substr(0, device->target.size() - 2) != wanted.substr(0, wanted.size() - 2))
    return refuse(Code::TargetDiffers,
                  fmt::format("the kernels are for {} ({}), not for {}", device->name, device->target, wanted));
  return target;
}

}  // namespace amdcompat::convert
