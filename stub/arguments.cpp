#include "arguments.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace amdcompat::stub {
namespace {

using Kind = Argument::Kind;

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// An identifier in a space of its own, so that no word of the language is one.
// By name: how many were asked for. A file may name thousands of kernels alike.
using Names = std::map<std::string, std::size_t>;

std::string identifier(std::string_view prefix, std::string_view name, Names& used) {
  constexpr std::size_t kMost = 64;
  std::string out(prefix);
  for (const char c : name.substr(0, kMost)) out += is_word(c) ? c : '_';
  const auto [same, is_new] = used.try_emplace(out, 1);
  if (is_new) return out;
  std::string other;
  do other = fmt::format("{}_{}", out, ++same->second);
  while (!used.try_emplace(other, 1).second);
  return other;
}

// Why an interface has nothing for an argument; empty: it has.
std::string missing_of(hsa::ValueKind kind, Api api) {
  const bool object = kind == hsa::ValueKind::Image || kind == hsa::ValueKind::Sampler;
  if (kind == hsa::ValueKind::Pipe || kind == hsa::ValueKind::Queue || (object && api != Api::OpenCl))
    return fmt::format("an argument is {} {}, which this interface does not pass",
                       kind == hsa::ValueKind::Image ? "an" : "a", hsa::spelling(kind));
  return {};
}

Kind kind_of(hsa::ValueKind kind) {
  switch (kind) {
    case hsa::ValueKind::ByValue: return Kind::Value;
    case hsa::ValueKind::GlobalBuffer: return Kind::Buffer;
    case hsa::ValueKind::DynamicSharedPointer: return Kind::Local;
    case hsa::ValueKind::Image: return Kind::Image;
    case hsa::ValueKind::Sampler: return Kind::Sampler;
    default: return Kind::Hidden;
  }
}

// How many of its numbers a program has to name: the rest of an array is zeros.
std::uint64_t named(const Numbers& numbers) { return numbers.example == "0" ? 1 : numbers.count; }

constexpr std::uint64_t kMostBytes = 4096;  // of a kernarg segment: launches have no more

HostKernel kernel_of(const hsa::MetadataKernel& from, const Options& options, Names& functions) {
  HostKernel out;
  out.name = from.name.value_or("");
  out.symbol = from.symbol.value_or(out.name + ".kd");
  out.function = identifier("run_", out.name, functions);
  out.kernarg_bytes = from.kernarg_segment_size.value_or(0);
  out.own_local_bytes = from.group_segment_fixed_size.value_or(0);
  if (from.args_absent) out.missing = "the file does not say what arguments it takes";
  if (from.reqd_workgroup_size) {
    for (std::size_t d = 0; d < 3; ++d) out.local[d] = std::max<std::uint64_t>((*from.reqd_workgroup_size)[d], 1);
    out.dimensions = out.local[2] > 1 ? 3 : out.local[1] > 1 ? 2 : 1;
  } else if (from.max_flat_workgroup_size && *from.max_flat_workgroup_size != 0) {
    out.local[0] = std::min(out.local[0], *from.max_flat_workgroup_size);
  }
  Names variables;
  std::uint64_t end = 0;
  for (const hsa::MetadataArgument& argument : from.args) {
    Argument& to = out.arguments.emplace_back();
    if (!argument.value_kind) {
      out.missing = "an argument is of a kind that is not known";
      continue;
    }
    const hsa::ValueKind kind = *argument.value_kind;
    const bool hidden = hsa::value_kind_info(kind).hidden;
    to.kind = hidden ? Kind::Hidden : kind_of(kind);
    if (hidden) to.hidden = kind;
    if (!hidden && out.missing.empty()) out.missing = missing_of(kind, options.api);
    to.type_name = argument.type_name.value_or("");
    to.offset = argument.offset.value_or(0);
    to.size = argument.size.value_or(0);
    to.writes = argument.access == hsa::AccessQualifier::WriteOnly;
    const std::string kind_name(hsa::spelling(kind));
    const std::string name = argument.name.value_or(hidden ? kind_name : fmt::format("{}", out.arguments.size() - 1));
    to.variable = identifier(hidden ? "" : "arg_", name, variables);
    to.about = hidden ? kind_name : fmt::format("{} {}: {}", to.type_name, name, kind_name);
    const bool placed = to.offset >= end && to.size != 0 && to.size <= kMostBytes && to.offset <= kMostBytes;
    if (options.api != Api::OpenCl && !placed && out.missing.empty())
      out.missing = "the places of its arguments are not in order";
    if (to.kind == Kind::Value && (to.size == 0 || to.size > kMostBytes) && out.missing.empty())
      out.missing = "the size of a value is not known";
    end = std::max(end, to.offset + std::min(to.size, kMostBytes));
  }
  out.kernarg_bytes = std::max(std::min(out.kernarg_bytes, 2 * kMostBytes), end);
  return out;
}

}  // namespace

