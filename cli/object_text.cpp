// HSA code objects for people: what the file says, in its own terms.
#include <algorithm>
#include <iterator>
#include <ranges>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "code.hpp"
#include "common.hpp"

namespace amdcompat::cli {

namespace {

template <class T>
void put(std::string& out, std::string_view name, const std::optional<T>& value) {
  if (!value) return;
  fmt::format_to(std::back_inserter(out), "{}{} ", out.empty() ? "" : ", ", name);
  if constexpr (requires { value->begin(); } && !std::is_same_v<T, std::string>)
    fmt::format_to(std::back_inserter(out), "{}", fmt::join(*value, " x "));
  else
    fmt::format_to(std::back_inserter(out), "{}", *value);
}

void put_line(std::string& out, std::string_view text) {
  if (!text.empty()) fmt::format_to(std::back_inserter(out), "  {}\n", text);
}

std::string place_text(const MachineCode& code, const CodePlace& place) {
  if (place.section >= code.sections.size()) return "nowhere";
  return fmt::format("{} bytes at {}+{:#x}", place.size, code.sections[place.section].name, place.offset);
}

// "compute_pgm_rsrc1 0x00ac0041: granulated_workitem_vgpr_count 1, ..." with the fields that are not 0.
void put_word(std::string& out, hsa::DescriptorWord word, std::uint32_t value, const Target& target) {
  if (value == 0) return;
  std::string fields;
  std::uint32_t named = 0;
  for (const hsa::KernelDescriptorField& field : hsa::kernel_descriptor_fields()) {
    if (field.word != word || !hsa::has_field(target, field)) continue;
    const auto ones = static_cast<std::uint32_t>((std::uint64_t{1} << field.width) - 1);
    const std::uint32_t held = value >> field.bit & ones;
    named |= ones << field.bit;
    if (held == 0) continue;
    fields += fields.empty() ? ": " : ", ";
    for (const char c : field.name) fields += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (field.width > 1) fields += fmt::format(" {}", held);
  }
  if ((value & ~named) != 0)
    fields += fmt::format("{}reserved bits {:#x}", fields.empty() ? ": " : ", ", value & ~named);
  fmt::format_to(std::back_inserter(out), "    {} {:#010x}{}\n", hsa::word_name(word), value, fields);
}

void put_code(std::string& out, const hsa::CodeObject& object, const hsa::CodeKernel& kernel) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "  code: {}\n", place_text(object.code, kernel.code));
  const bool known = object.target != nullptr && object.target->generation;
  using W = hsa::DescriptorWord;
  if (kernel.descriptor) {
    const hsa::KernelDescriptor& d = *kernel.descriptor;
    fmt::format_to(to, "  descriptor{}: {} bytes of LDS, {} bytes of scratch, kernarg segment of {} bytes\n",
                   kernel.descriptor_place ? ": " + place_text(object.code, *kernel.descriptor_place) : "",
                   d.group_segment_fixed_size, d.private_segment_fixed_size, d.kernarg_size);
    if (!known) return;
    put_word(out, W::Rsrc1, d.rsrc1, *object.target);
    put_word(out, W::Rsrc2, d.rsrc2, *object.target);
    put_word(out, W::Rsrc3, d.rsrc3, *object.target);
    put_word(out, W::Properties, d.properties, *object.target);
    put_word(out, W::Preload, d.preload, *object.target);
  } else if (kernel.legacy) {
    const KernelCode& k = *kernel.legacy;
    fmt::format_to(
        to, "  amd_kernel_code_t {}.{}{}: {} bytes of LDS, {} bytes of scratch, kernarg segment of {} bytes\n",
        k.version[0], k.version[1], kernel.legacy_place ? ": " + place_text(object.code, *kernel.legacy_place) : "",
        k.group_bytes, k.private_bytes, k.kernarg_bytes);
    if (!known) return;
    put_word(out, W::Rsrc1, k.rsrc1, *object.target);
    put_word(out, W::Rsrc2, k.rsrc2, *object.target);
    put_word(out, W::Properties, k.user_registers, *object.target);
    put_word(out, W::Features, k.features, *object.target);
  }
}

