// Programs and kernels: those that stand for old binaries answer as Catalyst's did, all others go through untouched.
//
// Every override first asks the registry, then either calls the layer below or answers itself. Errors are those that
// the specification gives for programs made from binaries. [OpenCL 1.2 §5.6, §5.7, §5.8]
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <expected>
#include <memory>
#include <type_traits>

#include <fmt/format.h>

#include <amdcompat/lift.hpp>

#include "layer.hpp"

namespace amdcompat::layer {
namespace {

// --- programs ----------------------------------------------------------------------------------------------------

// What the host gave clCreateProgramWithBinary.
struct GivenBinaries {
  cl_context context;
  std::span<const cl_device_id> devices;
  const std::size_t* lengths;
  const unsigned char** binaries;
  [[nodiscard]] bool there(std::size_t i) const { return lengths[i] != 0 && binaries[i] != nullptr; }
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t i) const {
    return std::as_bytes(std::span(binaries[i], lengths[i]));
  }
};

std::vector<cl_device_id> devices_of(cl_context context) {
  const cl_icd_dispatch& next = layer().next;
  std::size_t size = 0;
  if (next.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::vector<cl_device_id> out(size / sizeof(cl_device_id));
  if (next.clGetContextInfo(context, CL_CONTEXT_DEVICES, size, out.data(), nullptr) != CL_SUCCESS) return {};
  return out;
}

// Whether a context of these devices has the device. One of parts of a device names the whole one on some runtimes
// [pocl 3.1].
bool has_device(std::span<const cl_device_id> in_context, cl_device_id device) {
  const cl_icd_dispatch& next = layer().next;
  for (int depth = 0; device != nullptr && depth < 8; ++depth) {
    if (std::ranges::find(in_context, device) != in_context.end()) return true;
    cl_device_id parent = nullptr;
    if (next.clGetDeviceInfo == nullptr ||
        next.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, nullptr) != CL_SUCCESS)
      return false;
    device = parent;
  }
  return false;
}

// Programs of the runtime for the parts: the first one's handle is the host's. Null, and why in `error`: there is none.
cl_program create_parts(cl_context context, LegacyProgram& program, cl_int& error) {
  const cl_icd_dispatch& next = layer().next;
  const auto create = [&](const LegacyBinary& binary) {
    const char* text = binary.source.data();
    const std::size_t length = binary.source.size();
    return next.clCreateProgramWithSource(context, 1, &text, &length, &error);
  };
  const cl_program out = create(*program.binaries.front());
  if (out == nullptr) return nullptr;
  for (std::size_t i = 0; i < program.binaries.size(); ++i) {
    const std::string& source = program.binaries[i]->source;
    const auto same = std::ranges::find(program.binaries, source, &LegacyBinary::source) - program.binaries.begin();
    const auto first = static_cast<std::size_t>(same);
    program.part_of.push_back(first < i ? program.part_of[first] : i == 0 ? 0 : program.parts.size());
    if (first < i || i == 0) continue;
    const cl_program other = create(*program.binaries[i]);
    if (other == nullptr) {
      next.clReleaseProgram(out);
      return nullptr;
    }
    program.parts.add(other, next.clReleaseProgram);
  }
  return out;
}

// The program's handle; null, and why in `error`.
cl_program create(const GivenBinaries& given, cl_int* statuses, cl_int& error) {
  Layer& l = layer();
  const std::vector<cl_device_id> in_context = devices_of(given.context);
  if (in_context.empty()) {
    error = CL_INVALID_CONTEXT;
    return nullptr;
  }
  auto program = std::make_shared<LegacyProgram>();
  program->devices.assign(given.devices.begin(), given.devices.end());
  program->options.resize(given.devices.size());
  error = CL_SUCCESS;
  for (std::size_t i = 0; i < given.devices.size(); ++i) {
    cl_int status = CL_SUCCESS;
    if (!has_device(in_context, given.devices[i])) {
      error = CL_INVALID_DEVICE;
      return nullptr;
    }
    std::shared_ptr<const LegacyBinary> binary;
    if (!given.there(i)) {
      status = CL_INVALID_VALUE;
    } else if (is_legacy(given.bytes(i))) {
      const auto same = std::ranges::find_if(program->binaries, [&](const auto& other) {
        return other != nullptr && std::ranges::equal(std::as_bytes(std::span(other->bytes)), given.bytes(i));
      });
      binary = same != program->binaries.end() ? *same : read_legacy(given.bytes(i), l.settings.exact, l.cache, l.log);
      if (binary == nullptr) status = CL_INVALID_BINARY;
    } else {
      // One program cannot be ours for one device and the runtime's for another.
      l.log.line(fmt::format("binary {}: of no kind that is lifted, beside others that are", i));
      status = CL_INVALID_BINARY;
    }
    if (statuses != nullptr) statuses[i] = status;
    if (status != CL_SUCCESS && error == CL_SUCCESS) error = status;
    program->binaries.push_back(std::move(binary));
  }
  if (error != CL_SUCCESS) return nullptr;
  const cl_program handle = create_parts(given.context, *program, error);
  if (handle == nullptr) return nullptr;
  l.registry.add(handle, std::move(program));
  return handle;
}

cl_program CL_API_CALL create_program_with_binary(cl_context context, cl_uint count, const cl_device_id* devices,
                                                  const std::size_t* lengths, const unsigned char** binaries,
                                                  cl_int* statuses, cl_int* error_ret) {
  try {
    // What is wrong in a call is the runtime's to say.
    const GivenBinaries given{context, {devices, devices == nullptr ? 0 : count}, lengths, binaries};
    bool legacy = false;
    if (context != nullptr && lengths != nullptr && binaries != nullptr)
      for (std::size_t i = 0; i < given.devices.size(); ++i)
        legacy = legacy || (given.there(i) && is_legacy(given.bytes(i)));
    if (!legacy)
      return layer().next.clCreateProgramWithBinary(context, count, devices, lengths, binaries, statuses, error_ret);
    cl_int error = CL_SUCCESS;
    const cl_program out = create(given, statuses, error);
    set(error_ret, error);
    return out;
  } catch (...) {
    set(error_ret, kFailed);
    return nullptr;
  }
}

cl_int CL_API_CALL retain_program(cl_program program) {
  const cl_int status = layer().next.clRetainProgram(program);
  if (status == CL_SUCCESS) layer().registry.retain(program);
  return status;
}

cl_int CL_API_CALL release_program(cl_program program) {
  layer().registry.release(program);
  return layer().next.clReleaseProgram(program);
}

// Reciprocals and square roots of the machine code are right to 1 ulp, those of OpenCL C to 2.5 and 3. Devices of AMD's
// have the same instructions for them, others may have to be told. [OpenCL 1.2 §7.4; SIA §12 V_RCP_F32, V_SQRT_F32]
bool rounds_when_told(cl_device_id device) {
  constexpr cl_uint kAmd = 0x1002;  // of PCI
  const cl_icd_dispatch& next = layer().next;
  if (next.clGetDeviceInfo == nullptr) return false;
  cl_uint vendor = kAmd;
  cl_device_fp_config config = 0;
  return next.clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, nullptr) == CL_SUCCESS &&
         vendor != kAmd &&
         next.clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, nullptr) == CL_SUCCESS &&
         (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

// Old options are of another compiler and language (-fbin-exe, -fno-alias, -cl-std=CL2.0, ...), and machine code was
// compiled with them already: none is used.
std::string options_of(const LegacyProgram& program, std::size_t part, std::span<const cl_device_id> devices) {
  const auto at = std::ranges::find(program.part_of, part) - program.part_of.begin();
  std::string out(lift::build_options(program.binaries[static_cast<std::size_t>(at)]->source));
  if (std::ranges::all_of(devices, rounds_when_told)) out += " -cl-fp32-correctly-rounded-divide-sqrt";
  return out;
}

// Builds for the devices at these positions, those of one part together.
cl_int build(cl_program handle, const LegacyProgram& program, const std::vector<std::size_t>& at) {
  cl_int out = CL_SUCCESS;
  for (std::size_t part = 0; part < program.parts.size(); ++part) {
    std::vector<cl_device_id> together;
    for (const std::size_t device : at)
      if (program.part_of[device] == part) together.push_back(program.devices[device]);
    if (together.empty()) continue;
    const cl_int status =
        layer().next.clBuildProgram(program.parts.of(part, handle), static_cast<cl_uint>(together.size()),
                                    together.data(), options_of(program, part, together).c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS && out == CL_SUCCESS) out = status;
  }
  return out;
}

using BuildNotify = void(CL_CALLBACK*)(cl_program, void*);

cl_int CL_API_CALL build_program(cl_program handle, cl_uint count, const cl_device_id* devices, const char* options,
                                 BuildNotify notify, void* data) {
  try {
    Layer& l = layer();
    const auto program = l.registry.find(handle);
    if (program == nullptr) return l.next.clBuildProgram(handle, count, devices, options, notify, data);
    if ((count == 0) != (devices == nullptr) || (notify == nullptr && data != nullptr)) return CL_INVALID_VALUE;
    std::vector<std::size_t> at;
    const std::span<const cl_device_id> wanted =
        devices == nullptr ? std::span<const cl_device_id>(program->devices) : std::span(devices, count);
    for (const cl_device_id device : wanted) {
      at.push_back(program->index_of(device));
      if (at.back() == program->devices.size()) return CL_INVALID_DEVICE;
    }
    if (options != nullptr && *options != 0) l.log.line(fmt::format("build options not used: {}", options));
    const cl_int status = build(handle, *program, at);
    if (status != CL_SUCCESS) l.log.line(fmt::format("build failed: error {}", status));
    // Failed builds have options, and are the callback's business too; wrong calls are not.
    if (status != CL_SUCCESS && status != CL_BUILD_PROGRAM_FAILURE) return status;
    {
      const std::lock_guard lock(program->mutex);
      for (const std::size_t i : at) program->options[i] = options == nullptr ? "" : options;
    }
    if (notify != nullptr) notify(handle, data);
    return status;
  } catch (...) {
    return kFailed;
  }
}

// A program of a binary has no source to compile.
cl_int CL_API_CALL compile_program(cl_program handle, cl_uint count, const cl_device_id* devices, const char* options,
                                   cl_uint headers, const cl_program* header_programs, const char** names,
                                   BuildNotify notify, void* data) {
  if (layer().registry.find(handle) != nullptr) return CL_INVALID_OPERATION;
  return layer().next.clCompileProgram(handle, count, devices, options, headers, header_programs, names, notify, data);
}

// Nor is it a compiled object or a library.
cl_program CL_API_CALL link_program(cl_context context, cl_uint count, const cl_device_id* devices, const char* options,
                                    cl_uint inputs, const cl_program* programs, BuildNotify notify, void* data,
                                    cl_int* error) {
  if (programs != nullptr)
    for (cl_uint i = 0; i < inputs; ++i)
      if (layer().registry.find(programs[i]) != nullptr) {
        set(error, CL_INVALID_OPERATION);
        return nullptr;
      }
  return layer().next.clLinkProgram(context, count, devices, options, inputs, programs, notify, data, error);
}

// The host's own cache feeds them back.
cl_int copy_binaries(const LegacyProgram& program, std::size_t room, void* value, std::size_t* size_ret) {
  const std::size_t size = program.binaries.size() * sizeof(unsigned char*);
  if (size_ret != nullptr) *size_ret = size;
  if (value == nullptr) return CL_SUCCESS;
  if (room < size) return CL_INVALID_VALUE;
  const std::span to(static_cast<unsigned char**>(value), program.binaries.size());
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] != nullptr) std::memcpy(to[i], program.binaries[i]->bytes.data(), program.binaries[i]->bytes.size());
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_program_info(cl_program handle, cl_program_info what, std::size_t room, void* value,
                                    std::size_t* size_ret) {
  try {
    const auto program = layer().registry.find(handle);
    if (program != nullptr) switch (what) {
        case CL_PROGRAM_NUM_DEVICES:
          return answer_value(static_cast<cl_uint>(program->devices.size()), room, value, size_ret);
        case CL_PROGRAM_DEVICES: return answer_list(program->devices, room, value, size_ret);
        case CL_PROGRAM_SOURCE:  // it has none
          return answer("", room, value, size_ret);
        case CL_PROGRAM_BINARY_SIZES: {
          std::vector<std::size_t> sizes;
          for (const auto& binary : program->binaries) sizes.push_back(binary->bytes.size());
          return answer_list(sizes, room, value, size_ret);
        }
        case CL_PROGRAM_BINARIES: return copy_binaries(*program, room, value, size_ret);
        default: break;
      }
    return layer().next.clGetProgramInfo(handle, what, room, value, size_ret);
  } catch (...) {
    return kFailed;
  }
}

