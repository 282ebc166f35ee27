// Writes MessagePack: maps sorted by key, every integer and length in its shortest form. [LLVM's writer does the
// same: tests/hsa compares with what llvm-mc puts into the note]
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <msgpack.hpp>

#include <amdcompat/hsa.hpp>

#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

struct StringStream {
  std::string bytes;
  void write(const char* data, std::size_t size) { bytes.append(data, size); }
};
using Packer = msgpack::packer<StringStream>;

void pack_text(Packer& packer, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  packer.pack_str(size);
  packer.pack_str_body(text.data(), size);
}

// packer.pack_double would turn a real number without a fraction into an integer, which is another type.
void pack_real(StringStream& stream, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::array<char, 9> bytes{'\xCB'};
  for (std::size_t i = 0; i < 8; ++i)
    bytes[i + 1] = static_cast<char>(static_cast<unsigned char>(bits >> (56 - 8 * i)));
  stream.write(bytes.data(), bytes.size());
}

class MsgpackWriter {
 public:
  std::string take() { return std::move(stream_.bytes); }

  template <class Record>
  void record(const Record& record, std::span<const Key<Record>> keys) {
    // What the tables do not know has its place among the other keys.
    if (!record.unknown.empty()) {
      value(to_node(record));
      return;
    }
    std::uint64_t written = 0;  // by row
    for (std::size_t n = 0; n < keys.size(); ++n) written |= std::uint64_t{is_written(record, keys[n])} << n;
    packer_.pack_map(static_cast<std::uint32_t>(std::popcount(written)));
    for (; written != 0; written &= written - 1) {
      const Key<Record>& row = keys[static_cast<std::size_t>(std::countr_zero(written))];
      value(row.name);
      std::visit([&](auto member) { value(record.*member); }, row.field);
    }
  }

 private:
  void value(std::uint64_t number) { packer_.pack_uint64(number); }
  void value(std::int64_t number) { packer_.pack_int64(number); }
  void value(bool truth) { truth ? packer_.pack_true() : packer_.pack_false(); }
  void value(Node::Nil) { packer_.pack_nil(); }
  void value(double number) { pack_real(stream_, number); }
  void value(std::string_view text) { pack_text(packer_, text); }
  void value(const std::string& text) { pack_text(packer_, text); }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void value(Enum which) {
    pack_text(packer_, spelling(which));
  }
  void value(const MetadataArgument& argument) { record(argument, argument_keys()); }
  void value(const MetadataKernel& kernel) { record(kernel, kernel_keys()); }
  template <class T>
  void value(const std::optional<T>& held) {
    value(*held);
  }
  template <class T>
  void list(const T& items) {
    packer_.pack_array(static_cast<std::uint32_t>(items.size()));
    for (const auto& item : items) value(item);
  }
  template <class T>
  void value(const std::vector<T>& items) {
    list(items);
  }
  template <std::size_t Size>
  void value(const std::array<std::uint64_t, Size>& items) {
    list(items);
  }
  void value(const Node::Map& entries) {
    packer_.pack_map(static_cast<std::uint32_t>(entries.size()));
    for (const NodeEntry& entry : entries) {
      value(entry.key);
      value(entry.value);
    }
  }
  void value(const Node& node) {
    std::visit([&](const auto& held) { value(held); }, node.value);
  }

  StringStream stream_;
  Packer packer_{stream_};
};

}  // namespace

std::string to_msgpack(const Metadata& metadata) {
  MsgpackWriter writer;
  writer.record(metadata, root_keys());
  return writer.take();
}

}  // namespace amdcompat::hsa
