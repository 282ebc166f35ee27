// The metadata of V2: YAML with nested keys, alignments instead of offsets, and spellings of its own.
//
//   Version:         [ 1, 0 ]
//   Kernels:
//     - Name:            saxpy
//       SymbolName:      'saxpy@kd'
//       Attrs:           { ReqdWorkGroupSize: [ 64, 1, 1 ] }
//       Args:            [ { Name: x, Size: 8, Align: 8, ValueKind: GlobalBuffer, AddrSpaceQual: Global } ]
//       CodeProps:       { KernargSegmentSize: 48, NumSGPRs: 11, WavefrontSize: 64 }
//
// The tree is rewritten into that of V3, which the key tables then decode: both versions share one decoder. Three older
// dialects are first brought to this one: LLVM 5 called some properties otherwise and stored alignments and the
// wavefront size as logarithms (`WavefrontSize: 6`); LLVM 4 wrote `amd.` keys with numbers for spellings in a note of
// type 8. [S1; RC; LLVM 4 AMDGPURuntimeMetadata.h; LLVM 5 AMDGPUCodeObjectMetadata.h]
#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <amdcompat/hsa.hpp>

#include <elf/bytes.hpp>

#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

using elf::align_up;

using std::string_view;

struct Alias {
  string_view old_name;
  string_view name;
};
// LLVM 5. [LLVM 5 AMDGPUCodeObjectMetadata.h «CodeProps»]
constexpr Alias kOldProperties[] = {
    {"CodeProps.WorkgroupGroupSegmentSize", "CodeProps.GroupSegmentFixedSize"},
    {"CodeProps.WorkitemPrivateSegmentSize", "CodeProps.PrivateSegmentFixedSize"},
    {"CodeProps.WavefrontNumSGPRs", "CodeProps.NumSGPRs"},
    {"CodeProps.WorkitemNumVGPRs", "CodeProps.NumVGPRs"},
};
// LLVM 4, by level. [LLVM 4 AMDGPURuntimeMetadata.h KeyName]
constexpr Alias kRuntimeKeys[] = {
    {"amd.MDVersion", "Version"},
    {"amd.PrintfInfo", "Printf"},
    {"amd.Kernels", "Kernels"},
    {"amd.KernelName", "Name"},
    {"amd.Language", "Language"},
    {"amd.LanguageVersion", "LanguageVersion"},
    {"amd.Args", "Args"},
    {"amd.ReqdWorkGroupSize", "Attrs.ReqdWorkGroupSize"},
    {"amd.WorkGroupSizeHint", "Attrs.WorkGroupSizeHint"},
    {"amd.VecTypeHint", "Attrs.VecTypeHint"},
    {"amd.ArgSize", "Size"},
    {"amd.ArgAlign", "Align"},
    {"amd.ArgTypeName", "TypeName"},
    {"amd.ArgName", "Name"},
    {"amd.ArgKind", "ValueKind"},
    {"amd.ArgValueType", "ValueType"},
    {"amd.ArgAddrQual", "AddrSpaceQual"},
    {"amd.ArgAccQual", "AccQual"},
    {"amd.ArgActualAcc", "ActualAccQual"},
    {"amd.ArgIsConst", "IsConst"},
    {"amd.ArgIsRestrict", "IsRestrict"},
    {"amd.ArgIsVolatile", "IsVolatile"},
    {"amd.ArgIsPipe", "IsPipe"},
    {"amd.ArgPointeeAlign", "PointeeAlign"},
};
// Their numbers. [LLVM 4 AMDGPURuntimeMetadata.h KernelArg]
constexpr string_view kRuntimeKinds[] = {"ByValue",
                                         "GlobalBuffer",
                                         "DynamicSharedPointer",
                                         "Sampler",
                                         "Image",
                                         "Pipe",
                                         "Queue",
                                         "HiddenGlobalOffsetX",
                                         "HiddenGlobalOffsetY",
                                         "HiddenGlobalOffsetZ",
                                         "HiddenNone",
                                         "HiddenPrintfBuffer",
                                         "HiddenDefaultQueue",
                                         "HiddenCompletionAction"};
