// CL2 containers: binary metadata, BRIG text and code setups -> neutral Program, and the three against each other.
//
// The binary metadata and the setup are what AMD's runtime read, so they make the neutral kernel. The BRIG text
// says the same things again in words; where it differs, the container was edited (assemblers rewrite the binary part
// only) or this library misreads one of the two. Every difference is therefore a finding.
#include "open_cl2.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "lowering.hpp"

namespace amdcompat {

namespace {

std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

std::array<std::uint32_t, 3> narrow(const std::array<std::uint64_t, 3>& values) {
  return {narrow(values[0]), narrow(values[1]), narrow(values[2])};
}

// One record -> one argument. What has no neutral counterpart goes to `problem`.
struct ArgumentLowering {
  const cl2::ArgumentRecord& record;
  Argument& out;
  std::string problem;

  void slot(std::uint32_t buffer, std::uint32_t offset) {
    ArgumentBlockSlot slot;
    slot.declared = {buffer, offset};
    out.slot = slot;
  }

  void operator()(std::monostate) { problem = fmt::format("argument type {}", record.type); }
  void operator()(const cl2::ValueWords& w) {
    slot(w.constant_buffer, w.virtual_offset);
    const auto type = cl2::find_scalar(w.data);
    if (!type) problem = fmt::format("data type {}", w.data);
    out.kind = ByValue{type.value_or(ScalarType::Other), w.elements};
  }
  void operator()(const cl2::PointerWords& w) {
    slot(w.constant_buffer, w.virtual_offset);
    const auto type = cl2::find_scalar(w.data);
    const auto memory = cl2::find_memory(w.memory);
    const auto access = cl2::find_access(w.access);
    if (!memory)
      problem = fmt::format("memory kind {}", w.memory);
    else if (!access)
      problem = fmt::format("access {}", w.access);
    out.is_volatile = w.is_volatile != 0;
    out.is_restrict = w.is_restrict != 0;
    if (w.is_pipe != 0) {
      out.kind = Pipe{w.align, access.value_or(Access::Unspecified)};
      return;
    }
    PointerInfo info;
    info.pointee = type.value_or(ScalarType::Other);
    if (!type) info.pointee_name = "?";
    info.memory = memory.value_or(MemoryKind::Uav);
    info.buffer = w.buffer;
    info.align = w.align;
    info.access = access.value_or(Access::Unspecified);
    switch (info.memory) {
      case MemoryKind::Global:
      case MemoryKind::Uav:
      case MemoryKind::Flat: out.kind = GlobalPointer{info}; break;
      case MemoryKind::Constant:
      case MemoryKind::HardwareConstant:
      case MemoryKind::UavConstant: out.kind = ConstantPointer{info}; break;
      case MemoryKind::EmulatedLocal:
      case MemoryKind::HardwareLocal: out.kind = LocalPointer{info}; break;
      case MemoryKind::EmulatedRegion:
      case MemoryKind::HardwareRegion: out.kind = RegionPointer{info}; break;
      case MemoryKind::EmulatedPrivate:
      case MemoryKind::HardwarePrivate:
      case MemoryKind::UavPrivate: out.kind = PrivatePointer{info}; break;
    }
  }
  void operator()(const cl2::ImageWords& w) {
    slot(w.constant_buffer, w.virtual_offset);
    const auto dim = cl2::find_image_type(record.type_name);
    const auto access = cl2::find_access(w.access);
    if (!dim)
      problem = fmt::format("image type '{}'", record.type_name);
    else if (!access)
      problem = fmt::format("access {}", w.access);
    out.kind = Image{dim.value_or(ImageDim::D2), access.value_or(Access::Unspecified), w.resource};
  }
  void operator()(const cl2::SamplerWords& w) {
    slot(1, w.virtual_offset);
    out.kind = Sampler{w.id};
  }
  void operator()(const cl2::CounterWords& w) {
    slot(w.constant_buffer, w.virtual_offset);
    out.kind = Counter{w.is_32_bits != 0 ? 32u : 64u, w.resource};
  }
  void operator()(const cl2::SemaphoreWords& w) {
    slot(w.constant_buffer, w.virtual_offset);
    out.kind = Semaphore{w.resource};
  }
  void operator()(const cl2::QueueWords& w) {
    slot(w.constant_buffer, w.virtual_offset);
    const auto memory = cl2::find_memory(w.memory);
    if (!memory) problem = fmt::format("memory kind {}", w.memory);
    out.kind = Queue{memory.value_or(MemoryKind::Uav)};
  }
};

// An argument in words, for saying how two of them differ.
struct KindWords {
  std::string operator()(const ByValue& v) const {
    return fmt::format("value {} x{}", scalar_name(v.type), v.elements);
  }
  std::string operator()(const GlobalPointer& p) const { return pointer(p); }
  std::string operator()(const LocalPointer& p) const { return pointer(p); }
  std::string operator()(const ConstantPointer& p) const { return pointer(p); }
  std::string operator()(const RegionPointer& p) const { return pointer(p); }
  std::string operator()(const PrivatePointer& p) const { return pointer(p); }
  std::string operator()(const Image& i) const {
    return fmt::format("image {} {} id {}", image_dim_name(i.dim), text::access_name(i.access), i.id);
  }
  std::string operator()(const Sampler& s) const { return fmt::format("sampler id {}", s.id); }
  std::string operator()(const Counter& c) const { return fmt::format("{}-bit counter id {}", c.bits, c.id); }
  std::string operator()(const Semaphore& s) const { return fmt::format("semaphore id {}", s.id); }
  std::string operator()(const Queue& q) const { return fmt::format("queue in {}", memory_kind_name(q.memory)); }
  std::string operator()(const Pipe& p) const {
    return fmt::format("pipe {} align {}", text::access_name(p.access), p.align);
  }
  std::string operator()(const Hidden& h) const { return fmt::format("hidden {}", static_cast<unsigned>(h.what)); }
  static std::string pointer(const PointerInfo& p) {
    return fmt::format("pointer to {} in {} {}, align {}, {}",
                       p.pointee_name.empty() ? scalar_name(p.pointee) : std::string_view(p.pointee_name),
                       memory_kind_name(p.memory), p.buffer, p.align, text::access_name(p.access));
  }
};

ConstantBufferSlot declared_slot(const Argument& a) {
  const ArgumentBlockSlot* const block = a.in_block();
  return block != nullptr ? block->declared : std::get<ConstantBufferSlot>(a.slot);
}
std::string words_of(const Argument& a) {
  const ConstantBufferSlot slot = declared_slot(a);
  return fmt::format("'{}' ({}): {} at {}:{}{}{}{}", a.name, a.type_name, std::visit(KindWords{}, a.kind), slot.buffer,
                     slot.offset, a.is_const ? " const" : "", a.is_volatile ? " volatile" : "",
                     a.is_restrict ? " restrict" : "");
}

// Whether two arguments are the same in everything that `words_of` says.
bool same(const Argument& a, const Argument& b) {
  return a.name == b.name && a.type_name == b.type_name && a.kind == b.kind && declared_slot(a) == declared_slot(b) &&
         a.is_const == b.is_const && a.is_volatile == b.is_volatile && a.is_restrict == b.is_restrict;
}

bool same(const PrintfFormat& a, const PrintfFormat& b) { return a.sizes == b.sizes && a.format == b.format; }
std::string words_of(const PrintfFormat& format) {
  return fmt::format("'{}' with arguments of {} bytes", text::encode_printf(format.format),
                     format.sizes.empty() ? "no" : fmt::format("{}", fmt::join(format.sizes, " + ")));
}

class Cl2Opener {
 public:
  Cl2Opener(File& file, Diagnostics& diagnostics, const OpenOptions& options)
      : file_(file), binary_(*file.cl2()), diagnostics_(diagnostics), options_(options) {}

