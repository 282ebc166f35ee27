// An OpenCL runtime that compiles and computes nothing, for what is asked of the layer alone: that thousands of
// programs come and go, from many threads, without a trace. It knows its objects and says at the end of the process
// which of them are left; wrong handles get their errors. An ICD, for OCL_ICD_VENDORS. [OpenCL 1.2 §4, §5; Khronos
// cl_icd.h]
//
// NULL_RUNTIME_FAILS=CALL makes one call fail: clCreateProgramWithSource, clBuildProgram, clCreateKernel or, every
// second time, clCloneKernel.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <regex>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace {

const cl_icd_dispatch& dispatch_table();

// What a handle points to: the loader takes the table from its first word.
struct Object {
  const cl_icd_dispatch* dispatch = &dispatch_table();
};

}  // namespace

struct _cl_platform_id : Object {};
struct _cl_device_id : Object {};
struct _cl_context : Object {
  std::vector<cl_device_id> devices{};
};
struct _cl_command_queue : Object {};
// Memory of the device, into which the host's was copied.
struct _cl_mem : Object {
  std::vector<std::byte> bytes{};
  void(CL_CALLBACK* gone)(cl_mem, void*) = nullptr;
  void* told = nullptr;
};
struct _cl_event : Object {};
struct Signature {
  std::string name;
  cl_uint parameters;
};
struct _cl_program : Object {
  cl_context context = nullptr;
  std::vector<cl_device_id> devices{};
  std::string source{}, options{};
  std::vector<Signature> kernels{};
  bool built = false;
  std::size_t in_use = 0;  // kernels
};
struct _cl_kernel : Object {
  cl_program program = nullptr;
  Signature signature{};
};

namespace {

_cl_platform_id the_platform;
std::array<_cl_device_id, 2> the_devices;

// Every call holds it: this runtime is slow where it may be.
std::mutex& lock_of_all() {
  static std::mutex mutex;
  return mutex;
}
using Lock = std::lock_guard<std::mutex>;

// Objects and the references that are held to them.
template <class T>
class Living {
 public:
  explicit Living(const char* name) : name_(name) {}
  ~Living() {
    if (!counts_.empty()) std::fprintf(stderr, "null runtime: %zu %s left\n", counts_.size(), name_);
  }
  T* add(T* object) {
    counts_[object] = 1;
    return object;
  }
  [[nodiscard]] bool has(T* object) const { return counts_.contains(object); }
  [[nodiscard]] cl_uint count(T* object) const { return counts_.at(object); }
  void retain(T* object) { ++counts_.at(object); }
  // Whether that was the last reference.
  bool release(T* object) {
    if (--counts_.at(object) != 0) return false;
    counts_.erase(object);
    return true;
  }

 private:
  const char* name_;
  std::unordered_map<T*, cl_uint> counts_;
};
Living<_cl_context> contexts("contexts");
Living<_cl_command_queue> queues("queues");
Living<_cl_mem> buffers("buffers");
Living<_cl_event> events("events");
Living<_cl_program> programs("programs");
Living<_cl_kernel> kernels("kernels");

bool fails(std::string_view call) {
  const char* const failing = std::getenv("NULL_RUNTIME_FAILS");
  return failing != nullptr && call == failing;
}

void set(cl_int* to, cl_int value) {
  if (to != nullptr) *to = value;
}
template <class T>
T* failure(cl_int* to, cl_int value) {
  set(to, value);
  return nullptr;
}

cl_int answer(const void* data, std::size_t size, std::size_t room, void* value, std::size_t* size_ret) {
  if (size_ret != nullptr) *size_ret = size;
  if (value == nullptr) return CL_SUCCESS;
  if (room < size) return CL_INVALID_VALUE;
  std::memcpy(value, data, size);
  return CL_SUCCESS;
}
// Numbers and handles as they are, text with its NUL, a list without its length.
class Answer {
 public:
  Answer(std::size_t room, void* value, std::size_t* size_ret) : room_(room), value_(value), size_ret_(size_ret) {}
  template <class T>
    requires std::is_trivially_copyable_v<T>
  cl_int operator()(const T& data) const {
    return answer(&data, sizeof data, room_, value_, size_ret_);
  }
  cl_int operator()(const char* text) const { return answer(text, std::strlen(text) + 1, room_, value_, size_ret_); }
  cl_int operator()(const std::string& text) const { return (*this)(text.c_str()); }
  template <class T>
  cl_int operator()(const std::vector<T>& list) const {
    return answer(list.data(), list.size() * sizeof(T), room_, value_, size_ret_);
  }

