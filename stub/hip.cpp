// A host in C++ for HIP, which loads a code object as a module.
#include <fmt/format.h>

#include "arguments.hpp"

namespace amdcompat::stub {
namespace {

constexpr std::string_view kHipBegin = R"(// Launches kernels of @FILE@.
//
//   hipcc stub.cpp -o stub
//   ./stub OBJECT [kernel]
//
// OBJECT is a code object for the device, such as `amdcompat convert --layout natural --to elf --target GFX @FILE@`
// writes. Without a kernel the first one is launched. Sizes and values are examples: replace them by what the kernel is
// meant for. A kernel that reaches beyond its buffers may fail or spoil others.
#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum : unsigned {
  kGroups = 4,             // work-groups in the first dimension
  kBufferBytes = 4194304,  // of each buffer
  kLocalBytes = @LOCAL@      // local memory of a work-group, what it had then: the kernel's own and its arguments
};

static void check(hipError_t status, const char* call) {
  if (status == hipSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, hipGetErrorString(status));
  std::exit(1);
}
)";

constexpr std::string_view kHipBuffers = R"(
static void* make_buffer(const char* element) {
  void* bytes = std::malloc(kBufferBytes);
  void* out = nullptr;
  fill(bytes, kBufferBytes, element);
  check(hipMalloc(&out, kBufferBytes), "hipMalloc");
  check(hipMemcpy(out, bytes, kBufferBytes, hipMemcpyHostToDevice), "hipMemcpy");
  std::free(bytes);
  return out;
}

static void print_buffer(void* buffer, const char* name, const char* element) {
  void* bytes = std::malloc(kBufferBytes);
  check(hipMemcpy(bytes, buffer, kBufferBytes, hipMemcpyDeviceToHost), "hipMemcpy");
  print(name, bytes, kBufferBytes, element);
  std::free(bytes);
  check(hipFree(buffer), "hipFree");
}
)";

constexpr std::string_view kHipEnd = R"(
int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s OBJECT [kernel]\n", argv[0]);
    return 2;
  }
  hipModule_t module = nullptr;
  check(hipModuleLoad(&module, argv[1]), "hipModuleLoad");
  bool launched = false;
  for (std::size_t n = 0; kernels[n].run != nullptr && !launched; ++n) {
    if (argc > 2 && std::strcmp(argv[2], kernels[n].name) != 0) continue;
    kernels[n].run(module);
    launched = true;
  }
  if (!launched) std::fprintf(stderr, "there is no such kernel\n");
  check(hipModuleUnload(module), "hipModuleUnload");
  return launched ? 0 : 1;
}
)";

std::string hip_function(const HostKernel& kernel) {
  const std::string local_each = local_bytes(kernel);
  std::string make, end;
  bool local = false;
  for (const Argument& argument : kernel.arguments) {
    const std::string& name = argument.variable;
    const Numbers numbers = numbers_of(argument);
    switch (argument.kind) {
      case Argument::Kind::Value: make += set_values("segment." + name, numbers); break;
      case Argument::Kind::Buffer:
        make += fmt::format("  void* {0} = make_buffer(\"{1}\");\n  std::memcpy(&segment.{0}, &{0}, sizeof({0}));\n",
                            name, numbers.element);
        end += fmt::format("  print_buffer({}, {}, \"{}\");\n", name, quoted(remark(argument.about)), numbers.element);
        break;
      case Argument::Kind::Local:
        // Local memory of the kernel itself comes first.
        make += fmt::format("  segment.{} = static_cast<std::uint32_t>(own) + local_bytes;\n"
                            "  local_bytes += {};\n",
                            name, local_each);
        local = true;
        break;
      default: break;  // HIP fills hidden arguments
    }
  }
  const std::string own = local ? R"(  int own = 0;
  check(hipFuncGetAttribute(&own, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function), "hipFuncGetAttribute");
  own = (own + 15) / 16 * 16;
)"
                                : "";
  return fmt::format(R"(
{}
static void {}(hipModule_t module) {{
  hipFunction_t function = nullptr;
  check(hipModuleGetFunction(&function, module, {}), "hipModuleGetFunction");
  unsigned local_bytes = 0;
{}  kernarg_{} segment;
  std::memset(&segment, 0, sizeof(segment));
{}  std::size_t bytes = sizeof(segment);
  void* configuration[] = {{HIP_LAUNCH_PARAM_BUFFER_POINTER, &segment, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                           HIP_LAUNCH_PARAM_END}};
  check(hipModuleLaunchKernel(function, kGroups, 1, 1, {}, {}, {}, local_bytes, nullptr, nullptr, configuration),
        "hipModuleLaunchKernel");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
{}}}
)",
                     segment_structure(kernel, "static_assert"), kernel.function, quoted(kernel.name), own,
                     kernel.function, make, kernel.local[0], kernel.local[1], kernel.local[2], end);
}

}  // namespace

std::string hip_program(const std::vector<HostKernel>& kernels, const Options& options) {
  const Functions functions = functions_of(kernels, hip_function);
  std::string out = beginning(kHipBegin, options);
  if (functions.buffers) out += "\n" + std::string(common_functions()) + std::string(kHipBuffers);
  out += functions.text + "\n" + kernel_table(kernels, "hipModule_t");
  return out + std::string(kHipEnd);
}

}  // namespace amdcompat::stub
