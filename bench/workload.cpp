#include "workload.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <yaml.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>

namespace amdcompat::bench {

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

bool is_argument(const text::Directive& directive) {
  return std::holds_alternative<text::ValueArg>(directive) || std::holds_alternative<text::PointerArg>(directive) ||
         std::holds_alternative<text::ImageArg>(directive) || std::holds_alternative<text::CounterArg>(directive) ||
         std::holds_alternative<text::SemaphoreArg>(directive) || std::holds_alternative<text::QueueArg>(directive);
}

void add_file(Workload& workload, std::set<std::string>& seen, std::string bytes) {
  if (identify(std::as_bytes(std::span(bytes))) != FileKind::Cl1Gpu) return;
  Diagnostics diagnostics;
  const std::optional<File> file = open(bytes, diagnostics);
  if (!file) return;
  for (const MetadataText& part : file->texts)
    for (const text::Block& block : part.document.blocks) {
      std::string text(part.document.slice(block.where));
      if (!text.ends_with('\n')) text += '\n';
      if (!seen.insert(text).second) continue;
      workload.lines += static_cast<std::size_t>(std::ranges::count(text, '\n'));
      for (const text::Element& element : part.document.directives(block))
        workload.arguments += is_argument(element.directive);
      workload.text += text;
      workload.blocks.push_back(std::move(text));
    }
  workload.file_arguments += convert::to_metadata(file->program, diagnostics).arguments;
  workload.file_bytes += bytes.size();
  workload.files.push_back(std::move(bytes));
}

std::vector<fs::path> files_in(const fs::path& root) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end; at.increment(error))
    if (at->is_regular_file(error)) paths.push_back(at->path());
  std::ranges::sort(paths);
  return paths;
}

Workload load_from(const fs::path& root) {
  Workload workload;
  std::set<std::string> seen;
  for (const fs::path& path : files_in(root)) add_file(workload, seen, read_file(path));
  return workload;
}

}  // namespace

Workload load() {
  if (!std::string_view(AMDCOMPAT_REAL_CORPUS).empty()) {
    Workload real = load_from(fs::path(AMDCOMPAT_REAL_CORPUS) / "corpus");
    if (!real.empty()) {
      real.origin = "the real corpus";
      return real;
    }
  }
  Workload own = load_from(fs::path(AMDCOMPAT_SOURCE_DIR) / "corpus");
  own.origin = "the project's own samples (no real corpus: see AMDCOMPAT_REAL_CORPUS)";
  return own;
}

std::vector<std::string> load_files(std::initializer_list<FileKind> kinds) {
  const bool real = !std::string_view(AMDCOMPAT_REAL_CORPUS).empty();
  std::vector<std::string> out;
  for (const fs::path& path : files_in(fs::path(real ? AMDCOMPAT_REAL_CORPUS : AMDCOMPAT_SOURCE_DIR) / "corpus")) {
    std::string bytes = read_file(path);
    if (std::ranges::find(kinds, identify(std::as_bytes(std::span(bytes)))) != kinds.end())
      out.push_back(std::move(bytes));
  }
  return out;
}

std::string v2_yaml() {
  using enum hsa::ValueKind;
  constexpr std::array kKinds{
      GlobalBuffer,        GlobalBuffer,        ByValue,   GlobalBuffer, ByValue, ByValue, ByValue, HiddenGlobalOffsetX,
      HiddenGlobalOffsetY, HiddenGlobalOffsetZ, HiddenNone};
  static_assert(kYamlArguments % kKinds.size() == 0);
  hsa::Metadata out;
  out.version = {1, 0};
  for (std::size_t k = 0; k < kYamlArguments / kKinds.size(); ++k) {
    hsa::MetadataKernel& kernel = out.kernels.emplace_back();
    kernel.name = fmt::format("kernel_{}", k);
    kernel.symbol = *kernel.name + ".kd";
    kernel.language = "OpenCL C";
    kernel.language_version = {1, 2};
    kernel.group_segment_fixed_size = 1024;
    kernel.private_segment_fixed_size = 0;
    kernel.wavefront_size = 64;
    kernel.sgpr_count = 24;
    kernel.vgpr_count = 12;
    kernel.max_flat_workgroup_size = 256;
    for (const hsa::ValueKind kind : kKinds) {
      hsa::MetadataArgument& argument = kernel.args.emplace_back();
      argument.value_kind = kind;
      argument.value_type = kind == GlobalBuffer ? "f32" : "i64";
      argument.size = 8;
      argument.offset = 8 * (kernel.args.size() - 1);
      if (hsa::value_kind_info(kind).hidden) continue;
      argument.name = fmt::format("argument_{}", kernel.args.size());
      argument.type_name = kind == ByValue ? "ulong" : "float*";
      argument.access = hsa::AccessQualifier::ReadWrite;
      if (kind == GlobalBuffer) argument.address_space = hsa::AddressSpace::Global;
    }
    kernel.kernarg_segment_size = 8 * kernel.args.size();
    kernel.kernarg_segment_align = 8;
  }
  return hsa::to_v2_yaml(out).value_or(std::string{});
}

std::string v3_msgpack() {
  Diagnostics diagnostics;
  hsa::Metadata metadata = hsa::read_v2_yaml(v2_yaml(), diagnostics).value_or(hsa::Metadata{});
  for (hsa::MetadataKernel& kernel : metadata.kernels)
    for (hsa::MetadataArgument& argument : kernel.args) {
      argument.value_type.reset();  // V3 has none
      argument.access.reset();  // and this one for images and pipes only
    }
  return hsa::to_msgpack(metadata);
}

std::size_t yaml_events(std::string_view text) {
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0) return 0;
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    yaml_event_t event;
    if (yaml_parser_parse(&parser, &event) == 0) break;
    more = event.type != YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return count;
}

}  // namespace amdcompat::bench