void put_arguments(std::string& out, const hsa::MetadataKernel& kernel) {
  const auto to = std::back_inserter(out);
  if (kernel.args.empty()) {
    if (kernel.args_absent) put_line(out, "the file lists no arguments");
    return;
  }
  fmt::format_to(to, "  {:>3}  {:>7}  {:>5}  {:<24} {:<20} {}\n", "#", "kernarg", "bytes", "name", "type",
                 "value kind");
  for (std::size_t i = 0; i < kernel.args.size(); ++i) {
    const hsa::MetadataArgument& a = kernel.args[i];
    std::string kind(a.value_kind ? hsa::spelling(*a.value_kind) : "?");
    if (a.address_space) kind += fmt::format(" {}", hsa::spelling(*a.address_space));
    if (a.access) kind += fmt::format(" {}", hsa::spelling(*a.access));
    if (a.pointee_align) kind += fmt::format(" (align {})", *a.pointee_align);
    for (const auto& [flag, name] : {std::pair{a.is_const, " const"}, std::pair{a.is_volatile, " volatile"},
                                     std::pair{a.is_restrict, " restrict"}, std::pair{a.is_pipe, " pipe"}})
      if (flag.value_or(false)) kind += name;
    fmt::format_to(to, "  {:>3}  {:>7}  {:>5}  {:<24} {:<20} {}\n", i,
                   a.offset ? fmt::format("+{}", *a.offset) : std::string("?"),
                   a.size ? fmt::format("{}", *a.size) : std::string("?"), visible(a.name.value_or("")),
                   visible(a.type_name.value_or("")), kind);
  }
}

using KernelsByName = std::unordered_map<std::string_view, const hsa::CodeKernel*>;

void put_kernel(std::string& out, const hsa::CodeObject& object, const hsa::MetadataKernel& kernel,
                const KernelsByName& by_name) {
  fmt::format_to(std::back_inserter(out), "\nkernel {}{}\n", visible(kernel.name.value_or("?")),
                 kernel.symbol ? fmt::format(" ({})", *kernel.symbol) : std::string{});
  std::string line;
  put(line, "kernarg segment bytes", kernel.kernarg_segment_size);
  put(line, "aligned to", kernel.kernarg_segment_align);
  put(line, "LDS bytes", kernel.group_segment_fixed_size);
  put(line, "scratch bytes", kernel.private_segment_fixed_size);
  if (kernel.uses_dynamic_stack.value_or(false)) line += ", dynamic stack";
  put_line(out, line);
  line.clear();
  put(line, "VGPRs", kernel.vgpr_count);
  put(line, "SGPRs", kernel.sgpr_count);
  put(line, "AGPRs", kernel.agpr_count);
  put(line, "spilled VGPRs", kernel.vgpr_spill_count);
  put(line, "spilled SGPRs", kernel.sgpr_spill_count);
  put(line, "wavefront", kernel.wavefront_size);
  put(line, "workgroup processor mode", kernel.workgroup_processor_mode);
  put_line(out, line);
  line.clear();
  put(line, "largest flat work-group", kernel.max_flat_workgroup_size);
  put(line, "required work-group", kernel.reqd_workgroup_size);
  put(line, "work-group hint", kernel.workgroup_size_hint);
  put(line, "uniform work-groups", kernel.uniform_work_group_size);
  put_line(out, line);
  line.clear();
  put(line, "language", kernel.language);
  if (kernel.language_version) line += fmt::format(" {}", fmt::join(*kernel.language_version, "."));
  put(line, "kind", kernel.kind);
  put(line, "vector type hint", kernel.vec_type_hint);
  put(line, "device enqueue symbol", kernel.device_enqueue_symbol);
  put_line(out, line);
  for (const hsa::NodeEntry& entry : kernel.unknown) put_line(out, fmt::format("unknown key {}", entry.key));
  std::string_view symbol = kernel.symbol ? std::string_view(*kernel.symbol) : std::string_view{};
  if (symbol.ends_with(".kd")) symbol.remove_suffix(3);
  const auto code = by_name.find(symbol);
  if (code == by_name.end())
    put_line(out, "no code in this file");
  else
    put_code(out, object, *code->second);
  put_arguments(out, kernel);
}

}  // namespace

