// `extract`: what a container holds, as files.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

// Names come from the file: only what is safe in a file name is kept.
std::string safe(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 200)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    out += plain || (c == '.' && !out.empty()) ? c : '_';
  }
  return out.empty() ? "_" : out;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

int run_extract(const ExtractOptions& options) {
  std::optional<Input> input = open_input(options.common.files.front(), options.common);
  if (!input) return kInputOutput;
  int result = kDone;
  if (select_kernel(*input, options.common)) {
    const std::optional<File>& file = input->file;
    if (!make_directory(options.output)) return kInputOutput;
    const auto put = [&](const std::string& name, std::string_view contents) {
      if (contents.empty()) return;
      if (!write_output((std::filesystem::path(options.output) / name).string(), contents))
        result = kInputOutput;
      else
        fmt::print("{} {}\n", contents.size(), name);
    };
    for (const Kernel& kernel : file->program.kernels)
      put(safe(kernel.name) + ".isa", text_of(kernel_code(file->program, kernel)));
    if (file->cl1()) {
      const cl1::Binary& binary = *file->cl1();
      for (const cl1::Kernel& kernel : binary.kernels) {
        if (!options.common.kernel.empty() && kernel.name != options.common.kernel) continue;
        put(safe(kernel.name) + ".metadata", binary.text(kernel.metadata));
        put(safe(kernel.name) + ".il", binary.text(kernel.il));
        put(safe(kernel.name) + ".cal", text_of(binary.view(kernel.image)));
      }
      for (const cl1::Global& global : binary.globals)
        put(fmt::format("global.{}", global.index), text_of(binary.view(global.contents)));
      for (const elf::Section& section : binary.sections) {
        const std::string_view name = binary.text(section.name);
        if (name == ".llvmir" || name == ".source" || name == ".comment")
          put(safe(name.substr(1)), text_of(binary.view(section.contents)));
      }
    }
    for (std::size_t n = 0; n < file->program.data.size(); ++n)
      put(fmt::format("data.{}", n), text_of(file->program.data[n].bytes));
  }
  show(*input, options.common);
  return std::max(result, input->result());
}

}  // namespace amdcompat::cli
