// Kernels of an OpenCL C source, run by an OpenCL implementation of this machine and judged by the memory that they
// leave.
//
// Everything of OpenCL happens in child processes with a time limit: pocl compiles into the process that asks it, and
// may end it inside an enqueue, or never return. The caller's process never loads libOpenCL, so that a crash, an abort
// or an endless kernel is a result like any other. Children are made by fork, from any thread: glibc makes its heap and
// its loader usable in a child again. A child that has loaded pocl waits half a minute for more requests and forks a
// child of its own for each, so that no kernel sees what another one did to memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <process/temporary_directory.hpp>

namespace amdcompat::opencl {

struct Buffer {
  std::vector<std::byte> bytes;  // before the launch
  bool read_only = false;
};
// The buffer that an earlier argument has, once more.
struct SameBuffer {
  std::size_t argument = 0;
};
struct NullBuffer {};
struct Value {
  std::vector<std::byte> bytes;
};
struct Local {
  std::size_t size = 0;  // bytes
};
// Texels follow each other without gaps, then rows, then slices or layers.
struct Image {
  enum class Kind : std::uint8_t { D1, D1Array, D2, D2Array, D3, Buffer } kind = Kind::D2;
  std::array<std::size_t, 3> size{1, 1, 1};  // in texels; layers come behind the dimensions of one
  std::uint32_t order = 0, type = 0;  // CL_RGBA, CL_FLOAT and so on
  std::vector<std::byte> bytes{};  // before the launch
  bool written = false;  // write-only, else read-only
};
struct Sampler {
  bool normalized = false;  // coordinates
  std::uint32_t addressing = 0, filter = 0;  // CL_ADDRESS_CLAMP, CL_FILTER_NEAREST and so on
};
using Argument = std::variant<Buffer, Value, Local, Image, Sampler, SameBuffer, NullBuffer>;

struct Launch {
  std::string kernel;
  std::uint32_t dimensions = 1;
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{};  // all 0: the implementation chooses
  std::array<std::size_t, 3> offset{};
  std::vector<Argument> arguments{};  // in the order of the parameters
  std::uint32_t repeats = 1;  // times that it is enqueued
};

// `Device`: the one that is asked for. `Simulator`: oclgrind, which reports accesses out of bounds, races between
// work-items, uninitialised values and wrong calls.
enum class Runtime : std::uint8_t { Device, Simulator };

struct Request {
  std::string source;
  std::string options{};  // of clBuildProgram
  std::vector<Launch> launches{};
  // Limit of the build, and of each launch with what the implementation compiles for it: processor time of the child,
  // so that a busy machine changes nothing; ten times as much by the clock.
  double seconds = 20;
  Runtime runtime = Runtime::Device;
  bool unset_values = true;  // the simulator looks for them; it crashes of that where an image has three coordinates
  // Each byte of local memory that nothing has set, where the device takes that from the heap as pocl does: it would
  // else hold what was there before, and a launch could do otherwise the next time. 0xff: so be it.
  std::uint8_t unset_local = 0;
  // Builds as a host's build does, which takes longer: for who measures that. Else a program that pocl builds comes
  // behind the declarations that it needs, and not behind those of all functions.
  bool as_hosts_build = false;
  bool all_cores = false;  // pocl's usual device; else the one that takes one core, whose results come in one order
  // Part of the name of a device or of its platform; empty: pocl's device where there is one, so that a result means
  // the same everywhere, else the first one.
  std::string device{};
};

enum class Status : std::uint8_t {
  Ok,
  BuildFailed,  // the log says why
  Refused,  // an OpenCL call gave an error: which one, and the number
  Died,  // the child was ended by a signal, or ended by itself: which, and the last words
  TimedOut,
};
// "ok", "build failed", …
[[nodiscard]] const char* status_name(Status status);

struct LaunchResult {
  Status status = Status::Ok;
  std::string message{};  // why it is not Ok
  std::vector<std::vector<std::byte>> buffers{};  // and images, afterwards, in their order; of Ok only
  double seconds = 0;  // by the clock: the shortest of the repeats
  std::string said{};  // what the implementation wrote on standard output and error meanwhile: the simulator's reports
};

struct Result {
  Status build = Status::Ok;
  std::string message;  // why the build is not Ok
  std::string log;  // of the build, also where that is Ok: warnings
  // By the clock, without what is compiled when a kernel is first launched; short where pocl has built the same source
  // for an earlier request of this process.
  double build_seconds = 0;
  std::vector<LaunchResult> launches;  // one for each launch asked for; with the build's status where that is not Ok
};

// Launches are made in order by one child; a launch that ends its child is a result, and the rest go to another one.
[[nodiscard]] Result run(const Request& request);

// What a request would run on.
struct Device {
  std::string missing{};  // why there is none; empty: there is
  std::string name{};
  bool keeps_denormals = false;  // of floats
};
[[nodiscard]] Device find_device(Runtime runtime, const std::string& device = {}, bool all_cores = false);

// Everything that OpenCL offers on this machine.
struct SurveyedDevice {
  std::string name, type, version;  // "GPU", "OpenCL 3.0 pocl"
  bool doubles = false, images = false;
  std::uint32_t compute_units = 0;
  std::uint64_t memory = 0, local_memory = 0;  // bytes
};
struct SurveyedPlatform {
  std::string name, vendor, version;
  std::vector<SurveyedDevice> devices{};
};
struct Survey {
  std::string missing{};  // why nothing can be said; empty: what follows is true
  std::vector<SurveyedPlatform> platforms{};
};
// `variables`: set in the environment of the process that looks.
[[nodiscard]] Survey survey(const std::vector<std::pair<std::string, std::string>>& variables = {});

using process::TemporaryDirectory;

}  // namespace amdcompat::opencl
