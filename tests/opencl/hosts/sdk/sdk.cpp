#include "sdk.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace sdk {
namespace {

template <class T>
T ask(cl_device_id device, cl_device_info what) {
  T out;
  check(clGetDeviceInfo(device, what, sizeof out, &out, NULL), "clGetDeviceInfo");
  return out;
}

cl_platform_id choosePlatform() {
  cl_uint count = 0;
  check(clGetPlatformIDs(0, NULL, &count), "clGetPlatformIDs");
  expect(count > 0, "NULL platform found so Exiting Application.");
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, &platforms[0], NULL), "clGetPlatformIDs");
  for (cl_uint n = 0; n < count; ++n) {
    char vendor[100];  // no more: longer names are errors
    check(clGetPlatformInfo(platforms[n], CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL), "clGetPlatformInfo");
    if (std::strcmp(vendor, "Advanced Micro Devices, Inc.") == 0) return platforms[n];
  }
  return platforms[0];
}

void showDevices(cl_platform_id platform, cl_device_type type) {
  cl_uint count = 0;
  check(clGetDeviceIDs(platform, type, 0, NULL, &count), "clGetDeviceIDs");
  std::vector<cl_device_id> devices(count);
  check(clGetDeviceIDs(platform, type, count, &devices[0], NULL), "clGetDeviceIDs");
  for (cl_uint n = 0; n < count; ++n) {
    char name[1024];
    check(clGetDeviceInfo(devices[n], CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo(CL_DEVICE_NAME)");
    std::cout << "Device " << n << " : " << name << std::endl;
  }
}

}  // namespace

Sample::Sample(int argc, char** argv, const char* buildOptions, cl_command_queue_properties properties)
    : manner(kWait), iterations(1), platform(NULL), device(NULL), context(NULL), queue(NULL), program(NULL),
      mostItems(0), localBytes(0), hasLocal(false), size_(0), timed_((properties & CL_QUEUE_PROFILING_ENABLE) != 0) {
  for (int n = 1; n + 1 < argc; n += 2) {
    const std::string option = argv[n];
    if (option == "--load") load_ = argv[n + 1];
    if (option == "--dump") dump_ = argv[n + 1];
    if (option == "-x") size_ = static_cast<cl_uint>(std::strtoul(argv[n + 1], NULL, 10));
    if (option == "-i") iterations = std::atoi(argv[n + 1]);
  }
  expect(!load_.empty(), "usage: NAME --load FILE [-x SIZE] [-i ITERATIONS] [--dump FILE]");
  setUp(buildOptions, properties);
}

void Sample::setUp(const char* buildOptions, cl_command_queue_properties properties) {
  platform = choosePlatform();
  cl_device_type type = CL_DEVICE_TYPE_GPU;
  cl_context_properties cps[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  cl_int status;
  context = clCreateContextFromType(cps, type, NULL, NULL, &status);
  if (status == CL_DEVICE_NOT_FOUND) {
    std::cout << "Unsupported GPU device; falling back to CPU ..." << std::endl;
    type = CL_DEVICE_TYPE_CPU;
    context = clCreateContextFromType(cps, type, NULL, NULL, &status);
  }
  check(status, "clCreateContextFromType");
  showDevices(platform, type);
  std::size_t bytes = 0;
  check(clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes), "clGetContextInfo");
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  check(clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, &devices[0], NULL), "clGetContextInfo");
  device = devices[0];
  queue = clCreateCommandQueue(context, device, properties, &status);
  check(status, "clCreateCommandQueue");
  mostItems = ask<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  const cl_uint dimensions = ask<cl_uint>(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  mostItemsIn.resize(dimensions);
  check(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, dimensions * sizeof(std::size_t), &mostItemsIn[0], NULL),
        "CL_DEVICE_MAX_WORK_ITEM_SIZES");
  localBytes = ask<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  hasLocal = ask<cl_device_local_mem_type>(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
  program = load(context, std::vector<cl_device_id>(1, device), buildOptions);
  if (!dump_.empty()) dump();
}

cl_program Sample::load(cl_context where, const std::vector<cl_device_id>& devices, const char* buildOptions) const {
  std::size_t size = 0;
  unsigned char* const file = read_whole_file(load_.c_str(), &size);
  if (file == NULL) {
    std::cout << "Failed to load kernel file : " << load_ << std::endl;
    std::exit(1);
  }
  const std::vector<std::size_t> sizes(devices.size(), size);
  std::vector<const unsigned char*> binaries(devices.size(), file);
  cl_int status;
  const cl_uint count = static_cast<cl_uint>(devices.size());
  cl_program out = clCreateProgramWithBinary(where, count, &devices[0], &sizes[0], &binaries[0], NULL, &status);
  check(status, "clCreateProgramWithBinary");
  std::free(file);
  status = clBuildProgram(out, count, &devices[0], buildOptions, NULL, NULL);
  if (status == CL_BUILD_PROGRAM_FAILURE) {
    std::size_t length = 0;
    check(clGetProgramBuildInfo(out, devices[0], CL_PROGRAM_BUILD_LOG, 0, NULL, &length), "clGetProgramBuildInfo");
    std::vector<char> log(length + 1);
    check(clGetProgramBuildInfo(out, devices[0], CL_PROGRAM_BUILD_LOG, length, &log[0], NULL), "clGetProgramBuildInfo");
    std::cout << &log[0] << std::endl;
  }
  check(status, "clBuildProgram");
  clUnloadCompiler();
  return out;
}

// The number of devices has 32 bits; the samples asked with a variable of 64 that nothing had set.
void Sample::dump() const {
  std::size_t count, size = 0;
  std::memset(&count, 0xa5, sizeof count);
  check(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL), "CL_PROGRAM_NUM_DEVICES");
  expect(count == 1, "a program has one device");
  check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "CL_PROGRAM_BINARY_SIZES");
  std::vector<char> binary(size);
  char* binaries[] = {&binary[0]};
  check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL), "CL_PROGRAM_BINARIES");
  std::FILE* const file = std::fopen(dump_.c_str(), "wb");
  expect(file != NULL && std::fwrite(&binary[0], 1, size, file) == size, "the binary cannot be written");
  std::fclose(file);
}

