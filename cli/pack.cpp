// `pack`: a kernel, launch sizes and argument values -> the constant buffers it reads, the CL2 argument block and
// what it points to, or the kernarg segment of a code object's kernel, as files.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "launch_file.hpp"
#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ImageFile {
  std::string name;
  std::string bytes;
};

// Segments by constant buffer number, 0 for the global one. Units of one file may have segments of the same number.
std::vector<ImageFile> data_files(std::span<const DataSegment> data) {
  std::vector<ImageFile> out;
  std::map<std::uint32_t, unsigned> seen;
  for (const DataSegment& segment : data) {
    const std::uint32_t number = segment.constant_buffer.value_or(0);
    const unsigned again = ++seen[number];
    out.push_back({again == 1 ? fmt::format("data.{}.bin", number) : fmt::format("data.{}-{}.bin", number, again),
                   std::string(text_of(segment.bytes))});
  }
  return out;
}

Json file_list(const std::vector<ImageFile>& files) {
  Json list = Json::array();
  for (const ImageFile& file : files) list.push_back({{"name", file.name}, {"size", file.bytes.size()}});
  return list;
}

Json summary(const abi::LaunchImage& image, const std::vector<ImageFile>& files) {
  const Kernel& kernel = image.kernel();
  Json out{{"kernel", kernel.name},
           {"address_bits", static_cast<unsigned>(kernel.address_bits)},
           {"profile", image.options().profile == abi::Profile::Amd ? "amd" : "spec"},
           {"argument_profile", image.options().arguments == abi::ArgumentProfile::Amd ? "amd" : "safe"},
           {"local", image.local_size()},
           {"lds_bytes", image.local_bytes()}};
  out["files"] = file_list(files);
  Json& bindings = out["bindings"] = Json::array();
  for (const abi::Binding& binding : image.bindings()) {
    Json entry{{"kind", abi::binding_kind_name(binding.kind)}, {"slot", binding.slot}, {"what", binding.what}};
    if (binding.argument) entry["argument"] = *binding.argument;
    entry["address"] = binding.address;
    entry["size"] = binding.size;
    entry["stride"] = binding.stride;
    if (binding.words != 0) {
      Json& words = entry["descriptor"] = Json::array();
      for (std::uint32_t i = 0; i < binding.words; ++i) words.push_back(fmt::format("{:#010x}", binding.descriptor[i]));
    }
    bindings.push_back(std::move(entry));
  }
  return out;
}

std::string first_bytes(std::span<const std::byte> bytes) {
  constexpr std::size_t kMost = 32;
  std::string out;
  for (const std::byte b : bytes.first(std::min(bytes.size(), kMost)))
    fmt::format_to(std::back_inserter(out), "{:02x}", std::to_integer<unsigned>(b));
  return bytes.size() > kMost ? out + "…" : out;
}

Json words_json(std::span<const std::uint32_t> words) {
  Json out = Json::array();
  for (const std::uint32_t word : words) out.push_back(fmt::format("{:#010x}", word));
  return out;
}

// `data`: those whose files follow `first_data` other files, in the same order.
Json summary(const abi::Cl2LaunchImage& image, const std::vector<ImageFile>& files, std::span<const DataSegment> data,
             std::size_t first_data) {
  const Kernel& kernel = image.kernel();
  Json out{{"kernel", kernel.name},
           {"address_bits", static_cast<unsigned>(kernel.address_bits)},
           {"local", image.local_size()},
           {"lds_bytes", image.local_bytes()},
           {"memory",
            {{"address", image.environment().memory},
             {"align", image.memory_align()},
             {"size", image.memory().size()},
             {"block_bytes", image.block_bytes()},
             {"packet_offset", image.block_bytes()}}},
           {"packet_header", fmt::format("{:#010x}", image.packet_header())}};
  out["files"] = file_list(files);
  for (std::size_t i = 0; i < data.size(); ++i) {
    out["files"][first_data + i]["section"] = data[i].section;
    if (data[i].zero_bytes != 0) out["files"][first_data + i]["zero_bytes"] = data[i].zero_bytes;
  }
  Json& registers = out["user_registers"] = Json::array();
  for (const abi::UserRegisterValue& row : image.user_registers()) {
    Json entry{{"first", row.first}, {"name", row.name}};
    if (row.known)
      entry["words"] = words_json(std::span(row.words).first(std::min<std::size_t>(row.count, row.words.size())));
    registers.push_back(std::move(entry));
  }
  return out;
}

