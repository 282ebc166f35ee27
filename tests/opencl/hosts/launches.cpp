// Launches kernels of one binary as a script on the standard input says, and writes what their buffers hold afterwards:
//
//   binary PATH
//   kernel NAME DIMENSIONS GX GY GZ LX LY LZ OX OY OZ
//   value HEX | local BYTES | buffer HEX
//   launch
//
// For each launch, the standard output gets a line "launch", and a line "buffer HEX" for each buffer; or a line
// "refused CALL STATUS".
#include "common.h"

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

typedef std::vector<unsigned char> Bytes;

Bytes fromHex(const std::string& text) {
  Bytes out;
  for (std::size_t n = 0; n + 1 < text.size(); n += 2) {
    const char a = text[n], b = text[n + 1];
    const int high = a <= '9' ? a - '0' : a - 'a' + 10, low = b <= '9' ? b - '0' : b - 'a' + 10;
    out.push_back(static_cast<unsigned char>(high * 16 + low));
  }
  return out;
}

std::string toHex(const Bytes& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    out += digits[bytes[n] / 16];
    out += digits[bytes[n] % 16];
  }
  return out;
}

struct Argument {
  char kind;  // 'v', 'l', 'b'
  Bytes bytes;
  std::size_t size;
};

struct Launch {
  std::string kernel;
  cl_uint dimensions;
  std::size_t global[3], local[3], offset[3];
  std::vector<Argument> arguments;
};

class Host {
 public:
  explicit Host(const std::string& binary) {
    cl_int status;
    device_ = choose_device(choose_platform());
    context_ = clCreateContext(NULL, 1, &device_, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "clCreateCommandQueue");
    Options options = Options();
    options.binary = binary.c_str();
    program_ = load_program(context_, 1, &device_, &options);
    build_program(program_, device_, "-fno-bin-source -g");
  }
  ~Host() {
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  void run(const Launch& launch) {
    cl_int status;
    cl_kernel kernel = clCreateKernel(program_, launch.kernel.c_str(), &status);
    if (status != CL_SUCCESS) return refused("clCreateKernel", status);
    std::vector<cl_mem> buffers;
    std::vector<std::size_t> sizes;
    for (cl_uint n = 0; n < launch.arguments.size() && status == CL_SUCCESS; ++n) {
      const Argument& argument = launch.arguments[n];
      if (argument.kind == 'l') {
        status = clSetKernelArg(kernel, n, argument.size, NULL);
      } else if (argument.kind == 'v') {
        status = clSetKernelArg(kernel, n, argument.bytes.size(), &argument.bytes[0]);
      } else {
        Bytes copy = argument.bytes;
        cl_mem buffer =
            clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, copy.size(), &copy[0], &status);
        check(status, "clCreateBuffer");
        buffers.push_back(buffer);
        sizes.push_back(copy.size());
        status = clSetKernelArg(kernel, n, sizeof buffer, &buffer);
      }
      if (status != CL_SUCCESS) refused("clSetKernelArg", status);
    }
    if (status == CL_SUCCESS) {
      status = clEnqueueNDRangeKernel(queue_, kernel, launch.dimensions, launch.offset, launch.global, launch.local, 0,
                                      NULL, NULL);
      if (status == CL_SUCCESS) status = clFinish(queue_);
      if (status != CL_SUCCESS) refused("clEnqueueNDRangeKernel", status);
    }
    if (status == CL_SUCCESS) {
      std::cout << "launch\n";
      for (std::size_t n = 0; n < buffers.size(); ++n) {
        Bytes bytes(sizes[n]);
        check(clEnqueueReadBuffer(queue_, buffers[n], CL_TRUE, 0, bytes.size(), &bytes[0], 0, NULL, NULL),
              "clEnqueueReadBuffer");
        std::cout << "buffer " << toHex(bytes) << "\n";
      }
    }
    for (std::size_t n = 0; n < buffers.size(); ++n) check(clReleaseMemObject(buffers[n]), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    std::cout << std::flush;
  }

 private:
  Host(const Host&);
  Host& operator=(const Host&);
  static void refused(const char* call, cl_int status) { std::cout << "refused " << call << " " << status << "\n"; }

  cl_device_id device_;
  cl_context context_;
  cl_command_queue queue_;
  cl_program program_;
};

}  // namespace

int main() {
  std::string line, word, path;
  std::getline(std::cin, line);
  path = line.substr(line.find(' ') + 1);
  expect(line.substr(0, 7) == "binary ", "the script does not begin with a binary");
  Host host(path);
  Launch launch = Launch();
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    words >> word;
    Argument argument = Argument();
    if (word == "kernel") {
      launch = Launch();
      words >> launch.kernel >> launch.dimensions;
      for (int d = 0; d < 3; ++d) words >> launch.global[d];
      for (int d = 0; d < 3; ++d) words >> launch.local[d];
      for (int d = 0; d < 3; ++d) words >> launch.offset[d];
    } else if (word == "launch") {
      host.run(launch);
    } else {
      std::string text;
      argument.kind = word[0];
      words >> text;
      if (word == "local")
        std::istringstream(text) >> argument.size;
      else
        argument.bytes = fromHex(text);
      launch.arguments.push_back(argument);
    }
  }
  return 0;
}
