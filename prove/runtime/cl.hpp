// What this library calls of OpenCL: types, numbers and signatures as the ABI of every libOpenCL.so.1 has them
// [OpenCL 1.2 §4, §5; Khronos OpenCL-Headers, CL/cl.h]. The functions are looked up at run time, so that neither a
// build nor a user who proves nothing needs OpenCL.
#pragma once

#include <cstddef>
#include <cstdint>

namespace amdcompat::opencl {

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_bool = cl_uint;
using cl_bitfield = std::uint64_t;
using cl_platform_id = struct PlatformObject*;
using cl_device_id = struct DeviceObject*;
using cl_context = struct ContextObject*;
using cl_command_queue = struct QueueObject*;
using cl_program = struct ProgramObject*;
using cl_kernel = struct KernelObject*;
using cl_mem = struct MemoryObject*;
using cl_sampler = struct SamplerObject*;
using cl_event = struct EventObject*;
using cl_context_properties = std::intptr_t;

inline constexpr cl_int CL_SUCCESS = 0;
inline constexpr cl_bool CL_FALSE = 0, CL_TRUE = 1;
inline constexpr cl_bitfield CL_DEVICE_TYPE_ALL = 0xffffffff;
inline constexpr cl_uint CL_PLATFORM_VERSION = 0x0901, CL_PLATFORM_NAME = 0x0902, CL_PLATFORM_VENDOR = 0x0903;
inline constexpr cl_uint CL_DEVICE_TYPE = 0x1000, CL_DEVICE_VENDOR_ID = 0x1001, CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
                         CL_DEVICE_IMAGE_SUPPORT = 0x1016, CL_DEVICE_GLOBAL_MEM_SIZE = 0x101f,
                         CL_DEVICE_LOCAL_MEM_SIZE = 0x1023, CL_DEVICE_VERSION = 0x102f,
                         CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032;
inline constexpr cl_uint CL_DEVICE_SINGLE_FP_CONFIG = 0x101b;
inline constexpr cl_uint CL_DEVICE_NAME = 0x102b;
inline constexpr cl_bitfield CL_FP_DENORM = 1, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 128;
inline constexpr cl_bitfield CL_MEM_READ_WRITE = 1, CL_MEM_READ_ONLY = 4, CL_MEM_COPY_HOST_PTR = 32;
inline constexpr cl_bitfield CL_MEM_WRITE_ONLY = 2;
inline constexpr cl_uint CL_MEM_OBJECT_IMAGE2D = 0x10f1, CL_MEM_OBJECT_IMAGE3D = 0x10f2,
                         CL_MEM_OBJECT_IMAGE2D_ARRAY = 0x10f3, CL_MEM_OBJECT_IMAGE1D = 0x10f4,
                         CL_MEM_OBJECT_IMAGE1D_ARRAY = 0x10f5, CL_MEM_OBJECT_IMAGE1D_BUFFER = 0x10f6;
inline constexpr cl_uint CL_PROGRAM_BUILD_LOG = 0x1183;

struct cl_image_format {
  cl_uint image_channel_order;
  cl_uint image_channel_data_type;
};
struct cl_image_desc {
  cl_uint image_type;
  std::size_t image_width;
  std::size_t image_height;
  std::size_t image_depth;
  std::size_t image_array_size;
  std::size_t image_row_pitch;
  std::size_t image_slice_pitch;
  cl_uint num_mip_levels;
  cl_uint num_samples;
  cl_mem buffer;
};

using ContextNotify = void (*)(const char*, const void*, std::size_t, void*);
using ProgramNotify = void (*)(cl_program, void*);

// X(name, result, parameters): of `clname`.
// clang-format off
#define AMDCOMPAT_OPENCL_FUNCTIONS(X) \
  X(GetPlatformIDs, cl_int, (cl_uint, cl_platform_id*, cl_uint*)) \
  X(GetPlatformInfo, cl_int, (cl_platform_id, cl_uint, std::size_t, void*, std::size_t*)) \
  X(GetDeviceIDs, cl_int, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id*, cl_uint*)) \
  X(GetDeviceInfo, cl_int, (cl_device_id, cl_uint, std::size_t, void*, std::size_t*)) \
  X(CreateContext, cl_context, \
    (const cl_context_properties*, cl_uint, const cl_device_id*, ContextNotify, void*, cl_int*)) \
  X(CreateCommandQueue, cl_command_queue, (cl_context, cl_device_id, cl_bitfield, cl_int*)) \
  X(CreateProgramWithSource, cl_program, (cl_context, cl_uint, const char**, const std::size_t*, cl_int*)) \
  X(BuildProgram, cl_int, (cl_program, cl_uint, const cl_device_id*, const char*, ProgramNotify, void*)) \
  X(GetProgramBuildInfo, cl_int, (cl_program, cl_device_id, cl_uint, std::size_t, void*, std::size_t*)) \
  X(CreateKernel, cl_kernel, (cl_program, const char*, cl_int*)) \
  X(SetKernelArg, cl_int, (cl_kernel, cl_uint, std::size_t, const void*)) \
  X(CreateBuffer, cl_mem, (cl_context, cl_bitfield, std::size_t, void*, cl_int*)) \
  X(CreateImage, cl_mem, \
    (cl_context, cl_bitfield, const cl_image_format*, const cl_image_desc*, void*, cl_int*)) \
  X(CreateSampler, cl_sampler, (cl_context, cl_bool, cl_uint, cl_uint, cl_int*)) \
  X(EnqueueNDRangeKernel, cl_int, (cl_command_queue, cl_kernel, cl_uint, const std::size_t*, const std::size_t*, \
    const std::size_t*, cl_uint, const cl_event*, cl_event*)) \
  X(EnqueueReadBuffer, cl_int, (cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, void*, cl_uint, \
    const cl_event*, cl_event*)) \
  X(EnqueueReadImage, cl_int, (cl_command_queue, cl_mem, cl_bool, const std::size_t*, const std::size_t*, \
    std::size_t, std::size_t, void*, cl_uint, const cl_event*, cl_event*)) \
  X(Finish, cl_int, (cl_command_queue)) \
  X(ReleaseKernel, cl_int, (cl_kernel)) \
  X(ReleaseMemObject, cl_int, (cl_mem)) \
  X(ReleaseProgram, cl_int, (cl_program)) \
  X(ReleaseSampler, cl_int, (cl_sampler))
// clang-format on

}  // namespace amdcompat::opencl
