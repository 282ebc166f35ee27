#include "container_description.hpp"
#include <cl1_builder.hpp>

#include <charconv>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace corpus {

namespace {

using amdcompat::AddressBits;
using amdcompat::Device;
using amdcompat::Registers;
namespace cl1 = amdcompat::cl1;

constexpr std::uint32_t kSouthernIslandsIl = 0x19;  // [BIN]

// A key with its value and the text below it.
struct Entry {
  std::string_view key, value;
  std::string body;
  std::size_t line = 0;
};

std::expected<std::vector<Entry>, std::string> entries_of(std::string_view text) {
  std::vector<Entry> out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("  ")) {
      if (out.empty()) return std::unexpected(fmt::format("line {}: text that belongs to no key", number));
      out.back().body += fmt::format("{}\n", line.substr(2));
    } else if (!line.empty() && line[0] != '#') {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) return std::unexpected(fmt::format("line {}: expected KEY:", number));
      std::string_view value = line.substr(colon + 1);
      if (value.starts_with(' ')) value.remove_prefix(1);
      out.push_back({line.substr(0, colon), value, {}, number});
    }
  }
  return out;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end != 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

bool to_number(std::string_view text, std::uint32_t& out, int radix = 10) {
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    radix = 16;
  }
  const char* const end = text.data() + text.size();
  return std::from_chars(text.data(), end, out, radix) == std::from_chars_result{end, std::errc{}};
}

bool to_bytes(std::string_view hex, std::vector<std::byte>& out) {
  for (const std::string_view word : words_of(hex)) {
    std::uint32_t value = 0;
    if (!to_number(word, value, 16) || value > 0xff) return false;
    out.push_back(static_cast<std::byte>(value));
  }
  return true;
}

// `name=number` words; false at a word that is none or names none of the fields.
bool set_fields(std::span<const std::string_view> words, const std::map<std::string_view, std::uint32_t*>& fields) {
  for (const std::string_view word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto field = fields.find(word.substr(0, equals));
    if (field == fields.end() || equals == word.size() || !to_number(word.substr(equals + 1), *field->second))
      return false;
  }
  return true;
}

bool set_header(std::string_view value, cl1::KernelSpec& kernel) {
  cl1::KernelHeader& header = kernel.header.emplace();
  return set_fields(words_of(value), {{"private", &header.private_size},
                                      {"local", &header.local_size},
                                      {"hwprivate", &header.hardware_private_size},
                                      {"hwlocal", &header.hardware_local_size},
                                      {"flags", &header.flags},
                                      {"region", &header.region_size},
                                      {"hwregion", &header.hardware_region_size}});
}

// Takes the words `NAME=N,N,…` out of the list; false at one whose numbers are none.
bool take_list(std::vector<std::string_view>& words, std::string_view name, std::vector<std::uint32_t>& out) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (!word->starts_with(name) || word->substr(name.size(), 1) != "=") continue;
    std::string_view rest = word->substr(name.size() + 1);
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (!to_number(rest.substr(0, comma), out.emplace_back())) return false;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    words.erase(word);
    return true;
  }
  return true;
}

