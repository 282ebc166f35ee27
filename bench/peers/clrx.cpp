#include "clrx.hpp"

#include <exception>
#include <memory>

#include <CLRX/amdbin/AmdBinaries.h>
#include <CLRX/amdbin/AmdCL2Binaries.h>

namespace amdcompat::bench {

std::size_t clrx_kernels(std::string& file, ClrxDepth depth) {
  auto* const bytes = reinterpret_cast<unsigned char*>(file.data());
  const CLRX::Flags flags = depth == ClrxDepth::Kernels ? CLRX::AMDBIN_CREATE_KERNELINFO : CLRX::AMDBIN_CREATE_ALL;
  try {
    std::unique_ptr<CLRX::AmdMainBinaryBase> binary;
    if (CLRX::isAmdCL2Binary(file.size(), bytes))
      binary.reset(CLRX::createAmdCL2BinaryFromCode(file.size(), bytes, flags));
    else
      binary.reset(CLRX::createAmdBinaryFromCode(file.size(), bytes, flags));
    return binary->getKernelInfosNum();
  } catch (const std::exception&) {
    return 0;
  }
}

}  // namespace amdcompat::bench