constexpr string_view kRuntimeTypes[] = {"Struct", "I8",  "U8",  "I16", "U16", "F16",
                                         "I32",    "U32", "F32", "I64", "U64", "F64"};
constexpr string_view kRuntimeAccess[] = {"Default", "ReadOnly", "WriteOnly", "ReadWrite"};
constexpr string_view kRuntimeSpaces[] = {"Private", "Global", "Constant", "Local", "Generic", "Region"};

// Keys of V2 that later versions have no place for. [S1; S0]
constexpr string_view kV2Only[] = {"Align",
                                   "CodeProps.IsXNACKEnabled",
                                   "CodeProps.GroupSegmentAlign",
                                   "CodeProps.PrivateSegmentAlign",
                                   "CodeProps.WorkgroupFBarrierCount",
                                   "amd.KernelIndex",
                                   "amd.NoPartialWorkGroups",
                                   "amd.IsaInfo"};
constexpr string_view kDebug = "DebugProps.";

// Maps inside a kernel's map.
constexpr string_view kGroups[] = {"Attrs", "CodeProps", "DebugProps"};

template <std::size_t N>
string_view renamed(const Alias (&table)[N], string_view name) {
  for (const Alias& row : table)
    if (row.old_name == name) return row.name;
  return name;
}

class Reader {
 public:
  Reader(string_view yaml, Diagnostics& diagnostics, std::uint32_t base)
      : yaml_(yaml), diagnostics_(diagnostics), base_(base) {}

  Node root(Node::Map in) {
    for (const NodeEntry& entry : in) runtime_ = runtime_ || entry.key == "amd.MDVersion";
    Node::Map out = record(std::move(in), root_keys());
    for (NodeEntry& entry : out) {
      // LLVM 4 counted its own versions; those of V2 are 1.0.
      if (entry.key == "amdhsa.version" && runtime_)
        entry.value.value = Node::Array{{std::uint64_t{1}, {}}, {std::uint64_t{0}, {}}};
      if (entry.key == "amdhsa.kernels") each(entry.value, [this](Node::Map map) { return kernel(std::move(map)); });
    }
    std::ranges::stable_sort(out, {}, &NodeEntry::key);
    return {std::move(out), {}};
  }

 private:
  template <class Function>
  static void each(Node& list, Function function) {
    auto* items = std::get_if<Node::Array>(&list.value);
    if (items == nullptr) return;  // the decoder reports it
    for (Node& item : *items)
      if (auto* map = std::get_if<Node::Map>(&item.value)) item.value = function(std::move(*map));
  }

  Node::Map kernel(Node::Map in) {
    // Groups become paths.
    Node::Map flat;
    for (NodeEntry& entry : in) {
      auto* inner = std::get_if<Node::Map>(&entry.value.value);
      if (inner == nullptr || std::ranges::find(kGroups, entry.key) == std::end(kGroups)) {
        flat.push_back(std::move(entry));
        continue;
      }
      for (NodeEntry& member : *inner) flat.push_back({entry.key + "." + member.key, std::move(member.value)});
    }
    bool logarithms = false;
    for (NodeEntry& entry : flat) {
      const string_view name = renamed(kOldProperties, entry.key);
      logarithms = logarithms || name != entry.key;
      entry.key = name;
    }
    Node::Map out = record(std::move(flat), kernel_keys());
    bool has_symbol = false;
    std::string name;
    for (NodeEntry& entry : out) {
      if (entry.key == ".args") {
        arguments(entry.value);
      } else if (entry.key == ".symbol") {
        has_symbol = true;
        if (auto* text = std::get_if<std::string>(&entry.value.value); text != nullptr && text->ends_with("@kd"))
          text->replace(text->size() - 3, 1, ".");
      } else if (entry.key == ".name") {
        if (const auto* text = std::get_if<std::string>(&entry.value.value)) name = *text;
      } else if (auto* number = std::get_if<std::uint64_t>(&entry.value.value); number != nullptr && *number < 13) {
        const bool wave = entry.key == ".wavefront_size" && (*number == 5 || *number == 6);
        if (wave || (logarithms && entry.key == ".kernarg_segment_align")) *number = std::uint64_t{1} << *number;
      }
    }
    if (!has_symbol && !name.empty()) out.push_back({".symbol", {name + ".kd", {}}});
    std::ranges::stable_sort(out, {}, &NodeEntry::key);
    return out;
  }