Sample::~Sample() {
  check(clReleaseProgram(program), "clReleaseProgram");
  for (std::size_t n = 0; n < memory_.size(); ++n) check(clReleaseMemObject(memory_[n]), "clReleaseMemObject");
  check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
  check(clReleaseContext(context), "clReleaseContext");
}

cl_mem Sample::buffer(cl_mem_flags flags, std::size_t bytes, void* host) {
  cl_int status;
  const cl_mem out = clCreateBuffer(context, flags, bytes, host, &status);
  check(status, "clCreateBuffer");
  return keep(out);
}

cl_mem Sample::keep(cl_mem memory) {
  memory_.push_back(memory);
  return memory;
}

void Sample::write(cl_mem buffer, const void* from, std::size_t bytes) {
  cl_event event;
  check(clEnqueueWriteBuffer(queue, buffer, manner == kWait, 0, bytes, from, 0, NULL, &event), "clEnqueueWriteBuffer");
  complete(event);
}

void Sample::read(cl_mem buffer, void* to, std::size_t bytes) {
  cl_event event;
  check(clEnqueueReadBuffer(queue, buffer, manner == kWait, 0, bytes, to, 0, NULL, &event), "clEnqueueReadBuffer");
  complete(event);
}

void Sample::complete(cl_event event) {
  if (manner == kFinish) {
    check(clFinish(queue), "clFinish");
  } else if (manner == kWait) {
    check(clWaitForEvents(1, &event), "clWaitForEvents");
  } else {
    check(clFlush(queue), "clFlush");
    cl_int state = CL_QUEUED;
    while (state != CL_COMPLETE) {
      check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), "clGetEventInfo");
      expect(state >= CL_COMPLETE, "a command has failed");
    }
  }
  if (timed_) {
    cl_ulong begin = 0, end = 0;
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL), "profiling");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "profiling");
    expect(end >= begin, "a command ends before it starts");
  }
  check(clReleaseEvent(event), "clReleaseEvent");
}

