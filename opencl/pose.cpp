// Posing: a device of today answers as one of Catalyst's did, for hosts that look for it.
//
// Hosts of 2012 take the platform whose vendor is "Advanced Micro Devices, Inc.", a device of the type GPU, and look
// for extensions that had AMD's name before Khronos took them over. Handles stay those of the runtime; what is
// changed are answers. What cannot be had is not claimed: extensions are listed where the device has what they are
// today, sizes are the smaller of both.
#include "posed_devices.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include <CL/cl_ext.h>
#include <fmt/format.h>

#include "layer.hpp"

namespace amdcompat::layer {
namespace {

constexpr std::string_view kVendor = "Advanced Micro Devices, Inc.";
constexpr cl_uint kVendorId = 0x1002;  // of PCI
// The driver that most binaries of the time are from. [BIN: .comment of CL1 containers]
constexpr std::string_view kPlatformName = "AMD Accelerated Parallel Processing";
constexpr std::string_view kVersion = "OpenCL 1.2 AMD-APP (923.1)";
constexpr std::string_view kDriver = "CAL 1.4.1720 (VM)";

// --- which device ------------------------------------------------------------------------------------------------

struct Chosen {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;  // null: there is none
};

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  const auto next = layer().next.clGetDeviceIDs;
  cl_uint count = 0;
  if (next(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_device_id> out(count);
  if (next(platform, CL_DEVICE_TYPE_ALL, count, out.data(), nullptr) != CL_SUCCESS) return {};
  return out;
}

template <class T>
std::vector<T> values_of(cl_device_id device, cl_device_info what) {
  const auto next = layer().next.clGetDeviceInfo;
  std::size_t size = 0;
  if (next(device, what, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::vector<T> out(size / sizeof(T));
  if (out.empty() || next(device, what, out.size() * sizeof(T), out.data(), nullptr) != CL_SUCCESS) return {};
  return out;
}
std::string text_of(cl_device_id device, cl_device_info what) {
  const std::vector<char> text = values_of<char>(device, what);
  return {text.begin(), std::ranges::find(text, '\0')};
}
template <class T>
T value_of(cl_device_id device, cl_device_info what) {
  T out{};
  if (layer().next.clGetDeviceInfo(device, what, sizeof out, &out, nullptr) != CL_SUCCESS) return T{};
  return out;
}

Chosen choose() {
  Layer& l = layer();
  cl_uint count = 0;
  if (l.next.clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> platforms(count);
  if (l.next.clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return {};
  Chosen first, gpu;
  for (const cl_platform_id platform : platforms)
    for (const cl_device_id device : devices_of(platform)) {
      const std::string name = text_of(device, CL_DEVICE_NAME);
      if (!l.settings.device.empty()) {
        if (name.find(l.settings.device) != std::string::npos && first.device == nullptr) first = {platform, device};
        continue;
      }
      if (first.device == nullptr) first = {platform, device};
      if (gpu.device == nullptr && (value_of<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0)
        gpu = {platform, device};
    }
  const Chosen out = gpu.device != nullptr ? gpu : first;
  if (out.device == nullptr)
    l.log.line("posing: no such device");
  else
    l.log.line(fmt::format("posing as {}: {}", l.settings.pose, text_of(out.device, CL_DEVICE_NAME)));
  return out;
}

const Posing& chosen() {
  Posing& posing = layer().posing;
  std::call_once(posing.looked, [&posing] {
    const Chosen out = choose();
    posing.platform = out.platform;
    posing.device = out.device;
  });
  return posing;
}

const PosedDevice& posed() { return *layer().posing.as; }

bool poses(cl_platform_id platform) { return platform != nullptr && platform == chosen().platform; }
// Parts of the device too.
bool poses(cl_device_id device) {
  const cl_device_id wanted = chosen().device;
  if (wanted == nullptr) return false;
  for (int depth = 0; device != nullptr && depth < 8; ++depth) {
    if (device == wanted) return true;
    device = value_of<cl_device_id>(device, CL_DEVICE_PARENT_DEVICE);
  }
  return false;
}

// --- platforms ---------------------------------------------------------------------------------------------------

cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info what, std::size_t room, void* value,
                                     std::size_t* size_ret) {
  try {
    if (poses(platform)) switch (what) {
        case CL_PLATFORM_NAME: return answer(kPlatformName, room, value, size_ret);
        case CL_PLATFORM_VENDOR: return answer(kVendor, room, value, size_ret);
        case CL_PLATFORM_VERSION: return answer(kVersion, room, value, size_ret);
        default: break;
      }
    return layer().next.clGetPlatformInfo(platform, what, room, value, size_ret);
  } catch (...) {
    return kFailed;
  }
}

// Of the posing platform: the posing device is its GPU, others keep their types. AMD's platform had the CPU besides; a
// host that asks for that gets the device too if it is one.
std::vector<cl_device_id> devices_by_type(cl_platform_id platform, cl_device_type type) {
  std::vector<cl_device_id> out;
  const bool all = type == CL_DEVICE_TYPE_ALL;
  for (const cl_device_id device : devices_of(platform)) {
    const bool is_posed = device == chosen().device;
    cl_device_type own = value_of<cl_device_type>(device, CL_DEVICE_TYPE);
    if (is_posed) own |= CL_DEVICE_TYPE_GPU;
    if (is_posed && ((type & CL_DEVICE_TYPE_DEFAULT) != 0 || all || (type & own) != 0))
      out.insert(out.begin(), device);
    else if (!is_posed && (all || (type & own & ~cl_device_type{CL_DEVICE_TYPE_DEFAULT}) != 0))
      out.push_back(device);
  }
  return out;
}

cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id* devices,
                                  cl_uint* count_ret) {
  try {
    const cl_platform_id asked = platform == nullptr ? chosen().platform : platform;
    if (!poses(asked) || (room == 0 && devices != nullptr) || (devices == nullptr && count_ret == nullptr) || type == 0)
      return layer().next.clGetDeviceIDs(platform, type, room, devices, count_ret);
    const std::vector<cl_device_id> found = devices_by_type(asked, type);
    if (count_ret != nullptr) *count_ret = static_cast<cl_uint>(found.size());
    if (found.empty()) return CL_DEVICE_NOT_FOUND;
    if (devices != nullptr) std::copy_n(found.begin(), std::min<std::size_t>(room, found.size()), devices);
    return CL_SUCCESS;
  } catch (...) {
    return kFailed;
  }
}

using ContextNotify = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);

// Hosts that write binaries to files ask AMD's platform for the devices that it compiles for and that are not there;
// other runtimes do not know the property. [cl_amd_offline_devices]
std::vector<cl_context_properties> known_properties(const cl_context_properties* properties) {
  std::vector<cl_context_properties> out;
  for (const cl_context_properties* p = properties; *p != 0; p += 2)
    if (*p != CL_CONTEXT_OFFLINE_DEVICES_AMD) out.insert(out.end(), {p[0], p[1]});
  out.push_back(0);
  return out;
}

cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint count,
                                      const cl_device_id* devices, ContextNotify notify, void* data, cl_int* error) {
  try {
    const auto next = layer().next.clCreateContext;
    if (properties == nullptr) return next(nullptr, count, devices, notify, data, error);
    return next(known_properties(properties).data(), count, devices, notify, data, error);
  } catch (...) {
    set(error, kFailed);
    return nullptr;
  }
}

cl_context CL_API_CALL create_context_from_type(const cl_context_properties* properties, cl_device_type type,
                                                ContextNotify notify, void* data, cl_int* error) {
  try {
    cl_platform_id platform = chosen().platform;
    if (properties != nullptr)
      for (const cl_context_properties* p = properties; *p != 0; p += 2)
        if (*p == CL_CONTEXT_PLATFORM) platform = reinterpret_cast<cl_platform_id>(p[1]);
    if (!poses(platform)) return layer().next.clCreateContextFromType(properties, type, notify, data, error);
    const std::vector<cl_device_id> found = devices_by_type(platform, type);
    if (found.empty()) {
      set(error, CL_DEVICE_NOT_FOUND);
      return nullptr;
    }
    return create_context(properties, static_cast<cl_uint>(found.size()), found.data(), notify, data, error);
  } catch (...) {
    set(error, kFailed);
    return nullptr;
  }
}

// --- devices -----------------------------------------------------------------------------------------------------

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; (at = words.find(word, at)) != std::string_view::npos; at += word.size()) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

bool divides(cl_device_id device) {
  return layer().next.clCreateSubDevices != nullptr &&
         value_of<cl_uint>(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES) > 1;
}

// Of today's extensions those that Catalyst knew: hosts have room for 1 or 2 KiB of names, and stop where there are
// more.
std::string extensions(cl_device_id device) {
  constexpr std::string_view kKnown[] = {"cl_khr_fp64",
                                         "cl_khr_fp16",
                                         "cl_khr_int64_base_atomics",
                                         "cl_khr_int64_extended_atomics",
                                         "cl_khr_3d_image_writes",
                                         "cl_khr_gl_sharing",
                                         "cl_khr_gl_depth_images",
                                         "cl_khr_gl_event",
                                         "cl_khr_spir",
                                         "cl_khr_depth_images",
                                         "cl_khr_image2d_from_buffer",
                                         "cl_khr_subgroups",
                                         "cl_khr_mipmap_image"};
  std::string out;
  const auto add = [&](std::string_view name) {
    if (!out.empty()) out += ' ';
    out += name;
  };
  const std::string own = text_of(device, CL_DEVICE_EXTENSIONS);
  for (const std::string_view name : kKnown)
    if (has_word(own, name)) add(name);
  // Of the core since OpenCL 1.1.
  for (const char* const name :
       {"cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
        "cl_khr_local_int32_extended_atomics", "cl_khr_byte_addressable_store"})
    add(name);
  if (has_word(own, "cl_khr_fp64")) add("cl_amd_fp64");
  if (divides(device)) add("cl_ext_device_fission");
  // What the old compilers made of these is in the machine code.
  for (const char* const name : {"cl_ext_atomic_counters_32", "cl_amd_device_attribute_query", "cl_amd_vec3",
                                 "cl_amd_printf", "cl_amd_media_ops", "cl_amd_popcnt"})
    add(name);
  return out;
}

// How the extension names ways to divide a device, and the core since OpenCL 1.2. [cl_ext_device_fission; OpenCL 1.2
// §4.3]
struct Partition {
  cl_device_partition_property_ext old;
  cl_device_partition_property now;
};
constexpr Partition kPartitions[] = {
    {CL_DEVICE_PARTITION_EQUALLY_EXT, CL_DEVICE_PARTITION_EQUALLY},
    {CL_DEVICE_PARTITION_BY_COUNTS_EXT, CL_DEVICE_PARTITION_BY_COUNTS},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN},
};
constexpr Partition kDomains[] = {
    {CL_AFFINITY_DOMAIN_NUMA_EXT, CL_DEVICE_AFFINITY_DOMAIN_NUMA},
    {CL_AFFINITY_DOMAIN_L4_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE},
    {CL_AFFINITY_DOMAIN_L3_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE},
    {CL_AFFINITY_DOMAIN_L2_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE},
    {CL_AFFINITY_DOMAIN_L1_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE},
    {CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE},
};

cl_int partition_types(cl_device_id device, std::size_t room, void* value, std::size_t* size_ret) {
  std::vector<cl_device_partition_property_ext> out;
  for (const auto property : values_of<cl_device_partition_property>(device, CL_DEVICE_PARTITION_PROPERTIES))
    if (const auto at = std::ranges::find(kPartitions, property, &Partition::now); at != std::end(kPartitions))
      out.push_back(at->old);
  return answer_list(out, room, value, size_ret);
}

cl_int affinity_domains(cl_device_id device, std::size_t room, void* value, std::size_t* size_ret) {
  const auto has = value_of<cl_device_affinity_domain>(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN);
  std::vector<cl_device_partition_property_ext> out;
  for (const Partition& domain : kDomains)
    if ((has & static_cast<cl_device_affinity_domain>(domain.now)) != 0) out.push_back(domain.old);
  return answer_list(out, room, value, size_ret);
}

// How a part came to be, in the words of the extension; of a whole device an empty list.
cl_int partition_style(cl_device_id device, std::size_t room, void* value, std::size_t* size_ret) {
  const auto now = values_of<cl_device_partition_property>(device, CL_DEVICE_PARTITION_TYPE);
  std::vector<cl_device_partition_property_ext> out;
  if (!now.empty() && now[0] != 0) {
    const auto kind = std::ranges::find(kPartitions, now[0], &Partition::now);
    if (kind == std::end(kPartitions)) return CL_INVALID_VALUE;
    out.push_back(kind->old);
    for (const cl_device_partition_property p : std::span(now).subspan(1)) {
      if (p == 0) break;  // as in the core, the end of a list of counts is the end
      const auto domain = std::ranges::find(kDomains, p, &Partition::now);
      const bool named = now[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN && domain != std::end(kDomains);
      out.push_back(named ? domain->old : static_cast<cl_device_partition_property_ext>(p));
    }
    if (now[0] == CL_DEVICE_PARTITION_BY_COUNTS) out.push_back(CL_PARTITION_BY_COUNTS_LIST_END_EXT);
  }
  out.push_back(CL_PROPERTIES_LIST_END_EXT);
  return answer_list(out, room, value, size_ret);
}

cl_int get_posed_info(cl_device_id device, cl_device_info what, std::size_t room, void* value, std::size_t* size_ret) {
  const auto text = [&](std::string_view t) { return answer(t, room, value, size_ret); };
  const auto number = [&](auto n) { return answer_value(n, room, value, size_ret); };
  const bool whole = device == chosen().device;
  switch (what) {
    case CL_DEVICE_TYPE: return number(cl_device_type{CL_DEVICE_TYPE_GPU});
    case CL_DEVICE_VENDOR: return text(kVendor);
    case CL_DEVICE_VENDOR_ID: return number(kVendorId);
    case CL_DEVICE_NAME: return text(posed().name);
    case CL_DEVICE_BOARD_NAME_AMD: return text(posed().board);
    case CL_DEVICE_VERSION: return text(kVersion);
    case CL_DEVICE_OPENCL_C_VERSION: return text("OpenCL C 1.2 ");
    case CL_DRIVER_VERSION: return text(kDriver);
    case CL_DEVICE_EXTENSIONS: return text(extensions(device));
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      // Hosts divide a device by what it says that it has.
      if (whole && !divides(device)) return number(cl_uint{posed().compute_units});
      break;
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: return number(cl_uint{posed().clock});
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return number(std::min<std::size_t>(value_of<std::size_t>(device, what), 256));
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
      std::array<std::size_t, 8> sizes{};
      std::size_t size = 0;
      const cl_int status = layer().next.clGetDeviceInfo(device, what, sizeof sizes, sizes.data(), &size);
      if (status != CL_SUCCESS) return status;
      for (std::size_t& n : sizes) n = std::min<std::size_t>(n, 256);
      return answer(sizes.data(), std::min(size, sizeof sizes), room, value, size_ret);
    }
    case CL_DEVICE_LOCAL_MEM_TYPE: return number(cl_device_local_mem_type{CL_LOCAL});
    case CL_DEVICE_LOCAL_MEM_SIZE: return number(std::min<cl_ulong>(value_of<cl_ulong>(device, what), 32768));
    case CL_DEVICE_PROFILING_TIMER_OFFSET_AMD: return number(cl_ulong{0});
    case CL_DEVICE_TOPOLOGY_AMD: {
      cl_device_topology_amd topology{};  // no place on a bus
      return answer_value(topology, room, value, size_ret);
    }
    case CL_DEVICE_GLOBAL_FREE_MEMORY_AMD: {  // KiB: all, and the largest block
      const std::size_t free[2] = {
          static_cast<std::size_t>(value_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE) >> 10),
          static_cast<std::size_t>(value_of<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) >> 10)};
      return answer(free, sizeof free, room, value, size_ret);
    }
    case CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD:  // a compute unit of GCN: four SIMDs of 16 lanes [SIA §1]
      return number(cl_uint{4});
    case CL_DEVICE_SIMD_WIDTH_AMD: return number(cl_uint{16});
    case CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD: return number(cl_uint{1});
    case CL_DEVICE_WAVEFRONT_WIDTH_AMD: return number(cl_uint{64});
    case CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD: return number(cl_uint{65536});
    case CL_DEVICE_LOCAL_MEM_BANKS_AMD: return number(cl_uint{32});
    case CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD: return number(cl_bool{CL_FALSE});
    case CL_DEVICE_PARENT_DEVICE_EXT:
      return layer().next.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, room, value, size_ret);
    case CL_DEVICE_REFERENCE_COUNT_EXT:
      return layer().next.clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT, room, value, size_ret);
    case CL_DEVICE_PARTITION_TYPES_EXT: return partition_types(device, room, value, size_ret);
    case CL_DEVICE_AFFINITY_DOMAINS_EXT: return affinity_domains(device, room, value, size_ret);
    case CL_DEVICE_PARTITION_STYLE_EXT: return partition_style(device, room, value, size_ret);
    default: break;
  }
  return layer().next.clGetDeviceInfo(device, what, room, value, size_ret);
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, std::size_t room, void* value,
                                   std::size_t* size_ret) {
  try {
    if (poses(device)) return get_posed_info(device, what, room, value, size_ret);
    return layer().next.clGetDeviceInfo(device, what, room, value, size_ret);
  } catch (...) {
    return kFailed;
  }
}

