/* What the host programs here share: the habits of hosts written for Catalyst around 2012. OpenCL 1.2 and nothing else;
 * this header is C99 and C++98. */
#ifndef HOSTS_COMMON_H
#define HOSTS_COMMON_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* binary; /* --binary FILE: beside the executable in a real installation */
  const char* second; /* --second FILE: the binary of the second device; NULL: the same */
  const char* source; /* --source FILE: what the host falls back to when the binary is refused; usually NULL */
  const char* cache; /* --cache FILE: where the host keeps the binary of its last start */
  const char* options; /* --options TEXT for clBuildProgram; NULL: the host's own */
  size_t size; /* --size N; 0: the host's own */
} Options;

/* Ends the process where the command line is wrong. */
Options parse_options(int argc, char** argv);

/* Ends the process with status 1 and a line on the standard error where `status` is an error. */
void check(cl_int status, const char* what);
/* The same of what must hold. */
void expect(int holds, const char* what);

/* The platform of "Advanced Micro Devices, Inc." where there is one, else the first. */
cl_platform_id choose_platform(void);
/* A GPU where there is one, else a CPU, as hosts wanted to run everywhere. */
cl_device_id choose_device(cl_platform_id platform);
/* Whether the device's extension string has this word. */
int has_extension(cl_device_id device, const char* name);
/* Contents of a file with a NUL behind; NULL: there is none. To be freed. */
unsigned char* read_whole_file(const char* path, size_t* size);
/* The program for all devices, not built: from the binary, and where that is refused from the source. */
cl_program load_program(cl_context context, cl_uint devices, const cl_device_id* list, const Options* options);
/* Built with these options, the log on the standard error where that fails. */
void build_program(cl_program program, cl_device_id device, const char* options);
/* The next multiple. */
size_t round_up(size_t value, size_t multiple);
/* Pseudo-random numbers, the same in every run. */
unsigned int next_random(unsigned int* state);

#ifdef __cplusplus
}
#endif

#endif
