#include "registry.hpp"

#include <algorithm>

namespace amdcompat::layer {

std::size_t LegacyProgram::index_of(cl_device_id device) const {
  return static_cast<std::size_t>(std::ranges::find(devices, device) - devices.begin());
}

std::size_t LegacyProgram::part(cl_device_id device) const {
  const std::size_t at = index_of(device);
  return at == devices.size() ? 0 : part_of[at];
}

void Registry::add(cl_program handle, std::shared_ptr<const LegacyProgram> program) {
  const std::unique_lock lock(mutex_);
  if (program->parts.size() > 1) parted_ = true;
  programs_.insert_or_assign(handle, Program{std::move(program)});
  size_ = programs_.size();
}

void Registry::count(cl_program handle, long change) {
  if (empty()) return;
  const std::unique_lock lock(mutex_);
  const auto at = programs_.find(handle);
  if (at == programs_.end()) return;
  at->second.references += change;
  drop_unused(handle);
}

void Registry::drop_unused(cl_program handle) {
  const auto at = programs_.find(handle);
  if (at == programs_.end() || at->second.references > 0 || at->second.kernels > 0) return;
  programs_.erase(at);
  size_ = programs_.size();
}

std::shared_ptr<const LegacyProgram> Registry::find(cl_program handle) const {
  if (empty()) return nullptr;
  const std::shared_lock lock(mutex_);
  const auto at = programs_.find(handle);
  return at == programs_.end() ? nullptr : at->second.program;
}

void Registry::add(cl_kernel handle, std::shared_ptr<const LegacyKernel> kernel) {
  const std::unique_lock lock(mutex_);
  drop(handle);
  if (const auto at = programs_.find(kernel->handle); at != programs_.end()) ++at->second.kernels;
  kernels_.insert_or_assign(handle, Kernel{std::move(kernel)});
}

void Registry::drop(cl_kernel handle) {
  const auto at = kernels_.find(handle);
  if (at == kernels_.end()) return;
  const cl_program program = at->second.kernel->handle;
  kernels_.erase(at);
  if (const auto of = programs_.find(program); of != programs_.end()) --of->second.kernels;
  drop_unused(program);
}

void Registry::count(cl_kernel handle, long change) {
  if (empty()) return;
  const std::unique_lock lock(mutex_);
  const auto at = kernels_.find(handle);
  if (at == kernels_.end()) return;
  at->second.references += change;
  if (at->second.references <= 0) drop(handle);
}

std::shared_ptr<const LegacyKernel> Registry::find(cl_kernel handle) const {
  if (empty()) return nullptr;
  const std::shared_lock lock(mutex_);
  const auto at = kernels_.find(handle);
  return at == kernels_.end() ? nullptr : at->second.kernel;
}

}  // namespace amdcompat::layer
