#include "declarations.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include <link.h>

namespace amdcompat::opencl {

namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";

bool is_of_name(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
void each_name(std::string_view text, auto&& visit) {
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_of_name);
    at = std::find_if_not(begin, text.end(), is_of_name);
    if (begin != at) visit(std::string_view(begin, at));
  }
}

// Lines that go on in the next one as one line, and then no comments.
std::string plain(std::string_view text) {
  std::string lines, out;
  lines.reserve(text.size());
  constexpr std::string_view kGoesOn = "\\\n";
  for (std::size_t at; (at = text.find(kGoesOn)) != std::string_view::npos; text.remove_prefix(at + kGoesOn.size()))
    lines += text.substr(0, at);
  lines += text;
  out.reserve(lines.size());
  for (std::string_view rest = lines; !rest.empty();) {
    const bool line = rest.starts_with("//"), block = rest.starts_with("/*");
    std::size_t taken = 1;
    if (line) taken = std::min(rest.find('\n'), rest.size());
    if (block) taken = std::min(rest.find("*/", 2), rest.size() - 2) + 2;
    out += line || block ? ' ' : rest.front();
    rest.remove_prefix(taken);
  }
  return out;
}

// What a directive includes; empty: it is no such one.
std::string_view included(std::string_view directive) {
  if (!directive.starts_with("#include")) return {};
  const std::size_t begin = directive.find_first_of("\"<");
  const std::size_t end = directive.find_last_of("\">");
  return begin < end && end != std::string_view::npos ? directive.substr(begin + 1, end - begin - 1)
                                                      : std::string_view();
}

// The function that it declares: what stands before its parameters.
std::string_view declared(std::string_view declaration) {
  std::string_view head = declaration.substr(0, declaration.find('('));
  if (head.size() == declaration.size()) return {};
  head = head.substr(0, head.find_last_not_of(kSpaces) + 1);
  const auto begin = std::find_if_not(head.rbegin(), head.rend(), is_of_name).base();
  return {begin, head.end()};
}

std::optional<std::string> text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Declarations::Declarations(std::string_view opencl_c, std::string_view kernel, const std::string& directory) {
  // What `_kernel.h` does where the declarations have been read is to be done once more.
  constexpr std::string_view kReads = "#include \"_clang_opencl.h\"\n";
  const std::size_t read = kernel.find(kReads);
  if (read == std::string_view::npos || opencl_c.find("#ifndef _OPENCL_H_\n") == std::string_view::npos) return;
  const std::string all = plain(opencl_c) + '\n' + plain(kernel.substr(read + kReads.size()));
  std::string_view text = all;
  const auto taken_to = [&text](char end) {
    const std::string_view out = text.substr(0, std::min(text.find(end), text.size() - 1) + 1);
    text.remove_prefix(out.size());
    return out;
  };
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    if (text.empty()) break;
    if (text.starts_with('#')) {
      std::string directive(taken_to('\n'));
      if (const std::string_view file = included(directive); !file.empty())
        directive = "#include \"" + directory + std::string(file) + '"';
      directive.erase(directive.find_last_not_of(kSpaces) + 1);
      pieces_.push_back({std::move(directive), {}});
    } else {
      const std::string_view declaration = taken_to(';');
      // Bodies, and directives in between: not that header.
      if (declaration.find_first_of("{}#") != std::string_view::npos) {
        pieces_.clear();
        return;
      }
      pieces_.push_back({std::string(declaration), std::string(declared(declaration))});
    }
  }
  std::unordered_set<std::string_view> in_macros;
  for (const Piece& piece : pieces_)
    if (piece.text.starts_with("#define"))
      each_name(piece.text, [&](std::string_view name) { in_macros.insert(name); });
  for (Piece& piece : pieces_)
    if (in_macros.contains(piece.name)) piece.name.clear();
}

std::string Declarations::before(std::string_view program, std::string_view options) const {
  if (pieces_.empty()) return {};
  std::unordered_set<std::string_view> named;
  for (const std::string_view text : {program, options})
    each_name(text, [&](std::string_view name) { named.insert(name); });
  std::string out = "#undef _OPENCL_H_\n";
  for (const Piece& piece : pieces_)
    if (piece.name.empty() || named.contains(piece.name)) (out += piece.text) += '\n';
  out += "#line 1\n";
  return out += program;
}

Declarations Declarations::of_pocl() {
  std::string directory;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        const std::size_t slash = path.rfind("/libpocl.so");
        if (slash != std::string_view::npos) *static_cast<std::string*>(to) = path.substr(0, slash + 1);
        return 0;
      },
      &directory);
  if (directory.empty()) return {};
  // From where its library is, as pocl itself looks for them.
  directory += "../../share/pocl/include/";
  const auto opencl_c = text_of(directory + "opencl-c.h"), kernel = text_of(directory + "_kernel.h");
  return opencl_c && kernel ? Declarations(*opencl_c, *kernel, directory) : Declarations();
}

}  // namespace amdcompat::opencl
