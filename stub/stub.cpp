#include <amdcompat/stub.hpp>

#include <algorithm>

#include "arguments.hpp"

namespace amdcompat::stub {

std::string_view api_name(Api api) {
  constexpr std::string_view kNames[] = {"opencl", "hip", "hsa"};
  return kNames[static_cast<std::size_t>(api)];
}

std::optional<Api> find_api(std::string_view name) {
  const auto* const found = std::ranges::find(kApis, name, api_name);
  return found == std::end(kApis) ? std::nullopt : std::optional(*found);
}

std::vector<LeftOut> left_out(const hsa::Metadata& metadata, const Options& options) {
  std::vector<LeftOut> out;
  for (const HostKernel& kernel : kernels_of(metadata, options))
    if (!kernel.missing.empty()) out.push_back({kernel.name, kernel.missing});
  return out;
}

std::string host_program(const hsa::Metadata& metadata, const Options& options) {
  const std::vector<HostKernel> kernels = kernels_of(metadata, options);
  switch (options.api) {
    case Api::OpenCl: return opencl_program(kernels, options);
    case Api::Hip: return hip_program(kernels, options);
    case Api::Hsa: return hsa_program(kernels, options);
  }
  return {};
}

}  // namespace amdcompat::stub