bool set_image(std::string_view value, cl1::KernelSpec& kernel) {
  std::vector<std::string_view> all = words_of(value);
  std::vector<std::uint32_t> group, samplers, constants;
  if (!take_list(all, "group", group) || !take_list(all, "samplers", samplers) ||
      !take_list(all, "constants", constants) || (!group.empty() && group.size() != 3))
    return false;
  std::span<const std::string_view> words(all);
  std::vector<cl1::EncodingSpec> encodings;
  if (!words.empty() && words[0] == "il") {
    cl1::EncodingSpec& il = encodings.emplace_back();
    il.machine = kSouthernIslandsIl;
    il.text = bytes_of("il_cs_2_0 in its binary form");
    words = words.subspan(1);
  }
  const Device* const device = words.empty() ? nullptr : amdcompat::find_device(words[0]);
  Registers registers{.known = true};
  if (device == nullptr || !device->inner_machine ||
      !set_fields(words.subspan(1), {{"vgprs", &registers.vgprs},
                                     {"sgprs", &registers.sgprs},
                                     {"scratch", &registers.scratch_bytes},
                                     {"lds", &registers.lds_bytes},
                                     {"wavefront", &registers.wavefront_size}}))
    return false;
  cl1::EncodingSpec& code = encodings.emplace_back(encoding_for(*device, registers));
  constexpr std::uint32_t kGroupX = 0x8000001c;
  for (cl1::ProgramInfoEntry& entry : code.program_info)
    if (!group.empty() && entry.address >= kGroupX && entry.address - kGroupX < 3)
      entry.value = group[entry.address - kGroupX];
  if (!samplers.empty()) code.notes.push_back({cl1::kCalNoteSamplers, {}});
  for (std::uint32_t n = 0; n < samplers.size(); ++n)
    code.notes.back().words.insert(code.notes.back().words.end(), {n, samplers[n]});
  if (!constants.empty()) code.notes.push_back({cl1::kCalNoteConstantBuffers, {}});
  for (const std::uint32_t number : constants)
    code.notes.back().words.insert(code.notes.back().words.end(), {number, 0});
  auto image = cl1::build_cal_image(encodings);
  if (!image) return false;
  kernel.image = std::move(*image);
  return true;
}

bool set_global(const Entry& entry, cl1::ContainerSpec& spec) {
  cl1::GlobalSpec& global = spec.globals.emplace_back();
  if (!to_number(entry.value, global.index)) return false;
  if (!entry.body.starts_with(';')) return to_bytes(entry.body, global.contents);
  global.contents = bytes_of(entry.body);
  return true;
}

bool set(const Entry& entry, cl1::ContainerSpec& spec) {
  const std::string_view key = entry.key, value = entry.value;
  if (key == "class") {
    spec.elf_bits = value == "64" ? AddressBits::Bits64 : AddressBits::Bits32;
    return value == "32" || value == "64";
  }
  if (key == "device") {
    const Device* const device = amdcompat::find_device(value);
    if (device != nullptr) spec.machine = device->e_machine;
    return device != nullptr;
  }
  if (key == "compile-options") return spec.compile_options = value, true;
  if (key == "linker-options") return spec.linker_options = value, true;
  if (key == "driver") return spec.driver = value, true;
  if (key == "source") return spec.source = value, true;
  if (key == "llvmir") return to_bytes(value, spec.llvmir);
  if (key == "global") return set_global(entry, spec);
  if (key == "function") return spec.functions.push_back({std::string(value), entry.body}), true;
  if (key == "kernel") return spec.kernels.emplace_back().name = value, true;
  if (spec.kernels.empty()) return false;
  cl1::KernelSpec& kernel = spec.kernels.back();
  if (key == "metadata") return kernel.metadata = entry.body, true;
  if (key == "amdil") return kernel.il = entry.body, true;
  if (key == "header") return set_header(value, kernel);
  if (key == "image") return set_image(value, kernel);
  return false;
}

}  // namespace

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

cl1::EncodingSpec encoding_for(const Device& device, const Registers& registers) {
  cl1::EncodingSpec spec;
  spec.machine = *device.inner_machine;
  spec.program_info = cl1::program_info_for(registers, device.isa);
  // s_endpgm; a VLIW clause that ends the program.
  spec.text = amdcompat::is_vliw(device.isa) ? bytes_of(std::string_view("\0\0\0\0\0\0\0\x80", 8))
                                             : bytes_of(std::string_view("\0\0\x81\xbf", 4));
  spec.symbols = {{"uav12", 0, 0x10}, {"cb1", 0, 0xa}, {"cb0", 1, 0xa}};
  return spec;
}

std::expected<cl1::ContainerSpec, std::string> parse_container(std::string_view text) {
  const auto entries = entries_of(text);
  if (!entries) return std::unexpected(entries.error());
  cl1::ContainerSpec spec;
  for (const Entry& entry : *entries)
    if (!set(entry, spec))
      return std::unexpected(fmt::format("line {}: cannot use '{}: {}'", entry.line, entry.key, entry.value));
  return spec;
}

}  // namespace corpus
