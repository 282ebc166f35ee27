// open(): tells containers apart and brings each to its faithful model and the neutral Program.
#include <algorithm>

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

class Cl1Opener {
 public:
  Cl1Opener(File& file, Diagnostics& diagnostics, const OpenOptions& options)
      : file_(file), binary_(*file.container), diagnostics_(diagnostics), options_(options) {}

  void run() {
    Program& program = file_.program;
    program.family = Family::Cl1;
    program.device = binary_.device != nullptr ? binary_.device->name : std::string_view{};
    program.driver = binary_.text(binary_.driver);
    program.compile_options = binary_.text(binary_.compile_options);

    std::vector<text::Document> functions;
    functions.reserve(binary_.functions.size());
    for (const cl1::Function& function : binary_.functions) functions.push_back(parse(function.metadata));
    std::vector<const text::Document*> views;
    for (const text::Document& document : functions) views.push_back(&document);
    const text::CallTable calls = text::call_table(views);

    for (const cl1::Kernel& kernel : binary_.kernels) add_kernel(kernel, calls);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      lower_printf(functions[i], program.printf);
      keep(fmt::format("__OpenCL_{}_fmetadata", binary_.functions[i].name), binary_.functions[i].metadata,
           std::move(functions[i]));
    }
    for (const cl1::Global& global : binary_.globals) add_global(global);
  }

 private:
  text::Document parse(SourceRange where) {
    text::ReadOptions options = options_.text;
    options.base = where.begin;
    text::Document document = text::parse(binary_.text(where), diagnostics_, options);
    text::check(document, diagnostics_, options);
    return document;
  }

  void keep(std::string symbol, SourceRange where, text::Document document) {
    file_.regions.push_back({where});
    file_.texts.push_back({std::move(symbol), where, std::move(document)});
  }

  void add_kernel(const cl1::Kernel& symbols, const text::CallTable& calls) {
    Program& program = file_.program;
    const std::string symbol = fmt::format("__OpenCL_{}_metadata", symbols.name);
    if (symbols.metadata.size == 0) {
      ++program.refused;  // the container's reader reported it
      return;
    }
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
      diagnostics_.set_block(block->name);
      Kernel kernel = lower_kernel(document, *block, text::call_totals(document, *block, calls));
      kernel.registers = symbols.cal.registers;
      // Files assembled by hand may lack the line; the container knows the device.
      if (kernel.device.empty()) kernel.device = program.device;
      compare_header(symbols, kernel, diagnostics_);
      diagnostics_.set_block({});
      program.kernels.push_back(std::move(kernel));
    }
    lower_printf(document, program.printf);
    for (DataSegment& data : lower_data(document, options_.text.limits.segment_bytes))
      program.data.push_back(std::move(data));
    keep(symbol, symbols.metadata, std::move(document));
  }

  // The symbol holds the segment's bytes, or its text when it was not assembled yet. Before driver 1348.05 the
  // constants were a hardware constant buffer of that number. [CLRX AmdBinGen.cpp; M2S]
  void add_global(const cl1::Global& global) {
    Program& program = file_.program;
    if (binary_.text(global.contents).starts_with(";#DATASTART")) {
      text::Document document = parse(global.contents);
      for (DataSegment& data : lower_data(document, options_.text.limits.segment_bytes))
        program.data.push_back(std::move(data));
      keep(fmt::format("__OpenCL_{}_global", global.index), global.contents, std::move(document));
      return;
    }
    DataSegment& data = program.data.emplace_back();
    if (global.index >= 2) data.constant_buffer = global.index;
    const auto bytes = binary_.view(global.contents);
    data.bytes.assign(bytes.begin(), bytes.end());
    data.where = global.contents;
  }

  File& file_;
  const cl1::Binary& binary_;
  Diagnostics& diagnostics_;
  const OpenOptions& options_;
};

}  // namespace

std::string_view File::view() const {
  const std::vector<std::byte>* const own = container ? &container->bytes : cl2 ? &cl2->bytes : nullptr;
  if (own == nullptr) return bytes;
  return {reinterpret_cast<const char*>(own->data()), own->size()};
}

std::optional<File> open(std::string bytes, Diagnostics& diagnostics, const OpenOptions& options) {
  const auto raw = std::as_bytes(std::span(bytes));
  File file;
  file.kind = cl1::classify(raw);
  switch (file.kind) {
    case cl1::Kind::AmdilText:
    case cl1::Kind::HsailText: {
      text::ReadOptions read = options.text;
      read.base = 0;
      file.bytes = std::move(bytes);
      MetadataText& whole = file.texts.emplace_back();
      whole.where = {0, static_cast<std::uint32_t>(std::min<std::size_t>(file.bytes.size(), 0xffffffffu))};
      whole.document = text::parse(file.bytes, diagnostics, read);
      text::check(whole.document, diagnostics, read);
      file.program = lower(whole.document);
      file.regions.push_back({whole.where});
      return file;
    }
    case cl1::Kind::Cl1Gpu: {
      Result<cl1::Binary> binary = cl1::read({raw.begin(), raw.end()}, diagnostics, options.cl1);
      if (!binary) {
        diagnostics.add(std::move(binary.error()));
        return std::nullopt;
      }
      file.container = std::move(*binary);
      Cl1Opener(file, diagnostics, options).run();
      std::ranges::sort(file.regions, {}, [](const TextRegion& r) { return r.where.begin; });
      return file;
    }
    case cl1::Kind::Cl2:
      if (!open_cl2(file, raw, diagnostics, options)) return std::nullopt;
      return file;
    case cl1::Kind::HsaV1:
    case cl1::Kind::HsaV2:
    case cl1::Kind::HsaV3:
    case cl1::Kind::HsaV4:
    case cl1::Kind::HsaV5:
    case cl1::Kind::HsaV6:
    case cl1::Kind::OffloadBundle:
      file.bytes = std::move(bytes);
      if (!open_hsa(file, diagnostics, options)) return std::nullopt;
      return file;
    default: diagnostics.add(cl1::refusal(raw)); return std::nullopt;
  }
}

}  // namespace amdcompat