  void arguments(Node& list) {
    std::uint64_t end = 0;
    each(list, [&](Node::Map map) {
      const std::uint64_t align = alignment(map);
      Node::Map out = record(std::move(map), argument_keys());
      const auto size = std::ranges::find(out, ".size", &NodeEntry::key);
      const auto* stated = size == out.end() ? nullptr : std::get_if<std::uint64_t>(&size->value.value);
      const std::uint64_t bytes = stated == nullptr ? 0 : *stated;
      // Sizes are hostile: far beyond what a segment holds, places no longer matter.
      constexpr std::uint64_t kFar = std::uint64_t{1} << 48;
      end = std::min(kFar, align_up(end, align));
      out.push_back({".offset", {end, {}}});
      end = std::min(kFar, end + std::min(kFar, bytes));
      std::ranges::stable_sort(out, {}, &NodeEntry::key);
      return out;
    });
  }

  // `Align`, which must be a power of two.
  std::uint64_t alignment(const Node::Map& argument) {
    for (const NodeEntry& entry : argument) {
      if (entry.key != "Align" && entry.key != "amd.ArgAlign") continue;
      const auto* value = std::get_if<std::uint64_t>(&entry.value.value);
      if (value != nullptr && std::has_single_bit(*value) && *value <= 4096) return *value;
      diagnostics_.report(Code::HsaWrongType, entry.value.where.range,
                          "expected an alignment (a power of two up to 4096); 1 is used", "Align");
      return 1;
    }
    return 1;
  }

  template <class Record>
  Node::Map record(Node::Map in, std::span<const Key<Record>> keys) {
    Node::Map out;
    out.reserve(in.size());
    for (NodeEntry& entry : in) {
      if (runtime_) from_runtime(entry);
      if (entry.key == "Align") continue;  // read by `alignment`
      const auto row = std::ranges::find_if(
          keys, [&](const Key<Record>& key) { return !key.v2_name.empty() && key.v2_name == entry.key; });
      if (row == keys.end()) {
        out.push_back(std::move(entry));
        continue;
      }
      entry.key = row->name;
      if (value(entry.value, row->field)) out.push_back(std::move(entry));
    }
    return out;
  }

  void from_runtime(NodeEntry& entry) {
    entry.key = renamed(kRuntimeKeys, entry.key);
    const auto* number = std::get_if<std::uint64_t>(&entry.value.value);
    if (number == nullptr) return;
    const auto spell = [&](string_view key, std::span<const string_view> names) {
      if (entry.key == key && *number < names.size()) entry.value.value = std::string(names[*number]);
    };
    const std::uint64_t n = *number;
    for (const string_view key : {"IsConst", "IsRestrict", "IsVolatile", "IsPipe"})
      if (entry.key == key && n < 2) {
        entry.value.value = n != 0;
        return;
      }
    if (entry.key == "ValueKind") return spell("ValueKind", kRuntimeKinds);
    if (entry.key == "ValueType") return spell("ValueType", kRuntimeTypes);
    if (entry.key == "AddrSpaceQual") return spell("AddrSpaceQual", kRuntimeSpaces);
    if (entry.key == "AccQual") return spell("AccQual", kRuntimeAccess);
    spell("ActualAccQual", kRuntimeAccess);
  }

