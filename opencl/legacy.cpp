#include "legacy.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <amdcompat/identify.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

namespace amdcompat::layer {
namespace {

cl_kernel_arg_access_qualifier access_of(Access access) {
  switch (access) {
    case Access::ReadOnly: return CL_KERNEL_ARG_ACCESS_READ_ONLY;
    case Access::WriteOnly: return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    case Access::ReadWrite: return CL_KERNEL_ARG_ACCESS_READ_WRITE;
    case Access::Unspecified: break;
  }
  return CL_KERNEL_ARG_ACCESS_NONE;
}

ArgumentFacts facts_of(const Argument& argument) {
  ArgumentFacts out{argument.name, argument.type_name};
  const ArgumentKind& kind = argument.kind;
  if (std::holds_alternative<LocalPointer>(kind)) out.address = CL_KERNEL_ARG_ADDRESS_LOCAL;
  if (std::holds_alternative<ConstantPointer>(kind)) out.address = CL_KERNEL_ARG_ADDRESS_CONSTANT;
  if (std::holds_alternative<GlobalPointer>(kind) || std::holds_alternative<Counter>(kind))
    out.address = CL_KERNEL_ARG_ADDRESS_GLOBAL;
  if (const auto* const image = std::get_if<Image>(&kind)) {
    out.address = CL_KERNEL_ARG_ADDRESS_GLOBAL;  // of images too
    out.access = access_of(image->access);
  }
  if (argument.is_const) out.qualifiers |= CL_KERNEL_ARG_TYPE_CONST;
  if (argument.is_volatile) out.qualifiers |= CL_KERNEL_ARG_TYPE_VOLATILE;
  if (argument.is_restrict) out.qualifiers |= CL_KERNEL_ARG_TYPE_RESTRICT;
  return out;
}

KernelFacts facts_of(const Kernel& kernel) {
  KernelFacts out{kernel.name, max_flat_group_size(kernel), kernel.limits.required_group_size[0] != 0,
                  kernel.segments.local_bytes(), {}};
  for (const Argument& argument : kernel.arguments)
    if (!std::holds_alternative<Hidden>(argument.kind)) out.arguments.push_back(facts_of(argument));
  return out;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What was lifted, and what was not and why.
void report(const lift::Unit& unit, const Log& log) {
  for (const lift::KernelOutcome& kernel : unit.kernels) {
    if (kernel.lifted)
      log.line(fmt::format("kernel {}: lifted, {} form, {} instructions, {} statements", kernel.name,
                           lift::form_name(kernel.form), kernel.instructions, kernel.statements));
    else
      log.line(fmt::format("kernel {}: not lifted: {} [{}]", kernel.name,
                           kernel.refusal ? sentence(*kernel.refusal) : std::string("nothing says why"),
                           kernel.refusal ? code_label(kernel.refusal->code) : std::string("-")));
  }
}

}  // namespace

const KernelFacts* LegacyBinary::kernel(std::string_view name) const {
  const auto at = std::ranges::find(kernels, name, &KernelFacts::name);
  return at == kernels.end() ? nullptr : &*at;
}

bool is_legacy(std::span<const std::byte> bytes) {
  const FileKind kind = identify(bytes);
  return kind == FileKind::Cl1Gpu || kind == FileKind::Cl2 || kind == FileKind::HsaV1 || kind == FileKind::HsaV2;
}

std::shared_ptr<const LegacyBinary> read_legacy(std::span<const std::byte> bytes, bool exact, const Cache& cache,
                                                const Log& log) {
  Diagnostics findings;
  std::optional<File> file = open(bytes, findings);
  if (!file) {
    for (const Diagnostic& finding : findings.all())
      if (finding.severity == Severity::Error) log.line(fmt::format("binary refused: {}", sentence(finding)));
    return nullptr;
  }
  if (auto read = lift::with_arguments_read(file->program)) file->program = std::move(*read);
  auto out = std::make_shared<LegacyBinary>();
  out->bytes = text_of(bytes);
  for (const Kernel& kernel : file->program.kernels) out->kernels.push_back(facts_of(kernel));
  const std::string key = cache.key(out->bytes, exact ? "exact" : "");
  std::optional<std::string> source = cache.find(key);
  const bool known = source.has_value();
  if (!known) {
    lift::Options options;
    options.exact = exact;
    lift::Unit unit = lift::lift(file->program, options, findings);
    if (log.on()) report(unit, log);
    if (std::ranges::none_of(unit.kernels, &lift::KernelOutcome::lifted)) return nullptr;
    source = std::move(unit.source);
    cache.keep(key, *source);
  }
  log.line(fmt::format("{}, {} bytes: {} kernels{}", kind_name(file->kind), bytes.size(), out->kernels.size(),
                       known ? ", from the cache" : ""));
  out->source = std::move(*source);
  return out;
}

}  // namespace amdcompat::layer