cl_int CL_API_CALL get_program_build_info(cl_program handle, cl_device_id device, cl_program_build_info what,
                                          std::size_t room, void* value, std::size_t* size_ret) {
  try {
    const auto program = layer().registry.find(handle);
    if (program != nullptr) {
      const std::size_t at = program->index_of(device);
      if (at == program->devices.size()) return CL_INVALID_DEVICE;
      if (what == CL_PROGRAM_BUILD_OPTIONS) {
        const std::lock_guard lock(program->mutex);
        return answer(program->options[at], room, value, size_ret);
      }
      if (what == CL_PROGRAM_BINARY_TYPE)
        return answer_value(cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_EXECUTABLE}, room, value, size_ret);
      handle = program->parts.of(program->part_of[at], handle);
    }
    return layer().next.clGetProgramBuildInfo(handle, device, what, room, value, size_ret);
  } catch (...) {
    return kFailed;
  }
}

// --- kernels -----------------------------------------------------------------------------------------------------

std::string name_of(cl_kernel kernel) {
  const cl_icd_dispatch& next = layer().next;
  std::size_t size = 0;
  if (next.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string out(size, 0);
  if (next.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, out.data(), nullptr) != CL_SUCCESS) return {};
  out.resize(size - 1);
  return out;
}

cl_uint parameters_of(cl_kernel kernel) {
  cl_uint out = 0;
  layer().next.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof out, &out, nullptr);
  return out;
}