  void run() {
    Program& program = file_.program;
    program.family = Family::Cl2;
    if (binary_.chip.device != nullptr) {
      program.device = binary_.chip.device->name;
      program.target = find_target(binary_.chip.device->target);
    }
    program.xnack = binary_.chip.xnack;
    program.driver = binary_.text(binary_.version);
    program.compile_options = binary_.text(binary_.compile_options);
    if (options_.checks) read_text();
    program.kernels.reserve(binary_.kernels.size());
    for (const cl2::Kernel& kernel : binary_.kernels) {
      if (!is_wanted(kernel.name)) continue;
      const std::string block = "__OpenCL_" + kernel.name + "_kernel";
      const DiagnosticScope scope(diagnostics_, {.block = block, .kernel = kernel.name});
      add_kernel(kernel, block);
    }
    for (const auto& [name, index] : blocks_)
      if (!compared_.contains(index) && is_wanted(name))
        diagnostics_.report(Code::Cl2BrigBlock, text_where(document_->blocks[index].where),
                            fmt::format("the BRIG module describes kernel '{}', the binary metadata does not", name));
    compare_printf();
    add_data();
    add_samplers();
    add_code();
  }

 private:
  [[nodiscard]] bool is_wanted(std::string_view kernel) const {
    return options_.kernel.empty() || kernel == options_.kernel;
  }

