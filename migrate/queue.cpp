#include "queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "program.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::uint64_t kItemBytes = 4096;  // what an item takes besides its program
constexpr std::uint64_t kOnTheWay = std::uint64_t{16} << 20;  // bytes between reading and recording
// The reading thread, once it waits for room, sleeps until half of it is there: to wake it for each program costs more
// than to read one.
constexpr std::uint64_t kWakeAt = kOnTheWay / 2;
constexpr std::size_t kBatchesLeft = 4;  // for each thread, of what is there

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

Batch Queue::pop() {
  std::unique_lock lock(mutex_);
  more_.wait(lock, [&] { return !items_.empty() || finished_ || closed_; });
  if (!items_.empty() && stop_ != nullptr && stop_->load()) {
    cut_ = closed_ = true;
    room_.notify_all();
  }
  Batch out;
  if (closed_) return out;
  const std::size_t share = items_.size() / (jobs_ * kBatchesLeft);
  const auto count = static_cast<std::ptrdiff_t>(std::min({items_.size(), share + 1, most_in_batch_}));
  out.assign(std::move_iterator(items_.begin()), std::move_iterator(items_.begin() + count));
  items_.erase(items_.begin(), items_.begin() + count);
  return out;
}

void Queue::release(const Batch& batch) {
  const std::lock_guard lock(mutex_);
  for (const auto& item : batch) on_the_way_ -= item->cost;
  if (on_the_way_ <= kWakeAt) room_.notify_one();
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
