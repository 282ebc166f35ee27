#include "read_inputs.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <amdcompat/code_object.hpp>
#include <amdcompat/identify.hpp>

#include "archive.hpp"
#include "database.hpp"
#include "program.hpp"
#include "read_some.hpp"
#include "scan.hpp"
#include "walk.hpp"

namespace amdcompat::migrate {

namespace {

// What is not of interest by itself: a program may be inside.
bool is_container_of_anything(FileKind kind) {
  return kind == FileKind::Empty || kind == FileKind::Encrypted || kind == FileKind::OtherElf ||
         kind == FileKind::Unknown;
}

// Who gets what is read. False from `take`: nobody wants more.
class Taker {
 public:
  Taker() = default;
  Taker(const Taker&) = delete;
  Taker& operator=(const Taker&) = delete;
  virtual ~Taker() = default;
  // The file that what comes next is of.
  virtual void begin(const WalkEntry&) {}
  virtual void is(std::string_view /*head*/) {}  // its first bytes
  virtual void reached(double /*share*/) {}  // of it, from 0 to 1
  virtual void end() {}
  virtual bool is_done(const std::string& path, const Digest& digest) = 0;
  virtual bool take(std::string bytes, const Digest& digest) = 0;
  virtual bool take(FileRecord record, bool named) = 0;
};

// Puts what has to be done into the queue.
class QueueTaker : public Taker {
 public:
  QueueTaker(const Options& options, Queue& queue, Shared& shared)
      : options_(options), queue_(queue), shared_(shared) {}

  void begin(const WalkEntry& entry) override {
    if (options_.progress == nullptr) return;
    size_ = entry.size;
    reached_ = given_ = 0;
    begun_ = false;
    const std::lock_guard lock(shared_.mutex);
    unchanged_ = shared_.state->knows(entry.path);
    work_ = work_class({}, size_, unchanged_);
    since_ = std::chrono::steady_clock::now();
  }
  void is(std::string_view head) override { work_ = work_class(head.substr(0, kHeadBytes), size_, unchanged_); }
  void reached(double share) override { reached_ = std::max(reached_, std::min(share, 1.0)); }
  void end() override {
    if (options_.progress == nullptr) return;
    // Found unchanged: nothing of it comes to the other threads.
    if (given_ < 1) {
      begin_work();
      const double left = 1 - given_;
      options_.progress->estimate.was_read(number_, work_, left, seconds());
      options_.progress->estimate.was_converted(number_, work_, left, 0);
    }
    ++number_;
  }

  bool is_done(const std::string& path, const Digest& digest) override {
    const std::lock_guard lock(shared_.mutex);
    if (!shared_.state->has_file(path, digest)) return false;
    if (options_.progress != nullptr) {
      ++options_.progress->unchanged;
      ++options_.progress->files;
      options_.progress->bytes += size_;
    }
    return true;
  }

  bool take(std::string bytes, const Digest& digest) override {
    {
      const std::lock_guard lock(shared_.mutex);
      if (shared_.on_the_way.contains(digest) || shared_.state->find_program(digest)) return true;
      shared_.on_the_way.insert(digest);
    }
    auto item = std::make_unique<Item>();
    item->bytes = std::move(bytes);
    item->digest = digest;
    return push(std::move(item));
  }

  bool take(FileRecord record, bool named) override {
    auto item = std::make_unique<Item>();
    item->whole = record.root.empty();
    item->named = named;
    item->last = record.root.empty();
    item->bytes_read = size_;
    item->file = std::move(record);
    return push(std::move(item));
  }

 private:
  // What a file holds may be known before it is read; its record takes what is left of it.
  bool push(std::unique_ptr<Item> item) {
    if (options_.progress == nullptr) return queue_.push(std::move(item));
    begin_work();
    item->number = number_;
    item->work = work_;
    item->share = item->last ? 1 - given_ : std::max(0.0, reached_ - given_);
    given_ += item->share;
    options_.progress->estimate.was_read(number_, work_, item->share, seconds());
    const bool wanted = queue_.push(std::move(item));
    since_ = std::chrono::steady_clock::now();  // waiting for room is no work
    return wanted;
  }
  void begin_work() {
    if (!std::exchange(begun_, true)) options_.progress->estimate.begin(number_, work_);
  }
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(since_, now)).count();
  }

  const Options& options_;
  Queue& queue_;
  Shared& shared_;
  std::uint64_t number_ = 0, size_ = 0;  // of the file that is being read
  WorkClass work_;
  bool unchanged_ = false, begun_ = false;
  double reached_ = 0, given_ = 0;  // of it: read, and pushed
  std::chrono::steady_clock::time_point since_{};
};

