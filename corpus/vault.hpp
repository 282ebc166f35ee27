// Any number of different programs, for measuring and testing migrations.
#pragma once

#include <cstdint>
#include <string>

namespace corpus {

// The program of that number, always the same one; all numbers give different bytes. Of eight in a row, four are
// OpenCL 1.x containers for Pitcairn whose machine code can be converted in place and proved, one is such a container
// for Cypress (VLIW), one an OpenCL 2.0 container for Tonga, two are AMDIL texts. One to four kernels, up to nine
// arguments each.
[[nodiscard]] std::string vault_program(std::uint32_t number);

}  // namespace corpus
