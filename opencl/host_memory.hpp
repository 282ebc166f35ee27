// Buffers in memory of the host, on devices that have memory of their own.
//
// Hosts of the time wrote to the memory that they had given for a buffer between launches and without a map, and the
// next launch saw it [SDK 2.5: MonteCarloAsian]. OpenCL leaves open what it sees [OpenCL 1.2 §5.2.1: implementations
// may cache the contents]; NVIDIA's sees nothing (on an H100, driver 580.159). What was written is found by a copy of
// what was there at the last launch. What a runtime itself puts there, for a map or a read, is on the device already.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <CL/cl_icd.h>

namespace amdcompat::layer {

class HostMemory {
 public:
  // A buffer of `size` bytes that lives at `host`.
  void add(cl_mem buffer, const void* host, std::size_t size);
  // Once the runtime says that it is gone.
  void remove(cl_mem buffer);
  // Before a launch in this queue: what the host has written since the last one goes to the device.
  void refresh(const cl_icd_dispatch& next, cl_command_queue queue) {
    if (any_.load(std::memory_order_acquire)) refresh_all(next, queue);
  }

 private:
  using Bytes = std::vector<std::byte>;
  struct Buffer {
    const void* host = nullptr;
    std::shared_ptr<const Bytes> last;  // of the last launch; transfers that still run hold it too
  };
  void refresh_all(const cl_icd_dispatch& next, cl_command_queue queue);

  std::atomic<bool> any_ = false;
  std::mutex mutex_;
  std::unordered_map<cl_mem, Buffer> buffers_;
};

}  // namespace amdcompat::layer
