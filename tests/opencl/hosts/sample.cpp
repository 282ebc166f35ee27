// A host in the manner of the samples that came with AMD's SDK: one class sets everything up and asks for everything
// it may need, the next one runs and times the kernels, and the result is held against the host's own.
//
// It maps its buffers, polls its events, and fits the size of its work-groups to what device and kernel say.
#include "common.h"

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

// What headers of the time had in other places.
static const cl_mem_flags kUsePersistentMemory = 1 << 6;
static const cl_context_properties kOfflineDevices = 0x403F;

namespace {

struct DeviceFacts {
  explicit DeviceFacts(cl_device_id device);
  cl_device_type type;
  cl_uint units, dimensions;
  std::size_t groupSize;
  std::vector<std::size_t> itemSizes;
  cl_ulong localBytes;
  cl_bool images;
};

template <class T>
T ask(cl_device_id device, cl_device_info what) {
  T out;
  check(clGetDeviceInfo(device, what, sizeof out, &out, NULL), "clGetDeviceInfo");
  return out;
}

DeviceFacts::DeviceFacts(cl_device_id device)
    : type(ask<cl_device_type>(device, CL_DEVICE_TYPE)), units(ask<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS)),
      dimensions(ask<cl_uint>(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS)),
      groupSize(ask<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE)), itemSizes(dimensions),
      localBytes(ask<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE)),
      images(ask<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT)) {
  const cl_device_info numbers[] = {CL_DEVICE_VENDOR_ID,
                                    CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,
                                    CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
                                    CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
                                    CL_DEVICE_MAX_CLOCK_FREQUENCY,
                                    CL_DEVICE_ADDRESS_BITS,
                                    CL_DEVICE_MAX_READ_IMAGE_ARGS,
                                    CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
                                    CL_DEVICE_MAX_SAMPLERS,
                                    CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                                    CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE,
                                    CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,
                                    CL_DEVICE_MAX_CONSTANT_ARGS};
  for (std::size_t n = 0; n < sizeof numbers / sizeof *numbers; ++n) ask<cl_uint>(device, numbers[n]);
  ask<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  ask<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  ask<cl_ulong>(device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
  ask<std::size_t>(device, CL_DEVICE_IMAGE2D_MAX_WIDTH);
  ask<std::size_t>(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
  ask<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG);
  ask<cl_device_exec_capabilities>(device, CL_DEVICE_EXECUTION_CAPABILITIES);
  ask<cl_command_queue_properties>(device, CL_DEVICE_QUEUE_PROPERTIES);
  expect(ask<cl_bool>(device, CL_DEVICE_AVAILABLE) && ask<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE),
         "the device is there, with a compiler");
  expect(dimensions >= 3, "three dimensions");
  check(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, dimensions * sizeof(std::size_t), &itemSizes[0], NULL),
        "CL_DEVICE_MAX_WORK_ITEM_SIZES");
  const cl_device_info texts[] = {CL_DEVICE_NAME,    CL_DEVICE_VENDOR,  CL_DRIVER_VERSION,
                                  CL_DEVICE_PROFILE, CL_DEVICE_VERSION, CL_DEVICE_EXTENSIONS};
  for (std::size_t n = 0; n < sizeof texts / sizeof *texts; ++n) {
    std::size_t size = 0;
    check(clGetDeviceInfo(device, texts[n], 0, NULL, &size), "clGetDeviceInfo");
    std::vector<char> text(size);
    check(clGetDeviceInfo(device, texts[n], size, &text[0], NULL), "clGetDeviceInfo");
    expect(!text.empty() && text.back() == '\0', "a text that ends");
  }
}

// Until it is complete, by asking again and again.
cl_ulong pollAndRelease(cl_event event) {
  cl_int state = CL_QUEUED;
  while (state != CL_COMPLETE) {
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), "clGetEventInfo");
    expect(state >= CL_COMPLETE, "a command has failed");
  }
  cl_ulong begin = 0, end = 0;
  check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL), "profiling");
  check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "profiling");
  check(clReleaseEvent(event), "clReleaseEvent");
  return end - begin;
}