 private:
  std::size_t room_;
  void* value_;
  std::size_t* size_ret_;
};

bool is_device(cl_device_id device) { return device == &the_devices[0] || device == &the_devices[1]; }

// --- platform, devices, contexts -------------------------------------------------------------------------------------

cl_int CL_API_CALL get_platform_ids(cl_uint room, cl_platform_id* list, cl_uint* count) {
  if (list != nullptr && room > 0) *list = &the_platform;
  if (count != nullptr) *count = 1;
  return CL_SUCCESS;
}
cl_int CL_API_CALL get_platform_info(cl_platform_id, cl_platform_info what, std::size_t room, void* value,
                                     std::size_t* size_ret) {
  const Answer say(room, value, size_ret);
  switch (what) {
    case CL_PLATFORM_PROFILE: return say("FULL_PROFILE");
    case CL_PLATFORM_VERSION: return say("OpenCL 1.2 null");
    case CL_PLATFORM_NAME: return say("Null");
    case CL_PLATFORM_VENDOR: return say("amdcompat tests");
    case CL_PLATFORM_EXTENSIONS: return say("cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR: return say("NULL");
    default: return CL_INVALID_VALUE;
  }
}
cl_int CL_API_CALL get_device_ids(cl_platform_id, cl_device_type type, cl_uint room, cl_device_id* list,
                                  cl_uint* count) {
  if ((type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT)) == 0) return CL_DEVICE_NOT_FOUND;
  for (cl_uint n = 0; list != nullptr && n < std::min<cl_uint>(room, 2); ++n) list[n] = &the_devices[n];
  if (count != nullptr) *count = 2;
  return CL_SUCCESS;
}
cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, std::size_t room, void* value,
                                   std::size_t* size_ret) {
  if (!is_device(device)) return CL_INVALID_DEVICE;
  const Answer say(room, value, size_ret);
  switch (what) {
    case CL_DEVICE_TYPE: return say(cl_device_type{CL_DEVICE_TYPE_CPU});
    case CL_DEVICE_NAME: return say("Null");
    case CL_DEVICE_VENDOR: return say("amdcompat tests");
    case CL_DEVICE_VENDOR_ID: return say(cl_uint{0xffff});
    case CL_DEVICE_SINGLE_FP_CONFIG: return say(cl_device_fp_config{CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT});
    case CL_DEVICE_VERSION: return say("OpenCL 1.2 null");
    case CL_DEVICE_EXTENSIONS: return say("cl_khr_fp64");
    case CL_DEVICE_PLATFORM: return say(cl_platform_id{&the_platform});
    case CL_DEVICE_PARENT_DEVICE: return say(cl_device_id{nullptr});
    case CL_DEVICE_PARTITION_TYPE: {  // as of a part of a device of many units
      std::vector<cl_device_partition_property> how(102, 1);
      how.front() = CL_DEVICE_PARTITION_BY_COUNTS;
      how.back() = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
      return say(how);
    }
    case CL_DEVICE_MAX_COMPUTE_UNITS: return say(cl_uint{1});
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return say(std::size_t{1024});
    default: return CL_INVALID_VALUE;
  }
}

