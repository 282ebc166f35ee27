// `verify OLD NEW`: does the new file run as the old one did?
//
// Both sides become a `LoadView`, read from each file's own words: a CL2 side from its binary metadata and setups, V1
// and V2 from `amd_kernel_code_t` and YAML, later ones from descriptor and MessagePack. Nothing of the conversion takes
// part, so that a mistake of it shows here.
#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include <amdcompat/convert.hpp>

namespace amdcompat::convert {

namespace {

// V3's spelling of what a CL2 argument is to the runtime.
struct KindName {
  std::string_view operator()(const ByValue&) const { return "by_value"; }
  std::string_view operator()(const GlobalPointer&) const { return "global_buffer"; }
  std::string_view operator()(const ConstantPointer&) const { return "global_buffer"; }
  std::string_view operator()(const LocalPointer&) const { return "dynamic_shared_pointer"; }
  std::string_view operator()(const RegionPointer&) const { return "region pointer"; }
  std::string_view operator()(const PrivatePointer&) const { return "private pointer"; }
  std::string_view operator()(const Image&) const { return "image"; }
  std::string_view operator()(const Sampler&) const { return "sampler"; }
  std::string_view operator()(const Counter&) const { return "counter"; }
  std::string_view operator()(const Semaphore&) const { return "semaphore"; }
  std::string_view operator()(const Queue&) const { return "queue"; }
  std::string_view operator()(const Pipe&) const { return "pipe"; }
  std::string_view operator()(const Hidden& hidden) const {
    constexpr std::string_view kNames[] = {"hidden_global_offset_x", "hidden_global_offset_y",
                                           "hidden_global_offset_z", "hidden_printf_buffer",
                                           "hidden_default_queue",   "hidden_completion_action"};
    return kNames[static_cast<std::size_t>(hidden.what)];
  }
};

std::span<const std::byte> bytes_of(const MachineCode& code, const CodePlace& place) {
  if (place.section >= code.sections.size()) return {};
  const auto& bytes = code.sections[place.section].bytes;
  if (place.offset > bytes.size() || place.size > bytes.size() - place.offset) return {};
  return std::span(bytes).subspan(place.offset, place.size);
}

// The bits of a word that are compared: not those that the runtime sets, or that only the old structure has.
std::uint32_t settled_bits(hsa::DescriptorWord word, const Target* target) {
  if (target == nullptr || !target->generation) return ~std::uint32_t{0};
  return hsa::known_bits(word, *target, hsa::CodeObjectVersion::V4);
}

// Names for the sections of a side that tell them apart: the second `.data` is `.data#2`. Sections of descriptors alone
// have none, as the other side may have none.
std::vector<std::string> section_names(const LoadView& view) {
  std::vector<std::uint64_t> described(view.code->sections.size());
  for (const CodePlace& place : view.descriptors)
    if (place.section < described.size()) described[place.section] += place.size;
  std::map<std::string_view, std::size_t> count;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < described.size(); ++i) {
    const CodeSection& section = view.code->sections[i];
    std::string& name = out.emplace_back();
    if (described[i] != 0 && described[i] >= section.size()) continue;
    const std::size_t number = ++count[section.name];
    name = number == 1 ? section.name : fmt::format("{}#{}", section.name, number);
    if (name.empty()) name = "#1";
  }
  return out;
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

bool describes(const LoadView& view, std::size_t section) {
  return std::ranges::find(view.descriptors, section, &CodePlace::section) != view.descriptors.end();
}

// Without the bytes of descriptors.
std::vector<std::byte> plain_bytes(const LoadView& view, std::size_t section) {
  std::vector<std::byte> out = view.code->sections[section].bytes;
  for (const CodePlace& place : view.descriptors)
    if (place.section == section && place.offset <= out.size() && place.size <= out.size() - place.offset)
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(place.offset), place.size, std::byte{});
  return out;
}

bool same_contents(const LoadView& before, std::size_t old, const LoadView& after, std::size_t now) {
  if (!describes(before, old) && !describes(after, now))
    return same_bytes(before.code->sections[old].bytes, after.code->sections[now].bytes);
  return same_bytes(plain_bytes(before, old), plain_bytes(after, now));
}

class Comparer {
 public:
  Comparer(const LoadView& before, const LoadView& after, Diagnostics& diagnostics)
      : before_(before), after_(after), diagnostics_(diagnostics) {}

