// A host that was written for one machine: it wants a GPU of AMD's, doubles by AMD's extension and a divided device,
// takes its binary by the name of the device, and asks for numbers of 32 bits with variables of 64 that it never set.
#include "common.h"

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

namespace {

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  check(clGetDeviceInfo(device, what, 0, NULL, &size), "clGetDeviceInfo");
  std::vector<char> text(size + 1);
  check(clGetDeviceInfo(device, what, size, &text[0], NULL), "clGetDeviceInfo");
  return &text[0];
}

void reject(const std::string& why) {
  std::cerr << "Error: " << why << std::endl;
  std::exit(3);
}

// A number of 32 bits in a variable of 64: AMD's runtime cleared the other half.
const std::size_t kNeverSet = static_cast<std::size_t>(-1);
void wide(cl_int status, std::size_t& got, const char* what) {
  check(status, what);
  expect(got <= 0xffffffffU, what);
  got = kNeverSet;
}

void ask_wide(cl_device_id device, cl_context context, cl_command_queue queue, cl_program program, cl_kernel kernel,
              cl_mem buffer, cl_event event) {
  const std::size_t room = sizeof(std::size_t);
  std::size_t n = kNeverSet;
  cl_int status;
  cl_sampler sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
  check(status, "clCreateSampler");
  wide(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, room, &n, NULL), n, "CL_DEVICE_MAX_COMPUTE_UNITS");
  wide(clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, room, &n, NULL), n, "CL_DEVICE_ADDRESS_BITS");
  wide(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, room, &n, NULL), n, "CL_CONTEXT_REFERENCE_COUNT");
  wide(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, room, &n, NULL), n, "CL_QUEUE_REFERENCE_COUNT");
  // It is said to be read only by kernels; samples of the SDK write such buffers.
  cl_mem inputs = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, 64, NULL, &status);
  check(status, "clCreateBuffer");
  cl_mem_flags flags = 0;
  check(clGetMemObjectInfo(inputs, CL_MEM_FLAGS, sizeof flags, &flags, NULL), "CL_MEM_FLAGS");
  expect((flags & CL_MEM_READ_ONLY) == 0, "the runtime may not rely on what buffers are said to be");
  check(clReleaseMemObject(inputs), "clReleaseMemObject");
  wide(clGetMemObjectInfo(buffer, CL_MEM_TYPE, room, &n, NULL), n, "CL_MEM_TYPE");
  wide(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, room, &n, NULL), n, "CL_SAMPLER_ADDRESSING_MODE");
  wide(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, room, &n, NULL), n, "CL_PROGRAM_NUM_DEVICES");
  wide(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, room, &n, NULL), n, "CL_PROGRAM_BUILD_STATUS");
  wide(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, room, &n, NULL), n, "CL_KERNEL_NUM_ARGS");
  wide(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, room, &n, NULL), n,
       "CL_KERNEL_ARG_ADDRESS_QUALIFIER");
  wide(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, room, &n, NULL), n, "CL_EVENT_COMMAND_TYPE");
  check(clReleaseSampler(sampler), "clReleaseSampler");
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  cl_platform_id platform = choose_platform();
  char vendor[256] = "";
  check(clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL), "clGetPlatformInfo");
  if (std::strcmp(vendor, "Advanced Micro Devices, Inc.") != 0) reject("no platform of AMD's");
  cl_device_id device = NULL;
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 0, NULL, &count) != CL_SUCCESS || count == 0) reject("no GPU");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
  cl_device_type type = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL), "CL_DEVICE_TYPE");
  if ((type & CL_DEVICE_TYPE_GPU) == 0) reject("the GPU says that it is none");
  if (text_of(device, CL_DEVICE_VENDOR) != "Advanced Micro Devices, Inc.") reject("a GPU of another maker");
  cl_uint vendor_id = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof vendor_id, &vendor_id, NULL), "CL_DEVICE_VENDOR_ID");
  if (vendor_id != 0x1002) reject("another vendor's number");
  if (!has_extension(device, "cl_amd_fp64")) reject("no doubles");
  if (!has_extension(device, "cl_ext_device_fission")) reject("the device cannot be divided");
  if (!has_extension(device, "cl_khr_byte_addressable_store")) reject("no stores of bytes");
  // As the SDK's samples: room for so many names.
  if (text_of(device, CL_DEVICE_EXTENSIONS).size() >= 1024) reject("too many extensions");
  const std::string name = text_of(device, CL_DEVICE_NAME);
  std::cout << "device: " << name << ", board: " << text_of(device, 0x4038 /* CL_DEVICE_BOARD_NAME_AMD */) << std::endl;
  // "%s" in the path stands for it, as in "kernels_%s.bin".
  std::string path = options.binary;
  const std::size_t at = path.find("%s");
  if (at != std::string::npos) path.replace(at, 2, name);
  options.binary = path.c_str();

  cl_int status;
  cl_context context = clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, NULL, &status);
  if (status == CL_INVALID_PLATFORM) {
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    context = clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &status);
  }
  check(status, "clCreateContextFromType");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  cl_program program = load_program(context, 1, &device, &options);
  build_program(program, device, options.options != NULL ? options.options : "-save-temps -g");
  cl_kernel kernel = clCreateKernel(program, "add_scaled", &status);
  check(status, "clCreateKernel");
  const cl_uint n = 500;
  const cl_double a = 0.1;
  std::vector<cl_double> x(n), y(n), got(n);
  for (cl_uint i = 0; i < n; ++i) {
    x[i] = i * 8.0;
    y[i] = 1.0 / (i + 1);
  }
  const std::size_t bytes = n * sizeof(cl_double), local = 64, global = round_up(n, local);
  cl_mem left = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, &y[0], &status);
  check(status, "clCreateBuffer");
  cl_mem right = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, &x[0], &status);
  check(status, "clCreateBuffer");
  check(clSetKernelArg(kernel, 0, sizeof left, &left), "clSetKernelArg(0)");
  check(clSetKernelArg(kernel, 1, sizeof right, &right), "clSetKernelArg(1)");
  check(clSetKernelArg(kernel, 2, sizeof a, &a), "clSetKernelArg(2)");
  check(clSetKernelArg(kernel, 3, sizeof n, &n), "clSetKernelArg(3)");
  cl_event event;
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &event), "clEnqueueNDRangeKernel");
  ask_wide(device, context, queue, program, kernel, left, event);
  check(clReleaseEvent(event), "clReleaseEvent");
  check(clEnqueueReadBuffer(queue, left, CL_TRUE, 0, bytes, &got[0], 0, NULL, NULL), "clEnqueueReadBuffer");
  for (cl_uint i = 0; i < n; ++i) {
    const cl_double expected = y[i] + a * x[i], difference = got[i] - expected;
    if (difference <= 1e-12 && difference >= -1e-12) continue;
    std::cerr << "Error: y[" << i << "] is " << got[i] << " instead of " << expected << std::endl;
    return 1;
  }
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseMemObject(left);
  clReleaseMemObject(right);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  std::cout << "Passed!" << std::endl;
  return 0;
}
