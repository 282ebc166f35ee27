// `opencl`: an old host program with the OpenCL layer, and what OpenCL offers here.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <runtime/runner.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Variables = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kLibrary = "libamdcompat-opencl.so";

// Beside this program as it is installed, or as it is built; AMDCOMPAT_OPENCL_LAYER names another one.
std::string find_layer() {
  if (const char* const asked = std::getenv("AMDCOMPAT_OPENCL_LAYER"); asked != nullptr && *asked != 0) return asked;
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& candidate :
       {here / AMDCOMPAT_LAYER_FROM_BIN / kLibrary, here.parent_path() / "opencl" / kLibrary})
    if (fs::exists(candidate, error)) return fs::weakly_canonical(candidate, error).string();
  return {};
}

// The loader cuts its list at colons, and so would a path with one.
std::string problem_of(const std::string& layer) {
  if (layer.empty())
    return fmt::format("{} is not there: install the package amdcompat-opencl, or name it by AMDCOMPAT_OPENCL_LAYER",
                       kLibrary);
  if (layer.find(':') != std::string::npos)
    return fmt::format("{}: a path with a colon, which the OpenCL loader takes for two", layer);
  if (::access(layer.c_str(), R_OK) != 0) return fmt::format("{}: {}", layer, std::strerror(errno));
  return {};
}

Variables variables_of(const OpenClOptions& options, const std::string& layer) {
  // The layer that is called first stands last; others of the user stay.
  const char* const others = std::getenv("OPENCL_LAYERS");
  const std::string all = others == nullptr || *others == 0 || std::string_view(others) == layer
                              ? layer
                              : fmt::format("{}:{}", layer, others);
  Variables out{{"OPENCL_LAYERS", all}};
  const auto set = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out.emplace_back(name, value);
  };
  set("AMDCOMPAT_OPENCL_POSE", options.pose);
  set("AMDCOMPAT_OPENCL_DEVICE", options.device);
  set("AMDCOMPAT_OPENCL_LOG", options.log);
  set("AMDCOMPAT_OPENCL_CACHE", options.cache);
  if (options.exact) set("AMDCOMPAT_OPENCL_EXACT", "1");
  return out;
}

// Whether the loader of this machine takes the layer: it then writes its first line.
bool is_active(const Variables& variables, opencl::Survey& survey) {
  const opencl::TemporaryDirectory directory;
  const std::string log = directory.path() + "/log";
  Variables with = variables;
  with.emplace_back("AMDCOMPAT_OPENCL_LOG", log);
  survey = opencl::survey(with);
  std::ifstream file(log);
  return file && file.peek() != std::ifstream::traits_type::eof();
}

std::string bytes_text(std::uint64_t bytes) {
  return bytes >> 30 != 0 ? fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30))
         : bytes >> 20 != 0 ? fmt::format("{} MiB", bytes >> 20)
                            : fmt::format("{} KiB", bytes >> 10);
}

int list(const OpenClOptions& options) {
  const std::string layer = find_layer();
  const std::string problem = problem_of(layer);
  opencl::Survey survey;
  const bool active = problem.empty() ? is_active(variables_of(options, layer), survey)
                                      : (survey = opencl::survey(), false);
  std::string why = problem;
  if (why.empty() && !active)
    why = survey.missing.empty() && !survey.platforms.empty()
              ? "the OpenCL loader does not load layers: ocl-icd 2.3 does"
              : "without a platform no layer is loaded";
  if (options.json) {
    Json platforms = Json::array();
    for (const opencl::SurveyedPlatform& platform : survey.platforms) {
      Json devices = Json::array();
      for (const opencl::SurveyedDevice& device : platform.devices)
        devices.push_back({{"name", device.name},
                           {"type", device.type},
                           {"version", device.version},
                           {"doubles", device.doubles},
                           {"images", device.images},
                           {"compute_units", device.compute_units},
                           {"memory", device.memory},
                           {"local_memory", device.local_memory}});
      platforms.push_back({{"name", platform.name},
                           {"vendor", platform.vendor},
                           {"version", platform.version},
                           {"devices", std::move(devices)}});
    }
    Json out{{"layer", layer}, {"active", active}};
    if (!active) out["reason"] = why;
    if (!survey.missing.empty()) out["missing"] = survey.missing;
    out["platforms"] = std::move(platforms);
    return write_stdout(out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n") ? kDone : kInputOutput;
  }
  std::string text = active ? fmt::format("layer: {}, active\n", layer) : fmt::format("layer: not active: {}\n", why);
  if (!survey.missing.empty()) text += fmt::format("OpenCL: {}\n", survey.missing);
  if (survey.missing.empty() && survey.platforms.empty())
    text += "OpenCL: no platform (pocl-opencl-icd has one for the CPU)\n";
  for (const opencl::SurveyedPlatform& platform : survey.platforms) {
    text += fmt::format("platform: {}, {}, {}\n", platform.name, platform.vendor, platform.version);
    for (const opencl::SurveyedDevice& device : platform.devices)
      text += fmt::format("  device: {}, {}, {}, {} compute units, {}, {} local{}{}\n", device.name, device.type,
                          device.version, device.compute_units, bytes_text(device.memory),
                          bytes_text(device.local_memory), device.doubles ? "" : ", no doubles",
                          device.images ? "" : ", no images");
  }
  return write_page(text) ? kDone : kInputOutput;
}

}  // namespace

int run_opencl(const OpenClOptions& options) {
  if (options.list) return list(options);
  if (options.host.empty()) {
    fmt::print(stderr, "amdcompat: opencl needs a program: amdcompat opencl -- HOST ARGS... (or --list)\n");
    return kUsage;
  }
  const std::string layer = find_layer();
  if (const std::string problem = problem_of(layer); !problem.empty()) {
    fmt::print(stderr, "amdcompat: {}\n", visible(problem));
    return kInputOutput;
  }
  for (const auto& [name, value] : variables_of(options, layer))
    if (::setenv(name.c_str(), value.c_str(), 1) != 0) return kInputOutput;
  std::vector<char*> arguments;
  std::vector<std::string> host = options.host;
  for (std::string& argument : host) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  ::execvp(arguments[0], arguments.data());
  fmt::print(stderr, "amdcompat: {}: {}\n", visible(options.host.front()), std::strerror(errno));
  return kInputOutput;
}

}  // namespace amdcompat::cli