  // --- the text view ---

  // The lines that say something of the kernel that is wanted. All of them, unless every block is a kernel's: others
  // may call each other.
  std::pair<std::size_t, std::size_t> wanted_lines() const {
    const std::pair<std::size_t, std::size_t> all{0, lines_.text.size()};
    if (options_.kernel.empty()) return all;
    const std::string_view text = lines_.text;
    std::optional<std::pair<std::size_t, std::size_t>> wanted;
    for (std::size_t i = 0; i < lines_.starts.size(); ++i) {
      constexpr std::string_view kBegin = "ARGSTART:";
      const std::size_t from = lines_.starts[i];
      const std::string_view line = text.substr(from, text.find('\n', from) - from);
      if (!line.starts_with(kBegin)) {
        if (line.contains(kBegin)) return all;  // written as no compiler does
        continue;
      }
      const auto kernel = text::kernel_name(line.substr(kBegin.size()));
      if (!kernel) return all;
      if (wanted && wanted->second == text.size()) wanted->second = from;  // the next one begins
      if (*kernel == options_.kernel && wanted) return all;
      if (*kernel == options_.kernel) wanted.emplace(from, text.size());
    }
    return wanted.value_or(all);
  }

  void read_text() {
    if (!binary_.brig || binary_.brig->pragmas.empty()) return;
    // A module may point all pragmas at one string; real ones repeat little.
    const std::uint64_t most =
        std::min<std::uint64_t>(options_.cl2.max_brig_text, 4 * std::uint64_t{binary_.brig->where.size});
    lines_ = cl2::brig_text(binary_.bytes.view(), *binary_.brig, most);
    if (lines_.starts.size() != binary_.brig->pragmas.size())
      diagnostics_.report(Code::Cl2BrigBroken, binary_.brig->where,
                          fmt::format("the pragmas make up more than {} bytes of text", most));
    text::ReadOptions options = options_.text;
    const auto [begin, end] = wanted_lines();
    options.base = static_cast<std::uint32_t>(begin);
    // Findings count in the text that was put together; the file has it in pieces.
    Diagnostics local(diagnostics_.mode());
    MetadataText part;
    part.symbol = "__BRIG__";
    part.where = binary_.brig->where;
    part.rebuilt = true;
    part.document = text::parse(std::string_view(lines_.text).substr(begin, end - begin), local, options);
    text::check(part.document, local, options);
    for (Diagnostic finding : local.all()) {
      finding.where = text_where(finding.where);
      diagnostics_.add(std::move(finding));
    }
    file_.texts.push_back(std::move(part));
    document_ = &file_.texts.back().document;
    calls_ = text::call_table(*document_);
    for (std::size_t i = 0; i < document_->blocks.size(); ++i)
      if (const auto name = text::kernel_name(document_->blocks[i].name)) blocks_.emplace(*name, i);
  }

  SourceRange text_where(SourceRange in_text) const { return lines_.origin(in_text); }

  // --- the binary view ---

