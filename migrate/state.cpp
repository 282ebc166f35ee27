#include "state.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <amdcompat/pipeline.hpp>

#include "names.hpp"
#include "output.hpp"
#include "parallel.hpp"
#include "read_some.hpp"

namespace amdcompat::migrate {

namespace {

constexpr int kSchema = 5;        // of the database
constexpr int kRecipeFormat = 3;  // counted up when the same policy makes other bytes within one version of the tool

// Columns of `program`, in their order; further on those of pipeline::kLiftOutcomes.
constexpr std::array kKernelOutcomes{Outcome::AsItIs, Outcome::Proved, Outcome::Converted, Outcome::Described,
                                     Outcome::Refused};

enum Sql : std::size_t {
  FindFile,
  KnowsFile,
  FilePrograms,
  SeeFile,
  FindProgram,
  SeeProgram,
  OldOutputs,
  PutProgram,
  PutFile,
  DropMembers,
  Forget,
  ListFiles,
  Use,
  ListPrograms,
  NameTaken,
  TakeName,
  FindLink,
  PutLink,
  UnseenLinks,
  DropLinks,
  kSqlCount
};
constexpr std::array<const char*, kSqlCount> kSql{
    "SELECT outcome FROM file WHERE root=? AND ordinal=0 AND recipe=? AND hash=?",
    "SELECT 1 FROM file WHERE root=? AND ordinal=0 AND recipe=?",
    "SELECT programs FROM file WHERE root=?",
    "UPDATE file SET seen=? WHERE root=?",
    "SELECT outcome, outputs, reason, seen FROM program WHERE hash=? AND recipe=?",
    "UPDATE program SET seen=? WHERE hash=?",
    "SELECT outputs FROM program WHERE hash=?",
    "INSERT OR REPLACE INTO program VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "INSERT OR REPLACE INTO file VALUES(?,?,?,?,?,?,?,?)",
    "DELETE FROM file WHERE root=? AND seen<>?",
    "DELETE FROM file WHERE seen<>?",
    "SELECT json, programs, outcome FROM file WHERE recipe=? ORDER BY root, ordinal",
    "INSERT OR IGNORE INTO used VALUES(?)",
    "SELECT p.json, p.outcome, p.as_it_is, p.proved, p.converted, p.described, p.refused, p.outputs, "
    "p.lift_proved, p.lift_lifted, p.lift_refused, p.targets, p.described_code, p.described_lifted "
    "FROM used JOIN program p USING(hash) WHERE p.recipe=? ORDER BY hash",
    "SELECT 1 FROM name WHERE key=?",
    "INSERT OR IGNORE INTO name VALUES(?)",
    "SELECT hash FROM link WHERE name=?",
    "INSERT OR REPLACE INTO link VALUES(?,?,?)",
    "SELECT name FROM link WHERE seen<>?",
    "DELETE FROM link WHERE seen<>?",
};

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Outcome outcome_at(const Statement& row, int column) {
  return static_cast<Outcome>(std::min<std::uint64_t>(row.value(column), static_cast<unsigned>(Outcome::Failed)));
}

// "objects/3f/….hsaco 1234 SHA-256 .gfx600.hsaco\n" for each output; neither paths nor suffixes have blanks.
std::string outputs_text(const ProgramRecord& record) {
  std::string out;
  for (const ManifestOutput& output : record.outputs)
    out += fmt::format("{} {} {} {}\n", output.path, output.size, output.sha256, output_suffix(output));
  return out;
}
struct KnownOutput {
  std::string path;
  std::uint64_t size = 0;
  std::string sha256;
  std::string suffix;  // of its name
};
std::vector<KnownOutput> parse_outputs(std::string_view text) {
  std::vector<KnownOutput> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::array<std::string_view, 4> parts;
    std::size_t from = 0;
    for (std::string_view& part : parts) {
      const std::size_t blank = std::min(line.find(' ', from), line.size());
      part = line.substr(from, blank - from);
      from = std::min(blank + 1, line.size());
    }
    KnownOutput& output = out.emplace_back();
    output.path = parts[0];
    std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), output.size);
    output.sha256 = parts[2];
    output.suffix = parts[3];
  }
  return out;
}

