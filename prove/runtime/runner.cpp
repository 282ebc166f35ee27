#include "runner.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "processes.hpp"
#include "requests.hpp"

namespace amdcompat::opencl {

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

namespace {

constexpr double kLooking = 60;  // seconds, for devices

// Of this process, while it is used.
class Lease {
 public:
  explicit Lease(bool wanted) : worker_(wanted ? take_worker() : nullptr) {}
  ~Lease() { give_back(std::move(worker_)); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  explicit operator bool() const { return worker_ != nullptr; }
  Worker& operator*() const { return *worker_; }

 private:
  std::unique_ptr<Worker> worker_;
};
bool takes_worker(Runtime runtime, const std::string& device, bool all_cores) {
  return runtime == Runtime::Device && device.empty() && !all_cores;
}

}  // namespace

Result run(const Request& request) {
  const Lease worker(takes_worker(request.runtime, request.device, request.all_cores));
  Result out;
  do {
    const std::size_t first = out.launches.size();
    std::optional<Running> child;
    if (worker) child.emplace(*worker, packed(request, first));
    if (!child || !child->began())
      child.emplace(request.runtime, request.unset_values, request.all_cores, [&](int to) {
        Ready ready;
        work(to, request, first, ready);
      });
    Message built = child->next(request.seconds);
    out.build = built.status;
    if (out.launches.empty()) out.build_seconds = built.seconds;
    (built.status == Status::Ok || built.status == Status::BuildFailed ? out.log : out.message) = built.text;
    if (built.status != Status::Ok) {
      out.launches.resize(request.launches.size(), {built.status, std::move(built.text)});
      return out;
    }
    bool alive = true;
    while (alive && out.launches.size() < request.launches.size()) {
      Message ran = child->next(request.seconds);
      alive = ran.status == Status::Ok || ran.status == Status::Refused;
      out.launches.push_back(
          {ran.status, std::move(ran.text), std::move(ran.buffers), ran.seconds, std::move(ran.said)});
    }
  } while (out.launches.size() < request.launches.size());
  return out;
}

Device find_device(Runtime runtime, const std::string& device, bool all_cores) {
  if (const Lease worker(takes_worker(runtime, device, all_cores)); worker) return (*worker).device();
  Running child(runtime, true, all_cores, [&](int to) {
    Functions cl;
    std::string why = cl.load();
    Chosen chosen;
    if (why.empty()) {
      chosen = choose_device(cl, device);
      why = chosen.missing;
    }
    send(to, message_of(cl, chosen, why));
  });
  const Message found = child.next(kLooking);
  Device out = device_of(found);
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
  Running child(Runtime::Device, true, true, [&](int to) {
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
