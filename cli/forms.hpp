// The form of a program that only the tool writes: metadata text in canonical spelling.
#pragma once

#include <string>
#include <string_view>

#include <amdcompat/text.hpp>

namespace amdcompat::cli {

// Blocks and data segments in canonical form. Where the text holds several compilation units, an IL header before
// each keeps them apart. With a kernel's name the other kernels are left out, not the functions it may call.
[[nodiscard]] std::string canonical_text(const text::Document& document, text::MetadataVersion version,
                                         std::string_view kernel);

}  // namespace amdcompat::cli
