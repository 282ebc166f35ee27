// Sparse memory: sorted ranges, the last one found tried first.
#include <algorithm>

#include <amdcompat/emulate.hpp>

namespace amdcompat::emulate {

bool Memory::map(std::uint64_t address, std::vector<std::byte> bytes, std::string name) {
  if (bytes.empty() || bytes.size() - 1 > ~std::uint64_t{0} - address) return false;
  const auto next = std::ranges::upper_bound(ranges_, address, {}, &Range::address);
  if (next != ranges_.end() && next->address - address < bytes.size()) return false;
  if (next != ranges_.begin() && address - std::prev(next)->address < std::prev(next)->bytes.size()) return false;
  ranges_.insert(next, Range{address, std::move(bytes), std::move(name), 0});
  last_ = 0;
  return true;
}

// Index of the range that holds all of it, or the number of ranges.
std::size_t Memory::find(std::uint64_t address, std::uint64_t size) const {
  const auto holds = [&](const Range& range) {
    return address >= range.address && size <= range.bytes.size() &&
           address - range.address <= range.bytes.size() - size;
  };
  if (last_ < ranges_.size() && holds(ranges_[last_])) return last_;
  const auto next = std::ranges::upper_bound(ranges_, address, {}, &Range::address);
  if (next == ranges_.begin() || !holds(*std::prev(next))) return ranges_.size();
  last_ = static_cast<std::size_t>(next - ranges_.begin()) - 1;
  return last_;
}

std::span<const std::byte> Memory::view(std::uint64_t address, std::uint64_t size) const {
  const std::size_t found = find(address, size);
  if (found == ranges_.size()) return {};
  return std::span(ranges_[found].bytes).subspan(address - ranges_[found].address, size);
}

std::span<std::byte> Memory::store(std::uint64_t address, std::uint64_t size) {
  const std::size_t found = find(address, size);
  if (found == ranges_.size()) return {};
  Range& range = ranges_[found];
  ++range.written;
  return std::span(range.bytes).subspan(address - range.address, size);
}

}  // namespace amdcompat::emulate