  void add_kernel(const cl2::Kernel& from, const std::string& block) {
    Program& program = file_.program;
    if (!from.metadata) {
      ++program.refused;  // the container's reader reported it
      return;
    }
    const cl2::Metadata& metadata = *from.metadata;
    Kernel& kernel = program.kernels.emplace_back();
    kernel.name = from.name;
    kernel.block = block;
    kernel.device = program.device;
    kernel.metadata_version = metadata.version;
    kernel.unique_id = metadata.function_id;
    kernel.address_bits = metadata.bits;
    kernel.where = from.metadata_bytes;
    kernel.device_enqueue = metadata.enqueue_kernel != 0;
    kernel.kernel_index = metadata.kernel_index;
    kernel.limits.required_group_size = narrow(metadata.required_group_size);
    kernel.limits.required_region_size = metadata.required_region_size;
    if (metadata.header == cl2::HeaderSize::Hints) {
      kernel.limits.group_size_hint = narrow(metadata.group_size_hint);
      kernel.limits.vector_type_hint = metadata.vector_type_hint;
      // All ones is what the compilers store for none. [BIN]
      if (metadata.waves_per_simd_hint != std::numeric_limits<std::uint32_t>::max())
        kernel.limits.waves_per_simd_hint = narrow(metadata.waves_per_simd_hint);
    }
    if (((metadata.gpu_caps & cl2::kCap64BitAbi) != 0) != (metadata.bits == AddressBits::Bits64))
      diagnostics_.report(Code::Cl2FactsDiffer, from.metadata_bytes,
                          fmt::format("capabilities 0x{:x} in a {}-bit container", metadata.gpu_caps,
                                      static_cast<unsigned>(metadata.bits)));
    auto& facts = kernel.launch.emplace<ArgumentBlockLaunch>();
    facts.nested = binary_.storage != cl2::CodeStorage::Separate;
    facts.hidden_arguments = static_cast<std::uint32_t>(cl2::hidden_argument_count(metadata));
    if (from.setup) kernel.entry = *from.setup;
    facts.setup_bytes = from.setup_bytes;
    facts.code = from.code;
    take_memory(kernel, metadata, from);
    kernel.arguments.reserve(metadata.arguments.size());
    for (std::size_t i = 0; i < metadata.arguments.size(); ++i) add_argument(kernel, metadata.arguments[i], i);
    lay_out(kernel, from);
    for (std::size_t i = 0; i < metadata.printf.size(); ++i) add_printf(metadata.printf[i]);
    kernel.uses_printf = !metadata.printf.empty();
    compare(kernel, from);
  }

  void take_memory(Kernel& kernel, const cl2::Metadata& metadata, const cl2::Kernel& from) {
    if (!from.setup) {
      // [1] and [3] are the only amounts a compiler wrote. [BIN]
      kernel.segments.hardware_local = metadata.memory[1];
      kernel.segments.hardware_private = metadata.memory[3];
      return;
    }
    const KernelCode& setup = *from.setup;
    kernel.segments.hardware_local = setup.group_bytes;
    kernel.segments.hardware_private = setup.private_bytes;
    kernel.registers = {.known = true,
                        .vgprs = setup.vgprs,
                        .sgprs = setup.sgprs,
                        .scratch_bytes = setup.private_bytes,
                        .lds_bytes = setup.group_bytes,
                        .wavefront_size = setup.wavefront <= 8 ? 1u << setup.wavefront : 0};
    // Rounded up to 16, and absent from 15.11 on.
    const std::uint64_t rounded = (std::uint64_t{setup.group_bytes} + 15) / 16 * 16;
    if (metadata.memory[1] != 0 && metadata.memory[1] != rounded)
      diagnostics_.report(Code::Cl2FactsDiffer, from.setup_bytes,
                          fmt::format("{} bytes of local memory in the setup, {} in the metadata", setup.group_bytes,
                                      metadata.memory[1]));
    if (metadata.memory[3] != 0 && metadata.memory[3] != setup.private_bytes)
      diagnostics_.report(Code::Cl2FactsDiffer, from.setup_bytes,
                          fmt::format("{} bytes of private memory in the setup, {} in the metadata",
                                      setup.private_bytes, metadata.memory[3]));
  }