cl_context CL_API_CALL create_context(const cl_context_properties*, cl_uint count, const cl_device_id* devices,
                                      void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*), void*,
                                      cl_int* error) {
  const Lock lock(lock_of_all());
  if (count == 0 || devices == nullptr) return failure<_cl_context>(error, CL_INVALID_VALUE);
  auto* const out = new _cl_context;
  out->devices.assign(devices, devices + count);
  set(error, CL_SUCCESS);
  return contexts.add(out);
}
cl_int CL_API_CALL release_context(cl_context context) {
  const Lock lock(lock_of_all());
  if (!contexts.has(context)) return CL_INVALID_CONTEXT;
  if (contexts.release(context)) delete context;
  return CL_SUCCESS;
}
cl_int CL_API_CALL get_context_info(cl_context context, cl_context_info what, std::size_t room, void* value,
                                    std::size_t* size_ret) {
  const Lock lock(lock_of_all());
  if (!contexts.has(context)) return CL_INVALID_CONTEXT;
  const Answer say(room, value, size_ret);
  switch (what) {
    case CL_CONTEXT_NUM_DEVICES: return say(static_cast<cl_uint>(context->devices.size()));
    case CL_CONTEXT_DEVICES: return say(context->devices);
    default: return CL_INVALID_VALUE;
  }
}
cl_command_queue CL_API_CALL create_command_queue(cl_context context, cl_device_id, cl_command_queue_properties,
                                                  cl_int* error) {
  const Lock lock(lock_of_all());
  if (!contexts.has(context)) return failure<_cl_command_queue>(error, CL_INVALID_CONTEXT);
  set(error, CL_SUCCESS);
  return queues.add(new _cl_command_queue);
}
cl_int CL_API_CALL release_command_queue(cl_command_queue queue) {
  const Lock lock(lock_of_all());
  if (!queues.has(queue)) return CL_INVALID_COMMAND_QUEUE;
  if (queues.release(queue)) delete queue;
  return CL_SUCCESS;
}

// --- buffers and events ----------------------------------------------------------------------------------------------

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags, std::size_t size, void* host, cl_int* error) {
  const Lock lock(lock_of_all());
  if (!contexts.has(context)) return failure<_cl_mem>(error, CL_INVALID_CONTEXT);
  auto* const out = new _cl_mem;
  out->bytes.resize(size);
  if (host != nullptr) std::memcpy(out->bytes.data(), host, size);
  set(error, CL_SUCCESS);
  return buffers.add(out);
}
cl_int CL_API_CALL release_mem_object(cl_mem buffer) {
  {
    const Lock lock(lock_of_all());
    if (!buffers.has(buffer)) return CL_INVALID_MEM_OBJECT;
    if (!buffers.release(buffer)) return CL_SUCCESS;
  }
  if (buffer->gone != nullptr) buffer->gone(buffer, buffer->told);
  delete buffer;
  return CL_SUCCESS;
}
cl_int CL_API_CALL set_mem_object_destructor_callback(cl_mem buffer, void(CL_CALLBACK* gone)(cl_mem, void*),
                                                      void* told) {
  const Lock lock(lock_of_all());
  if (!buffers.has(buffer)) return CL_INVALID_MEM_OBJECT;
  buffer->gone = gone;
  buffer->told = told;
  return CL_SUCCESS;
}
cl_int CL_API_CALL enqueue_write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool, std::size_t offset,
                                        std::size_t size, const void* from, cl_uint, const cl_event*, cl_event* event) {
  const Lock lock(lock_of_all());
  if (!queues.has(queue)) return CL_INVALID_COMMAND_QUEUE;
  if (!buffers.has(buffer)) return CL_INVALID_MEM_OBJECT;
  std::memcpy(buffer->bytes.data() + offset, from, size);
  if (event != nullptr) *event = events.add(new _cl_event);
  return CL_SUCCESS;
}
cl_int CL_API_CALL enqueue_read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool, std::size_t offset,
                                       std::size_t size, void* to, cl_uint, const cl_event*, cl_event*) {
  const Lock lock(lock_of_all());
  if (!queues.has(queue)) return CL_INVALID_COMMAND_QUEUE;
  if (!buffers.has(buffer)) return CL_INVALID_MEM_OBJECT;
  std::memcpy(to, buffer->bytes.data() + offset, size);
  return CL_SUCCESS;
}
cl_int CL_API_CALL get_command_queue_info(cl_command_queue queue, cl_command_queue_info what, std::size_t room,
                                          void* value, std::size_t* size_ret) {
  const Lock lock(lock_of_all());
  if (!queues.has(queue)) return CL_INVALID_COMMAND_QUEUE;
  const Answer say(room, value, size_ret);
  return what == CL_QUEUE_PROPERTIES ? say(cl_command_queue_properties{0}) : CL_INVALID_VALUE;
}
// What it is an event of is over.
cl_int CL_API_CALL set_event_callback(cl_event event, cl_int, void(CL_CALLBACK* call)(cl_event, cl_int, void*),
                                      void* told) {
  const Lock lock(lock_of_all());
  if (!events.has(event)) return CL_INVALID_EVENT;
  call(event, CL_COMPLETE, told);
  return CL_SUCCESS;
}
cl_int CL_API_CALL release_event(cl_event event) {
  const Lock lock(lock_of_all());
  if (!events.has(event)) return CL_INVALID_EVENT;
  if (events.release(event)) delete event;
  return CL_SUCCESS;
}

