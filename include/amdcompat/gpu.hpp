// GPUs by every name that people have for them, the software of today that takes code for them, and the drivers of old
// files. Device and target tables: device.hpp. Keys of sources: docs/sources.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <amdcompat/device.hpp>
#include <amdcompat/export.h>

namespace amdcompat {

// A graphics card, or the graphics of a processor, as it is sold.
struct Board {
  std::string_view name;    // "Radeon RX 6800", without AMD's own name
  std::string_view device;  // a `Device::name`; empty: newer than Catalyst's compilers
  std::string_view target;  // a `Target::name`; empty: LLVM has none
  std::string_view source;  // kNotVerified where no text at hand says it
};
inline constexpr std::string_view kNotVerified = "not verified";

// What takes code objects for a target.
struct TargetSupport {
  std::string_view target;   // a `Target::name`
  std::string_view family;   // "RDNA 2"
  std::string_view runtime;  // the oldest release that a source at hand names for it; empty: none does
  std::string_view source;   // for `runtime`; kNotVerified where there is none
  std::string_view remark;   // may be empty
};

// PCI device ids of vendor 0x1002, first and last one included.
struct PciRange {
  std::uint16_t first = 0, last = 0;
  std::string_view target;  // a `Target::name`
  std::string_view chip;    // the kernel driver's name of it
};

[[nodiscard]] AMDCOMPAT_API std::span<const Board> all_boards();
// Of every target but VLIW ones.
[[nodiscard]] AMDCOMPAT_API std::span<const TargetSupport> all_target_support();
// Ascending and disjoint.
[[nodiscard]] AMDCOMPAT_API std::span<const PciRange> all_pci_ranges();

// What a name stands for; members are null where it says nothing about them.
struct Gpu {
  const Target* target = nullptr;
  const Device* device = nullptr;  // of Catalyst
  const Board* board = nullptr;
};
// A target ("gfx1030"), a device of Catalyst or an alias of it ("tahiti", "verde"), or a board in any spelling: case,
// spaces, hyphens and the words AMD, ATI, Radeon, Instinct, Graphics and Series do not matter ("rx6800", "AMD Radeon
// RX 6800"). Nothing: none of them, or a name without a target.
[[nodiscard]] AMDCOMPAT_API std::optional<Gpu> find_gpu(std::string_view name);
// The known name that is most like it, for messages: a target, device, alias or board; empty: nothing is like it.
[[nodiscard]] AMDCOMPAT_API std::string nearest_gpu(std::string_view name);
// Null: not in the table.
[[nodiscard]] AMDCOMPAT_API const TargetSupport* find_target_support(std::string_view target);
[[nodiscard]] AMDCOMPAT_API const PciRange* find_pci(std::uint16_t device_id);
// `gfx_target_version` of the kernel driver for compute: 90010 is gfx90a. Null: unknown. How it counts is not verified
// against the driver's source.
[[nodiscard]] AMDCOMPAT_API const Target* find_target_by_version(std::uint32_t version);

// When a driver of AMD's was current, as far as known releases tell.
struct DriverRelease {
  std::string build;            // "1124.2"
  std::string_view at;          // the Catalyst release that it is: "13.4"; empty: it lies between others
  std::string_view after, before;  // releases with the next lower and the next higher build; may be empty
  std::uint16_t first_year = 0, last_year = 0;  // 0: not bounded on that side
};
// From the driver string of a container, such as "@(#) OpenCL 1.2 AMD-APP (1124.2).  Driver version: 1124.2 (VM)".
[[nodiscard]] AMDCOMPAT_API std::optional<DriverRelease> driver_release(std::string_view driver);
// "Catalyst 13.4, 2013", "between Catalyst 13.4 and 13.12: 2013", "before Catalyst 12.10: 2012 or older".
[[nodiscard]] AMDCOMPAT_API std::string driver_period(const DriverRelease& release);

// The word of `words` that is most like `word`, by letters that have to be changed, added, dropped or swapped; empty:
// none is near enough to be meant.
[[nodiscard]] AMDCOMPAT_API std::string_view nearest_word(std::string_view word,
                                                          std::span<const std::string_view> words);

}  // namespace amdcompat
