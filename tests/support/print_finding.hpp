// GoogleTest prints findings and their codes by name instead of by bytes.
#pragma once

#include <ostream>

#include <amdcompat/diagnostic.hpp>

namespace amdcompat {

inline void PrintTo(Code code, std::ostream* out) { *out << code_label(code) << ' ' << code_info(code).name; }
inline void PrintTo(const Diagnostic& finding, std::ostream* out) {
  PrintTo(finding.code, out);
  *out << " at 0x" << std::hex << finding.where.begin << std::dec << '+' << finding.where.size << ' ' << finding.path
       << ": " << finding.message;
}

}  // namespace amdcompat
