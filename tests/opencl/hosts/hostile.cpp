// Wrong calls and broken binaries: each must get the error that the specification has for it, and the host lives on.
// [OpenCL 1.2 §5.6.1, §5.6.2, §5.6.7, §5.7.1]
//
//   hostile [--binaries] BINARY [mutants [another binary]]
//
// `--binaries`: none of the calls that are wrong whatever the binary is, which runtimes have to find themselves.
#include "common.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

extern "C" cl_kernel CL_API_CALL clCloneKernel(cl_kernel source, cl_int* error);  // of OpenCL 2.1

namespace {

int failures = 0;

void same(cl_int got, cl_int expected, const char* what) {
  if (got == expected) return;
  std::fprintf(stderr, "Error: %s: %d instead of %d\n", what, static_cast<int>(got), static_cast<int>(expected));
  ++failures;
}
void holds(bool that, const char* what) {
  if (that) return;
  std::fprintf(stderr, "Error: %s\n", what);
  ++failures;
}

struct Given {
  cl_context context = nullptr;
  std::vector<cl_device_id> devices;
};

// A program of one binary for the first device.
cl_program create(const Given& given, const std::string& binary, cl_int& of_binary, cl_int& error) {
  const std::size_t size = binary.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  of_binary = 12345;
  error = 12345;
  return clCreateProgramWithBinary(given.context, 1, given.devices.data(), &size, &bytes, &of_binary, &error);
}
void refused(const Given& given, const std::string& binary, const char* what) {
  cl_int of_binary = 0, error = 0;
  const cl_program program = create(given, binary, of_binary, error);
  const cl_int expected = binary.empty() ? CL_INVALID_VALUE : CL_INVALID_BINARY;
  same(error, expected, what);
  same(of_binary, expected, what);
  holds(program == nullptr, what);
  if (program != nullptr) clReleaseProgram(program);
}

void wrong_calls(const Given& given, const std::string& good) {
  const std::size_t size = good.size(), no_size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(good.data());
  const unsigned char* no_bytes = nullptr;
  const cl_device_id device = given.devices[0];
  cl_int error = 0, of_binary = 0;
  const auto expect_error = [&](cl_program program, cl_int expected, const char* what) {
    same(error, expected, what);
    holds(program == nullptr, what);
    error = 0;
  };
  expect_error(clCreateProgramWithBinary(nullptr, 1, &device, &size, &bytes, &of_binary, &error), CL_INVALID_CONTEXT,
               "no context");
  expect_error(clCreateProgramWithBinary(given.context, 0, &device, &size, &bytes, &of_binary, &error),
               CL_INVALID_VALUE, "no devices");
  expect_error(clCreateProgramWithBinary(given.context, 1, nullptr, &size, &bytes, &of_binary, &error),
               CL_INVALID_VALUE, "no list of devices");
  expect_error(clCreateProgramWithBinary(given.context, 1, &device, nullptr, &bytes, &of_binary, &error),
               CL_INVALID_VALUE, "no lengths");
  expect_error(clCreateProgramWithBinary(given.context, 1, &device, &size, nullptr, &of_binary, &error),
               CL_INVALID_VALUE, "no binaries");
  expect_error(clCreateProgramWithBinary(given.context, 1, &device, &no_size, &bytes, &of_binary, &error),
               CL_INVALID_VALUE, "a length of 0");
  same(of_binary, CL_INVALID_VALUE, "status of a length of 0");
  of_binary = 0;
  expect_error(clCreateProgramWithBinary(given.context, 1, &device, &size, &no_bytes, &of_binary, &error),
               CL_INVALID_VALUE, "a binary that is NULL");
  same(of_binary, CL_INVALID_VALUE, "status of a binary that is NULL");
  holds(clCreateProgramWithBinary(given.context, 1, &device, &size, &no_bytes, nullptr, nullptr) == nullptr,
        "nobody wants to know");
  if (given.devices.size() < 2) return;

  // Two devices: one binary is good, the other is not.
  const unsigned char rubbish[] = "rubbish";
  const std::size_t sizes[] = {good.size(), sizeof rubbish};
  const unsigned char* both[] = {bytes, rubbish};
  cl_int statuses[] = {12345, 12345};
  expect_error(clCreateProgramWithBinary(given.context, 2, given.devices.data(), sizes, both, statuses, &error),
               CL_INVALID_BINARY, "one of two is bad");
  same(statuses[0], CL_SUCCESS, "status of the good one of two");
  same(statuses[1], CL_INVALID_BINARY, "status of the bad one of two");
  const std::size_t one_size[] = {0, good.size()};
  const unsigned char* second[] = {nullptr, bytes};
  expect_error(clCreateProgramWithBinary(given.context, 2, given.devices.data(), one_size, second, statuses, &error),
               CL_INVALID_VALUE, "one of two is missing");
  same(statuses[0], CL_INVALID_VALUE, "status of the missing one of two");
  same(statuses[1], CL_SUCCESS, "status of the good one of two");

  // A context has not the device.
  const cl_context other = clCreateContext(nullptr, 1, &given.devices[1], nullptr, nullptr, &error);
  check(error, "clCreateContext");
  expect_error(clCreateProgramWithBinary(other, 1, &device, &size, &bytes, &of_binary, &error), CL_INVALID_DEVICE,
               "a device of another context");
  check(clReleaseContext(other), "clReleaseContext");
}

// Of a kernel of two devices: whole, or, where the runtime clones that of the first one only, not at all.
void clone(cl_kernel kernel) {
  cl_int error = 12345;
  const cl_kernel whole = clCloneKernel(kernel, &error);
  same(error, CL_SUCCESS, "clCloneKernel");
  holds(whole != nullptr, "a clone");
  check(clReleaseKernel(whole), "clReleaseKernel");
  setenv("NULL_RUNTIME_FAILS", "clCloneKernel", 1);
  const cl_kernel half = clCloneKernel(kernel, &error);
  unsetenv("NULL_RUNTIME_FAILS");
  same(error, CL_OUT_OF_RESOURCES, "a clone for the first device only");
  holds(half == nullptr, "half a clone");
  std::printf("cloned for two devices\n");
}

// Only kernels that are not the same on all devices are left out; what is in the runtime's way is told, and nothing is
// left behind (which the runtime says at the end). [OpenCL 1.2 §5.7.1]
void runtime_without_kernels(const Given& given, const std::string& good, const std::string& other) {
  if (given.devices.size() < 2) return;
  const std::size_t sizes[] = {good.size(), other.size()};  // two programs of the runtime
  const unsigned char* both[] = {reinterpret_cast<const unsigned char*>(good.data()),
                                 reinterpret_cast<const unsigned char*>(other.data())};
  cl_int error = 0;
  const cl_program program =
      clCreateProgramWithBinary(given.context, 2, given.devices.data(), sizes, both, nullptr, &error);
  check(error, "clCreateProgramWithBinary");
  check(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernels[16] = {};
  cl_uint count = 12345;
  setenv("NULL_RUNTIME_FAILS", "clCreateKernel", 1);
  same(clCreateKernelsInProgram(program, 16, kernels, &count), CL_OUT_OF_RESOURCES, "kernels of a second device");
  same(clCreateKernelsInProgram(program, 0, nullptr, &count), CL_OUT_OF_RESOURCES, "how many kernels there are");
  unsetenv("NULL_RUNTIME_FAILS");
  holds(kernels[0] == nullptr && count == 12345, "kernels of a call that failed");
  check(clCreateKernelsInProgram(program, 16, kernels, &count), "clCreateKernelsInProgram");
  holds(count <= 16, "kernels of two devices");
  for (cl_uint n = 0; n < count; ++n) {
    clone(kernels[n]);
    check(clReleaseKernel(kernels[n]), "clReleaseKernel");
  }
  check(clReleaseProgram(program), "clReleaseProgram");
}

// A list of counts of a device that poses is the one that it was divided by, however long.
void long_partition(cl_device_id device) {
  std::vector<cl_device_partition_property> core;
  std::size_t size = 0;
  if (clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE, 0, nullptr, &size) != CL_SUCCESS) return;
  core.resize(size / sizeof core[0]);
  check(clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE, size, core.data(), nullptr), "CL_DEVICE_PARTITION_TYPE");
  std::vector<cl_device_partition_property_ext> style(1024);
  if (clGetDeviceInfo(device, CL_DEVICE_PARTITION_STYLE_EXT, style.size() * sizeof style[0], style.data(), &size) !=
      CL_SUCCESS)
    return;  // it does not pose
  std::printf("a part by %zu counts\n", core.size() - 2);
  style.resize(size / sizeof style[0]);
  holds(style.size() == core.size() + 1 && style[0] == CL_DEVICE_PARTITION_BY_COUNTS_EXT, "how a part came to be");
}