std::vector<HostKernel> kernels_of(const hsa::Metadata& metadata, const Options& options) {
  std::vector<HostKernel> out;
  Names functions;
  for (const hsa::MetadataKernel& kernel : metadata.kernels)
    if (options.kernel.empty() || kernel.name == options.kernel) out.push_back(kernel_of(kernel, options, functions));
  return out;
}

Numbers numbers_of(const Argument& argument) {
  struct Row {
    std::string_view name, element, example;
    std::uint64_t size;
  };
  constexpr Row kRows[] = {
      {"char", "int8_t", "1", 1},     {"uchar", "uint8_t", "1", 1},     {"short", "int16_t", "1", 2},
      {"ushort", "uint16_t", "1", 2}, {"int", "int32_t", "64", 4},      {"uint", "uint32_t", "64", 4},
      {"long", "int64_t", "64", 8},   {"ulong", "uint64_t", "64", 8},   {"float", "float", "1.0f", 4},
      {"double", "double", "1.0", 8}, {"half", "uint16_t", "0x3c00", 2}};
  std::string_view type = argument.type_name;
  type = type.substr(0, type.find('*'));
  const std::string_view bare = type.substr(0, type.find_last_not_of("0123456789 ") + 1);
  const auto* const row = std::ranges::find(kRows, bare, &Row::name);
  const bool known = row != std::end(kRows);
  if (argument.kind == Argument::Kind::Buffer)
    return known ? Numbers{row->element, row->example} : Numbers{"uint32_t", "1"};
  constexpr std::uint64_t kMostElements = 16;
  if (known && argument.size % row->size == 0 && argument.size / row->size <= kMostElements)
    return {row->element, row->example, std::max<std::uint64_t>(argument.size / row->size, 1)};
  return argument.size == 4 ? Numbers{"uint32_t", "64", 1} : Numbers{"uint8_t", "0", argument.size};
}

std::string examples(const Numbers& numbers) {
  std::string out(numbers.example);
  for (std::uint64_t n = 1; n < named(numbers); ++n) out += fmt::format(", {}", numbers.example);
  return out;
}

std::string set_values(std::string_view array, const Numbers& numbers) {
  std::string out;
  for (std::uint64_t n = 0; n < named(numbers); ++n) out += fmt::format("  {}[{}] = {};\n", array, n, numbers.example);
  return out;
}

std::string local_bytes(const HostKernel& kernel) {
  constexpr std::uint64_t kStep = 16;
  const auto count = static_cast<std::uint64_t>(
      std::max<std::ptrdiff_t>(std::ranges::count(kernel.arguments, Argument::Kind::Local, &Argument::kind), 1));
  const std::uint64_t own = (std::min(kernel.own_local_bytes, kLocalBytes) + kStep - 1) / kStep * kStep;
  if ((kLocalBytes - own) / count < kStep) return fmt::format("{}", kStep);
  const std::string left = own == 0 ? "kLocalBytes" : fmt::format("(kLocalBytes - {})", own);
  return count == 1 ? left : fmt::format("{} / {} / {} * {}", left, count, kStep, kStep);
}

std::string segment_structure(const HostKernel& kernel, std::string_view assertion) {
  std::string members, checks;
  std::uint64_t at = 0;
  const auto pad = [&](std::uint64_t to) {
    if (to > at) members += fmt::format("  uint8_t padding_{}[{}];\n", at, to - at);
    at = to;
  };
  for (const Argument& argument : kernel.arguments) {
    pad(argument.offset);
    const bool values = argument.kind == Argument::Kind::Value;
    const Numbers numbers = values ? numbers_of(argument) : Numbers{"uint8_t", "0", argument.size};
    const bool word = !values && (argument.size == 8 || argument.size == 4 || argument.size == 2);
    members += word ? fmt::format("  uint{}_t {};", argument.size * 8, argument.variable)
                    : fmt::format("  {} {}[{}];", numbers.element, argument.variable, numbers.count);
    members += fmt::format("  // +{}, {} bytes: {}\n", argument.offset, argument.size, remark(argument.about));
    checks += fmt::format("{}(offsetof(struct kernarg_{}, {}) == {}, \"place of an argument\");\n", assertion,
                          kernel.function, argument.variable, argument.offset);
    at += argument.size;
  }
  pad(std::max<std::uint64_t>(kernel.kernarg_bytes, 1));
  return fmt::format("#pragma pack(push, 1)\nstruct kernarg_{0} {{\n{1}}};\n#pragma pack(pop)\n{2}{3}(sizeof(struct "
                     "kernarg_{0}) == {4}, \"size of the segment\");\n",
                     kernel.function, members, checks, assertion, std::max<std::uint64_t>(kernel.kernarg_bytes, 1));
}

