// A request as bytes, for a process that was there before it was made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "runner.hpp"

namespace amdcompat::opencl {

namespace packing {

template <class T>
auto members(T& of) {
  using Kind = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Kind, Request>) {
    return std::tie(of.source, of.options, of.launches, of.seconds, of.runtime, of.unset_values, of.unset_local,
                    of.as_hosts_build, of.all_cores, of.device);
  } else if constexpr (std::is_same_v<Kind, Launch>) {
    return std::tie(of.kernel, of.dimensions, of.global, of.local, of.offset, of.arguments, of.repeats);
  } else if constexpr (std::is_same_v<Kind, Image>) {
    return std::tie(of.kind, of.size, of.order, of.type, of.bytes, of.written);
  } else if constexpr (std::is_same_v<Kind, Buffer>) {
    return std::tie(of.bytes, of.read_only);
  } else {
    static_assert(std::is_same_v<Kind, Value>);
    return std::tie(of.bytes);
  }
}

template <class T>
void put(std::string& to, const T& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    to.append(reinterpret_cast<const char*>(&value), sizeof(value));
  } else if constexpr (std::is_same_v<T, Argument>) {
    put(to, value.index());
    std::visit([&to](const auto& one) { put(to, one); }, value);
  } else if constexpr (requires { value.size(); }) {
    put(to, value.size());
    if constexpr (sizeof(typename T::value_type) == 1)
      to.append(reinterpret_cast<const char*>(value.data()), value.size());
    else
      for (const auto& one : value) put(to, one);
  } else {
    std::apply([&to](const auto&... member) { (put(to, member), ...); }, members(value));
  }
}

// False: the bytes end before the value.
template <class T>
bool take(std::string_view& from, T& value) {
  const auto bytes = [&from](void* to, std::size_t size) {
    if (size > from.size()) return false;
    if (size != 0) std::memcpy(to, from.data(), size);
    from.remove_prefix(size);
    return true;
  };
  if constexpr (std::is_trivially_copyable_v<T>) {
    return bytes(&value, sizeof(value));
  } else if constexpr (std::is_same_v<T, Argument>) {
    std::size_t index = 0;
    if (!take(from, index)) return false;
    return [&]<std::size_t... N>(std::index_sequence<N...>) {
      return ((N == index && take(from, value.template emplace<N>())) || ...);
    }(std::make_index_sequence<std::variant_size_v<Argument>>());
  } else if constexpr (requires { value.size(); }) {
    std::size_t size = 0;
    if (!take(from, size) || size > from.size()) return false;
    value.resize(size);
    if constexpr (sizeof(typename T::value_type) == 1) return bytes(value.data(), size);
    for (auto& one : value)
      if (!take(from, one)) return false;
    return true;
  } else {
    return std::apply([&from](auto&... member) { return (take(from, member) && ...); }, members(value));
  }
}

}  // namespace packing

// The launches from `first` on are asked for.
inline std::string packed(const Request& request, std::size_t first) {
  std::string out;
  packing::put(out, first);
  packing::put(out, request);
  return out;
}
// False: those are not the bytes of one.
inline bool unpack(std::string_view bytes, Request& request, std::size_t& first) {
  return packing::take(bytes, first) && packing::take(bytes, request) && bytes.empty();
}

}  // namespace amdcompat::opencl
