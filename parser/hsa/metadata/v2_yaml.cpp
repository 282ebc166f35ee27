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
// The parser's values are rewritten into those of V3, which the key tables then decode: both versions share one
// decoder. Three older dialects are first brought to this one: LLVM 5 called some properties otherwise and stored
// alignments and the wavefront size as logarithms (`WavefrontSize: 6`); LLVM 4 wrote `amd.` keys with numbers for
// spellings in a note of type 8. [S1; RC; LLVM 4 AMDGPURuntimeMetadata.h; LLVM 5 AMDGPUCodeObjectMetadata.h]
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
    if (is_same(row.old_name, name)) return row.name;
  return name;
}

// Writes the tokens of V3 from those of V2. A map's entries are renamed and respelled in place, then put in order.
class V2YamlReader {
 public:
  V2YamlReader(Document& document, string_view yaml, Diagnostics& diagnostics, std::uint32_t base)
      : document_(document), in_(document.tokens), yaml_(yaml), diagnostics_(diagnostics), base_(base) {
    out_.reserve(in_.size());
  }

  // The root is a map.
  std::vector<Token> run() {
    Entries entries = entries_of(0);
    for (const Entry& entry : entries) runtime_ = runtime_ || entry.key == "amd.MDVersion";
    record(entries, root_keys());
    put_map(0, entries, [&](const Entry& entry) {
      // LLVM 4 counted its own versions; those of V2 are 1.0.
      if (entry.key == "amdhsa.version" && runtime_)
        put_version(entry.value.where);
      else if (entry.key == "amdhsa.kernels")
        put_list(entry, [this](std::size_t map) { kernel(map); });
      else
        put_value(entry);
    });
    return std::move(out_);
  }

 private:
  using Kind = Token::Kind;

  struct Entry {
    string_view key;
    Token value;  // of a list or a map only what it is
    std::size_t index = 0;  // token of a value that was not replaced
  };
  using Entries = std::vector<Entry>;

  // --- reading ---

  void append_entries(std::size_t map, Entries& out) const {
    for (std::size_t at = map + 1; at < in_[map].end; at = in_[at + 1].end)
      out.push_back({in_[at].view(), in_[at + 1], at + 1});
  }
  [[nodiscard]] Entries entries_of(std::size_t map) const {
    Entries out;
    out.reserve(in_[map].number + 1);
    append_entries(map, out);
    return out;
  }
  // A text of its own, which lives as long as the document.
  string_view keep(std::string text) { return document_.texts.emplace_back(std::move(text)); }

  static std::string path_of(string_view group, string_view key) {
    std::string out;
    out.reserve(group.size() + 1 + key.size());
    out += group;
    out += '.';
    return out += key;
  }

  static void set_text(Token& value, string_view text) {
    value.kind = Kind::Text;
    value.number = text.size();
    value.text = text.data();
  }
  static Entry new_entry(string_view key, Kind kind, std::uint64_t number) {
    Entry entry{key, {}, 0};
    entry.value.kind = kind;
    entry.value.number = number;
    return entry;
  }

  void kernel(std::size_t map) {
    // Groups become paths.
    Entries entries;
    entries.reserve(2 * in_[map].number + 8);
    for (std::size_t at = map + 1; at < in_[map].end; at = in_[at + 1].end) {
      const string_view key = in_[at].view();
      if (in_[at + 1].kind != Kind::Map || std::ranges::find(kGroups, key) == std::end(kGroups)) {
        entries.push_back({key, in_[at + 1], at + 1});
        continue;
      }
      const std::size_t first = entries.size();
      append_entries(at + 1, entries);
      for (Entry& member : std::span(entries).subspan(first)) member.key = keep(path_of(key, member.key));
    }
    bool logarithms = false;
    for (Entry& entry : entries) {
      const string_view name = renamed(kOldProperties, entry.key);
      logarithms = logarithms || name != entry.key;
      entry.key = name;
    }
    record(entries, kernel_keys());
    bool has_symbol = false;
    string_view name;
    for (Entry& entry : entries) {
      Token& value = entry.value;
      if (is_same(entry.key, ".symbol")) {
        has_symbol = true;
        if (value.kind == Kind::Text && value.view().ends_with("@kd"))
          set_text(value, keep(fmt::format("{}.kd", value.view().substr(0, value.number - 3))));
      } else if (is_same(entry.key, ".name")) {
        if (value.kind == Kind::Text) name = value.view();
      } else if (entry.key != ".args" && value.kind == Kind::Unsigned && value.number < 13) {
        const bool wave = entry.key == ".wavefront_size" && (value.number == 5 || value.number == 6);
        if (wave || (logarithms && entry.key == ".kernarg_segment_align"))
          value.number = std::uint64_t{1} << value.number;
      }
    }
    if (!has_symbol && !name.empty()) {
      entries.push_back(new_entry(".symbol", Kind::Text, 0));
      set_text(entries.back().value, keep(fmt::format("{}.kd", name)));
    }
    put_map(map, entries, [&](const Entry& entry) {
      std::uint64_t arguments_end = 0;
      if (entry.key == ".args")
        put_list(entry, [&](std::size_t argument_map) { argument(argument_map, arguments_end); });
      else
        put_value(entry);
    });
  }

