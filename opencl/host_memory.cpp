#include "host_memory.hpp"

#include <cstring>

namespace amdcompat::layer {
namespace {

std::vector<std::byte> copy_of(const void* host, std::size_t size) {
  const auto* const bytes = static_cast<const std::byte*>(host);
  return {bytes, bytes + size};
}

// Lets go of what a transfer has read from.
void CL_CALLBACK drop(cl_event, cl_int, void* held) {
  delete static_cast<std::shared_ptr<const std::vector<std::byte>>*>(held);
}

}  // namespace

void HostMemory::add(cl_mem buffer, const void* host, std::size_t size) {
  auto last = std::make_shared<const Bytes>(copy_of(host, size));
  const std::lock_guard lock(mutex_);
  buffers_.insert_or_assign(buffer, Buffer{host, std::move(last)});
  any_.store(true, std::memory_order_release);
}

void HostMemory::remove(cl_mem buffer) {
  const std::lock_guard lock(mutex_);
  buffers_.erase(buffer);
  any_.store(!buffers_.empty(), std::memory_order_release);
}

void HostMemory::refresh_all(const cl_icd_dispatch& next, cl_command_queue queue) {
  cl_command_queue_properties properties = 0;
  next.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
  // A launch that does not wait for what is before it in its queue has to find the transfer done.
  const bool waits = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0 || next.clSetEventCallback == nullptr;
  const std::lock_guard lock(mutex_);
  for (auto& [handle, buffer] : buffers_) {
    const std::size_t size = buffer.last->size();
    if (std::memcmp(buffer.host, buffer.last->data(), size) == 0) continue;
    auto now = std::make_shared<const Bytes>(copy_of(buffer.host, size));
    cl_event done = nullptr;
    // A buffer of another context is none of this queue's launches'.
    if (next.clEnqueueWriteBuffer(queue, handle, waits ? CL_TRUE : CL_FALSE, 0, size, now->data(), 0, nullptr,
                                  waits ? nullptr : &done) != CL_SUCCESS)
      continue;
    buffer.last = std::move(now);
    if (waits) continue;
    auto held = std::make_unique<std::shared_ptr<const Bytes>>(buffer.last);
    if (next.clSetEventCallback(done, CL_COMPLETE, drop, held.get()) == CL_SUCCESS)
      static_cast<void>(held.release());
    else
      next.clFinish(queue);
    next.clReleaseEvent(done);
  }
}

}  // namespace amdcompat::layer
