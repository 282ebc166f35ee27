// open(): tells containers apart and brings each to its faithful model and the neutral Program.
#include <algorithm>
#include <array>
#include <concepts>

#include <fmt/format.h>

#include <amdcompat/open.hpp>

#include "lowering.hpp"
#include "open_cl2.hpp"
#include "open_hsa.hpp"

namespace amdcompat {

namespace {

// What the header says against what the metadata says. AMD's runtime takes the metadata for arguments and the
// header for memory; real files differ in the private amounts. [BIN kernelPrintf4]
void compare_header(const cl1::Kernel& symbols, const Kernel& kernel, Diagnostics& diagnostics) {
  if (!symbols.header) return;
  const cl1::KernelHeader& header = *symbols.header;
  const auto differ = [&](std::string_view what, std::uint64_t in_header, std::uint64_t in_text) {
    if (in_header != in_text)
      diagnostics.report(Code::HeaderDiffers, symbols.header_bytes,
                         fmt::format("{} is {} in the header, {} in the metadata", what, in_header, in_text));
  };
  differ("hardware local memory", header.hardware_local_size, kernel.segments.hardware_local);
  differ("private memory", header.hardware_private_size,
         kernel.segments.hardware_private + kernel.segments.uav_private);
  const bool header64 = (header.flags & cl1::kHeader64BitAbi) != 0;
  differ("the address width", header64 ? 64 : 32, static_cast<unsigned>(kernel.address_bits));
}

// What the CAL image lists against the text metadata, for machine code of GCN devices. A list leaves out what the code
// does not use, so most rules go one way only. `constants`: numbers of the program's own constant buffers.
class CalComparison {
 public:
  CalComparison(const cl1::Encoding& encoding, const Kernel& kernel, const std::vector<std::uint32_t>& constants,
                Diagnostics& diagnostics)
      : encoding_(encoding), kernel_(kernel), diagnostics_(diagnostics), buffers_(constants) {
    buffers_.insert(buffers_.end(), {0, 1});
    for (const Argument& argument : kernel.arguments) std::visit([&](const auto& kind) { add(kind); }, argument.kind);
    for (const ConstantSampler& sampler : kernel.samplers) samplers_.push_back(sampler.id);
    const ResourceIds ids = resource_ids(kernel);
    for (const auto& id : {ids.raw_uav, effective_raw_uav(kernel), ids.printf, ids.constants, ids.priv})
      if (id) uavs_.push_back(*id);
    for (std::vector<std::uint32_t>* numbers : {&uavs_, &buffers_, &hardware_constants_, &images_, &samplers_}) {
      std::ranges::sort(*numbers);
      const auto repeated = std::ranges::unique(*numbers);
      numbers->erase(repeated.begin(), repeated.end());
    }
  }

  void run() {
    const cl1::CalLists& lists = encoding_.lists;
    for (const cl1::CalUav& uav : lists.uavs)
      if (!contains(uavs_, uav.id)) only_image(cl1::kCalNoteUavs, fmt::format("UAV {}", uav.id));
    for (const std::uint32_t number : lists.constant_buffers)
      if (!contains(buffers_, number))
        only_image(cl1::kCalNoteConstantBuffers, fmt::format("constant buffer {}", number));
    for (const std::uint32_t id : lists.inputs)
      if (!contains(images_, id)) only_image(cl1::kCalNoteInputs, fmt::format("image {}", id));
    for (const std::uint32_t number : hardware_constants_)
      if (has(cl1::kCalNoteConstantBuffers) &&
          std::ranges::find(lists.constant_buffers, number) == lists.constant_buffers.end())
        report(Code::CalBuffersDiffer, cl1::kCalNoteConstantBuffers,
               fmt::format("only the metadata has constant buffer {}", number));
    for (const cl1::CalSampler& sampler : lists.samplers)
      if (!contains(samplers_, sampler.sampler))
        report(Code::CalSamplersDiffer, cl1::kCalNoteSamplers,
               fmt::format("only the CAL image has sampler {}", sampler.sampler));
    for (const std::uint32_t id : samplers_)
      if (has(cl1::kCalNoteSamplers) &&
          std::ranges::find(lists.samplers, id, &cl1::CalSampler::sampler) == lists.samplers.end())
        report(Code::CalSamplersDiffer, cl1::kCalNoteSamplers, fmt::format("only the metadata has sampler {}", id));
    program_info();
  }

