#include "v2_tree_reader.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace amdcompat::hsa {
namespace {

using std::string_view;

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

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

}  // namespace

std::optional<std::optional<Metadata>> read_v2_tree(string_view yaml, Diagnostics& diagnostics) {
  // The library brings the forms of LLVM 4 that are no YAML to some that are.
  if (yaml.find("amd.MDVersion") != string_view::npos && yaml.find_first_not_of("-\n ") != string_view::npos &&
      yaml[yaml.find_first_not_of("-\n ")] == '{')
    return std::nullopt;
  Diagnostics findings(diagnostics.mode());
  std::optional<Metadata> document = read_yaml(yaml, findings);
  if (!document) {
    for (const Diagnostic& finding : findings.all()) diagnostics.add(finding);
    return std::optional<Metadata>();
  }
  // The keys of V2 are unknown to V3, so that the tree is there but for keys of V3 in its root.
  for (const Key<Metadata>& key : root_keys())
    if (yaml.find(key.name) != string_view::npos) return std::nullopt;
  for (const Diagnostic& finding : findings.all())
    if (finding.code != Code::HsaMissingKey) diagnostics.add(finding);
  Node tree = Reader(yaml, diagnostics, 0).root(std::move(document->unknown));
  tree.where = document->where;
  return from_node(std::move(tree), diagnostics);
}

}  // namespace amdcompat::hsa