  void add_argument(Kernel& kernel, const cl2::ArgumentRecord& record, std::size_t index) {
    const auto path = [&] { return fmt::format("args[{}]", index); };
    Argument& argument = kernel.arguments.emplace_back();
    argument.slot = ArgumentBlockSlot{};
    argument.name = record.name;
    argument.type_name = record.type_name;
    argument.where = record.where;
    argument.is_const = record.is_const != 0;
    ArgumentLowering lowering{record, argument, {}};
    std::visit(lowering, cl2::decode(record));
    if (!lowering.problem.empty()) {
      kernel.complete = false;
      diagnostics_.report(Code::Cl2ArgumentUnknown, record.where,
                          fmt::format("'{}' has {}, which is unknown", record.name, lowering.problem), path());
    }
    const std::uint32_t hidden_arguments = kernel.argument_block()->hidden_arguments;
    const bool hidden = index < hidden_arguments;
    const std::string_view name = record.name;
    const auto kind = name.starts_with("_.") ? find_hidden_kind(name.substr(2)) : std::nullopt;
    if (hidden && kind)
      argument.kind = Hidden{*kind};
    else if (hidden || (kind && index == hidden_arguments))
      diagnostics_.report(Code::Cl2HiddenArguments, record.where,
                          hidden
                              ? fmt::format("'{}' counts as hidden, but is no hidden argument known here", record.name)
                              : fmt::format("'{}' follows {} hidden arguments and is not counted as one", record.name,
                                            hidden_arguments),
                          path());
    // As for text metadata: constant memory counts as const, and const makes any pointer read-only.
    if (std::holds_alternative<ConstantPointer>(argument.kind)) argument.is_const = true;
    if (argument.is_const)
      std::visit(
          [](auto& any) {
            if constexpr (std::is_base_of_v<PointerInfo, std::remove_cvref_t<decltype(any)>>)
              any.access = Access::ReadOnly;
          },
          argument.kind);
    if (const auto* image = std::get_if<Image>(&argument.kind)) {
      kernel.uses_images = true;
      kernel.writes_images |= image->access != Access::ReadOnly;
    }
  }

  void lay_out(Kernel& kernel, const cl2::Kernel& from) {
    auto& facts = std::get<ArgumentBlockLaunch>(kernel.launch);
    const auto storage = facts.nested ? cl2::CodeStorage::Nested : cl2::CodeStorage::Separate;
    const auto layout = cl2::layout_arguments(*from.metadata, storage);
    if (!layout) return;  // an unknown type, reported above
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      auto& slot = std::get<ArgumentBlockSlot>(kernel.arguments[i].slot);
      const ConstantBufferSlot declared = slot.declared;
      slot = layout->slots[i];
      slot.declared = declared;
    }
    facts.argument_bytes = layout->bytes;
    if (from.setup && from.setup->kernarg_bytes != layout->bytes)
      diagnostics_.report(
          Code::Cl2KernargSize, {from.setup_bytes.begin + 72, 8},
          fmt::format("the arguments take {} bytes, the setup says {}", layout->bytes, from.setup->kernarg_bytes));
  }

  void add_printf(const cl2::PrintfRecord& record) {
    PrintfFormat format;
    format.id = record.id;
    format.sizes = record.sizes;
    format.format = text::decode_printf(record.format);
    format.where = record.where;
    std::vector<PrintfFormat>& all = file_.program.printf;
    const auto [known, is_new] = printf_.emplace(format.id, all.size());
    if (is_new)
      all.push_back(std::move(format));
    else if (!same(all[known->second], format))  // else the same call, of a function that several kernels call
      diagnostics_.report(Code::Cl2FactsDiffer, record.where,
                          fmt::format("printf format {} is {}, that of a kernel before {}", record.id, words_of(format),
                                      words_of(all[known->second])));
  }

  // --- both against each other ---

  void compare(const Kernel& kernel, const cl2::Kernel& from) {
    if (document_ == nullptr) return;
    const auto found = blocks_.find(kernel.name);
    if (found == blocks_.end()) {
      diagnostics_.report(Code::Cl2BrigBlock, from.metadata_bytes,
                          fmt::format("the BRIG module does not describe kernel '{}'", kernel.name));
      return;
    }
    compared_.emplace(found->second, true);
    const text::Block& block = document_->blocks[found->second];
    const Kernel other = lower_kernel(*document_, block, calls_.totals[found->second]);
    compare_arguments(kernel, other, from);
    compare_facts(kernel, other, from);
  }

  void compare_arguments(const Kernel& kernel, const Kernel& other, const cl2::Kernel& from) {
    if (kernel.arguments.size() != other.arguments.size()) {
      diagnostics_.report(Code::Cl2ViewsDiffer, from.metadata_bytes,
                          fmt::format("{} arguments in the binary metadata, {} in the BRIG text",
                                      kernel.arguments.size(), other.arguments.size()));
      return;
    }
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      if (same(kernel.arguments[i], other.arguments[i])) continue;
      const std::string binary = words_of(kernel.arguments[i]);
      const std::string text = words_of(other.arguments[i]);
      if (binary != text)
        diagnostics_.report(Code::Cl2ViewsDiffer, kernel.arguments[i].where,
                            fmt::format("binary metadata: {}; BRIG text: {}", binary, text),
                            fmt::format("args[{}]", i));
    }
  }

