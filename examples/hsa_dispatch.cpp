// Runs `scale` of an OpenCL 1.x container on a GPU of its generation, with nothing but the HSA runtime:
//
//   hsa_dispatch pitcairn-scale-64.clo
#include <cstdio>
#include <cstring>

#include <hsa/hsa.h>

#include "scale.hpp"

namespace {

constexpr std::uint32_t kItems = 1024, kFactor = 3;

bool ok(hsa_status_t status, const char* what) {
  if (status == HSA_STATUS_SUCCESS) return true;
  std::fprintf(stderr, "%s: error 0x%x\n", what, static_cast<unsigned>(status));
  return false;
}

hsa_status_t take_gpu(hsa_agent_t agent, void* out) {
  hsa_device_type_t type;
  if (hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS || type != HSA_DEVICE_TYPE_GPU)
    return HSA_STATUS_SUCCESS;
  *static_cast<hsa_agent_t*>(out) = agent;
  return HSA_STATUS_INFO_BREAK;
}

struct Regions {
  hsa_region_t kernarg{}, data{};
};
hsa_status_t take_regions(hsa_region_t region, void* out) {
  hsa_region_segment_t segment;
  std::uint32_t flags = 0;
  if (hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment) != HSA_STATUS_SUCCESS ||
      segment != HSA_REGION_SEGMENT_GLOBAL ||
      hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags) != HSA_STATUS_SUCCESS)
    return HSA_STATUS_SUCCESS;
  auto& regions = *static_cast<Regions*>(out);
  if ((flags & HSA_REGION_GLOBAL_FLAG_KERNARG) != 0) regions.kernarg = region;
  if ((flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED) != 0) regions.data = region;
  return HSA_STATUS_SUCCESS;
}

bool run(Scale& scale) {
  hsa_agent_t gpu{};
  if (hsa_iterate_agents(take_gpu, &gpu) != HSA_STATUS_INFO_BREAK) return ok(HSA_STATUS_ERROR, "no GPU");
  Regions regions;
  if (!ok(hsa_agent_iterate_regions(gpu, take_regions, &regions), "memory regions")) return false;

  // The code object becomes an executable with a kernel object.
  hsa_code_object_reader_t reader;
  hsa_executable_t executable;
  hsa_executable_symbol_t symbol;
  std::uint64_t kernel = 0;
  if (!ok(hsa_code_object_reader_create_from_memory(scale.object().data(), scale.object().size(), &reader), "reader") ||
      !ok(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable),
          "executable") ||
      !ok(hsa_executable_load_agent_code_object(executable, gpu, reader, nullptr, nullptr), "load") ||
      !ok(hsa_executable_freeze(executable, nullptr), "freeze") ||
      !ok(hsa_executable_get_symbol_by_name(executable, "scale.kd", &gpu, &symbol), "symbol scale.kd") ||
      !ok(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel), "kernel object"))
    return false;

  std::uint32_t* data = nullptr;
  if (!ok(hsa_memory_allocate(regions.data, kItems * sizeof *data, reinterpret_cast<void**>(&data)), "buffer"))
    return false;
  for (std::uint32_t i = 0; i < kItems; ++i) data[i] = i;

  // Everything that the old code reads lies in the kernarg segment, made by the library.
  const std::vector<std::byte> image = scale.kernarg(reinterpret_cast<std::uintptr_t>(data), kFactor, kItems);
  void* kernarg = nullptr;
  if (image.empty() || !ok(hsa_memory_allocate(regions.kernarg, image.size(), &kernarg), "kernarg")) return false;
  std::memcpy(kernarg, image.data(), image.size());

  hsa_queue_t* queue = nullptr;
  hsa_signal_t done;
  if (!ok(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, UINT32_MAX, UINT32_MAX, &queue),
          "queue") ||
      !ok(hsa_signal_create(1, 0, nullptr, &done), "signal"))
    return false;
  const std::uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  auto& packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address)[index % queue->size];
  std::memset(&packet, 0, sizeof packet);
  packet.setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet.workgroup_size_x = 64;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = kItems;
  packet.grid_size_y = packet.grid_size_z = 1;
  packet.kernel_object = kernel;
  packet.kernarg_address = kernarg;
  packet.completion_signal = done;
  // The header makes the packet valid, so it is stored last.
  constexpr std::uint16_t kHeader = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                                    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  __atomic_store_n(&packet.header, kHeader, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);

  for (std::uint32_t i = 0; i < kItems; ++i)
    if (data[i] != i * kFactor) {
      std::fprintf(stderr, "item %u is %u\n", i, data[i]);
      return false;
    }
  std::puts("all right");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Scale> scale = argc == 2 ? Scale::load(argv[1]) : std::nullopt;
  if (!scale) {
    std::fputs("usage: hsa_dispatch CONTAINER\n", stderr);
    return 2;
  }
  if (!ok(hsa_init(), "no HSA runtime")) return 1;
  const bool good = run(*scale);
  hsa_shut_down();
  return good ? 0 : 1;
}
