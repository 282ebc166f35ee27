// `inspect`: what a file holds, for people (text) or scripts (JSON).
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/device.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "code.hpp"
#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

struct KindText {
  std::string operator()(const ByValue& v) const {
    const bool blob = v.type == ScalarType::Struct || v.type == ScalarType::Union;
    return blob              ? fmt::format("{} of {} bytes", scalar_name(v.type), v.elements)
           : v.elements == 1 ? std::string(scalar_name(v.type))
                             : fmt::format("{} x{}", scalar_name(v.type), v.elements);
  }
  std::string pointer(const PointerInfo& p, std::string_view space) const {
    return fmt::format("{} pointer to {} ({} {}, align {}{}{})", space,
                       p.pointee_name.empty() ? scalar_name(p.pointee) : p.pointee_name, memory_kind_name(p.memory),
                       p.buffer, p.align, p.access == Access::Unspecified ? "" : ", ", text::access_name(p.access));
  }
  std::string operator()(const GlobalPointer& p) const { return pointer(p, "global"); }
  std::string operator()(const LocalPointer& p) const { return pointer(p, "local"); }
  std::string operator()(const ConstantPointer& p) const { return pointer(p, "constant"); }
  std::string operator()(const RegionPointer& p) const { return pointer(p, "region"); }
  std::string operator()(const PrivatePointer& p) const { return pointer(p, "private"); }
  std::string operator()(const Image& i) const {
    return fmt::format("image {} {} (id {})", image_dim_name(i.dim), text::access_name(i.access), i.id);
  }
  std::string operator()(const Sampler& s) const { return fmt::format("sampler (id {})", s.id); }
  std::string operator()(const Counter& c) const { return fmt::format("{}-bit counter (id {})", c.bits, c.id); }
  std::string operator()(const Semaphore& s) const { return fmt::format("semaphore (id {})", s.id); }
  std::string operator()(const Queue&) const { return "queue"; }
  std::string operator()(const Pipe& p) const {
    return fmt::format("pipe (align {}, {})", p.align, text::access_name(p.access));
  }
  std::string operator()(const Hidden& h) const {
    static constexpr std::string_view kNames[] = {"global offset x", "global offset y", "global offset z",
                                                  "printf buffer",   "default queue",   "completion action"};
    return fmt::format("hidden: {}", kNames[static_cast<std::size_t>(h.what)]);
  }
};

void put_size(std::string& out, std::string_view name, std::uint64_t bytes) {
  if (bytes != 0) out += fmt::format(" {} {}", name, bytes);
}

// What a CL2 kernel's code setup says: "user registers: s[0:3] private segment buffer, s[4:5] kernarg pointer".
void put_setup(std::string& out, const Kernel& kernel) {
  const ArgumentBlockLaunch& facts = *kernel.argument_block();
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "  argument block of {} bytes, {}; {}\n", facts.argument_bytes,
                 plural(facts.hidden_arguments, "hidden argument"),
                 cl2::code_storage_name(facts.nested ? cl2::CodeStorage::Nested : cl2::CodeStorage::Separate));
  if (setup_of(kernel) == nullptr) return;
  const KernelCode& setup = *setup_of(kernel);
  std::string registers;
  std::uint32_t next = 0;
  for (const cl2::UserRegister& row : cl2::user_register_table()) {
    if ((setup.user_registers & row.mask) == 0) continue;
    registers += fmt::format("{}s[{}:{}] {}", registers.empty() ? "" : ", ", next, next + row.count - 1, row.name);
    next += row.count;
  }
  fmt::format_to(to, "  setup {}.{} at +{:#x}, code of {} bytes at +{:#x}\n", setup.version[0], setup.version[1],
                 facts.setup_bytes.begin, facts.code.size, facts.code.begin);
  fmt::format_to(to, "  rsrc1 {:#010x}, rsrc2 {:#010x}, features {:#x}\n", setup.rsrc1, setup.rsrc2, setup.features);
  if (!registers.empty()) fmt::format_to(to, "  user registers: {}\n", registers);
}

// CLRX's names for the sets of user registers that AMD's compilers enabled. [CLRX AmdCl2Abi]
struct Feature {
  std::string_view name;
  std::uint16_t registers;
  std::uint16_t gfx9;
};
constexpr Feature kFeatures[] = {
    {"none", 0x1, 0x21},     {"useargs", 0x9, 0x29},  {"usesetup", 0xb, 0x2b},
    {"useenqueue", 0x2b, 0}, {"usegeneric", 0x2f, 0},
};