int Sample::verdict(bool right) const {
  std::cout << (right ? "Passed!" : "Failed") << std::endl;
  return right ? 0 : 1;
}

Kernel::Kernel(Sample& sample, const char* name) : sample_(sample), kernel_(NULL), next_(0) {
  cl_int status;
  kernel_ = clCreateKernel(sample.program, name, &status);
  check(status, "clCreateKernel");
}

Kernel::Kernel(Sample& sample, const char* name, cl_program program) : sample_(sample), kernel_(NULL), next_(0) {
  cl_int status;
  kernel_ = clCreateKernel(program, name, &status);
  check(status, "clCreateKernel");
}

Kernel::~Kernel() { check(clReleaseKernel(kernel_), "clReleaseKernel"); }

std::size_t Kernel::fit(std::size_t wanted) const {
  std::size_t most = 0;
  check(clGetKernelWorkGroupInfo(kernel_, sample_.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL),
        "CL_KERNEL_WORK_GROUP_SIZE");
  if (wanted > most) {
    std::cout << "Out of Resources!\nGroup Size specified : " << wanted
              << "\nMax Group Size supported on the kernel : " << most << "\nFalling back to " << most << std::endl;
    wanted = most;
  }
  return wanted;
}

Size Kernel::square(std::size_t wanted) const {
  const std::size_t most = fit(wanted);
  std::size_t x = 1, y = 1;
  while (2 * x * y <= most) (x > y ? y : x) *= 2;
  return Size(x, y);
}

Kernel& Kernel::local(std::size_t bytes) {
  check(clSetKernelArg(kernel_, next_++, bytes, NULL), "clSetKernelArg for local memory");
  return *this;
}

void Kernel::run(const Size& global, const Size& local) {
  cl_ulong used = 0;
  next_ = 0;
  for (cl_uint n = 0; n < local.dimensions; ++n)
    expect(local.at[n] <= sample_.mostItemsIn[n],
           "Unsupported: Device does not support requested number of work items.");
  expect(local.at[0] * local.at[1] <= sample_.mostItems,
         "Unsupported: Device does not support requested number of work items.");
  check(clGetKernelWorkGroupInfo(kernel_, sample_.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof used, &used, NULL),
        "CL_KERNEL_LOCAL_MEM_SIZE");
  expect(used <= sample_.localBytes, "Unsupported: Insufficient local memory on device.");
  cl_event event;
  check(clEnqueueNDRangeKernel(sample_.queue, kernel_, global.dimensions, NULL, global.at, local.at, 0, NULL, &event),
        "clEnqueueNDRangeKernel");
  sample_.complete(event);
}

std::vector<cl_uchar> picture(cl_uint width, cl_uint height) {
  Random random;
  std::vector<cl_uchar> out(static_cast<std::size_t>(width) * height * 4);
  for (cl_uint y = 0; y < height; ++y)
    for (cl_uint x = 0; x < width; ++x)
      for (cl_uint c = 0; c < 4; ++c)
        out[(static_cast<std::size_t>(y) * width + x) * 4 + c] =
            static_cast<cl_uchar>((x * (c + 1) / 3 + y * (4 - c) / 2 + random.below(48)) & 255);
  return out;
}

bool near(const float* got, const std::vector<double>& expected, double relative, double absolute) {
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const double error = std::fabs(got[n] - expected[n]);
    if (error <= absolute || error <= relative * std::fabs(expected[n])) continue;
    std::cout << "value " << n << " is " << got[n] << " instead of " << expected[n] << std::endl;
    return false;
  }
  return true;
}

}  // namespace sdk