  void run() {
    for (std::size_t word = 0; word < settled_.size(); ++word)
      settled_[word] = settled_bits(static_cast<hsa::DescriptorWord>(word), after_.target);
    if (before_.target != nullptr && after_.target != nullptr && before_.target != after_.target)
      explained("target",
                fmt::format("{} before, {} now: another device of the same generation", before_.target->name,
                            after_.target->name),
                hsa::descriptor_group(*before_.target) == hsa::descriptor_group(*after_.target));
    std::map<std::string_view, const LoadView::Kernel*> now;
    for (const LoadView::Kernel& kernel : after_.kernels) now.emplace(kernel.name, &kernel);
    for (std::size_t i = 0; i < before_.kernels.size(); ++i) {
      const LoadView::Kernel& kernel = before_.kernels[i];
      place_ = {"kernels", i};
      const DiagnosticScope scope(diagnostics_, {.kernel = kernel.name});
      const auto found = now.find(kernel.name);
      if (found == now.end()) {
        differ(".name", fmt::format("kernel '{}' is missing", kernel.name));
        continue;
      }
      compare(kernel, *found->second);
      now.erase(found);
    }
    for (const auto& [name, kernel] : now) {
      place_ = {"kernels", std::nullopt};
      const DiagnosticScope scope(diagnostics_, {.kernel = name});
      differ("", fmt::format("kernel '{}' was not there before", name));
    }
    place_ = {};
    if (before_.printf != after_.printf) differ("amdhsa.printf", "the printf strings differ");
    data();
  }

 private:
  // Where the comparison is; spelled only for a finding.
  struct Place {
    std::string_view list;  // empty: nowhere
    std::optional<std::size_t> index{};
    std::optional<std::size_t> argument{};  // of the kernel at `index`
  };
  [[nodiscard]] std::string path(std::string_view key) const {
    constexpr std::size_t kUsual = 64;
    std::string out;
    out.reserve(kUsual);
    out += place_.list;
    if (place_.index) out.append("[").append(std::to_string(*place_.index)).append("]");
    if (place_.argument) out.append(".args[").append(std::to_string(*place_.argument)).append("]");
    return out += key;
  }

  void differ(std::string_view key, std::string message) {
    diagnostics_.report(Code::ObjectsDiffer, {}, std::move(message), path(key));
  }
  void explained(std::string_view key, std::string message, bool intended) {
    diagnostics_.report(intended ? Code::DifferenceExplained : Code::ObjectsDiffer, {}, std::move(message), path(key));
  }
  void same(std::string_view key, std::uint64_t before, std::uint64_t now) {
    if (before != now) differ(key, fmt::format("{} before, {} now", before, now));
  }

  void compare(const LoadView::Kernel& before, const LoadView::Kernel& now) {
    same(".group_segment_fixed_size", before.group_bytes, now.group_bytes);
    same(".private_segment_fixed_size", before.private_bytes, now.private_bytes);
    segment(before, now);
    const bool wave32 = (before.user_registers & hsa::kPropertyWave32) != 0;
    const hsa::RegisterLimits room =
        before_.target != nullptr ? hsa::register_limits(before.rsrc1, *before_.target, wave32) : hsa::RegisterLimits{};
    registers(".sgpr_count", before.sgprs, now.sgprs, room.sgprs);
    registers(".vgpr_count", before.vgprs, now.vgprs, room.vgprs);
    if (before.required_group_size != now.required_group_size)
      differ(".reqd_workgroup_size", "the required work-group size differs");
    const auto word = [&](std::string_view key, hsa::DescriptorWord which, std::uint32_t old, std::uint32_t fresh) {
      if (((old ^ fresh) & settled_[static_cast<std::size_t>(which)]) != 0)
        differ(key, fmt::format("{:#010x} before, {:#010x} now", old, fresh));
    };
    word(".compute_pgm_rsrc1", hsa::DescriptorWord::Rsrc1, before.rsrc1, now.rsrc1);
    word(".compute_pgm_rsrc2", hsa::DescriptorWord::Rsrc2, before.rsrc2, now.rsrc2);
    word(".compute_pgm_rsrc3", hsa::DescriptorWord::Rsrc3, before.rsrc3, now.rsrc3);
    word(".kernel_code_properties", hsa::DescriptorWord::Properties, before.user_registers, now.user_registers);
    code(before, now);
    if (!before.arguments) {
      if (now.arguments && !now.arguments->empty()) differ(".args", "an argument list that was not there before");
      return;
    }
    if (!now.arguments) {
      differ(".args", fmt::format("the list of {} arguments is gone", before.arguments->size()));
      return;
    }
    arguments(*before.arguments, *now.arguments);
  }