// Where every register that the hardware fills is, when the kernel starts. [S2 «Initial Kernel Register State»]
void put_registers(std::string& out, const Kernel& kernel) {
  if (kernel.argument_block() == nullptr || setup_of(kernel) == nullptr) return;
  const auto to = std::back_inserter(out);
  const KernelCode& setup = *setup_of(kernel);
  const Device* const device = find_device(kernel.device);
  const bool gfx9 = device != nullptr && device->isa == Isa::Gcn1_4;
  const auto feature = std::ranges::find_if(kFeatures, [&](const Feature& row) {
    return setup.user_registers == (gfx9 && row.gfx9 != 0 ? row.gfx9 : row.registers);
  });
  fmt::format_to(to, "  initial registers: {} ({:#x})\n",
                 feature == std::end(kFeatures) ? "a set of its own" : feature->name, setup.user_registers);
  std::uint32_t next = 0;
  const auto row = [&](char file, std::uint32_t count, std::string_view name, std::string_view meaning) {
    const std::string range =
        count == 1 ? fmt::format("{}{}", file, next) : fmt::format("{}[{}:{}]", file, next, next + count - 1);
    if (meaning.empty())
      fmt::format_to(to, "    {:<8} {}\n", range, name);
    else
      fmt::format_to(to, "    {:<8} {:<24} {}\n", range, name, meaning);
    next += count;
  };
  for (const UserRegister& user : user_register_table())
    if ((setup.user_registers & user.mask) != 0) row('s', user.count, user.name, user.meaning);
  // The system registers follow the user registers that the hardware counts, which real gfx906 files say differently.
  if (const std::uint32_t counted = setup.rsrc2 >> 1 & 31; counted != next) {
    fmt::format_to(to, "    (the hardware is told of {} user registers)\n", counted);
    next = counted;
  }
  struct System {
    unsigned bit;  // of COMPUTE_PGM_RSRC2
    std::string_view name, meaning;
  };
  static constexpr System kSystem[] = {{7, "work-group id x", ""},
                                       {8, "work-group id y", ""},
                                       {9, "work-group id z", ""},
                                       {10, "work-group info", "first wavefront, wavefronts of the group"},
                                       {0, "scratch wave offset", "bytes from the base of scratch memory"}};
  for (const System& system : kSystem)
    if ((setup.rsrc2 >> system.bit & 1) != 0) row('s', 1, system.name, system.meaning);
  next = 0;
  static constexpr std::string_view kItems[] = {"work-item id x", "work-item id y", "work-item id z"};
  for (std::uint32_t d = 0; d <= std::min(setup.rsrc2 >> 11 & 3, 2u); ++d) row('v', 1, kItems[d], "");
}

struct SlotText {
  std::string operator()(const ConstantBufferSlot& s) const { return fmt::format("{}:{}", s.buffer, s.offset); }
  std::string operator()(const ArgumentBlockSlot& s) const { return fmt::format("+{}", s.offset); }
  std::string operator()(const KernargSlot& s) const { return fmt::format("+{}", s.offset); }
};

