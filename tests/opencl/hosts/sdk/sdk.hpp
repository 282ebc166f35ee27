// What the hosts in the manner of the samples of AMD's SDK 2.5 share: one class that sets everything up and asks for
// everything that those asked for, and kernels that fit their work-groups to what device and kernel say. C++98.
//
//   NAME --load FILE [-x SIZE] [-i ITERATIONS] [--dump FILE]
#ifndef HOSTS_SDK_HPP
#define HOSTS_SDK_HPP

#include "../common.h"

#include <cstddef>
#include <string>
#include <vector>

namespace sdk {

// How a host learns that a command is done.
enum Manner { kWait, kPoll, kFinish };

// AMD's own flag: memory of the device that the host may write to.
const cl_mem_flags kPersistent = 1 << 6;

struct Size {
  Size(std::size_t x) : dimensions(1) { at[0] = x, at[1] = at[2] = 1; }
  Size(std::size_t x, std::size_t y) : dimensions(2) { at[0] = x, at[1] = y, at[2] = 1; }
  cl_uint dimensions;
  std::size_t at[3];
};

class Sample {
 public:
  // Platform, device, context, queue and program, built.
  Sample(int argc, char** argv, const char* buildOptions = NULL, cl_command_queue_properties properties = 0);
  ~Sample();

  // -x, or the sample's own.
  cl_uint size(cl_uint own) const { return size_ != 0 ? size_ : own; }
  // The program for these devices of this context, built.
  cl_program load(cl_context context, const std::vector<cl_device_id>& devices, const char* buildOptions) const;
  // Released at the end.
  cl_mem buffer(cl_mem_flags flags, std::size_t bytes, void* host = NULL);
  cl_mem keep(cl_mem memory);
  void write(cl_mem buffer, const void* from, std::size_t bytes);
  void read(cl_mem buffer, void* to, std::size_t bytes);
  // Done, in the manner of this host, and released.
  void complete(cl_event event);
  // Prints the verdict; the exit status.
  int verdict(bool right) const;

  Manner manner;
  int iterations;
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  std::size_t mostItems;
  std::vector<std::size_t> mostItemsIn;
  cl_ulong localBytes;
  bool hasLocal; // local memory of its own

 private:
  Sample(const Sample&);
  Sample& operator=(const Sample&);
  void setUp(const char* buildOptions, cl_command_queue_properties properties);
  void dump() const;

  std::string load_, dump_;
  cl_uint size_;
  bool timed_;
  std::vector<cl_mem> memory_;
};

class Kernel {
 public:
  Kernel(Sample& sample, const char* name);
  Kernel(Sample& sample, const char* name, cl_program program);
  ~Kernel();
  cl_kernel get() const { return kernel_; }
  // At most what the kernel allows.
  std::size_t fit(std::size_t wanted) const;
  // 16 x 16, or what the kernel allows, doubled in turns.
  Size square(std::size_t wanted) const;
  // Arguments in their order, again from the first after a run.
  template <class T>
  Kernel& argument(const T& value) {
    check(clSetKernelArg(kernel_, next_++, sizeof value, &value), "clSetKernelArg");
    return *this;
  }
  Kernel& local(std::size_t bytes);
  // Launched and done.
  void run(const Size& global, const Size& local);

 private:
  Kernel(const Kernel&);
  Kernel& operator=(const Kernel&);
  Sample& sample_;
  cl_kernel kernel_;
  cl_uint next_;
};

// Pseudo-random numbers below a limit, and between 0 and 1.
class Random {
 public:
  Random() : state_(42) {}
  cl_uint below(cl_uint limit) { return next_random(&state_) % limit; }
  cl_uint word() { return next_random(&state_) << 16 ^ next_random(&state_); }
  float unit() { return static_cast<float>(next_random(&state_) & 0xffff) / 65536.0f; }

 private:
  unsigned int state_;
};

// A picture without large areas of one colour, and not only noise.
std::vector<cl_uchar> picture(cl_uint width, cl_uint height);

// Whether every value is within `absolute`, or within `relative` of what was expected; says which is not.
bool near(const float* got, const std::vector<double>& expected, double relative, double absolute);

template <class T>
bool same(const std::vector<T>& got, const std::vector<T>& expected) {
  std::size_t wrong = 0;
  while (wrong < got.size() && got[wrong] == expected[wrong]) ++wrong;
  expect(got.size() == expected.size(), "sizes differ");
  return wrong == got.size();
}

}  // namespace sdk

#endif