  // The value as V3 spells it; false: V3 leaves the key out.
  template <class Record>
  bool value(Node& node, const Field<Record>& field) {
    if (std::holds_alternative<std::optional<std::string> Record::*>(field)) {
      as_text(node);
      if constexpr (std::is_same_v<Record, MetadataArgument>)
        if (field == Field<Record>(&MetadataArgument::value_type)) lower(node);
      return true;
    }
    auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return true;
    if (std::holds_alternative<std::optional<ValueKind> Record::*>(field)) {
      if (const auto kind = find_value_kind(*text, CodeObjectVersion::V2)) *text = spelling(*kind);
    } else if (std::holds_alternative<std::optional<AddressSpace> Record::*>(field)) {
      respell(*text, all_address_spaces());
    } else if (std::holds_alternative<std::optional<AccessQualifier> Record::*>(field)) {
      if (*text == "Default") return false;
      respell(*text, all_access_qualifiers());
    }
    return true;
  }

  template <class Enum>
  static void respell(std::string& text, std::span<const Spelling<Enum>> table) {
    for (const Spelling<Enum>& row : table)
      if (row.v2_name == text) {
        text = row.name;
        return;
      }
  }

  static void lower(Node& node) {
    if (auto* text = std::get_if<std::string>(&node.value))
      for (char& c : *text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }

  // V2's readers take the scalar of a text key as it stands, whatever it looks like.
  void as_text(Node& node) const {
    if (std::holds_alternative<std::string>(node.value) || std::holds_alternative<Node::Array>(node.value) ||
        std::holds_alternative<Node::Map>(node.value))
      return;
    const SourceRange where = node.where.range;
    if (where.begin < base_ || where.begin - base_ > yaml_.size()) return;
    string_view text = yaml_.substr(where.begin - base_, where.size);
    if (text.starts_with('!')) return;
    if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front())
      text = text.substr(1, text.size() - 2);
    node.value = std::string(text);
  }

  string_view yaml_;
  Diagnostics& diagnostics_;
  std::uint32_t base_;
  bool runtime_ = false;
};

// LLVM 4 printed block lists inside flow maps, which is no YAML:
//
//   { amd.MDVersion: [ 2, 1 ], amd.Kernels:
//     - { amd.KernelName: k, amd.Args:
//       - { amd.ArgSize: 8 } } }
//
// The dashes become brackets and commas, byte for byte in place, so that ranges of findings stay; anything else than
// what LLVM 4 printed is left alone.
std::string flow_lists(string_view text) {
  std::string out(text);
  std::vector<char> open;  // '{', or '-' for a list
  char before = '\0';  // last character that is no blank
  bool line_start = true;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
      before = c;
      continue;
    }
    if (c == '\n') line_start = true;
    if (c == ' ' || c == '\n') continue;
    if (c == '-' && line_start && i + 1 < text.size() && text[i + 1] == ' ' && !open.empty()) {
      const bool first = before == ':';
      if (first) open.push_back('-');
      out[i] = first ? '[' : ',';
    } else if (c == '{') {
      open.push_back('{');
    } else if (c == '}') {
      // Each list that ends here needs one blank in front of the brace.
      for (std::size_t blank = i; !open.empty() && open.back() == '-'; open.pop_back())
        if (blank == 0 || out[--blank] != ' ')
          return std::string(text);
        else
          out[blank] = ']';
      if (!open.empty()) open.pop_back();
    } else if ((c == '\'' || c == '"') && before != '\0' && string_view("[{,:").contains(before)) {
      quote = c;
    }
    before = c;
    line_start = false;
  }
  return out;
}

// --- writing -----------------------------------------------------------------------------------------------

template <class Record>
string_view v2_name(string_view name, std::span<const Key<Record>> keys) {
  const Key<Record>* row = find_key(keys, name);
  return row == nullptr ? name : row->v2_name;
}

std::string v2_spelling(string_view text, auto table) {
  for (const auto& row : table)
    if (row.name == text) return std::string(row.v2_name);
  return std::string(text);
}