  // `segment_end`: where the arguments before it end.
  void argument(std::size_t map, std::uint64_t& segment_end) {
    Entries& entries = argument_entries_;
    entries.clear();
    append_entries(map, entries);
    const std::uint64_t align = alignment(entries);
    record(entries, argument_keys());
    const auto size = std::ranges::find_if(entries, [](const Entry& entry) { return is_same(entry.key, ".size"); });
    const std::uint64_t bytes = size == entries.end() || size->value.kind != Kind::Unsigned ? 0 : size->value.number;
    // Sizes are hostile: far beyond what a segment holds, places no longer matter.
    constexpr std::uint64_t kFar = std::uint64_t{1} << 48;
    segment_end = std::min(kFar, align_up(segment_end, align));
    entries.push_back(new_entry(".offset", Kind::Unsigned, segment_end));
    segment_end = std::min(kFar, segment_end + std::min(kFar, bytes));
    put_map(map, entries, [this](const Entry& entry) { put_value(entry); });
  }

  // `Align`, which must be a power of two.
  std::uint64_t alignment(const Entries& argument) {
    for (const Entry& entry : argument) {
      if (!is_same(entry.key, "Align") && !is_same(entry.key, "amd.ArgAlign")) continue;
      const std::uint64_t value = entry.value.number;
      if (entry.value.kind == Kind::Unsigned && std::has_single_bit(value) && value <= 4096) return value;
      diagnostics_.report(Code::HsaWrongType, entry.value.where,
                          "expected an alignment (a power of two up to 4096); 1 is used", "Align");
      return 1;
    }
    return 1;
  }

  template <class Record>
  void record(Entries& entries, std::span<const Key<Record>> keys) {
    std::size_t kept = 0;
    for (Entry& entry : entries) {
      if (runtime_) from_runtime(entry);
      if (is_same(entry.key, "Align")) continue;  // read by `alignment`
      const auto row = std::ranges::find_if(
          keys, [&](const Key<Record>& key) { return !key.v2_name.empty() && is_same(key.v2_name, entry.key); });
      if (row != keys.end()) {
        entry.key = row->name;
        if (!value(entry.value, row->field)) continue;
      }
      entries[kept++] = entry;
    }
    entries.resize(kept);
  }

