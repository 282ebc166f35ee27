#include "migrate.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include <fcntl.h>
#include <nettle/sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <amdcompat/cl1.hpp>
#include <amdcompat/code_object.hpp>
#include <amdcompat/version.hpp>

#include "archive.hpp"
#include "output.hpp"
#include "program.hpp"
#include "scan.hpp"
#include "state.hpp"
#include "walk.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr std::uint64_t kItemBytes = 4096;  // what an item takes besides its program
constexpr std::uint64_t kOnTheWay = std::uint64_t{16} << 20;  // bytes between reading and recording

// A program to convert, or a file all of whose programs came before it.
struct Item {
  std::string bytes;
  Digest digest{};
  std::optional<Migrated> done;
  std::optional<Diagnostic> failed;  // an output could not be written
  std::optional<FileRecord> file;
  bool whole = true;   // the file's members are all there, and stand for what the path holds now
  bool named = false;  // an input itself
  std::uint64_t cost = 0;
};

// From the reading thread to the others, bounded in bytes. A single larger program passes alone.
class Queue {
 public:
  // When `stop` is set, what nobody has begun is dropped.
  explicit Queue(const std::atomic<bool>* stop) : stop_(stop) {}
  // False: nobody wants more.
  bool push(std::unique_ptr<Item> item) {
    item->cost = item->bytes.size() + kItemBytes;
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return on_the_way_ == 0 || on_the_way_ + item->cost <= kOnTheWay || closed_; });
    if (closed_) return false;
    on_the_way_ += item->cost;
    items_.push_back(std::move(item));
    more_.notify_one();
    return true;
  }
  // Null at the end.
  std::unique_ptr<Item> pop() {
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
  void release(const Item& item) {
    const std::lock_guard lock(mutex_);
    on_the_way_ -= item.cost;
    room_.notify_one();
  }
  void finish() {  // nothing more comes
    const std::lock_guard lock(mutex_);
    finished_ = true;
    more_.notify_all();
  }
  [[nodiscard]] bool cut() const { return cut_; }  // something was dropped; to be asked at the end
  void close() {  // nothing more is taken
    const std::lock_guard lock(mutex_);
    closed_ = true;
    more_.notify_all();
    room_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable room_, more_;
  std::deque<std::unique_ptr<Item>> items_;
  std::uint64_t on_the_way_ = 0;
  bool finished_ = false, closed_ = false, cut_ = false;
  const std::atomic<bool>* stop_;
};

// What both sides know of programs: those on the way, and the records of those that are done.
struct Shared {
  std::mutex mutex;
  State* state = nullptr;
  std::set<Digest> on_the_way;
};

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

ReadSome read_from(int descriptor) {
  return [descriptor](char* to, std::size_t size) {
    ssize_t got = 0;
    do got = ::read(descriptor, to, size);
    while (got < 0 && errno == EINTR);
    return static_cast<std::ptrdiff_t>(got);
  };
}

// Up to `most` bytes, `expected` of them probably; false when they cannot be read.
bool read_up_to(const ReadSome& read, std::uint64_t most, std::uint64_t expected, std::string& out) {
  out.clear();
  // One byte more shows the end without growing; what is kept is not much larger than what it holds.
  std::size_t room = static_cast<std::size_t>(std::min(expected + 1, most));
  while (out.size() < most) {
    const std::size_t had = out.size();
    out.resize(std::max(room, had + 1));
    const std::ptrdiff_t got = read(out.data() + had, out.size() - had);
    out.resize(had + static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
    if (got <= 0) return got == 0;
    if (out.size() == room) room = static_cast<std::size_t>(std::min<std::uint64_t>(most, std::max(kBlock, 2 * room)));
  }
  return true;
}

// What is not of interest by itself: a program may be inside.
bool is_container_of_anything(cl1::Kind kind) {
  return kind == cl1::Kind::Empty || kind == cl1::Kind::Encrypted || kind == cl1::Kind::OtherElf ||
         kind == cl1::Kind::Unknown;
}

bool in_shard(const std::string& path, const std::optional<Shard>& shard) {
  if (!shard || shard->count == 1) return true;
  const Digest digest = sha256(path);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | std::to_integer<std::uint64_t>(digest[i]);
  return number % shard->count == shard->index - 1;
}

void add_finding(FileRecord& record, const Diagnostic& problem) {
  Diagnostics one;
  one.add(problem);
  record.findings.push_back(findings_of(one, {}).front());
}

// Reads inputs and puts what has to be done into the queue.
class Producer {
 public:
  Producer(const Options& options, Queue& queue, Shared& shared)
      : options_(options), limits_(options.policy.limits), queue_(queue), shared_(shared) {}

  void run() {
    Walker walker(options_.inputs, options_.output);
    while (const auto entry = walker.next()) {
      if (options_.stop != nullptr && options_.stop->load()) {
        interrupted_ = true;
        break;
      }
      if (!in_shard(entry->path, options_.shard)) continue;
      if (!read_file(*entry)) break;
      if (options_.progress != nullptr) {
        ++options_.progress->files;
        options_.progress->bytes += entry->size;
      }
    }
    queue_.finish();
  }
  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  // False: nobody wants more.
  bool read_file(const WalkEntry& entry) {
    FileRecord record;
    record.path = entry.path;
    record.size = entry.size;
    if (entry.problem) return fail(std::move(record), *entry.problem);
    const Descriptor file(::open(entry.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
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
      if (bytes.size() != record.size) return fail(std::move(record), changed());
      const Digest digest = sha256(bytes);
      record.sha256 = to_hex(digest);
      if (is_done(entry.path, digest)) return true;
      going_on = contents(record, std::move(bytes), digest, 1);
    } else {
      const auto digest = hash(file.get());
      if (!digest) return fail(std::move(record), unreadable());
      record.sha256 = to_hex(*digest);
      if (is_done(entry.path, *digest)) return true;
      going_on = large_contents(record, file.get());
    }
    struct stat after{};
    if (::fstat(file.get(), &after) != 0 || after.st_size != before.st_size ||
        after.st_mtim.tv_sec != before.st_mtim.tv_sec || after.st_mtim.tv_nsec != before.st_mtim.tv_nsec)
      return fail(std::move(record), changed());
    return going_on && push(std::move(record), entry.named);
  }

  static Diagnostic unreadable() {
    return make_diagnostic(Code::FileUnreadable, {}, fmt::format("cannot read it: {}", std::strerror(errno)));
  }
  static Diagnostic changed() { return make_diagnostic(Code::FileChanged, {}, "the file changed while it was read"); }

  bool is_done(const std::string& path, const Digest& digest) {
    const std::lock_guard lock(shared_.mutex);
    if (!shared_.state->has_file(path, digest)) return false;
    if (options_.progress != nullptr) ++options_.progress->unchanged;
    return true;
  }

  std::optional<Digest> hash(int descriptor) const {
    sha256_ctx context;
    sha256_init(&context);
    std::string block(kBlock, '\0');
    const ReadSome read = read_from(descriptor);
    for (;;) {
      const std::ptrdiff_t got = read(block.data(), block.size());
      if (got < 0) return std::nullopt;
      if (got == 0) break;
      sha256_update(&context, static_cast<std::size_t>(got), reinterpret_cast<const std::uint8_t*>(block.data()));
    }
    Digest out;
    sha256_digest(&context, out.size(), reinterpret_cast<std::uint8_t*>(out.data()));
    return out;
  }

  // A file whose bytes are all here. `depth` counts archives, this one included.
  bool contents(FileRecord& record, std::string bytes, const Digest& digest, std::uint64_t depth) {
    const cl1::Kind kind = cl1::classify(std::as_bytes(std::span(bytes)));
    record.kind = cl1::kind_name(kind);
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
    if (kind == cl1::Kind::OffloadBundle) return bundle(record, bytes);
    if (!is_container_of_anything(kind)) {
      record.programs.push_back({record.sha256, 0, bytes.size(), {}});
      return convert(std::move(bytes), digest);
    }
    return !options_.policy.scan || scan(record, migrate::read_from(bytes));
  }

  // A file larger than any program.
  bool large_contents(FileRecord& record, int descriptor) {
    std::string head;
    if (::lseek(descriptor, 0, SEEK_SET) != 0 || !read_up_to(read_from(descriptor), kBlock, kBlock, head)) {
      fail_archive(record, unreadable());
      return true;
    }
    const cl1::Kind kind = cl1::classify(std::as_bytes(std::span(head)));
    record.kind = cl1::kind_name(kind);
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
    return convert(std::move(carved.bytes), digest);
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
      if (!read_member(member, archive, depth)) return false;
    }
    if (archive.problem()) fail_archive(record, *archive.problem());
    return true;
  }

  bool read_member(FileRecord& member, ArchiveReader& archive, std::uint64_t depth) {
    const ReadSome read = [&](char* to, std::size_t size) { return archive.read(to, size); };
    std::string bytes;
    if (!read_up_to(read, limits_.program_bytes + 1, 0, bytes)) return unread(std::move(member), archive, bytes.size());
    if (bytes.size() <= limits_.program_bytes) {
      member.size = bytes.size();
      const Digest digest = sha256(bytes);
      member.sha256 = to_hex(digest);
      return contents(member, std::move(bytes), digest, depth + 1) && push(std::move(member), false);
    }
    return large_member(member, read, archive, std::move(bytes));
  }

  // Too large for a program or for an archive in memory: searched as it passes by.
  bool large_member(FileRecord& member, const ReadSome& read, ArchiveReader& archive, std::string head) {
    const cl1::Kind kind = cl1::classify(std::as_bytes(std::span(head)).first(kBlock));
    member.kind = cl1::kind_name(kind);
    const bool nested = options_.policy.archives && is_container_of_anything(kind) && is_archive(head);
    sha256_ctx context;
    sha256_init(&context);
    ReadSome first = migrate::read_from(head);
    std::ptrdiff_t last = 0;
    const ReadSome hashed = [&](char* to, std::size_t size) {
      last = first(to, size);
      if (last == 0) last = read(to, size);
      if (last > 0) {
        sha256_update(&context, static_cast<std::size_t>(last), reinterpret_cast<const std::uint8_t*>(to));
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
    if (last < 0) return unread(std::move(member), archive, member.size);
    Digest digest;
    sha256_digest(&context, digest.size(), reinterpret_cast<std::uint8_t*>(digest.data()));
    member.sha256 = to_hex(digest);
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
    return push(std::move(member), false);
  }

  bool unread(FileRecord member, const ArchiveReader& archive, std::uint64_t size) {
    member.size = size;
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
    return push(std::move(record), false);
  }

  bool convert(std::string bytes, const Digest& digest) {
    {
      const std::lock_guard lock(shared_.mutex);
      if (shared_.on_the_way.contains(digest) || shared_.state->find_program(digest)) return true;
      shared_.on_the_way.insert(digest);
    }
    auto item = std::make_unique<Item>();
    item->bytes = std::move(bytes);
    item->digest = digest;
    return queue_.push(std::move(item));
  }

  bool push(FileRecord record, bool named) {
    auto item = std::make_unique<Item>();
    item->whole = record.root.empty();
    item->named = named;
    item->file = std::move(record);
    return queue_.push(std::move(item));
  }

  const Options& options_;
  const Limits& limits_;
  Queue& queue_;
  Shared& shared_;
  std::string root_;           // the file of the file system that is being read
  std::uint64_t ordinal_ = 0;  // of its last member
  ArchiveBudget budget_;
  bool interrupted_ = false;
};

// Result of a file from those of its programs.
Outcome together(const OutcomeCounts& counts) {
  const auto count = [&](Outcome outcome) { return counts[static_cast<std::size_t>(outcome)]; };
  const bool good = count(Outcome::Converted) + count(Outcome::Described) != 0;
  if (count(Outcome::Partial) != 0 || (count(Outcome::Refused) != 0 && good)) return Outcome::Partial;
  if (count(Outcome::Refused) != 0) return Outcome::Refused;
  if (count(Outcome::Described) != 0) return Outcome::Described;
  return good ? Outcome::Converted : Outcome::None;
}

class Consumer {
 public:
  Consumer(const Options& options, Queue& queue, Shared& shared, Diagnostics& diagnostics)
      : options_(options), queue_(queue), shared_(shared), diagnostics_(diagnostics) {}

  void run() {
    const unsigned jobs = std::max(1u, options_.jobs);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, jobs);
    tbb::task_arena arena(static_cast<int>(jobs));
    arena.execute([&] {
      tbb::parallel_pipeline(
          std::size_t{jobs} * 4,
          tbb::make_filter<void, Item*>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) -> Item* {
            std::unique_ptr<Item> item = queue_.pop();
            if (!item) flow.stop();
            return item.release();
          }) & tbb::make_filter<Item*, Item*>(tbb::filter_mode::parallel, [&](Item* item) {
            return convert(item);
          }) & tbb::make_filter<Item*, void>(tbb::filter_mode::serial_in_order, [&](Item* item) {
            const std::unique_ptr<Item> owned(item);
            record(*owned);
            queue_.release(*owned);
          }));
    });
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  Item* convert(Item* item) {
    if (item->file || failed_) return item;
    item->done = migrate_program(std::move(item->bytes), item->digest, options_.policy);
    for (std::size_t i = 0; i < item->done->outputs.size() && !options_.dry_run && !item->failed; ++i)
      item->failed =
          write_output(options_.output, item->done->record.outputs[i].path, item->done->outputs[i], options_.durable);
    item->done->outputs.clear();
    return item;
  }

  void record(Item& item) {
    const std::lock_guard lock(shared_.mutex);
    if (failed_) return;
    if (item.failed) return give_up(*item.failed);
    if (item.done) {
      if (options_.progress != nullptr) ++options_.progress->programs;
      shared_.state->put(item.done->record);
      shared_.on_the_way.erase(item.digest);
    } else if (item.file) {
      finish_file(*item.file, item.named);
      shared_.state->put(*item.file, item.whole);
    }
    if (!shared_.state->error().empty())
      give_up(make_diagnostic(Code::StateBroken, {},
                              fmt::format("cannot record what is done: {}", shared_.state->error())));
  }

  void finish_file(FileRecord& file, bool named) {
    OutcomeCounts counts{};
    std::string reason;
    for (const ProgramPlace& place : file.programs) {
      const auto known = shared_.state->find_program(*digest_from_hex(place.sha256));
      if (!known) continue;
      ++counts[static_cast<std::size_t>(known->outcome)];
      if (reason.empty()) reason = known->reason;
    }
    if (file.outcome == Outcome::None) file.outcome = together(counts);
    if (named && file.outcome == Outcome::None && file.kind != "archive") {
      add_finding(file, make_diagnostic(Code::NoProgram, {}, "no kernel was found in it"));
      file.outcome = Outcome::Refused;
    }
    if (file.outcome != Outcome::Partial && file.outcome != Outcome::Refused && file.outcome != Outcome::Failed) return;
    if (!file.findings.empty())
      reason = fmt::format("{}[{}]: {}", severity_name(file.findings.front().severity), file.findings.front().code,
                           file.findings.front().message);
    if (options_.on_trouble) options_.on_trouble(file, reason);
  }

  void give_up(const Diagnostic& why) {
    failed_ = true;
    diagnostics_.add(why);
    queue_.close();
  }

  const Options& options_;
  Queue& queue_;
  Shared& shared_;
  Diagnostics& diagnostics_;
  std::atomic<bool> failed_{false};
};

bool write_manifest(State& state, HeaderRecord header, const std::string& directory, bool dry_run,
                    SummaryRecord& summary, Diagnostics& diagnostics) {
  if (dry_run) return state.list([](std::string_view) { return true; }, summary);
  OutputFile file(directory, std::string(kManifestName));
  file.write(to_line(header));
  if (!state.list([&](std::string_view line) { return file.write(line); }, summary) && !state.error().empty()) {
    diagnostics.report(Code::StateBroken, {}, fmt::format("cannot read what is done: {}", state.error()));
    return false;
  }
  file.write(to_line(summary));
  if (const auto failed = file.finish(true)) {
    diagnostics.add(*failed);
    return false;
  }
  return true;
}

bool make_directory(const std::string& directory, Diagnostics& diagnostics) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (!failed) return true;
  diagnostics.report(Code::FileUnwritable, {}, fmt::format("cannot create {}: {}", directory, failed.message()));
  return false;
}

}  // namespace

