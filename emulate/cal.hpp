// The launch of a kernel whose entry state is that of a CAL image.
#pragma once

#include <amdcompat/emulate.hpp>

#include "opcode.hpp"

namespace amdcompat::emulate {

// `kernel_launch` for that state; the launch's code refers to `code`. `region_bytes`: of GDS, beside counters.
[[nodiscard]] Result<Launch> cal_launch(std::span<const std::byte> code, const cl1::CalState& state,
                                        gcn::Generation gfx, const CalBindings& bindings, std::uint64_t lds_bytes,
                                        std::uint64_t region_bytes, Memory& memory);

// The descriptor of scratch memory; `element`: of its elements, as descriptors say it.
[[nodiscard]] std::array<u32, 4> scratch_words(u32 bytes_of_item, u32 element);

// What those words ask for and is not modelled; empty: nothing. docs/emulate.md lists all fields.
[[nodiscard]] std::string unmodelled(std::uint32_t rsrc1, std::uint32_t rsrc2);

}  // namespace amdcompat::emulate