Json summary(const abi::KernargImage& image, const std::vector<ImageFile>& files) {
  const Kernel& kernel = image.kernel();
  Json out{
      {"kernel", kernel.name},
      {"address_bits", static_cast<unsigned>(kernel.address_bits)},
      {"code_object", hsa::version_info(kernel.kernarg()->version).name},
      {"local", image.local_size()},
      {"lds_bytes", image.local_bytes()},
      {"kernarg",
       {{"address", image.environment().memory}, {"align", image.memory_align()}, {"size", image.segment().size()}}},
      {"packet_header", fmt::format("{:#010x}", image.packet_header())}};
  if (!image.objects().empty())
    out["objects"] = {{"address", image.environment().memory + image.block_bytes() + abi::kPacketBytes},
                      {"size", image.objects().size()}};
  out["files"] = file_list(files);
  return out;
}

// The rows of one buffer or part, each byte range with its value and reason. Offsets count from the start of `bytes`.
std::string explain_rows(std::span<const abi::MapEntry> rows, std::span<const std::byte> bytes) {
  std::string out;
  std::uint64_t end = 0;
  const auto gap = [&](std::uint64_t to) {
    if (end >= to) return;
    const auto padding = bytes.subspan(end, to - end);
    const bool zero = std::ranges::all_of(padding, [](std::byte b) { return b == std::byte{0}; });
    out += fmt::format("  {:>4}..{:<4}  {}: padding\n", end, to - 1, zero ? "zeros" : first_bytes(padding));
  };
  for (const abi::MapEntry& entry : rows) {
    gap(entry.offset);
    const auto own = bytes.subspan(entry.offset, entry.size);
    out += entry.size == 0
               ? fmt::format("  {:>4}        nothing", entry.offset)
               : fmt::format("  {:>4}..{:<4}  {}", entry.offset, entry.offset + entry.size - 1, first_bytes(own));
    if (entry.offset < end) out += "  (shares bytes with the argument before)";
    out += fmt::format("  {}", entry.name);
    if (!entry.value.empty()) out += " = " + entry.value;
    if (!entry.what.empty()) out += fmt::format("; {}", entry.what);
    out += fmt::format(" [{}: {}]\n", evidence_name(entry.evidence), entry.source);
    end = std::max<std::uint64_t>(end, std::uint64_t{entry.offset} + entry.size);
  }
  gap(bytes.size());
  return out;
}

template <class Image>
std::string explanation_head(const Image& image) {
  return fmt::format("kernel {}, {}-bit ABI\n", image.kernel().name,
                     static_cast<unsigned>(image.kernel().address_bits));
}
template <class Image>
std::string explanation_sizes(const Image& image) {
  return fmt::format("\nlocal size {} x {} x {}, {} bytes of local memory\n", image.local_size()[0],
                     image.local_size()[1], image.local_size()[2], image.local_bytes());
}
// Calls `put` with the rows of each buffer in turn.
template <class Put>
void by_buffer(std::span<const abi::MapEntry> rows, Put put) {
  while (!rows.empty()) {
    const auto last =
        std::ranges::find_if(rows, [&](const abi::MapEntry& entry) { return entry.buffer != rows.front().buffer; });
    const auto count = static_cast<std::size_t>(last - rows.begin());
    put(rows.front().buffer, rows.first(count));
    rows = rows.subspan(count);
  }
}

std::string explanation(const abi::LaunchImage& image) {
  std::string out = explanation_head(image);
  by_buffer(image.map(), [&](std::uint32_t number, std::span<const abi::MapEntry> rows) {
    const auto bytes = image.buffer(number);
    out += fmt::format("\ncb{}, {} bytes\n{}", number, bytes.size(), explain_rows(rows, bytes));
  });
  out += explanation_sizes(image);
  out += "\nto bind\n";
  for (const abi::Binding& binding : image.bindings()) {
    out += fmt::format("  {} {}: {}", abi::binding_kind_name(binding.kind), binding.slot, binding.what);
    out += binding.address != 0 ? fmt::format(", from {:#x} on", binding.address) : "";
    out += binding.size != 0 ? fmt::format(", {} bytes", binding.size) : "";
    out += binding.stride != 0 ? fmt::format(", stride {}", binding.stride) : "";
    for (std::uint32_t i = 0; i < binding.words; ++i)
      out += fmt::format("{}{:08x}", i == 0 ? ", descriptor " : " ", binding.descriptor[i]);
    out += fmt::format(" [{}]\n", binding.source);
  }
  return out;
}

