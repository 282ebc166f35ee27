// The interface to the loader of OpenCL. [Khronos cl_layer.h; ocl-icd 2.3; Khronos OpenCL-ICD-Loader]
#include "layer.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <amdcompat/version.hpp>

namespace amdcompat::layer {
namespace {

constexpr std::string_view kName = "amdcompat: programs of AMD's Catalyst compilers";
constexpr std::size_t kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);

Layer* instance = nullptr;
cl_icd_dispatch table;

}  // namespace

Layer& layer() { return *instance; }

cl_int answer(const void* data, std::size_t size, std::size_t room, void* value, std::size_t* size_ret) {
  if (size_ret != nullptr) *size_ret = size;
  if (value == nullptr) return CL_SUCCESS;
  if (room < size) return CL_INVALID_VALUE;
  if (size != 0) std::memcpy(value, data, size);
  return CL_SUCCESS;
}

cl_int answer(std::string_view text, std::size_t room, void* value, std::size_t* size_ret) {
  const std::string whole(text);
  return answer(whole.c_str(), whole.size() + 1, room, value, size_ret);
}

namespace {

cl_int init(cl_uint entries, const cl_icd_dispatch& target) {
  // Another loader may have more functions than this layer knows of, or fewer.
  cl_icd_dispatch next{};
  const std::size_t known = std::min<std::size_t>(entries, kEntries);
  std::memcpy(&next, &target, known * sizeof(void*));
  instance = new Layer(next, instance);
  table = next;
  override_programs(table);
  if (!instance->settings.pose.empty()) override_devices(table);
  instance->queries = table;
  override_queries(table);
  instance->log.line(fmt::format("version {}, {} functions below", AMDCOMPAT_VERSION, entries));
  return CL_SUCCESS;
}

}  // namespace
}  // namespace amdcompat::layer

extern "C" {

[[gnu::visibility("default")]] CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, std::size_t room,
                                                                              void* value, std::size_t* size_ret) {
  try {
    using namespace amdcompat::layer;
    if (name == CL_LAYER_API_VERSION) {
      constexpr cl_layer_api_version version = CL_LAYER_API_VERSION_100;
      return answer_value(version, room, value, size_ret);
    }
    if (name == CL_LAYER_NAME) return answer(kName, room, value, size_ret);
  } catch (...) {
    return CL_OUT_OF_HOST_MEMORY;
  }
  return CL_INVALID_VALUE;
}

// Nothing of OpenCL may be called from here: the loader holds its lock.
[[gnu::visibility("default")]] CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries,
                                                                           const cl_icd_dispatch* target,
                                                                           cl_uint* entries_ret,
                                                                           const cl_icd_dispatch** table_ret) {
  using namespace amdcompat::layer;
  if (target == nullptr || entries_ret == nullptr || table_ret == nullptr) return CL_INVALID_VALUE;
  try {
    const cl_int status = init(entries, *target);
    if (status != CL_SUCCESS) return status;
  } catch (...) {
    return CL_OUT_OF_HOST_MEMORY;
  }
  *entries_ret = std::min<cl_uint>(entries, static_cast<cl_uint>(kEntries));
  *table_ret = &table;
  return CL_SUCCESS;
}

}  // extern "C"
