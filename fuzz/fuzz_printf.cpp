// printf buffers, legacy and HSA. Input: a byte of geometry, the format text, a NUL, then the buffer.
#include <amdcompat/printf.hpp>

#include <algorithm>
#include <vector>

#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > fuzz::kMostBytes) return 0;
  const std::uint8_t geometry = data[0];
  const std::string_view input = fuzz::text_of(data + 1, size - 1);
  const std::string_view text = input.substr(0, input.find('\0'));
  // A copy of its own, exactly as long: a read past its end is one past the heap block.
  const std::string_view rest = input.substr(std::min(input.size(), text.size() + 1));
  const auto raw = std::as_bytes(std::span(rest));
  const std::vector<std::byte> buffer(raw.begin(), raw.end());

  static constexpr std::uint32_t kSizes[] = {0, 1, 2, 4, 8, 12, 16, 32};
  std::vector<PrintfFormat> formats(3);
  for (std::uint32_t id = 0; id < formats.size(); ++id) {
    formats[id].id = id;
    formats[id].format = text.substr(std::min<std::size_t>(text.size(), id));
    for (std::uint32_t i = 0; i < id * 2; ++i)
      formats[id].sizes.push_back(kSizes[(geometry + i * 3) % std::size(kSizes)]);
  }
  const abi::PrintfLimits limits{.record_bytes = 4096, .total_bytes = 1 << 20};
  const auto check = [&](const std::vector<abi::PrintfRecord>& records) {
    std::uint64_t end = 0;
    for (const abi::PrintfRecord& record : records) {
      require(record.offset + 4 <= buffer.size(), "records lie inside the buffer");
      require(record.offset >= end, "records ascend");
      require(record.text.size() <= limits.record_bytes, "the limit of a record holds");
      end = record.offset + 4;
    }
    require(abi::printf_text(records).size() <= limits.total_bytes, "the limit of all records holds");
  };
  Diagnostics diagnostics(fuzz::mode_of(input));
  check(abi::decode_legacy_printf(formats, buffer, {std::uint32_t{geometry} % 20, 0}, diagnostics, limits));
  check(abi::decode_hsa_printf(formats, buffer, diagnostics, limits));
  if (const auto format = abi::hsa_printf_format(text))
    require(format->format.ends_with('\n'), "ROCm's newline is there");
  return 0;
}