// Parts with the offsets of their own start, and where they lie.
std::string explanation(const abi::Cl2LaunchImage& image) {
  std::string out = explanation_head(image);
  std::vector<abi::MapEntry> map = image.map();
  const std::uint32_t block = image.block_bytes(), objects = block + abi::kPacketBytes;
  for (abi::MapEntry& entry : map)
    entry.offset -= entry.buffer == static_cast<std::uint32_t>(abi::Cl2Part::Block)    ? 0
                    : entry.buffer == static_cast<std::uint32_t>(abi::Cl2Part::Packet) ? block
                                                                                       : objects;
  by_buffer(map, [&](std::uint32_t number, std::span<const abi::MapEntry> rows) {
    const auto part = static_cast<abi::Cl2Part>(number);
    const std::uint32_t start = part == abi::Cl2Part::Block ? 0 : part == abi::Cl2Part::Packet ? block : objects;
    const auto bytes = part == abi::Cl2Part::Block    ? image.block()
                       : part == abi::Cl2Part::Packet ? image.packet()
                                                      : image.memory().subspan(objects);
    out += fmt::format("\n{} at {:#x}, {} bytes\n{}", abi::cl2_part_name(part), image.environment().memory + start,
                       bytes.size(), explain_rows(rows, bytes));
  });
  out += explanation_sizes(image);
  out += "\nuser registers\n";
  for (const abi::UserRegisterValue& row : image.user_registers()) {
    out += fmt::format("  s{}..{}  {}:", row.first, row.first + row.count - 1, row.name);
    if (!row.known) out += " not known here";
    for (std::uint32_t i = 0; row.known && i < row.count; ++i) out += fmt::format(" {:08x}", row.words[i]);
    out += fmt::format("; {} [{}: {}]\n", row.meaning, evidence_name(row.evidence), row.source);
  }
  return out;
}

std::string explanation(const abi::KernargImage& image) {
  std::string out = explanation_head(image);
  by_buffer(image.map(), [&](std::uint32_t number, std::span<const abi::MapEntry> rows) {
    const auto part = static_cast<abi::KernargPart>(number);
    const bool packet = part == abi::KernargPart::Packet;
    const auto bytes = packet ? image.packet() : part == abi::KernargPart::Segment ? image.segment() : image.objects();
    const auto start = static_cast<std::uint32_t>(bytes.data() - image.memory().data());
    std::vector<abi::MapEntry> own(rows.begin(), rows.end());
    for (abi::MapEntry& entry : own) entry.offset -= start;
    out += packet ? fmt::format("\n{}, {} bytes\n", abi::kernarg_part_name(part), bytes.size())
                  : fmt::format("\n{} at {:#x}, {} bytes\n", abi::kernarg_part_name(part),
                                image.environment().memory + start, bytes.size());
    out += explain_rows(own, bytes);
  });
  return out + explanation_sizes(image);
}

// The only kernel, or the one that --kernel or the launch file names.
const Kernel* choose(const Program& program, const std::string& name, Diagnostics& diagnostics) {
  if (!name.empty()) {
    const auto found = std::ranges::find(program.kernels, name, &Kernel::name);
    if (found != program.kernels.end()) return &*found;
    diagnostics.report(Code::KernelNotFound, {}, fmt::format("no kernel '{}' in this file", name));
    return nullptr;
  }
  if (program.kernels.size() == 1) return &program.kernels.front();
  std::vector<std::string_view> names;
  for (const Kernel& kernel : program.kernels) names.push_back(kernel.name);
  diagnostics.report(Code::LaunchKernelChoice, {},
                     names.empty() ? "the file has no kernels"
                                   : fmt::format("choose one with --kernel: {}", fmt::join(names, ", ")));
  return nullptr;
}

struct Written {
  std::vector<ImageFile> files;
  std::string explanation;
};

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Built; nothing when something was reported.
template <class Image>
std::optional<Image> built(std::optional<Image> image, const LaunchFile& launch, Diagnostics& diagnostics) {
  if (image && !apply_launch(launch, *image, diagnostics)) return std::nullopt;
  return image;
}

std::optional<Written> pack_cl1(const PackOptions& options, const Program& program, const Kernel& kernel,
                                const LaunchFile& launch, Diagnostics& diagnostics) {
  const auto image =
      built(abi::LaunchImage::create(kernel, diagnostics, launch.options, program.data), launch, diagnostics);
  if (!image) return std::nullopt;
  Written out;
  out.files.push_back({"cb0.bin", std::string(text_of(image->cb0()))});
  out.files.push_back({"cb1.bin", std::string(text_of(image->cb1()))});
  for (const std::uint32_t number : image->buffers())
    if (number > 1) out.files.push_back({fmt::format("cb{}.bin", number), std::string(text_of(image->buffer(number)))});
  for (ImageFile& file : data_files(program.data)) out.files.push_back(std::move(file));
  out.files.push_back({"launch-summary.json", json_text(summary(*image, out.files))});
  if (options.explain) out.explanation = explanation(*image);
  return out;
}