void CL_CALLBACK count_builds(cl_program, void* data) { ++*static_cast<int*>(data); }

void wrong_builds(const Given& given, const std::string& good) {
  cl_int of_binary = 0, error = 0;
  const cl_device_id device = given.devices[0];
  const cl_program program = create(given, good, of_binary, error);
  check(error, "clCreateProgramWithBinary");
  same(of_binary, CL_SUCCESS, "status of a good binary");
  holds(clCreateKernel(program, "kernel", &error) == nullptr, "a kernel of a program that is not built");
  same(error, CL_INVALID_PROGRAM_EXECUTABLE, "a kernel of a program that is not built");
  int builds = 0;
  same(clBuildProgram(program, 0, &device, "", nullptr, nullptr), CL_INVALID_VALUE, "a list of no devices");
  same(clBuildProgram(program, 1, nullptr, "", nullptr, nullptr), CL_INVALID_VALUE, "no list of one device");
  same(clBuildProgram(program, 1, &device, "", nullptr, &builds), CL_INVALID_VALUE, "data for no callback");
  if (given.devices.size() > 1)
    same(clBuildProgram(program, 1, &given.devices[1], "", nullptr, nullptr), CL_INVALID_DEVICE,
         "a device that the program is not for");
  same(clBuildProgram(program, 1, &device, "-fbin-exe -no -such=option \"", count_builds, &builds), CL_SUCCESS,
       "options of other compilers");
  holds(builds == 1, "the callback is not called once");
  holds(clCreateKernel(program, nullptr, &error) == nullptr, "a kernel without a name");
  same(error, CL_INVALID_VALUE, "a kernel without a name");
  holds(clCreateKernel(program, "", &error) == nullptr, "a kernel of no name");
  same(error, CL_INVALID_KERNEL_NAME, "a kernel of no name");
  char names[1024] = "";
  check(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, nullptr), "CL_PROGRAM_KERNEL_NAMES");
  const cl_kernel kernel = clCreateKernel(program, std::string(names, std::strcspn(names, ";")).c_str(), &error);
  check(error, "clCreateKernel");
  same(clBuildProgram(program, 1, &device, "", nullptr, nullptr), CL_INVALID_OPERATION, "kernels are in use");

  std::size_t size = 0, small = 0;
  unsigned char* nowhere = nullptr;
  char text[8];
  same(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 1, &small, &size), CL_INVALID_VALUE, "room for no size");
  same(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 0, nullptr, &size), CL_SUCCESS, "how large sizes are");
  holds(size == sizeof(std::size_t), "how large sizes are");
  same(clGetProgramInfo(program, CL_PROGRAM_BINARIES, 1, &nowhere, nullptr), CL_INVALID_VALUE, "room for no pointer");
  same(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof nowhere, &nowhere, nullptr), CL_SUCCESS,
       "a binary that is not wanted");
  same(clGetProgramInfo(program, 0x7777, sizeof text, text, nullptr), CL_INVALID_VALUE, "no such property");
  same(clGetProgramBuildInfo(program, nullptr, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, nullptr), CL_INVALID_DEVICE,
       "no device");
  same(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, nullptr), CL_INVALID_VALUE,
       "room for no options");
  same(clGetKernelArgInfo(kernel, 99, CL_KERNEL_ARG_NAME, sizeof text, text, nullptr), CL_INVALID_ARG_INDEX,
       "no such argument");
  same(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, 1, text, nullptr), CL_INVALID_VALUE, "room for no name");
  same(clGetKernelArgInfo(kernel, 0, 0x7777, sizeof text, text, nullptr), CL_INVALID_VALUE, "no such property");

  // What needs source, and what needs a compiled object.
  same(clCompileProgram(program, 1, &device, "", 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION,
       "compiling what has no source");
  holds(clLinkProgram(given.context, 1, &device, "", 1, &program, nullptr, nullptr, &error) == nullptr,
        "linking what is no object");
  same(error, CL_INVALID_OPERATION, "linking what is no object");
  check(clReleaseKernel(kernel), "clReleaseKernel");
  check(clReleaseProgram(program), "clReleaseProgram");
}