  void compare_facts(const Kernel& kernel, const Kernel& other, const cl2::Kernel& from) {
    const auto differ = [&](std::string_view what, const auto& binary, const auto& text) {
      if (binary != text)
        diagnostics_.report(Code::Cl2FactsDiffer, from.metadata_bytes,
                            fmt::format("{} is {} in the binary metadata, {} in the BRIG text", what, binary, text));
    };
    const auto differ_in_sizes = [&](std::string_view what, const std::array<std::uint32_t, 3>& binary,
                                     const std::array<std::uint32_t, 3>& text) {
      const auto sizes = [](const auto& s) { return fmt::format("{}x{}x{}", s[0], s[1], s[2]); };
      if (binary != text) differ(what, sizes(binary), sizes(text));
    };
    const cl2::Metadata& metadata = *from.metadata;
    differ("the device name", std::string_view(metadata.device_name), std::string_view(other.device));
    differ("the function id", kernel.unique_id, other.unique_id);
    differ("the address width", static_cast<unsigned>(kernel.address_bits), static_cast<unsigned>(other.address_bits));
    differ_in_sizes("the required work-group size", kernel.limits.required_group_size,
                    other.limits.required_group_size);
    differ("device enqueue", kernel.device_enqueue, other.device_enqueue);
    if (other.kernel_index) differ("the kernel index", kernel.kernel_index.value_or(0), *other.kernel_index);
    if (metadata.header == cl2::HeaderSize::Hints) {
      differ_in_sizes("the work-group size hint", kernel.limits.group_size_hint, other.limits.group_size_hint);
      differ("the vector type hint", kernel.limits.vector_type_hint, other.limits.vector_type_hint);
      if (other.limits.waves_per_simd_hint)
        differ("the waves hint", kernel.limits.waves_per_simd_hint.value_or(0), *other.limits.waves_per_simd_hint);
    }
    // Only 15.7 has these lines; it has them in the binary too.
    if (metadata.header == cl2::HeaderSize::Base) {
      differ("local memory", metadata.memory[1], other.segments.emulated_local);
      differ("private memory", metadata.memory[3], other.segments.emulated_private);
    }
  }

  void compare_printf() {
    if (document_ == nullptr) return;
    const std::vector<PrintfFormat>& binary = file_.program.printf;
    std::vector<PrintfFormat> text;
    lower_printf(*document_, text);
    std::vector<bool> found(binary.size());
    for (const PrintfFormat& format : text) {
      const auto at = printf_.find(format.id);
      if (at == printf_.end()) {
        if (!options_.kernel.empty()) continue;  // may be another kernel's
        diagnostics_.report(Code::Cl2FactsDiffer, text_where(format.where),
                            fmt::format("printf format {} is not in the binary metadata", format.id));
        continue;
      }
      found[at->second] = true;
      const PrintfFormat& other = binary[at->second];
      if (!same(other, format))
        diagnostics_.report(Code::Cl2FactsDiffer, other.where,
                            fmt::format("printf format {} is {} in the binary metadata, {} in the BRIG text", format.id,
                                        words_of(other), words_of(format)));
    }
    for (std::size_t i = 0; i < binary.size(); ++i)
      if (!found[i])
        diagnostics_.report(Code::Cl2FactsDiffer, binary[i].where,
                            fmt::format("printf format {} is not in the BRIG text", binary[i].id));
  }

  // --- data and samplers ---

  void add_data() {
    if (!binary_.inner) return;
    constexpr std::uint64_t kAllocated = 0x2;
    constexpr std::uint32_t kNoBits = 8;
    std::uint64_t budget = std::min<std::uint64_t>(options_.text.limits.segment_bytes, 2 * binary_.bytes.size());
    for (const elf::Section& section : binary_.inner->elf.sections) {
      const std::string_view name = binary_.text(section.name);
      // The data sections; .hsatext is not data.
      if ((section.flags & kAllocated) == 0 || !(name.starts_with(".hsadata") || name.starts_with(".hsabss"))) continue;
      if (section.contents.size > budget) continue;  // sections that share bytes
      budget -= section.contents.size;
      DataSegment& data = file_.program.data.emplace_back();
      data.section = name;
      data.where = section.contents;
      const auto bytes = binary_.view(section.contents);
      data.bytes.assign(bytes.begin(), bytes.end());
      if (section.type == kNoBits) data.zero_bytes = section.size;
    }
  }

