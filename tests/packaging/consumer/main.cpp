// The smallest real user of an installed amdcompat; the packaging tests build and run it.
#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/version.hpp>

#include <iostream>

int main() {
  amdcompat::Diagnostics diagnostics;
  const auto file = amdcompat::open(";ARGSTART:__OpenCL_scale_kernel\n"
                                    ";version:3:1:111\n"
                                    ";device:tahiti\n"
                                    ";value:factor:float:1:1:0\n"
                                    ";ARGEND:__OpenCL_scale_kernel\n",
                                    diagnostics);
  if (!file) return 1;
  const auto conversion = amdcompat::convert::to_metadata(file->program, diagnostics);
  std::cout << "amdcompat " << AMDCOMPAT_VERSION << '\n' << amdcompat::hsa::to_yaml(conversion.metadata);
}
