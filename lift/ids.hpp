// A short list of values: what a value is made of.
//
// Few operations take more than four, and a kernel has a list for each of its values, so that up to four stand in the
// list itself: no memory is asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

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
  explicit Ids(std::span<const Id> ids) { append(ids.begin(), ids.end()); }
  Ids& operator=(const Ids& other) {
    if (this == &other) return *this;
    if (other.size_ <= kOwn) {  // there is always room for so many
      std::copy(other.data(), other.data() + kOwn, data());
      size_ = other.size_;
    } else {
      assign(other.begin(), other.end());
    }
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
  void pop_back() { --size_; }
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

// Values that a walk has come to. Most walks are short.
class Seen {
 public:
  // False: it was there.
  bool insert(Id id) {
    if (table_.empty()) {
      if (std::find(few_.begin(), few_.begin() + size_, id) != few_.begin() + size_) return false;
      if (size_ < few_.size()) {
        few_[size_++] = id;
        return true;
      }
      grow(few_);
    } else if (std::size_t{2} * size_ > table_.size()) {
      grow(std::exchange(table_, {}));
    }
    return put(id);
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr Id kFree = 0xffffffff;
  bool put(Id id) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = (id * 0x9e3779b1u >> 7) & mask;
    for (; table_[at] != kFree; at = (at + 1) & mask)
      if (table_[at] == id) return false;
    table_[at] = id;
    ++size_;
    return true;
  }
  void grow(const auto& from) {
    table_.assign(from.size() * 4, kFree);
    size_ = 0;
    for (const Id id : from)
      if (id != kFree) put(id);
  }

  std::uint32_t size_ = 0;
  std::array<Id, 16> few_;  // the first ones, while there is no table
  std::vector<Id> table_{};
};

// What is known of some values of a graph, by their numbers; forgotten at once.
template <class T>
class ById {
 public:
  [[nodiscard]] T* find(Id id) { return contains(id) ? &all_[id].what : nullptr; }
  [[nodiscard]] const T* find(Id id) const { return contains(id) ? &all_[id].what : nullptr; }
  [[nodiscard]] bool contains(Id id) const { return id < all_.size() && all_[id].turn == turn_; }
  // What is known, or a place for it. Good until another one is asked for.
  T& operator[](Id id) {
    if (id >= all_.size()) all_.resize(id + id / 2 + std::size_t{1});
    if (std::exchange(all_[id].turn, turn_) != turn_) all_[id].what = T{};
    return all_[id].what;
  }
  void erase(Id id) {
    if (contains(id)) all_[id].turn = 0;
  }
  void clear() { ++turn_; }

 private:
  struct One {
    std::uint32_t turn = 0;
    T what{};
  };
  std::vector<One> all_;
  std::uint32_t turn_ = 1;
};

}  // namespace amdcompat::lift
