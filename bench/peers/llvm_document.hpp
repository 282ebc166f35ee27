// LLVM's reader of MessagePack metadata, in a file of its own because its headers are built without RTTI.
#pragma once

#include <string>

namespace amdcompat::bench {

// Reads the document into LLVM's own; `verify`: as its metadata verifier does too. Whether that went well.
[[nodiscard]] bool llvm_reads(const std::string& msgpack, bool verify);

}  // namespace amdcompat::bench