// Of a device that rounds as it likes and takes groups of 200: roots are as exact as the machine code's, and sizes are
// powers of two, as hosts halve and double them.
void device_of_another_kind(const Given& given, const std::string& good) {
  cl_int of_binary = 0, error = 0;
  const cl_program program = create(given, good, of_binary, error);
  check(error, "clCreateProgramWithBinary");
  check(clBuildProgram(program, 0, nullptr, "-old", nullptr, nullptr), "clBuildProgram");
  std::vector<char> log(1000);
  check(clGetProgramBuildInfo(program, given.devices[0], CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr),
        "CL_PROGRAM_BUILD_LOG");
  holds(std::strstr(log.data(), "-cl-fp32-correctly-rounded-divide-sqrt") != nullptr, "roots are rounded");
  holds(std::strstr(log.data(), "-old") == nullptr, "options of the host are not used");
  cl_uint count = 0;
  check(clCreateKernelsInProgram(program, 0, nullptr, &count), "clCreateKernelsInProgram");
  std::vector<cl_kernel> kernels(count);
  check(clCreateKernelsInProgram(program, count, kernels.data(), nullptr), "clCreateKernelsInProgram");
  std::size_t size = 0;
  for (const auto& [most, expected] : {std::pair("200", 128U), std::pair("1024", 256U), std::pair("1", 1U)}) {
    setenv("NULL_RUNTIME_GROUP", most, 1);
    check(
        clGetKernelWorkGroupInfo(kernels[0], given.devices[0], CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, nullptr),
        "CL_KERNEL_WORK_GROUP_SIZE");
    holds(size == expected, "a power of two");
  }
  unsetenv("NULL_RUNTIME_GROUP");
  for (const cl_kernel kernel : kernels) check(clReleaseKernel(kernel), "clReleaseKernel");
  check(clReleaseProgram(program), "clReleaseProgram");
}

