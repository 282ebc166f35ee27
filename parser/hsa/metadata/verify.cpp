// The verifier: what LLVM's checks, and what no other tool does.
//
// LLVM looks at keys, types and spellings only [LV; LLVM 19 llvm-readelf]; overlapping arguments, hidden arguments in
// the wrong place or a work-group over the limit pass there and fail on the GPU. Those checks are here, and say where.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <amdcompat/hsa.hpp>

#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

constexpr std::uint64_t kSmallestKernargAlign = 4;  // [LS getHSAKernelProps]
constexpr std::uint64_t kLargestWorkgroup = 1024;   // work-items; [S1 "Processors"] none has more
static_assert(static_cast<unsigned>(ValueKind::HiddenQueuePtr) < 64);  // a set of kinds is a number
constexpr std::uint64_t kHiddenSlot = 8;            // bytes of an entry of the V3 and V4 hidden list [LS]
constexpr std::size_t kShownPlaces = 4;             // of hidden arguments, in one finding

bool is_power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

// Letters to insert, drop, change or swap with their neighbour to get from one word to the other, as far as `most`.
std::size_t edits(std::string_view a, std::string_view b, std::size_t most) {
  if (a.size() > b.size() + most || b.size() > a.size() + most) return most + 1;
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

// The key that an unknown one is a misspelling of, such as RC's `.workgorup_size_hint`, in any letter case and with
// `-` for `_`; empty: none is near. Two edits make most short keys into others, so those need to be closer.
template <class Record>
std::string_view nearest_key(std::string_view key, std::span<const Key<Record>> keys) {
  constexpr std::size_t kLongest = 64;
  if (key.size() > kLongest || key.size() < 4) return {};
  std::string plain(key);
  for (char& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  const std::size_t most = key.size() < 8 ? 1 : 2;
  for (const Key<Record>& row : keys)
    if (edits(plain, row.name, most) <= most) return row.name;
  return {};
}

class Verifier {
 public:
  Verifier(Diagnostics& diagnostics, const VerifyOptions& options) : diagnostics_(diagnostics), options_(options) {
    for (const Diagnostic& finding : diagnostics.all())
      if (is_type_code(finding.code)) told_.insert({finding.code, finding.path});
  }

  void root(const Metadata& metadata) {
    where_ = metadata.where.range;
    decide_version(metadata);
    kernel_rows_ = telling(kernel_keys());
    argument_rows_ = telling(argument_keys());
    record(metadata, root_keys(), telling(root_keys()));
    if (version_ && *version_ >= CodeObjectVersion::V4 && !metadata.target)
      report(Code::HsaTargetMissing, "V4 and later name the target here", "amdhsa.target");
    printf(metadata.printf);
    kernels(metadata.kernels);
  }

 private:
  static bool is_type_code(Code code) {
    return code == Code::HsaWrongType || code == Code::HsaUnknownValueKind || code == Code::HsaUnknownAddressSpace ||
           code == Code::HsaUnknownAccess;
  }

  // At the current path, or at a key or element under it.
  void report(Code code, std::string message, std::string_view key = {}) {
    const DiagnosticScope scope(diagnostics_, context());
    diagnostics_.report(code, where_, std::move(message), path(key));
  }

  // Kernel and argument at the current path.
  [[nodiscard]] DiagnosticContext context() const {
    const auto view = [](const std::optional<std::string>& text) { return text ? std::string_view(*text) : ""; };
    if (kernel_ == nullptr) return {};
    const bool in_argument = !steps_.empty() && steps_.back().key == ".args";
    return {.kernel = view(kernel_->name),
            .argument = in_argument ? view(kernel_->args[steps_.back().index].name) : ""};
  }

  // Calls `function` with the path at `key`, and at element `index` of it.
  template <class Function>
  void at(std::string_view key, std::size_t index, Function function) {
    steps_.push_back({key, index});
    function();
    steps_.pop_back();
  }

  // Where the verifier is, and a key there; put together only for a finding.
  [[nodiscard]] std::string path(std::string_view key = {}) const {
    std::string out;
    for (const Step& step : steps_) {
      append_key(out, step.key);
      append_index(out, step.index);
    }
    if (!key.empty()) append_key(out, key);
    return out;
  }

  void decide_version(const Metadata& metadata) {
    version_ = options_.version;
    if (!metadata.version) return;
    const auto [major, minor] = *metadata.version;
    const auto stated = version_of_metadata(*metadata.version);
    if (!stated)
      report(Code::HsaUnknownVersion, fmt::format("[{}, {}] is of no known version", major, minor), "amdhsa.version");
    else if (version_ && version_info(*version_).metadata != *metadata.version)
      report(
          Code::HsaVersionMismatch,
          fmt::format("[{}, {}] is {}, not {}", major, minor, version_info(*stated).name, version_info(*version_).name),
          "amdhsa.version");
    if (!version_) version_ = stated;
  }

  // --- keys and types, by the tables ---------------------------------------------------------------------

  void not_utf8(std::string_view key = {}) { report(Code::HsaNotUtf8, "the text is not UTF-8", key); }

  // A list that was absent is an empty one; readers report that it was.
  template <class T, class Record>
  void value(const T& value, bool required, bool newer, const Key<Record>& row) {
    bool stated = false;
    if constexpr (requires { value.has_value(); }) {
      stated = value.has_value();
      if (required && !stated) report(Code::HsaMissingKey, "a required key", row.name);
      if constexpr (std::is_same_v<T, std::optional<std::string>>)
        if (value && !is_utf8(*value)) not_utf8(row.name);
    } else {
      stated = !value.empty();
    }
    if (newer && stated)
      report(Code::HsaKeyNotInVersion, fmt::format("{} came with {}", row.name, version_info(row.since).name),
             row.name);
  }

  // The rows that anything can be said of: what is neither required nor too new nor a text is right in any case.
  template <class Record>
  struct Telling {
    const Key<Record>* row;
    std::optional<std::string> Record::* text;  // null: not a text that may be absent
    std::optional<std::uint64_t> Record::* number;  // null: not one that has to be stated and may be
    bool newer;  // than the document's version
  };
  template <class Record>
  using Rows = std::vector<Telling<Record>>;
  template <class Record>
  [[nodiscard]] Rows<Record> telling(std::span<const Key<Record>> keys) const {
    Rows<Record> out;
    out.reserve(keys.size());
    for (const Key<Record>& row : keys) {
      const auto* const text = std::get_if<std::optional<std::string> Record::*>(&row.field);
      const auto* const number = std::get_if<std::optional<std::uint64_t> Record::*>(&row.field);
      if (const bool newer = is_newer(row); row.required || newer)
        out.push_back({&row, nullptr, number != nullptr && !newer ? *number : nullptr, newer});
      else if (text != nullptr)
        out.push_back({&row, *text, nullptr, false});
    }
    return out;
  }

  template <class Record>
  [[nodiscard]] bool is_newer(const Key<Record>& row) const {
    // V2 has no such key: its reader puts the arguments where the runtime does.
    if constexpr (std::is_same_v<Record, MetadataArgument>)
      if (row.name == ".offset") return false;
    return version_ && row.since > *version_;
  }

  // `rows`: those of `keys` that are telling.
  template <class Record>
  void record(const Record& record, std::span<const Key<Record>> keys, const Rows<Record>& rows) {
    for (const auto& [row, text, number, newer] : rows) {
      if (number != nullptr && record.*number) continue;
      if (text != nullptr) {
        if (const auto& value = record.*text; value && !is_utf8(*value)) not_utf8(row->name);
        continue;
      }
      const bool mistyped = !record.unknown.empty() &&
                            std::ranges::find(record.unknown, row->name, &NodeEntry::key) != record.unknown.end();
      std::visit([&](auto member) { value(record.*member, row->required && !mistyped, newer, *row); }, row->field);
    }
    for (const NodeEntry& entry : record.unknown) unknown(entry, keys);
  }

  template <class Record>
  void unknown(const NodeEntry& entry, std::span<const Key<Record>> keys) {
    std::string path = this->path(entry.key);
    const Key<Record>* row = find_key(keys, entry.key);
    if (row == nullptr) {
      const DiagnosticScope scope(diagnostics_, context());
      const std::string_view meant = nearest_key(entry.key, keys);
      if (meant.empty())
        diagnostics_.report(Code::HsaUnknownKey, entry.value.where.range, "kept as it is", std::move(path));
      else
        diagnostics_.report(Code::HsaMisspeltKey, entry.value.where.range,
                            fmt::format("is '{}' meant? runtimes skip or reject what they do not know", meant),
                            std::move(path));
      return;
    }
    const bool told = std::ranges::any_of(
        std::array{Code::HsaWrongType, Code::HsaUnknownValueKind, Code::HsaUnknownAddressSpace, Code::HsaUnknownAccess},
        [&](Code code) { return told_.contains({code, path}); });
    if (!told) report_mistyped(*row, entry.value, path, diagnostics_);
  }

  // --- kernels -------------------------------------------------------------------------------------------

  void kernels(const std::vector<MetadataKernel>& kernels) {
    const bool same_names = has_twins(kernels, &MetadataKernel::name);
    const bool same_symbols = has_twins(kernels, &MetadataKernel::symbol);
    std::unordered_map<std::string_view, std::size_t> names;
    std::unordered_map<std::string_view, std::size_t> symbols;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      at("amdhsa.kernels", i, [&] {
        const MetadataKernel& kernel = kernels[i];
        where_ = kernel.where.range;
        kernel_ = &kernel;
        if (same_names) unique(names, kernel.name, i, Code::HsaDuplicateKernel, ".name");
        if (same_symbols) unique(symbols, kernel.symbol, i, Code::HsaDuplicateSymbol, ".symbol");
        record(kernel, kernel_keys(), kernel_rows_);
        this->kernel(kernel);
        kernel_ = nullptr;
      });
    }
  }

  // Whether two kernels may have the same text there, which would be for a finding.
  bool has_twins(const std::vector<MetadataKernel>& kernels, std::optional<std::string> MetadataKernel::* text) {
    if (options_.allow_duplicate_kernels) return false;
    hashes_.clear();
    for (const MetadataKernel& kernel : kernels)
      if (const auto& of = kernel.*text) hashes_.push_back(std::hash<std::string>()(*of));
    std::ranges::sort(hashes_);
    return std::ranges::adjacent_find(hashes_) != hashes_.end();
  }

  void unique(std::unordered_map<std::string_view, std::size_t>& seen, const std::optional<std::string>& text,
              std::size_t index, Code code, std::string_view key) {
    if (!text) return;
    const auto [found, added] = seen.emplace(*text, index);
    if (!added) report(code, fmt::format("'{}' is also that of kernel {}", *text, found->second), key);
  }

  void kernel(const MetadataKernel& kernel) {
    if (kernel.name && kernel.name->empty()) report(Code::HsaKernelNameEmpty, "the name is empty", ".name");
    // [LDR] takes a symbol for a kernel by this suffix.
    if (kernel.symbol && !kernel.symbol->ends_with(".kd"))
      report(Code::HsaSymbolForm, fmt::format("'{}' does not end in .kd", *kernel.symbol), ".symbol");
    if (kernel.language && std::ranges::find(all_languages(), *kernel.language) == all_languages().end())
      report(Code::HsaUnknownLanguage, fmt::format("'{}' is not a known language", *kernel.language), ".language");
    if (kernel.wavefront_size && *kernel.wavefront_size != 32 && *kernel.wavefront_size != 64)
      report(Code::HsaWavefrontSize, fmt::format("expected 32 or 64, found {}", *kernel.wavefront_size),
             ".wavefront_size");
    workgroup(kernel);
    arguments(kernel);
  }

  void workgroup(const MetadataKernel& kernel) {
    const auto largest = kernel.max_flat_workgroup_size;
    if (largest && (*largest == 0 || *largest > kLargestWorkgroup))
      report(Code::HsaMaxWorkgroupSize,
             fmt::format("expected 1 to {} work-items, found {}", kLargestWorkgroup, *largest),
             ".max_flat_workgroup_size");
    if (!kernel.reqd_workgroup_size) return;
    const auto [x, y, z] = *kernel.reqd_workgroup_size;
    if (x == 0 || y == 0 || z == 0) {
      report(Code::HsaRequiredWorkgroupSize, fmt::format("[{}, {}, {}] is empty", x, y, z), ".reqd_workgroup_size");
      return;
    }
    // Divisions instead of products: three 64-bit numbers may overflow.
    const std::uint64_t limit = largest.value_or(std::numeric_limits<std::uint64_t>::max());
    if (x > limit || y > limit / x || z > limit / x / y)
      report(Code::HsaRequiredWorkgroupSize,
             fmt::format("[{}, {}, {}] is more than the {} work-items of .max_flat_workgroup_size", x, y, z, limit),
             ".reqd_workgroup_size");
  }

  // --- arguments -----------------------------------------------------------------------------------------

  void arguments(const MetadataKernel& kernel) {
    const SourceRange of_kernel = where_;
    NameSet names;
    bool twins = false, apart = true;  // some names may be the same; no two arguments share bytes
    std::uint64_t behind = 0;  // all arguments so far, while they are apart
    std::uint64_t hidden = 0;  // by kind
    std::uint64_t align_needed = 1;
    at(".args", 0, [&] {
      for (std::size_t i = 0; i < kernel.args.size(); ++i) {
        const MetadataArgument& argument = kernel.args[i];
        steps_.back().index = i;
        where_ = argument.where.range;
        record(argument, argument_keys(), argument_rows_);
        this->argument(argument, kernel.kernarg_segment_size);
        if (argument.name && !argument.name->empty()) twins |= !names.insert(*argument.name);
        if (argument.offset && argument.size.value_or(0) != 0) {
          const std::uint64_t end = *argument.offset + *argument.size;
          apart = apart && *argument.offset >= behind && end > *argument.offset;
          behind = end;
        }
        if (!argument.value_kind) continue;
        const ValueKindInfo& info = value_kind_info(*argument.value_kind);
        if (info.size > align_needed) align_needed = info.size;
        if (!info.hidden) continue;
        const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(info.kind);
        if (info.kind != ValueKind::HiddenNone && (hidden & bit) != 0)
          report(Code::HsaDuplicateHidden,
                 fmt::format("{} is also argument {}", info.name,
                             std::ranges::find(kernel.args, argument.value_kind, &MetadataArgument::value_kind) -
                                 kernel.args.begin()),
                 ".value_kind");
        hidden |= bit;
      }
    });
    if (twins) duplicate_names(kernel.args);
    if (!apart) overlaps(kernel.args);
    if (hidden != 0) hidden_order(kernel.args);
    where_ = of_kernel;
    segment_align(kernel, align_needed);
  }

  // Whether texts may be the same, by bytes of both ends: one that is new is no other.
  struct NameSet {
    std::array<std::uint64_t, 4> bits{};
    bool insert(std::string_view name) {
      constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
      const std::string_view last = name.substr(name.size() - std::min(name.size(), sizeof(std::uint64_t)));
      const std::uint64_t hash = (first_bytes(name) + first_bytes(last) * 3 + name.size()) * kMix >> 56;
      std::uint64_t& word = bits[hash / 64];
      const std::uint64_t bit = std::uint64_t{1} << hash % 64;
      const bool is_new = (word & bit) == 0;
      word |= bit;
      return is_new;
    }
  };
  void duplicate_names(const std::vector<MetadataArgument>& args) {
    names_.clear();
    for (std::size_t i = 0; i < args.size(); ++i)
      if (const auto& name = args[i].name; name && !name->empty()) names_.emplace_back(*name, i);
    std::ranges::sort(names_);
    std::size_t first = 0;
    for (std::size_t k = 1; k < names_.size(); ++k) {
      const KeyOrder& name = names_[k];
      if (!name.same_key(names_[first])) {
        first = k;
        continue;
      }
      at(".args", name.place, [&] {
        where_ = args[name.place].where.range;
        report(Code::HsaDuplicateArgumentName,
               fmt::format("'{}' is also that of argument {}", name.key, names_[first].place), ".name");
      });
    }
  }

  void segment_align(const MetadataKernel& kernel, std::uint64_t needed) {
    if (!kernel.kernarg_segment_align) return;
    const std::uint64_t align = *kernel.kernarg_segment_align;
    if (!is_power_of_two(align) || align < kSmallestKernargAlign)
      report(Code::HsaKernargAlignInvalid, fmt::format("expected a power of two of at least 4, found {}", align),
             ".kernarg_segment_align");
    else if (align < needed)
      report(Code::HsaKernargAlignTooSmall, fmt::format("{} is under the {} that an argument needs", align, needed),
             ".kernarg_segment_align");
  }

  void argument(const MetadataArgument& argument, std::optional<std::uint64_t> segment) {
    if (argument.size && *argument.size == 0) report(Code::HsaArgumentSizeZero, "the argument has no bytes", ".size");
    if (segment && argument.offset && argument.size &&
        (*argument.offset > *segment || *argument.size > *segment - *argument.offset))
      report(Code::HsaArgumentOutsideSegment,
             fmt::format("{} bytes at {} in a segment of {}", *argument.size, *argument.offset, *segment), ".offset");
    if (argument.pointee_align && !is_power_of_two(*argument.pointee_align))
      report(Code::HsaPointeeAlignInvalid, fmt::format("{} is no power of two", *argument.pointee_align),
             ".pointee_align");
    if (!argument.value_kind) return;
    const ValueKindInfo& info = value_kind_info(*argument.value_kind);
    if (version_ && info.since > *version_)
      report(Code::HsaValueKindNotInVersion, fmt::format("{} came with {}", info.name, version_info(info.since).name),
             ".value_kind");
    if (info.size != 0 && argument.size && *argument.size != 0 && *argument.size != info.size)
      report(Code::HsaArgumentSizeWrong, fmt::format("{} has {} bytes, found {}", info.name, info.size, *argument.size),
             ".size");
    alignment(argument, info);
    qualifiers(argument, info);
  }

  void alignment(const MetadataArgument& argument, const ValueKindInfo& info) {
    if (!argument.offset) return;
    if (info.size != 0) {
      // All of these are powers of two; a division takes as long as all else about an argument.
      if ((*argument.offset & (info.size - 1)) != 0)
        report(Code::HsaArgumentMisaligned,
               fmt::format("{} at {} is not aligned to {}", info.name, *argument.offset, info.size), ".offset");
      return;
    }
    const std::uint64_t size = argument.size.value_or(0);
    if (is_power_of_two(size) && size <= 8 && (*argument.offset & (size - 1)) != 0)
      report(Code::HsaValueMisaligned, fmt::format("a value of {} bytes at {}", size, *argument.offset), ".offset");
  }

  void qualifiers(const MetadataArgument& argument, const ValueKindInfo& info) {
    const bool shared = info.kind == ValueKind::DynamicSharedPointer;
    const bool pointer = shared || info.kind == ValueKind::GlobalBuffer;
    if (shared && !argument.pointee_align)
      report(Code::HsaPointeeAlignMissing, "the runtime cannot place the memory without it", ".pointee_align");
    if (pointer && !argument.address_space)
      report(Code::HsaAddressSpaceMissing, fmt::format("expected for {}", info.name), ".address_space");
    if (argument.address_space) {
      const AddressSpace space = *argument.address_space;
      const bool local = space == AddressSpace::Local || space == AddressSpace::Region;
      const bool fits = shared                                 ? local
                        : info.kind == ValueKind::GlobalBuffer ? !local
                                                               : info.kind != ValueKind::ByValue;
      if (!fits)
        report(Code::HsaAddressSpaceMismatch, fmt::format("{} memory does not go with {}", spelling(space), info.name),
               ".address_space");
    }
    if (argument.access && info.kind != ValueKind::Image && info.kind != ValueKind::Pipe)
      report(Code::HsaAccessUnexpected, fmt::format("it means nothing for {}", info.name), ".access");
  }

  struct Extent {
    std::uint64_t offset;
    std::uint64_t size;
    std::size_t index;
  };
  void overlaps(const std::vector<MetadataArgument>& args) {
    std::vector<Extent>& extents = extents_;
    extents.clear();
    for (std::size_t i = 0; i < args.size(); ++i)
      if (args[i].offset && args[i].size.value_or(0) != 0) extents.push_back({*args[i].offset, *args[i].size, i});
    if (!std::ranges::is_sorted(extents, {}, &Extent::offset)) std::ranges::stable_sort(extents, {}, &Extent::offset);
    // The argument that reaches furthest so far may hide a shorter one in between.
    std::size_t furthest = 0;
    for (std::size_t k = 1; k < extents.size(); ++k) {
      const Extent& before = extents[furthest];
      const Extent& extent = extents[k];
      const std::uint64_t distance = extent.offset - before.offset;
      if (distance < before.size) {
        at(".args", extent.index, [&] {
          where_ = args[extent.index].where.range;
          report(Code::HsaArgumentOverlap,
                 fmt::format("{} bytes at {} share bytes with argument {}", extent.size, extent.offset, before.index),
                 ".offset");
        });
      }
      if (distance >= before.size || extent.size > before.size - distance) furthest = k;
    }
  }

  // --- hidden arguments ----------------------------------------------------------------------------------

  // Where a hidden argument belongs, in bytes from the start of the hidden part.
  [[nodiscard]] std::optional<std::uint64_t> place(const ValueKindInfo& info) const {
    if (version_ && *version_ >= CodeObjectVersion::V5) {
      if (info.offset) return *info.offset;
    } else if (info.slot) {
      return *info.slot * kHiddenSlot;
    }
    return std::nullopt;
  }

  // Where compilers put hidden arguments: those of V5 in a block behind the explicit ones, those of V2 to V4 as a list
  // of eight bytes each there, those of OpenCL 2.0 as that list at the start of the segment. [LS emitHiddenKernelArgs]
  //
  // Runtimes go by `.offset` and the kernel's code reads its own place, so that other orders can be right. Converted
  // code keeps the places that it was compiled for: a convention older than the document's is a note.
  struct Hidden {
    std::size_t index;
    std::uint64_t offset;
    const ValueKindInfo* info;
  };

  // Whether all stand where an older compiler puts them, one behind the other.
  static bool in_old_list(const std::vector<Hidden>& arguments, bool from_the_start) {
    std::optional<std::uint64_t> base;
    if (from_the_start) base = 0;
    for (const auto& [index, offset, info] : arguments) {
      if (!info->slot) return false;
      const std::uint64_t place = *info->slot * kHiddenSlot;
      if (offset < place || (base && offset - place != *base)) return false;
      base = offset - place;
    }
    return true;
  }

  void hidden_order(const std::vector<MetadataArgument>& args) {
    std::vector<Hidden> hidden;  // those with an offset and a place in some convention
    std::optional<std::size_t> last_hidden, followed;  // indices; the second one has an explicit argument behind it
    bool behind_explicit = false;  // any of them
    std::size_t explicit_count = 0;
    for (std::size_t i = 0; i < args.size(); ++i) {
      const MetadataArgument& argument = args[i];
      if (!argument.value_kind) continue;
      const ValueKindInfo& info = value_kind_info(*argument.value_kind);
      if (!info.hidden) {
        ++explicit_count;
        if (!followed) followed = last_hidden;
        continue;
      }
      last_hidden = i;
      behind_explicit = behind_explicit || explicit_count != 0;
      if (argument.offset && (info.slot || info.offset)) hidden.push_back({i, *argument.offset, &info});
    }
    if (!last_hidden) return;
    const auto older = [&](std::string_view where) {
      at(".args", *last_hidden, [&] {
        where_ = args[*last_hidden].where.range;
        report(Code::HsaHiddenOlder, fmt::format("the hidden arguments stand {}", where), ".offset");
      });
    };
    if (followed && !behind_explicit && in_old_list(hidden, true)) {
      older("in front of the others, as in argument blocks of OpenCL 2.0");
      return;
    }
    if (followed)
      at(".args", *followed, [&] {
        where_ = args[*followed].where.range;
        report(Code::HsaHiddenBeforeExplicit, "an explicit argument stands behind it", ".value_kind");
      });
    hidden_places(args, hidden, older);
  }

  template <class Older>
  void hidden_places(const std::vector<MetadataArgument>& args, const std::vector<Hidden>& hidden, Older older) {
    std::optional<std::uint64_t> base;  // offset of the hidden part, by its first argument with a place
    std::vector<std::string> wrong;
    std::size_t first = 0, count = 0;
    for (const auto& [index, offset, info] : hidden) {
      const auto expected = place(*info);
      if (!expected) continue;
      if (!base && offset >= *expected) base = offset - *expected;
      if (base && offset == *base + *expected) continue;
      if (count++ == 0) first = index;
      if (count > kShownPlaces) continue;
      wrong.push_back(
          base ? fmt::format("{} belongs at {}, found at {}", info->name, *base + *expected, offset)
               : fmt::format("{} at {} leaves no room for the {} bytes before it", info->name, offset, *expected));
    }
    if (count == 0) return;
    if (version_ && *version_ >= CodeObjectVersion::V5 && in_old_list(hidden, false)) {
      older("in the places of V2 to V4, where the code that was compiled for them reads them");
      return;
    }
    if (count > kShownPlaces) wrong.push_back(fmt::format("{} more", count - kShownPlaces));
    at(".args", first, [&] {
      where_ = args[first].where.range;
      report(Code::HsaHiddenPlace, fmt::format("{}", fmt::join(wrong, "; ")), ".offset");
    });
  }

  // --- printf --------------------------------------------------------------------------------------------

  void printf(const std::vector<std::string>& strings) {
    std::unordered_map<std::uint32_t, std::size_t> ids;
    for (std::size_t i = 0; i < strings.size(); ++i) at("amdhsa.printf", i, [&] { this->printf(strings[i], i, ids); });
  }

  void printf(const std::string& text, std::size_t index, std::unordered_map<std::uint32_t, std::size_t>& ids) {
    if (!is_utf8(text)) not_utf8();
    const auto decoded = decode_printf(text);
    if (!decoded) {
      report(decoded.error().code, decoded.error().message);
      return;
    }
    if (decoded->hostcall) return;
    const auto [found, added] = ids.emplace(decoded->id, index);
    if (!added)
      report(Code::HsaPrintfDuplicateId, fmt::format("ID {} is also that of string {}", decoded->id, found->second));
    if (decoded->sizes.size() != decoded->arguments)
      report(Code::HsaPrintfCount,
             fmt::format("{} arguments announced, {} sizes listed", decoded->arguments, decoded->sizes.size()));
    for (const std::uint32_t size : decoded->sizes)
      if (size % 4 != 0) report(Code::HsaPrintfSize, fmt::format("{} is no multiple of 4", size));
    if (decoded->raw_colon) report(Code::HsaPrintfRawColon, "write \\72 for a colon in the format");
  }

  Diagnostics& diagnostics_;
  const VerifyOptions& options_;
  struct Step {
    std::string_view key;
    std::size_t index;
  };
  std::optional<CodeObjectVersion> version_;
  Rows<MetadataKernel> kernel_rows_;  // telling ones
  Rows<MetadataArgument> argument_rows_;
  std::vector<Step> steps_;
  const MetadataKernel* kernel_ = nullptr;  // at the current path
  SourceRange where_;
  // Room for what is looked at at once: names of kernels or of the arguments of one, and the places of these.
  std::vector<KeyOrder> names_;
  std::vector<std::size_t> hashes_;
  std::vector<Extent> extents_;
  // A finding about keys and types that a reader has left. (No pair: g++ would export what the library makes of one.)
  struct Told {
    Code code;
    std::string path;
    auto operator<=>(const Told&) const = default;
  };
  std::set<Told> told_;
};

}  // namespace

bool verify(const Metadata& metadata, Diagnostics& diagnostics, const VerifyOptions& options) {
  const std::size_t errors = diagnostics.count(Severity::Error);
  Verifier(diagnostics, options).root(metadata);
  return diagnostics.count(Severity::Error) == errors;
}

}  // namespace amdcompat::hsa