// --- programs --------------------------------------------------------------------------------------------------------

// Kernels of a source: `__kernel`, attributes, `void NAME(parameters)`.
std::vector<Signature> signatures(const std::string& source) {
  static const std::regex kernel(R"(__kernel\b[^{;]*?\bvoid\s+(\w+)\s*\(([^{;]*)\)\s*\{)");
  std::vector<Signature> out;
  for (std::sregex_iterator at(source.begin(), source.end(), kernel), end; at != end; ++at) {
    const std::string parameters = (*at)[2];
    const bool none = parameters.find_first_not_of(" \n") == std::string::npos;
    out.push_back({(*at)[1], none ? 0 : static_cast<cl_uint>(1 + std::ranges::count(parameters, ','))});
  }
  return out;
}

cl_program CL_API_CALL create_program_with_source(cl_context context, cl_uint count, const char** strings,
                                                  const std::size_t* lengths, cl_int* error) {
  const Lock lock(lock_of_all());
  if (!contexts.has(context)) return failure<_cl_program>(error, CL_INVALID_CONTEXT);
  if (count == 0 || strings == nullptr) return failure<_cl_program>(error, CL_INVALID_VALUE);
  if (fails("clCreateProgramWithSource")) return failure<_cl_program>(error, CL_OUT_OF_RESOURCES);
  auto* const out = new _cl_program;
  out->context = context;
  out->devices = context->devices;
  for (cl_uint n = 0; n < count; ++n)
    out->source +=
        lengths != nullptr && lengths[n] != 0 ? std::string(strings[n], lengths[n]) : std::string(strings[n]);
  set(error, CL_SUCCESS);
  return programs.add(out);
}
// It has binaries of its own, and takes none.
cl_program CL_API_CALL create_program_with_binary(cl_context context, cl_uint count, const cl_device_id* devices,
                                                  const std::size_t* lengths, const unsigned char** binaries,
                                                  cl_int* statuses, cl_int* error) {
  const Lock lock(lock_of_all());
  if (!contexts.has(context)) return failure<_cl_program>(error, CL_INVALID_CONTEXT);
  if (count == 0 || devices == nullptr || lengths == nullptr || binaries == nullptr)
    return failure<_cl_program>(error, CL_INVALID_VALUE);
  cl_int worst = CL_INVALID_BINARY;
  for (cl_uint n = 0; n < count; ++n) {
    if (!is_device(devices[n])) return failure<_cl_program>(error, CL_INVALID_DEVICE);
    const bool there = lengths[n] != 0 && binaries[n] != nullptr;
    if (!there) worst = CL_INVALID_VALUE;
    if (statuses != nullptr) statuses[n] = there ? CL_INVALID_BINARY : CL_INVALID_VALUE;
  }
  return failure<_cl_program>(error, worst);
}
cl_int CL_API_CALL retain_program(cl_program program) {
  const Lock lock(lock_of_all());
  if (!programs.has(program)) return CL_INVALID_PROGRAM;
  programs.retain(program);
  return CL_SUCCESS;
}
cl_int release_locked(cl_program program) {
  if (!programs.has(program)) return CL_INVALID_PROGRAM;
  if (programs.release(program)) delete program;
  return CL_SUCCESS;
}
cl_int CL_API_CALL release_program(cl_program program) {
  const Lock lock(lock_of_all());
  return release_locked(program);
}
cl_int build_locked(cl_program program, cl_uint count, const cl_device_id* devices, const char* options) {
  if (!programs.has(program)) return CL_INVALID_PROGRAM;
  if ((count == 0) != (devices == nullptr)) return CL_INVALID_VALUE;
  for (cl_uint n = 0; n < count; ++n)
    if (std::ranges::find(program->devices, devices[n]) == program->devices.end()) return CL_INVALID_DEVICE;
  if (program->in_use != 0) return CL_INVALID_OPERATION;
  if (fails("clBuildProgram")) return CL_BUILD_PROGRAM_FAILURE;
  program->kernels = signatures(program->source);
  program->options = options == nullptr ? "" : options;
  program->built = true;
  return CL_SUCCESS;
}
cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                                 void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  if (notify == nullptr && data != nullptr) return CL_INVALID_VALUE;
  cl_int status = CL_SUCCESS;
  {
    const Lock lock(lock_of_all());
    status = build_locked(program, count, devices, options);
  }
  if (notify != nullptr && (status == CL_SUCCESS || status == CL_BUILD_PROGRAM_FAILURE)) notify(program, data);
  return status;
}
cl_int CL_API_CALL compile_program(cl_program program, cl_uint, const cl_device_id*, const char*, cl_uint,
                                   const cl_program*, const char**, void(CL_CALLBACK*)(cl_program, void*), void*) {
  const Lock lock(lock_of_all());
  return programs.has(program) ? CL_COMPILER_NOT_AVAILABLE : CL_INVALID_PROGRAM;
}
cl_program CL_API_CALL link_program(cl_context, cl_uint, const cl_device_id*, const char*, cl_uint, const cl_program*,
                                    void(CL_CALLBACK*)(cl_program, void*), void*, cl_int* error) {
  return failure<_cl_program>(error, CL_LINKER_NOT_AVAILABLE);
}
std::string names_of(const _cl_program& program) {
  std::string out;
  for (const Signature& kernel : program.kernels) out += (out.empty() ? "" : ";") + kernel.name;
  return out;
}
cl_int CL_API_CALL get_program_info(cl_program program, cl_program_info what, std::size_t room, void* value,
                                    std::size_t* size_ret) {
  const Lock lock(lock_of_all());
  if (!programs.has(program)) return CL_INVALID_PROGRAM;
  const Answer say(room, value, size_ret);
  switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT: return say(programs.count(program));
    case CL_PROGRAM_CONTEXT: return say(program->context);
    case CL_PROGRAM_NUM_DEVICES: return say(static_cast<cl_uint>(program->devices.size()));
    case CL_PROGRAM_DEVICES: return say(program->devices);
    case CL_PROGRAM_SOURCE: return say(program->source);
    case CL_PROGRAM_BINARY_SIZES: return say(std::vector<std::size_t>(program->devices.size(), 0));
    case CL_PROGRAM_NUM_KERNELS: return program->built ? say(program->kernels.size()) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES: return program->built ? say(names_of(*program)) : CL_INVALID_PROGRAM_EXECUTABLE;
    default: return CL_INVALID_VALUE;
  }
}
cl_int CL_API_CALL get_program_build_info(cl_program program, cl_device_id device, cl_program_build_info what,
                                          std::size_t room, void* value, std::size_t* size_ret) {
  const Lock lock(lock_of_all());
  if (!programs.has(program)) return CL_INVALID_PROGRAM;
  if (std::ranges::find(program->devices, device) == program->devices.end()) return CL_INVALID_DEVICE;
  const Answer say(room, value, size_ret);
  switch (what) {
    case CL_PROGRAM_BUILD_STATUS: return say(cl_build_status{program->built ? CL_BUILD_SUCCESS : CL_BUILD_NONE});
    case CL_PROGRAM_BUILD_OPTIONS: return say(program->options);
    case CL_PROGRAM_BUILD_LOG: return say("built with " + program->options);
    default: return CL_INVALID_VALUE;
  }
}

