// Reads launch files.
#include "launch_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "launch_places.hpp"
#include "launch_values.hpp"

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMost64 = std::numeric_limits<std::uint64_t>::max();

// What stands in a message for a JSON value.
std::string shown(const Json& value) {
  std::string text =
      value.is_structured() ? value.type_name() : value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

// What the JSON library says, without its name for the error and the place, which the finding has.
std::string_view reason(const Json::exception& error) {
  std::string_view text = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
  text.remove_prefix(std::min(text.size(), text.find("] ") + 2));
  if (text.starts_with("parse error at")) text.remove_prefix(std::min(text.size(), text.find(": ") + 2));
  return text;
}

// Its findings have paths, and no places yet.
class Reader {
 public:
  Reader(Diagnostics& diagnostics, const FileContents& contents) : diagnostics_(diagnostics), contents_(contents) {}

  LaunchFile run(const Json& root) {
    if (!object(root, "", {"kernel",
                           "dim",
                           "global",
                           "local",
                           "offset",
                           "task",
                           "profile",
                           "argument_profile",
                           "image_layout",
                           "strict",
                           "arguments",
                           "printf",
                           "data_segment",
                           "constant_data",
                           "split",
                           "rings",
                           "cl2",
                           "hsa",
                           "memory",
                           "uav",
                           "constant_buffers"}))
      return std::move(out_);
    range(root);
    profiles(root);
    if (const Json* const arguments = find(root, "arguments")) {
      if (!arguments->is_array()) {
        fail("arguments", "a list of objects, one for each argument", *arguments);
      } else {
        for (std::size_t i = 0; i < arguments->size(); ++i) argument((*arguments)[i], element("arguments", i));
      }
    }
    memory(root);
    slots(root, "uav", out_.uavs);
    slots(root, "constant_buffers", out_.constant_buffers);
    if (const Json* const printf = find(root, "printf");
        printf != nullptr && !printf->is_null() &&
        object(*printf, "printf", {"address", "base", "dwords_per_item", "size"})) {
      abi::PrintfBuffer& buffer = out_.printf.emplace();
      buffer.address = required(*printf, "printf", "address", kMost64);
      buffer.base = optional(*printf, "printf", "base", kMost64);
      buffer.dwords_per_item = static_cast<std::uint32_t>(required(*printf, "printf", "dwords_per_item", kMost32));
      buffer.size = optional(*printf, "printf", "size", kMost64);
    }
    if (const Json* const data = find(root, "data_segment"); data != nullptr && !data->is_null())
      out_.data_segment = placed(*data, "data_segment");
    if (const Json* const data = find(root, "constant_data"); data != nullptr && !data->is_null()) {
      if (!data->is_object()) {
        fail("constant_data", "an object by constant buffer number", *data);
      } else {
        for (const auto& [key, value] : data->items()) {
          const std::string path = constant_data_path(key);
          std::uint32_t buffer = 0;
          const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), buffer);
          if (error != std::errc{} || end != key.data() + key.size())
            fail(path, "a constant buffer number", key);
          else
            out_.constant_data[buffer] = placed(value, path);
        }
      }
    }
    if (const Json* const rings = find(root, "rings");
        rings != nullptr && !rings->is_null() &&
        object(*rings, "rings", {"private_offset", "private_bytes", "local_offset", "local_bytes", "math_table"})) {
      abi::Rings& out = out_.rings.emplace();
      out.private_offset = optional(*rings, "rings", "private_offset", kMost64);
      out.private_bytes = static_cast<std::uint32_t>(optional(*rings, "rings", "private_bytes", kMost32));
      out.local_offset = optional(*rings, "rings", "local_offset", kMost64);
      out.local_bytes = static_cast<std::uint32_t>(optional(*rings, "rings", "local_bytes", kMost32));
      out.math_table = static_cast<std::uint32_t>(optional(*rings, "rings", "math_table", kMost32));
    }
    if (const Json* const cl2 = find(root, "cl2"); cl2 != nullptr && !cl2->is_null()) environment(*cl2);
    if (const Json* const hsa = find(root, "hsa"); hsa != nullptr && !hsa->is_null()) kernarg_environment(*hsa);
    return std::move(out_);
  }

 private:
  // Where the memory of a CL2 launch is and what it runs on.
  void environment(const Json& value) {
    if (!object(value, "cl2",
                {"memory", "printf_buffer", "default_queue", "aql_wrap", "kernel_object", "completion_signal", "queue",
                 "local_aperture", "scratch_aperture", "scratch", "scratch_bytes", "scratch_offset"}))
      return;
    abi::Cl2Environment& out = out_.cl2.emplace();
    const auto address = [&](const char* key, std::uint64_t& to) { to = optional(value, "cl2", key, kMost64); };
    const auto word = [&](const char* key, std::uint32_t& to) {
      to = static_cast<std::uint32_t>(optional(value, "cl2", key, kMost32));
    };
    address("memory", out.memory);
    address("printf_buffer", out.printf_buffer);
    address("default_queue", out.default_queue);
    address("aql_wrap", out.aql_wrap);
    address("kernel_object", out.kernel_object);
    address("completion_signal", out.completion_signal);
    address("queue", out.queue);
    word("local_aperture", out.local_aperture);
    word("scratch_aperture", out.scratch_aperture);
    address("scratch", out.scratch);
    word("scratch_bytes", out.scratch_bytes);
    word("scratch_offset", out.scratch_offset);
  }

  // The same of a code object's kernel.
  void kernarg_environment(const Json& value) {
    if (!object(value, "hsa",
                {"memory", "kernel_object", "completion_signal", "queue", "printf_buffer", "hostcall_buffer",
                 "default_queue", "completion_action", "multigrid_sync", "heap", "local_aperture", "scratch_aperture"}))
      return;
    abi::KernargEnvironment& out = out_.hsa.emplace();
    const auto address = [&](const char* key, std::uint64_t& to) { to = optional(value, "hsa", key, kMost64); };
    const auto word = [&](const char* key, std::uint32_t& to) {
      to = static_cast<std::uint32_t>(optional(value, "hsa", key, kMost32));
    };
    address("memory", out.memory);
    address("kernel_object", out.kernel_object);
    address("completion_signal", out.completion_signal);
    address("queue", out.queue);
    address("printf_buffer", out.printf_buffer);
    address("hostcall_buffer", out.hostcall_buffer);
    address("default_queue", out.default_queue);
    address("completion_action", out.completion_action);
    address("multigrid_sync", out.multigrid_sync);
    address("heap", out.heap);
    word("local_aperture", out.local_aperture);
    word("scratch_aperture", out.scratch_aperture);
  }

  void fail(const std::string& path, std::string_view expected, const Json& got) {
    diagnostics_.report(Code::LaunchFileValue, {}, fmt::format("expected {}, found {}", expected, shown(got)), path);
  }

  static const Json* find(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }

  // An object without other keys than these: a misspelt key must not be ignored silently.
  bool object(const Json& value, const std::string& path, std::initializer_list<std::string_view> keys) {
    if (!value.is_object()) {
      fail(path, "an object", value);
      return false;
    }
    for (const auto& [key, unused] : value.items())
      if (std::ranges::find(keys, key) == keys.end())
        diagnostics_.report(Code::LaunchFileValue, {}, fmt::format("a launch file has no field {} here", shown(key)),
                            join(path, key));
    return true;
  }

  std::uint64_t integer(const Json& value, const std::string& path, std::uint64_t most) {
    std::uint64_t out = 0;
    bool good = false;
    if (value.is_number_unsigned()) {
      out = value.get<std::uint64_t>();
      good = true;
    } else if (value.is_string()) {
      std::string_view text = value.get_ref<const std::string&>();
      int base = 10;
      if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
      }
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
      good = error == std::errc{} && end == text.data() + text.size();
    }
    if (good && out <= most) return out;
    fail(path,
         most == kMost64 ? "an integer from 0 to 2^64 - 1, as a number or as a string such as \"0x1000\""
                         : "an integer from 0 to 2^32 - 1, as a number or as a string such as \"0x1000\"",
         value);
    return 0;
  }
  std::uint64_t optional(const Json& object, std::string_view path, const char* key, std::uint64_t most,
                         std::uint64_t otherwise = 0) {
    const Json* const value = find(object, key);
    return value == nullptr ? otherwise : integer(*value, join(path, key), most);
  }
  std::uint64_t required(const Json& object, std::string_view path, const char* key, std::uint64_t most) {
    const Json* const value = find(object, key);
    if (value != nullptr) return integer(*value, join(path, key), most);
    diagnostics_.report(Code::LaunchFileValue, {}, fmt::format("the field '{}' is missing", key), std::string(path));
    return 0;
  }
  bool boolean(const Json& object, const char* key) {
    const Json* const value = find(object, key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) fail(key, "true or false", *value);
    return value->is_boolean() && value->get<bool>();
  }

  // A list of `dimensions` to 3 integers; the values past `dimensions` do not matter.
  template <class T>
  void sizes(const Json& value, const std::string& path, std::uint32_t dimensions, std::array<T, 3>& out) {
    if (!value.is_array() || value.size() < dimensions || value.size() > 3) {
      fail(path, fmt::format("a list of {} integers", dimensions), value);
      return;
    }
    for (std::size_t d = 0; d < value.size(); ++d) {
      const std::uint64_t given = integer(value[d], element(path, d), sizeof(T) == 4 ? kMost32 : kMost64);
      if (d < dimensions) out[d] = static_cast<T>(given);
    }
  }

  void range(const Json& root) {
    abi::Range& range = out_.range;
    range.task = boolean(root, "task");
    const Json* const global = find(root, "global");
    if (global == nullptr && !range.task) {
      diagnostics_.report(Code::LaunchFileValue, {}, "the field 'global' is missing", "");
      return;
    }
    const std::size_t listed =
        global != nullptr && global->is_array() ? std::clamp<std::size_t>(global->size(), 1, 3) : 1;
    range.dimensions = static_cast<std::uint32_t>(optional(root, "", "dim", kMost32, listed));
    if (range.dimensions < 1 || range.dimensions > 3) {
      fail("dim", "1, 2 or 3", range.dimensions);
      return;
    }
    if (range.task) return;  // the sizes of a task are fixed
    sizes(*global, "global", range.dimensions, range.global);
    if (const Json* const local = find(root, "local"); local != nullptr && !local->is_null())
      sizes(*local, "local", range.dimensions, range.local.emplace(std::array<std::uint32_t, 3>{1, 1, 1}));
    if (const Json* const offset = find(root, "offset"); offset != nullptr && !offset->is_null())
      sizes(*offset, "offset", range.dimensions, range.offset);
    if (const Json* const split = find(root, "split");
        split != nullptr && !split->is_null() && object(*split, "split", {"global", "offset", "group_offset"})) {
      abi::Split& out = range.split.emplace();
      out.global = range.global;
      out.offset = range.offset;
      if (const Json* const value = find(*split, "global")) sizes(*value, "split.global", range.dimensions, out.global);
      if (const Json* const value = find(*split, "offset")) sizes(*value, "split.offset", range.dimensions, out.offset);
      if (const Json* const value = find(*split, "group_offset"))
        sizes(*value, "split.group_offset", range.dimensions, out.group_offset);
    }
  }

  // One of a few words; `choices` in the order of the enumeration.
  template <class E>
  void choice(const Json& root, const char* key, std::initializer_list<std::string_view> choices, E& out) {
    const Json* const value = find(root, key);
    if (value == nullptr) return;
    const auto found = value->is_string()
                           ? std::ranges::find(choices, std::string_view(value->get_ref<const std::string&>()))
                           : choices.end();
    if (found == choices.end())
      fail(key, fmt::format("one of {}", fmt::join(choices, ", ")), *value);
    else
      out = static_cast<E>(found - choices.begin());
  }

  void profiles(const Json& root) {
    // `safe` and `strict` are short for the fields of those names with profile amd.
    enum class Chosen : std::uint8_t { Amd, Spec, Safe, Strict } chosen = Chosen::Amd;
    choice(root, "profile", {"amd", "spec", "safe", "strict"}, chosen);
    if (chosen == Chosen::Spec) out_.options.profile = abi::Profile::Spec;
    if (chosen == Chosen::Safe) out_.options.arguments = abi::ArgumentProfile::Safe;
    choice(root, "argument_profile", {"amd", "safe"}, out_.options.arguments);
    choice(root, "image_layout", {"8xx", "7xx"}, out_.options.image_layout);
    out_.strict = boolean(root, "strict") || chosen == Chosen::Strict;
    if (const Json* const kernel = find(root, "kernel")) {
      if (kernel->is_string())
        out_.kernel = kernel->get<std::string>();
      else
        fail("kernel", "a kernel's name", *kernel);
    }
  }

  // An address, or an object with address, base and size.
  abi::Buffer placed(const Json& value, const std::string& path) {
    abi::Buffer out;
    if (!value.is_object()) {
      out.address = integer(value, path, kMost64);
    } else if (object(value, path, {"address", "base", "size"})) {
      out.address = required(value, path, "address", kMost64);
      out.base = optional(value, path, "base", kMost64);
      out.size = optional(value, path, "size", kMost64);
    }
    return out;
  }

  void argument(const Json& value, const std::string& path) {
    LaunchFile::Entry& entry = out_.arguments.emplace_back();
    static constexpr std::array<std::string_view, 8> kValues{"bytes", "value", "buffer",  "null",
                                                             "local", "image", "sampler", "object"};
    if (!object(value, path,
                {"name", "type", "bytes", "value", "buffer", "base", "size", "null", "local", "image", "sampler",
                 "object"}))
      return;
    if (const Json* const name = find(value, "name")) {
      if (name->is_string())
        entry.name = name->get<std::string>();
      else
        fail(path + ".name", "the argument's name", *name);
    }
    std::string_view kind;
    std::size_t given = 0;
    for (const std::string_view key : kValues)
      if (value.contains(key)) {
        kind = key;
        ++given;
      }
    if (given != 1) {
      diagnostics_.report(Code::LaunchFileValue, {},
                          fmt::format("{} values; expected exactly one of {}", given, fmt::join(kValues, ", ")), path);
      return;
    }
    if (kind != "buffer" && (value.contains("base") || value.contains("size")))
      diagnostics_.report(Code::LaunchFileValue, {}, "'base' and 'size' go with 'buffer' only", path);
    const Json& given_value = value[std::string(kind)];
    const std::string value_path = fmt::format("{}.{}", path, kind);
    if (kind == "bytes") {
      entry.value = hex(given_value, value_path);
    } else if (kind == "value") {
      entry.value = typed(value, given_value, path, value_path, true);
    } else if (kind == "buffer") {
      abi::Buffer buffer;
      buffer.address = integer(given_value, value_path, kMost64);
      buffer.base = optional(value, path, "base", kMost64);
      buffer.size = optional(value, path, "size", kMost64);
      entry.value = buffer;
    } else if (kind == "null") {
      if (given_value != true) fail(value_path, "true", given_value);
    } else if (kind == "local") {
      entry.value = LaunchFile::Local{integer(given_value, value_path, kMost64)};
    } else if (kind == "sampler") {
      entry.value = LaunchFile::SamplerWord{static_cast<std::uint32_t>(integer(given_value, value_path, kMost32))};
    } else if (kind == "object") {
      entry.value = LaunchFile::Object{hex(given_value, value_path)};
    } else {
      entry.value = image(given_value, value_path);
    }
  }

  void memory(const Json& root) {
    const Json* const list = find(root, "memory");
    if (list == nullptr) return;
    if (!list->is_array()) return fail("memory", "a list of objects with an address", *list);
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string path = element("memory", i);
      const Json& value = (*list)[i];
      if (!object(value, path, {"address", "bytes", "file", "type", "value"})) continue;
      LaunchFile::Memory& part = out_.memory.emplace_back();
      part.address = required(value, path, "address", kMost64);
      const Json* const bytes = find(value, "bytes");
      const Json* const file = find(value, "file");
      const Json* const numbers = find(value, "value");
      if ((bytes != nullptr) + (file != nullptr) + (numbers != nullptr) != 1)
        fail(path, "one of 'bytes', 'value' and 'file'", value);
      else if (numbers != nullptr)
        part.bytes = typed(value, *numbers, path, path + ".value", false);
      else if (bytes != nullptr)
        part.bytes = hex(*bytes, path + ".bytes");
      else if (file->is_string())
        part.file = file->get<std::string>();
      else
        fail(path + ".file", "the name of a file", *file);
    }
  }
  void slots(const Json& root, const char* key, std::vector<LaunchFile::Slot>& out) {
    const Json* const list = find(root, key);
    if (list == nullptr) return;
    if (!list->is_array()) return fail(key, "a list of objects with a slot", *list);
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string path = element(key, i);
      const Json& value = (*list)[i];
      if (!object(value, path, {"slot", "address", "size", "stride"})) continue;
      out.push_back({static_cast<std::uint32_t>(required(value, path, "slot", 1023)),
                     required(value, path, "address", (std::uint64_t{1} << 48) - 1),
                     static_cast<std::uint32_t>(required(value, path, "size", kMost32)),
                     static_cast<std::uint32_t>(optional(value, path, "stride", 0x3fff))});
    }
  }

  abi::ImageValue image(const Json& value, const std::string& path) {
    abi::ImageValue out;
    if (!object(value, path,
                {"width", "height", "depth", "order", "type", "address", "row_pitch", "slice_pitch", "array_size",
                 "offset"}))
      return out;
    const auto word = [&](const char* key, std::uint64_t otherwise) {
      return static_cast<std::uint32_t>(optional(value, path, key, kMost32, otherwise));
    };
    out.width = static_cast<std::uint32_t>(required(value, path, "width", kMost32));
    out.height = word("height", 1);
    out.depth = word("depth", 1);
    out.channel_order = static_cast<std::uint32_t>(required(value, path, "order", kMost32));
    out.channel_type = static_cast<std::uint32_t>(required(value, path, "type", kMost32));
    out.address = optional(value, path, "address", kMost64);
    out.row_pitch = word("row_pitch", 0);
    out.slice_pitch = word("slice_pitch", 0);
    out.array_size = word("array_size", 0);
    out.offset = word("offset", 0);
    return out;
  }

  // Numbers of the type that stands beside them.
  std::vector<std::byte> typed(const Json& entry, const Json& value, const std::string& path,
                               const std::string& value_path, bool whole) {
    const Json* const name = find(entry, "type");
    const auto type = name != nullptr && name->is_string() ? element_type(name->get_ref<const std::string&>())
                                                           : std::optional<ElementType>();
    if (!type) {
      diagnostics_.report(Code::LaunchFileValue, {},
                          "'value' takes a 'type' of numbers, such as float4 or uint; 'bytes' takes any", path);
      return {};
    }
    if (is_file(value)) return contents(value, value_path);
    auto bytes = encode_value(value, *type, whole);
    if (bytes) return std::move(*bytes);
    diagnostics_.report(Code::LaunchFileValue, {}, fmt::format("{}, found {}", bytes.error(), shown(value)),
                        value_path);
    return {};
  }

  // "@data.bin": what that file holds.
  static bool is_file(const Json& value) {
    return value.is_string() && value.get_ref<const std::string&>().starts_with('@');
  }
  std::vector<std::byte> contents(const Json& value, const std::string& path) {
    const std::string name = value.get_ref<const std::string&>().substr(1);
    const auto bytes = contents_ ? contents_(name) : std::nullopt;
    if (!bytes) {
      diagnostics_.report(Code::LaunchFileValue, {}, fmt::format("the file {} is not read", shown(Json(name))), path);
      return {};
    }
    const auto all = std::as_bytes(std::span(*bytes));
    return {all.begin(), all.end()};
  }

  std::vector<std::byte> hex(const Json& value, const std::string& path) {
    std::vector<std::byte> out;
    if (is_file(value)) return contents(value, path);
    if (!value.is_string()) {
      fail(path, "a string of hexadecimal digits, or \"@FILE\"", value);
      return out;
    }
    const auto& text = value.get_ref<const std::string&>();
    bool good = text.size() % 2 == 0;
    for (std::size_t i = 0; good && i < text.size(); i += 2) {
      unsigned byte = 0;
      const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
      good = error == std::errc{} && end == text.data() + i + 2;
      out.push_back(static_cast<std::byte>(byte));
    }
    if (!good) fail(path, "two hexadecimal digits for each byte", value);
    return out;
  }

  Diagnostics& diagnostics_;
  const FileContents& contents_;
  LaunchFile out_;
};

}  // namespace

std::optional<LaunchFile> parse_launch(std::string_view json, Diagnostics& diagnostics, const FileContents& contents) {
  Json root;
  try {
    root = Json::parse(json, nullptr, true, true);
  } catch (const Json::parse_error& error) {
    const auto at =
        static_cast<std::uint32_t>(std::min<std::size_t>(error.byte == 0 ? 0 : error.byte - 1, json.size()));
    diagnostics.report(Code::LaunchFileSyntax, {at, 0}, fmt::format("not JSON: {}", reason(error)));
    return std::nullopt;
  } catch (const Json::out_of_range& error) {
    diagnostics.report(Code::LaunchFileSyntax, {}, fmt::format("a number that no double holds: {}", reason(error)));
    return std::nullopt;
  }
  Diagnostics found(diagnostics.mode());
  LaunchFile launch = Reader(found, contents).run(root);
  if (found.all().empty()) return launch;
  std::vector<Diagnostic> findings = found.all();
  locate(json, findings);
  for (Diagnostic& finding : findings) diagnostics.add(std::move(finding));
  return std::nullopt;
}

}  // namespace amdcompat::cli