// --- memory ------------------------------------------------------------------------------------------------------

// Where AMD's runtime should have put a buffer; other runtimes do not know the flag. [cl_ext.h of the APP SDK]
constexpr cl_mem_flags kPersistent = cl_mem_flags{1} << 6;
cl_mem_flags known_flags(cl_mem_flags flags) { return flags & ~kPersistent; }

// Buffers that kernels of the time were said to read only, or to write only, they did both with: AMD's runtime did not
// mind, others may leave out a copy. [SDK 2.5: Histogram, RecursiveGaussian, RadixSort, BinarySearch]
cl_mem_flags read_and_written(cl_mem_flags flags) {
  constexpr cl_mem_flags kOneWay = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  const cl_mem_flags one = flags & (kOneWay | CL_MEM_READ_WRITE);
  const bool valid = one == CL_MEM_READ_ONLY || one == CL_MEM_WRITE_ONLY;
  return valid ? (flags & ~kOneWay) | CL_MEM_READ_WRITE : flags;
}

void CL_CALLBACK forget_buffer(cl_mem buffer, void* host_memory) {
  static_cast<HostMemory*>(host_memory)->remove(buffer);
}
// What the host writes there without a map comes to launches, as it came to those of AMD's runtime.
void follow(cl_mem buffer, const void* host, std::size_t size) {
  Layer& l = layer();
  if (l.next.clEnqueueWriteBuffer == nullptr || l.next.clSetMemObjectDestructorCallback == nullptr ||
      l.posing.device == nullptr || value_of<cl_bool>(l.posing.device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE)
    return;
  try {
    l.host_memory.add(buffer, host, size);
    if (l.next.clSetMemObjectDestructorCallback(buffer, forget_buffer, &l.host_memory) != CL_SUCCESS)
      l.host_memory.remove(buffer);
  } catch (...) {  // no memory for a copy: the buffer is there without one
    l.log.line("a buffer in the host's memory is not followed: no memory for a copy");
  }
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, std::size_t size, void* host, cl_int* error) {
  const cl_mem out = layer().next.clCreateBuffer(context, read_and_written(known_flags(flags)), size, host, error);
  if (out != nullptr && (flags & CL_MEM_USE_HOST_PTR) != 0) follow(out, host, size);
  return out;
}
cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                const cl_image_desc* about, void* host, cl_int* error) {
  return layer().next.clCreateImage(context, known_flags(flags), format, about, host, error);
}
cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                   std::size_t width, std::size_t height, std::size_t pitch, void* host,
                                   cl_int* error) {
  return layer().next.clCreateImage2D(context, known_flags(flags), format, width, height, pitch, host, error);
}
cl_mem CL_API_CALL create_image_3d(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                   std::size_t width, std::size_t height, std::size_t depth, std::size_t row_pitch,
                                   std::size_t slice_pitch, void* host, cl_int* error) {
  return layer().next.clCreateImage3D(context, known_flags(flags), format, width, height, depth, row_pitch, slice_pitch,
                                      host, error);
}