  // Old objects may have listed arguments that their segment did not hold.
  void segment(const LoadView::Kernel& before, const LoadView::Kernel& now) {
    if (before.kernarg_bytes == 0 || before.kernarg_bytes == now.kernarg_bytes) return;
    std::uint64_t needed = 0;
    if (before.arguments)
      for (const LoadView::Argument& argument : *before.arguments)
        needed = std::max(needed, argument.offset + argument.size);
    explained(".kernarg_segment_size",
              fmt::format("{} before, {} now{}", before.kernarg_bytes, now.kernarg_bytes,
                          needed == now.kernarg_bytes ? ", which the arguments need" : ""),
              before_.legacy && needed > before.kernarg_bytes && needed == now.kernarg_bytes);
  }

  // Metadata of old objects may have counted more than hardware was told to give.
  void registers(std::string_view key, std::uint64_t before, std::uint64_t now, std::uint32_t room) {
    if (before != now)
      explained(key, fmt::format("{} before, {} now{}", before, now, room == now ? ", which hardware gives" : ""),
                before_.legacy && room != 0 && before > room && now == room);
  }

  void arguments(const std::vector<LoadView::Argument>& before, const std::vector<LoadView::Argument>& now) {
    if (before.size() != now.size()) {
      differ(".args", fmt::format("{} arguments before, {} now", before.size(), now.size()));
      return;
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      const LoadView::Argument &a = before[i], &b = now[i];
      if (a == b) continue;
      place_.argument = i;
      same(".offset", a.offset, b.offset);
      if (a.name != b.name) differ(".name", fmt::format("'{}' before, '{}' now", a.name, b.name));
      if (a.type_name != b.type_name)
        differ(".type_name", fmt::format("'{}' before, '{}' now", a.type_name, b.type_name));
      const bool unused = a.kind.starts_with("hidden_") && b.kind == "hidden_none";
      if (a.by_reference && b.kind == "global_buffer")
        explained(".value_kind", fmt::format("'{}' is read through an address: now a buffer", a.name), true);
      else if (unused && a.kind != b.kind)
        explained(".value_kind", fmt::format("{}, which the kernel has no use for, is none now", a.kind),
                  !a.kind.starts_with("hidden_global_offset"));
      else if (a.kind != b.kind)
        differ(".value_kind", fmt::format("{} before, {} now", a.kind, b.kind));
      if (a.size != b.size)
        explained(".size", fmt::format("{} bytes before, {} now", a.size, b.size),
                  a.kind == "dynamic_shared_pointer" && b.size == 4 && a.size == 8);
    }
    place_.argument.reset();
  }

  // Places that a loader overwrites hold no meaning.
  void code(const LoadView::Kernel& before, const LoadView::Kernel& now) {
    if (before.code.size() != now.code.size()) {
      differ(".code", fmt::format("{} bytes of code before, {} now", before.code.size(), now.code.size()));
      return;
    }
    if (same_bytes(before.code, now.code)) return;
    const auto [a, b] = std::ranges::mismatch(before.code, now.code);
    differ(".code", fmt::format("the code differs from byte {} on", a - before.code.begin()));
  }

  // Loaded data by section; sections that hold descriptors or samplers alone are the new side's own.
  void data() {
    if (before_.code == nullptr || after_.code == nullptr) return;
    old_names_ = section_names(before_);
    new_names_ = section_names(after_);
    for (std::size_t i = 0; i < new_names_.size(); ++i)
      if (!new_names_[i].empty()) new_index_.emplace(new_names_[i], i);
    for (std::size_t i = 0; i < before_.code->sections.size(); ++i) {
      const CodeSection& section = before_.code->sections[i];
      if (section.executable || old_names_[i].empty()) continue;
      place_ = {"sections", i};
      const auto index = new_index_.find(old_names_[i]);
      if (index == new_index_.end()) {
        differ("", fmt::format("section '{}' is gone", section.name));
        continue;
      }
      const CodeSection& found = after_.code->sections[index->second];
      if (found.zero_bytes != section.zero_bytes || !same_contents(before_, i, after_, index->second))
        differ("", fmt::format("the contents of section '{}' differ", section.name));
      else if (found.writable != section.writable)
        differ("", fmt::format("section '{}' may {}be written now", section.name, found.writable ? "" : "not "));
    }
    place_ = {};
    relocations();
    distances();
  }

