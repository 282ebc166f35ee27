#include "workload.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>

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

Workload load_from(const fs::path& root) {
  Workload workload;
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end; at.increment(error))
    if (at->is_regular_file(error)) paths.push_back(at->path());
  std::ranges::sort(paths);
  std::set<std::string> seen;
  for (const fs::path& path : paths) add_file(workload, seen, read_file(path));
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

}  // namespace amdcompat::bench
