// A short list of values: what a value is made of.
//
// Few operations take more than four, and a kernel has a list for each of its values, so that up to four stand in the
// list itself: no memory is asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace amdcompat::lift {

using Id = std::uint32_t;

class Ids {
 public:
  using value_type = Id;
  using size_type = std::size_t;
  using iterator = Id*;
  using const_iterator = const Id*;

  Ids() = default;
  Ids(std::initializer_list<Id> ids) { append(ids.begin(), ids.end()); }
  template <std::input_iterator It>
  Ids(It from, It to) {
    append(from, to);
  }
  Ids(std::size_t count, Id id) {
    reserve(count);
    while (count-- > 0) push_back(id);
  }
  Ids(const Ids& other) {
    if (other.size_ <= kOwn) {
      std::copy(other.data(), other.data() + kOwn, own_);
      size_ = other.size_;
    } else {
      append(other.begin(), other.end());
    }
  }
  Ids(Ids&& other) noexcept { take(other); }
  Ids& operator=(const Ids& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  Ids& operator=(Ids&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    take(other);
    return *this;
  }
  ~Ids() { give_back(); }

  [[nodiscard]] Id* data() { return in_place() ? own_ : far_; }
  [[nodiscard]] const Id* data() const { return in_place() ? own_ : far_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Id* begin() { return data(); }
  [[nodiscard]] Id* end() { return data() + size_; }
  [[nodiscard]] const Id* begin() const { return data(); }
  [[nodiscard]] const Id* end() const { return data() + size_; }
  [[nodiscard]] Id& operator[](std::size_t n) { return data()[n]; }
  [[nodiscard]] const Id& operator[](std::size_t n) const { return data()[n]; }
  [[nodiscard]] Id& back() { return data()[size_ - 1]; }
  [[nodiscard]] Id back() const { return data()[size_ - 1]; }

  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    Id* const more = new Id[count];
    std::copy(begin(), end(), more);
    give_back();
    far_ = more;
    capacity_ = static_cast<std::uint32_t>(count);
  }
  void push_back(Id id) {
    if (size_ == capacity_) reserve(std::size_t{2} * capacity_);
    data()[size_++] = id;
  }
  void clear() { size_ = 0; }
  [[nodiscard]] bool contains(Id id) const { return std::find(begin(), end(), id) != end(); }
  void remove(Id id) {
    if (const Id* const at = std::find(begin(), end(), id); at != end()) erase(at);
  }
  // Of another list than this one.
  template <std::input_iterator It>
  void assign(It from, It to) {
    clear();
    append(from, to);
  }
  void assign(std::initializer_list<Id> ids) { assign(ids.begin(), ids.end()); }
  // In front of `at`.
  Id* insert(const Id* at, Id id) {
    const std::ptrdiff_t place = at - begin();
    push_back(id);
    std::rotate(begin() + place, end() - 1, end());
    return begin() + place;
  }
  template <std::input_iterator It>
  Id* insert(const Id* at, It from, It to) {
    const std::ptrdiff_t place = at - begin();
    const std::size_t before = size_;
    append(from, to);
    std::rotate(begin() + place, begin() + before, end());
    return begin() + place;
  }
  Id* erase(const Id* at) {
    Id* const place = begin() + (at - begin());
    std::copy(place + 1, end(), place);
    --size_;
    return place;
  }
  friend bool operator==(const Ids& a, const Ids& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  static constexpr std::uint32_t kOwn = 4;

  [[nodiscard]] bool in_place() const { return capacity_ == kOwn; }
  template <class It>
  void append(It from, It to) {
    if constexpr (std::random_access_iterator<It>) reserve(size_ + static_cast<std::size_t>(to - from));
    for (; from != to; ++from) push_back(*from);
  }
  void take(Ids& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, kOwn);
    if (in_place())
      std::copy(std::begin(other.own_), std::end(other.own_), own_);
    else
      far_ = other.far_;
  }
  void give_back() noexcept {
    if (!in_place()) delete[] far_;
    capacity_ = kOwn;
  }

  std::uint32_t size_ = 0, capacity_ = kOwn;
  union {
    Id own_[kOwn]{};
    Id* far_;
  };
};

}  // namespace amdcompat::lift