// What is known of a kernel, with that of each other part. CL_INVALID_KERNEL_DEFINITION: it is not the same to the host
// in all. [OpenCL 1.2 §5.7.1]
using Record = std::shared_ptr<const LegacyKernel>;
std::expected<Record, cl_int> record_of(cl_program handle, std::shared_ptr<const LegacyProgram> program,
                                        cl_kernel kernel) {
  const cl_icd_dispatch& next = layer().next;
  auto record = std::make_shared<LegacyKernel>(std::move(program), handle);
  const std::string name = name_of(kernel);
  for (std::size_t part = 1; part < record->program->parts.size(); ++part) {
    cl_int status = CL_SUCCESS;
    const cl_kernel other = next.clCreateKernel(record->program->parts.of(part, handle), name.c_str(), &status);
    // Its devices may be the ones that the program is not built for.
    if (other == nullptr && status != CL_INVALID_PROGRAM_EXECUTABLE)
      return std::unexpected(status == CL_INVALID_KERNEL_NAME ? CL_INVALID_KERNEL_DEFINITION : status);
    record->parts.add(other, next.clReleaseKernel);
    if (other != nullptr && parameters_of(other) != parameters_of(kernel))
      return std::unexpected(CL_INVALID_KERNEL_DEFINITION);
  }
  // What holds for all of them is the smallest limit.
  for (const auto& binary : record->program->binaries) {
    const KernelFacts* const facts = binary->kernel(name);
    if (facts == nullptr) continue;
    const std::size_t limit = record->facts.name.empty() ? facts->group_limit : record->facts.group_limit;
    record->facts = *facts;
    record->facts.group_limit = std::min(limit, facts->group_limit);
  }
  return record;
}