 private:
  void add(const PointerInfo& pointer) {
    if (pointer.memory == MemoryKind::HardwareConstant) {
      buffers_.push_back(pointer.buffer);
      hardware_constants_.push_back(pointer.buffer);
    } else {
      uavs_.push_back(pointer.buffer);
      if (pointer.memory == MemoryKind::Constant) buffers_.push_back(pointer.buffer);  // drivers from 1445 on [BIN]
    }
  }
  void add(const Image& image) {
    if (image.access != Access::WriteOnly) images_.push_back(image.id);
    if (image.access != Access::ReadOnly) uavs_.push_back(image.id);
  }
  void add(const Sampler& sampler) { samplers_.push_back(sampler.id); }
  template <class Other>
    requires(!std::derived_from<Other, PointerInfo>)
  void add(const Other&) {}

  void program_info() {
    const cl1::ProgramInfo& info = encoding_.info;
    const auto& required = kernel_.limits.required_group_size;
    const std::array<std::uint32_t, 3> group{info.group_size_x.value_or(0), info.group_size_y.value_or(0),
                                             info.group_size_z.value_or(0)};
    if (required != std::array<std::uint32_t, 3>{} && info.group_size_x && group != required)
      report(Code::CalProgramInfoDiffers, cl1::kCalNoteProgramInfo,
             fmt::format("work-groups of {} x {} x {} in the CAL image, {} x {} x {} in the metadata", group[0],
                         group[1], group[2], required[0], required[1], required[2]));
    // The image has whole granules of the hardware, of 256 bytes or 512; with `hl` arguments all that a group may have.
    constexpr std::uint64_t kLargestGranule = 512;
    const std::uint64_t local = kernel_.segments.local_bytes();
    const bool dynamic = std::ranges::any_of(
        kernel_.arguments, [](const Argument& a) { return std::holds_alternative<LocalPointer>(a.kind); });
    if (info.lds_used && (*info.lds_used < local || (!dynamic && *info.lds_used - local >= kLargestGranule)))
      report(Code::CalProgramInfoDiffers, cl1::kCalNoteProgramInfo,
             fmt::format("{} bytes of local memory in the CAL image, {} in the metadata", *info.lds_used, local));
    if (info.scratch_dwords && encoding_.lists.scratch_dwords &&
        *info.scratch_dwords != *encoding_.lists.scratch_dwords)
      report(Code::CalProgramInfoDiffers, cl1::kCalNoteScratch,
             fmt::format("{} dwords of scratch memory in one note of the CAL image, {} in another",
                         *encoding_.lists.scratch_dwords, *info.scratch_dwords));
  }

  static bool contains(const std::vector<std::uint32_t>& numbers, std::uint32_t number) {
    return std::ranges::binary_search(numbers, number);
  }
  [[nodiscard]] bool has(std::uint32_t note) const {
    return std::ranges::find(encoding_.notes, note, &cl1::CalNote::type) != encoding_.notes.end();
  }
  void only_image(std::uint32_t note, const std::string& what) {
    report(Code::CalBuffersDiffer, note, fmt::format("only the CAL image has {}", what));
  }
  void report(Code code, std::uint32_t note, std::string message) {
    const auto found = std::ranges::find(encoding_.notes, note, &cl1::CalNote::type);
    diagnostics_.report(code, found == encoding_.notes.end() ? encoding_.where : found->where, std::move(message));
  }

  const cl1::Encoding& encoding_;
  const Kernel& kernel_;
  Diagnostics& diagnostics_;
  // Of the metadata, ascending and each once.
  std::vector<std::uint32_t> uavs_, buffers_, hardware_constants_, images_, samplers_;
};

class Cl1Opener {
 public:
  Cl1Opener(File& file, Diagnostics& diagnostics, const OpenOptions& options)
      : file_(file), binary_(*file.cl1()), diagnostics_(diagnostics), options_(options) {}