// --- kernels ---------------------------------------------------------------------------------------------------------

cl_kernel kernel_of(cl_program program, const Signature& signature) {
  auto* const out = new _cl_kernel;
  out->program = program;
  out->signature = signature;
  programs.retain(program);
  ++program->in_use;
  return kernels.add(out);
}
cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* error) {
  const Lock lock(lock_of_all());
  if (!programs.has(program)) return failure<_cl_kernel>(error, CL_INVALID_PROGRAM);
  if (name == nullptr) return failure<_cl_kernel>(error, CL_INVALID_VALUE);
  if (!program->built) return failure<_cl_kernel>(error, CL_INVALID_PROGRAM_EXECUTABLE);
  if (fails("clCreateKernel")) return failure<_cl_kernel>(error, CL_OUT_OF_RESOURCES);
  const auto found = std::ranges::find(program->kernels, name, &Signature::name);
  if (found == program->kernels.end()) return failure<_cl_kernel>(error, CL_INVALID_KERNEL_NAME);
  set(error, CL_SUCCESS);
  return kernel_of(program, *found);
}
cl_int CL_API_CALL create_kernels_in_program(cl_program program, cl_uint room, cl_kernel* list, cl_uint* count) {
  const Lock lock(lock_of_all());
  if (!programs.has(program)) return CL_INVALID_PROGRAM;
  if (!program->built) return CL_INVALID_PROGRAM_EXECUTABLE;
  if (list != nullptr && room < program->kernels.size()) return CL_INVALID_VALUE;
  if (count != nullptr) *count = static_cast<cl_uint>(program->kernels.size());
  for (std::size_t n = 0; list != nullptr && n < program->kernels.size(); ++n)
    list[n] = kernel_of(program, program->kernels[n]);
  return CL_SUCCESS;
}
cl_kernel CL_API_CALL clone_kernel(cl_kernel kernel, cl_int* error) {
  const Lock lock(lock_of_all());
  static unsigned asked = 0;
  if (!kernels.has(kernel)) return failure<_cl_kernel>(error, CL_INVALID_KERNEL);
  if (fails("clCloneKernel") && ++asked % 2 == 0) return failure<_cl_kernel>(error, CL_OUT_OF_RESOURCES);
  set(error, CL_SUCCESS);
  return kernel_of(kernel->program, kernel->signature);
}
cl_int CL_API_CALL retain_kernel(cl_kernel kernel) {
  const Lock lock(lock_of_all());
  if (!kernels.has(kernel)) return CL_INVALID_KERNEL;
  kernels.retain(kernel);
  return CL_SUCCESS;
}
cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  const Lock lock(lock_of_all());
  if (!kernels.has(kernel)) return CL_INVALID_KERNEL;
  if (!kernels.release(kernel)) return CL_SUCCESS;
  --kernel->program->in_use;
  release_locked(kernel->program);
  delete kernel;
  return CL_SUCCESS;
}
cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint index, std::size_t, const void*) {
  const Lock lock(lock_of_all());
  if (!kernels.has(kernel)) return CL_INVALID_KERNEL;
  return index < kernel->signature.parameters ? CL_SUCCESS : CL_INVALID_ARG_INDEX;
}
cl_int CL_API_CALL get_kernel_info(cl_kernel kernel, cl_kernel_info what, std::size_t room, void* value,
                                   std::size_t* size_ret) {
  const Lock lock(lock_of_all());
  if (!kernels.has(kernel)) return CL_INVALID_KERNEL;
  const Answer say(room, value, size_ret);
  switch (what) {
    case CL_KERNEL_FUNCTION_NAME: return say(kernel->signature.name);
    case CL_KERNEL_NUM_ARGS: return say(kernel->signature.parameters);
    case CL_KERNEL_REFERENCE_COUNT: return say(kernels.count(kernel));
    case CL_KERNEL_CONTEXT: return say(kernel->program->context);
    case CL_KERNEL_PROGRAM: return say(kernel->program);
    default: return CL_INVALID_VALUE;
  }
}
cl_int CL_API_CALL get_kernel_work_group_info(cl_kernel kernel, cl_device_id, cl_kernel_work_group_info what,
                                              std::size_t room, void* value, std::size_t* size_ret) {
  const Lock lock(lock_of_all());
  if (!kernels.has(kernel)) return CL_INVALID_KERNEL;
  const Answer say(room, value, size_ret);
  switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE: {
      const char* const size = std::getenv("NULL_RUNTIME_GROUP");
      return say(size == nullptr ? std::size_t{1024} : std::strtoul(size, nullptr, 10));
    }
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: return say(std::array<std::size_t, 3>{});
    case CL_KERNEL_LOCAL_MEM_SIZE: return say(cl_ulong{1024});  // as of a runtime that needs some itself
    default: return CL_INVALID_VALUE;
  }
}
cl_int CL_API_CALL enqueue_nd_range_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint, const std::size_t*,
                                           const std::size_t*, const std::size_t*, cl_uint, const cl_event*,
                                           cl_event*) {
  const Lock lock(lock_of_all());
  if (!queues.has(queue)) return CL_INVALID_COMMAND_QUEUE;
  return kernels.has(kernel) ? CL_SUCCESS : CL_INVALID_KERNEL;
}
cl_int CL_API_CALL finish(cl_command_queue) { return CL_SUCCESS; }

