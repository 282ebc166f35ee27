// Shared by the two translation units that lower to Program.
#pragma once

#include <vector>

#include <amdcompat/program.hpp>
#include <amdcompat/text.hpp>

namespace amdcompat {

// Appends the text's printf formats that `out` does not hold yet.
void lower_printf(const text::Document& document, std::vector<PrintfFormat>& out);

}  // namespace amdcompat
