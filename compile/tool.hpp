// What a compiler is to the rest of this directory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/compile.hpp>

namespace amdcompat::compile {

class Compiler::Tool {
 public:
  Tool() = default;
  virtual ~Tool() = default;
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  std::string name;
  std::vector<std::string> targets;  // processors
  hsa::CodeObjectVersion first = hsa::CodeObjectVersion::V4, last = hsa::CodeObjectVersion::V5;

  // The settings are such as the tool can serve. From several threads at once.
  [[nodiscard]] virtual Result<std::string> compile(std::string_view source, const Settings& settings) const = 0;
};

// Refused with AC4500, as `Compiler::find`. `library` and `program` may be empty: the usual ones.
[[nodiscard]] Result<std::unique_ptr<Compiler::Tool>> find_comgr(const std::string& library);
[[nodiscard]] Result<std::unique_ptr<Compiler::Tool>> find_clang(const std::string& program);

// Puts the device libraries that comgr holds into a directory, as opencl.bc, ocml.bc and ockl.bc. False: it has none,
// or there is no comgr.
[[nodiscard]] bool unpack_device_libraries(const std::string& directory);

// The processor with its features, "gfx90a:sramecc+:xnack-", as compilers take it: features in the order of the
// alphabet. [S1 «Target ID»]
[[nodiscard]] std::string target_text(const hsa::TargetSpec& target);

// AC4502, with the first lines of what the compiler said.
[[nodiscard]] Diagnostic compiler_failed(std::string_view compiler, std::string_view why, std::string_view log);

}  // namespace amdcompat::compile
