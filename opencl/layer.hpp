// What all calls of the layer share.
#pragma once

#include <CL/cl_layer.h>

#include <mutex>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cache.hpp"
#include "host_memory.hpp"
#include "log.hpp"
#include "posed_devices.hpp"
#include "registry.hpp"
#include "settings.hpp"

namespace amdcompat::layer {

// The device that answers as another one.
struct Posing {
  const PosedDevice* as = nullptr;  // null: none does
  std::once_flag looked{};  // for the device: on the host's first call, not while the loader initialises the layer
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;  // null: none was found
};

// Lives as long as the process: host threads may call until its very end.
struct Layer {
  Layer(const cl_icd_dispatch& table, const Layer* earlier) : next(table), before(earlier) {}

  cl_icd_dispatch next;  // of the layer below; entries that it does not have are null
  cl_icd_dispatch queries{};  // what the layer itself answers, before the host's memory is cleared behind it
  const Layer* before;  // of an earlier initialisation: calls may still be in it
  Settings settings = read_settings();
  Log log{settings.log};
  Cache cache{settings.cache, settings.cache_bytes};
  Registry registry{};
  HostMemory host_memory{};
  Posing posing{};
};
// Valid once the loader has initialised the layer, which is before any call of the host gets here.
[[nodiscard]] Layer& layer();

// What a call answers when the layer itself cannot go on: no exception leaves it.
inline constexpr cl_int kFailed = CL_OUT_OF_HOST_MEMORY;

// What a call says besides, where the host asks for it.
inline void set(cl_int* error, cl_int value) {
  if (error != nullptr) *error = value;
}

// An answer of a query, as every clGet…Info gives it [OpenCL 1.2 §4.1]: `size` bytes, or an error where the host's
// memory is too small.
[[nodiscard]] cl_int answer(const void* data, std::size_t size, std::size_t room, void* value, std::size_t* size_ret);
// A string with its NUL.
[[nodiscard]] cl_int answer(std::string_view text, std::size_t room, void* value, std::size_t* size_ret);
template <class T>
[[nodiscard]] cl_int answer_value(const T& data, std::size_t room, void* value, std::size_t* size_ret) {
  return answer(&data, sizeof data, room, value, size_ret);
}
template <class T>
[[nodiscard]] cl_int answer_list(const std::vector<T>& list, std::size_t room, void* value, std::size_t* size_ret) {
  return answer(list.data(), list.size() * sizeof(T), room, value, size_ret);
}

// Puts the layer's calls into the table, where the layer below has what they need.
void override_programs(cl_icd_dispatch& table);
void override_devices(cl_icd_dispatch& table);  // when it poses
void override_queries(cl_icd_dispatch& table);  // by calls of `Layer::queries`

// An entry point that the runtime lacks stays without one.
template <class Entry>
void put(Entry& entry, std::type_identity_t<Entry> ours) {
  if (entry != nullptr) entry = ours;
}

}  // namespace amdcompat::layer