// The smallest alignment that leads from `end` to `offset`, not under `least`; 0: none does.
std::uint64_t alignment_between(std::uint64_t end, std::uint64_t offset, std::uint64_t least) {
  for (std::uint64_t align = least; align <= 4096; align *= 2)
    if (align_up(end, align) == offset) return align;
  for (std::uint64_t align = 1; align < least; align *= 2)
    if (align_up(end, align) == offset) return align;
  return 0;
}

class Writer {
 public:
  Result<std::string> run(const Metadata& metadata) {
    Node tree = to_node(metadata);
    Node::Map out;
    for (const string_view key : {"amdhsa.version", "amdhsa.printf"})
      move_key(tree, key, v2_name(key, root_keys()), out);
    if (Node* kernels = find(tree, "amdhsa.kernels")) {
      Node::Array list;
      auto* const trees = std::get_if<Node::Array>(&kernels->value);
      if (trees == nullptr || trees->size() != metadata.kernels.size()) return mistyped("amdhsa.kernels");
      for (std::size_t i = 0; i < metadata.kernels.size(); ++i) {
        path_ = fmt::format("amdhsa.kernels[{}]", i);
        auto map = kernel((*trees)[i], metadata.kernels[i]);
        if (!map) return std::unexpected(map.error());
        list.push_back({std::move(*map), {}});
      }
      out.push_back({"Kernels", {std::move(list), {}}});
    }
    return print_yaml(out);
  }

 private:
  // A value that is kept although its key wants another type.
  static std::unexpected<Diagnostic> mistyped(std::string path) {
    return std::unexpected(
        make_diagnostic(Code::ConversionRefused, {}, "the value is not the list that V2 has here", std::move(path)));
  }

  static Node* find(Node& tree, string_view key) {
    auto* const map = std::get_if<Node::Map>(&tree.value);
    if (map == nullptr) return nullptr;
    const auto found = std::ranges::find(*map, key, &NodeEntry::key);
    return found == map->end() ? nullptr : &found->value;
  }

  static void move_key(Node& tree, string_view key, string_view name, Node::Map& out) {
    if (Node* value = find(tree, key)) out.push_back({std::string(name), std::move(*value)});
  }

  Result<Node::Map> kernel(Node& tree, const MetadataKernel& kernel) {
    Node::Map out;
    move_key(tree, ".name", "Name", out);
    if (kernel.symbol) {
      std::string symbol = *kernel.symbol;
      if (symbol.ends_with(".kd")) symbol.replace(symbol.size() - 3, 1, "@");
      out.push_back({"SymbolName", {std::move(symbol), {}}});
    }
    move_key(tree, ".language", "Language", out);
    move_key(tree, ".language_version", "LanguageVersion", out);
    Node::Map attributes, properties;
    for (const Key<MetadataKernel>& row : kernel_keys()) {
      const std::size_t dot = row.v2_name.find('.');
      if (dot == string_view::npos) continue;
      Node::Map& group = row.v2_name.starts_with("Attrs") ? attributes : properties;
      move_key(tree, row.name, row.v2_name.substr(dot + 1), group);
    }
    if (!attributes.empty()) out.push_back({"Attrs", {std::move(attributes), {}}});
    if (!kernel.args.empty()) {
      Node* const args = find(tree, ".args");
      auto* const trees = args == nullptr ? nullptr : std::get_if<Node::Array>(&args->value);
      if (trees == nullptr || trees->size() != kernel.args.size()) return mistyped(path_ + ".args");
      auto list = arguments(*trees, kernel);
      if (!list) return std::unexpected(list.error());
      out.push_back({"Args", {std::move(*list), {}}});
    }
    if (!properties.empty()) out.push_back({"CodeProps", {std::move(properties), {}}});
    return out;
  }

