#include "runner.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cl.hpp"

namespace amdcompat::opencl {

namespace {

// --- the child ---------------------------------------------------------------------------------------------

// Of libOpenCL.so.1, which the child alone loads.
struct Functions {
#define AMDCOMPAT_FUNCTION(name, result, parameters) result(*name) parameters = nullptr;
  AMDCOMPAT_OPENCL_FUNCTIONS(AMDCOMPAT_FUNCTION)
#undef AMDCOMPAT_FUNCTION

  // Why they cannot be had; empty: they can.
  std::string load() {
    void* const library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return fmt::format("no OpenCL: {}", ::dlerror());
    std::string missing;
    const auto find = [&](auto& to, const char* name) {
      void* const found = ::dlsym(library, name);
      if (found == nullptr) missing = fmt::format("libOpenCL.so.1 has no {}", name);
      std::memcpy(&to, &found, sizeof(to));
    };
#define AMDCOMPAT_FUNCTION(name, result, parameters) find(name, "cl" #name);
    AMDCOMPAT_OPENCL_FUNCTIONS(AMDCOMPAT_FUNCTION)
#undef AMDCOMPAT_FUNCTION
    return missing;
  }
};

struct Chosen {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  std::string name;
  std::string missing;  // why there is none
};
Chosen choose_device(const Functions& cl, const std::string& wanted) {
  constexpr std::string_view kPocl = "Portable Computing Language";
  Chosen out;
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  cl.GetPlatformIDs(platforms.size(), platforms.data(), &count);
  for (const cl_platform_id platform : std::span(platforms).first(std::min<std::size_t>(count, platforms.size()))) {
    std::array<char, 256> text{};
    cl.GetPlatformInfo(platform, CL_PLATFORM_NAME, text.size() - 1, text.data(), nullptr);
    const std::string platform_name = text.data();
    std::array<cl_device_id, 16> devices{};
    cl_uint there = 0;
    if (cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices.size(), devices.data(), &there) != CL_SUCCESS) continue;
    for (const cl_device_id device : std::span(devices).first(std::min<std::size_t>(there, devices.size()))) {
      text = {};
      cl.GetDeviceInfo(device, CL_DEVICE_NAME, text.size() - 1, text.data(), nullptr);
      const std::string name = text.data();
      const bool named = !wanted.empty() &&
                         (name.find(wanted) != std::string::npos || platform_name.find(wanted) != std::string::npos);
      const bool best = wanted.empty() ? platform_name == kPocl : named;
      if (best || (wanted.empty() && out.device == nullptr)) out = {platform, device, name, {}};
      if (best) return out;
    }
  }
  if (out.device == nullptr) out.missing = wanted.empty() ? "no OpenCL device" : "no OpenCL device '" + wanted + "'";
  return out;
}

// As the OpenCL layer decides it: reciprocals and square roots of the machine code are right to 1 ulp, and devices of
// AMD's have the same instructions for them. [opencl/programs.cpp]
bool rounds_when_told(const Functions& cl, cl_device_id device) {
  constexpr cl_uint kAmd = 0x1002;
  cl_uint vendor = kAmd;
  cl_bitfield config = 0;
  return cl.GetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, nullptr) == CL_SUCCESS &&
         vendor != kAmd &&
         cl.GetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, nullptr) == CL_SUCCESS &&
         (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

bool write_all(int to, const void* bytes, std::size_t size) {
  for (const char* at = static_cast<const char*>(bytes); size != 0;) {
    const ssize_t put = ::write(to, at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

// Where Debian and its own installation have it; a loader takes a library in place of a directory of names.
constexpr const char* kSimulators[] = {"/usr/lib/oclgrind/liboclgrind-rt-icd.so",
                                       "/usr/local/lib/liboclgrind-rt-icd.so"};
const char* simulator() {
  const auto* const found =
      std::ranges::find_if(kSimulators, [](const char* path) { return ::access(path, R_OK) == 0; });
  return found == std::end(kSimulators) ? kSimulators[0] : *found;
}

// What the child says after the build and after each launch: a status, a text, and the buffers.
struct Message {
  Status status = Status::Ok;
  std::string text{};
  std::vector<std::vector<std::byte>> buffers{};
  std::string said{};  // on standard output and error, since the last message
  double seconds = 0;  // of the build or the launch
};

// What a file has from `from` on; the end of it where that is much.
std::string words_of(int file, off_t from, off_t most) {
  struct stat about = {};
  if (::fstat(file, &about) != 0) return {};
  from = std::max(from, about.st_size - most);
  std::string out(static_cast<std::size_t>(std::max<off_t>(about.st_size - from, 0)), '\0');
  const ssize_t got = ::pread(file, out.data(), out.size(), from);
  out.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return out;
}
constexpr off_t kLastWords = 2000;
constexpr off_t kPrinted = off_t{1} << 20;  // of a launch, which may print

void send(int to, const Message& message) {
  std::string out;
  const auto add = [&out](const void* bytes, std::size_t size) {
    const std::uint64_t length = size;
    out.append(reinterpret_cast<const char*>(&length), sizeof(length));
    out.append(static_cast<const char*>(bytes), size);
  };
  add(&message.status, sizeof(message.status));
  add(message.text.data(), message.text.size());
  add(message.said.data(), message.said.size());
  add(&message.seconds, sizeof(message.seconds));
  for (const auto& buffer : message.buffers) add(buffer.data(), buffer.size());
  const std::uint64_t length = out.size();
  if (!write_all(to, &length, sizeof(length)) || !write_all(to, out.data(), out.size())) ::_exit(0);
}

std::optional<Message> unpack(std::string_view bytes) {
  Message out;
  for (std::size_t part = 0; !bytes.empty(); ++part) {
    std::uint64_t length = 0;
    if (bytes.size() < sizeof(length)) return std::nullopt;
    std::memcpy(&length, bytes.data(), sizeof(length));
    bytes.remove_prefix(sizeof(length));
    if (length > bytes.size()) return std::nullopt;
    const std::string_view value = bytes.substr(0, length);
    bytes.remove_prefix(length);
    if (part == 0) {
      std::memcpy(&out.status, value.data(), std::min(value.size(), sizeof(out.status)));
    } else if (part == 1) {
      out.text = value;
    } else if (part == 2) {
      out.said = value;
    } else if (part == 3) {
      std::memcpy(&out.seconds, value.data(), std::min(value.size(), sizeof(out.seconds)));
    } else {
      const auto* const first = reinterpret_cast<const std::byte*>(value.data());
      out.buffers.emplace_back(first, first + value.size());
    }
  }
  return out;
}

class Child {
 public:
  Child(int to, const Request& request) : to_(to), request_(request) {}

  // Everything from launch `first` on.
  void work(std::size_t first) {
    if (!build()) return;
    for (std::size_t n = first; n < request_.launches.size(); ++n) {
      const off_t before = ::lseek(STDERR_FILENO, 0, SEEK_CUR);
      Message message = launch(request_.launches[n]);
      std::cout.flush();
      std::fflush(nullptr);
      message.said = words_of(STDERR_FILENO, before, kPrinted);
      send(to_, message);
      if (message.status == Status::Died) return;
    }
  }

 private:
  bool build() {
    Message message;
    const auto failed = [&](Status status, std::string text) {
      send(to_, {status, std::move(text)});
      return false;
    };
    if (const std::string missing = cl_.load(); !missing.empty()) return failed(Status::Refused, missing);
    device_ = choose_device(cl_, request_.device);
    if (device_.device == nullptr) return failed(Status::Refused, device_.missing);
    cl_int error = 0;
    context_ = cl_.CreateContext(nullptr, 1, &device_.device, nullptr, nullptr, &error);
    if (error != CL_SUCCESS) return failed(Status::Refused, said("clCreateContext", error));
    queue_ = cl_.CreateCommandQueue(context_, device_.device, 0, &error);
    if (error != CL_SUCCESS) return failed(Status::Refused, said("clCreateCommandQueue", error));
    const char* text = request_.source.data();
    const std::size_t length = request_.source.size();
    program_ = cl_.CreateProgramWithSource(context_, 1, &text, &length, &error);
    if (error != CL_SUCCESS) return failed(Status::Refused, said("clCreateProgramWithSource", error));
    std::string options = request_.options;
    if (rounds_when_told(cl_, device_.device)) options += " -cl-fp32-correctly-rounded-divide-sqrt";
    const Clock::time_point begin = Clock::now();
    const cl_int built = cl_.BuildProgram(program_, 1, &device_.device, options.c_str(), nullptr, nullptr);
    const double seconds = since(begin);
    std::size_t size = 0;
    cl_.GetProgramBuildInfo(program_, device_.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    cl_.GetProgramBuildInfo(program_, device_.device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    send(to_, {built == CL_SUCCESS ? Status::Ok : Status::BuildFailed, std::move(log), {}, {}, seconds});
    return built == CL_SUCCESS;
  }

  Message launch(const Launch& launch) {
    cl_int error = 0;
    const cl_kernel kernel = cl_.CreateKernel(program_, launch.kernel.c_str(), &error);
    if (error != CL_SUCCESS) return {Status::Refused, said("clCreateKernel of " + launch.kernel, error)};
    Memory memory;
    std::vector<cl_sampler> samplers;
    Message out = launch_with(launch, kernel, memory, samplers);
    for (const auto& [object, given] : memory) cl_.ReleaseMemObject(object);
    for (const cl_sampler sampler : samplers) cl_.ReleaseSampler(sampler);
    cl_.ReleaseKernel(kernel);
    return out;
  }

  // Objects, and what they were made of.
  using Memory = std::vector<std::pair<cl_mem, const Argument*>>;

  cl_mem make_image(const Image& given, cl_int& error) {
    constexpr cl_uint kTypes[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                  CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                  CL_MEM_OBJECT_IMAGE3D, CL_MEM_OBJECT_IMAGE1D_BUFFER};
    const cl_image_format format{given.order, given.type};
    cl_image_desc about{};
    about.image_type = kTypes[static_cast<std::size_t>(given.kind)];
    about.image_width = given.size[0];
    const bool flat = given.kind == Image::Kind::D1 || given.kind == Image::Kind::D1Array;
    if (!flat && given.kind != Image::Kind::Buffer) about.image_height = given.size[1];
    if (given.kind == Image::Kind::D3) about.image_depth = given.size[2];
    if (given.kind == Image::Kind::D1Array) about.image_array_size = given.size[1];
    if (given.kind == Image::Kind::D2Array) about.image_array_size = given.size[2];
    std::vector<std::byte> bytes = given.bytes;
    const cl_bitfield use = given.written ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY, flags = use | CL_MEM_COPY_HOST_PTR;
    if (given.kind == Image::Kind::Buffer) {
      about.buffer =
          cl_.CreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &error);
      if (error != CL_SUCCESS) return nullptr;
      const cl_mem image = cl_.CreateImage(context_, use, &format, &about, nullptr, &error);
      cl_.ReleaseMemObject(about.buffer);  // the image keeps it
      return image;
    }
    return cl_.CreateImage(context_, flags, &format, &about, bytes.data(), &error);
  }
  cl_int read_back(cl_mem object, const Argument& given, std::vector<std::byte>& bytes) {
    if (const auto* const image = std::get_if<Image>(&given)) {
      bytes.resize(image->bytes.size());
      const std::array<std::size_t, 3> origin{};
      return cl_.EnqueueReadImage(queue_, object, CL_TRUE, origin.data(), image->size.data(), 0, 0, bytes.data(), 0,
                                  nullptr, nullptr);
    }
    bytes.resize(std::get<Buffer>(given).bytes.size());
    if (bytes.empty()) return CL_SUCCESS;
    return cl_.EnqueueReadBuffer(queue_, object, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr);
  }

  Message launch_with(const Launch& launch, cl_kernel kernel, Memory& memory, std::vector<cl_sampler>& samplers) {
    for (std::size_t n = 0; n < launch.arguments.size(); ++n) {
      cl_int error = 0;
      const auto index = static_cast<cl_uint>(n);
      if (const auto* const given = std::get_if<Buffer>(&launch.arguments[n])) {
        std::vector<std::byte> bytes = given->bytes;
        bytes.resize(std::max<std::size_t>(bytes.size(), 1));  // OpenCL has no empty buffers
        const cl_bitfield flags = (given->read_only ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE) | CL_MEM_COPY_HOST_PTR;
        const cl_mem buffer = cl_.CreateBuffer(context_, flags, bytes.size(), bytes.data(), &error);
        if (error != CL_SUCCESS) return {Status::Refused, said("clCreateBuffer", error)};
        memory.emplace_back(buffer, &launch.arguments[n]);
        error = cl_.SetKernelArg(kernel, index, sizeof(cl_mem), &buffer);
      } else if (const auto* const given_image = std::get_if<Image>(&launch.arguments[n])) {
        const cl_mem image = make_image(*given_image, error);
        if (error != CL_SUCCESS) return {Status::Refused, said("clCreateImage", error)};
        memory.emplace_back(image, &launch.arguments[n]);
        error = cl_.SetKernelArg(kernel, index, sizeof(cl_mem), &image);
      } else if (const auto* const how = std::get_if<Sampler>(&launch.arguments[n])) {
        const cl_sampler sampler =
            cl_.CreateSampler(context_, how->normalized ? CL_TRUE : CL_FALSE, how->addressing, how->filter, &error);
        if (error != CL_SUCCESS) return {Status::Refused, said("clCreateSampler", error)};
        samplers.push_back(sampler);
        error = cl_.SetKernelArg(kernel, index, sizeof(cl_sampler), &sampler);
      } else if (const auto* const same = std::get_if<SameBuffer>(&launch.arguments[n])) {
        const auto at = std::ranges::find(memory, &launch.arguments[same->argument], &Memory::value_type::second);
        if (at == memory.end()) return {Status::Refused, fmt::format("argument {} names no buffer before it", n)};
        error = cl_.SetKernelArg(kernel, index, sizeof(cl_mem), &at->first);
      } else if (std::holds_alternative<NullBuffer>(launch.arguments[n])) {
        const cl_mem none = nullptr;
        error = cl_.SetKernelArg(kernel, index, sizeof(cl_mem), &none);
      } else if (const auto* const value = std::get_if<Value>(&launch.arguments[n])) {
        error = cl_.SetKernelArg(kernel, index, value->bytes.size(), value->bytes.data());
      } else {
        error = cl_.SetKernelArg(kernel, index, std::get<Local>(launch.arguments[n]).size, nullptr);
      }
      if (error != CL_SUCCESS) return {Status::Refused, said("clSetKernelArg of argument " + std::to_string(n), error)};
    }
    const bool chosen = launch.local[0] != 0;
    Message out;
    cl_int error = CL_SUCCESS;
    for (std::uint32_t n = 0; n < std::max(launch.repeats, 1u); ++n) {
      const Clock::time_point begin = Clock::now();
      error = cl_.EnqueueNDRangeKernel(queue_, kernel, launch.dimensions, launch.offset.data(), launch.global.data(),
                                       chosen ? launch.local.data() : nullptr, 0, nullptr, nullptr);
      if (error != CL_SUCCESS) return {Status::Refused, said("clEnqueueNDRangeKernel", error)};
      error = cl_.Finish(queue_);
      // Where devices have memory of their own, a kernel that goes wrong does not end the process, but nothing else
      // runs in this context.
      if (error != CL_SUCCESS) return {Status::Died, said("clFinish", error)};
      const double seconds = since(begin);
      out.seconds = n == 0 ? seconds : std::min(out.seconds, seconds);
    }
    for (const auto& [object, given] : memory) {
      error = read_back(object, *given, out.buffers.emplace_back());
      if (error != CL_SUCCESS) return {Status::Died, said("clEnqueueReadBuffer or clEnqueueReadImage", error)};
    }
    return out;
  }

  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }
  static std::string said(const std::string& call, cl_int error) { return call + ": error " + std::to_string(error); }

  int to_;
  const Request& request_;
  Functions cl_;
  Chosen device_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

// --- the parent --------------------------------------------------------------------------------------------

// pocl's device of one core runs kernels on the stack of who asks for it, with the variables of a whole work-group,
// which is more than a thread of a pool has.
template <class Work>
void on_large_stack(Work work) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;  // which only those that use it take
  pthread_attr_t attributes;
  pthread_t thread{};
  const auto begin = [](void* to) -> void* {
    (*static_cast<Work*>(to))();
    return nullptr;
  };
  const bool made = ::pthread_attr_init(&attributes) == 0 && ::pthread_attr_setstacksize(&attributes, kBytes) == 0 &&
                    ::pthread_create(&thread, &attributes, begin, &work) == 0;
  if (made)
    ::pthread_join(thread, nullptr);
  else
    work();
}

// A child, the reading end of its pipe, and what it said on standard error.
class Running {
 public:
  template <class Work>
  Running(Runtime runtime, bool unset_values, bool all_cores, const std::string& cache, Work work)
      : words_(std::tmpfile()) {
    // No child holds the writing end of another one's pipe, whose end would then not be seen.
    static std::mutex one;
    const std::lock_guard lock(one);
    int ends[2] = {-1, -1};
    if (words_ == nullptr || ::pipe2(ends, O_CLOEXEC) != 0) return;
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);  // pocl starts a linker
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      constexpr rlimit kNone{};
      ::setrlimit(RLIMIT_CORE, &kNone);
      const int words = ::fileno(words_);
      ::dup2(words, STDOUT_FILENO);
      ::dup2(words, STDERR_FILENO);
      ::setenv("POCL_CACHE_DIR", cache.c_str(), 1);
      if (!all_cores) {
        ::setenv("POCL_DEVICES", "basic", 0);
        // Work-items one after the other in loops that are not made vectors: half the time of the compiler.
        ::setenv("POCL_WORK_GROUP_METHOD", "loops", 0);
      }
      if (runtime == Runtime::Simulator) {
        ::setenv("OCL_ICD_VENDORS", simulator(), 1);
        for (const char* check : {"OCLGRIND_DATA_RACES", "OCLGRIND_CHECK_API"}) ::setenv(check, "1", 1);
        if (unset_values) ::setenv("OCLGRIND_UNINITIALIZED", "1", 1);
      }
      on_large_stack([&] { work(ends[1]); });
      ::_exit(0);
    }
    ::close(ends[1]);
    from_ = ends[0];
  }
  ~Running() {
    if (pid_ > 0) kill();
    if (from_ >= 0) ::close(from_);
    if (words_ != nullptr) std::fclose(words_);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // What the child says next; or how it ended instead.
  Message next(double seconds) {
    if (pid_ <= 0) return {Status::Died, "no child process could be made"};
    const Limit limit{processor_seconds() + seconds, clock_seconds() + 10 * seconds};
    std::uint64_t length = 0;
    std::string bytes;
    Status status = receive(&length, sizeof(length), limit);
    if (status == Status::Ok) {
      bytes.resize(length);
      status = receive(bytes.data(), bytes.size(), limit);
    }
    if (status == Status::Ok) {
      if (auto message = unpack(bytes)) return std::move(*message);
      status = Status::Died;
    }
    const std::string how = status == Status::TimedOut ? std::to_string(static_cast<int>(seconds)) + " s" : wait();
    kill();
    return {status, how + last_words()};
  }

 private:
  struct Limit {
    double processor = 0, clock = 0;  // seconds
  };
  static double seconds_of(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }
  static double clock_seconds() { return seconds_of(CLOCK_MONOTONIC); }
  // Of the child, until now.
  double processor_seconds() const {
    clockid_t clock{};
    return ::clock_getcpuclockid(pid_, &clock) == 0 ? seconds_of(clock) : 0;
  }

  Status receive(void* to, std::size_t size, const Limit& limit) {
    constexpr int kMilliseconds = 100;  // between two looks at the time
    for (char* at = static_cast<char*>(to); size != 0;) {
      pollfd ready{from_, POLLIN, 0};
      if (::poll(&ready, 1, kMilliseconds) == 0) {
        if (processor_seconds() > limit.processor || clock_seconds() > limit.clock) return Status::TimedOut;
        continue;
      }
      const ssize_t got = ::read(from_, at, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Status::Died;
      at += got;
      size -= static_cast<std::size_t>(got);
    }
    return Status::Ok;
  }

  // The child has closed its end of the pipe: it has ended, or is about to.
  std::string wait() {
    int status = 0;
    if (::waitpid(std::exchange(pid_, -1), &status, 0) < 0) return "ended";
    if (WIFSIGNALED(status)) return std::string("signal ") + ::strsignal(WTERMSIG(status));
    return "exit status " + std::to_string(WEXITSTATUS(status));
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // where it has not come to make its group yet
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  std::string last_words() {
    const std::string words = words_of(::fileno(words_), 0, kLastWords);
    return words.empty() ? words : ": " + words;
  }

  std::FILE* words_;
  pid_t pid_ = -1;
  int from_ = -1;
};

}  // namespace

const char* status_name(Status status) {
  switch (status) {
    case Status::Ok: return "ok";
    case Status::BuildFailed: return "build failed";
    case Status::Refused: return "refused";
    case Status::Died: return "died";
    case Status::TimedOut: return "time limit";
  }
  return "";
}

Result run(const Request& request) {
  std::optional<TemporaryDirectory> own;
  const std::string& cache = request.cache.empty() ? own.emplace().path() : request.cache;
  Result out;
  do {
    Running child(request.runtime, request.unset_values, request.all_cores, cache,
                  [&](int to) { Child(to, request).work(out.launches.size()); });
    Message built = child.next(request.seconds);
    out.build = built.status;
    if (out.launches.empty()) out.build_seconds = built.seconds;
    (built.status == Status::Ok || built.status == Status::BuildFailed ? out.log : out.message) = built.text;
    if (built.status != Status::Ok) {
      out.launches.resize(request.launches.size(), {built.status, std::move(built.text)});
      return out;
    }
    bool alive = true;
    while (alive && out.launches.size() < request.launches.size()) {
      Message ran = child.next(request.seconds);
      alive = ran.status == Status::Ok || ran.status == Status::Refused;
      out.launches.push_back(
          {ran.status, std::move(ran.text), std::move(ran.buffers), ran.seconds, std::move(ran.said)});
    }
  } while (out.launches.size() < request.launches.size());
  return out;
}

namespace {
constexpr double kLooking = 60;  // seconds, for devices
}

Device find_device(Runtime runtime, const std::string& device, bool all_cores) {
  const TemporaryDirectory cache;
  Running child(runtime, true, all_cores, cache.path(), [&](int to) {
    Functions cl;
    std::string why = cl.load();
    Chosen chosen;
    cl_bitfield floats = 0;
    if (why.empty()) {
      chosen = choose_device(cl, device);
      why = chosen.missing;
    }
    if (why.empty()) cl.GetDeviceInfo(chosen.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(floats), &floats, nullptr);
    // A flag as a buffer that is there or not.
    send(to, {Status::Ok, std::move(why), std::vector<std::vector<std::byte>>(floats & CL_FP_DENORM), chosen.name});
  });
  const Message found = child.next(kLooking);
  Device out{found.text, found.said, !found.buffers.empty()};
  if (found.status != Status::Ok) out.missing = "OpenCL cannot be used: " + found.text;
  return out;
}

namespace {

std::string text_of(auto get, auto object, cl_uint what) {
  std::size_t size = 0;
  if (get(object, what, std::size_t{0}, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string out(size, '\0');
  if (get(object, what, size, out.data(), nullptr) != CL_SUCCESS) return {};
  out.resize(std::min(out.find('\0'), out.size()));
  return out;
}
template <class T>
T value_of(const Functions& cl, cl_device_id device, cl_uint what) {
  T out{};
  cl.GetDeviceInfo(device, what, sizeof(out), &out, nullptr);
  return out;
}
const char* type_name(cl_bitfield type) {
  constexpr cl_bitfield kCpu = 2, kGpu = 4, kAccelerator = 8;
  return (type & kGpu) != 0 ? "GPU" : (type & kCpu) != 0 ? "CPU" : (type & kAccelerator) != 0 ? "accelerator" : "other";
}

// A survey as the buffers of a message: strings, first those of a platform, then those of its devices.
using Strings = std::vector<std::vector<std::byte>>;
void add(Strings& to, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  to.emplace_back(bytes.begin(), bytes.end());
}

Strings survey_here(const Functions& cl) {
  Strings out;
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  cl.GetPlatformIDs(platforms.size(), platforms.data(), &count);
  for (const cl_platform_id platform : std::span(platforms).first(std::min<std::size_t>(count, platforms.size()))) {
    std::array<cl_device_id, 64> devices{};
    cl_uint there = 0;
    cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices.size(), devices.data(), &there);
    there = std::min<cl_uint>(there, devices.size());
    for (const cl_uint what : {CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_VERSION})
      add(out, text_of(cl.GetPlatformInfo, platform, what));
    add(out, std::to_string(there));
    for (const cl_device_id device : std::span(devices).first(there)) {
      add(out, text_of(cl.GetDeviceInfo, device, CL_DEVICE_NAME));
      add(out, type_name(value_of<cl_bitfield>(cl, device, CL_DEVICE_TYPE)));
      add(out, text_of(cl.GetDeviceInfo, device, CL_DEVICE_VERSION));
      add(out, std::to_string(value_of<cl_bitfield>(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0));
      add(out, std::to_string(value_of<cl_bool>(cl, device, CL_DEVICE_IMAGE_SUPPORT)));
      add(out, std::to_string(value_of<cl_uint>(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS)));
      add(out, std::to_string(value_of<std::uint64_t>(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE)));
      add(out, std::to_string(value_of<std::uint64_t>(cl, device, CL_DEVICE_LOCAL_MEM_SIZE)));
    }
  }
  return out;
}

std::vector<SurveyedPlatform> platforms_of(const Strings& strings) {
  std::size_t at = 0;
  const auto next = [&]() -> std::string {
    if (at == strings.size()) return {};
    const auto& bytes = strings[at++];
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  };
  const auto number = [&] {
    const std::string text = next();
    return std::strtoull(text.c_str(), nullptr, 10);
  };
  std::vector<SurveyedPlatform> out;
  while (at < strings.size()) {
    SurveyedPlatform& platform = out.emplace_back();
    for (std::string* const text : {&platform.name, &platform.vendor, &platform.version}) *text = next();
    for (std::uint64_t devices = number(); devices != 0 && at < strings.size(); --devices) {
      SurveyedDevice& device = platform.devices.emplace_back();
      for (std::string* const text : {&device.name, &device.type, &device.version}) *text = next();
      device.doubles = number() != 0;
      device.images = number() != 0;
      device.compute_units = static_cast<std::uint32_t>(number());
      device.memory = number();
      device.local_memory = number();
    }
  }
  return out;
}

}  // namespace

Survey survey(const std::vector<std::pair<std::string, std::string>>& variables) {
  const TemporaryDirectory cache;
  Running child(Runtime::Device, true, true, cache.path(), [&](int to) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    Functions cl;
    std::string why = cl.load();
    Strings found;
    if (why.empty()) found = survey_here(cl);
    send(to, {Status::Ok, std::move(why), std::move(found)});
  });
  const Message message = child.next(kLooking);
  if (message.status != Status::Ok) return {"OpenCL cannot be used: " + message.text, {}};
  return {message.text, platforms_of(message.buffers)};
}

}  // namespace amdcompat::opencl
