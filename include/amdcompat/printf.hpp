// What a kernel printed: decoding the buffers that printf calls of legacy kernels fill.
//
// A kernel stores numbers and strings; the formats stay on the host (`Program::printf`, or `amdhsa.printf` of a code
// object). There are two kinds of buffer:
//
// Legacy (CL1). Each work-item of a dispatch has a region of its own, of the number of dwords that CB0 tells the
// kernel; the region of work-item (x, y, z) of the dispatched group is number x + size_x * (y + size_y * z):
//
//   dword 0    index of the first dword not written; the host sets it to 1 before the launch (`reset_legacy_printf`)
//   dword 1..  records: the format's ID, then each argument, padded to whole dwords; strings stand inline
//
// HSA (CL2, ROCm). One buffer for all work-items:
//
//   byte 0     u32: bytes of records written; the host sets it to 0
//   byte 4     u32: bytes there are for records
//   byte 8..   records: the format's ID, then the arguments back to back
//
// The text is the one AMD's runtimes printed, oddities included [RT gpuprintf.cpp; RC rocprintf.cpp]: `inf` of a float
// is "infinity" but of a double "inf"; `hh` prints the low byte unsigned; `%%` after the last argument stays `%%`;
// where
// `hh` or `hl` is removed from a conversion, the first of these letters goes, even one of the text before it.
// docs/launch-image.md has the list. The decimal point is that of the process's locale, as with AMD's runtimes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/program.hpp>

namespace amdcompat::abi {

// One printf call that was executed.
struct PrintfRecord {
  std::uint64_t item = 0;  // legacy: number of the region; HSA: 0
  std::uint64_t offset = 0;  // of its ID in the buffer, bytes
  std::uint32_t id = 0;  // `PrintfFormat::id`
  std::string text;
};

struct PrintfLimits {
  std::size_t record_bytes = std::size_t{1} << 20;  // of one record's text; widths beyond it are cut
  std::size_t total_bytes = std::size_t{64} << 20;  // of all text; decoding stops there
};

// Geometry of a legacy buffer.
struct LegacyPrintf {
  std::uint32_t dwords_per_item = 0;  // at least 2; what CB0 told the kernel
  std::uint64_t items = 0;  // regions; 0: as many as the buffer holds
};

// The records of a buffer in the order AMD's runtimes printed them: region by region, or as they stand. What is wrong
// with the buffer is reported, with the place as path (`items[2].dwords[17]` or `records+0x44`); decoding goes on with
// the next region where that is possible. A record that is cut off prints nothing. Nothing outside `buffer` is read,
// whatever it holds. Of formats with the same ID the first counts.
[[nodiscard]] AMDCOMPAT_API std::vector<PrintfRecord>
decode_legacy_printf(std::span<const PrintfFormat> formats, std::span<const std::byte> buffer,
                     const LegacyPrintf& geometry, Diagnostics& diagnostics, const PrintfLimits& limits = {});
[[nodiscard]] AMDCOMPAT_API std::vector<PrintfRecord> decode_hsa_printf(std::span<const PrintfFormat> formats,
                                                                        std::span<const std::byte> buffer,
                                                                        Diagnostics& diagnostics,
                                                                        const PrintfLimits& limits = {});
// All text, as it went to standard output.
[[nodiscard]] AMDCOMPAT_API std::string printf_text(std::span<const PrintfRecord> records);

// An entry of `amdhsa.printf` as ROCm's runtime reads it: escapes decoded, cut at an unescaped `:`, a newline added
// when there is none at the end. Refused: what is no entry of this ABI (the hostcall variant included).
[[nodiscard]] AMDCOMPAT_API Result<PrintfFormat> hsa_printf_format(std::string_view entry);

// Dwords for one work-item: what AMD's runtime gave it of a buffer of `buffer_bytes` shared by `items` work-items of a
// dispatch, when `transfer_bytes` (0: no limit) is what can be read back at once. [RT gpuprintf.cpp]
[[nodiscard]] AMDCOMPAT_API std::uint32_t printf_dwords_per_item(std::uint64_t buffer_bytes, std::uint64_t items,
                                                                 std::uint64_t transfer_bytes = 0);
// Makes all regions of a legacy buffer empty: dword 0 of each becomes 1.
AMDCOMPAT_API void reset_legacy_printf(std::span<std::byte> buffer, std::uint32_t dwords_per_item);

}  // namespace amdcompat::abi
