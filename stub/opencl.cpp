// A host in C99 for any OpenCL.
#include <fmt/format.h>

#include <amdcompat/lift.hpp>

#include "arguments.hpp"

namespace amdcompat::stub {
namespace {

constexpr std::string_view kOpenClBegin = R"(// Launches kernels of @FILE@.
//
//   cc -std=c99 stub.c -lOpenCL -o stub
//   ./stub UNIT [kernel]
//
// UNIT is OpenCL C (`amdcompat lift @FILE@ -o UNIT`) or a binary that the device takes. Without a kernel the first one
// is launched. Sizes and values are examples: replace them by what the kernel is meant for. A kernel that reaches
// beyond its buffers may fail or spoil others.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  kGroups = 4,             // work-groups in the first dimension
  kBufferBytes = 4194304,  // of each buffer
  kLocalBytes = @LOCAL@,     // local memory of a work-group, what it had then: the kernel's own and its arguments
  kImageSize = 64          // width and height of each image
};

typedef struct {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
} Host;

static void check(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "%s: error %d\n", call, (int)status);
  exit(1);
}
)";

constexpr std::string_view kOpenClBuffers = R"(
static cl_mem make_buffer(Host* host, const char* element) {
  cl_int status;
  void* bytes = malloc(kBufferBytes);
  if (bytes == NULL) check(CL_OUT_OF_HOST_MEMORY, "malloc");
  fill(bytes, kBufferBytes, element);
  const cl_mem out =
      clCreateBuffer(host->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kBufferBytes, bytes, &status);
  check(status, "clCreateBuffer");
  free(bytes);
  return out;
}

static void print_buffer(Host* host, cl_mem buffer, const char* name, const char* element) {
  void* bytes = malloc(kBufferBytes);
  if (bytes == NULL) check(CL_OUT_OF_HOST_MEMORY, "malloc");
  check(clEnqueueReadBuffer(host->queue, buffer, CL_TRUE, 0, kBufferBytes, bytes, 0, NULL, NULL),
        "clEnqueueReadBuffer");
  print(name, bytes, kBufferBytes, element);
  free(bytes);
  clReleaseMemObject(buffer);
}
)";

constexpr std::string_view kImages = R"(
// Of four floats a texel.
static cl_mem make_image(Host* host, cl_mem_object_type type, cl_mem_flags flags) {
  cl_int status;
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc about;
  memset(&about, 0, sizeof(about));
  about.image_type = type;
  about.image_width = kImageSize;
  if (type != CL_MEM_OBJECT_IMAGE1D && type != CL_MEM_OBJECT_IMAGE1D_ARRAY && type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
    about.image_height = kImageSize;
  if (type == CL_MEM_OBJECT_IMAGE3D) about.image_depth = 4;
  if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY) about.image_array_size = 4;
  if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
    about.buffer = clCreateBuffer(host->context, CL_MEM_READ_WRITE, kImageSize * 16, NULL, &status);
    check(status, "clCreateBuffer");
  }
  const cl_mem out = clCreateImage(host->context, flags, &format, &about, NULL, &status);
  check(status, "clCreateImage");
  return out;
}
)";

constexpr std::string_view kOpenClEnd = R"(
static char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  char* bytes = NULL;
  *size = 0;
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  for (;;) {
    bytes = realloc(bytes, *size + 65536 + 1);
    if (bytes == NULL) check(CL_OUT_OF_HOST_MEMORY, "realloc");
    const size_t got = fread(bytes + *size, 1, 65536, file);
    *size += got;
    bytes[*size] = 0;
    if (got == 0) break;
  }
  fclose(file);
  return bytes;
}

// The first comment of a lifted source says which version of OpenCL C it needs.
static int needs_20(const char* source) {
  static const char words[] = @NEEDS@;
  while (strncmp(source, "//", 2) == 0) {
    if (strncmp(source, words, sizeof(words) - 1) == 0) return 1;
    source += strcspn(source, "\n");
    if (*source != 0) ++source;
  }
  return 0;
}

// The first device of a GPU, else the first one.
static cl_device_id find_device(void) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  cl_device_id device = NULL;
  check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  for (cl_uint n = 0; n < count && n < 16; ++n)
    if (clGetDeviceIDs(platforms[n], CL_DEVICE_TYPE_GPU, 1, &device, NULL) == CL_SUCCESS) return device;
  for (cl_uint n = 0; n < count && n < 16; ++n)
    if (clGetDeviceIDs(platforms[n], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) return device;
  check(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s UNIT [kernel]\n", argv[0]);
    return 2;
  }
  Host host;
  cl_int status;
  host.device = find_device();
  host.context = clCreateContext(NULL, 1, &host.device, NULL, NULL, &status);
  check(status, "clCreateContext");
  host.queue = clCreateCommandQueue(host.context, host.device, 0, &status);
  check(status, "clCreateCommandQueue");
  size_t size = 0;
  char* bytes = read_file(argv[1], &size);
  const char* options = "";
  if (size > 4 && memcmp(bytes, "\177ELF", 4) == 0) {
    const unsigned char* binary = (const unsigned char*)bytes;
    host.program = clCreateProgramWithBinary(host.context, 1, &host.device, &size, &binary, NULL, &status);
    check(status, "clCreateProgramWithBinary");
  } else {
    const char* text = bytes;
    options = needs_20(bytes) ? "-cl-std=CL2.0" : "-cl-std=CL1.2";
    host.program = clCreateProgramWithSource(host.context, 1, &text, &size, &status);
    check(status, "clCreateProgramWithSource");
  }
  status = clBuildProgram(host.program, 1, &host.device, options, NULL, NULL);
  if (status != CL_SUCCESS) {
    static char log[65536];
    clGetProgramBuildInfo(host.program, host.device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
    fprintf(stderr, "%s\n", log);
    check(status, "clBuildProgram");
  }
  int launched = 0;
  for (size_t n = 0; kernels[n].run != 0 && !launched; ++n) {
    if (argc > 2 && strcmp(argv[2], kernels[n].name) != 0) continue;
    kernels[n].run(&host);
    launched = 1;
  }
  if (!launched) fprintf(stderr, "there is no such kernel\n");
  clReleaseProgram(host.program);
  clReleaseCommandQueue(host.queue);
  clReleaseContext(host.context);
  free(bytes);
  return launched ? 0 : 1;
}
)";