// A kernel that the host does not have yet.
struct ReleaseKernel {
  void operator()(cl_kernel kernel) const {
    layer().registry.release(kernel);
    layer().next.clReleaseKernel(kernel);
  }
};
using OwnKernel = std::unique_ptr<std::remove_pointer_t<cl_kernel>, ReleaseKernel>;

cl_kernel CL_API_CALL create_kernel(cl_program handle, const char* name, cl_int* error) {
  try {
    // Found before the runtime is asked: another thread may release the program meanwhile.
    auto program = layer().registry.find(handle);
    OwnKernel kernel(layer().next.clCreateKernel(handle, name, error));
    if (kernel == nullptr || program == nullptr) return kernel.release();
    auto record = record_of(handle, std::move(program), kernel.get());
    if (record) {
      layer().registry.add(kernel.get(), std::move(*record));
      return kernel.release();
    }
    set(error, record.error());
    return nullptr;
  } catch (...) {
    set(error, kFailed);
    return nullptr;
  }
}

// What the runtime makes of all kernels of a program.
cl_int create_all(cl_program handle, std::vector<OwnKernel>& out) {
  const cl_icd_dispatch& next = layer().next;
  cl_uint count = 0;
  cl_int status = next.clCreateKernelsInProgram(handle, 0, nullptr, &count);
  if (status != CL_SUCCESS) return status;
  std::vector<cl_kernel> all(count);
  out.reserve(count);  // from the call on nothing may be in the way of owning them
  status = next.clCreateKernelsInProgram(handle, count, all.data(), nullptr);
  if (status != CL_SUCCESS) return status;
  for (const cl_kernel kernel : all) out.emplace_back(kernel);
  return CL_SUCCESS;
}