  void run() {
    Program& program = file_.program;
    program.family = Family::Cl1;
    program.device = binary_.device != nullptr ? binary_.device->name : std::string_view{};
    program.driver = binary_.text(binary_.driver);
    program.compile_options = binary_.text(binary_.compile_options);
    if (binary_.device != nullptr) program.target = find_target(binary_.device->target);

    std::vector<text::Document> functions;
    functions.reserve(binary_.functions.size());
    program.kernels.reserve(binary_.kernels.size());
    file_.texts.reserve(binary_.kernels.size() + binary_.functions.size());
    for (const cl1::Function& function : binary_.functions) functions.push_back(parse(function.metadata));
    std::vector<const text::Document*> views;
    for (const text::Document& document : functions) views.push_back(&document);
    const text::CallTable calls = text::call_table(views);

    for (const cl1::Kernel& kernel : binary_.kernels)
      if (options_.kernel.empty() || kernel.name == options_.kernel) add_kernel(kernel, calls);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      lower_printf(functions[i], program.printf);
      keep(fmt::format("__OpenCL_{}_fmetadata", binary_.functions[i].name), binary_.functions[i].metadata,
           std::move(functions[i]));
    }
    for (const cl1::Global& global : binary_.globals) add_global(global);
    add_code();
  }

 private:
  text::Document parse(SourceRange where) {
    text::ReadOptions options = options_.text;
    options.base = where.begin;
    options.limits.segment_bytes = data_left_;
    text::Document document = text::parse(binary_.text(where), diagnostics_, options);
    if (options_.checks) text::check(document, diagnostics_, options);
    return document;
  }

  void keep(std::string symbol, SourceRange where, text::Document&& document) {
    file_.regions.push_back({where});
    file_.texts.push_back({std::move(symbol), where, std::move(document)});
  }

  void add_kernel(const cl1::Kernel& symbols, const text::CallTable& calls) {
    Program& program = file_.program;
    if (symbols.metadata.size == 0) {
      ++program.refused;  // the container's reader reported it
      return;
    }
    const std::string symbol = "__OpenCL_" + symbols.name + "_metadata";
    text::Document document = parse(symbols.metadata);
    const text::Block* block = nullptr;
    for (const text::Block& candidate : document.blocks) {
      if (!text::kernel_name(candidate.name)) continue;
      if (block != nullptr) {
        diagnostics_.report(Code::ExtraBlock, candidate.where, fmt::format("a second kernel block in {}", symbol));
        break;
      }
      block = &candidate;
    }
    if (block == nullptr) {
      diagnostics_.report(Code::NoBlock, symbols.metadata,
                          fmt::format("{} holds no kernel block (;ARGSTART:__OpenCL_…_kernel)", symbol));
      ++program.refused;
    } else {
      if (*text::kernel_name(block->name) != symbols.name)
        diagnostics_.report(Code::BlockNotOfSymbol, block->where,
                            fmt::format("the block of kernel '{}' in {}", *text::kernel_name(block->name), symbol));
      const DiagnosticScope scope(diagnostics_, {.block = block->name, .kernel = symbols.name});
      Kernel kernel = lower_kernel(document, *block, text::call_totals(document, *block, calls));
      kernel.registers = symbols.cal.registers;
      // Files assembled by hand may lack the line; the container knows the device.
      if (kernel.device.empty()) kernel.device = program.device;
      if (options_.checks) compare_header(symbols, kernel, diagnostics_);
      if (options_.checks && symbols.cal.chosen && binary_.device != nullptr && !is_vliw(binary_.device->isa) &&
          kernel.complete)
        CalComparison(symbols.cal.encodings[*symbols.cal.chosen], kernel, constant_buffers(), diagnostics_).run();
      if (symbols.cal.chosen) {
        const cl1::Encoding& encoding = symbols.cal.encodings[*symbols.cal.chosen];
        kernel.entry = cl1::CalState{encoding.info, encoding.user_elements, symbols.cal.where};
        if (!binary_.view(encoding.text).empty()) codes_.push_back({encoding.text, program.kernels.size()});
      }
      program.kernels.push_back(std::move(kernel));
    }
    lower_printf(document, program.printf);
    add_data(document);
    keep(symbol, symbols.metadata, std::move(document));
  }

  // Numbers of the constant buffers that hold the program's own data.
  std::vector<std::uint32_t> constant_buffers() const {
    std::vector<std::uint32_t> out;
    for (const cl1::Global& global : binary_.globals) out.push_back(global.index);
    for (const DataSegment& data : file_.program.data)
      if (data.constant_buffer) out.push_back(*data.constant_buffer);
    return out;
  }

  void add_data(const text::Document& document) {
    for (DataSegment& data : lower_data(document, data_left_)) {
      data_left_ -= data.bytes.size();
      file_.program.data.push_back(std::move(data));
    }
  }