std::string_view image_type(std::string_view type) {
  if (type.starts_with("image1d_array")) return "CL_MEM_OBJECT_IMAGE1D_ARRAY";
  if (type.starts_with("image1d_buffer")) return "CL_MEM_OBJECT_IMAGE1D_BUFFER";
  if (type.starts_with("image1d")) return "CL_MEM_OBJECT_IMAGE1D";
  if (type.starts_with("image2d_array")) return "CL_MEM_OBJECT_IMAGE2D_ARRAY";
  if (type.starts_with("image3d")) return "CL_MEM_OBJECT_IMAGE3D";
  return "CL_MEM_OBJECT_IMAGE2D";
}

std::string opencl_function(const HostKernel& kernel) {
  const std::string local_each = local_bytes(kernel);
  std::string make, end;
  unsigned index = 0;
  const auto set = [&](std::string_view size, std::string_view value) {
    make += fmt::format("  check(clSetKernelArg(kernel, {}, {}, {}), \"clSetKernelArg\");\n", index++, size, value);
  };
  for (const Argument& argument : kernel.arguments) {
    if (argument.kind == Argument::Kind::Hidden) continue;
    make += fmt::format("  // {}: {}\n", index, remark(argument.about));
    const std::string& name = argument.variable;
    const Numbers numbers = numbers_of(argument);
    switch (argument.kind) {
      case Argument::Kind::Value:
        // A vector of three has the size of four.
        make += fmt::format("  const {} {}[{}] = {{{}}};\n", numbers.element, name, numbers.count, examples(numbers));
        set(fmt::format("sizeof({})", name), name);
        break;
      case Argument::Kind::Buffer:
        make += fmt::format("  cl_mem {} = make_buffer(host, \"{}\");\n", name, numbers.element);
        set("sizeof(cl_mem)", "&" + name);
        end += fmt::format("  print_buffer(host, {}, {}, \"{}\");\n", name, quoted(remark(argument.about)),
                           numbers.element);
        break;
      case Argument::Kind::Local: set(local_each, "NULL"); break;
      case Argument::Kind::Image:
        make += fmt::format("  cl_mem {} = make_image(host, {}, {});\n", name, image_type(argument.type_name),
                            argument.writes ? "CL_MEM_WRITE_ONLY" : "CL_MEM_READ_ONLY");
        set("sizeof(cl_mem)", "&" + name);
        end += fmt::format("  clReleaseMemObject({});\n", name);
        break;
      default:
        make += fmt::format("  cl_sampler {} = clCreateSampler(host->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, "
                            "CL_FILTER_NEAREST, &status);\n  check(status, \"clCreateSampler\");\n",
                            name);
        set("sizeof(cl_sampler)", "&" + name);
        end += fmt::format("  clReleaseSampler({});\n", name);
    }
  }
  return fmt::format(R"(
static void {}(Host* host) {{
  cl_int status;
  const cl_kernel kernel = clCreateKernel(host->program, {}, &status);
  check(status, "clCreateKernel");
{}  const size_t local[3] = {{{}, {}, {}}};
  const size_t global[3] = {{kGroups * local[0], local[1], local[2]}};
  check(clEnqueueNDRangeKernel(host->queue, kernel, {}, NULL, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clFinish(host->queue), "clFinish");
{}  clReleaseKernel(kernel);
}}
)",
                     kernel.function, quoted(kernel.name), make, kernel.local[0], kernel.local[1], kernel.local[2],
                     kernel.dimensions, end);
}

}  // namespace

std::string opencl_program(const std::vector<HostKernel>& kernels, const Options& options) {
  const Functions functions = functions_of(kernels, opencl_function);
  std::string out = beginning(kOpenClBegin, options);
  if (functions.buffers) out += "\n" + std::string(common_functions()) + std::string(kOpenClBuffers);
  if (functions.images) out += kImages;
  out += functions.text + "\n" + kernel_table(kernels, "Host*");
  return out + filled(kOpenClEnd, {{"NEEDS", quoted(fmt::format("// {}", lift::kNeedsOpenCl20))}});
}

}  // namespace amdcompat::stub