// Counts distinct programs, with memory that does not grow with them.
class Census : public Taker {
 public:
  Census() {
    constexpr const char* kInsert = "INSERT OR IGNORE INTO program VALUES(?)";
    if (seen_.open({}, false) == SQLITE_OK &&
        seen_.execute("CREATE TABLE program(hash BLOB PRIMARY KEY) WITHOUT ROWID") == SQLITE_OK)
      seen_.prepare({&kInsert, 1});
  }

  bool is_done(const std::string&, const Digest&) override { return false; }
  bool take(std::string, const Digest& digest) override {
    seen_.begin();
    Statement(seen_, 0).blob({reinterpret_cast<const char*>(digest.data()), digest.size()}).step();
    return seen_.error().empty();
  }
  bool take(FileRecord, bool) override { return true; }

  Result<std::uint64_t> count() {
    std::int64_t out = 0;
    seen_.number("SELECT count(*) FROM program", out);
    if (seen_.error().empty()) return static_cast<std::uint64_t>(out);
    return std::unexpected(
        make_diagnostic(Code::StateBroken, {}, fmt::format("cannot count the programs: {}", seen_.error())));
  }

 private:
  Database seen_;
};

// Reads inputs.
class Producer {
 public:
  Producer(const Options& options, Taker& taker) : options_(options), limits_(options.policy.limits), taker_(taker) {}

  bool run() {
    Walker walker(options_.inputs, options_.output);
    while (const auto entry = walker.next()) {
      if (options_.stop != nullptr && options_.stop->load()) {
        interrupted_ = true;
        break;
      }
      if (!is_in_shard(entry->path, options_.shard)) continue;
      taker_.begin(*entry);
      const bool going_on = read_file(*entry);
      taker_.end();
      if (!going_on) break;
    }
    return !interrupted_;
  }