  static void from_runtime(Entry& entry) {
    entry.key = renamed(kRuntimeKeys, entry.key);
    Token& value = entry.value;
    if (value.kind != Kind::Unsigned) return;
    const auto spell = [&](string_view key, std::span<const string_view> names) {
      if (entry.key == key && value.number < names.size()) set_text(value, names[value.number]);
    };
    for (const string_view key : {"IsConst", "IsRestrict", "IsVolatile", "IsPipe"})
      if (entry.key == key && value.number < 2) {
        value.kind = Kind::Boolean;
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
  bool value(Token& value, const Field<Record>& field) {
    if (std::holds_alternative<std::optional<std::string> Record::*>(field)) {
      as_text(value);
      if constexpr (std::is_same_v<Record, MetadataArgument>)
        if (field == Field<Record>(&MetadataArgument::value_type)) lower(value);
      return true;
    }
    if (value.kind != Kind::Text) return true;
    if (std::holds_alternative<std::optional<ValueKind> Record::*>(field)) {
      if (const auto kind = find_value_kind(value.view(), CodeObjectVersion::V2)) set_text(value, spelling(*kind));
    } else if (std::holds_alternative<std::optional<AddressSpace> Record::*>(field)) {
      respell(value, all_address_spaces());
    } else if (std::holds_alternative<std::optional<AccessQualifier> Record::*>(field)) {
      if (value.view() == "Default") return false;
      respell(value, all_access_qualifiers());
    }
    return true;
  }

  template <class Enum>
  static void respell(Token& value, std::span<const Spelling<Enum>> table) {
    for (const Spelling<Enum>& row : table)
      if (is_same(row.v2_name, value.view())) return set_text(value, row.name);
  }

  void lower(Token& value) {
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (value.kind != Kind::Text || std::ranges::none_of(value.view(), is_upper)) return;
    std::string text(value.view());
    for (char& c : text)
      if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
    set_text(value, keep(std::move(text)));
  }

  // V2's readers take the scalar of a text key as it stands, whatever it looks like.
  void as_text(Token& value) const {
    if (value.kind == Kind::Text || value.kind == Kind::List || value.kind == Kind::Map) return;
    const SourceRange where = value.where;
    if (where.begin < base_ || where.begin - base_ > yaml_.size()) return;
    string_view text = yaml_.substr(where.begin - base_, where.size);
    if (text.starts_with('!')) return;
    if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front())
      text = text.substr(1, text.size() - 2);
    set_text(value, text);
  }

  // --- writing ---

  void put(Token token) {
    out_.push_back(token);
    out_.back().end = static_cast<std::uint32_t>(out_.size());
  }
  void end(std::size_t place) { out_[place].end = static_cast<std::uint32_t>(out_.size()); }
  // The map at `map` with these entries, which `entry` writes, in the order of their keys.
  template <class Function>
  void put_map(std::size_t map, const Entries& entries, Function entry) {
    const std::size_t place = out_.size();
    put(in_[map]);
    out_.back().number = entries.size();
    const std::size_t first = order_.size();
    for (std::size_t n = 0; n < entries.size(); ++n) order_.emplace_back(entries[n].key, n);
    std::ranges::sort(order_.begin() + static_cast<std::ptrdiff_t>(first), order_.end());
    for (std::size_t n = 0; n < entries.size(); ++n) {
      const Entry& next = entries[order_[first + n].place];
      put_key(next);
      entry(next);
    }
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(first), order_.end());
    end(place);
  }
  void put_key(const Entry& entry) {
    Token key;
    key.where = entry.value.where;
    set_text(key, entry.key);
    put(key);
  }
  void put_value(const Entry& entry) {
    if (entry.value.kind == Kind::List || entry.value.kind == Kind::Map)
      copy(entry.index);
    else
      put(entry.value);
  }
  // The value at `index` as it is.
  void copy(std::size_t index) {
    const std::size_t first = out_.size();
    for (std::size_t at = index; at < in_[index].end; ++at) {
      out_.push_back(in_[at]);
      out_.back().end = static_cast<std::uint32_t>(in_[at].end - index + first);
    }
  }
  // A list whose maps `map` writes; the decoder reports what is none.
  template <class Function>
  void put_list(const Entry& entry, Function map) {
    if (entry.value.kind != Kind::List) return put_value(entry);
    const std::size_t place = out_.size();
    put(entry.value);
    for (std::size_t at = entry.index + 1; at < in_[entry.index].end; at = in_[at].end)
      if (in_[at].kind == Kind::Map)
        map(at);
      else
        copy(at);
    end(place);
  }
  void put_version(SourceRange where) {
    const std::size_t place = out_.size();
    put({Kind::List, 0, where, 2, nullptr});
    put({Kind::Unsigned, 0, {}, 1, nullptr});
    put({Kind::Unsigned, 0, {}, 0, nullptr});
    end(place);
  }

  Document& document_;
  const std::vector<Token>& in_;
  string_view yaml_;
  Diagnostics& diagnostics_;
  std::uint32_t base_;
  bool runtime_ = false;
  std::vector<Token> out_;
  Entries argument_entries_;
  std::vector<KeyOrder> order_;  // of the maps that are being written, the innermost last
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

class V2YamlWriter {
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

std::optional<Metadata> decode_v2(Document document, std::string_view yaml, Diagnostics& diagnostics,
                                  std::uint32_t base) {
  if (document.tokens.front().kind == Token::Kind::Map)
    document.tokens = V2YamlReader(document, yaml, diagnostics, base).run();
  return decode(document, diagnostics);
}

std::optional<Metadata> read_v2_yaml(std::string_view text, Diagnostics& diagnostics, const ReadOptions& options) {
  try {
    // The whole document of LLVM 4 is one flow map. Longer texts are left to the reader, which refuses them.
    std::string rewritten;
    const std::size_t first = text.find_first_not_of("-\n ");
    if (text.size() <= options.max_bytes && first != std::string_view::npos && text[first] == '{' &&
        text.contains("amd.MDVersion"))
      text = rewritten = flow_lists(text);
    auto document = read_yaml_document(text, diagnostics, options);
    if (!document) return std::nullopt;
    // Of what is no map the decoder says only that.
    if (document->tokens.front().kind == Token::Kind::Map) *document = sorted(std::move(*document), diagnostics);
    return decode_v2(std::move(*document), text, diagnostics, options.base);
  } catch (const std::bad_alloc&) {
    diagnostics.report(Code::HsaTooLarge, {options.base, 0}, "not enough memory for the document");
    return std::nullopt;
  }
}

Result<std::string> to_v2_yaml(const Metadata& metadata) { return V2YamlWriter().run(metadata); }

}  // namespace amdcompat::hsa
