// The smallest user of an installed amdcompat; the packaging tests build and run it.
#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/version.hpp>

#include <iostream>

int main() {
  amdcompat::Diagnostics diagnostics;
  diagnostics.set_file("consumer");
  diagnostics.report(amdcompat::Code::InternalError, {}, "no defect at all");
  const amdcompat::Device* device = amdcompat::find_device("tahiti");
  std::cout << "amdcompat " << AMDCOMPAT_VERSION << ' ' << (device != nullptr ? device->name : "?") << '\n'
            << amdcompat::render_text(diagnostics, {}, {});
}
