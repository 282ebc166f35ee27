// HSA metadata as JSON, for tools that read neither YAML nor MessagePack.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <amdcompat/hsa.hpp>

namespace amdcompat::migrate {

class JsonText;

// The document as JSON. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string metadata_json(const hsa::Metadata& metadata);
// The same as the member `key` of the object that is open.
void put_metadata_json(JsonText& out, std::string_view key, const hsa::Metadata& metadata);
// And back. Empty: no JSON, or none of the document's; what is wrong with keys and types goes to `diagnostics`.
[[nodiscard]] std::optional<hsa::Metadata> read_metadata_json(std::string_view json, Diagnostics& diagnostics);

}  // namespace amdcompat::migrate
