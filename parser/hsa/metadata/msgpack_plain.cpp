// Reads MessagePack straight into the model, as long as the document is as compilers write it: keys of the tables, each
// once, values of their types. What is anything else is left to the reader that keeps tokens and can say what is wrong.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <msgpack.hpp>

#include <amdcompat/hsa.hpp>

#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

// A map of the tables while it is read.
template <class Record>
struct Map {
  Record* record = nullptr;
  const Key<Record>* row = nullptr;  // of the last key
  std::size_t next = 0;  // one more than the last row
  std::uint64_t seen = 0;  // rows
  std::size_t begin = 0;  // of its bytes
  // The row that came behind each, by `next`, in a map before: compilers write the same keys for most records.
  std::array<std::uint8_t, 65> follows{};

  void start(Record& of, std::size_t at) {
    record = &of;
    row = nullptr;
    next = 0;
    seen = 0;
    begin = at;
  }
  bool key(std::span<const Key<Record>> keys, std::string_view name) {
    std::uint8_t& likely = follows[next];
    row = &keys[likely];
    if (!is_same(row->name, name)) {
      row = find_key(keys, name, next);
      if (row == nullptr) return false;
      likely = static_cast<std::uint8_t>(row - keys.data());
    }
    next = likely + std::size_t{1};
    const std::uint64_t bit = std::uint64_t{1} << (next - 1);
    const bool first = (seen & bit) == 0;
    seen |= bit;
    return first;
  }
  // The member that the last key names, if it is a T.
  template <class T>
  [[nodiscard]] T* member() const {
    const auto* const field = std::get_if<T Record::*>(&row->field);
    return field == nullptr ? nullptr : &(record->**field);
  }
};

// False from any function: not a plain document.
class PlainVisitor : public msgpack::null_visitor {
 public:
  PlainVisitor(std::string_view bytes, std::uint32_t base, Metadata& out) : bytes_(bytes), base_(base), out_(out) {}

  [[nodiscard]] bool whole() const { return done_ && at_ == bytes_.size(); }

  bool visit_nil() { return false; }
  bool visit_negative_integer(std::int64_t) { return false; }
  bool visit_float32(float) { return false; }
  bool visit_float64(double) { return false; }
  bool visit_bin(const char*, std::uint32_t) { return false; }
  bool visit_ext(const char*, std::uint32_t) { return false; }

  bool visit_boolean(bool value) {
    ++at_;
    return !key_ && in_ == In::Argument && store<std::optional<bool>>(argument_, value);
  }

  bool visit_positive_integer(std::uint64_t value) {
    if (key_) return false;
    at_ += head_size();
    switch (in_) {
      case In::Argument: return store<std::optional<std::uint64_t>>(argument_, value);
      case In::Kernel: return store<std::optional<std::uint64_t>>(kernel_, value);
      case In::Numbers: numbers_[number_++] = value; return true;
      default: return false;
    }
  }

  bool visit_str(const char* text, std::uint32_t size) {
    const std::string_view view(text, size);
    at_ = size == 0 ? at_ + head_size() : static_cast<std::size_t>(text - bytes_.data()) + size;
    switch (in_) {
      case In::Argument: return key_ ? argument_.key(argument_keys_, view) : argument_text(view);
      case In::Kernel: return key_ ? kernel_.key(kernel_keys_, view) : store<Text>(kernel_, view);
      case In::Root: return key_ ? root_.key(root_keys(), view) : store<Text>(root_, view);
      case In::Texts: return list_text(view);
      default: return false;
    }
  }

  bool start_map_key() { return key_ = true; }
  bool start_map_value() {
    key_ = false;
    return true;
  }

  bool start_map(std::uint32_t) {
    const std::size_t begin = at_;
    at_ += head_size();
    switch (in_) {
      case In::Nothing:
        root_.start(out_, begin);
        in_ = In::Root;
        return !done_;
      case In::Kernels:
        kernel_.start(out_.kernels.emplace_back(), begin);
        in_ = In::Kernel;
        return true;
      case In::Arguments:
        argument_.start(kernel_.record->args.emplace_back(), begin);
        in_ = In::Argument;
        return true;
      default: return false;
    }
  }

  bool end_map() {
    key_ = false;
    switch (in_) {
      case In::Argument:
        argument_.record->where = {range(argument_.begin)};
        in_ = In::Arguments;
        return true;
      case In::Kernel:
        kernel_.record->where = {range(kernel_.begin)};
        kernel_.record->args_absent = !has(kernel_, kernel_keys(), ".args");
        in_ = In::Kernels;
        return true;
      default:
        out_.where = {range(root_.begin)};
        in_ = In::Nothing;
        done_ = true;
        return has(root_, root_keys(), "amdhsa.kernels");
    }
  }

  bool start_array(std::uint32_t count) {
    if (key_) return false;
    at_ += head_size();
    if (in_ == In::Root) {
      if (auto* const kernels = root_.member<std::vector<MetadataKernel>>()) return list(*kernels, count, In::Kernels);
      texts_ = root_.member<std::vector<std::string>>();
      if (texts_ != nullptr) return list(*texts_, count, In::Texts);
      return numbers(root_, count);
    }
    if (in_ != In::Kernel) return false;
    if (auto* const args = kernel_.member<std::vector<MetadataArgument>>()) return list(*args, count, In::Arguments);
    return numbers(kernel_, count);
  }