// --- parts of devices --------------------------------------------------------------------------------------------

// The list in the words of the core; absent: it has something that the core does not.
std::optional<std::vector<cl_device_partition_property>> core_properties(const cl_device_partition_property_ext* p) {
  std::vector<cl_device_partition_property> out;
  while (*p != CL_PROPERTIES_LIST_END_EXT) {
    const auto at = std::ranges::find(kPartitions, *p, &Partition::old);
    if (at == std::end(kPartitions)) return std::nullopt;
    out.push_back(at->now);
    ++p;
    if (at->old == CL_DEVICE_PARTITION_BY_COUNTS_EXT) {
      for (; *p != CL_PARTITION_BY_COUNTS_LIST_END_EXT; ++p)
        out.push_back(static_cast<cl_device_partition_property>(*p));
      out.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
      ++p;
    } else if (at->old == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT) {
      const auto domain = std::ranges::find(kDomains, *p, &Partition::old);
      if (domain == std::end(kDomains)) return std::nullopt;
      out.push_back(domain->now);
      ++p;
    } else {
      out.push_back(static_cast<cl_device_partition_property>(*p));
      ++p;
    }
  }
  out.push_back(0);
  return out;
}

cl_int CL_API_CALL create_sub_devices_ext(cl_device_id device, const cl_device_partition_property_ext* properties,
                                          cl_uint room, cl_device_id* devices, cl_uint* count_ret) {
  try {
    if (properties == nullptr) return CL_INVALID_VALUE;
    const auto core = core_properties(properties);
    if (!core) return CL_INVALID_VALUE;
    return layer().next.clCreateSubDevices(device, core->data(), room, devices, count_ret);
  } catch (...) {
    return kFailed;
  }
}
cl_int CL_API_CALL retain_device_ext(cl_device_id device) { return layer().next.clRetainDevice(device); }
cl_int CL_API_CALL release_device_ext(cl_device_id device) { return layer().next.clReleaseDevice(device); }