// Those who create all leave out the kernels that are not the same to the host on all devices, and do not count them
// either [OpenCL 1.2 §5.7.1]. A program of a single part has none.
cl_int CL_API_CALL create_kernels_in_program(cl_program handle, cl_uint room, cl_kernel* kernels, cl_uint* count_ret) {
  try {
    const auto program = layer().registry.find(handle);
    if (program == nullptr || (kernels == nullptr && program->parts.size() == 1))
      return layer().next.clCreateKernelsInProgram(handle, room, kernels, count_ret);
    std::vector<OwnKernel> kept;
    if (const cl_int status = create_all(handle, kept); status != CL_SUCCESS) return status;
    std::vector<Record> records;
    for (OwnKernel& kernel : kept) {
      if (auto record = record_of(handle, program, kernel.get()))
        records.push_back(std::move(*record));
      else if (record.error() == CL_INVALID_KERNEL_DEFINITION)
        kernel.reset();
      else
        return record.error();
    }
    std::erase(kept, nullptr);
    const auto count = static_cast<cl_uint>(kept.size());
    if (kernels != nullptr) {
      if (room < count) return CL_INVALID_VALUE;
      for (std::size_t n = 0; n < kept.size(); ++n) layer().registry.add(kept[n].get(), std::move(records[n]));
      for (OwnKernel& kernel : kept) *kernels++ = kernel.release();
    }
    if (count_ret != nullptr) *count_ret = count;
    return CL_SUCCESS;
  } catch (...) {
    return kFailed;
  }
}

cl_kernel CL_API_CALL clone_kernel(cl_kernel source, cl_int* error) {
  try {
    const cl_icd_dispatch& next = layer().next;
    const auto record = layer().registry.find(source);
    OwnKernel kernel(next.clCloneKernel(source, error));
    if (kernel == nullptr || record == nullptr) return kernel.release();
    auto clone = std::make_shared<LegacyKernel>(record->program, record->handle, record->facts);
    {
      const std::lock_guard lock(record->mutex);
      clone->local_arguments = record->local_arguments;
    }
    for (std::size_t part = 1; part < record->parts.size(); ++part) {
      const cl_kernel other = record->parts.of(part, source);
      cl_int status = CL_SUCCESS;
      clone->parts.add(other == nullptr ? nullptr : next.clCloneKernel(other, &status), next.clReleaseKernel);
      if (status != CL_SUCCESS) {
        set(error, status);
        return nullptr;
      }
    }
    layer().registry.add(kernel.get(), std::move(clone));
    return kernel.release();
  } catch (...) {
    set(error, kFailed);
    return nullptr;
  }
}

// Arguments are those of the kernel on whichever device it is launched.
cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) {
  cl_int status = layer().next.clSetKernelArg(kernel, index, size, value);
  if (status != CL_SUCCESS) return status;
  try {
    if (value == nullptr)
      if (const auto record = layer().registry.find(kernel); record != nullptr && record->takes_local(index)) {
        const std::lock_guard lock(record->mutex);
        record->local_arguments[index] = size;
      }
    if (const auto record = layer().registry.find_parted(kernel))
      for (std::size_t part = 1; part < record->parts.size() && status == CL_SUCCESS; ++part)
        if (const cl_kernel other = record->parts.of(part, kernel))
          status = layer().next.clSetKernelArg(other, index, size, value);
    return status;
  } catch (...) {
    return kFailed;
  }
}

cl_int CL_API_CALL retain_kernel(cl_kernel kernel) {
  const cl_int status = layer().next.clRetainKernel(kernel);
  if (status == CL_SUCCESS) layer().registry.retain(kernel);
  return status;
}

cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  layer().registry.release(kernel);
  return layer().next.clReleaseKernel(kernel);
}

