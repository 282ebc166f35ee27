// A host in C for the HSA runtime, which writes kernarg segment and packet itself.
#include <fmt/format.h>

#include "arguments.hpp"

namespace amdcompat::stub {
namespace {

constexpr std::string_view kHsaBegin = R"(// Launches kernels of @FILE@.
//
//   cc -std=c11 stub.c -lhsa-runtime64 -o stub
//   ./stub OBJECT [kernel]
//
// OBJECT is a code object for the device, such as `amdcompat convert --layout natural --to elf --target GFX @FILE@`
// writes. Without a kernel the first one is launched. Sizes and values are examples: replace them by what the kernel is
// meant for. A kernel that reaches beyond its buffers may fail or spoil others.
#include <hsa/hsa.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  kGroups = 4,             // work-groups in the first dimension
  kBufferBytes = 4194304,  // of each buffer
  kLocalBytes = @LOCAL@      // local memory of a work-group, what it had then: the kernel's own and its arguments
};

typedef struct {
  hsa_agent_t agent;
  hsa_region_t kernarg, memory;
  hsa_queue_t* queue;
  hsa_executable_t executable;
} Host;

static void check(hsa_status_t status, const char* call) {
  const char* text = "unknown";
  if (status == HSA_STATUS_SUCCESS) return;
  hsa_status_string(status, &text);
  fprintf(stderr, "%s: %s\n", call, text);
  exit(1);
}
)";

constexpr std::string_view kLaunch = R"(
typedef struct {
  uint64_t object;
  uint32_t group_bytes, private_bytes, kernarg_bytes;
} Kernel;

static Kernel find_kernel(Host* host, const char* name) {
  Kernel out;
  hsa_executable_symbol_t symbol;
  check(hsa_executable_get_symbol_by_name(host->executable, name, &host->agent, &symbol),
        "hsa_executable_get_symbol_by_name");
  check(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &out.object),
        "hsa_executable_symbol_get_info");
  check(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &out.group_bytes),
        "hsa_executable_symbol_get_info");
  check(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                       &out.private_bytes),
        "hsa_executable_symbol_get_info");
  check(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
                                       &out.kernarg_bytes),
        "hsa_executable_symbol_get_info");
  return out;
}

// Waits for the end of the launch.
static void launch(Host* host, const Kernel* kernel, unsigned dimensions, const uint16_t* local, uint32_t group_bytes,
                   const void* segment, size_t segment_bytes) {
  const size_t kernarg_bytes = kernel->kernarg_bytes > segment_bytes ? kernel->kernarg_bytes : segment_bytes;
  void* kernarg = NULL;
  hsa_signal_t done;
  check(hsa_memory_allocate(host->kernarg, kernarg_bytes, &kernarg), "hsa_memory_allocate");
  memset(kernarg, 0, kernarg_bytes);
  memcpy(kernarg, segment, segment_bytes);
  check(hsa_signal_create(1, 0, NULL, &done), "hsa_signal_create");
  const uint64_t index = hsa_queue_add_write_index_relaxed(host->queue, 1);
  hsa_kernel_dispatch_packet_t* packet =
      (hsa_kernel_dispatch_packet_t*)host->queue->base_address + index % host->queue->size;
  memset((char*)packet + 4, 0, sizeof(*packet) - 4);
  packet->workgroup_size_x = local[0];
  packet->workgroup_size_y = local[1];
  packet->workgroup_size_z = local[2];
  packet->grid_size_x = kGroups * (uint32_t)local[0];
  packet->grid_size_y = local[1];
  packet->grid_size_z = local[2];
  packet->private_segment_size = kernel->private_bytes;
  packet->group_segment_size = group_bytes;
  packet->kernel_object = kernel->object;
  packet->kernarg_address = kernarg;
  packet->completion_signal = done;
  const uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  // The packet is the queue's from here on.
  __atomic_store_n((uint32_t*)(void*)packet,
                   header | dimensions << (16 + HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS), __ATOMIC_RELEASE);
  hsa_signal_store_screlease(host->queue->doorbell_signal, (hsa_signal_value_t)index);
  while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) >= 1) continue;
  hsa_signal_destroy(done);
  hsa_memory_free(kernarg);
}
)";

constexpr std::string_view kHsaBuffers = R"(
static void* make_buffer(Host* host, const char* element) {
  void* out = NULL;
  check(hsa_memory_allocate(host->memory, kBufferBytes, &out), "hsa_memory_allocate");
  fill(out, kBufferBytes, element);
  return out;
}

static void print_buffer(void* buffer, const char* name, const char* element) {
  print(name, buffer, kBufferBytes, element);
  hsa_memory_free(buffer);
}
)";

constexpr std::string_view kHsaEnd = R"(
static hsa_status_t take_gpu(hsa_agent_t agent, void* to) {
  hsa_device_type_t type;
  const hsa_status_t status = hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (status != HSA_STATUS_SUCCESS || type != HSA_DEVICE_TYPE_GPU) return status;
  *(hsa_agent_t*)to = agent;
  return HSA_STATUS_INFO_BREAK;
}

