// What the environment asks of the layer. Read once, when the loader initialises it.
#pragma once

#include <cstdint>
#include <string>

namespace amdcompat::layer {

struct Settings {
  // AMDCOMPAT_OPENCL_LOG: a file that lines are added to, "-" for standard error; empty: no log.
  std::string log{};
  // AMDCOMPAT_OPENCL_CACHE: directory of lifted programs, "off" for none. Else amdcompat/opencl below
  // $XDG_CACHE_HOME or ~/.cache. Empty: none.
  std::string cache{};
  // AMDCOMPAT_OPENCL_CACHE_MIB: what the directory may hold.
  std::uint64_t cache_bytes = 64u << 20;
  // AMDCOMPAT_OPENCL_POSE: the old device that the chosen one answers like, as `amdcompat devices` names it;
  // empty: none.
  std::string pose{};
  // AMDCOMPAT_OPENCL_DEVICE: part of the name of the device that poses; empty: the first GPU, else the first one.
  std::string device{};
  // AMDCOMPAT_OPENCL_EXACT: denormal floats count as zeros where the machine code's mode says so.
  bool exact = false;
};

[[nodiscard]] Settings read_settings();

}  // namespace amdcompat::layer