class Sample {
 public:
  explicit Sample(const Options& options);
  ~Sample();
  bool run();

 private:
  Sample(const Sample&);
  Sample& operator=(const Sample&);
  std::size_t fit(cl_kernel kernel, std::size_t wanted);
  cl_ulong launch(cl_kernel kernel, std::size_t global, std::size_t local);

  Options options_;
  bool amd_;
  cl_context context_;
  std::vector<cl_device_id> devices_;
  cl_command_queue queue_;
  cl_program program_;
  cl_kernel groups_, rest_;
};

Sample::Sample(const Options& options) : options_(options), amd_(false), context_(NULL), queue_(NULL), program_(NULL) {
  cl_uint count = 0;
  check(clGetPlatformIDs(0, NULL, &count), "clGetPlatformIDs");
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, &platforms[0], NULL), "clGetPlatformIDs");
  cl_platform_id platform = NULL;
  for (cl_uint n = 0; n < count && !amd_; ++n) {
    char vendor[100];
    platform = platforms[n];
    check(clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL), "clGetPlatformInfo");
    amd_ = std::strcmp(vendor, "Advanced Micro Devices, Inc.") == 0;
  }
  cl_device_type type = CL_DEVICE_TYPE_GPU;
  if (clGetDeviceIDs(platform, type, 0, NULL, &count) != CL_SUCCESS || count == 0) {
    std::cout << "Unsupported GPU device; falling back to CPU ..." << std::endl;
    type = CL_DEVICE_TYPE_CPU;
  }
  cl_int status;
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  if (amd_) {
    // As for writing binaries for devices that are not there.
    cl_context_properties offline[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, kOfflineDevices, 1, 0};
    cl_context all = clCreateContextFromType(offline, type, NULL, NULL, &status);
    check(status, "clCreateContextFromType for all devices");
    check(clReleaseContext(all), "clReleaseContext");
  }
  context_ = clCreateContextFromType(properties, type, NULL, NULL, &status);
  check(status, "clCreateContextFromType");
  std::size_t bytes = 0;
  check(clGetContextInfo(context_, CL_CONTEXT_DEVICES, 0, NULL, &bytes), "clGetContextInfo");
  devices_.resize(bytes / sizeof(cl_device_id));
  expect(!devices_.empty(), "a device");
  check(clGetContextInfo(context_, CL_CONTEXT_DEVICES, bytes, &devices_[0], NULL), "clGetContextInfo");
  queue_ = clCreateCommandQueue(context_, devices_[0], CL_QUEUE_PROFILING_ENABLE, &status);
  check(status, "clCreateCommandQueue");
  program_ = load_program(context_, 1, &devices_[0], &options_);
  build_program(program_, devices_[0], options_.options != NULL ? options_.options : "");
  groups_ = clCreateKernel(program_, "sum_groups", &status);
  check(status, "clCreateKernel");
  rest_ = clCreateKernel(program_, "sum_rest", &status);
  check(status, "clCreateKernel");
}

Sample::~Sample() {
  clReleaseKernel(groups_);
  clReleaseKernel(rest_);
  clReleaseProgram(program_);
  clReleaseCommandQueue(queue_);
  clReleaseContext(context_);
}

// The most work-items of a group that kernel and device allow.
std::size_t Sample::fit(cl_kernel kernel, std::size_t wanted) {
  const DeviceFacts facts(devices_[0]);
  std::size_t most = 0, required[3] = {0, 0, 0};
  cl_ulong local = 0;
  check(clGetKernelWorkGroupInfo(kernel, devices_[0], CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL),
        "CL_KERNEL_WORK_GROUP_SIZE");
  check(clGetKernelWorkGroupInfo(kernel, devices_[0], CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL),
        "CL_KERNEL_LOCAL_MEM_SIZE");
  check(
      clGetKernelWorkGroupInfo(kernel, devices_[0], CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL),
      "CL_KERNEL_COMPILE_WORK_GROUP_SIZE");
  while (wanted > most || wanted > facts.groupSize || wanted > facts.itemSizes[0]) wanted /= 2;
  expect(local + wanted * sizeof(cl_uint) <= facts.localBytes, "Unsupported: Insufficient local memory on device.");
  return wanted;
}

