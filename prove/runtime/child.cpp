#include "child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <span>
#include <utility>

#include <dlfcn.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace amdcompat::opencl {

std::string Functions::load() {
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
      if (best || (wanted.empty() && out.device == nullptr)) out = {platform, device, name, platform_name == kPocl, {}};
      if (best) return out;
    }
  }
  if (out.device == nullptr) out.missing = wanted.empty() ? "no OpenCL device" : "no OpenCL device '" + wanted + "'";
  return out;
}

namespace {

std::string said(const std::string& call, cl_int error) { return call + ": error " + std::to_string(error); }

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

}  // namespace

std::string Ready::prepare(const std::string& wanted) {
  if (std::string missing = cl.load(); !missing.empty()) return missing;
  device = choose_device(cl, wanted);
  if (device.device == nullptr) return device.missing;
  cl_int error = 0;
  context = cl.CreateContext(nullptr, 1, &device.device, nullptr, nullptr, &error);
  return error == CL_SUCCESS ? std::string() : said("clCreateContext", error);
}

Message message_of(const Functions& cl, const Chosen& chosen, const std::string& why) {
  cl_bitfield floats = 0;
  if (why.empty()) cl.GetDeviceInfo(chosen.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(floats), &floats, nullptr);
  // A flag as a buffer that is there or not.
  return {Status::Ok, why, std::vector<std::vector<std::byte>>((floats & CL_FP_DENORM) != 0 ? 1 : 0), chosen.name};
}
Device device_of(const Message& message) { return {message.text, message.said, !message.buffers.empty()}; }

std::string words_of(int file, off_t from, off_t most) {
  struct stat about = {};
  if (::fstat(file, &about) != 0) return {};
  from = std::max(from, about.st_size - most);
  std::string out(static_cast<std::size_t>(std::max<off_t>(about.st_size - from, 0)), '\0');
  const ssize_t got = ::pread(file, out.data(), out.size(), from);
  out.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return out;
}

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

namespace {

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

// Those of the heap from now on, but for small ones that were used before, which pocl has no local memory in.
void fill_new_blocks(std::uint8_t byte) {
#ifdef __GLIBC__
  constexpr int kByte = 0xff;
  // The complement of what new blocks get.
  ::mallopt(M_PERTURB, byte ^ kByte);
#else
  static_cast<void>(byte);
#endif
}

constexpr off_t kPrinted = off_t{1} << 20;  // bytes, of a launch, which may print

class Child {
 public:
  Child(int to, const Request& request, Ready& ready)
      : to_(to), request_(request), ready_(ready), cl_(ready.cl), context_(ready.context) {}

  // Everything from launch `first` on.
  void work(std::size_t first) {
    if (!build()) return;
    fill_new_blocks(request_.unset_local);
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
    if (context_ == nullptr)
      if (const std::string missing = ready_.prepare(request_.device); !missing.empty())
        return failed(Status::Refused, missing);
    const cl_device_id device = ready_.device.device;
    cl_int error = 0;
    queue_ = cl_.CreateCommandQueue(context_, device, 0, &error);
    if (error != CL_SUCCESS) return failed(Status::Refused, said("clCreateCommandQueue", error));
    const Clock::time_point begin = Clock::now();
    std::string shorter;
    if (!request_.as_hosts_build) shorter = ready_.declarations.before(request_.source, request_.options);
    bool built = !shorter.empty() && compile(shorter, Declarations::kOption, error);
    if (!built) built = compile(request_.source, {}, error);
    const double seconds = since(begin);
    if (program_ == nullptr) return failed(Status::Refused, said("clCreateProgramWithSource", error));
    std::size_t size = 0;
    cl_.GetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    cl_.GetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    send(to_, {built ? Status::Ok : Status::BuildFailed, std::move(log), {}, {}, seconds});
    return built;
  }
  // The program of `source`, with more options than were asked for; `error`: of making it, not of building it.
  bool compile(const std::string& source, std::string_view more, cl_int& error) {
    if (program_ != nullptr) cl_.ReleaseProgram(program_);
    const char* text = source.data();
    const std::size_t length = source.size();
    program_ = cl_.CreateProgramWithSource(context_, 1, &text, &length, &error);
    if (program_ == nullptr) return false;
    std::string options = request_.options;
    options += more;
    const cl_device_id device = ready_.device.device;
    if (rounds_when_told(cl_, device)) options += " -cl-fp32-correctly-rounded-divide-sqrt";
    return cl_.BuildProgram(program_, 1, &device, options.c_str(), nullptr, nullptr) == CL_SUCCESS;
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

  int to_;
  const Request& request_;
  Ready& ready_;
  const Functions& cl_;
  const cl_context& context_;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

}  // namespace

void work(int to, const Request& request, std::size_t first, Ready& ready) { Child(to, request, ready).work(first); }

}  // namespace amdcompat::opencl