  // The symbol holds the segment's bytes, or its text when it was not assembled yet. Before driver 1348.05 the
  // constants were a hardware constant buffer of that number. [CLRX AmdBinGen.cpp; M2S]
  void add_global(const cl1::Global& global) {
    if (binary_.text(global.contents).starts_with(";#DATASTART")) {
      text::Document document = parse(global.contents);
      add_data(document);
      keep(fmt::format("__OpenCL_{}_global", global.index), global.contents, std::move(document));
      return;
    }
    if (global.contents.size > data_left_) {  // symbols that share bytes
      diagnostics_.report(Code::DataTooLarge, global.contents,
                          fmt::format("a data segment of {} bytes; at most {}", global.contents.size, data_left_));
      return;
    }
    data_left_ -= global.contents.size;
    DataSegment& data = file_.program.data.emplace_back();
    if (global.index >= 2) data.constant_buffer = global.index;
    const auto bytes = binary_.view(global.contents);
    data.bytes.assign(bytes.begin(), bytes.end());
    data.where = global.contents;
  }

  // Machine code of each image, in a section of its own, since none refers to another. Images that share bytes share
  // the section, so that all of them together are no larger than the file.
  void add_code() {
    constexpr std::uint64_t kCodeAlign = 256;
    MachineCode& code = file_.program.code;
    std::ranges::sort(codes_, {}, [](const KernelBytes& k) { return std::pair(k.text.begin, k.kernel); });
    SourceRange whole;  // of the last section
    for (const KernelBytes& from : codes_) {
      const std::uint32_t end = from.text.begin + from.text.size;
      if (code.sections.empty() || from.text.begin >= whole.begin + whole.size) {
        CodeSection section;
        section.name = ".text";
        section.address = code.sections.empty()
                              ? 0
                              : (code.sections.back().address + whole.size + kCodeAlign - 1) / kCodeAlign * kCodeAlign;
        section.align = kCodeAlign;
        section.executable = true;
        code.sections.push_back(std::move(section));
        whole = {from.text.begin, 0};
      }
      whole.size = std::max(whole.size, end - whole.begin);
      file_.program.kernels[from.kernel].code =
          CodePlace{code.sections.size() - 1, from.text.begin - whole.begin, from.text.size};
      const auto bytes = binary_.view(whole);
      std::vector<std::byte>& to = code.sections.back().bytes;
      to.insert(to.end(), bytes.begin() + static_cast<std::ptrdiff_t>(to.size()), bytes.end());
    }
  }

  struct KernelBytes {
    SourceRange text;
    std::size_t kernel;  // index into Program::kernels
  };

  File& file_;
  const cl1::Binary& binary_;
  Diagnostics& diagnostics_;
  const OpenOptions& options_;
  std::vector<KernelBytes> codes_;
  std::uint64_t data_left_ = options_.text.limits.segment_bytes;  // for further data segments
};

bool can_open(FileKind kind) {
  using enum FileKind;
  return kind == AmdilText || kind == HsailText || kind == Cl1Gpu || kind == Cl2 || kind == OffloadBundle ||
         is_code_object(kind);
}

// As much of it as `options` asks for.
std::optional<File> open_part(FileKind kind, FileBytes bytes, Diagnostics& diagnostics, const OpenOptions& options) {
  std::optional<File> file(std::in_place);
  file->kind = kind;
  if (!options.checks) file->unchecked = options;
  if (kind == FileKind::Cl2) {
    if (!open_cl2(*file, std::move(bytes), diagnostics, options)) file.reset();
    return file;
  }
  cl1::ReadOptions read = options.cl1;
  read.kernel = options.kernel;
  std::optional<cl1::Binary> binary = cl1::read(std::move(bytes), diagnostics, read);
  if (!binary) return std::nullopt;
  file->content = std::move(*binary);
  Cl1Opener(*file, diagnostics, options).run();
  std::ranges::sort(file->regions, {}, [](const TextRegion& r) { return r.where.begin; });
  return file;
}

bool is_container(FileKind kind) { return kind == FileKind::Cl1Gpu || kind == FileKind::Cl2; }

// A file that is no container: its model keeps a copy of the bytes.
std::optional<File> open_other(FileKind kind, std::span<const std::byte> bytes, Diagnostics& diagnostics,
                               const OpenOptions& options) {
  if (can_open(kind))
    return open(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), diagnostics, options);
  diagnostics.add(refusal(bytes));
  return std::nullopt;
}

