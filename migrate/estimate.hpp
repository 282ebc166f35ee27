// How much of a migration is done and how long the rest takes, in work and not in bytes that were read.
//
// A plan counts the files that will be read, by classes of about the same work: what they are by their first bytes, and
// their size by powers of two. What each took, of the thread that reads and of those that convert, tells what the rest
// of its class takes. A file found unchanged by an earlier run is of a class of its own. What is left is taken in the
// order of the files: programs on the way are bounded, so neither side can run far ahead of the other, and each stretch
// of files takes as long as the slower side does.
//
// It has no clock: whoever measures gives seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace amdcompat::migrate {

inline constexpr std::size_t kHeadBytes = 4096;  // tell what a file is

struct WorkClass {
  std::uint32_t kind = 0;
  std::uint32_t size = 0;  // bits of the number of bytes
  bool unchanged = false;
  bool holds_programs = false;  // or may, as an archive does
  auto operator<=>(const WorkClass&) const = default;
};
// By up to `kHeadBytes` from the file's start.
[[nodiscard]] WorkClass work_class(std::string_view head, std::uint64_t bytes, bool unchanged);

class Estimate {
 public:
  explicit Estimate(unsigned jobs = 1) : jobs_(jobs == 0 ? 1 : jobs) {}

  void set_jobs(unsigned jobs);  // threads that convert
  // The next file of the plan, in the order in which they are read.
  void plan(const WorkClass& work);
  void plan_is_whole();

  // The reader is at the file with that number, from 0. Files that the plan comes to later are planned by this.
  void begin(std::uint64_t file, const WorkClass& work);
  // `share` of it, from 0 to 1, was read or converted in so many seconds of one thread.
  void was_read(std::uint64_t file, const WorkClass& work, double share, double seconds);
  void was_converted(std::uint64_t file, const WorkClass& work, double share, double seconds);

  // Seconds to the end, `elapsed` seconds after the first file was begun; empty: nothing can be said yet.
  [[nodiscard]] std::optional<double> remaining(double elapsed) const;

 private:
  struct Work {
    double files = 0, read = 0, converted = 0;
  };
  struct Cost {
    double read_files = 0, read_seconds = 0, converted_files = 0, converted_seconds = 0;
    void add(const Cost& other);
  };
  using Stretch = std::map<WorkClass, Work>;
  Stretch& stretch_of(std::uint64_t file);
  // Seconds for one file.
  struct Means {
    double read = 0, converted = 0;
  };
  [[nodiscard]] Means means_of(const WorkClass& work) const;

  mutable std::mutex mutex_;
  unsigned jobs_;
  bool whole_ = false;
  std::uint64_t planned_ = 0, begun_ = 0;
  std::uint64_t files_in_stretch_ = 1;
  std::vector<Stretch> stretches_;
  std::map<WorkClass, Cost> costs_;
  std::map<std::pair<std::uint32_t, bool>, Cost> kinds_;  // of each kind, changed or not, in units of weight
  Cost all_[2];  // of all, likewise
};

}  // namespace amdcompat::migrate
