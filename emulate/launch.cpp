// The state in which a runtime starts a kernel. Of those with an argument block: what the descriptor, or the
// `amd_kernel_code_t`, enables, in its order. [S1 «Initial Kernel Execution State»]
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/launch_image.hpp>

#include "cal.hpp"
#include "wave.hpp"

namespace amdcompat::emulate {

namespace {

// What the two forms of a kernel's start-up data have in common.
struct Start {
  const MachineCode& code;
  CodePlace place;  // of the kernel's entry
  u32 rsrc1 = 0, rsrc2 = 0;
  u16 user_registers = 0;
  u64 private_bytes = 0;
  u32 scratch_element = 1;  // as descriptors say it
  const Target* target = nullptr;  // of `code`, not a VLIW one
  std::span<const SamplerObject> handles{};  // 8 bytes each that a driver fills
  bool trap_handler = true;  // which ROCm's runtime installs for every queue
};

Start start_of(const MachineCode& code, const CodePlace& place, const KernelCode& s, const Target& target) {
  return {code, place, s.rsrc1, s.rsrc2, s.user_registers, s.private_bytes, u32{s.features} >> 1 & 3, &target, {}};
}
Start start_of(const MachineCode& code, const CodePlace& place, const hsa::KernelDescriptor& d, const Target& target) {
  return {code, place, d.rsrc1, d.rsrc2, d.properties, d.private_segment_fixed_size, 1, &target, {}};
}

std::unexpected<Diagnostic> refuse(std::string why) {
  return std::unexpected(make_diagnostic(Code::EmulateLaunch, {}, std::move(why)));
}

// The address that a relocation stands for, with the sections at `base`.
std::optional<u64> target_of(const MachineCode& code, const CodeRelocation& relocation, u64 base) {
  std::size_t section = relocation.target;
  u64 offset = static_cast<u64>(relocation.addend);
  if (relocation.symbol) {
    if (*relocation.symbol >= code.symbols.size() || !code.symbols[*relocation.symbol].place) return std::nullopt;
    section = code.symbols[*relocation.symbol].place->section;
    offset += code.symbols[*relocation.symbol].place->offset;
  }
  if (section >= code.sections.size()) return std::nullopt;
  return base + code.sections[section].address + offset;
}

// Sets what a loader sets. [LU «Relocation Records»: S + A]
std::string relocate(const MachineCode& code, u64 base, std::vector<std::vector<std::byte>>& bytes) {
  for (const CodeRelocation& relocation : code.relocations) {
    const std::optional<u64> target = target_of(code, relocation, base);
    if (!target) return "code that refers to something that is not in the file";
    u64 value = *target;
    u32 size = 4;
    switch (relocation.type) {
      case hsa::kRelocationAbs32Low:
      case hsa::kRelocationAbs32: break;
      case hsa::kRelocationAbs32High: value >>= 32; break;
      case hsa::kRelocationAbs64:
      case hsa::kRelocationRelative64: size = 8; break;
      default: return fmt::format("a relocation of type {}", relocation.type);
    }
    const CodePlace& where = relocation.where;
    if (where.section >= bytes.size() || where.offset > bytes[where.section].size() ||
        size > bytes[where.section].size() - where.offset)
      return "a relocation outside of its section";
    for (u32 n = 0; n < size; ++n)
      bytes[where.section][where.offset + n] = static_cast<std::byte>(value >> (8 * n) & 255);
  }
  return {};
}

constexpr u64 kHandle = 8;  // bytes

// Maps a section without the handles of samplers in it.
bool map_around_handles(const Start& start, const CodeSection& section, u64 address, std::vector<std::byte> bytes,
                        Memory& memory) {
  std::vector<u64> handles;
  for (const SamplerObject& handle : start.handles)
    if (handle.section == section.name && handle.offset < bytes.size()) handles.push_back(handle.offset);
  if (handles.empty()) return bytes.empty() || memory.map(address, std::move(bytes), section.name);
  std::ranges::sort(handles);
  handles.push_back(bytes.size());
  u64 begin = 0;
  for (const u64 end : handles) {
    if (begin < end && !memory.map(address + begin,
                                   {bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                                    bytes.begin() + static_cast<std::ptrdiff_t>(end)},
                                   section.name))
      return false;
    begin = std::max(begin, end + kHandle);
  }
  return true;
}

// The words of user registers; empty: they are poisoned. [S2 «Initial Kernel Register State», «Flat scratch»]
std::vector<u32> user_values(std::uint16_t mask, const ObjectBindings& bindings, const Launch& launch, u32 element) {
  const auto address = [](u64 value) {
    return value == 0 ? std::vector<u32>() : std::vector<u32>{low_half(value), high_half(value)};
  };
  switch (mask) {
    case kSgprKernargPtr: return address(bindings.kernarg);
    case kSgprDispatchPtr: return address(bindings.packet);
    case kSgprQueuePtr: return address(bindings.queue);
    default: break;
  }
  if (launch.scratch_bytes == 0) return {};
  switch (mask) {
    case kSgprPrivateBuffer: {
      // GFX9 has no other elements than those of 4 bytes, and no bits that say so. [VEGA: «Buffer Resource Descriptor»]
      const std::array<u32, 4> words =
          scratch_words(launch.scratch_bytes, launch.gfx >= gcn::Generation::Gfx9 ? 0 : element);
      return {words.begin(), words.end()};
    }
    case kSgprFlatScratch:
      if (launch.gfx >= gcn::Generation::Gfx9) return address(kScratchAddress);
      return {0, launch.scratch_bytes};
    case kSgprPrivateSize: return {launch.scratch_bytes};
    default: return {};
  }
}
// What a loader does with samplers: each gets an object from `at` on, of which the first words are its descriptor, and
// its handle is the object's address.
bool load_samplers(const Start& start, std::vector<std::vector<std::byte>>& sections, u64 at, Memory& memory) {
  constexpr std::size_t kObject = 32;  // bytes
  std::vector<std::byte> objects(kObject * start.handles.size());
  for (std::size_t n = 0; n < start.handles.size(); ++n) {
    const SamplerObject& sampler = start.handles[n];
    const auto words = abi::sampler_descriptor(abi::sampler_word(sampler));
    std::memcpy(objects.data() + n * kObject, words.data(), sizeof words);
    const u64 handle = at + n * kObject;
    for (std::size_t section = 0; section < sections.size(); ++section)
      if (start.code.sections[section].name == sampler.section && sections[section].size() >= kHandle &&
          sampler.offset <= sections[section].size() - kHandle)
        std::memcpy(sections[section].data() + sampler.offset, &handle, kHandle);
  }
  return objects.empty() || memory.map(at, std::move(objects), "sampler objects");
}

Result<Launch> launch_of(const Start& start, const ObjectBindings& bindings, u64 lds_bytes, Memory& memory, u64 base) {
  const auto& sections = start.code.sections;
  const auto gfx = runnable(*start.target);
  if (!gfx) return refuse("code of this target is not executed here");
  if (start.place.section >= sections.size()) return refuse("the kernel has no code");
  if (start.private_bytes > kMostScratchBytes)
    return refuse(fmt::format("{} bytes of scratch memory for a work-item", start.private_bytes));
  if (const std::string what = unmodelled(start.rsrc1, start.rsrc2); !what.empty()) return refuse(what);
  if ((start.user_registers & hsa::kPropertyWave32) != 0) return refuse("wavefronts of 32 lanes");
  if ((start.user_registers & hsa::kPropertyDynamicStack) != 0) return refuse("a stack, whose size nothing says");
  if (lds_bytes > 65'536) return refuse(fmt::format("{} bytes of local memory", lds_bytes));
  constexpr u64 kMostZeros = u64{1} << 26;
  u64 zeros = 0;
  std::vector<std::vector<std::byte>> bytes;
  for (const CodeSection& section : sections) {
    if (section.zero_bytes > kMostZeros - zeros) return refuse("more than 64 MiB of zeros");
    zeros += section.zero_bytes;
    bytes.push_back(section.bytes);
    bytes.back().resize(section.bytes.size() + section.zero_bytes);
  }
  if (const std::string problem = relocate(start.code, base, bytes); !problem.empty()) return refuse(problem);
  Start mapped = start;
  if (bindings.samplers != 0) {
    if (!load_samplers(start, bytes, bindings.samplers, memory)) return refuse("no place for the objects of samplers");
    mapped.handles = {};
  }
  for (std::size_t n = 0; n < sections.size(); ++n)
    if (!map_around_handles(mapped, sections[n], base + sections[n].address, std::move(bytes[n]), memory))
      return refuse(fmt::format("no place for section {}", sections[n].name));
  Launch launch;
  launch.gfx = *gfx;
  launch.target = start.target;
  const CodeSection& text = sections[start.place.section];
  launch.code = memory.view(base + text.address, text.bytes.size());
  if (launch.code.empty()) return refuse("the kernel has no code");
  launch.entry = static_cast<u32>(std::min<u64>(start.place.offset, ~u32{0}));
  launch.code_address = base + text.address;
  launch.scratch_bytes = static_cast<u32>((start.private_bytes + 3) / 4 * 4);
  if (const auto apertures = memory.view(bindings.queue + abi::kQueueApertures, 8); !apertures.empty()) {
    std::memcpy(&launch.local_aperture, apertures.data(), 4);
    std::memcpy(&launch.scratch_aperture, apertures.data() + 4, 4);
  }

  for (const UserRegister& row : user_register_table()) {
    if ((start.user_registers & row.mask) == 0) continue;
    const std::size_t first = launch.user_sgprs.size();
    launch.user_sgprs.resize(first + row.count);
    std::ranges::copy(user_values(row.mask, bindings, launch, start.scratch_element),
                      std::span(launch.user_sgprs).subspan(first).begin());
  }
  // Work-group ids follow the number that is stated, which some compilers made larger than what they enabled.
  const u32 count = start.rsrc2 >> 1 & 31;
  if (launch.user_sgprs.size() > count)
    return refuse(fmt::format("{} user registers are enabled, and rsrc2 counts {}", launch.user_sgprs.size(), count));
  launch.user_sgprs.resize(count);
  for (u32 d = 0; d < 3; ++d) launch.group_id[d] = (start.rsrc2 >> (7 + d) & 1) != 0;
  launch.group_info = (start.rsrc2 >> 10 & 1) != 0;
  launch.scratch_offset = (start.rsrc2 & 1) != 0;
  launch.local_ids = start.rsrc2 >> 11 & 3;
  const hsa::RegisterLimits limits = hsa::register_limits(start.rsrc1, *start.target, false);
  launch.sgprs = gcn::allocated_scalars(limits.sgprs, *gfx);
  launch.vgprs = std::clamp(limits.vgprs, 1u, 256u);
  launch.lds_bytes = static_cast<u32>(lds_bytes);
  launch.float_mode = static_cast<u8>(start.rsrc1 >> 12 & 0xff);
  launch.dx10_clamp = (start.rsrc1 >> 21 & 1) != 0;
  launch.trap_handler = start.trap_handler;
  launch.ieee = (start.rsrc1 >> 23 & 1) != 0;
  return launch;
}

}  // namespace

std::array<u32, 4> scratch_words(u32 bytes_of_item, u32 element) {
  constexpr u64 kMostWaves = 16;  // of a work-group
  return abi::scratch_descriptor(kScratchAddress, static_cast<u32>(kMostWaves * scratch_bytes_of_wave(bytes_of_item)),
                                 element);
}

// Those that the command processor fills must be 0. [S1 «Code Object V3 Kernel Descriptor»; reference 05 §2]
std::string unmodelled(std::uint32_t rsrc1, std::uint32_t rsrc2) {
  if ((rsrc1 >> 20 & 1) != 0) return "privileged mode";
  if ((rsrc1 >> 22 & 1) != 0) return "debug mode";
  if ((rsrc1 >> 24 & 1) != 0) return "a work-group that has a compute unit alone";
  if (rsrc1 >> 26 != 0) return fmt::format("reserved bits of rsrc1, 0x{:08x}", rsrc1);
  if ((rsrc2 >> 11 & 3) == 3) return "a number of work-item ids that is not defined";
  if ((rsrc2 >> 13 & 3) != 0 || (rsrc2 >> 24 & 0x7f) != 0) return "exceptions, which are not modelled";
  if (rsrc2 >> 31 != 0) return fmt::format("reserved bits of rsrc2, 0x{:08x}", rsrc2);
  return {};
}

Result<Launch> object_launch(const hsa::CodeObject& object, std::size_t kernel, const ObjectBindings& bindings,
                             std::uint64_t lds_bytes, Memory& memory, std::uint64_t base) {
  if (object.target == nullptr || !object.target->generation) return refuse("code of this target is not executed here");
  if (kernel >= object.kernels.size()) return refuse("no such kernel");
  const hsa::CodeKernel& from = object.kernels[kernel];
  if (from.descriptor)
    return launch_of(start_of(object.code, from.code, *from.descriptor, *object.target), bindings, lds_bytes, memory,
                     base);
  if (!from.legacy) return refuse("no kernel descriptor");
  return launch_of(start_of(object.code, from.code, *from.legacy, *object.target), bindings, lds_bytes, memory, base);
}

Result<Launch> kernel_launch(const amdcompat::Program& program, std::size_t kernel, const Bindings& bindings,
                             std::uint64_t lds_bytes, Memory& memory, std::uint64_t base) {
  if (kernel >= program.kernels.size()) return refuse("no such kernel");
  const Kernel& from = program.kernels[kernel];
  if (program.target == nullptr || !program.target->generation)
    return refuse("code of this device is not executed here");
  if (!from.code) return refuse("the kernel has no machine code in this file");
  const auto* const addresses = std::get_if<ObjectBindings>(&bindings);
  if (const auto* const state = std::get_if<cl1::CalState>(&from.entry)) {
    const auto* const descriptors = std::get_if<CalBindings>(&bindings);
    if (descriptors == nullptr) return refuse("the kernel is started with descriptors, not with an argument block");
    const auto gfx = runnable(*program.target);
    if (!gfx) return refuse("code of this device is not executed here");
    return cal_launch(kernel_code(program, from), *state, *gfx, *descriptors, lds_bytes, from.segments.hardware_region,
                      memory);
  }
  if (addresses == nullptr) return refuse("the kernel is started with an argument block, not with descriptors");
  const auto launch = [&](const auto& state) {
    Start start = start_of(program.code, *from.code, state, *program.target);
    start.handles = program.samplers;
    start.trap_handler = program.family != Family::Cl2;
    return launch_of(start, *addresses, lds_bytes, memory, base);
  };
  if (const auto* const setup = std::get_if<KernelCode>(&from.entry)) return launch(*setup);
  if (const auto* const descriptor = std::get_if<hsa::KernelDescriptor>(&from.entry)) return launch(*descriptor);
  return refuse("the file does not say how the kernel is started");
}

}  // namespace amdcompat::emulate