bool has_kernel(const File& file, std::string_view name) {
  return std::ranges::find(file.program.kernels, name, &Kernel::name) != file.program.kernels.end();
}

std::optional<File> open_container(FileKind kind, FileBytes bytes, Diagnostics& diagnostics,
                                   const OpenOptions& options) {
  if (options.kernel.empty()) return open_part(kind, std::move(bytes), diagnostics, options);
  Diagnostics before = diagnostics;
  std::optional<File> file = open_part(kind, bytes, diagnostics, options);
  if (!file || has_kernel(*file, options.kernel)) return file;
  // A name of no symbol may still be that of a block, which only reading all of them shows.
  OpenOptions all = options;
  all.kernel.clear();
  diagnostics = std::move(before);
  return open_part(kind, std::move(bytes), diagnostics, all);
}

bool same(const Diagnostic& a, const Diagnostic& b) {
  return a.code == b.code && a.where == b.where && a.message == b.message && a.path == b.path && a.block == b.block &&
         a.kernel == b.kernel && a.argument == b.argument;
}

}  // namespace

std::optional<File> open(std::string bytes, Diagnostics& diagnostics, const OpenOptions& options) {
  const auto raw = std::as_bytes(std::span(bytes));
  File file;
  file.kind = identify(raw);
  if (!can_open(file.kind)) {
    diagnostics.add(refusal(raw));
    return std::nullopt;
  }
  switch (file.kind) {
    case FileKind::AmdilText:
    case FileKind::HsailText: {
      text::ReadOptions read = options.text;
      read.base = 0;
      if (!options.checks) file.unchecked = options;
      const std::string& source = file.content.emplace<TextFile>(std::move(bytes)).bytes;
      MetadataText& whole = file.texts.emplace_back();
      whole.where = {0, static_cast<std::uint32_t>(std::min<std::size_t>(source.size(), 0xffffffffu))};
      whole.document = text::parse(source, diagnostics, read);
      if (options.checks) text::check(whole.document, diagnostics, read);
      file.program = lower(whole.document, read.limits.segment_bytes);
      if (file.program.kernels.empty() && !whole.document.blocks.empty()) {
        const text::Block& first = whole.document.blocks.front();
        diagnostics.report(Code::NoKernelBlock, first.where,
                           fmt::format("no metadata block is a kernel's: '{}' is not __OpenCL_NAME_kernel",
                                       first.name.substr(0, 200)));
      }
      file.regions.push_back({whole.where});
      return file;
    }
    case FileKind::Cl1Gpu:
    case FileKind::Cl2: return open_container(file.kind, FileBytes(std::move(bytes)), diagnostics, options);
    default:  // code objects, alone or in a bundle
      if (!open_hsa(file, std::move(bytes), diagnostics, options)) return std::nullopt;
      return file;
  }
}

std::optional<File> open(std::span<const std::byte> bytes, Diagnostics& diagnostics, const OpenOptions& options) {
  const FileKind kind = identify(bytes);
  if (is_container(kind))
    return open_container(kind, FileBytes(std::vector(bytes.begin(), bytes.end())), diagnostics, options);
  return open_other(kind, bytes, diagnostics, options);
}

std::optional<File> open(FileBytes bytes, Diagnostics& diagnostics, const OpenOptions& options) {
  const FileKind kind = identify(bytes.view());
  if (is_container(kind)) return open_container(kind, std::move(bytes), diagnostics, options);
  return open_other(kind, bytes.view(), diagnostics, options);
}

void check(const File& file, Diagnostics& diagnostics) {
  if (!file.unchecked) return;
  OpenOptions options = *file.unchecked;
  const auto findings = [&](bool checks) {
    Diagnostics out(diagnostics.mode());
    out.set_file(diagnostics.file());
    options.checks = checks;
    (void)open(FileBytes::borrowed(std::as_bytes(std::span(file.view()))), out, options);
    return out;
  };
  const Diagnostics reading = findings(false), all = findings(true);
  // Those of checks stand between those of reading, whose order they leave.
  auto known = reading.all().begin();
  for (const Diagnostic& finding : all.all())
    if (known != reading.all().end() && same(finding, *known))
      ++known;
    else
      diagnostics.add(finding);
}

}  // namespace amdcompat
