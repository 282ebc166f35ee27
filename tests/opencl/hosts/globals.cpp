// A host whose objects are global: they are let go of after main, when much is gone already. It scales numbers by a
// member of a structure.
#include "common.h"

#include <iostream>
#include <vector>

namespace {

// As the kernel has it.
struct Factors {
  cl_uint unused[2];
  cl_uint factor;
  cl_float more;
};

class Application {
 public:
  Application() : context_(NULL), queue_(NULL), program_(NULL), kernel_(NULL), data_(NULL) {}
  ~Application() {
    if (data_) check(clReleaseMemObject(data_), "clReleaseMemObject");
    if (program_) check(clReleaseProgram(program_), "clReleaseProgram");
    if (kernel_) check(clReleaseKernel(kernel_), "clReleaseKernel");
    if (queue_) check(clReleaseCommandQueue(queue_), "clReleaseCommandQueue");
    if (context_) check(clReleaseContext(context_), "clReleaseContext");
    std::cout << "all released" << std::endl;
  }

  void setup(const Options& options);
  bool run();

 private:
  Application(const Application&);
  Application& operator=(const Application&);

  cl_context context_;
  cl_command_queue queue_;
  cl_program program_;
  cl_kernel kernel_;
  cl_mem data_;
};

void Application::setup(const Options& options) {
  cl_int status;
  cl_device_id device = choose_device(choose_platform());
  context_ = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue_ = clCreateCommandQueue(context_, device, 0, &status);
  check(status, "clCreateCommandQueue");
  program_ = load_program(context_, 1, &device, &options);
  build_program(program_, device, options.options);
  kernel_ = clCreateKernel(program_, "scale_by", &status);
  check(status, "clCreateKernel");
}

bool Application::run() {
  cl_int status;
  std::vector<cl_uint> numbers(256);
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = static_cast<cl_uint>(n + 1);
  const std::size_t bytes = numbers.size() * sizeof(cl_uint), global = numbers.size(), local = 64;
  const Factors factors = {{1, 2}, 77, 0.5f};
  data_ = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, &numbers[0], &status);
  check(status, "clCreateBuffer");
  check(clSetKernelArg(kernel_, 0, sizeof data_, &data_), "clSetKernelArg(0)");
  check(clSetKernelArg(kernel_, 1, sizeof factors, &factors), "clSetKernelArg(1)");
  check(clEnqueueNDRangeKernel(queue_, kernel_, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue_, data_, CL_TRUE, 0, bytes, &numbers[0], 0, NULL, NULL), "clEnqueueReadBuffer");
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    if (numbers[n] == 77 * (n + 1)) continue;
    std::cerr << "Error: number " << n << " is " << numbers[n] << std::endl;
    return false;
  }
  return true;
}

Application application;

}  // namespace

int main(int argc, char** argv) {
  application.setup(parse_options(argc, argv));
  if (!application.run()) return 1;
  std::cout << "Passed!" << std::endl;
  return 0;
}