std::optional<RunResult> run(const Options& options, Diagnostics& diagnostics) {
  if (!options.dry_run && !make_directory(options.output, diagnostics)) return std::nullopt;
  const std::string policy = canonical_policy(options.policy);
  auto state = State::open(options.dry_run ? std::string() : options.output, recipe_of(AMDCOMPAT_VERSION, policy),
                           options.durable);
  if (!state) {
    diagnostics.add(state.error());
    return std::nullopt;
  }
  Queue queue(options.stop);
  Shared shared;
  shared.state = state->get();
  Producer producer(options, queue, shared);
  Consumer consumer(options, queue, shared, diagnostics);
  std::exception_ptr out_of_memory;  // in the reading thread
  std::jthread reading([&] {
    try {
      producer.run();
    } catch (...) {
      out_of_memory = std::current_exception();
      queue.close();
    }
  });
  try {
    consumer.run();
  } catch (...) {
    queue.close();  // or the other thread would wait for room for ever
    throw;
  }
  reading.join();
  if (out_of_memory) std::rethrow_exception(out_of_memory);

  RunResult out;
  out.interrupted = producer.interrupted() || queue.cut();
  if (!consumer.failed() && !out.interrupted) (*state)->forget_unseen_files();
  if ((*state)->error().empty() &&
      !write_manifest(
          **state, {kManifestSchema, AMDCOMPAT_VERSION, policy, !consumer.failed() && !out.interrupted, options.shard},
          options.output, options.dry_run, out.summary, diagnostics))
    return std::nullopt;
  if (out.interrupted) diagnostics.report(Code::Interrupted, {}, "interrupted; the same command does the rest");
  return consumer.failed() ? std::nullopt : std::optional(out);
}