void put_kernel(std::string& out, const Kernel& kernel, bool registers) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "\nkernel {}{}\n", visible(kernel.name),
                 kernel.complete ? "" : "  (metadata not completely readable)");
  fmt::format_to(to, "  device {}, metadata {}:{}:{}, {}-bit ABI, uniqueid {}\n",
                 kernel.device.empty() ? "?" : kernel.device, kernel.metadata_version[0], kernel.metadata_version[1],
                 kernel.metadata_version[2], static_cast<unsigned>(kernel.address_bits), kernel.unique_id);
  std::string memory;
  put_size(memory, "private", kernel.segments.private_bytes());
  put_size(memory, "local", kernel.segments.local_bytes());
  put_size(memory, "region", kernel.segments.emulated_region + kernel.segments.hardware_region);
  if (!memory.empty()) fmt::format_to(to, "  memory in bytes, callees included:{}\n", memory);
  const auto& group = kernel.limits.required_group_size;
  if (group[0] != 0) fmt::format_to(to, "  required work-group size {} x {} x {}\n", group[0], group[1], group[2]);
  const auto& hint = kernel.limits.group_size_hint;
  if (hint[0] != 0) fmt::format_to(to, "  work-group size hint {} x {} x {}\n", hint[0], hint[1], hint[2]);
  if (!kernel.limits.vector_type_hint.empty())
    fmt::format_to(to, "  vector type hint {}\n", kernel.limits.vector_type_hint);
  if (kernel.limits.waves_per_simd_hint)
    fmt::format_to(to, "  waves per SIMD hint {}\n", *kernel.limits.waves_per_simd_hint);
  if (kernel.device_enqueue) out += "  enqueues kernels\n";
  fmt::format_to(to, "  largest flat work-group {}\n", max_flat_group_size(kernel));
  if (kernel.registers.known)
    fmt::format_to(to, "  registers: {} VGPRs, {} SGPRs, {} bytes of scratch, {} bytes of LDS, wavefront of {}\n",
                   kernel.registers.vgprs, kernel.registers.sgprs, kernel.registers.scratch_bytes,
                   kernel.registers.lds_bytes, kernel.registers.wavefront_size);
  if (kernel.argument_block() != nullptr) put_setup(out, kernel);
  if (registers) put_registers(out, kernel);
  std::string ids;
  const auto id = [&ids](std::string_view name, const std::optional<std::uint32_t>& value) {
    if (value) ids += fmt::format(" {} {}", name, *value);
  };
  const ResourceIds chosen = resource_ids(kernel);
  id("uavid", chosen.raw_uav);
  id("cbid", chosen.constants);
  id("printfid", chosen.printf);
  id("privateid", chosen.priv);
  if (!ids.empty()) fmt::format_to(to, "  ids:{}\n", ids);
  for (const ConstantSampler& sampler : kernel.samplers)
    fmt::format_to(to, "  constant sampler {} (id {}) = {:#x}\n", sampler.name, sampler.id, sampler.value);
  if (!kernel.arguments.empty())
    fmt::format_to(to, "  {:>3}  {:>9}  {:<24} {:<20} {}\n", "#",
                   kernel.constant_buffers() == nullptr ? "block" : "cb:offset", "name", "type", "kind");
  std::size_t index = 0;
  for (const Argument& argument : kernel.arguments) {
    std::string qualifiers;
    if (argument.is_const) qualifiers += " const";
    if (argument.is_volatile) qualifiers += " volatile";
    if (argument.is_restrict) qualifiers += " restrict";
    if (const auto* slot = argument.in_block(); slot != nullptr && slot->by_reference) qualifiers += " by reference";
    fmt::format_to(to, "  {:>3}  {:>9}  {:<24} {:<20} {}{}\n", index++, std::visit(SlotText{}, argument.slot),
                   visible(argument.name), visible(argument.type_name), std::visit(KindText{}, argument.kind),
                   qualifiers);
  }
}

std::string describe(const std::string& name, const File& file, bool registers) {
  const Program& program = file.program;
  std::string out =
      fmt::format("{}: {}, {}\n", visible(name), kind_name(file.kind), plural(program.kernels.size(), "kernel"));
  if (!program.device.empty()) out += fmt::format("device {}\n", visible(program.device));
  if (!program.driver.empty()) out += fmt::format("driver {}\n", visible(program.driver));
  if (!program.compile_options.empty()) out += fmt::format("options {}\n", visible(program.compile_options));
  for (const Kernel& kernel : program.kernels) put_kernel(out, kernel, registers);
  for (const DataSegment& data : program.data) {
    const std::string title = !data.section.empty() ? fmt::format("data section {}", data.section)
                              : data.constant_buffer
                                  ? fmt::format("data segment of constant buffer {}", *data.constant_buffer)
                                  : std::string("global data segment");
    out += fmt::format("\n{}: {} bytes\n", title, data.bytes.size() + data.zero_bytes);
  }
  if (!program.samplers.empty()) out += "\nsampler objects\n";
  for (const SamplerObject& sampler : program.samplers) {
    static constexpr std::string_view kModes[] = {"undefined", "clamp to edge", "clamp to border", "repeat",
                                                  "mirrored repeat"};
    out += fmt::format("  {} +{} {}: {} coordinates, {}, {}\n", sampler.section, sampler.offset, sampler.name,
                       sampler.normalized ? "normalized" : "unnormalized", sampler.linear ? "linear" : "nearest",
                       sampler.addressing < std::size(kModes) ? kModes[sampler.addressing] : "unknown addressing");
  }
  if (!program.printf.empty()) out += "\nprintf formats\n";
  for (const PrintfFormat& format : program.printf)
    out += fmt::format("  {} ({}): {}\n", format.id, plural(format.sizes.size(), "argument"),
                       visible(text::encode_printf(format.format)));
  return out;
}

