// Writing an opened CL2 container again, byte for byte.
#include <amdcompat/cl2.hpp>

#include "bytes.hpp"
#include "elf_image.hpp"
#include "inner.hpp"

namespace amdcompat::cl2 {

std::vector<std::byte> write(const Binary& binary) {
  std::vector<std::byte> out(binary.bytes.size());
  for (const SourceRange gap : binary.elf.gaps) put_bytes(out, gap.begin, binary.view(gap));
  for (const elf::Section& section : binary.elf.sections)
    put_bytes(out, section.contents.begin, binary.view(section.contents));
  for (const Kernel& kernel : binary.kernels) {
    if (kernel.metadata) {
      const std::vector<std::byte> metadata = write_metadata(*kernel.metadata);
      if (metadata.size() == kernel.metadata_bytes.size) put_bytes(out, kernel.metadata_bytes.begin, metadata);
    }
    if (kernel.setup) put_bytes(out, kernel.setup_bytes.begin, write_kernel_code(*kernel.setup));
  }
  if (binary.inner) put_inner(out, *binary.inner);
  put_elf(out, binary.elf);
  return out;
}

}  // namespace amdcompat::cl2
