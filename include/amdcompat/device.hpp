// Devices that Catalyst compilers targeted, and the LLVM targets that run their code today.
// Sources: [RT14 elf.hpp, target_mappings] for e_machine, [CLRX AmdBinaries] for inner codes, [ELFH] for MACH,
// [S1 Processors] and [RC device.cpp] for names; where they differ the row says which. Keys: docs/sources.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <amdcompat/export.h>

namespace amdcompat {

// Instruction set family of a device. VLIW devices convert to metadata only.
enum class Isa : std::uint8_t { Vliw5, Vliw4, Gcn1_0, Gcn1_1, Gcn1_2, Gcn1_4 };

struct Device {
  std::string_view name;                       // lower-case Catalyst name, as `;device:` prints it
  std::uint16_t e_machine = 0;                 // outer CL1 ELF: 1001 + CALtarget
  std::optional<std::uint32_t> inner_machine;  // `machine` of the CAL encoding dictionary; absent: not known
  Isa isa = Isa::Gcn1_0;
  std::string_view target;                     // default LLVM target ("gfx601"); empty where LLVM has none
  std::string_view alternative;                // other target that sources give ("gfx601" for oland), or empty
  std::string_view source;                     // where the row comes from
  std::string_view remark;                     // why this default, or with whom e_machine is shared; may be empty
};

// Generations of GCN and RDNA processors: those of one have their machine code encoded alike.
enum class Generation : std::uint8_t { Gfx6, Gfx7, Gfx8, Gfx9, Gfx10_1, Gfx10_3, Gfx11, Gfx12 };

// Another name of a device: boards, APU code names, LLVM and Linux spellings.
struct DeviceAlias {
  std::string_view alias;   // lower case
  std::string_view device;  // a `Device::name`
  std::string_view source;
};

struct Target {
  std::string_view name;    // "gfx601"
  std::uint8_t mach = 0;    // EF_AMDGPU_MACH, low byte of e_flags
  bool xnack = false;       // the target can have XNACK
  bool sramecc = false;     // the target can have SRAM-ECC
  std::uint8_t generic = 0; // version of a generic target (V6 e_flags bits 24-31); 0: not a generic one
  std::optional<Generation> generation{};  // absent: VLIW
  // gfx90a and gfx940 to gfx950: accumulation registers stand in one file with the others. They count as gfx9, but
  // their descriptors have bits of their own, and so have their memory and matrix instructions. [LU]
  bool unified_registers = false;
};

// In the order of CALtarget. Two rows share an e_machine where AMD's CAL had one target for two devices; the row
// that `find_device_by_machine` answers comes first.
[[nodiscard]] AMDCOMPAT_API std::span<const Device> all_devices();
[[nodiscard]] AMDCOMPAT_API std::span<const DeviceAlias> all_device_aliases();
// In ascending order of MACH.
[[nodiscard]] AMDCOMPAT_API std::span<const Target> all_targets();
// Lower-case name, or one of the known aliases ("verde"); null when unknown.
[[nodiscard]] AMDCOMPAT_API const Device* find_device(std::string_view name);
// By the outer e_machine of a CL1 container; null when unknown.
[[nodiscard]] AMDCOMPAT_API const Device* find_device_by_machine(std::uint16_t e_machine);
[[nodiscard]] AMDCOMPAT_API const Target* find_target(std::string_view name);
[[nodiscard]] AMDCOMPAT_API const Target* find_target_by_mach(std::uint8_t mach);
// Bytes of local memory (LDS) that a work-group may have. Of GCN and RDNA targets what LLVM's back-end allows; 32 KiB
// of VLIW ones. [LLVM «local memory exceeds limit»; LU]
[[nodiscard]] AMDCOMPAT_API std::uint32_t local_memory_bytes(const Target& target);
// "VLIW5", "GCN 1.0": CLRX's generation names [CLRX GPUId].
[[nodiscard]] AMDCOMPAT_API std::string_view isa_name(Isa isa);
[[nodiscard]] constexpr bool is_vliw(Isa isa) { return isa == Isa::Vliw5 || isa == Isa::Vliw4; }
// Machine codes that mark an encoding of the CAL dictionary as IL, not machine code: R6XX IL 5, R7XX IL 6,
// IL text 7 and 8, Evergreen IL 0xa, Southern Islands IL 0x19. [RT14 cal headers; BIN]
[[nodiscard]] constexpr bool is_il_encoding(std::uint32_t machine) {
  return (machine >= 5 && machine <= 8) || machine == 0xa || machine == 0x19;
}

}  // namespace amdcompat