std::optional<Written> pack_cl2(const PackOptions& options, const Program& program, const Kernel& kernel,
                                const LaunchFile& launch, Diagnostics& diagnostics) {
  const auto image = built(abi::Cl2LaunchImage::create(kernel, diagnostics), launch, diagnostics);
  if (!image) return std::nullopt;
  Written out;
  out.files.push_back({"kernarg.bin", std::string(text_of(image->memory()))});
  out.files.push_back({"aql.bin", std::string(text_of(image->packet()))});
  const std::size_t first_data = out.files.size();
  for (ImageFile& file : data_files(program.data)) out.files.push_back(std::move(file));
  out.files.push_back({"launch-summary.json", json_text(summary(*image, out.files, program.data, first_data))});
  if (options.explain) out.explanation = explanation(*image);
  return out;
}

std::optional<Written> pack_kernarg(const PackOptions& options, const Kernel& kernel, const LaunchFile& launch,
                                    Diagnostics& diagnostics) {
  const auto image = built(abi::KernargImage::create(kernel, diagnostics), launch, diagnostics);
  if (!image) return std::nullopt;
  Written out;
  out.files.push_back({"kernarg.bin", std::string(text_of(image->segment()))});
  out.files.push_back({"aql.bin", std::string(text_of(image->packet()))});
  if (!image->objects().empty()) out.files.push_back({"objects.bin", std::string(text_of(image->objects()))});
  out.files.push_back({"launch-summary.json", json_text(summary(*image, out.files))});
  if (options.explain) out.explanation = explanation(*image);
  return out;
}

std::optional<Written> pack(const PackOptions& options, const Program& program, const std::optional<LaunchFile>& launch,
                            Diagnostics& diagnostics) {
  const Kernel* const kernel =
      choose(program, options.common.kernel.empty() && launch ? launch->kernel : options.common.kernel, diagnostics);
  if (kernel == nullptr || !launch) return std::nullopt;
  if (kernel->kernarg() != nullptr) return pack_kernarg(options, *kernel, *launch, diagnostics);
  return kernel->argument_block() != nullptr ? pack_cl2(options, program, *kernel, *launch, diagnostics)
                                             : pack_cl1(options, program, *kernel, *launch, diagnostics);
}

// Whether a launch of the kernel can be made at all: what no launch image holds has no launch file either.
bool can_be_launched(const Kernel& kernel, const Program& program, Diagnostics& diagnostics) {
  if (kernel.kernarg() != nullptr) return abi::KernargImage::create(kernel, diagnostics).has_value();
  if (kernel.argument_block() != nullptr) return abi::Cl2LaunchImage::create(kernel, diagnostics).has_value();
  return abi::LaunchImage::create(kernel, diagnostics, {}, program.data).has_value();
}

}  // namespace

int run_pack(const PackOptions& options) {
  std::optional<Input> input = read_file(options.common.files.front(), options.common);
  if (!input) return kInputOutput;
  std::optional<LaunchFile> launch;
  if (!options.make_template)
    if (const int failed = read_launch(options.launch, options.common, launch); failed != kDone) return failed;
  Diagnostics& diagnostics = input->diagnostics;
  if (launch && launch->strict) {
    diagnostics = Diagnostics(Mode::Strict);
    diagnostics.set_file(input->path);
  }
  open(*input, options.common);
  settle(*input);
  const std::optional<File>& file = input->file;
  int result = kDone;
  if (file && options.make_template) {
    const Kernel* const kernel = choose(file->program, options.common.kernel, diagnostics);
    if (kernel != nullptr && can_be_launched(*kernel, file->program, diagnostics)) {
      const std::string text = launch_template(*kernel, file->program.data);
      const bool done = options.output.empty() ? write_form(text) : write_output(options.output, text);
      if (!done) result = kInputOutput;
    }
  } else if (file) {
    if (const std::optional<Written> written = pack(options, file->program, launch, diagnostics)) {
      if (!options.output.empty()) {
        if (!make_directory(options.output)) result = kInputOutput;
        for (const ImageFile& out : written->files)
          if (result == kDone && !write_output((std::filesystem::path(options.output) / out.name).string(), out.bytes))
            result = kInputOutput;
      }
      if (options.explain && !write_page(written->explanation)) result = kInputOutput;
    }
  }
  show(*input, options.common);
  return std::max(result, input->result());
}

}  // namespace amdcompat::cli
