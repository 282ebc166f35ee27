// Prefix sums, timed by events. The host keeps the binary of its program in a file, and starts from that next time.
#include "common.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

class Scan {
 public:
  explicit Scan(const Options& options);
  ~Scan();
  bool run();
  void save();

 private:
  Scan(const Scan&);
  Scan& operator=(const Scan&);
  void createKernels();

  Options options_;
  cl_device_id device_;
  cl_context context_;
  cl_command_queue queue_;
  cl_program program_;
  cl_kernel scan_, add_;
};

bool exists(const char* path) { return path != NULL && std::ifstream(path, std::ios::binary).good(); }

Scan::Scan(const Options& options)
    : options_(options), device_(NULL), context_(NULL), queue_(NULL), program_(NULL), scan_(NULL), add_(NULL) {
  cl_int status;
  cl_platform_id platform = choose_platform();
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  device_ = choose_device(platform);
  context_ = clCreateContext(properties, 1, &device_, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue_ = clCreateCommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE, &status);
  check(status, "clCreateCommandQueue");
  if (exists(options_.cache)) {
    std::cout << "from the cache" << std::endl;
    options_.binary = options_.cache;
  }
  program_ = load_program(context_, 1, &device_, &options_);
  build_program(program_, device_, options_.options != NULL ? options_.options : "-fno-bin-source -fno-bin-amdil");
  createKernels();
}

// All of them at once, told apart by their names.
void Scan::createKernels() {
  cl_uint count = 0;
  check(clCreateKernelsInProgram(program_, 0, NULL, &count), "clCreateKernelsInProgram");
  expect(count == 2, "not two kernels");
  std::vector<cl_kernel> kernels(count);
  check(clCreateKernelsInProgram(program_, count, &kernels[0], NULL), "clCreateKernelsInProgram");
  for (cl_uint n = 0; n < count; ++n) {
    char name[128];
    check(clGetKernelInfo(kernels[n], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL), "clGetKernelInfo");
    if (std::strcmp(name, "scan_blocks") == 0)
      scan_ = kernels[n];
    else if (std::strcmp(name, "add_totals") == 0)
      add_ = kernels[n];
  }
  expect(scan_ != NULL && add_ != NULL, "other kernels than scan_blocks and add_totals");
}