  // A relocation puts the handle of a sampler into data; the symbol it names lies in the table of samplers.
  void add_samplers() {
    if (!binary_.inner) return;
    const cl2::Inner& inner = *binary_.inner;
    // Handles have symbols of their own, which give the names.
    std::unordered_map<std::uint64_t, std::string_view> names;
    const auto place = [](std::size_t section, std::uint64_t offset) { return std::uint64_t{section} << 40 ^ offset; };
    for (const cl2::Symbol& symbol : inner.elf.symbols)
      if (symbol.size == 8 && symbol.name.size != 0)
        names.emplace(place(symbol.section, symbol.value), binary_.text(symbol.name));
    for (const cl2::Relocation& relocation : inner.relocations) {
      if (relocation.type != cl2::kRelocationInitSampler || relocation.section == 0 ||
          relocation.symbol >= inner.elf.symbols.size())
        continue;
      const cl2::Symbol& symbol = inner.elf.symbols[relocation.symbol];
      const auto sampler = std::ranges::find_if(inner.samplers, [&](const cl2::SamplerInit& entry) {
        return symbol.section < inner.elf.sections.size() &&
               entry.where.begin == inner.elf.sections[symbol.section].contents.begin + symbol.value;
      });
      if (sampler == inner.samplers.end()) {
        diagnostics_.report(Code::Cl2RelocationBroken, relocation.where,
                            fmt::format("symbol {} is no sampler of the sampler table", relocation.symbol));
        continue;
      }
      SamplerObject& object = file_.program.samplers.emplace_back();
      if (const auto name = names.find(place(relocation.section, relocation.offset)); name != names.end())
        object.name = name->second;
      object.section = binary_.text(inner.elf.sections[relocation.section].name);
      object.offset = relocation.offset;
      object.normalized = sampler->normalized != 0;
      object.linear = sampler->filter != 0;
      object.addressing = sampler->addressing;
    }
  }

  // --- machine code ---