// "gfx600 1 0 3 8\n" for each target: programs, and kernels as in kRunning.
std::string targets_text(const ProgramRecord& record) {
  std::string out;
  for (const auto& [target, counts] : targets_of(record)) {
    out += fmt::format("{} {}", target, counts.programs);
    for (const Outcome outcome : kRunning) out += fmt::format(" {}", counts.kernels[static_cast<std::size_t>(outcome)]);
    out += '\n';
  }
  return out;
}
void add_targets(std::string_view text, std::map<std::string, TargetCounts>& to) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const char* at = line.data() + std::min(line.find(' '), line.size());
    TargetCounts& counts = to[std::string(line.data(), at)];
    const auto number = [&] {
      std::uint64_t out = 0;
      const char* const last = line.data() + line.size();
      if (at != last) at = std::from_chars(at + 1, last, out).ptr;
      return out;
    };
    counts.programs += number();
    for (const Outcome outcome : kRunning) counts.kernels[static_cast<std::size_t>(outcome)] += number();
  }
}

// Whether an output is as it was written. Its bytes are read only where the size is right.
bool is_there(const OutputRoot& directory, const KnownOutput& output) {
  const FileDescriptor file = open_output(directory, output.path);
  struct stat status{};
  std::string bytes;
  return file.get() >= 0 && ::fstat(file.get(), &status) == 0 &&
         static_cast<std::uint64_t>(status.st_size) == output.size &&
         read_up_to(read_from(file.get()), output.size + 1, output.size, bytes) &&
         to_hex(sha256(bytes)) == output.sha256;
}

// Removes the files of a directory: empty, or the name of what cannot be removed.
std::string empty_directory(int directory) {
  std::string left;
  const int again = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = ::fdopendir(again);
  if (entries == nullptr) {
    if (again >= 0) ::close(again);
    return ".";
  }
  while (const dirent* const entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && ::unlinkat(directory, entry->d_name, 0) != 0 &&
        ::unlinkat(directory, entry->d_name, AT_REMOVEDIR) != 0)
      left = name;
  }
  ::closedir(entries);
  return left;
}

}  // namespace

Digest recipe_of(std::string_view tool, std::string_view policy, const std::optional<ProofShare>& proofs) {
  return sha256(fmt::format("{}\n{}\n{}\n{}", kRecipeFormat, tool, policy, proofs ? proofs->instructions : 0));
}

ProgramRow row_of(const ProgramRecord& record, const Digest& digest) {
  ProgramRow row;
  row.digest = digest;
  row.outcome = record.outcome;
  for (const ManifestKernel& kernel : record.kernels) {
    ++row.kernels[static_cast<std::size_t>(kernel.outcome)];
    for (const pipeline::LiftOutcome outcome : pipeline::kLiftOutcomes)
      if (kernel.lift && kernel.lift->result == pipeline::outcome_name(outcome))
        ++row.lifted[static_cast<std::size_t>(outcome)];
    if (kernel.outcome != Outcome::Described || !kernel.machine_code) continue;
    ++row.described_code;
    if (is_lifted(kernel)) ++row.described_lifted;
  }
  row.outputs = outputs_text(record);
  const auto error = std::ranges::find(record.findings, Severity::Error, &Finding::severity);
  if (error != record.findings.end()) row.reason = fmt::format("error[{}]: {}", error->code, error->message);
  row.json = to_line(record);
  row.targets = targets_text(record);
  return row;
}

