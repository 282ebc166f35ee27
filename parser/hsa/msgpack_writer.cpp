// Writes MessagePack: maps sorted by key, every integer and length in its shortest form. [LLVM's writer does the
// same: tests/hsa compares with what llvm-mc puts into the note]
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <msgpack.hpp>

#include <amdcompat/hsa.hpp>

namespace amdcompat::hsa {
namespace {

struct StringStream {
  std::string bytes;
  void write(const char* data, std::size_t size) { bytes.append(data, size); }
};
using Packer = msgpack::packer<StringStream>;

void pack_text(Packer& packer, const std::string& text) {
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

void pack(StringStream& stream, Packer& packer, const Node& node) {
  std::visit(
      [&]<class T>(const T& value) {
        if constexpr (std::is_same_v<T, Node::Nil>) {
          packer.pack_nil();
        } else if constexpr (std::is_same_v<T, bool>) {
          value ? packer.pack_true() : packer.pack_false();
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
          packer.pack_uint64(value);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          packer.pack_int64(value);
        } else if constexpr (std::is_same_v<T, double>) {
          pack_real(stream, value);
        } else if constexpr (std::is_same_v<T, std::string>) {
          pack_text(packer, value);
        } else if constexpr (std::is_same_v<T, Node::Array>) {
          packer.pack_array(static_cast<std::uint32_t>(value.size()));
          for (const Node& item : value) pack(stream, packer, item);
        } else {
          static_assert(std::is_same_v<T, Node::Map>);
          packer.pack_map(static_cast<std::uint32_t>(value.size()));
          for (const NodeEntry& entry : value) {
            pack_text(packer, entry.key);
            pack(stream, packer, entry.value);
          }
        }
      },
      node.value);
}

}  // namespace

std::string to_msgpack(const Metadata& metadata) {
  StringStream stream;
  Packer packer(stream);
  pack(stream, packer, to_node(metadata));
  return std::move(stream.bytes);
}

}  // namespace amdcompat::hsa
