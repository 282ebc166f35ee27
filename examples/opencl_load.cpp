// An OpenCL 2.0 binary of Catalyst, or an old HSA code object, on an OpenCL runtime of today: converts it, hands it to
// clCreateProgramWithBinary and launches one kernel on zeros. Arguments are set as the metadata lists them; what is
// hidden there is the runtime's.
//
//   opencl_load FILE KERNEL
//
// Needs the runtime's headers and library: c++ -std=c++23 opencl_load.cpp -lamdcompat -lOpenCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <amdcompat/amdcompat.hpp>
#include <amdcompat/code_object.hpp>

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

bool failed(cl_int status, const char* what) {
  if (status != CL_SUCCESS) std::fprintf(stderr, "%s: OpenCL error %d\n", what, static_cast<int>(status));
  return status != CL_SUCCESS;
}

std::optional<amdcompat::hsa::CodeObject> convert(const amdcompat::File& file, amdcompat::Diagnostics& findings) {
  return file.object() ? amdcompat::convert::to_version(*file.object(), findings)
                       : amdcompat::convert::to_code_object(file.program, findings);
}

int launch(cl_device_id device, const std::string& bytes, const amdcompat::hsa::MetadataKernel& metadata) {
  cl_int status = CL_SUCCESS;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  if (failed(status, "clCreateContext")) return 1;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t size = bytes.size();
  const cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &data, nullptr, &status);
  if (failed(status, "clCreateProgramWithBinary") ||
      failed(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram"))
    return 1;
  const cl_kernel kernel = clCreateKernel(program, metadata.name->c_str(), &status);
  if (failed(status, "clCreateKernel")) return 1;

  std::vector<cl_mem> buffers;
  cl_uint index = 0;
  for (const amdcompat::hsa::MetadataArgument& argument : metadata.args) {
    if (!argument.value_kind || amdcompat::hsa::value_kind_info(*argument.value_kind).hidden) continue;
    if (*argument.value_kind == amdcompat::hsa::ValueKind::GlobalBuffer) {
      buffers.push_back(clCreateBuffer(context, CL_MEM_READ_WRITE, kBufferBytes, nullptr, &status));
      if (failed(status, "clCreateBuffer")) return 1;
      status = clSetKernelArg(kernel, index, sizeof(cl_mem), &buffers.back());
    } else {
      const std::vector<char> zeros(argument.size.value_or(0));
      const bool local = *argument.value_kind == amdcompat::hsa::ValueKind::DynamicSharedPointer;
      status = clSetKernelArg(kernel, index, local ? 1024 : zeros.size(), local ? nullptr : zeros.data());
    }
    if (failed(status, "clSetKernelArg")) return 1;
    ++index;
  }
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  if (failed(status, "clCreateCommandQueue")) return 1;
  const std::size_t global = 64, group = 64;
  if (failed(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &group, 0, nullptr, nullptr), "launch") ||
      failed(clFinish(queue), "clFinish"))
    return 1;
  std::printf("%s ran with %u arguments\n", metadata.name->c_str(), static_cast<unsigned>(index));
  for (const cl_mem buffer : buffers) clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseContext(context);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  amdcompat::Diagnostics findings;
  findings.set_file(argv[1]);
  const auto file = amdcompat::open(bytes, findings);
  const auto object = file ? convert(*file, findings) : std::nullopt;
  std::fputs(amdcompat::render_text(findings, {bytes, {}}, {}).c_str(), stderr);
  if (!object) return 1;
  const auto elf = amdcompat::hsa::write_code_object(*object);
  if (!elf) return 1;

  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (failed(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs") ||
      failed(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr), "clGetDeviceIDs"))
    return 1;
  for (const amdcompat::hsa::MetadataKernel& kernel : object->metadata.kernels)
    if (kernel.name == argv[2]) return launch(device, *elf, kernel);
  std::fprintf(stderr, "no kernel %s\n", argv[2]);
  return 1;
}