 private:
  // False: nobody wants more.
  bool read_file(const WalkEntry& entry) {
    FileRecord record;
    record.path = entry.path;
    record.size = entry.size;
    if (entry.problem) return fail(std::move(record), *entry.problem);
    const FileDescriptor file(::open(entry.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat before{};
    if (file.get() < 0 || ::fstat(file.get(), &before) != 0) return fail(std::move(record), unreadable());
    record.size = static_cast<std::uint64_t>(before.st_size);
    ordinal_ = 0;
    root_ = entry.path;
    budget_ = {};

    bool going_on = true;
    if (record.size <= limits_.program_bytes) {
      std::string bytes;
      if (!read_up_to(read_from(file.get()), limits_.program_bytes, record.size, bytes))
        return fail(std::move(record), unreadable());
      taker_.is(bytes);
      if (bytes.size() != record.size) return fail(std::move(record), changed());
      const Digest digest = sha256(bytes);
      record.sha256 = to_hex(digest);
      if (taker_.is_done(entry.path, digest)) return true;
      going_on = contents(record, std::move(bytes), digest, 1);
    } else {
      const auto digest = hash_of(file.get());
      if (!digest) return fail(std::move(record), unreadable());
      record.sha256 = to_hex(*digest);
      if (taker_.is_done(entry.path, *digest)) return true;
      going_on = large_contents(record, file.get());
    }
    struct stat after{};
    if (::fstat(file.get(), &after) != 0 || after.st_size != before.st_size ||
        after.st_mtim.tv_sec != before.st_mtim.tv_sec || after.st_mtim.tv_nsec != before.st_mtim.tv_nsec)
      return fail(std::move(record), changed());
    return going_on && taker_.take(std::move(record), entry.named);
  }

  static Diagnostic unreadable() {
    return make_diagnostic(Code::FileUnreadable, {}, fmt::format("cannot read it: {}", std::strerror(errno)));
  }
  static Diagnostic changed() { return make_diagnostic(Code::FileChanged, {}, "the file changed while it was read"); }

  static std::optional<Digest> hash_of(int descriptor) {
    Sha256 hash;
    std::string block(kBlock, '\0');
    const ReadSome read = read_from(descriptor);
    for (;;) {
      const std::ptrdiff_t got = read(block.data(), block.size());
      if (got < 0) return std::nullopt;
      if (got == 0) return hash.finish();
      hash.add({block.data(), static_cast<std::size_t>(got)});
    }
  }

  // A file whose bytes are all here. `depth` counts archives, this one included.
  bool contents(FileRecord& record, std::string bytes, const Digest& digest, std::uint64_t depth) {
    const FileKind kind = identify(std::as_bytes(std::span(bytes)));
    record.kind = kind_name(kind);
    if (options_.policy.archives && is_container_of_anything(kind) && is_archive(bytes)) {
      record.kind = "archive";
      if (depth > limits_.archive_depth) {
        fail_archive(record, make_diagnostic(Code::ArchiveLimit, {},
                                             fmt::format("archives are nested deeper than {}", limits_.archive_depth)));
        return true;
      }
      ArchiveReader archive(bytes, limits_, budget_);
      return members(record, archive, depth);
    }
    if (kind == FileKind::OffloadBundle) return bundle(record, bytes);
    if (!is_container_of_anything(kind)) {
      record.programs.push_back({record.sha256, 0, bytes.size(), {}});
      if (record.root.empty()) taker_.reached(1);
      return taker_.take(std::move(bytes), digest);
    }
    return !options_.policy.scan || scan(record, read_from(bytes));
  }

  // A file larger than any program.
  bool large_contents(FileRecord& record, int descriptor) {
    std::string head;
    if (::lseek(descriptor, 0, SEEK_SET) != 0 || !read_up_to(read_from(descriptor), kBlock, kBlock, head)) {
      fail_archive(record, unreadable());
      return true;
    }
    taker_.is(head);
    const FileKind kind = identify(std::as_bytes(std::span(head)));
    record.kind = kind_name(kind);
    if (options_.policy.archives && is_container_of_anything(kind) && is_archive(head)) {
      record.kind = "archive";
      ArchiveReader archive(descriptor, record.size, limits_, budget_);
      return members(record, archive, 1);
    }
    if (options_.policy.scan) {
      if (::lseek(descriptor, 0, SEEK_SET) == 0) return scan(record, read_from(descriptor));
      fail_archive(record, unreadable());
    } else if (!is_container_of_anything(kind)) {
      add_finding(record, make_diagnostic(Code::FileTooLarge, {},
                                          fmt::format("{} bytes; a program has at most {} (limits.program-bytes)",
                                                      record.size, limits_.program_bytes)));
      record.outcome = Outcome::Refused;
    }
    return true;
  }

  bool bundle(FileRecord& record, const std::string& bytes) {
    Diagnostics findings(Mode::Lenient, kMostFindings);
    std::vector<hsa::BundleEntry> entries = hsa::read_bundle(bytes, findings);
    std::erase_if(entries, [](const hsa::BundleEntry& entry) { return hsa::bundle_target(entry.id).empty(); });
    std::ranges::stable_sort(entries, {}, [](const hsa::BundleEntry& entry) { return entry.where.begin; });
    for (Finding& finding : findings_of(findings, {})) record.findings.push_back(std::move(finding));
    if (findings.has_errors()) record.outcome = Outcome::Failed;
    for (const hsa::BundleEntry& entry : entries)
      if (!found(record, {entry.where.begin, bytes.substr(entry.where.begin, entry.where.size), entry.id}))
        return false;
    return true;
  }

  bool scan(FileRecord& record, ReadSome read) {
    Scanner scanner(std::move(read), limits_.program_bytes);
    while (auto carved = scanner.next())
      if (!found(record, std::move(*carved))) return false;
    if (scanner.broken()) fail_archive(record, unreadable());
    return true;
  }

  bool found(FileRecord& record, Carved carved) {
    const Digest digest = sha256(carved.bytes);
    record.programs.push_back({to_hex(digest), carved.offset, carved.bytes.size(), std::move(carved.entry)});
    if (record.root.empty() && record.size != 0)
      taker_.reached(static_cast<double>(carved.offset + record.programs.back().size) /
                     static_cast<double>(record.size));
    return taker_.take(std::move(carved.bytes), digest);
  }

  // Members of an archive, each a file of its own.
  bool members(FileRecord& record, ArchiveReader& archive, std::uint64_t depth) {
    while (auto name = archive.next()) {
      if (options_.stop != nullptr && options_.stop->load()) {
        interrupted_ = true;
        return false;
      }
      FileRecord member;
      member.path = fmt::format("{}!/{}", record.path, *name);
      member.root = root_;
      member.ordinal = ++ordinal_;
      if (depth == 1 && record.size != 0)
        taker_.reached(static_cast<double>(archive.position()) / static_cast<double>(record.size));
      if (!read_member(member, archive, depth)) return false;
    }
    if (archive.problem()) fail_archive(record, *archive.problem());
    return true;
  }

  bool read_member(FileRecord& member, ArchiveReader& archive, std::uint64_t depth) {
    const ReadSome read = [&](char* to, std::size_t size) { return archive.read(to, size); };
    std::string bytes;
    if (!read_up_to(read, limits_.program_bytes + 1, 0, bytes)) {
      member.size = bytes.size();
      return unread(std::move(member), archive);
    }
    if (bytes.size() <= limits_.program_bytes) {
      member.size = bytes.size();
      const Digest digest = sha256(bytes);
      member.sha256 = to_hex(digest);
      return contents(member, std::move(bytes), digest, depth + 1) && taker_.take(std::move(member), false);
    }
    return large_member(member, read, archive, std::move(bytes));
  }

  // Too large for a program or for an archive in memory: searched as it passes by.
  bool large_member(FileRecord& member, const ReadSome& read, ArchiveReader& archive, std::string head) {
    const FileKind kind = identify(std::as_bytes(std::span(head)).first(std::min(head.size(), kBlock)));
    member.kind = kind_name(kind);
    const bool nested = options_.policy.archives && is_container_of_anything(kind) && is_archive(head);
    Sha256 hash;
    ReadSome first = read_from(head);
    std::ptrdiff_t last = 0;
    const ReadSome hashed = [&](char* to, std::size_t size) {
      last = first(to, size);
      if (last == 0) last = read(to, size);
      if (last > 0) {
        hash.add({to, static_cast<std::size_t>(last)});
        member.size += static_cast<std::uint64_t>(last);
      }
      return last;
    };
    if (options_.policy.scan && !nested) {
      Scanner scanner(hashed, limits_.program_bytes);
      while (auto carved = scanner.next())
        if (!found(member, std::move(*carved))) return false;
    } else {
      std::string block(kBlock, '\0');
      while (hashed(block.data(), block.size()) > 0) {
      }
    }
    if (last < 0) return unread(std::move(member), archive);
    member.sha256 = to_hex(hash.finish());
    if (nested) {
      member.kind = "archive";
      fail_archive(member, make_diagnostic(Code::ArchiveLimit, {},
                                           fmt::format("an archive of {} bytes in an archive; at most {} are unpacked",
                                                       member.size, limits_.program_bytes)));
    } else if (!is_container_of_anything(kind) && !options_.policy.scan) {
      add_finding(member, make_diagnostic(Code::FileTooLarge, {},
                                          fmt::format("{} bytes; a program has at most {} (limits.program-bytes)",
                                                      member.size, limits_.program_bytes)));
      member.outcome = Outcome::Refused;
    }
    return taker_.take(std::move(member), false);
  }

  bool unread(FileRecord member, const ArchiveReader& archive) {
    return fail(std::move(member), archive.problem().value_or(unreadable()));
  }

  void fail_archive(FileRecord& record, const Diagnostic& problem) {
    add_finding(record, problem);
    record.outcome = Outcome::Failed;
  }

  bool fail(FileRecord record, const Diagnostic& problem) {
    add_finding(record, problem);
    // What is only noted (links, devices) is no failure.
    if (record.outcome == Outcome::None && problem.severity != Severity::Note) record.outcome = Outcome::Failed;
    return taker_.take(std::move(record), false);
  }

  const Options& options_;
  const Limits& limits_;
  Taker& taker_;
  std::string root_;           // the file of the file system that is being read
  std::uint64_t ordinal_ = 0;  // of its last member
  ArchiveBudget budget_;
  bool interrupted_ = false;
};

}  // namespace

bool read_inputs(const Options& options, Queue& queue, Shared& shared) {
  QueueTaker taker(options, queue, shared);
  const bool whole = Producer(options, taker).run();
  queue.finish();
  return whole;
}

void plan_work(const Options& options, Shared& shared, const std::function<bool()>& stopped) {
  Walker walker(options.inputs, options.output);
  std::string head;
  while (const auto entry = walker.next()) {
    if (stopped()) return;
    if (!is_in_shard(entry->path, options.shard)) continue;
    head.clear();
    if (!entry->problem) {
      const FileDescriptor file(::open(entry->path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
      if (file.get() < 0 || !read_up_to(read_from(file.get()), kHeadBytes, kHeadBytes, head)) head.clear();
    }
    bool unchanged = false;
    {
      const std::lock_guard lock(shared.mutex);
      unchanged = shared.state->knows(entry->path);
    }
    options.progress->estimate.plan(work_class(head, entry->size, unchanged));
  }
  options.progress->estimate.plan_is_whole();
}

Result<std::uint64_t> count_programs(const Options& options) {
  Options all = options;
  all.shard.reset();
  all.progress = nullptr;
  Census census;
  Producer(all, census).run();
  return census.count();
}

}  // namespace amdcompat::migrate
