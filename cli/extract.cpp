// `extract`: what a container holds, as files.
#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

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

// The files of one extraction. What a file of an input stands for is written under every name it has there, and bytes
// that several share only once: the others are links. Kernels may also share parts of a code; then there is a limit.
class Parts {
 public:
  Parts(const ExtractOptions& options, Input& input) : directory_(options.output), input_(input) {
    constexpr std::size_t kTimes = 4;  // docs/limits.md; a container's own parts come twice: alone, and in an image
    left_ = kTimes * input.bytes.size();
  }

  // `counted`: the bytes stand in the file as they are.
  void put(std::string_view stem, std::string_view extension, std::string_view contents, bool counted = true) {
    if (contents.empty()) return;
    const std::string name = free_name(stem, extension);
    const auto [same, first] = written_.try_emplace({contents.data(), contents.size()}, name);
    if (!first && link(same->second, name)) {
      fmt::print("{} {} (as {})\n", contents.size(), name, same->second);
      return;
    }
    if (counted && contents.size() > left_) {
      if (first) written_.erase(same);
      if (left_out_++ == 0) first_left_out_ = name;
      return;
    }
    if (counted) left_ -= contents.size();
    same->second = name;  // where the first could not be linked, of those that come
    if (write_output((directory_ / name).string(), contents))
      fmt::print("{} {}\n", contents.size(), name);
    else
      good_ = false;
  }

  // False: something could not be written. What was left out is a finding.
  [[nodiscard]] bool finish() {
    if (left_out_ != 0)
      input_.diagnostics.report(
          Code::OutputTooLarge, {},
          fmt::format(
              "'{}'{} not written: kernels share their code, and all of it would be more than four times the file",
              first_left_out_,
              left_out_ == 1 ? " is" : fmt::format(" and {} are", plural(left_out_ - 1, "other file"))));
    return good_;
  }

 private:
  // Names are cut and changed, and may become the same.
  std::string free_name(std::string_view stem, std::string_view extension) {
    std::string out = fmt::format("{}{}", stem, extension);
    std::size_t& number = numbers_[out];
    while (!names_.insert(number == 0 ? out : fmt::format("{}.{}{}", stem, number, extension)).second) ++number;
    return number == 0 ? out : fmt::format("{}.{}{}", stem, number, extension);
  }

  [[nodiscard]] bool link(const std::string& to, const std::string& name) const {
    std::error_code error;
    std::filesystem::remove(directory_ / name, error);  // of an extraction before
    std::filesystem::create_hard_link(directory_ / to, directory_ / name, error);
    return !error;
  }

  std::filesystem::path directory_;
  Input& input_;
  std::size_t left_;
  std::map<std::pair<const char*, std::size_t>, std::string> written_;  // the first name of the same bytes
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::size_t> numbers_;  // the last one behind a name
  std::size_t left_out_ = 0;
  std::string first_left_out_;
  bool good_ = true;
};

}  // namespace

int run_extract(const ExtractOptions& options) {
  std::optional<Input> input = open_input(options.common.files.front(), options.common);
  if (!input) return kInputOutput;
  int result = kDone;
  if (select_kernel(*input, options.common)) {
    const std::optional<File>& file = input->file;
    if (!make_directory(options.output)) return kInputOutput;
    Parts parts(options, *input);
    for (const Kernel& kernel : file->program.kernels)
      parts.put(safe(kernel.name), ".isa", text_of(kernel_code(file->program, kernel)));
    if (file->cl1()) {
      const cl1::Binary& binary = *file->cl1();
      for (const cl1::Kernel& kernel : binary.kernels) {
        if (!options.common.kernel.empty() && kernel.name != options.common.kernel) continue;
        parts.put(safe(kernel.name), ".metadata", binary.text(kernel.metadata));
        parts.put(safe(kernel.name), ".il", binary.text(kernel.il));
        parts.put(safe(kernel.name), ".cal", text_of(binary.view(kernel.image)));
      }
      for (const cl1::Global& global : binary.globals)
        parts.put(fmt::format("global.{}", global.index), "", text_of(binary.view(global.contents)));
      for (const elf::Section& section : binary.sections) {
        const std::string_view name = binary.text(section.name);
        if (name == ".llvmir" || name == ".source" || name == ".comment")
          parts.put(safe(name.substr(1)), "", text_of(binary.view(section.contents)));
      }
    }
    for (std::size_t n = 0; n < file->program.data.size(); ++n)
      parts.put(fmt::format("data.{}", n), "", text_of(file->program.data[n].bytes), false);
    if (!parts.finish()) result = kInputOutput;
  }
  show(*input, options.common);
  return std::max(result, input->result());
}

}  // namespace amdcompat::cli
