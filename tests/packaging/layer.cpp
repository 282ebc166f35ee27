// A shared object that uses the library inside, through both interfaces, and offers one function of its own: what an
// OpenCL layer is to its loader.
#include <amdcompat/amdcompat.h>

#include <cstddef>
#include <string>

#include <amdcompat/convert.hpp>
#include <amdcompat/emulate.hpp>
#include <amdcompat/launch_image.hpp>
#include <amdcompat/open.hpp>

extern "C" __attribute__((visibility("default"))) std::size_t layer_findings(const char* bytes, std::size_t size) {
  amdcompat::Diagnostics diagnostics;
  const auto file = amdcompat::open(std::string(bytes, size), diagnostics);
  return diagnostics.all().size() + (file ? 1 : 0) + amdcompat_c_version();
}