bool Scan::run() {
  const cl_int n = static_cast<cl_int>(options_.size != 0 ? options_.size : 3000);
  const std::size_t bytes = n * sizeof(cl_int);
  std::size_t local = 0;
  cl_int status;
  unsigned int state = 7;
  std::vector<cl_int> in(n), out(n, -1);
  for (cl_int i = 0; i < n; ++i) in[i] = static_cast<cl_int>(next_random(&state) % 2001) - 1000;
  check(clGetKernelWorkGroupInfo(scan_, device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof local, &local, NULL),
        "clGetKernelWorkGroupInfo");
  if (local > 128) local = 128;
  const std::size_t global = round_up(n, local), blocks = global / local;
  cl_mem input = clCreateBuffer(context_, CL_MEM_READ_ONLY, bytes, NULL, &status);
  check(status, "clCreateBuffer");
  cl_mem output = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, NULL, &status);
  check(status, "clCreateBuffer");
  cl_mem totals = clCreateBuffer(context_, CL_MEM_READ_WRITE, blocks * sizeof(cl_int), NULL, &status);
  check(status, "clCreateBuffer");
  cl_event written, scanned, added;
  check(clEnqueueWriteBuffer(queue_, input, CL_FALSE, 0, bytes, &in[0], 0, NULL, &written), "clEnqueueWriteBuffer");
  check(clSetKernelArg(scan_, 0, local * sizeof(cl_int), NULL), "clSetKernelArg");
  check(clSetKernelArg(scan_, 1, sizeof input, &input), "clSetKernelArg");
  check(clSetKernelArg(scan_, 2, sizeof output, &output), "clSetKernelArg");
  check(clSetKernelArg(scan_, 3, sizeof totals, &totals), "clSetKernelArg");
  check(clSetKernelArg(scan_, 4, sizeof n, &n), "clSetKernelArg");
  check(clSetKernelArg(add_, 0, sizeof output, &output), "clSetKernelArg");
  check(clSetKernelArg(add_, 1, sizeof totals, &totals), "clSetKernelArg");
  check(clSetKernelArg(add_, 2, sizeof n, &n), "clSetKernelArg");
  check(clEnqueueNDRangeKernel(queue_, scan_, 1, NULL, &global, &local, 1, &written, &scanned),
        "clEnqueueNDRangeKernel");
  check(clEnqueueNDRangeKernel(queue_, add_, 1, NULL, &global, &local, 1, &scanned, &added), "clEnqueueNDRangeKernel");
  check(clFlush(queue_), "clFlush");
  check(clWaitForEvents(1, &added), "clWaitForEvents");
  cl_ulong begin = 0, end = 0;
  check(clGetEventProfilingInfo(scanned, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL),
        "clGetEventProfilingInfo");
  check(clGetEventProfilingInfo(added, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "clGetEventProfilingInfo");
  cl_int state_of_event = -1;
  check(clGetEventInfo(added, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state_of_event, &state_of_event, NULL),
        "clGetEventInfo");
  expect(state_of_event == CL_COMPLETE, "the event is not complete");
  expect(end >= begin, "the kernels ended before they began");
  cl_int* mapped = (cl_int*)clEnqueueMapBuffer(queue_, output, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &status);
  check(status, "clEnqueueMapBuffer");
  out.assign(mapped, mapped + n);
  check(clEnqueueUnmapMemObject(queue_, output, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
  check(clFinish(queue_), "clFinish");
  cl_event events[] = {written, scanned, added};
  for (int e = 0; e < 3; ++e) check(clReleaseEvent(events[e]), "clReleaseEvent");
  cl_mem buffers[] = {input, output, totals};
  for (int b = 0; b < 3; ++b) check(clReleaseMemObject(buffers[b]), "clReleaseMemObject");
  cl_int sum = 0;
  for (cl_int i = 0; i < n; ++i) {
    sum += in[i];
    if (out[i] == sum) continue;
    std::cerr << "Error: out[" << i << "] is " << out[i] << " instead of " << sum << std::endl;
    return false;
  }
  return true;
}

// As the APP SDK's `dumpBinary` did it: sizes of all devices, then the binaries.
void Scan::save() {
  if (options_.cache == NULL || exists(options_.cache)) return;
  cl_uint devices = 0;
  check(clGetProgramInfo(program_, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL), "clGetProgramInfo");
  std::vector<std::size_t> sizes(devices);
  check(clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, devices * sizeof(std::size_t), &sizes[0], NULL),
        "CL_PROGRAM_BINARY_SIZES");
  typedef std::vector<char> Bytes;
  std::vector<Bytes> binaries(devices);
  std::vector<char*> pointers(devices);
  for (cl_uint d = 0; d < devices; ++d) {
    binaries[d].resize(sizes[d] + 1);
    pointers[d] = sizes[d] != 0 ? &binaries[d][0] : NULL;
  }
  check(clGetProgramInfo(program_, CL_PROGRAM_BINARIES, devices * sizeof(char*), &pointers[0], NULL),
        "CL_PROGRAM_BINARIES");
  expect(devices == 1 && sizes[0] != 0, "the program has no binary");
  std::ofstream(options_.cache, std::ios::binary).write(&binaries[0][0], static_cast<std::streamsize>(sizes[0]));
}

Scan::~Scan() {
  check(clReleaseKernel(scan_), "clReleaseKernel");
  check(clReleaseKernel(add_), "clReleaseKernel");
  check(clReleaseProgram(program_), "clReleaseProgram");
  check(clReleaseCommandQueue(queue_), "clReleaseCommandQueue");
  check(clReleaseContext(context_), "clReleaseContext");
}

}  // namespace

int main(int argc, char** argv) {
  Scan scan(parse_options(argc, argv));
  scan.save();
  if (!scan.run()) return 1;
  std::cout << "Passed!" << std::endl;
  return 0;
}