std::string object_text(const std::string& name, const File& file, std::string_view kernel) {
  const hsa::CodeObject& object = *file.object();
  std::string out = fmt::format("{}: {}, {}\n", visible(name), kind_name(file.kind),
                                plural(object.metadata.kernels.size(), "kernel"));
  const auto to = std::back_inserter(out);
  if (file.kind == FileKind::OffloadBundle)
    fmt::format_to(to, "code object {}{}\n", hsa::version_info(object.version).name, object.v1 ? " (1.x)" : "");
  if (object.target != nullptr) {
    const auto id = hsa::target_id(*object.target, object.version, object.features);
    fmt::format_to(to, "target {}\n", id ? *id : std::string(object.target->name));
  }
  const hsa::LegacyNotes& notes = object.notes;
  if (notes.code_object_version)
    fmt::format_to(to, "code object version {}\n", fmt::join(*notes.code_object_version, "."));
  if (notes.isa) fmt::format_to(to, "ISA version {}\n", fmt::join(*notes.isa, "."));
  if (!notes.isa_name.empty()) fmt::format_to(to, "ISA name {}\n", visible(notes.isa_name));
  if (notes.finalizer) out += "made by the HSAIL finalizer\n";
  if (!notes.producer.empty()) fmt::format_to(to, "producer {}\n", visible(notes.producer));
  if (!notes.producer_options.empty()) fmt::format_to(to, "producer options {}\n", visible(notes.producer_options));
  if (object.relocatable) out += "relocatable: not linked yet\n";
  if (object.has_metadata && object.metadata.version)
    fmt::format_to(to, "metadata version {}\n", fmt::join(*object.metadata.version, "."));
  KernelsByName by_name;
  for (const hsa::CodeKernel& k : object.kernels) by_name.try_emplace(k.name, &k);
  for (const hsa::MetadataKernel& k : object.metadata.kernels)
    if (kernel.empty() || k.name == kernel) put_kernel(out, object, k, by_name);
  if (!object.metadata.printf.empty()) out += "\nprintf formats\n";
  for (const std::string& text : object.metadata.printf) put_line(out, text);
  out += "\nsections\n";
  for (const CodeSection& s : object.code.sections)
    fmt::format_to(to, "  {:#8x}  {:>8} bytes  align {:<5} {}{}{}  {}\n", s.address, s.size(), s.align, 'r',
                   s.writable ? 'w' : '-', s.executable ? 'x' : '-', visible(s.name));
  if (!object.code.symbols.empty()) out += "\nsymbols beside the kernels\n";
  for (const CodeSymbol& s : object.code.symbols)
    put_line(out,
             fmt::format("{}: {}", visible(s.name), s.place ? place_text(object.code, *s.place) : "defined elsewhere"));
  if (!object.code.relocations.empty()) out += "\nrelocations\n";
  for (const CodeRelocation& r : object.code.relocations) {
    const std::string target = r.symbol && *r.symbol < object.code.symbols.size() ? object.code.symbols[*r.symbol].name
                               : r.target < object.code.sections.size()           ? object.code.sections[r.target].name
                                                                                  : "?";
    put_line(out, fmt::format("{}: type {}, {}{:+}", place_text(object.code, r.where), r.type, target, r.addend));
  }
  return out;
}

}  // namespace amdcompat::cli
