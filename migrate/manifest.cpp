// A manifest as a file: lines, and the order of records.
#include "manifest.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <compare>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <amdcompat/pipeline.hpp>

#include "parallel.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::array<std::string_view, 8> kOutcomes{"none",      "as-it-is", "proved",  "converted",
                                                    "described", "partial",  "refused", "failed"};
constexpr std::array<std::string_view, 8> kOutcomeTexts{"without kernels", "runs as it is",  "converted and proved",
                                                        "converted",       "described only", "partial",
                                                        "refused",         "failed"};
constexpr std::size_t kMostLineBytes = std::size_t{256} << 20;

// What orders records of one kind, and kinds. Paths are compared as bytes.
struct Order {
  std::size_t kind = 0;
  std::string first;
  std::uint64_t second = 0;
  auto operator<=>(const Order&) const = default;
};
Order order_of(const Record& record) {
  Order out{record.index(), {}, 0};
  if (const auto* const file = std::get_if<FileRecord>(&record)) {
    out.first = file->root.empty() ? file->path : file->root;
    out.second = file->ordinal;
  } else if (const auto* const program = std::get_if<ProgramRecord>(&record)) {
    out.first = program->sha256;
  }
  return out;
}

// A line without its end, of at most kMostLineBytes: a longer one is cut there.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  std::array<char, 1u << 16> part;
  for (;;) {
    in.getline(part.data(), part.size());
    const auto got = static_cast<std::size_t>(in.gcount());
    if (in.eof()) {
      line.append(part.data(), got);
      return !line.empty();
    }
    if (!in.fail()) {
      line.append(part.data(), got - 1);  // the line end counts
      return true;
    }
    if (in.bad() || got == 0) return false;
    line.append(part.data(), got);
    if (line.size() > kMostLineBytes) return true;
    in.clear();
  }
}

}  // namespace

std::string_view outcome_name(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }
std::string_view outcome_text(Outcome outcome) { return kOutcomeTexts[static_cast<std::size_t>(outcome)]; }

std::optional<Outcome> outcome_from_name(std::string_view name) {
  const auto found = std::ranges::find(kOutcomes, name);
  if (found == kOutcomes.end()) return std::nullopt;
  return static_cast<Outcome>(found - kOutcomes.begin());
}

std::string target_of(const ProgramRecord& program, const ManifestKernel& kernel) {
  if (std::ranges::find(kRunning, kernel.outcome) == kRunning.end()) return {};
  const auto object = std::ranges::find_if(program.outputs, [&](const ManifestOutput& output) {
    return output.form == "elf" && output.layout == kernel.layout;
  });
  return object == program.outputs.end() ? std::string() : object->target;
}

std::map<std::string, TargetCounts> targets_of(const ProgramRecord& program) {
  std::map<std::string, TargetCounts> out;
  for (const ManifestKernel& kernel : program.kernels)
    if (const std::string target = target_of(program, kernel); !target.empty()) {
      TargetCounts& counts = out[target];
      counts.programs = 1;
      ++counts.kernels[static_cast<std::size_t>(kernel.outcome)];
    }
  return out;
}

bool is_lifted(const ManifestKernel& kernel) {
  return kernel.lift && kernel.lift->result != pipeline::outcome_name(pipeline::LiftOutcome::Refused);
}

std::string lifted_text(const SummaryRecord& summary) {
  std::uint64_t all = 0;
  std::string parts;
  for (const pipeline::LiftOutcome outcome : pipeline::kLiftOutcomes) {
    const std::uint64_t n = summary.lifted[static_cast<std::size_t>(outcome)];
    all += n;
    if (n != 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", n, pipeline::outcome_name(outcome));
  }
  return all == 0 ? std::string() : fmt::format("{} kernel{}: {}", all, all == 1 ? "" : "s", parts);
}

bool read_manifest(const std::string& path, const std::function<bool(Record&&)>& visit, Diagnostics& diagnostics,
                   unsigned jobs) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    diagnostics.report(Code::FileUnreadable, {}, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    return false;
  }
  struct Item {
    std::string line;
    std::optional<Result<Record>> record;
  };
  bool good = true, wanted = true;
  const auto fail = [&](std::uint64_t number, std::string_view why) {
    diagnostics.report(Code::ManifestBroken, {}, fmt::format("{}:{}: {}", path, number, why));
    good = false;
  };
  Order last;
  std::uint64_t number = 0;
  const auto take = [&](Item& item) {
    if (!good || !wanted) return;
    ++number;
    if (item.line.size() > kMostLineBytes) return fail(number, "the line is too long");
    if (!*item.record) return fail(number, item.record->error().message);
    Order order = order_of(**item.record);
    if (number == 1 ? order.kind != 0 : order <= last) return fail(number, "the record is out of order");
    last = std::move(order);
    wanted = visit(std::move(**item.record));
  };
  std::atomic<bool> done = false;
  constexpr std::size_t kForEach = 4;  // lines may be long
  run_pipeline(jobs, kForEach, begin_turns<Item>([&](Item& item) -> std::optional<std::size_t> {
                                 if (done || !read_line(in, item.line)) return std::nullopt;
                                 return item.line.size();
                               }) & each_in_turn<Item>(tbb::filter_mode::parallel, [](Item& item) {
                                 if (item.line.size() <= kMostLineBytes) item.record = parse_line(item.line);
                               }) & end_turns<Item>([&](Item& item) {
                                 take(item);
                                 done = !good || !wanted;
                               }));
  if (good && wanted && last.kind != std::variant_size_v<Record> - 1)
    fail(number, "the manifest ends before its summary");
  return good;
}

}  // namespace amdcompat::migrate