std::optional<RunResult> merge(const std::vector<std::string>& directories, const std::string& output, bool durable,
                               Diagnostics& diagnostics) {
  if (!make_directory(output, diagnostics)) return std::nullopt;
  const auto refuse = [&](Code code, std::string why) {
    diagnostics.report(code, {}, std::move(why));
    return std::nullopt;
  };
  // All headers first: nothing is written for manifests that do not belong together.
  std::optional<HeaderRecord> common;
  std::set<std::uint32_t> shards;
  for (const std::string& directory : directories) {
    std::optional<HeaderRecord> header;
    const std::string path = fmt::format("{}/{}", directory, kManifestName);
    const auto first = [&](Record&& record) {
      header = std::get<HeaderRecord>(record);
      return false;
    };
    if (!read_manifest(path, first, diagnostics)) return std::nullopt;
    if (!header->complete) return refuse(Code::MergeIncomplete, fmt::format("{}: the run was interrupted", path));
    if (!header->shard) header->shard = Shard{};
    if (!common) common = header;
    if (header->tool != common->tool || header->policy != common->policy ||
        header->shard->count != common->shard->count)
      return refuse(Code::ManifestConflict, fmt::format("{}: tool, policy or number of shards differ from {}/{}", path,
                                                        directories.front(), kManifestName));
    if (!shards.insert(header->shard->index).second)
      return refuse(Code::MergeIncomplete, fmt::format("{}: shard {} is there twice", path, header->shard->index));
  }
  if (!common) return refuse(Code::MergeIncomplete, "no directories to merge");
  for (std::uint32_t index = 1; index <= common->shard->count; ++index)
    if (!shards.contains(index))
      return refuse(Code::MergeIncomplete, fmt::format("shard {}/{} is missing", index, common->shard->count));

  auto state = State::open(output, recipe_of(common->tool, common->policy), durable);
  if (!state) {
    diagnostics.add(state.error());
    return std::nullopt;
  }
  for (const std::string& directory : directories) {
    std::optional<Diagnostic> failed;
    const auto take = [&](Record&& record) {
      if (const auto* const file = std::get_if<FileRecord>(&record)) (*state)->put(*file, file->root.empty());
      if (const auto* const program = std::get_if<ProgramRecord>(&record)) {
        for (const ManifestOutput& wanted : program->outputs) {
          const std::string from = fmt::format("{}/{}", directory, wanted.path);
          std::string bytes;
          const Descriptor file(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
          struct stat status{};
          if (!is_output_path(wanted.path) || file.get() < 0 || ::fstat(file.get(), &status) != 0 ||
              static_cast<std::uint64_t>(status.st_size) != wanted.size ||
              !read_up_to(read_from(file.get()), wanted.size + 1, wanted.size, bytes) ||
              to_hex(sha256(bytes)) != wanted.sha256)
            failed = make_diagnostic(Code::ManifestConflict, {}, fmt::format("{} is not what its manifest says", from));
          else
            failed = copy_output(from, output, wanted.path, durable);
          if (failed) return false;
        }
        (*state)->put(*program);
      }
      return (*state)->error().empty();
    };
    if (!read_manifest(fmt::format("{}/{}", directory, kManifestName), take, diagnostics)) return std::nullopt;
    if (failed) {
      diagnostics.add(*failed);
      return std::nullopt;
    }
  }
  (*state)->forget_unseen_files();
  RunResult out;
  common->shard.reset();
  if (!write_manifest(**state, *common, output, false, out.summary, diagnostics)) return std::nullopt;
  return out;
}

Amount count_inputs(const Options& options) {
  Amount out;
  Walker walker(options.inputs, options.output);
  while (const auto entry = walker.next()) {
    if (options.stop != nullptr && options.stop->load()) break;
    if (!in_shard(entry->path, options.shard)) continue;
    ++out.files;
    out.bytes += entry->size;
  }
  return out;
}

std::optional<Shard> parse_shard(std::string_view text) {
  Shard out;
  const char* const end = text.data() + text.size();
  const auto [slash, bad_index] = std::from_chars(text.data(), end, out.index);
  if (bad_index != std::errc{} || slash == end || *slash != '/') return std::nullopt;
  const auto [last, bad_count] = std::from_chars(slash + 1, end, out.count);
  if (bad_count != std::errc{} || last != end || out.index == 0 || out.index > out.count) return std::nullopt;
  return out;
}

}  // namespace amdcompat::migrate