// Either it is refused as a bad binary, or it is a program; what a compiler thinks of that is its own affair.
void try_binary(const Given& given, const std::string& binary) {
  cl_int of_binary = 0, error = 0;
  const cl_program program = create(given, binary, of_binary, error);
  if (program == nullptr) {
    same(error, CL_INVALID_BINARY, "a mutant");
    same(of_binary, CL_INVALID_BINARY, "a mutant");
    return;
  }
  same(error, CL_SUCCESS, "a mutant");
  same(of_binary, CL_SUCCESS, "a mutant");
  const cl_int status = clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr);
  holds(status == CL_SUCCESS || status == CL_BUILD_PROGRAM_FAILURE, "a mutant is built");
  cl_uint count = 0;
  if (status == CL_SUCCESS) {
    check(clCreateKernelsInProgram(program, 0, nullptr, &count), "clCreateKernelsInProgram");
    std::vector<cl_kernel> kernels(count);
    if (count != 0)
      check(clCreateKernelsInProgram(program, count, kernels.data(), nullptr), "clCreateKernelsInProgram");
    for (const cl_kernel kernel : kernels) check(clReleaseKernel(kernel), "clReleaseKernel");
  }
  check(clReleaseProgram(program), "clReleaseProgram");
}

std::string file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  const bool calls = argc < 2 || std::strcmp(argv[1], "--binaries") != 0;
  if (!calls) {
    --argc;
    ++argv;
  }
  expect(argc > 1, "usage: hostile [--binaries] BINARY [mutants]");
  const std::string good = file(argv[1]);
  const int mutants = argc > 2 ? std::atoi(argv[2]) : 0;
  expect(!good.empty(), "the binary is not there");
  cl_platform_id platform = choose_platform();
  Given given;
  given.devices.resize(2);
  cl_uint count = 0;
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, given.devices.data(), &count), "clGetDeviceIDs");
  if (count < 2) given.devices.resize(1);
  cl_int error = 0;
  given.context = clCreateContext(nullptr, static_cast<cl_uint>(given.devices.size()), given.devices.data(), nullptr,
                                  nullptr, &error);
  check(error, "clCreateContext");

  if (calls) {
    wrong_calls(given, good);
    if (argc > 3) {
      runtime_without_kernels(given, good, file(argv[3]));
      device_of_another_kind(given, good);
    }
    long_partition(given.devices[0]);
    refused(given, "", "nothing");
  }
  wrong_builds(given, good);
  refused(given, "x", "a byte");
  refused(given, std::string(100, '\0'), "zeroes");
  refused(given,
          "\x7f"
          "ELF",
          "the first bytes of an ELF file");
  refused(given, file("/proc/self/exe"), "a program of this machine");
  refused(given, good.substr(0, 52), "a header alone");

  unsigned int random = 99;
  for (int n = 0; n < mutants; ++n) {
    std::string mutant = good;
    if (n % 4 == 0) {
      mutant.resize(1 + next_random(&random) % good.size());
    } else if (n % 16 == 1) {
      for (char& byte : mutant) byte = static_cast<char>(next_random(&random));
      std::memcpy(mutant.data(), good.data(), 20);
    } else {
      for (unsigned int k = 0; k <= next_random(&random) % 8; ++k)
        mutant[next_random(&random) % mutant.size()] = static_cast<char>(next_random(&random));
    }
    try_binary(given, mutant);
  }
  // It is as well as before.
  wrong_builds(given, good);
  check(clReleaseContext(given.context), "clReleaseContext");
  if (failures != 0) return 1;
  std::printf("Passed!\n");
  return 0;
}