cl_ulong Sample::launch(cl_kernel kernel, std::size_t global, std::size_t local) {
  cl_event event;
  check(clEnqueueNDRangeKernel(queue_, kernel, 1, NULL, &global, &local, 0, NULL, &event), "clEnqueueNDRangeKernel");
  check(clFlush(queue_), "clFlush");
  return pollAndRelease(event);
}

bool Sample::run() {
  const cl_uint n = static_cast<cl_uint>(options_.size != 0 ? options_.size : 64 * 64);
  const std::size_t local = fit(groups_, 512), items = 16 * local, bytes = n * sizeof(cl_uint);
  const cl_uint sums = static_cast<cl_uint>(items / local);
  cl_int status;
  cl_uint expected = 0;
  unsigned int state = 5;
  const cl_mem_flags persistent = amd_ ? kUsePersistentMemory : 0;
  cl_mem in = clCreateBuffer(context_, CL_MEM_READ_ONLY | persistent, bytes, NULL, &status);
  check(status, "clCreateBuffer");
  cl_mem part = clCreateBuffer(context_, CL_MEM_READ_WRITE, sums * sizeof(cl_uint), NULL, &status);
  check(status, "clCreateBuffer");
  cl_mem out = clCreateBuffer(context_, CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, sizeof(cl_uint), NULL, &status);
  check(status, "clCreateBuffer");
  cl_event mapped, unmapped;
  cl_uint* numbers = static_cast<cl_uint*>(
      clEnqueueMapBuffer(queue_, in, CL_FALSE, CL_MAP_WRITE, 0, bytes, 0, NULL, &mapped, &status));
  check(status, "clEnqueueMapBuffer");
  check(clFlush(queue_), "clFlush");
  pollAndRelease(mapped);
  for (cl_uint i = 0; i < n; ++i) expected += numbers[i] = next_random(&state);
  check(clEnqueueUnmapMemObject(queue_, in, numbers, 0, NULL, &unmapped), "clEnqueueUnmapMemObject");
  check(clFlush(queue_), "clFlush");
  pollAndRelease(unmapped);
  check(clSetKernelArg(groups_, 0, local * sizeof(cl_uint), NULL), "clSetKernelArg");
  check(clSetKernelArg(groups_, 1, sizeof in, &in), "clSetKernelArg");
  check(clSetKernelArg(groups_, 2, sizeof part, &part), "clSetKernelArg");
  check(clSetKernelArg(groups_, 3, sizeof n, &n), "clSetKernelArg");
  check(clSetKernelArg(rest_, 0, sizeof part, &part), "clSetKernelArg");
  check(clSetKernelArg(rest_, 1, sizeof out, &out), "clSetKernelArg");
  check(clSetKernelArg(rest_, 2, sizeof sums, &sums), "clSetKernelArg");
  cl_ulong time = 0;
  bool right = true;
  for (int iteration = 0; iteration < 3; ++iteration) {
    time += launch(groups_, items, local);
    time += launch(rest_, 1, 1);
    cl_uint got = 0;
    cl_event read;
    check(clEnqueueReadBuffer(queue_, out, CL_FALSE, 0, sizeof got, &got, 0, NULL, &read), "clEnqueueReadBuffer");
    check(clFlush(queue_), "clFlush");
    pollAndRelease(read);
    if (got == expected) continue;
    std::cerr << "Error: the sum is " << got << " instead of " << expected << std::endl;
    right = false;
  }
  std::cout << n << " numbers, groups of " << local << ", " << time << " ns" << std::endl;
  check(clReleaseMemObject(in), "clReleaseMemObject");
  check(clReleaseMemObject(part), "clReleaseMemObject");
  check(clReleaseMemObject(out), "clReleaseMemObject");
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  Sample sample(parse_options(argc, argv));
  if (!sample.run()) return 1;
  std::cout << "Passed!" << std::endl;
  return 0;
}
