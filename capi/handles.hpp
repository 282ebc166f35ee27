// What the parts of the C interface share: its handles, text fit for C, and the checks of structures.
#pragma once

#include <amdcompat/amdcompat.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <boost/nowide/utf/utf.hpp>

#include <amdcompat/open.hpp>

// In amdcompat, because libstdc++ has a global name `abi` too.
namespace amdcompat {

// UTF-8 without NULs: each other byte becomes U+FFFD.
inline std::string c_text(std::string_view text) {
  namespace utf = boost::nowide::utf;
  std::string out;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const char* next = at;
    const utf::code_point point = utf::utf_traits<char>::decode(next, end);
    if (point == 0 || point == utf::illegal || point == utf::incomplete) {
      out += "\xEF\xBF\xBD";
      ++at;
    } else {
      out.append(at, next);
      at = next;
    }
  }
  return out;
}

}  // namespace amdcompat

// Findings with text for C; those of `sink` that are not in `list` yet are to be taken over.
struct amdcompat_diagnostics {
  amdcompat::Diagnostics sink;
  std::deque<amdcompat::Diagnostic> list;

  explicit amdcompat_diagnostics(std::uint32_t flags)
      : sink((flags & AMDCOMPAT_STRICT) != 0 ? amdcompat::Mode::Strict : amdcompat::Mode::Lenient) {}
  void take() {
    while (list.size() < sink.all().size()) {
      amdcompat::Diagnostic finding = sink.all()[list.size()];
      finding.message = sentence(finding);
      finding.subject = amdcompat::Subject::Whole;
      for (std::string* text : {&finding.block, &finding.kernel, &finding.argument, &finding.path, &finding.message})
        *text = amdcompat::c_text(*text);
      list.push_back(std::move(finding));
    }
  }
};

struct amdcompat_file {
  amdcompat_diagnostics found;
  std::optional<amdcompat::File> file;  // as it was opened; empty: refused
  amdcompat::Program program;  // its names are text for C; without the machine code
  std::string target;
};

namespace amdcompat {

// Bits between members would be unspecified, and a later version could not tell them from a member of its own.
template <class T>
concept CStruct = std::has_unique_object_representations_v<T> && std::is_standard_layout_v<T> &&
                  std::is_same_v<decltype(T::size), std::size_t>;

// False when there is nothing to read, or something that this version does not know.
template <CStruct T>
bool read_struct(const T* given, T& out) {
  if (given == nullptr || given->size < sizeof(given->size)) return false;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t at = sizeof(T); at < given->size; ++at)
    if (bytes[at] != 0) return false;
  out = T{};
  std::memcpy(&out, given, std::min(given->size, sizeof(T)));
  return true;
}

template <CStruct T>
amdcompat_status write_struct(T value, T* out) {
  if (out == nullptr || out->size < sizeof(out->size)) return AMDCOMPAT_BAD_CALL;
  value.size = out->size;
  std::memcpy(out, &value, std::min(value.size, sizeof(T)));
  return AMDCOMPAT_OK;
}

template <class F>
amdcompat_status guard(F body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return AMDCOMPAT_NO_MEMORY;
  } catch (...) {
    return AMDCOMPAT_DEFECT;
  }
}

inline amdcompat_status status(bool good) { return good ? AMDCOMPAT_OK : AMDCOMPAT_REFUSED; }

}  // namespace amdcompat