std::string_view common_functions() {
  return R"(// An example of what a buffer may hold: small numbers of its elements' type.
static void fill(void* bytes, size_t size, const char* element) {
  for (size_t at = 0; at + 8 <= size; at += 8) {
    const float f[2] = {(float)(at / 4 % 64) * 0.25f, (float)((at / 4 + 1) % 64) * 0.25f};
    const double d = (double)(at / 8 % 64) * 0.25;
    const uint32_t w[2] = {(uint32_t)(at / 4 % 8), (uint32_t)((at / 4 + 1) % 8)};
    const void* from = w;
    if (strcmp(element, "float") == 0) from = f;
    if (strcmp(element, "double") == 0) from = &d;
    memcpy((char*)bytes + at, from, 8);
  }
}

static void print(const char* name, const void* bytes, size_t size, const char* element) {
  uint32_t sum = 2166136261u;  // FNV-1a
  for (size_t at = 0; at < size; ++at) sum = (sum ^ ((const unsigned char*)bytes)[at]) * 16777619u;
  printf("%s: %zu bytes, FNV-1a %08x:", name, size, (unsigned)sum);
  for (size_t at = 0; at + 8 <= size && at < 64; at += 8) {
    float f[2];
    double d;
    uint32_t w[2];
    memcpy(f, (const char*)bytes + at, 8);
    memcpy(&d, (const char*)bytes + at, 8);
    memcpy(w, (const char*)bytes + at, 8);
    if (strcmp(element, "float") == 0)
      printf(" %g %g", (double)f[0], (double)f[1]);
    else if (strcmp(element, "double") == 0)
      printf(" %g", d);
    else
      printf(" %u %u", (unsigned)w[0], (unsigned)w[1]);
  }
  printf(" ...\n");
}
)";
}

std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  while (!text.empty()) {
    const std::size_t from = std::min(text.find('@'), text.size());
    out += text.substr(0, from);
    text.remove_prefix(from);
    const auto found = std::ranges::find_if(values, [&](const auto& value) {
      return text.size() > value.first.size() + 1 && text.substr(1).starts_with(value.first) &&
             text[value.first.size() + 1] == '@';
    });
    if (found != values.end()) {
      out += found->second;
      text.remove_prefix(found->first.size() + 2);
    } else if (!text.empty()) {
      out += '@';
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string beginning(std::string_view text, const Options& options) {
  return filled(text, {{"FILE", remark(options.file)}, {"LOCAL", fmt::format("{}", kLocalBytes)}});
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\' || c == '?')
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + "\"";
}

// A line of its own: a backslash at its end would join the next one.
std::string remark(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7f || c == '\\' || c == '?' ? '.' : c;
  }
  return out.substr(0, 200);
}

Functions functions_of(const std::vector<HostKernel>& kernels, std::string (*write)(const HostKernel&)) {
  Functions out;
  for (const HostKernel& kernel : kernels) {
    if (!kernel.missing.empty()) {
      out.text += fmt::format("\n// {} is not launched: {}.\n", remark(kernel.name), remark(kernel.missing));
      continue;
    }
    out.text += write(kernel);
    out.any = true;
    for (const Argument& argument : kernel.arguments) {
      out.buffers |= argument.kind == Kind::Buffer;
      out.images |= argument.kind == Kind::Image;
    }
  }
  return out;
}

std::string kernel_table(const std::vector<HostKernel>& kernels, std::string_view host) {
  std::string rows;
  for (const HostKernel& kernel : kernels)
    if (kernel.missing.empty()) rows += fmt::format("    {{{}, {}}},\n", quoted(kernel.name), kernel.function);
  return fmt::format(
      "static const struct {{\n  const char* name;\n  void (*run)({});\n}} kernels[] = {{\n{}    {{0, 0}},\n"
      "}};\n",
      host, rows);
}

}  // namespace amdcompat::stub