  // What the bytes at a relocation's place lead to.
  struct Aim {
    std::string_view name;  // of a section or a symbol
    std::int64_t distance = 0;  // bytes behind it
    bool known = true;
    [[nodiscard]] std::string text() const { return known ? fmt::format("{}+{}", name, distance) : "?"; }
    friend bool operator==(const Aim&, const Aim&) = default;
  };
  static Aim aim_of(const CodeRelocation& r, const MachineCode& code, const std::vector<std::string>& names) {
    constexpr Aim kUnknown{.name = {}, .distance = 0, .known = false};
    if (!r.symbol) return r.target < code.sections.size() ? Aim{names[r.target], r.addend} : kUnknown;
    if (*r.symbol >= code.symbols.size()) return kUnknown;
    const CodeSymbol& s = code.symbols[*r.symbol];
    if (!s.place || s.place->section >= code.sections.size()) return {s.name, r.addend};
    return {names[s.place->section], static_cast<std::int64_t>(static_cast<std::uint64_t>(r.addend) + s.place->offset)};
  }

  // Every place that held an address still does, and to the same bytes.
  void relocations() {
    const auto list = [](const MachineCode& code, const std::vector<std::string>& names) {
      std::map<std::tuple<std::string_view, std::uint64_t, std::uint32_t>, Aim> out;
      for (const CodeRelocation& r : code.relocations)
        if (r.where.section < code.sections.size())
          out[{names[r.where.section], r.where.offset, r.type}] = aim_of(r, code, names);
      return out;
    };
    const auto now = list(*after_.code, new_names_);
    for (const auto& [where, aim] : list(*before_.code, old_names_)) {
      const auto& [section, offset, type] = where;
      const auto found = now.find(where);
      if (found == now.end() || found->second != aim)
        differ("relocations", fmt::format("'{}' + {:#x} (type {}) pointed to {}, now to {}", section, offset, type,
                                          aim.text(), found == now.end() ? "nothing" : found->second.text()));
    }
  }

  // Code finds its data by distance.
  void distances() {
    if (before_.legacy && before_.code->relocations.empty() && before_.code->sections.size() == 1) return;
    std::optional<std::uint64_t> text, new_text;
    for (std::size_t i = 0; i < old_names_.size() && !text; ++i) {
      const auto found = new_index_.find(old_names_[i]);
      if (!before_.code->sections[i].executable || found == new_index_.end()) continue;
      text = before_.code->sections[i].address;
      new_text = after_.code->sections[found->second].address;
    }
    if (!text) return;
    for (std::size_t i = 0; i < old_names_.size(); ++i) {
      const auto found = new_index_.find(old_names_[i]);
      if (found == new_index_.end()) continue;
      const std::uint64_t old = before_.code->sections[i].address - *text;
      const std::uint64_t fresh = after_.code->sections[found->second].address - *new_text;
      if (old != fresh)
        differ("sections", fmt::format("'{}' lies {} bytes from the code, before {}", old_names_[i],
                                       static_cast<std::int64_t>(fresh), static_cast<std::int64_t>(old)));
    }
  }

  const LoadView& before_;
  const LoadView& after_;
  Diagnostics& diagnostics_;
  Place place_;
  std::array<std::uint32_t, 4> settled_{};  // of Rsrc1 to Properties
  std::vector<std::string> old_names_, new_names_;  // of sections
  std::map<std::string_view, std::size_t> new_index_;
};

}  // namespace

