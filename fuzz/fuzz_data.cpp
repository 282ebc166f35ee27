// Data segments: text to bytes, placed again word by word as an oracle. Input: metadata text.
#include <algorithm>
#include <bit>
#include <vector>

#include <amdcompat/launch_image.hpp>
#include <amdcompat/open.hpp>

#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

namespace {

constexpr std::uint64_t kMostData = 1 << 16;  // small, so that the limit is met

// The bytes of a segment as its lines give them: a later line wins, what no line gives is zero.
std::vector<std::byte> placed(const text::Document& document, const text::Segment& segment) {
  std::vector<std::byte> out(segment.size);
  for (const text::DataWords& line : segment.lines) {
    const std::uint32_t width = text::data_width(line);
    out.resize(std::max<std::size_t>(out.size(), line.offset + text::data_bytes(line)));
    std::size_t at = line.offset;
    for (const std::uint64_t word : document.words(line))
      for (std::uint32_t bit = 0; bit < 8 * width; bit += 8) out.at(at++) = std::byte(word >> bit & 0xff);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  Diagnostics diagnostics(fuzz::mode_of(input));
  text::ReadOptions options;
  options.limits.segment_bytes = kMostData;
  if (input.starts_with(";spec")) options.data_numbers = text::DataNumbers::SpecDecimal;
  const text::Document document = text::parse(input, diagnostics, options);
  text::check(document, diagnostics, options);
  const Program program = lower(document, kMostData);

  std::uint64_t all = 0;
  std::size_t next = 0;
  for (const text::Segment& segment : document.segments) {
    if (next == program.data.size()) break;
    const DataSegment& out = program.data[next];
    if (out.where != segment.where) continue;  // left out
    require(segment.complete, "a cut segment is not used");
    require(out.constant_buffer == segment.constant_buffer, "a segment keeps its number");
    all += out.bytes.size();
    require(all <= kMostData, "the limit of all segments holds");
    require(out.bytes == placed(document, segment), "every word is where its line says");
    ++next;
  }
  require(next == program.data.size(), "every data segment is one of the text");
  if (!diagnostics.contains(Code::DataTooLarge) && !diagnostics.contains(Code::DataConstantBuffer))
    require(next == static_cast<std::size_t>(std::ranges::count(document.segments, true, &text::Segment::complete)),
            "what check does not refuse is there");

  // A kernel that needs them gets one binding a constant buffer, and its addresses are accepted.
  Kernel kernel;
  kernel.needs_data_segment = true;
  std::get<ConstantBufferLaunch>(kernel.launch).ids.constants = 10;
  auto image = abi::LaunchImage::create(kernel, diagnostics, {}, program.data);
  require(image.has_value(), "data segments do not keep a kernel from being launched");
  for (const DataSegment& segment : program.data) {
    const abi::Buffer place{.address = 0x1000, .base = 0, .size = segment.bytes.size()};
    require(segment.constant_buffer ? image->set_constant_data(*segment.constant_buffer, place, diagnostics)
                                    : image->set_data_segment(place, diagnostics),
            "a segment's address is accepted");
  }
  return 0;  // findings are looked at by fuzz_text; rendering them takes most of the time
}
