// Queries whose answer is shorter than the host's memory for it: AMD's runtime cleared the rest, others leave it.
//
// Hosts came to need that: they ask for a `cl_uint`, such as the number of a program's devices, with a `size_t` that
// they never set, and take its upper half for part of the number. [ROCclr, opencl/amdocl/cl_common.hpp: clGetInfo; that
// Catalyst's did the same is not verified]
#include <cstring>
#include <limits>

#include "layer.hpp"

namespace amdcompat::layer {
namespace {

template <auto Query, class... Keys>
cl_int cleared(std::size_t room, void* value, std::size_t* size_ret, Keys... keys) {
  constexpr std::size_t unset = std::numeric_limits<std::size_t>::max();
  std::size_t size = unset;
  const cl_int status = (layer().queries.*Query)(keys..., room, value, &size);
  if (size == unset) return status;
  if (size_ret != nullptr) *size_ret = size;
  if (status == CL_SUCCESS && value != nullptr && size < room)
    std::memset(static_cast<std::byte*>(value) + size, 0, room - size);
  return status;
}

template <auto Query, class Object, class What>
cl_int CL_API_CALL ask(Object object, What what, std::size_t room, void* value, std::size_t* size_ret) {
  return cleared<Query>(room, value, size_ret, object, what);
}
template <auto Query, class Object, class Of, class What>
cl_int CL_API_CALL ask(Object object, Of of, What what, std::size_t room, void* value, std::size_t* size_ret) {
  return cleared<Query>(room, value, size_ret, object, of, what);
}

template <auto... Queries>
void put_all(cl_icd_dispatch& table) {
  (put(table.*Queries, ask<Queries>), ...);
}

}  // namespace

void override_queries(cl_icd_dispatch& table) {
  using D = cl_icd_dispatch;
  put_all<&D::clGetPlatformInfo, &D::clGetDeviceInfo, &D::clGetContextInfo, &D::clGetCommandQueueInfo,
          &D::clGetMemObjectInfo, &D::clGetImageInfo, &D::clGetSamplerInfo, &D::clGetProgramInfo,
          &D::clGetProgramBuildInfo, &D::clGetKernelInfo, &D::clGetKernelWorkGroupInfo, &D::clGetKernelArgInfo,
          &D::clGetEventInfo, &D::clGetEventProfilingInfo>(table);
}

}  // namespace amdcompat::layer