  // The sections as a loader would lay them out. They have no addresses in the file: the code refers to them by
  // relocations alone, so any distances do.
  void add_code() {
    if (binary_.storage == cl2::CodeStorage::Separate) return add_separate_code();
    if (!binary_.inner) return;
    constexpr std::uint64_t kAllocated = 0x2, kReadOnly = 0x200000, kCode = 0x4;
    constexpr std::uint32_t kProgramBits = 1, kNoBits = 8;
    const cl2::ElfImage& elf = binary_.inner->elf;
    MachineCode& code = file_.program.code;
    std::vector<std::optional<std::size_t>> place(elf.sections.size());
    std::uint64_t budget = 2 * binary_.bytes.size();
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < elf.sections.size(); ++i) {
      const elf::Section& from = elf.sections[i];
      const bool zeros = from.type == kNoBits;
      if ((from.flags & kAllocated) == 0 || (from.type != kProgramBits && !zeros) || from.size == 0) continue;
      const bool whole = zeros || from.contents.size == from.size;
      if (!whole || from.contents.size > budget || from.size > kMostZeros) continue;
      budget -= from.contents.size;
      CodeSection section;
      section.name = binary_.text(from.name);
      section.executable = (from.flags & kCode) != 0;
      section.writable = !section.executable && (from.flags & kReadOnly) == 0;
      section.align = std::has_single_bit(from.align) && from.align <= kPage ? from.align : kPage;
      section.address = end;
      const auto bytes = binary_.view(from.contents);
      if (zeros)
        section.zero_bytes = from.size;
      else
        section.bytes.assign(bytes.begin(), bytes.end());
      end = (end + section.size() + kPage - 1) / kPage * kPage;
      place[i] = code.sections.size();
      code.sections.push_back(std::move(section));
    }
    add_relocations(place);
    for (Kernel& kernel : file_.program.kernels) {
      const ArgumentBlockLaunch* const facts = kernel.argument_block();
      if (facts == nullptr || facts->code.size == 0) continue;
      for (std::size_t i = 0; i < elf.sections.size(); ++i) {
        const SourceRange contents = elf.sections[i].contents;
        if (!place[i] || facts->code.begin < contents.begin) continue;
        const std::uint64_t offset = facts->code.begin - contents.begin;
        if (offset < contents.size && facts->code.size <= contents.size - offset)
          kernel.code = CodePlace{*place[i], offset, facts->code.size};
      }
    }
  }

  // Each kernel has its bytes to itself; setups begin on 256 bytes, as code must.
  void add_separate_code() {
    constexpr std::size_t kCodeAlign = 256;
    CodeSection section;
    section.name = ".text";
    section.align = kCodeAlign;
    section.executable = true;
    for (Kernel& kernel : file_.program.kernels) {
      const ArgumentBlockLaunch* const facts = kernel.argument_block();
      if (facts == nullptr || setup_of(kernel) == nullptr || facts->code.size == 0) continue;
      const auto setup = binary_.view(facts->setup_bytes), bytes = binary_.view(facts->code);
      if (section.bytes.size() + setup.size() + bytes.size() > 2 * binary_.bytes.size()) return;  // shared bytes
      section.bytes.resize((section.bytes.size() + kCodeAlign - 1) / kCodeAlign * kCodeAlign);
      section.bytes.insert(section.bytes.end(), setup.begin(), setup.end());
      kernel.code = CodePlace{0, section.bytes.size(), bytes.size()};
      section.bytes.insert(section.bytes.end(), bytes.begin(), bytes.end());
    }
    if (!section.bytes.empty()) file_.program.code.sections.push_back(std::move(section));
  }

  void add_relocations(const std::vector<std::optional<std::size_t>>& place) {
    const cl2::Inner& inner = *binary_.inner;
    MachineCode& code = file_.program.code;
    std::unordered_map<std::size_t, std::size_t> anchors;  // section -> symbol at its start
    for (const cl2::Relocation& from : inner.relocations) {
      if (from.section >= place.size() || !place[from.section] || from.symbol >= inner.elf.symbols.size()) continue;
      if (from.type != cl2::kRelocationLow32 && from.type != cl2::kRelocationHigh32 && from.type != cl2::kRelocation64)
        continue;  // samplers have a list of their own; the container's reader reports unknown types
      const std::uint64_t size = from.type == cl2::kRelocation64 ? 8 : 4;
      const CodeSection& where = code.sections[*place[from.section]];
      const cl2::Symbol& symbol = inner.elf.symbols[from.symbol];
      const bool known = symbol.section < place.size() && place[symbol.section];
      if (!known || from.offset > where.bytes.size() || size > where.bytes.size() - from.offset) {
        diagnostics_.report(
            Code::Cl2RelocationBroken, from.where,
            fmt::format("a relocation at {:#x} of '{}' against something that is not loaded", from.offset, where.name));
        continue;
      }
      const std::size_t target = *place[symbol.section];
      const auto [anchor, fresh] = anchors.try_emplace(target, code.symbols.size());
      if (fresh) {
        std::string name = code.sections[target].name;
        name.erase(0, name.find_first_not_of('.'));
        code.symbols.push_back({"amdcompat." + name, CodePlace{target, 0, code.sections[target].size()}, false});
      }
      code.relocations.push_back({{*place[from.section], from.offset, size},
                                  from.type,
                                  anchor->second,
                                  0,
                                  static_cast<std::int64_t>(symbol.value) + from.addend});
    }
  }

  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kMostZeros = std::uint64_t{1} << 36;

  File& file_;
  const cl2::Binary& binary_;
  Diagnostics& diagnostics_;
  const OpenOptions& options_;
  cl2::BrigText lines_;
  const text::Document* document_ = nullptr;  // in file_.texts
  text::CallTable calls_;
  std::unordered_map<std::string_view, std::size_t> blocks_;  // kernel -> block of document_
  std::unordered_map<std::size_t, bool> compared_;
  std::unordered_map<std::uint32_t, std::size_t> printf_;  // id -> format of the program
};

}  // namespace

bool open_cl2(File& file, FileBytes bytes, Diagnostics& diagnostics, const OpenOptions& options) {
  cl2::ReadOptions read = options.cl2;
  read.kernel = options.kernel;
  std::optional<cl2::Binary> binary = cl2::read(std::move(bytes), diagnostics, read);
  if (!binary) return false;
  file.content = std::move(*binary);
  Cl2Opener(file, diagnostics, options).run();
  return true;
}

}  // namespace amdcompat
