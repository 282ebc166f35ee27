#include "llvm_document.hpp"

#include <llvm/BinaryFormat/AMDGPUMetadataVerifier.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>

namespace amdcompat::bench {

bool llvm_reads(const std::string& msgpack, bool verify) {
  llvm::msgpack::Document document;
  if (!document.readFromBlob(msgpack, false)) return false;
  return !verify || llvm::AMDGPU::HSAMD::V3::MetadataVerifier(true).verify(document.getRoot());
}

}  // namespace amdcompat::bench