// The kernels as OpenCL C: one unit, whose parts stand below the kernels' listings.
class LiftedText {
 public:
  LiftedText(const File& file, const std::string& name) {
    pipeline::LiftRequest request;
    request.lift.file = name;
    request.lift.annotate = true;  // with offsets into the listings
    Diagnostics diagnostics;
    unit_ = pipeline::lift_file(file, request, diagnostics);
    parts_ = lift::kernel_sources(unit_.source);
    for (const pipeline::LiftResult& result : unit_.kernels) results_.emplace(result.kernel.index, &result.kernel);
    // What stands between kernels is of all of them.
    std::vector<std::string_view> parts;
    for (const auto& [kernel, part] : parts_) parts.push_back(part);
    std::ranges::sort(parts, {}, &std::string_view::data);
    std::string_view rest = unit_.source;
    for (const std::string_view part : parts) {
      common_ += rest.substr(0, static_cast<std::size_t>(part.data() - rest.data()));
      rest.remove_prefix(static_cast<std::size_t>(part.data() - rest.data()) + part.size());
    }
    common_ += rest;
    while (common_.ends_with('\n')) common_.pop_back();
  }

  LiftedText(const LiftedText&) = delete;  // its parts are views of its unit
  LiftedText& operator=(const LiftedText&) = delete;

  // The first kernel's is behind what all have in common.
  std::string of(const Kernel& kernel, std::size_t index) {
    std::string out;
    const auto result = results_.find(index);
    const auto part = parts_.find(kernel.name);
    const bool lifted = result != results_.end() && result->second->lifted && part != parts_.end();
    if (lifted && !common_.empty())
      out = "\nwhat all kernels have in common in OpenCL C\n" + std::exchange(common_, {}) + "\n";
    out += fmt::format("\nkernel {} as OpenCL C", visible(kernel.name));
    if (lifted) return out + fmt::format(", {} form\n{}\n", lift::form_name(result->second->form), part->second);
    if (result == results_.end() || !result->second->refusal) return out + ": there is no code to lift\n";
    const Diagnostic& refusal = *result->second->refusal;
    return out + fmt::format(": refused, {}: {}\n", code_label(refusal.code), visible(sentence(refusal)));
  }

 private:
  pipeline::Lifted unit_;
  std::map<std::string_view, std::string_view> parts_;
  std::map<std::size_t, const lift::KernelOutcome*> results_;
  std::string common_;
};

// What --cal, --isa and --lift ask for.
std::string code_text(const std::string& name, const File& file, const InspectOptions& options) {
  std::string out;
  ShownCode shown;
  std::optional<LiftedText> lifted;
  if (options.lift) lifted.emplace(file, name);
  for (const Kernel& kernel : file.program.kernels) {
    if (kernel_code(file.program, kernel).empty()) continue;
    if (options.cal && file.cl1()) {
      const auto found = std::ranges::find(file.cl1()->kernels, kernel.name, &cl1::Kernel::name);
      if (found != file.cl1()->kernels.end()) out += cal_text(file, *found);
    }
    if (options.isa) out += isa_text(file.program, kernel, shown, options.encoding);
    if (lifted) out += lifted->of(kernel, static_cast<std::size_t>(&kernel - file.program.kernels.data()));
  }
  return out;
}

int explain() {
  std::string out;
  for (const text::DirectiveInfo& row : text::directive_table())
    out += fmt::format("{}{}{}\n  {}\n  AMD's runtime: {}\n  {}: {}\n", row.keyword, row.fields.empty() ? "" : ":",
                       row.fields, row.meaning, row.runtime, evidence_name(row.evidence), row.source);
  return write_stdout(out) ? kDone : kInputOutput;
}

}  // namespace

int run_inspect(const InspectOptions& options) {
  if (options.explain) return explain();
  int result = kDone;
  bool first = true;
  for (const std::string& path : options.common.files) {
    std::optional<Input> input = read_file(path, options.common);
    if (input) open(*input, options.common, {}, options.common.kernel);
    if (!input) {
      result = kInputOutput;
      continue;
    }
    if (select_kernel(*input, options.common)) {
      const File& file = *input->file;
      const auto print_text = [&] {
        std::string text = first ? "" : "\n";
        text +=
            file.object() ? object_text(path, file, options.common.kernel) : describe(path, file, options.registers);
        return write_page(
            text +
            code_text(path == "-" ? "standard input" : std::filesystem::path(path).filename().string(), file, options));
      };
      if (!(options.common.json ? print_program_json(path, file) : print_text())) return kInputOutput;
      first = false;
    }
    show(*input, options.common);
    result = std::max(result, input->result());
  }
  return result;
}

}  // namespace amdcompat::cli
