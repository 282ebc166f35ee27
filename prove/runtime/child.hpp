// What a child process does with OpenCL, and what it says to the process that waits for it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "cl.hpp"
#include "declarations.hpp"
#include "runner.hpp"

namespace amdcompat::opencl {

// Of libOpenCL.so.1, which children alone load.
struct Functions {
#define AMDCOMPAT_FUNCTION(name, result, parameters) result(*name) parameters = nullptr;
  AMDCOMPAT_OPENCL_FUNCTIONS(AMDCOMPAT_FUNCTION)
#undef AMDCOMPAT_FUNCTION

  // Why they cannot be had; empty: they can.
  std::string load();
};

struct Chosen {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  std::string name;
  bool is_pocl = false;
  std::string missing;  // why there is none
};
[[nodiscard]] Chosen choose_device(const Functions& cl, const std::string& wanted);

// A device that programs can be built for.
struct Ready {
  Functions cl;
  Chosen device;
  cl_context context = nullptr;
  Declarations declarations{};  // that programs are built with; none: those of the implementation

  // Why there is none; empty: there is.
  std::string prepare(const std::string& wanted);
};

// What a child says after the build and after each launch: a status, a text, and the buffers.
struct Message {
  Status status = Status::Ok;
  std::string text{};
  std::vector<std::vector<std::byte>> buffers{};
  std::string said{};  // on standard output and error, since the last message
  double seconds = 0;  // of the build or the launch
};
// Ends the process where nobody reads any more.
void send(int to, const Message& message);
[[nodiscard]] std::optional<Message> unpack(std::string_view bytes);

// What a device is; `why`: there is none that can be used, for this reason. And the message as the device again.
[[nodiscard]] Message message_of(const Functions& cl, const Chosen& chosen, const std::string& why);
[[nodiscard]] Device device_of(const Message& message);

// What a file has from `from` on; the end of it where that is more than `most` bytes.
[[nodiscard]] std::string words_of(int file, off_t from, off_t most);

// Builds the program, and makes all launches from `first` on. `ready`: prepared already, or by this.
void work(int to, const Request& request, std::size_t first, Ready& ready);

}  // namespace amdcompat::opencl
