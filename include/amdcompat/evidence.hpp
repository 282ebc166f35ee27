// How we know a fact of the tables.
#pragma once

#include <cstdint>
#include <string_view>

#include <amdcompat/export.h>

namespace amdcompat {

// `Documented`: a document or AMD's source says so. `Observed`: real files or machine code show it. `Inferred`: it
// follows from other facts. `NotVerified`: no legacy file or AMD source at hand shows it.
enum class Evidence : std::uint8_t { Documented, Observed, Inferred, NotVerified };
// "documented", "not verified".
[[nodiscard]] AMDCOMPAT_API std::string_view evidence_name(Evidence evidence);

}  // namespace amdcompat