// The kernel's own local memory, and what its arguments have: as AMD's runtime counted it. Others count what their
// compilers and they themselves need besides (NVIDIA's does, on an H100 with driver 580.159), and hosts compare the sum
// with what the device has. [OpenCL 1.2 §5.7.3 CL_KERNEL_LOCAL_MEM_SIZE; SDK 2.5: Histogram, RadixSort]
cl_ulong local_memory_of(const LegacyKernel& record) {
  const std::lock_guard lock(record.mutex);
  cl_ulong out = record.facts.local_bytes;
  for (const auto& [index, size] : record.local_arguments) out += size;
  return out;
}

// What hosts round their global sizes by. Catalyst's kernels are made for at most 256 work-items a group, in wavefronts
// of 64, whatever a device of today would take. [lift.md §9; RT workGroupSize]
cl_int CL_API_CALL get_kernel_work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                              std::size_t room, void* value, std::size_t* size_ret) {
  try {
    const auto next = layer().next.clGetKernelWorkGroupInfo;
    const auto record = layer().registry.find(kernel);
    if (record != nullptr) {
      kernel = record->parts.of(record->parts.size() > 1 ? record->program->part(device) : 0, kernel);
      if (kernel == nullptr) return CL_INVALID_DEVICE;  // the program is not built for it
      if (what == CL_KERNEL_WORK_GROUP_SIZE || what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) {
        std::size_t size = 0;
        const cl_int status = next(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, nullptr);
        if (status != CL_SUCCESS) return status;
        // Hosts halve and double what they get.
        size = size < record->facts.group_limit ? std::bit_floor(size) : record->facts.group_limit;
        if (what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) size = std::min<std::size_t>(size, 64);
        return answer_value(size, room, value, size_ret);
      }
      if (what == CL_KERNEL_LOCAL_MEM_SIZE) {
        std::size_t size = 0;  // of the answer
        const cl_int status = next(kernel, device, what, 0, nullptr, &size);
        return status != CL_SUCCESS ? status : answer_value(local_memory_of(*record), room, value, size_ret);
      }
    }
    return next(kernel, device, what, room, value, size_ret);
  } catch (...) {
    return kFailed;
  }
}

cl_int CL_API_CALL get_kernel_arg_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, std::size_t room,
                                       void* value, std::size_t* size_ret) {
  try {
    const auto record = layer().registry.find(kernel);
    if (record == nullptr) return layer().next.clGetKernelArgInfo(kernel, index, what, room, value, size_ret);
    if (index >= record->facts.arguments.size()) return CL_INVALID_ARG_INDEX;
    const ArgumentFacts& argument = record->facts.arguments[index];
    switch (what) {
      case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return answer_value(argument.address, room, value, size_ret);
      case CL_KERNEL_ARG_ACCESS_QUALIFIER: return answer_value(argument.access, room, value, size_ret);
      case CL_KERNEL_ARG_TYPE_QUALIFIER: return answer_value(argument.qualifiers, room, value, size_ret);
      case CL_KERNEL_ARG_TYPE_NAME:
        if (argument.type.empty()) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;  // drivers before `reflection:`
        return answer(argument.type, room, value, size_ret);
      case CL_KERNEL_ARG_NAME: return answer(argument.name, room, value, size_ret);
      default: return CL_INVALID_VALUE;
    }
  } catch (...) {
    return kFailed;
  }
}

// --- launches ----------------------------------------------------------------------------------------------------

// The kernel of the part that the queue's device has; null: the program is not built for it.
cl_kernel on_queue(cl_command_queue queue, cl_kernel kernel, const LegacyKernel& record) {
  if (record.parts.size() == 1) return kernel;
  cl_device_id device = nullptr;
  if (layer().next.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) != CL_SUCCESS)
    return kernel;  // the runtime says what is wrong
  return record.parts.of(record.program->part(device), kernel);
}

struct Sizes {
  std::array<std::size_t, 3> global{1, 1, 1}, local{1, 1, 1};
};

// The largest sizes that divide the global ones and fit, first dimension first.
void choose_local(Sizes& sizes, std::size_t limit, std::span<const std::size_t> of_device) {
  for (std::size_t d = 0; d < 3; ++d) {
    std::size_t most = std::min(limit, sizes.global[d]);
    if (d < of_device.size()) most = std::min(most, of_device[d]);
    while (most > 1 && sizes.global[d] % most != 0) --most;
    sizes.local[d] = std::max<std::size_t>(most, 1);
    limit /= sizes.local[d];
  }
}

