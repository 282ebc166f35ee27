// The estimate of the end, against models of the work with a clock of their own.
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <estimate.hpp>

namespace amdcompat::migrate::estimate_test {
namespace {

struct File {
  WorkClass work;
  double read = 0, converted = 0;  // seconds of one thread
  int pieces = 1;  // programs, of an archive
};

// The files in their order through one thread that reads and `jobs` that convert, of which the first is at most
// `ahead` programs ahead. Gives the largest error of the estimate in the second half, as a part of what was left;
// what is wrong by less than a fiftieth of the whole run does not count.
double worst_error(const std::vector<File>& files, unsigned jobs, std::size_t ahead = 64) {
  struct Event {
    double at = 0;
    std::uint64_t file = 0;
    bool read = false;
    double share = 0, seconds = 0;
  };
  std::vector<Event> events;
  std::priority_queue<double, std::vector<double>, std::greater<>> threads;
  for (unsigned i = 0; i < jobs; ++i) threads.push(0);
  std::vector<double> done;
  double reader = 0, end = 0;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (int piece = 0; piece < files[i].pieces; ++piece) {
      const double share = 1.0 / files[i].pieces, read = files[i].read * share, converted = files[i].converted * share;
      reader += read;
      events.push_back({reader, i, true, share, read});
      if (done.size() >= ahead) reader = std::max(reader, done[done.size() - ahead]);
      const double begun = std::max(reader, threads.top());
      threads.pop();
      threads.push(begun + converted);
      done.push_back(begun + converted);
      events.push_back({done.back(), i, false, share, converted});
      end = std::max({end, reader, done.back()});
    }
  std::ranges::stable_sort(events, {}, &Event::at);

  Estimate estimate(jobs);
  EXPECT_FALSE(estimate.remaining(1));
  for (const File& file : files) estimate.plan(file.work);
  estimate.plan_is_whole();
  EXPECT_FALSE(estimate.remaining(1));  // nothing is done by which it could be told
  double worst = 0;
  std::size_t at = 0;
  for (int sample = 1; sample < 200; ++sample) {
    const double now = end * sample / 200;
    for (; at < events.size() && events[at].at <= now; ++at) {
      const Event& event = events[at];
      const WorkClass& work = files[event.file].work;
      if (event.read) {
        estimate.begin(event.file, work);
        estimate.was_read(event.file, work, event.share, event.seconds);
      } else {
        estimate.was_converted(event.file, work, event.share, event.seconds);
      }
    }
    if (now < end / 2) continue;
    const auto left = estimate.remaining(now);
    EXPECT_TRUE(left) << now;
    const double wrong = std::abs(left.value_or(0) - (end - now));
    if (wrong > end / 50) worst = std::max(worst, wrong / (end - now));
  }
  return worst;
}

constexpr std::uint32_t kText = 1, kVliw = 2, kGcn = 3, kOther = 4, kObject = 5;  // the fourth is no program

WorkClass of(std::uint32_t kind, double bytes, bool unchanged = false) {
  return {kind, static_cast<std::uint32_t>(std::max(0.0, std::log2(std::max(bytes, 1.0)) + 1)), unchanged,
          kind != kOther};
}

// A tree of directories, each of one kind, with sizes that vary a hundredfold. What a program takes goes with its size
// and varies besides by the factor `spread` up or down.
std::vector<File> tree(std::size_t count, const std::function<double(std::uint32_t kind, double bytes)>& seconds,
                       double spread = 2) {
  std::mt19937_64 random(7);
  std::vector<File> out;
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t kind = std::array{kText, kVliw, kGcn, kOther, kGcn, kText, kGcn}[i * 7 / count];
    const double bytes = 2000 * std::exp2(normal(random) * 1.1 + 3);
    out.push_back({of(kind, bytes), 20e-6 + bytes * 1e-9,
                   kind == kOther ? 0 : seconds(kind, bytes) * std::pow(spread, normal(random)), 1});
  }
  return out;
}

TEST(Estimate, IsRightInTheSecondHalfOfPlainRuns) {
  const auto convert = [](std::uint32_t kind, double bytes) { return (kind == kText ? 1e-4 : 2e-4) + bytes * 5e-9; };
  for (const unsigned jobs : {1u, 2u, 8u}) EXPECT_LT(worst_error(tree(4000, convert), jobs), 0.3) << jobs;
}

TEST(Estimate, IsRightInTheSecondHalfWhereProofsTakeMostOfTheTime) {
  // Code of GCN is run, a thousand times as long as it takes to convert the rest.
  const auto prove = [](std::uint32_t kind, double bytes) { return kind == kGcn ? 0.2 + bytes * 2e-6 : 2e-4; };
  for (const unsigned jobs : {1u, 2u, 8u}) EXPECT_LT(worst_error(tree(4000, prove, 3), jobs), 0.3) << jobs;
}

TEST(Estimate, IsRightInTheSecondHalfWhereCodeIsLifted) {
  const auto lift = [](std::uint32_t kind, double bytes) { return kind == kGcn ? bytes * 1e-6 : 2e-4; };
  for (const unsigned jobs : {1u, 2u, 8u}) EXPECT_LT(worst_error(tree(4000, lift, 1.6), jobs), 0.3) << jobs;
}

TEST(Estimate, IsRightInTheSecondHalfWhereReadingTakesMost) {
  std::vector<File> files = tree(2000, [](std::uint32_t, double) { return 2e-4; });
  for (int i = 0; i < 600; ++i) {
    files.push_back({of(kOther, 1e9), 0.5, 0, 1});  // searched, and nothing found
    if (i > 200) files.push_back({of(kObject, 1e4), 3e-5, 0.6, 1});
  }
  for (const unsigned jobs : {1u, 2u, 8u}) EXPECT_LT(worst_error(files, jobs), 0.3) << jobs;
}

TEST(Estimate, IsRightInTheSecondHalfOfARunThatGoesOn) {
  const auto convert = [](std::uint32_t kind, double bytes) { return kind == kGcn ? 1e-2 + bytes * 1e-7 : 2e-4; };
  for (const bool first : {true, false}) {
    std::vector<File> files = tree(4000, convert);
    for (std::size_t i = 0; i < files.size() / 2; ++i) {
      File& file = files[first ? i : files.size() - 1 - i];
      file.work.unchanged = true;
      file.converted = 0;
    }
    for (const unsigned jobs : {1u, 4u}) EXPECT_LT(worst_error(files, jobs), 0.3) << first << jobs;
  }
}

TEST(Estimate, IsRightInTheSecondHalfOfOneArchive) {
  EXPECT_LT(worst_error({{of(kOther, 1e9), 10, 100, 1000}}, 2), 0.3);
}

TEST(Estimate, FilesThatTheReaderReachedFirstArePlannedOnce) {
  Estimate estimate(1);
  const WorkClass work = of(kGcn, 1000);
  for (std::uint64_t i = 0; i < 50; ++i) {
    estimate.begin(i, work);
    estimate.was_read(i, work, 1, 0.001);
    estimate.was_converted(i, work, 1, 1);
  }
  for (std::uint64_t i = 0; i < 100; ++i) estimate.plan({work.kind, work.size, i < 40});  // it sees what the run did
  EXPECT_FALSE(estimate.remaining(50));  // the plan may go on
  estimate.plan_is_whole();
  EXPECT_NEAR(estimate.remaining(50).value(), 50, 0.5);
  // However many files there are, what is kept is bounded; nothing is lost.
  Estimate many(1);
  for (std::uint64_t i = 0; i < 100'000; ++i) many.plan(work);
  many.plan_is_whole();
  many.begin(0, work);
  many.was_read(0, work, 1, 0);
  many.was_converted(0, work, 1, 2);
  EXPECT_NEAR(many.remaining(2).value(), 2 * 99'999.0, 1);
}

TEST(Estimate, FilesOfADeviceAndSizeAreAClass) {
  std::string elf("\x7f"
                  "ELF\1\1\1",
                  7);
  elf.resize(64);
  elf[18] = static_cast<char>(0xf2);  // 1010, a device of OpenCL 1.x
  elf[19] = 3;
  const WorkClass one = work_class(elf, 64, false);
  elf[18] = static_cast<char>(0xf3);
  EXPECT_NE(work_class(elf, 64, false), one);
  EXPECT_NE(work_class(elf, 200, false), work_class(elf, 64, false));
  EXPECT_EQ(work_class(elf, 65, false), work_class(elf, 127, false));
  EXPECT_NE(work_class(elf, 64, true), work_class(elf, 64, false));
  EXPECT_NE(work_class("\x1f\x8b\x08", 64, false), work_class("any text\n", 64, false));
}

}  // namespace
}  // namespace amdcompat::migrate::estimate_test
