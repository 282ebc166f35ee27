// Runs `scale` of an OpenCL 1.x container on a GPU of its generation, with HIP's module API:
//
//   hip_launch pitcairn-scale-64.clo
#include <cstdio>

#include <hip/hip_runtime_api.h>

#include "scale.hpp"

namespace {

constexpr std::uint32_t kItems = 1024, kFactor = 3;

bool ok(hipError_t status, const char* what) {
  if (status == hipSuccess) return true;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorString(status));
  return false;
}

bool run(Scale& scale) {
  hipModule_t module = nullptr;
  hipFunction_t kernel = nullptr;
  void* data = nullptr;
  std::vector<std::uint32_t> values(kItems);
  const std::size_t bytes = values.size() * sizeof values[0];
  for (std::uint32_t i = 0; i < kItems; ++i) values[i] = i;
  if (!ok(hipModuleLoadData(&module, scale.object().data()), "load") ||
      !ok(hipModuleGetFunction(&kernel, module, "scale"), "kernel scale") || !ok(hipMalloc(&data, bytes), "buffer") ||
      !ok(hipMemcpy(data, values.data(), bytes, hipMemcpyHostToDevice), "copy"))
    return false;

  // The whole kernarg segment at once: HIP copies it as it is.
  std::vector<std::byte> kernarg = scale.kernarg(reinterpret_cast<std::uintptr_t>(data), kFactor, kItems);
  std::size_t size = kernarg.size();
  void* config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, kernarg.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                    HIP_LAUNCH_PARAM_END};
  if (kernarg.empty() ||
      !ok(hipModuleLaunchKernel(kernel, kItems / 64, 1, 1, 64, 1, 1, 0, nullptr, nullptr, config), "launch") ||
      !ok(hipMemcpy(values.data(), data, bytes, hipMemcpyDeviceToHost), "copy back"))
    return false;
  for (std::uint32_t i = 0; i < kItems; ++i)
    if (values[i] != i * kFactor) {
      std::fprintf(stderr, "item %u is %u\n", i, values[i]);
      return false;
    }
  std::puts("all right");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Scale> scale = argc == 2 ? Scale::load(argv[1]) : std::nullopt;
  if (!scale) {
    std::fputs("usage: hip_launch CONTAINER\n", stderr);
    return 2;
  }
  return run(*scale) ? 0 : 1;
}
