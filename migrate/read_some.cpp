#include "read_some.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace amdcompat::migrate {

ReadSome read_from(std::string_view bytes) {
  return [bytes](char* to, std::size_t size) mutable {
    const std::size_t got = std::min(size, bytes.size());
    std::memcpy(to, bytes.data(), got);
    bytes.remove_prefix(got);
    return static_cast<std::ptrdiff_t>(got);
  };
}

ReadSome read_from(int descriptor) {
  return [descriptor](char* to, std::size_t size) {
    ssize_t got = 0;
    do got = ::read(descriptor, to, size);
    while (got < 0 && errno == EINTR);
    return static_cast<std::ptrdiff_t>(got);
  };
}

bool read_up_to(const ReadSome& read, std::uint64_t most, std::uint64_t expected, std::string& out) {
  out.clear();
  // One byte more shows the end without growing; what is kept is not much larger than what it holds.
  std::size_t room = static_cast<std::size_t>(std::min(expected + 1, most));
  while (out.size() < most) {
    const std::size_t had = out.size();
    out.resize(std::max(room, had + 1));
    const std::ptrdiff_t got = read(out.data() + had, out.size() - had);
    out.resize(had + static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
    if (got <= 0) return got == 0;
    if (out.size() == room) room = static_cast<std::size_t>(std::min<std::uint64_t>(most, std::max(kBlock, 2 * room)));
  }
  return true;
}

}  // namespace amdcompat::migrate