LoadView load_view(const hsa::CodeObject& object) {
  LoadView view;
  view.legacy = object.version == hsa::CodeObjectVersion::V2;
  view.target = object.target;
  view.features = object.features;
  view.printf = object.metadata.printf;
  view.code = &object.code;
  std::unordered_map<std::string_view, const hsa::MetadataKernel*> metadata;
  for (const hsa::MetadataKernel& kernel : object.metadata.kernels)
    if (kernel.symbol) metadata.emplace(*kernel.symbol, &kernel);
  for (const hsa::CodeKernel& from : object.kernels) {
    LoadView::Kernel& kernel = view.kernels.emplace_back();
    kernel.name = from.name;
    kernel.code = bytes_of(object.code, from.code);
    if (from.descriptor_place) view.descriptors.push_back(*from.descriptor_place);
    if (from.legacy) {
      kernel.kernarg_bytes = from.legacy->kernarg_bytes;
      kernel.group_bytes = from.legacy->group_bytes;
      kernel.private_bytes = from.legacy->private_bytes;
      kernel.rsrc1 = from.legacy->rsrc1;
      kernel.rsrc2 = from.legacy->rsrc2;
      kernel.user_registers = from.legacy->user_registers;
      kernel.sgprs = from.legacy->sgprs;
      kernel.vgprs = from.legacy->vgprs;
    } else if (from.descriptor) {
      kernel.kernarg_bytes = from.descriptor->kernarg_size;
      kernel.group_bytes = from.descriptor->group_segment_fixed_size;
      kernel.private_bytes = from.descriptor->private_segment_fixed_size;
      kernel.rsrc1 = from.descriptor->rsrc1;
      kernel.rsrc2 = from.descriptor->rsrc2;
      kernel.rsrc3 = from.descriptor->rsrc3;
      kernel.user_registers = from.descriptor->properties;
    }
    const auto found = metadata.find(from.name + ".kd");
    if (found == metadata.end()) continue;
    const hsa::MetadataKernel& m = *found->second;
    if (m.sgpr_count) kernel.sgprs = *m.sgpr_count;
    if (m.vgpr_count) kernel.vgprs = *m.vgpr_count;
    if (m.kernarg_segment_size && kernel.kernarg_bytes == 0) kernel.kernarg_bytes = *m.kernarg_segment_size;
    kernel.required_group_size = m.reqd_workgroup_size;
    if (m.args_absent) continue;
    kernel.arguments.emplace();
    kernel.arguments->reserve(m.args.size());
    const auto view_of = [](const std::optional<std::string>& text) { return text ? std::string_view(*text) : ""; };
    for (const hsa::MetadataArgument& a : m.args)
      kernel.arguments->push_back({view_of(a.name), a.value_kind ? hsa::spelling(*a.value_kind) : std::string_view{},
                                   a.offset.value_or(0), a.size.value_or(0), view_of(a.type_name), false});
  }
  return view;
}

LoadView load_view(const Program& program) {
  LoadView view;
  view.legacy = true;
  view.code = &program.code;
  for (const PrintfFormat& format : program.printf)
    view.printf.push_back(hsa::encode_printf(format.id, format.sizes, format.format));
  if (const Device* device = find_device(program.device)) view.target = find_target(device->target);
  for (const Kernel& from : program.kernels) {
    LoadView::Kernel& kernel = view.kernels.emplace_back();
    kernel.name = from.name;
    if (from.code) kernel.code = bytes_of(program.code, *from.code);
    if (const ArgumentBlockLaunch* const facts = from.argument_block(); facts != nullptr && setup_of(from) != nullptr) {
      const KernelCode& setup = *setup_of(from);
      kernel.kernarg_bytes = std::max(setup.kernarg_bytes, facts->argument_bytes);
      kernel.group_bytes = setup.group_bytes;
      kernel.private_bytes = setup.private_bytes;
      kernel.rsrc1 = setup.rsrc1;
      kernel.rsrc2 = setup.rsrc2;
      kernel.user_registers = setup.user_registers;
      kernel.sgprs = setup.sgprs;
      kernel.vgprs = setup.vgprs;
    }
    const auto& group = from.limits.required_group_size;
    if (group != std::array<std::uint32_t, 3>{}) kernel.required_group_size = {{group[0], group[1], group[2]}};
    kernel.arguments.emplace().reserve(from.arguments.size());
    for (const Argument& a : from.arguments) {
      const ArgumentBlockSlot slot = a.in_block() != nullptr ? *a.in_block() : ArgumentBlockSlot{};
      const bool hidden = std::holds_alternative<Hidden>(a.kind);
      const auto stated = [&](std::string_view text) { return hidden ? std::string_view{} : text; };
      kernel.arguments->push_back({stated(a.name), std::visit(KindName{}, a.kind), slot.offset, slot.size,
                                   stated(a.type_name), slot.by_reference});
    }
  }
  return view;
}

bool compare(const LoadView& before, const LoadView& after, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.count(Severity::Error);
  Comparer(before, after, diagnostics).run();
  return diagnostics.count(Severity::Error) == errors;
}

std::optional<std::string> write_compared(hsa::CodeObject object, LoadView before, bool refused,
                                          Diagnostics& diagnostics) {
  hsa::CodeObject again;
  Result<std::string> bytes = hsa::write_code_object(std::move(object), &again);
  if (!bytes) {
    diagnostics.add(std::move(bytes.error()));
    return std::nullopt;
  }
  const LoadView after = load_view(again);
  if (refused)
    std::erase_if(before.kernels, [&](const LoadView::Kernel& kernel) {
      return std::ranges::find(after.kernels, kernel.name, &LoadView::Kernel::name) == after.kernels.end();
    });
  if (!compare(before, after, diagnostics)) return std::nullopt;
  return std::move(*bytes);
}

}  // namespace amdcompat::convert
