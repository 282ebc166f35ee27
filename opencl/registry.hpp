// Which programs and kernels of the runtime below stand for old binaries.
//
// Handles are those of the runtime, so that every call the layer does not care about goes straight to it. A program is
// known while the host holds it or one of its kernels: the runtime may use a handle again once it is released.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <CL/cl.h>

#include "legacy.hpp"

namespace amdcompat::layer {

// Programs or kernels of the runtime behind one that the host has: one program has one source, and where devices got
// binaries of their own, each has a part. The first part is what the host has; the others are held here.
template <class Handle>
class Parts {
 public:
  using Release = cl_int(CL_API_CALL*)(Handle);
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() {
    for (const Handle handle : others_)
      if (handle != nullptr) release_(handle);
  }
  // Null: this part has none, as a kernel of a program that is not built for its devices.
  void add(Handle handle, Release release) {
    release_ = release;
    try {
      others_.push_back(handle);
    } catch (...) {
      if (handle != nullptr) release(handle);
      throw;
    }
  }
  [[nodiscard]] std::size_t size() const { return 1 + others_.size(); }
  [[nodiscard]] Handle of(std::size_t part, Handle first) const { return part == 0 ? first : others_[part - 1]; }

 private:
  std::vector<Handle> others_;
  Release release_ = nullptr;
};

struct LegacyProgram {
  std::vector<cl_device_id> devices;  // that it was made for, as the host gave them
  std::vector<std::shared_ptr<const LegacyBinary>> binaries;  // one for each; devices with the same bytes share one
  std::vector<std::size_t> part_of;  // for each device, which of the parts is its own
  Parts<cl_program> parts;
  mutable std::mutex mutex{};  // of what follows
  mutable std::vector<std::string> options{};  // for each device, those of the last build
  // The position of a device; `devices.size()`: it is none of them.
  [[nodiscard]] std::size_t index_of(cl_device_id device) const;
  // The part of a device; the first one's for a device that is none of them.
  [[nodiscard]] std::size_t part(cl_device_id device) const;
};

struct LegacyKernel {
  std::shared_ptr<const LegacyProgram> program;
  cl_program handle = nullptr;
  KernelFacts facts{};
  Parts<cl_kernel> parts{};
  mutable std::mutex mutex{};  // of what follows
  mutable std::map<cl_uint, std::size_t> local_arguments{};  // bytes, of those that were set
  [[nodiscard]] bool takes_local(cl_uint index) const {
    return index < facts.arguments.size() && facts.arguments[index].address == CL_KERNEL_ARG_ADDRESS_LOCAL;
  }
};

class Registry {
 public:
  void add(cl_program handle, std::shared_ptr<const LegacyProgram> program);
  void retain(cl_program handle) { count(handle, 1); }
  // Before the runtime is told: afterwards the handle may be another program's.
  void release(cl_program handle) { count(handle, -1); }
  [[nodiscard]] std::shared_ptr<const LegacyProgram> find(cl_program handle) const;

  void add(cl_kernel handle, std::shared_ptr<const LegacyKernel> kernel);
  void retain(cl_kernel handle) { count(handle, 1); }
  void release(cl_kernel handle) { count(handle, -1); }
  [[nodiscard]] std::shared_ptr<const LegacyKernel> find(cl_kernel handle) const;
  // The same where kernels of several parts may be: most processes have none, and some calls matter to them alone.
  [[nodiscard]] std::shared_ptr<const LegacyKernel> find_parted(cl_kernel handle) const {
    return parted_.load(std::memory_order_acquire) ? find(handle) : nullptr;
  }

 private:
  struct Program {
    std::shared_ptr<const LegacyProgram> program;
    long references = 1;  // of the host
    long kernels = 0;
  };
  struct Kernel {
    std::shared_ptr<const LegacyKernel> kernel;
    long references = 1;
  };
  void count(cl_program handle, long change);
  void count(cl_kernel handle, long change);
  void drop_unused(cl_program handle);
  void drop(cl_kernel handle);
  // Hosts without old binaries pay one load for each call that the layer sees.
  [[nodiscard]] bool empty() const { return size_.load(std::memory_order_acquire) == 0; }

  std::atomic<std::size_t> size_ = 0;  // of programs_
  std::atomic<bool> parted_ = false;  // a program of several parts was seen
  mutable std::shared_mutex mutex_;
  std::unordered_map<cl_program, Program> programs_;
  std::unordered_map<cl_kernel, Kernel> kernels_;
};

}  // namespace amdcompat::layer
