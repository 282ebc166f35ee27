// What is on the way between the thread that reads and those that convert.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <amdcompat/diagnostic.hpp>

#include "digest.hpp"
#include "estimate.hpp"
#include "manifest.hpp"
#include "state.hpp"

namespace amdcompat::migrate {

// A program to convert, or a file all of whose programs came before it.
struct Item {
  std::string bytes;
  Digest digest{};
  std::optional<ProgramRow> done;
  std::optional<Diagnostic> failed;  // an output could not be written
  std::optional<FileRecord> file;
  bool whole = true;   // the file's members are all there, and stand for what the path holds now
  bool named = false;  // an input itself
  std::uint64_t cost = 0;
  // What it is of the work on a file of the file system, for whoever watches.
  std::uint64_t number = 0;  // of that file
  WorkClass work;
  double share = 0;
  std::uint64_t bytes_read = 0;  // with the last item of a file: its size
  bool last = false;  // of a file
};

// What one thread does in a turn, in the order it came: threads meet once for many small programs.
using Batch = std::vector<std::unique_ptr<Item>>;

// From the reading thread to the others, bounded in bytes. A single larger program passes alone.
class Queue {
 public:
  // When `stop` is set, what nobody has begun is dropped. `jobs` threads take, at most so many items at once.
  Queue(const std::atomic<bool>* stop, unsigned jobs, std::size_t most_in_batch)
      : jobs_(std::max(1u, jobs)), most_in_batch_(most_in_batch), stop_(stop) {}
  // False: nobody wants more.
  bool push(std::unique_ptr<Item> item);
  // A small part of what is there, so that all threads end at about the same time. Empty at the end.
  [[nodiscard]] Batch pop();
  void release(const Batch& batch);  // it is recorded
  void finish();  // nothing more comes
  void close();  // nothing more is taken
  [[nodiscard]] bool cut() const { return cut_; }  // something was dropped; to be asked at the end

 private:
  std::mutex mutex_;
  std::condition_variable room_, more_;
  std::deque<std::unique_ptr<Item>> items_;
  std::uint64_t on_the_way_ = 0;
  bool finished_ = false, closed_ = false, cut_ = false;
  unsigned jobs_;
  std::size_t most_in_batch_;
  const std::atomic<bool>* stop_;
};

// What both sides know of programs: those on the way, and the records of those that are done.
struct Shared {
  std::mutex mutex;
  State* state = nullptr;
  std::set<Digest> on_the_way;
};

// Puts a finding about a file into its record.
void add_finding(FileRecord& record, const Diagnostic& problem);

}  // namespace amdcompat::migrate
