// A dispatch of a code object's kernel as a runtime of today makes it: the kernarg segment, filled by nothing but the
// metadata, and the AQL packet.
//
// Arguments that the metadata calls hidden come from the sizes and addresses of the launch. So do the trailing ones of
// an in-place conversion (in_place.hpp), whose names begin with `amdcompat.`, unless the caller gives them too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <amdcompat/code_object.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/launch_image.hpp>

#pragma GCC visibility push(default)

namespace amdcompat::emulate {

// What the host gives for an argument; which member counts is the matter of its `.value_kind`.
struct ArgumentValue {
  std::vector<std::byte> bytes;  // by_value: as many as `.size` says, or fewer, zeros then follow
  std::uint64_t address = 0;  // buffers, pipes, queues; images and samplers: of their objects
  std::uint64_t local_bytes = 0;  // dynamic_shared_pointer: bytes of local memory
};

struct Dispatch {
  abi::Range range;  // `local` is needed
  std::vector<ArgumentValue> arguments;  // of those that are not hidden, in their order
  std::uint64_t printf_buffer = 0;
  std::uint32_t printf_dwords = 0;  // of a work-item's region; in-place conversions only
  std::uint64_t default_queue = 0;
  std::uint64_t completion_action = 0;
  std::uint64_t queue = 0;
  std::optional<std::uint64_t> data_segment;  // in-place conversions only, as the next one
  std::map<std::uint32_t, std::uint64_t> constants;  // address of the data of a constant buffer, by its number
};

struct KernargSegment {
  // Bytes that no argument takes, and those of `hidden_none`, hold a pattern: no runtime says what is there.
  std::vector<std::byte> bytes;
  std::uint64_t local_bytes = 0;  // of a work-group: static and dynamic
};
// Refused: kernels whose arguments are not known or lie outside the segment, segments over a megabyte, more or fewer
// values than arguments, values that are larger than their argument, trailing arguments that cannot be made.
[[nodiscard]] Result<KernargSegment> kernarg_segment(const hsa::MetadataKernel& kernel, const Dispatch& dispatch);

// The 64 bytes of the packet (`abi::packet_fields`). `kernel_object` and the signal are 0.
[[nodiscard]] std::array<std::byte, 64> aql_packet(const abi::Range& range, std::uint64_t local_bytes,
                                                   std::uint64_t kernarg);

}  // namespace amdcompat::emulate

#pragma GCC visibility pop