cl_int enqueue(cl_command_queue queue, cl_kernel kernel, const LegacyKernel& record, cl_uint dimensions,
               const std::size_t* offset, const std::size_t* global, const std::size_t* local, cl_uint waits,
               const cl_event* wait, cl_event* event) {
  const cl_icd_dispatch& next = layer().next;
  const auto pass = [&](const std::size_t* size) {
    return next.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, size, waits, wait, event);
  };
  if (dimensions < 1 || dimensions > 3 || global == nullptr) return pass(local);
  if (local != nullptr) {
    std::size_t product = 1;
    for (cl_uint d = 0; d < dimensions; ++d)
      if (__builtin_mul_overflow(product, local[d], &product)) return CL_INVALID_WORK_GROUP_SIZE;
    // Code that was made for so many has tables and barriers for so many.
    if (product > record.facts.group_limit) return CL_INVALID_WORK_GROUP_SIZE;
    return pass(local);
  }
  if (record.facts.group_required) return pass(nullptr);
  Sizes sizes;
  for (cl_uint d = 0; d < dimensions; ++d) {
    if (global[d] == 0) return pass(nullptr);
    sizes.global[d] = global[d];
  }
  cl_device_id device = nullptr;
  std::size_t limit = 0;
  std::array<std::size_t, 8> of_device{};
  std::size_t size = 0;
  if (next.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) != CL_SUCCESS ||
      next.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, nullptr) !=
          CL_SUCCESS ||
      next.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof of_device, of_device.data(), &size) !=
          CL_SUCCESS)
    return pass(nullptr);
  choose_local(sizes, std::min(limit, record.facts.group_limit),
               std::span(of_device).first(size / sizeof(std::size_t)));
  return pass(sizes.local.data());
}

cl_int CL_API_CALL enqueue_nd_range_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                           const std::size_t* offset, const std::size_t* global,
                                           const std::size_t* local, cl_uint waits, const cl_event* wait,
                                           cl_event* event) {
  try {
    if (const auto record = layer().registry.find(kernel)) {
      kernel = on_queue(queue, kernel, *record);
      if (kernel == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
      layer().host_memory.refresh(layer().next, queue);
      return enqueue(queue, kernel, *record, dimensions, offset, global, local, waits, wait, event);
    }
    return layer().next.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, wait, event);
  } catch (...) {
    return kFailed;
  }
}

cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint waits, const cl_event* wait,
                                cl_event* event) {
  try {
    if (const auto record = layer().registry.find_parted(kernel)) kernel = on_queue(queue, kernel, *record);
    if (kernel == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
    layer().host_memory.refresh(layer().next, queue);
    return layer().next.clEnqueueTask(queue, kernel, waits, wait, event);
  } catch (...) {
    return kFailed;
  }
}

}  // namespace

void override_programs(cl_icd_dispatch& table) {
  // Without these nothing can be lifted to.
  if (table.clCreateProgramWithSource == nullptr || table.clCreateProgramWithBinary == nullptr ||
      table.clBuildProgram == nullptr || table.clGetContextInfo == nullptr || table.clGetKernelInfo == nullptr)
    return;
  put(table.clCreateProgramWithBinary, create_program_with_binary);
  put(table.clRetainProgram, retain_program);
  put(table.clReleaseProgram, release_program);
  put(table.clBuildProgram, build_program);
  put(table.clCompileProgram, compile_program);
  put(table.clLinkProgram, link_program);
  put(table.clGetProgramInfo, get_program_info);
  put(table.clGetProgramBuildInfo, get_program_build_info);
  put(table.clCreateKernel, create_kernel);
  put(table.clCreateKernelsInProgram, create_kernels_in_program);
  put(table.clCloneKernel, clone_kernel);
  put(table.clRetainKernel, retain_kernel);
  put(table.clReleaseKernel, release_kernel);
  put(table.clGetKernelWorkGroupInfo, get_kernel_work_group_info);
  put(table.clGetKernelArgInfo, get_kernel_arg_info);
  put(table.clSetKernelArg, set_kernel_arg);
  put(table.clEnqueueNDRangeKernel, enqueue_nd_range_kernel);
  put(table.clEnqueueTask, enqueue_task);
}

}  // namespace amdcompat::layer