void* CL_API_CALL extension_function(const char* name) {
  return std::string_view(name) == "clIcdGetPlatformIDsKHR" ? reinterpret_cast<void*>(&get_platform_ids) : nullptr;
}

const cl_icd_dispatch& dispatch_table() {
  static const cl_icd_dispatch table = [] {
    cl_icd_dispatch out{};
    out.clGetPlatformIDs = get_platform_ids;
    out.clGetPlatformInfo = get_platform_info;
    out.clGetDeviceIDs = get_device_ids;
    out.clGetDeviceInfo = get_device_info;
    out.clCreateContext = create_context;
    out.clReleaseContext = release_context;
    out.clGetContextInfo = get_context_info;
    out.clCreateCommandQueue = create_command_queue;
    out.clReleaseCommandQueue = release_command_queue;
    out.clGetCommandQueueInfo = get_command_queue_info;
    out.clCreateBuffer = create_buffer;
    out.clReleaseMemObject = release_mem_object;
    out.clSetMemObjectDestructorCallback = set_mem_object_destructor_callback;
    out.clEnqueueWriteBuffer = enqueue_write_buffer;
    out.clEnqueueReadBuffer = enqueue_read_buffer;
    out.clSetEventCallback = set_event_callback;
    out.clReleaseEvent = release_event;
    out.clCreateProgramWithSource = create_program_with_source;
    out.clCreateProgramWithBinary = create_program_with_binary;
    out.clRetainProgram = retain_program;
    out.clReleaseProgram = release_program;
    out.clBuildProgram = build_program;
    out.clCompileProgram = compile_program;
    out.clLinkProgram = link_program;
    out.clGetProgramInfo = get_program_info;
    out.clGetProgramBuildInfo = get_program_build_info;
    out.clCreateKernel = create_kernel;
    out.clCreateKernelsInProgram = create_kernels_in_program;
    out.clCloneKernel = reinterpret_cast<void*>(&clone_kernel);  // of OpenCL 2.1, which these headers leave out
    out.clRetainKernel = retain_kernel;
    out.clReleaseKernel = release_kernel;
    out.clSetKernelArg = set_kernel_arg;
    out.clGetKernelInfo = get_kernel_info;
    out.clGetKernelWorkGroupInfo = get_kernel_work_group_info;
    out.clEnqueueNDRangeKernel = enqueue_nd_range_kernel;
    out.clFinish = finish;
    out.clGetExtensionFunctionAddress = extension_function;
    return out;
  }();
  return table;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] CL_API_ENTRY void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return extension_function(name);
}
[[gnu::visibility("default")]] CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room,
                                                                                      cl_platform_id* list,
                                                                                      cl_uint* count) {
  return get_platform_ids(room, list, count);
}
[[gnu::visibility("default")]] CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                                                 cl_platform_info what,
                                                                                 std::size_t room, void* value,
                                                                                 std::size_t* size_ret) {
  return get_platform_info(platform, what, room, value, size_ret);
}

}  // extern "C"
