// Forms of a program that only the tool knows: metadata as JSON, metadata text in canonical spelling.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <amdcompat/hsa.hpp>
#include <amdcompat/text.hpp>

namespace amdcompat::cli {

// The document of migrate::metadata_bytes(…, "json"). Empty: no JSON, or none of the document's; what is wrong with
// keys and types goes to `diagnostics`.
[[nodiscard]] std::optional<hsa::Metadata> read_metadata_json(std::string_view json, Diagnostics& diagnostics);

// Blocks and data segments in canonical form. Where the text holds several compilation units, an IL header before
// each keeps them apart. With a kernel's name the other kernels are left out, not the functions it may call.
[[nodiscard]] std::string canonical_text(const text::Document& document, text::MetadataVersion version,
                                         std::string_view kernel);

}  // namespace amdcompat::cli
