// Moves particles in two contexts at once, on queues that need not keep the order of commands. The host lets go of its
// programs early: kernels hold them.
#include "common.h"

#include <cmath>
#include <cstring>
#include <iostream>
#include <vector>

namespace {

// As the kernel has it.
struct Settings {
  cl_float4 gravity;
  cl_float step;
  cl_int steps;
  cl_uint count;
  cl_uint unused;
};

cl_float4 vector(float x, float y, float z, float w) {
  cl_float4 out;
  out.s[0] = x;
  out.s[1] = y;
  out.s[2] = z;
  out.s[3] = w;
  return out;
}

class World {
 public:
  World(cl_device_id device, const Options& options, unsigned int seed);
  ~World();
  void start();
  bool right();

 private:
  World(const World&);
  World& operator=(const World&);

  cl_context context_;
  cl_command_queue queue_;
  cl_kernel advance_, mirror_;
  cl_mem position_, velocity_;
  cl_event read_;
  Settings settings_;
  std::vector<cl_float4> before_, speed_, after_;
};

World::World(cl_device_id device, const Options& options, unsigned int seed) : read_(NULL) {
  cl_int status;
  context_ = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue_ = clCreateCommandQueue(context_, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  if (status == CL_INVALID_QUEUE_PROPERTIES) {
    std::cout << "no out-of-order queues" << std::endl;
    queue_ = clCreateCommandQueue(context_, device, 0, &status);
  }
  check(status, "clCreateCommandQueue");
  cl_program program = load_program(context_, 1, &device, &options);
  check(clRetainProgram(program), "clRetainProgram");
  check(clReleaseProgram(program), "clReleaseProgram");
  build_program(program, device, options.options != NULL ? options.options : "-O3 -fno-alias");
  advance_ = clCreateKernel(program, "advance", &status);
  check(status, "clCreateKernel");
  mirror_ = clCreateKernel(program, "mirror", &status);
  check(status, "clCreateKernel");
  check(clReleaseProgram(program), "clReleaseProgram");
  // The kernels still know it.
  cl_program of = NULL;
  check(clGetKernelInfo(advance_, CL_KERNEL_PROGRAM, sizeof of, &of, NULL), "clGetKernelInfo");
  expect(of == program, "a kernel of another program");
  cl_build_status built = CL_BUILD_NONE;
  check(clGetProgramBuildInfo(of, device, CL_PROGRAM_BUILD_STATUS, sizeof built, &built, NULL),
        "clGetProgramBuildInfo");
  expect(built == CL_BUILD_SUCCESS, "the program is not built");

  const std::size_t count = options.size != 0 ? options.size : 1000;
  settings_.gravity = vector(0.0f, -8.0f, 0.5f, 0.0f);
  settings_.step = 0.125f;
  settings_.steps = 5;
  settings_.count = static_cast<cl_uint>(count);
  settings_.unused = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const float a = static_cast<float>(next_random(&seed) % 512), b = static_cast<float>(next_random(&seed) % 512);
    before_.push_back(vector(a, b, a - b, 1.0f));
    speed_.push_back(vector(b - 256.0f, 0.0f, 1.0f, 0.0f));
  }
  after_.resize(count);
  const std::size_t bytes = count * sizeof(cl_float4);
  position_ = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, NULL, &status);
  check(status, "clCreateBuffer");
  velocity_ = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, &speed_[0], &status);
  check(status, "clCreateBuffer");
}

void World::start() {
  const std::size_t bytes = before_.size() * sizeof(cl_float4), global = round_up(before_.size(), 64), local = 64;
  cl_event written, advanced, mirrored;
  check(clEnqueueWriteBuffer(queue_, position_, CL_FALSE, 0, bytes, &before_[0], 0, NULL, &written),
        "clEnqueueWriteBuffer");
  check(clSetKernelArg(advance_, 0, sizeof position_, &position_), "clSetKernelArg(0)");
  check(clSetKernelArg(advance_, 1, sizeof velocity_, &velocity_), "clSetKernelArg(1)");
  check(clSetKernelArg(advance_, 2, sizeof settings_, &settings_), "clSetKernelArg(2)");
  check(clEnqueueNDRangeKernel(queue_, advance_, 1, NULL, &global, &local, 1, &written, &advanced),
        "clEnqueueNDRangeKernel");
  check(clSetKernelArg(mirror_, 0, sizeof position_, &position_), "clSetKernelArg(0)");
  check(clSetKernelArg(mirror_, 1, sizeof settings_, &settings_), "clSetKernelArg(1)");
  check(clEnqueueNDRangeKernel(queue_, mirror_, 1, NULL, &global, NULL, 1, &advanced, &mirrored),
        "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue_, position_, CL_FALSE, 0, bytes, &after_[0], 1, &mirrored, &read_),
        "clEnqueueReadBuffer");
  check(clFlush(queue_), "clFlush");
  check(clReleaseEvent(written), "clReleaseEvent");
  check(clReleaseEvent(advanced), "clReleaseEvent");
  check(clReleaseEvent(mirrored), "clReleaseEvent");
}

bool World::right() {
  check(clWaitForEvents(1, &read_), "clWaitForEvents");
  check(clReleaseEvent(read_), "clReleaseEvent");
  for (std::size_t n = 0; n < before_.size(); ++n) {
    float p[4], v[4];
    std::memcpy(p, &before_[n], sizeof p);
    std::memcpy(v, &speed_[n], sizeof v);
    for (int s = 0; s < settings_.steps; ++s)
      for (int c = 0; c < 4; ++c) {
        v[c] += settings_.gravity.s[c] * settings_.step;
        p[c] += v[c] * settings_.step;
      }
    p[0] = -p[0];
    p[2] = -p[2];
    for (int c = 0; c < 4; ++c) {
      if (std::fabs(after_[n].s[c] - p[c]) <= 1e-5f * (1.0f + std::fabs(p[c]))) continue;
      std::cerr << "Error: particle " << n << " has " << after_[n].s[c] << " instead of " << p[c] << std::endl;
      return false;
    }
  }
  return true;
}

World::~World() {
  check(clReleaseMemObject(position_), "clReleaseMemObject");
  check(clReleaseMemObject(velocity_), "clReleaseMemObject");
  check(clReleaseKernel(advance_), "clReleaseKernel");
  check(clReleaseKernel(mirror_), "clReleaseKernel");
  check(clReleaseCommandQueue(queue_), "clReleaseCommandQueue");
  check(clReleaseContext(context_), "clReleaseContext");
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  cl_device_id device = choose_device(choose_platform());
  World first(device, options, 5), second(device, options, 17);
  first.start();
  second.start();
  if (!second.right() || !first.right()) return 1;
  std::cout << "Passed!" << std::endl;
  return 0;
}
