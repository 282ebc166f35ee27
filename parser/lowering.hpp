// Shared by the two translation units that lower to Program.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <amdcompat/program.hpp>
#include <amdcompat/text.hpp>

namespace amdcompat {

// The arguments that HSAIL compilers put before the source's own, by name without prefix. [BIN; HLC; RT2
// GetOclArgumentTypeOCL]
[[nodiscard]] std::optional<HiddenKind> find_hidden_kind(std::string_view name);

// Appends the text's printf formats that `out` does not hold yet.
void lower_printf(const text::Document& document, std::vector<PrintfFormat>& out);

}  // namespace amdcompat
