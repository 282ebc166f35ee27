#include "estimate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include <amdcompat/identify.hpp>

#include "archive.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kMostStretches = 256;
constexpr double kPriorFiles = 2;  // what a kind's mean counts for in the mean of one of its classes
constexpr double kFileBytes = 4096;  // what any file costs besides its bytes

// Of a file, in bytes: what its work is proportional to while nothing better is known.
double weight_of(const WorkClass& work) { return std::ldexp(0.75, static_cast<int>(work.size)) + kFileBytes; }

}  // namespace

WorkClass work_class(std::string_view head, std::uint64_t bytes, bool unchanged) {
  constexpr std::uint32_t kArchive = 0xff, kElf = 0x100;
  WorkClass out{0, static_cast<std::uint32_t>(std::bit_width(bytes)), unchanged, false};
  const FileKind kind = identify(std::as_bytes(std::span(head)));
  out.kind = static_cast<std::uint32_t>(kind);
  out.holds_programs =
      kind != FileKind::Empty && kind != FileKind::Encrypted && kind != FileKind::OtherElf && kind != FileKind::Unknown;
  if (is_archive(head) && !out.holds_programs) {
    out.kind = kArchive;
    out.holds_programs = true;
  } else if (head.starts_with("\x7f"
                              "ELF") &&
             out.holds_programs && head.size() >= 20) {  // by its machine, which is a device's in OpenCL 1.x
    out.kind = kElf + static_cast<unsigned char>(head[18]) + (std::uint32_t{static_cast<unsigned char>(head[19])} << 8);
  }
  return out;
}

void Estimate::Cost::add(const Cost& other) {
  read_files += other.read_files;
  read_seconds += other.read_seconds;
  converted_files += other.converted_files;
  converted_seconds += other.converted_seconds;
}

void Estimate::set_jobs(unsigned jobs) {
  const std::lock_guard lock(mutex_);
  jobs_ = std::max(jobs, 1u);
}

Estimate::Stretch& Estimate::stretch_of(std::uint64_t file) {
  while (file / files_in_stretch_ >= kMostStretches) {  // two become one
    for (std::size_t i = 0; 2 * i < stretches_.size(); ++i) {
      Stretch both = std::move(stretches_[2 * i]);
      if (2 * i + 1 < stretches_.size())
        for (const auto& [work, done] : stretches_[2 * i + 1]) {
          both[work].files += done.files;
          both[work].read += done.read;
          both[work].converted += done.converted;
        }
      stretches_[i] = std::move(both);
    }
    stretches_.resize((stretches_.size() + 1) / 2);
    files_in_stretch_ *= 2;
  }
  const auto at = static_cast<std::size_t>(file / files_in_stretch_);
  if (at >= stretches_.size()) stretches_.resize(at + 1);
  return stretches_[at];
}

void Estimate::plan(const WorkClass& work) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t file = planned_++;
  if (file >= begun_) stretch_of(file)[work].files += 1;
}

void Estimate::begin(std::uint64_t file, const WorkClass& work) {
  const std::lock_guard lock(mutex_);
  if (file >= planned_) stretch_of(file)[work].files += 1;
  begun_ = std::max(begun_, file + 1);
}

void Estimate::plan_is_whole() {
  const std::lock_guard lock(mutex_);
  whole_ = true;
}

void Estimate::was_read(std::uint64_t file, const WorkClass& work, double share, double seconds) {
  const std::lock_guard lock(mutex_);
  stretch_of(file)[work].read += share;
  costs_[work].add({share, seconds, 0, 0});
  const double weight = share * weight_of(work);
  kinds_[{work.kind, work.unchanged}].add({weight, seconds, 0, 0});
  all_[work.unchanged ? 1 : 0].add({weight, seconds, 0, 0});
}

void Estimate::was_converted(std::uint64_t file, const WorkClass& work, double share, double seconds) {
  const std::lock_guard lock(mutex_);
  stretch_of(file)[work].converted += share;
  costs_[work].add({0, 0, share, seconds});
  const double weight = share * weight_of(work);
  kinds_[{work.kind, work.unchanged}].add({0, 0, weight, seconds});
  if (work.holds_programs) all_[work.unchanged ? 1 : 0].add({0, 0, weight, seconds});
}

Estimate::Means Estimate::means_of(const WorkClass& work) const {
  // A class of which little was seen is thought to be like its kind, a kind that was not seen like all others; but what
  // is no program by its first bytes has nothing to convert until it shows (--scan).
  const auto mean = [&](bool reads, double Cost::* files, double Cost::* seconds) {
    const Cost* all = &all_[work.unchanged ? 1 : 0];
    if (reads && all->*files == 0) all = &all_[work.unchanged ? 0 : 1];  // what is unchanged is read all the same
    double rate = all->*files > 0 && (reads || work.holds_programs) ? all->*seconds / all->*files : 0;
    if (const auto kind = kinds_.find({work.kind, work.unchanged}); kind != kinds_.end() && kind->second.*files > 0)
      rate = kind->second.*seconds / kind->second.*files;
    const double prior = rate * weight_of(work);
    const auto known = costs_.find(work);
    if (known == costs_.end()) return prior;
    return (known->second.*seconds + kPriorFiles * prior) / (known->second.*files + kPriorFiles);
  };
  return {mean(true, &Cost::read_files, &Cost::read_seconds),
          mean(false, &Cost::converted_files, &Cost::converted_seconds)};
}

std::optional<double> Estimate::remaining(double elapsed) const {
  const std::lock_guard lock(mutex_);
  const bool begun = all_[0].read_files + all_[1].read_files > 0;
  if (!whole_ || !begun) return std::nullopt;
  std::map<WorkClass, Means> means;
  double done = 0, left = 0;
  for (const Stretch& stretch : stretches_) {
    double read_done = 0, converted_done = 0, read_left = 0, converted_left = 0;
    for (const auto& [work, amount] : stretch) {
      auto mean = means.find(work);
      if (mean == means.end()) mean = means.emplace(work, means_of(work)).first;
      read_done += amount.read * mean->second.read;
      converted_done += amount.converted * mean->second.converted;
      read_left += std::max(0.0, amount.files - amount.read) * mean->second.read;
      converted_left += std::max(0.0, amount.files - amount.converted) * mean->second.converted;
    }
    done += std::max(read_done, converted_done / jobs_);
    left += std::max(read_left, converted_left / jobs_);
  }
  // Threads that wait for each other make everything longer, and what is short overlaps with its neighbours.
  const double stretched = done > 0 ? std::clamp(elapsed / done, 0.25, 8.0) : 1;
  return left * stretched;
}

}  // namespace amdcompat::migrate
