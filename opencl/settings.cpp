#include "settings.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace amdcompat::layer {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string cache_directory() {
  std::string asked = variable("AMDCOMPAT_OPENCL_CACHE");
  if (asked == "off") return {};
  if (!asked.empty()) return asked;
  // Relative paths in it are invalid. (XDG Base Directory Specification)
  if (const std::string base = variable("XDG_CACHE_HOME"); base.starts_with('/')) return base + "/amdcompat/opencl";
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache/amdcompat/opencl";
  return {};
}

}  // namespace

Settings read_settings() {
  Settings out;
  out.log = variable("AMDCOMPAT_OPENCL_LOG");
  out.cache = cache_directory();
  const std::string size = variable("AMDCOMPAT_OPENCL_CACHE_MIB");
  if (std::uint32_t mib = 0; std::from_chars(size.data(), size.data() + size.size(), mib).ec == std::errc())
    out.cache_bytes = static_cast<std::uint64_t>(mib) << 20;
  out.pose = variable("AMDCOMPAT_OPENCL_POSE");
  out.device = variable("AMDCOMPAT_OPENCL_DEVICE");
  const std::string exact = variable("AMDCOMPAT_OPENCL_EXACT");
  out.exact = !exact.empty() && exact != "0";
  return out;
}

}  // namespace amdcompat::layer
