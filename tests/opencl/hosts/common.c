#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(const char* program) {
  fprintf(stderr,
          "usage: %s --binary FILE [--second FILE] [--source FILE] [--cache FILE] [--options TEXT] [--size N]\n",
          program);
  exit(2);
}

Options parse_options(int argc, char** argv) {
  Options out;
  int n;
  memset(&out, 0, sizeof out);
  for (n = 1; n < argc; ++n) {
    const char* value = n + 1 < argc ? argv[n + 1] : NULL;
    if (value == NULL) usage(argv[0]);
    if (strcmp(argv[n], "--binary") == 0)
      out.binary = value;
    else if (strcmp(argv[n], "--second") == 0)
      out.second = value;
    else if (strcmp(argv[n], "--source") == 0)
      out.source = value;
    else if (strcmp(argv[n], "--cache") == 0)
      out.cache = value;
    else if (strcmp(argv[n], "--options") == 0)
      out.options = value;
    else if (strcmp(argv[n], "--size") == 0)
      out.size = (size_t)strtoul(value, NULL, 10);
    else
      usage(argv[0]);
    ++n;
  }
  if (out.binary == NULL && out.source == NULL) usage(argv[0]);
  return out;
}

void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "Error: %s failed with %d\n", what, (int)status);
  exit(1);
}

void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "Error: %s\n", what);
  exit(1);
}

cl_platform_id choose_platform(void) {
  cl_platform_id platforms[16], chosen;
  cl_uint count = 0, n;
  check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  expect(count > 0, "there is no OpenCL platform");
  if (count > 16) count = 16;
  chosen = platforms[0];
  for (n = 0; n < count; ++n) {
    char vendor[256] = "";
    check(clGetPlatformInfo(platforms[n], CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL), "clGetPlatformInfo");
    if (strcmp(vendor, "Advanced Micro Devices, Inc.") == 0) {
      chosen = platforms[n];
      break;
    }
  }
  return chosen;
}

cl_device_id choose_device(cl_platform_id platform) {
  cl_device_id device = NULL;
  cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
  if (status == CL_DEVICE_NOT_FOUND) {
    printf("Unsupported GPU device; falling back to CPU ...\n");
    status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL);
  }
  /* oclgrind's device is neither. */
  if (status == CL_DEVICE_NOT_FOUND) status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  check(status, "clGetDeviceIDs");
  return device;
}

int has_extension(cl_device_id device, const char* name) {
  size_t size = 0, length = strlen(name);
  char *text, *at;
  int found = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size), "clGetDeviceInfo(CL_DEVICE_EXTENSIONS)");
  text = (char*)calloc(size + 1, 1);
  expect(text != NULL, "out of memory");
  check(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, text, NULL), "clGetDeviceInfo(CL_DEVICE_EXTENSIONS)");
  for (at = strstr(text, name); at != NULL && !found; at = strstr(at + 1, name))
    found = (at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0');
  free(text);
  return found;
}

unsigned char* read_whole_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  long end = -1;
  unsigned char* out;
  if (file == NULL) return NULL;
  expect(fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0,
         "a file cannot be read");
  out = (unsigned char*)malloc((size_t)end + 1);
  expect(out != NULL && fread(out, 1, (size_t)end, file) == (size_t)end, "a file cannot be read");
  fclose(file);
  out[end] = '\0';
  *size = (size_t)end;
  return out;
}

static cl_program from_binaries(cl_context context, cl_uint devices, const cl_device_id* list, const char* first,
                                const char* second) {
  cl_program program;
  cl_int status = CL_SUCCESS, *statuses;
  size_t* sizes;
  unsigned char** binaries;
  cl_uint n;
  sizes = (size_t*)calloc(devices, sizeof *sizes);
  binaries = (unsigned char**)calloc(devices, sizeof *binaries);
  statuses = (cl_int*)calloc(devices, sizeof *statuses);
  expect(sizes != NULL && binaries != NULL && statuses != NULL, "out of memory");
  for (n = 0; n < devices; ++n) {
    const char* path = n == 1 && second != NULL ? second : first;
    binaries[n] = read_whole_file(path, &sizes[n]);
    if (binaries[n] == NULL) {
      fprintf(stderr, "Error: there is no file %s\n", path);
      exit(1);
    }
  }
  /* Most hosts do not ask for the status of one binary. */
  program = clCreateProgramWithBinary(context, devices, list, sizes, (const unsigned char**)binaries,
                                      devices == 1 ? NULL : statuses, &status);
  for (n = 0; n < devices; ++n) {
    if (program != NULL) expect(statuses[n] == CL_SUCCESS, "a binary has a bad status");
    /* The implementation has its own copy. */
    memset(binaries[n], 0xa5, sizes[n]);
    free(binaries[n]);
  }
  free(sizes);
  free(binaries);
  free(statuses);
  if (status == CL_SUCCESS) return program;
  fprintf(stderr, "Error: clCreateProgramWithBinary failed with %d\n", (int)status);
  expect(program == NULL, "a program in spite of an error");
  return NULL;
}

cl_program load_program(cl_context context, cl_uint devices, const cl_device_id* list, const Options* options) {
  cl_program program = NULL;
  cl_int status;
  size_t size = 0;
  if (options->binary != NULL) program = from_binaries(context, devices, list, options->binary, options->second);
  if (program != NULL) {
    printf("program: binary\n");
    return program;
  }
  if (options->source != NULL) {
    unsigned char* text = read_whole_file(options->source, &size);
    const char* source = (const char*)text;
    expect(text != NULL, "there is no source either");
    program = clCreateProgramWithSource(context, 1, &source, &size, &status);
    check(status, "clCreateProgramWithSource");
    free(text);
    printf("program: source\n");
    return program;
  }
  fprintf(stderr, "Error: no program\n");
  exit(1);
}

void build_program(cl_program program, cl_device_id device, const char* options) {
  cl_int status = clBuildProgram(program, 1, &device, options, NULL, NULL);
  if (status == CL_BUILD_PROGRAM_FAILURE) {
    static char log[16384];
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL) == CL_SUCCESS)
      fprintf(stderr, "%s\n", log);
  }
  check(status, "clBuildProgram");
}

size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

unsigned int next_random(unsigned int* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}
