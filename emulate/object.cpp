// The state in which a runtime of today starts a kernel: what the descriptor enables, in its order. [S1 «Initial Kernel
// Execution State»]
#include <algorithm>

#include <fmt/format.h>

#include "opcode.hpp"

namespace amdcompat::emulate {

std::optional<Gfx> gfx_of(const Target& target) {
  const auto generation = hsa::generation_of(target);
  if (generation == hsa::Generation::Gfx6) return Gfx::Gfx6;
  if (generation == hsa::Generation::Gfx7) return Gfx::Gfx7;
  if (generation == hsa::Generation::Gfx8) return Gfx::Gfx8;
  return std::nullopt;
}

Result<Launch> object_launch(const hsa::CodeObject& object, std::size_t kernel, std::uint64_t kernarg_address,
                             std::uint64_t lds_bytes, Memory& memory, std::uint64_t base) {
  const auto refuse = [](std::string why) {
    return std::unexpected(make_diagnostic(Code::EmulateLaunch, {}, std::move(why)));
  };
  if (kernel >= object.kernels.size() || !object.kernels[kernel].descriptor) return refuse("no kernel descriptor");
  const hsa::CodeKernel& from = object.kernels[kernel];
  const hsa::KernelDescriptor& descriptor = *from.descriptor;
  const std::optional<Gfx> gfx = object.target == nullptr ? std::nullopt : gfx_of(*object.target);
  if (!gfx) return refuse("code of this target is not executed here");
  if (!object.code.relocations.empty()) return refuse("code with relocations is not loaded here");
  if (from.code.section >= object.code.sections.size()) return refuse("the kernel has no code");
  if (descriptor.private_segment_fixed_size != 0 || (descriptor.rsrc2 & 1) != 0)
    return refuse("the code uses scratch memory, which is not provided");
  if (lds_bytes > 65'536) return refuse(fmt::format("{} bytes of local memory", lds_bytes));
  for (const CodeSection& section : object.code.sections) {
    std::vector<std::byte> bytes = section.bytes;
    if (section.zero_bytes > (std::uint64_t{1} << 30)) return refuse("a section of more than a gigabyte");
    bytes.resize(bytes.size() + section.zero_bytes);
    if (!bytes.empty() && !memory.map(base + section.address, std::move(bytes), section.name))
      return refuse(fmt::format("no place for section {}", section.name));
  }
  Launch launch;
  launch.gfx = *gfx;
  const CodeSection& text = object.code.sections[from.code.section];
  launch.code = text.bytes;
  launch.entry = static_cast<u32>(std::min<u64>(from.code.offset, ~u32{0}));
  launch.code_address = base + text.address;

  constexpr std::array<std::pair<u16, u32>, 7> kUser{{{kSgprPrivateBuffer, 4},
                                                      {kSgprDispatchPtr, 2},
                                                      {kSgprQueuePtr, 2},
                                                      {kSgprKernargPtr, 2},
                                                      {kSgprDispatchId, 2},
                                                      {kSgprFlatScratch, 2},
                                                      {kSgprPrivateSize, 1}}};
  for (const auto& [bit, count] : kUser) {
    if ((descriptor.properties & bit) == 0) continue;
    const std::size_t first = launch.user_sgprs.size();
    launch.user_sgprs.resize(first + count);
    if (bit != kSgprKernargPtr) continue;
    launch.user_sgprs[first] = static_cast<u32>(kernarg_address);
    launch.user_sgprs[first + 1] = static_cast<u32>(kernarg_address >> 32);
  }
  if (launch.user_sgprs.size() != (descriptor.rsrc2 >> 1 & 31))
    return refuse(fmt::format("{} user registers are enabled, and rsrc2 counts {}", launch.user_sgprs.size(),
                              descriptor.rsrc2 >> 1 & 31));
  for (u32 d = 0; d < 3; ++d) launch.group_id[d] = (descriptor.rsrc2 >> (7 + d) & 1) != 0;
  launch.group_info = (descriptor.rsrc2 >> 10 & 1) != 0;
  launch.local_ids = std::min(descriptor.rsrc2 >> 11 & 3, 2u);
  const hsa::RegisterLimits limits = hsa::register_limits(descriptor.rsrc1, *hsa::generation_of(*object.target), false);
  launch.sgprs = std::min(limits.sgprs, 104u);
  launch.vgprs = std::clamp(limits.vgprs, 1u, 256u);
  launch.lds_bytes = static_cast<u32>(lds_bytes);
  launch.float_mode = static_cast<u8>(descriptor.rsrc1 >> 12 & 0xff);
  launch.dx10_clamp = (descriptor.rsrc1 >> 21 & 1) != 0;
  return launch;
}

}  // namespace amdcompat::emulate