// Memory that host and device see: one region for arguments, one for buffers.
static hsa_status_t take_region(hsa_region_t region, void* to) {
  Host* host = to;
  hsa_region_segment_t segment;
  uint32_t flags = 0;
  hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
  if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
  if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG) host->kernarg = region;
  if (flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED) host->memory = region;
  return HSA_STATUS_SUCCESS;
}

int main(int argc, char** argv) {
  Host host;
  hsa_code_object_reader_t reader;
  if (argc < 2) {
    fprintf(stderr, "usage: %s OBJECT [kernel]\n", argv[0]);
    return 2;
  }
  memset(&host, 0, sizeof(host));
  check(hsa_init(), "hsa_init");
  if (hsa_iterate_agents(take_gpu, &host.agent) != HSA_STATUS_INFO_BREAK) {
    fprintf(stderr, "there is no GPU\n");
    return 1;
  }
  check(hsa_agent_iterate_regions(host.agent, take_region, &host), "hsa_agent_iterate_regions");
  check(hsa_queue_create(host.agent, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX, &host.queue),
        "hsa_queue_create");
  const int file = open(argv[1], O_RDONLY);
  if (file < 0) {
    perror(argv[1]);
    return 1;
  }
  check(hsa_code_object_reader_create_from_file(file, &reader), "hsa_code_object_reader_create_from_file");
  check(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &host.executable),
        "hsa_executable_create_alt");
  check(hsa_executable_load_agent_code_object(host.executable, host.agent, reader, NULL, NULL),
        "hsa_executable_load_agent_code_object");
  check(hsa_executable_freeze(host.executable, NULL), "hsa_executable_freeze");
  int launched = 0;
  for (size_t n = 0; kernels[n].run != 0 && !launched; ++n) {
    if (argc > 2 && strcmp(argv[2], kernels[n].name) != 0) continue;
    kernels[n].run(&host);
    launched = 1;
  }
  if (!launched) fprintf(stderr, "there is no such kernel\n");
  hsa_executable_destroy(host.executable);
  hsa_code_object_reader_destroy(reader);
  close(file);
  hsa_queue_destroy(host.queue);
  hsa_shut_down();
  return launched ? 0 : 1;
}
)";

// What a hidden argument is set to; empty: it stays 0.
std::string hidden_value(hsa::ValueKind kind, const HostKernel& kernel) {
  using enum hsa::ValueKind;
  switch (kind) {
    case HiddenBlockCountX: return "kGroups";
    case HiddenBlockCountY:
    case HiddenBlockCountZ: return "1";
    case HiddenGroupSizeX: return "local[0]";
    case HiddenGroupSizeY: return "local[1]";
    case HiddenGroupSizeZ: return "local[2]";
    case HiddenGridDims: return fmt::format("{}", kernel.dimensions);
    default: return {};
  }
}

std::string hsa_function(const HostKernel& kernel) {
  const std::string local_each = local_bytes(kernel);
  std::string make, end;
  for (const Argument& argument : kernel.arguments) {
    const std::string& name = argument.variable;
    const Numbers numbers = numbers_of(argument);
    switch (argument.kind) {
      case Argument::Kind::Value: make += set_values("segment." + name, numbers); break;
      case Argument::Kind::Buffer:
        make += fmt::format("  void* {0} = make_buffer(host, \"{1}\");\n  segment.{0} = (uint64_t)(uintptr_t){0};\n",
                            name, numbers.element);
        end += fmt::format("  print_buffer({}, {}, \"{}\");\n", name, quoted(remark(argument.about)), numbers.element);
        break;
      case Argument::Kind::Local:
        // Local memory of the kernel itself comes first.
        make += fmt::format("  group_bytes = (group_bytes + 15) / 16 * 16;\n  segment.{} = group_bytes;\n"
                            "  group_bytes += {};\n",
                            name, local_each);
        break;
      case Argument::Kind::Hidden:
        if (const std::string value = hidden_value(argument.hidden, kernel); !value.empty())
          make += fmt::format("  segment.{} = {};\n", name, value);
        break;
      default: break;
    }
  }
  return fmt::format(R"(
{}
static void {}(Host* host) {{
  const uint16_t local[3] = {{{}, {}, {}}};
  const Kernel kernel = find_kernel(host, {});
  uint32_t group_bytes = kernel.group_bytes;
  struct kernarg_{} segment;
  memset(&segment, 0, sizeof(segment));
{}  launch(host, &kernel, {}, local, group_bytes, &segment, sizeof(segment));
{}}}
)",
                     segment_structure(kernel, "_Static_assert"), kernel.function, kernel.local[0], kernel.local[1],
                     kernel.local[2], quoted(kernel.symbol), kernel.function, make, kernel.dimensions, end);
}

}  // namespace

std::string hsa_program(const std::vector<HostKernel>& kernels, const Options& options) {
  const Functions functions = functions_of(kernels, hsa_function);
  std::string out = beginning(kHsaBegin, options);
  if (functions.any) out += kLaunch;
  if (functions.buffers) out += "\n" + std::string(common_functions()) + std::string(kHsaBuffers);
  out += functions.text + "\n" + kernel_table(kernels, "Host*");
  return out + std::string(kHsaEnd);
}

}  // namespace amdcompat::stub