Result<std::unique_ptr<State>> State::open(const std::string& directory, const Digest& recipe, bool durable) {
  const std::string own = fmt::format("{}/{}", directory, kStateDirectory);
  const auto broken = [](std::string why) {
    return std::unexpected(make_diagnostic(Code::StateBroken, {}, std::move(why)));
  };
  // Somebody else may write to the output directory: no link in it leads to a directory that is emptied then, or to a
  // database. (Without a name there is none to open.)
  const Parent temporary = open_parent(OutputRoot(directory), fmt::format("{}/tmp/0", kStateDirectory), true);
  if (!directory.empty()) {
    if (temporary.descriptor.get() < 0) return broken(fmt::format("{}/tmp: {}", own, temporary.problem));
    struct stat status{};
    if (::fstatat(temporary.descriptor.get(), "../state.sqlite", &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(status.st_mode))
      return broken(fmt::format("{}/state.sqlite is a symbolic link, which is not followed", own));
  }
  std::unique_ptr<State> state(new State(directory, recipe));
  const int status = state->prepare(durable);
  if (status == SQLITE_BUSY || status == SQLITE_LOCKED)
    return std::unexpected(
        make_diagnostic(Code::OutputBusy, {}, fmt::format("another migration is writing to {}", directory)));
  if (status != SQLITE_OK)
    return broken(
        fmt::format("{}/state.sqlite: {}; without that directory, everything is converted anew", own, state->error()));
  if (directory.empty()) return state;
  // The lock is held: what lies here was left by a run that was killed.
  if (const std::string left = empty_directory(temporary.descriptor.get()); !left.empty())
    return broken(fmt::format("{}/tmp/{} cannot be removed", own, left));
  return state;
}

int State::prepare(bool durable) {
  int status = database_.open(
      directory_.empty() ? std::string() : fmt::format("{}/{}/state.sqlite", directory_, kStateDirectory), durable);
  const auto run = [&](const char* sql) {
    if (status == SQLITE_OK) status = database_.execute(sql);
  };
  const auto number = [&](const char* sql) {
    std::int64_t out = 0;
    if (status == SQLITE_OK) status = database_.number(sql, out);
    return out;
  };
  run("BEGIN IMMEDIATE");
  const std::int64_t schema = number("PRAGMA user_version");
  if (status == SQLITE_OK && schema > kSchema) {
    database_.fail(fmt::format("form {} of the records is not known", schema));
    return SQLITE_MISMATCH;
  }
  // Another recipe made what an older form knows, so it would all be made again.
  if (schema != 0 && schema < kSchema)
    for (const char* const sql : {"DROP TABLE IF EXISTS file", "DROP TABLE IF EXISTS program"}) run(sql);
  run("CREATE TABLE IF NOT EXISTS file(root BLOB, ordinal INTEGER, recipe BLOB, hash BLOB, programs BLOB, "
      "outcome INTEGER, seen INTEGER, json BLOB, PRIMARY KEY(root, ordinal))");
  run("CREATE TABLE IF NOT EXISTS program(hash BLOB PRIMARY KEY, recipe BLOB, outcome INTEGER, as_it_is INTEGER, "
      "proved INTEGER, converted INTEGER, described INTEGER, refused INTEGER, outputs BLOB, reason BLOB, json BLOB, "
      "seen INTEGER, lift_proved INTEGER, lift_lifted INTEGER, lift_refused INTEGER, targets BLOB, "
      "described_code INTEGER, described_lifted INTEGER)");
  // Names that stand in the directory, with the SHA-256 of what they name.
  run("CREATE TABLE IF NOT EXISTS link(name BLOB PRIMARY KEY, hash BLOB, seen INTEGER)");
  run("CREATE TABLE IF NOT EXISTS run(number INTEGER)");
  run("DROP TABLE IF EXISTS used");
  run("CREATE TABLE used(hash BLOB PRIMARY KEY) WITHOUT ROWID");
  run("DROP TABLE IF EXISTS name");
  run("CREATE TABLE name(key BLOB PRIMARY KEY) WITHOUT ROWID");  // that this listing has given away
  run(fmt::format("PRAGMA user_version={}", kSchema).c_str());
  run_ = number("SELECT coalesce(max(number), 0) + 1 FROM run");
  run("DELETE FROM run");
  run(fmt::format("INSERT INTO run VALUES({})", run_).c_str());
  run("COMMIT");
  return status == SQLITE_OK ? database_.prepare(kSql) : status;
}

bool State::has_file(const std::string& path, const Digest& contents) {
  {
    Statement find(database_, FindFile);
    find.blob(path).blob(bytes_of(recipe_)).blob(bytes_of(contents));
    if (!find.step() || outcome_at(find, 0) == Outcome::Failed) return false;
  }
  std::set<Digest> programs;
  {
    Statement list(database_, FilePrograms);
    list.blob(path);
    while (list.step())
      for (std::string_view all = list.bytes(0); all.size() >= sizeof(Digest); all.remove_prefix(sizeof(Digest))) {
        Digest digest;
        std::memcpy(digest.data(), all.data(), digest.size());
        programs.insert(digest);
      }
  }
  for (const Digest& program : programs)
    if (!find_program(program)) return false;
  database_.begin();
  Statement(database_, SeeFile).number(static_cast<std::uint64_t>(run_)).blob(path).step();
  return true;
}

bool State::knows(const std::string& path) {
  return Statement(database_, KnowsFile).blob(path).blob(bytes_of(recipe_)).step();
}

std::optional<State::Known> State::find_program(const Digest& digest) {
  Statement find(database_, FindProgram);
  find.blob(bytes_of(digest)).blob(bytes_of(recipe_));
  if (!find.step()) return std::nullopt;
  Known known{outcome_at(find, 0), std::string(find.bytes(2))};
  if (!directory_.empty() && find.value(3) != static_cast<std::uint64_t>(run_)) {
    for (const KnownOutput& output : parse_outputs(find.bytes(1)))
      if (!is_output_path(output.path) || !is_there(root_, output)) return std::nullopt;
    database_.begin();
    Statement(database_, SeeProgram).number(static_cast<std::uint64_t>(run_)).blob(bytes_of(digest)).step();
  }
  return known;
}

void State::put(const ProgramRow& row) {
  database_.begin();
  {
    Statement old(database_, OldOutputs);
    old.blob(bytes_of(row.digest));
    if (old.step()) {
      const std::vector<KnownOutput> kept = parse_outputs(row.outputs);
      for (const KnownOutput& known : parse_outputs(old.bytes(0)))
        if (is_output_path(known.path) &&  // the database may come from elsewhere
            std::ranges::find(kept, known.path, &KnownOutput::path) == kept.end())
          remove_output(root_, known.path, false);
    }
  }
  Statement put(database_, PutProgram);
  put.blob(bytes_of(row.digest)).blob(bytes_of(recipe_)).number(static_cast<std::uint64_t>(row.outcome));
  for (const Outcome outcome : kKernelOutcomes) put.number(row.kernels[static_cast<std::size_t>(outcome)]);
  put.blob(row.outputs).blob(row.reason).blob(row.json).number(static_cast<std::uint64_t>(run_));
  for (const pipeline::LiftOutcome outcome : pipeline::kLiftOutcomes)
    put.number(row.lifted[static_cast<std::size_t>(outcome)]);
  put.blob(row.targets).number(row.described_code).number(row.described_lifted).step();
}

void State::put(const FileRecord& record, bool whole) {
  database_.begin();
  const std::string& root = record.root.empty() ? record.path : record.root;
  const auto digest = digest_from_hex(record.sha256);
  std::string programs;
  for (const ProgramPlace& place : record.programs)
    if (const auto program = digest_from_hex(place.sha256)) programs += bytes_of(*program);
  const std::string json = to_line(record);
  {
    Statement put(database_, PutFile);
    put.blob(root).number(record.ordinal).blob(bytes_of(recipe_));
    put.blob(digest ? bytes_of(*digest) : std::string_view{}).blob(programs);
    put.number(static_cast<std::uint64_t>(record.outcome)).number(static_cast<std::uint64_t>(run_)).blob(json).step();
  }
  if (whole) Statement(database_, DropMembers).blob(root).number(static_cast<std::uint64_t>(run_)).step();
}

void State::forget_unseen_files() {
  database_.begin();
  Statement(database_, Forget).number(static_cast<std::uint64_t>(run_)).step();
}

// A file's line on its way to the manifest.
struct State::Naming {
  struct Name {
    std::string name, object;
    std::uint64_t size = 0;
    std::string sha256;
    bool known = false;  // an earlier listing gave the name to the same bytes
  };
  std::string line;
  std::optional<FileRecord> file;  // whose outputs have names
  std::vector<Name> names;
  std::optional<Diagnostic> failure;  // the first
};

void State::choose_names(Naming& naming, const std::string& base) {
  Result<Record> record = parse_line(naming.line);
  FileRecord* const file = record ? std::get_if<FileRecord>(&*record) : nullptr;
  if (file == nullptr) return;
  for (const ProgramPlace& place : file->programs) {
    const auto digest = digest_from_hex(place.sha256);
    if (!digest) continue;
    std::vector<KnownOutput> outputs;
    {
      Statement find(database_, FindProgram);
      find.blob(bytes_of(*digest)).blob(bytes_of(recipe_));
      if (find.step()) outputs = parse_outputs(find.bytes(1));
    }
    for (KnownOutput& output : outputs) {
      if (!is_output_path(output.path)) continue;
      unsigned attempt = 0;
      for (; attempt < kNameAttempts; ++attempt) {
        std::string name = output_name(*file, place, base, output.suffix, attempt);
        const std::string key = name_key(name);
        if (Statement(database_, NameTaken).blob(key).step()) continue;
        Statement(database_, TakeName).blob(key).step();
        bool known = false;
        {
          Statement find(database_, FindLink);
          known = find.blob(name).step() && find.bytes(0) == output.sha256;
        }
        Statement(database_, PutLink).blob(name).blob(output.sha256).number(static_cast<std::uint64_t>(run_)).step();
        naming.names.push_back({std::move(name), std::move(output.path), output.size, std::move(output.sha256), known});
        break;
      }
      if (attempt == kNameAttempts && !naming.failure)
        naming.failure = make_diagnostic(Code::FileUnwritable, {},
                                         fmt::format("{}: every name of its outputs is taken", file->path));
    }
  }
  if (!naming.names.empty()) naming.file = std::move(*file);
}

void State::make_names(Naming& naming) const {
  if (!naming.file) return;
  for (Naming::Name& name : naming.names) {
    const std::string from = fmt::format("{}/{}", directory_, name.object);
    bool same = name.known;
    if (same) {
      // Two names of one file, or, where the file system has no such thing, a copy.
      struct stat left{}, right{};
      const Parent parent = open_parent(root_, name.name, false);
      same = parent.descriptor.get() >= 0 && ::stat(from.c_str(), &left) == 0 &&
             ::fstatat(parent.descriptor.get(), parent.name.c_str(), &right, AT_SYMLINK_NOFOLLOW) == 0 &&
             left.st_dev == right.st_dev &&
             (left.st_ino == right.st_ino || (S_ISREG(right.st_mode) && left.st_nlink == 1 &&
                                              is_there(root_, {name.name, name.size, name.sha256, {}})));
    }
    if (!same)
      if (auto failed = copy_output(open_output(root_, name.object).get(), from, root_, name.name, false)) {
        if (!naming.failure) naming.failure = std::move(failed);
        continue;
      }
    naming.file->outputs.push_back({std::move(name.name), std::move(name.object)});
  }
  if (!naming.file->outputs.empty()) naming.line = to_line(*naming.file);
}

void State::drop_old_names() {
  database_.begin();
  {
    Statement old(database_, UnseenLinks);
    old.number(static_cast<std::uint64_t>(run_));
    while (old.step()) {
      const std::string name(old.bytes(0));
      if (is_output_name(name)) remove_output(root_, name, true);
    }
  }
  Statement(database_, DropLinks).number(static_cast<std::uint64_t>(run_)).step();
  ::rmdir(fmt::format("{}/{}", directory_, kNamesDirectory).c_str());
  database_.commit();
}

bool State::list(const std::string& base, unsigned jobs, const std::function<bool(std::string_view)>& write,
                 SummaryRecord& summary) {
  summary = {};
  database_.begin();
  std::atomic<bool> more = true;
  {
    Statement files(database_, ListFiles);
    files.blob(bytes_of(recipe_));
    // One thread at a time asks the database.
    const auto read = [&](Naming& naming) -> std::optional<std::size_t> {
      if (!more || !files.step()) return std::nullopt;
      for (std::string_view all = files.bytes(1); all.size() >= sizeof(Digest); all.remove_prefix(sizeof(Digest)))
        Statement(database_, Use).blob(all.substr(0, sizeof(Digest))).step();
      ++summary.files[static_cast<std::size_t>(outcome_at(files, 2))];
      naming.line = files.bytes(0);
      if (!directory_.empty() && !files.bytes(1).empty()) choose_names(naming, base);
      return naming.line.size();
    };
    const auto put = [&](Naming& naming) {
      if (naming.failure && !link_failure_) link_failure_ = std::move(naming.failure);
      more = more && write(naming.line);
    };
    constexpr std::size_t kForEach = 4;
    run_pipeline(jobs, kForEach,
                 begin_turns<Naming>(read) & each_in_turn<Naming>(tbb::filter_mode::parallel, [&](Naming& naming) {
                   make_names(naming);
                 }) & end_turns<Naming>(put));
  }
  {
    Statement programs(database_, ListPrograms);
    programs.blob(bytes_of(recipe_));
    while (more && programs.step()) {
      ++summary.programs[static_cast<std::size_t>(outcome_at(programs, 1))];
      int column = 2;
      for (const Outcome outcome : kKernelOutcomes)
        summary.kernels[static_cast<std::size_t>(outcome)] += programs.value(column++);
      const std::string_view outputs = programs.bytes(column++);
      summary.outputs += static_cast<std::uint64_t>(std::ranges::count(outputs, '\n'));
      for (const pipeline::LiftOutcome outcome : pipeline::kLiftOutcomes)
        summary.lifted[static_cast<std::size_t>(outcome)] += programs.value(column++);
      add_targets(programs.bytes(column++), summary.targets);
      summary.described_code += programs.value(column++);
      summary.described_lifted += programs.value(column++);
      more = write(programs.bytes(0));
    }
  }
  summary.proved = summary.kernels[static_cast<std::size_t>(Outcome::Proved)];
  database_.execute("DELETE FROM used");
  database_.execute("DELETE FROM name");
  database_.commit();
  return more && database_.error().empty();
}

}  // namespace amdcompat::migrate
