// Man pages, as troff.
#pragma once

#include <span>
#include <string>

#include "manual_pages.hpp"
#include "manual_text.hpp"

namespace amdcompat::cli {

// The page of a verb or, listing `verbs`, of the tool.
[[nodiscard]] std::string man_page(const VerbText& about, const Page& page, std::span<const VerbText> verbs);

}  // namespace amdcompat::cli
