#include "queue.hpp"

#include <utility>

namespace amdcompat::migrate {

namespace {

constexpr std::uint64_t kItemBytes = 4096;  // what an item takes besides its program
constexpr std::uint64_t kOnTheWay = std::uint64_t{16} << 20;  // bytes between reading and recording

}  // namespace

bool Queue::push(std::unique_ptr<Item> item) {
  item->cost = item->bytes.size() + kItemBytes;
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return on_the_way_ == 0 || on_the_way_ + item->cost <= kOnTheWay || closed_; });
  if (closed_) return false;
  on_the_way_ += item->cost;
  items_.push_back(std::move(item));
  more_.notify_one();
  return true;
}

std::unique_ptr<Item> Queue::pop() {
  std::unique_lock lock(mutex_);
  more_.wait(lock, [&] { return !items_.empty() || finished_ || closed_; });
  if (!items_.empty() && stop_ != nullptr && stop_->load()) {
    cut_ = closed_ = true;
    room_.notify_all();
  }
  if (items_.empty() || closed_) return nullptr;
  std::unique_ptr<Item> out = std::move(items_.front());
  items_.pop_front();
  return out;
}

void Queue::release(const Item& item) {
  const std::lock_guard lock(mutex_);
  on_the_way_ -= item.cost;
  room_.notify_one();
}

void Queue::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  more_.notify_all();
}

void Queue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  more_.notify_all();
  room_.notify_all();
}

void add_finding(FileRecord& record, const Diagnostic& problem) {
  Diagnostics one;
  one.add(problem);
  record.findings.push_back(findings_of(one, {}).front());
}

}  // namespace amdcompat::migrate
