// Child processes that use OpenCL, and the process that waits for them.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include <sys/types.h>

#include "child.hpp"

namespace amdcompat::opencl {

// A process that has loaded pocl and its library of built-in functions, which takes pocl half a second, and forks a
// child for each request: with all that loaded, and apart from what other requests' kernels may have done to memory.
// Only where pocl's device of one core is what requests without a wish run on: it has no threads, which no child would
// have.
class Worker {
 public:
  // Null: there can be none here.
  [[nodiscard]] static std::unique_ptr<Worker> start();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] const Device& device() const { return device_; }
  // Whether it takes another request: it ends when it has had none for a while, or many, whose compiled code it keeps.
  [[nodiscard]] bool is_fresh() const;
  // `request`: bytes of `packed`. The child that has it now; -1: the worker is gone.
  pid_t begin(const std::string& request);
  // Ends that child; how it ended by itself, if it did.
  std::string end();
  [[nodiscard]] int data() const { return data_; }  // what children say
  [[nodiscard]] int control() const { return control_; }  // ready to be read: the child has ended
  [[nodiscard]] std::FILE* words() const { return words_; }

 private:
  Worker() = default;

  std::FILE* words_ = nullptr;  // standard output and error, of the one request at a time
  pid_t pid_ = -1, maker_ = -1;
  int control_ = -1, data_ = -1;
  std::uint32_t served_ = 0;
  Device device_;
};

// Of this process: a worker that is idle, or a new one; null: there can be none here.
[[nodiscard]] std::unique_ptr<Worker> take_worker();
void give_back(std::unique_ptr<Worker> worker);

// A child, where to read what it says, and what it said on standard output and error.
class Running {
 public:
  // A child of this process.
  Running(Runtime runtime, bool unset_values, bool all_cores, const std::function<void(int to)>& work);
  // A child of a worker; `request`: bytes of `packed`.
  Running(Worker& worker, const std::string& request);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // What the child says next; or how it ended instead.
  Message next(double seconds);
  [[nodiscard]] bool began() const { return pid_ > 0; }

 private:
  struct Limit {
    double processor = 0, clock = 0;  // seconds
  };
  [[nodiscard]] double processor_seconds() const;
  Status receive(void* to, std::size_t size, const Limit& limit);
  std::string wait();
  void kill();
  std::string last_words();

  std::optional<TemporaryDirectory> cache_;
  Worker* worker_ = nullptr;
  std::FILE* words_ = nullptr;
  pid_t pid_ = -1;
  int from_ = -1;
};

}  // namespace amdcompat::opencl
