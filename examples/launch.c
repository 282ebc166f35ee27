/* Prints the bytes that a launch of a legacy kernel needs: the constant buffers of a CL1 kernel, the argument block and
 * AQL packet of a CL2 kernel with the objects behind them.
 *
 *   launch FILE KERNEL GLOBAL LOCAL
 *
 * One dimension. Buffers get made-up addresses, local pointers 256 bytes, images 64 x 64 texels, and values the bytes
 * 0, 1, 2, ... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <amdcompat/amdcompat.h>

static void print_bytes(const char* name, const void* bytes, size_t count) {
  const unsigned char* at = bytes;
  printf("%s", name);
  for (size_t i = 0; i < count; ++i) printf("%s%02x", i % 16 == 0 ? "\n  " : i % 4 == 0 ? " " : "", at[i]);
  printf("\n");
}

static void print_diagnostics(const amdcompat_diagnostics* list) {
  for (size_t i = 0; i < amdcompat_diagnostics_count(list); ++i) {
    amdcompat_diagnostic found = {.size = sizeof found};
    amdcompat_diagnostics_get(list, i, &found);
    if (found.severity != AMDCOMPAT_NOTE)
      fprintf(stderr, "AC%04" PRIu32 " %s %s\n", found.code, found.path, found.message);
  }
}

static amdcompat_status set_argument(amdcompat_launch* launch, size_t index, const amdcompat_argument* argument) {
  switch (argument->kind) {
    case AMDCOMPAT_VALUE: {
      unsigned char* bytes = malloc(argument->value_bytes + 1u);
      if (bytes == NULL) return AMDCOMPAT_NO_MEMORY;
      for (uint32_t i = 0; i < argument->value_bytes; ++i) bytes[i] = (unsigned char)i;
      const amdcompat_status status = amdcompat_launch_set_bytes(launch, index, bytes, argument->value_bytes);
      free(bytes);
      return status;
    }
    case AMDCOMPAT_GLOBAL_POINTER:
    case AMDCOMPAT_CONSTANT_POINTER:
    case AMDCOMPAT_QUEUE:
    case AMDCOMPAT_PIPE: {
      const amdcompat_buffer buffer = {
          .size = sizeof buffer, .address = 0x100000 + 0x10000 * (uint64_t)index, .byte_count = 0x10000};
      return amdcompat_launch_set_buffer(launch, index, &buffer);
    }
    case AMDCOMPAT_LOCAL_POINTER: return amdcompat_launch_set_local(launch, index, 256);
    case AMDCOMPAT_IMAGE: {
      const amdcompat_image image = {.size = sizeof image,
                                     .address = 0x100000 + 0x10000 * (uint64_t)index,
                                     .width = 64,
                                     .height = 64,
                                     .depth = 1,
                                     .channel_order = 0x10B5 /* CL_RGBA */,
                                     .channel_type = 0x10D2 /* CL_UNORM_INT8 */};
      return amdcompat_launch_set_image(launch, index, &image);
    }
    case AMDCOMPAT_SAMPLER: return amdcompat_launch_set_sampler(launch, index, 0x10 /* nearest */);
    case AMDCOMPAT_COUNTER:
    case AMDCOMPAT_SEMAPHORE: return amdcompat_launch_set_null(launch, index);
    default: return AMDCOMPAT_OK;
  }
}

static void print_images(const amdcompat_launch* launch) {
  for (uint32_t number = 0; number < 2; ++number) {
    size_t count = 0;
    const void* bytes = amdcompat_launch_image(launch, number, &count);
    print_bytes(number == 0 ? "cb0" : "cb1", bytes, count);
  }
  printf("%" PRIu64 " bytes of local memory, %zu bindings\n", amdcompat_launch_local_bytes(launch),
         amdcompat_launch_binding_count(launch));
}

static void print_memory(const amdcompat_launch* launch) {
  amdcompat_memory memory = {.size = sizeof memory};
  if (amdcompat_launch_memory(launch, &memory) != AMDCOMPAT_OK) return;
  const unsigned char* packet = (const unsigned char*)memory.bytes + memory.block_bytes;
  print_bytes("block", memory.bytes, (size_t)memory.block_bytes);
  print_bytes("packet", packet, 64);
  if (memory.byte_count > memory.block_bytes + 64)
    print_bytes("objects", packet + 64, (size_t)(memory.byte_count - memory.block_bytes - 64));
  for (size_t i = 0; i < amdcompat_launch_register_count(launch); ++i) {
    amdcompat_register row = {.size = sizeof row};
    if (amdcompat_launch_register(launch, i, &row) != AMDCOMPAT_OK) return;
    printf("s%" PRIu32 " %s", row.first, row.name);
    for (uint32_t word = 0; row.known && word < row.count; ++word) printf(" %08" PRIx32, row.words[word]);
    printf("\n");
  }
  printf("%" PRIu64 " bytes of local memory\n", amdcompat_launch_local_bytes(launch));
}

static amdcompat_status run(const amdcompat_file* file, size_t kernel, amdcompat_launch* launch, uint64_t global,
                            uint32_t local) {
  amdcompat_kernel about = {.size = sizeof about};
  amdcompat_range range = {.size = sizeof range, .dimensions = 1, .global = {global}, .local = {local, 1, 1}};
  amdcompat_status status = amdcompat_kernel_get(file, kernel, &about);
  if (status == AMDCOMPAT_OK) status = amdcompat_launch_set_range(launch, &range);
  if (status == AMDCOMPAT_OK && about.family == AMDCOMPAT_FAMILY_CL2) {
    const amdcompat_environment environment = {
        .size = sizeof environment, .memory = 0x40000, .kernel_object = 0x50000, .printf_buffer = 0x60000};
    status = amdcompat_launch_set_environment(launch, &environment);
  }
  for (size_t i = about.hidden_arguments; status == AMDCOMPAT_OK && i < about.argument_count; ++i) {
    amdcompat_argument argument = {.size = sizeof argument};
    status = amdcompat_argument_get(file, kernel, i, &argument);
    if (status == AMDCOMPAT_OK) status = set_argument(launch, i, &argument);
  }
  if (status == AMDCOMPAT_OK) status = amdcompat_launch_build(launch);
  if (status != AMDCOMPAT_OK) return status;
  if (about.family == AMDCOMPAT_FAMILY_CL2)
    print_memory(launch);
  else
    print_images(launch);
  return AMDCOMPAT_OK;
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: launch FILE KERNEL GLOBAL LOCAL\n");
    return 2;
  }
  amdcompat_file* file = NULL;
  amdcompat_launch* launch = NULL;
  size_t kernel = 0;
  amdcompat_status status = amdcompat_open_path(argv[1], 0, &file);
  if (status == AMDCOMPAT_OK) status = amdcompat_kernel_find(file, argv[2], &kernel);
  if (status == AMDCOMPAT_OK) status = amdcompat_launch_create(file, kernel, NULL, &launch);
  if (status == AMDCOMPAT_OK)
    status = run(file, kernel, launch, strtoull(argv[3], NULL, 0), (uint32_t)strtoul(argv[4], NULL, 0));
  print_diagnostics(amdcompat_file_diagnostics(file));
  print_diagnostics(amdcompat_launch_diagnostics(launch));
  if (status != AMDCOMPAT_OK) fprintf(stderr, "launch: %s\n", amdcompat_status_text(status));
  amdcompat_launch_free(launch);
  amdcompat_file_free(file);
  return status == AMDCOMPAT_OK ? 0 : 1;
}