  Result<Node::Array> arguments(Node::Array& trees, const MetadataKernel& kernel) {
    Node::Array out;
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < kernel.args.size(); ++i) {
      const MetadataArgument& argument = kernel.args[i];
      const auto refuse = [&](string_view key, std::string message) {
        return std::unexpected(make_diagnostic(Code::ConversionRefused, {}, std::move(message),
                                               fmt::format("{}.args[{}]{}", path_, i, key)));
      };
      const ValueKindInfo* info = argument.value_kind ? &value_kind_info(*argument.value_kind) : nullptr;
      if (info != nullptr && info->v2_name.empty())
        return refuse(".value_kind", fmt::format("V2 has no {}", info->name));
      const std::uint64_t size = argument.size.value_or(0), offset = argument.offset.value_or(end);
      // A hint only: what the value is made of is not in the document.
      std::uint64_t least = info != nullptr && info->size != 0 ? info->size : 1;
      if (least == 1 && size != 0) least = std::min<std::uint64_t>(size & (~size + 1), 16);
      const std::uint64_t align = alignment_between(end, offset, least);
      if (align == 0)
        return refuse(".offset",
                      fmt::format("V2 places arguments one after another: {} does not follow {}", offset, end));
      end = offset + size;
      Node::Map map;
      for (const string_view key : {".name", ".type_name", ".size"})
        move_key(trees[i], key, v2_name(key, argument_keys()), map);
      map.push_back({"Align", {align, {}}});
      for (const Key<MetadataArgument>& row : argument_keys()) {
        if (row.v2_name.empty() || std::ranges::find(map, row.v2_name, &NodeEntry::key) != map.end()) continue;
        Node* value = find(trees[i], row.name);
        if (value == nullptr) continue;
        respell(*value, row.field);
        map.push_back({std::string(row.v2_name), std::move(*value)});
      }
      out.push_back({std::move(map), {}});
    }
    return out;
  }

  static void respell(Node& node, const Field<MetadataArgument>& field) {
    auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return;
    using A = MetadataArgument;
    if (std::holds_alternative<std::optional<ValueKind> A::*>(field)) *text = v2_spelling(*text, all_value_kinds());
    if (std::holds_alternative<std::optional<AddressSpace> A::*>(field))
      *text = v2_spelling(*text, all_address_spaces());
    if (std::holds_alternative<std::optional<AccessQualifier> A::*>(field))
      *text = v2_spelling(*text, all_access_qualifiers());
    if (field == Field<A>(&A::value_type) && !text->empty() && text->front() >= 'a' && text->front() <= 'z')
      text->front() = static_cast<char>(text->front() - 'a' + 'A');
  }

  std::string path_;
};

}  // namespace

bool is_v2_only_key(std::string_view path) {
  return path.starts_with(kDebug) || std::ranges::find(kV2Only, path) != std::end(kV2Only);
}

std::optional<Metadata> decode_v2(Node tree, std::string_view yaml, Diagnostics& diagnostics, std::uint32_t base) {
  if (auto* map = std::get_if<Node::Map>(&tree.value)) {
    const Origin where = tree.where;
    tree = Reader(yaml, diagnostics, base).root(std::move(*map));
    tree.where = where;
  }
  return decode(to_document(tree), diagnostics);
}

std::optional<Metadata> read_v2_yaml(std::string_view text, Diagnostics& diagnostics, const ReadOptions& options) {
  try {
    // The whole document of LLVM 4 is one flow map. Longer texts are left to the reader, which refuses them.
    std::string rewritten;
    const std::size_t first = text.find_first_not_of("-\n ");
    if (text.size() <= options.max_bytes && first != std::string_view::npos && text[first] == '{' &&
        text.contains("amd.MDVersion"))
      text = rewritten = flow_lists(text);
    const auto document = read_yaml_document(text, diagnostics, options);
    if (!document) return std::nullopt;
    return decode_v2(to_tree(*document, 0, {}, diagnostics), text, diagnostics, options.base);
  } catch (const std::bad_alloc&) {
    diagnostics.report(Code::HsaTooLarge, {options.base, 0}, "not enough memory for the document");
    return std::nullopt;
  }
}

Result<std::string> to_v2_yaml(const Metadata& metadata) { return Writer().run(metadata); }

}  // namespace amdcompat::hsa