void* old_function(const char* name) {
  const std::string_view wanted = name == nullptr ? "" : name;
  if (layer().next.clCreateSubDevices == nullptr) return nullptr;
  if (wanted == "clCreateSubDevicesEXT") return reinterpret_cast<void*>(create_sub_devices_ext);
  if (wanted == "clRetainDeviceEXT") return reinterpret_cast<void*>(retain_device_ext);
  if (wanted == "clReleaseDeviceEXT") return reinterpret_cast<void*>(release_device_ext);
  return nullptr;
}

void* CL_API_CALL get_extension_function_address(const char* name) {
  void* const ours = old_function(name);
  return ours != nullptr ? ours : layer().next.clGetExtensionFunctionAddress(name);
}
void* CL_API_CALL get_extension_function_address_for_platform(cl_platform_id platform, const char* name) {
  void* const ours = old_function(name);
  return ours != nullptr ? ours : layer().next.clGetExtensionFunctionAddressForPlatform(platform, name);
}

}  // namespace

void override_devices(cl_icd_dispatch& table) {
  Layer& l = layer();
  l.posing.as = find_posed(l.settings.pose);
  if (l.posing.as == nullptr) {
    l.log.line(fmt::format("posing as {}: no such device is known", l.settings.pose));
    return;
  }
  if (table.clGetPlatformIDs == nullptr || table.clGetDeviceIDs == nullptr || table.clGetDeviceInfo == nullptr ||
      table.clCreateContext == nullptr)
    return;
  put(table.clGetPlatformInfo, get_platform_info);
  put(table.clGetDeviceIDs, get_device_ids);
  put(table.clCreateContext, create_context);
  put(table.clCreateContextFromType, create_context_from_type);
  put(table.clGetDeviceInfo, get_device_info);
  put(table.clCreateBuffer, create_buffer);
  put(table.clCreateImage, create_image);
  put(table.clCreateImage2D, create_image_2d);
  put(table.clCreateImage3D, create_image_3d);
  put(table.clGetExtensionFunctionAddress, get_extension_function_address);
  put(table.clGetExtensionFunctionAddressForPlatform, get_extension_function_address_for_platform);
  if (table.clCreateSubDevices == nullptr) return;
  // The extension is made of the core's functions where the layer below has none of its own.
  table.clCreateSubDevicesEXT = create_sub_devices_ext;
  table.clRetainDeviceEXT = retain_device_ext;
  table.clReleaseDeviceEXT = release_device_ext;
}

}  // namespace amdcompat::layer