  bool end_array() {
    switch (in_) {
      case In::Arguments: in_ = In::Kernel; return true;
      case In::Numbers: in_ = outer_; return outer_ == In::Root ? put_numbers(root_) : put_numbers(kernel_);
      default: in_ = In::Root; return true;
    }
  }

  void parse_error(std::size_t, std::size_t) {}
  void insufficient_bytes(std::size_t, std::size_t) {}

 private:
  using Text = std::optional<std::string>;
  enum class In : std::uint8_t { Nothing, Root, Kernels, Kernel, Arguments, Argument, Texts, Numbers };

  [[nodiscard]] std::size_t head_size() const { return msgpack_head_size(static_cast<unsigned char>(bytes_[at_])); }

  [[nodiscard]] SourceRange range(std::size_t begin) const {
    return {base_ + static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin)};
  }

  template <class Record>
  static bool has(const Map<Record>& map, std::span<const Key<Record>> keys, std::string_view name) {
    return (map.seen >> (find_key(keys, name) - keys.data()) & 1) != 0;
  }

  template <class T, class Record, class Value>
  static bool store(const Map<Record>& map, const Value& value) {
    T* const member = map.template member<T>();
    if (member == nullptr) return false;
    member->emplace(value);
    return true;
  }

  // Not in line with what most texts are.
  [[gnu::noinline]] bool list_text(std::string_view text) {
    texts_->emplace_back(text);
    return true;
  }
  bool argument_text(std::string_view text) {
    if (auto* const kind = argument_.member<std::optional<ValueKind>>())
      return (*kind = find_value_kind(text)).has_value();
    if (auto* const space = argument_.member<std::optional<AddressSpace>>())
      return (*space = find_spelling(all_address_spaces(), text)).has_value();
    if (auto* const access = argument_.member<std::optional<AccessQualifier>>())
      return (*access = find_spelling(all_access_qualifiers(), text)).has_value();
    return store<Text>(argument_, text);
  }

  // A count that the bytes cannot hold is for the other reader. The least bytes of a record of the tables: its required
  // keys alone take more.
  template <class T>
  bool list(std::vector<T>& out, std::uint32_t count, In in) {
    constexpr std::size_t kLeast = std::is_same_v<T, std::string> ? 1 : 24;
    if (count > (bytes_.size() - at_) / kLeast) return false;
    out.reserve(count);
    in_ = in;
    return true;
  }

  template <class Record>
  bool numbers(const Map<Record>& map, std::uint32_t count) {
    const bool fits = count == 2   ? map.template member<std::optional<std::array<std::uint64_t, 2>>>() != nullptr
                      : count == 3 ? map.template member<std::optional<std::array<std::uint64_t, 3>>>() != nullptr
                                   : false;
    outer_ = in_;
    in_ = In::Numbers;
    number_ = 0;
    return fits;
  }
  template <class Record>
  bool put_numbers(const Map<Record>& map) {
    if (auto* const two = map.template member<std::optional<std::array<std::uint64_t, 2>>>())
      *two = {numbers_[0], numbers_[1]};
    else if (auto* const three = map.template member<std::optional<std::array<std::uint64_t, 3>>>())
      *three = numbers_;
    return true;
  }

  std::span<const Key<MetadataKernel>> kernel_keys_ = kernel_keys();
  std::span<const Key<MetadataArgument>> argument_keys_ = argument_keys();
  std::string_view bytes_;
  std::uint32_t base_;
  Metadata& out_;
  std::size_t at_ = 0;  // the first byte of the next value
  In in_ = In::Nothing, outer_ = In::Nothing;
  bool key_ = false, done_ = false;
  Map<Metadata> root_;
  Map<MetadataKernel> kernel_;
  Map<MetadataArgument> argument_;
  std::vector<std::string>* texts_ = nullptr;
  std::array<std::uint64_t, 3> numbers_{};
  std::size_t number_ = 0;
};

}  // namespace

std::optional<Metadata> read_plain_msgpack(std::string_view bytes, const ReadOptions& options) {
  constexpr std::size_t kDepth = 8;  // of a plain document, at most
  // Every value has a byte at least: within these no limit is reached.
  if (bytes.empty() || bytes.size() > options.max_bytes || bytes.size() > options.max_values ||
      options.max_depth < kDepth || bytes.size() > std::numeric_limits<std::uint32_t>::max() - options.base)
    return std::nullopt;
  std::optional<Metadata> out(std::in_place);
  PlainVisitor visitor(bytes, options.base, *out);
  std::size_t parsed = 0;
  try {
    if (!msgpack::parse(bytes.data(), bytes.size(), parsed, visitor) || !visitor.whole()) out.reset();
  } catch (const msgpack::unpack_error&) {
    out.reset();
  }
  return out;
}

}  // namespace amdcompat::hsa
