#include "state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "program.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::chrono::milliseconds kTransaction{100};  // what a kill can cost, and long enough to cost little
constexpr int kSchema = 1;        // of the database
constexpr int kRecipeFormat = 1;  // counted up when the same policy makes other bytes within one version of the tool

// In the order of State::statements_.
enum Sql : std::size_t {
  FindFile,
  FilePrograms,
  SeeFile,
  FindProgram,
  OldOutputs,
  PutProgram,
  PutFile,
  DropMembers,
  Forget,
  ListFiles,
  Use,
  ListPrograms,
  kSqlCount
};
constexpr std::array<const char*, kSqlCount> kSql{
    "SELECT outcome FROM file WHERE root=? AND ordinal=0 AND recipe=? AND hash=?",
    "SELECT programs FROM file WHERE root=?",
    "UPDATE file SET seen=? WHERE root=?",
    "SELECT outcome, outputs, reason FROM program WHERE hash=? AND recipe=?",
    "SELECT outputs FROM program WHERE hash=?",
    "INSERT OR REPLACE INTO program VALUES(?,?,?,?,?,?,?,?,?,?)",
    "INSERT OR REPLACE INTO file VALUES(?,?,?,?,?,?,?,?)",
    "DELETE FROM file WHERE root=? AND seen<>?",
    "DELETE FROM file WHERE seen<>?",
    "SELECT json, programs, outcome FROM file WHERE recipe=? ORDER BY root, ordinal",
    "INSERT OR IGNORE INTO used VALUES(?)",
    "SELECT p.json, p.outcome, p.converted, p.described, p.refused, p.proved, p.outputs FROM used JOIN program p "
    "USING(hash) WHERE p.recipe=? ORDER BY hash",
};

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// "objects/3f/….hsaco 1234\n" for each output; paths of outputs have no blanks.
std::string outputs_text(const ProgramRecord& record) {
  std::string out;
  for (const ManifestOutput& output : record.outputs) out += fmt::format("{} {}\n", output.path, output.size);
  return out;
}
std::vector<std::pair<std::string, std::uint64_t>> parse_outputs(std::string_view text) {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t blank = std::min(line.find(' '), line.size());
    std::uint64_t size = 0;
    std::from_chars(line.data() + std::min(blank + 1, line.size()), line.data() + line.size(), size);
    out.emplace_back(line.substr(0, blank), size);
  }
  return out;
}

}  // namespace

// A prepared statement in use: bound from left to right, reset at the end.
class Statement {
 public:
  Statement(State& state, std::size_t which) : state_(state) {
    if (state.error_.empty()) statement_ = state.statements_[which];
  }
  ~Statement() {
    if (statement_ == nullptr) return;
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& blob(std::string_view bytes) {
    // An empty view may have no address, which SQLite would take as NULL.
    if (statement_ != nullptr)
      state_.check(
          sqlite3_bind_blob64(statement_, ++bound_, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC));
    return *this;
  }
  Statement& number(std::uint64_t value) {
    if (statement_ != nullptr)
      state_.check(sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value)));
    return *this;
  }
  // True: a row is there.
  bool step() {
    if (statement_ == nullptr) return false;
    const int status = sqlite3_step(statement_);
    if (status == SQLITE_ROW) return true;
    state_.check(status);
    return false;
  }
  [[nodiscard]] std::string_view bytes(int column) const {
    const void* const data = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return data == nullptr ? std::string_view{} : std::string_view(static_cast<const char*>(data), size);
  }
  [[nodiscard]] std::uint64_t value(int column) const {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
  }
  [[nodiscard]] Outcome outcome(int column) const {
    return static_cast<Outcome>(std::min<std::uint64_t>(value(column), static_cast<unsigned>(Outcome::Failed)));
  }

 private:
  State& state_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

Digest recipe_of(std::string_view tool, std::string_view policy) {
  return sha256(fmt::format("{}\n{}\n{}", kRecipeFormat, tool, policy));
}

Result<std::unique_ptr<State>> State::open(const std::string& directory, const Digest& recipe, bool durable) {
  namespace fs = std::filesystem;
  const std::string own = fmt::format("{}/{}", directory, kStateDirectory);
  std::error_code failed;
  if (!directory.empty()) fs::create_directories(own, failed);
  std::unique_ptr<State> state(new State(directory, recipe));
  if (failed)
    return std::unexpected(make_diagnostic(Code::StateBroken, {}, fmt::format("{}: {}", own, failed.message())));
  const int status = state->prepare(durable);
  if (status == SQLITE_BUSY || status == SQLITE_LOCKED)
    return std::unexpected(
        make_diagnostic(Code::OutputBusy, {}, fmt::format("another migration is writing to {}", directory)));
  if (status != SQLITE_OK)
    return std::unexpected(make_diagnostic(
        Code::StateBroken, {},
        fmt::format("{}/state.sqlite: {}; without that directory, everything is converted anew", own, state->error_)));
  if (directory.empty()) return state;
  // The lock is held: what lies here was left by a run that was killed.
  fs::remove_all(own + "/tmp", failed);
  fs::create_directories(own + "/tmp", failed);
  if (failed)
    return std::unexpected(make_diagnostic(Code::StateBroken, {}, fmt::format("{}/tmp: {}", own, failed.message())));
  return state;
}

State::~State() {
  commit();
  for (sqlite3_stmt* const statement : statements_) sqlite3_finalize(statement);
  sqlite3_close(database_);
}

bool State::check(int status) {
  if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return true;
  if (error_.empty()) error_ = database_ != nullptr ? sqlite3_errmsg(database_) : sqlite3_errstr(status);
  return false;
}

int State::execute(const char* sql) {
  const int status = sqlite3_exec(database_, sql, nullptr, nullptr, nullptr);
  check(status);
  return status;
}

int State::prepare(bool durable) {
  // Without a name, a database that SQLite keeps in files of its own.
  const std::string path =
      directory_.empty() ? std::string() : fmt::format("{}/{}/state.sqlite", directory_, kStateDirectory);
  // One connection, used under its owner's lock.
  int status = sqlite3_open_v2(path.c_str(), &database_,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  check(status);
  const auto run = [&](const char* sql) {
    if (status == SQLITE_OK) status = execute(sql);
  };
  // Exclusive before the first access: no shared memory file, which network file systems cannot have.
  run("PRAGMA locking_mode=EXCLUSIVE");
  run("PRAGMA journal_mode=WAL");
  run(durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
  run("PRAGMA cache_size=-16384");
  run("BEGIN IMMEDIATE");
  const auto number = [&](const char* sql) {
    sqlite3_stmt* statement = nullptr;
    std::int64_t out = 0;
    if (status == SQLITE_OK) status = sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr);
    check(status);
    if (status == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) out = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return out;
  };
  const std::int64_t schema = number("PRAGMA user_version");
  if (status == SQLITE_OK && schema != 0 && schema != kSchema) {
    error_ = fmt::format("form {} of the records is not known", schema);
    return SQLITE_MISMATCH;
  }
  run("CREATE TABLE IF NOT EXISTS file(root BLOB, ordinal INTEGER, recipe BLOB, hash BLOB, programs BLOB, "
      "outcome INTEGER, seen INTEGER, json BLOB, PRIMARY KEY(root, ordinal))");
  run("CREATE TABLE IF NOT EXISTS program(hash BLOB PRIMARY KEY, recipe BLOB, outcome INTEGER, converted INTEGER, "
      "described INTEGER, refused INTEGER, proved INTEGER, outputs BLOB, reason BLOB, json BLOB)");
  run("CREATE TABLE IF NOT EXISTS run(number INTEGER)");
  run("DROP TABLE IF EXISTS used");
  run("CREATE TABLE used(hash BLOB PRIMARY KEY) WITHOUT ROWID");
  run("PRAGMA user_version=1");
  run_ = number("SELECT coalesce(max(number), 0) + 1 FROM run");
  run("DELETE FROM run");
  run(fmt::format("INSERT INTO run VALUES({})", run_).c_str());
  run("COMMIT");
  for (const char* const sql : kSql) {
    sqlite3_stmt* statement = nullptr;
    if (status == SQLITE_OK)
      status = sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    check(status);
    statements_.push_back(statement);
  }
  return status;
}

void State::begin() {
  if (in_transaction_ && std::chrono::steady_clock::now() - since_ > kTransaction) commit();
  if (in_transaction_ || !error_.empty()) return;
  execute("BEGIN");
  in_transaction_ = true;
  since_ = std::chrono::steady_clock::now();
}

void State::commit() {
  if (in_transaction_) execute("COMMIT");
  in_transaction_ = false;
}

bool State::has_file(const std::string& path, const Digest& contents) {
  {
    Statement find(*this, FindFile);
    find.blob(path).blob(bytes_of(recipe_)).blob(bytes_of(contents));
    if (!find.step() || find.outcome(0) == Outcome::Failed) return false;
  }
  std::set<Digest> programs;
  {
    Statement list(*this, FilePrograms);
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
  begin();
  Statement(*this, SeeFile).number(static_cast<std::uint64_t>(run_)).blob(path).step();
  return true;
}

std::optional<State::Known> State::find_program(const Digest& digest) {
  Statement find(*this, FindProgram);
  find.blob(bytes_of(digest)).blob(bytes_of(recipe_));
  if (!find.step()) return std::nullopt;
  for (const auto& [path, size] : parse_outputs(find.bytes(1))) {
    if (directory_.empty()) break;
    struct stat status{};
    if (::stat(fmt::format("{}/{}", directory_, path).c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        static_cast<std::uint64_t>(status.st_size) != size)
      return std::nullopt;
  }
  return Known{find.outcome(0), std::string(find.bytes(2))};
}

void State::put(const ProgramRecord& record) {
  const auto digest = digest_from_hex(record.sha256);
  if (!digest) return;
  begin();
  const std::string outputs = outputs_text(record);
  {
    Statement old(*this, OldOutputs);
    old.blob(bytes_of(*digest));
    if (old.step())
      for (const auto& [path, size] : parse_outputs(old.bytes(0)))
        if (std::ranges::find(record.outputs, path, &ManifestOutput::path) == record.outputs.end())
          ::unlink(fmt::format("{}/{}", directory_, path).c_str());
  }
  const auto kernels = [&](Outcome outcome) {
    return static_cast<std::uint64_t>(std::ranges::count(record.kernels, outcome, &ManifestKernel::outcome));
  };
  const auto proved =
      static_cast<std::uint64_t>(std::ranges::count_if(record.kernels, [](const ManifestKernel& kernel) {
        return kernel.proof && kernel.proof->verdict == emulate::verdict_name(emulate::Verdict::Proved);
      }));
  std::string reason;
  const auto error = std::ranges::find(record.findings, Severity::Error, &Finding::severity);
  if (error != record.findings.end()) reason = fmt::format("error[{}]: {}", error->code, error->message);
  const std::string json = to_line(record);
  Statement put(*this, PutProgram);
  put.blob(bytes_of(*digest)).blob(bytes_of(recipe_)).number(static_cast<std::uint64_t>(record.outcome));
  put.number(kernels(Outcome::Converted)).number(kernels(Outcome::Described)).number(kernels(Outcome::Refused));
  put.number(proved).blob(outputs).blob(reason).blob(json).step();
}

void State::put(const FileRecord& record, bool whole) {
  begin();
  const std::string& root = record.root.empty() ? record.path : record.root;
  const auto digest = digest_from_hex(record.sha256);
  std::string programs;
  for (const ProgramPlace& place : record.programs)
    if (const auto program = digest_from_hex(place.sha256)) programs += bytes_of(*program);
  const std::string json = to_line(record);
  {
    Statement put(*this, PutFile);
    put.blob(root).number(record.ordinal).blob(bytes_of(recipe_));
    put.blob(digest ? bytes_of(*digest) : std::string_view{}).blob(programs);
    put.number(static_cast<std::uint64_t>(record.outcome)).number(static_cast<std::uint64_t>(run_)).blob(json).step();
  }
  if (whole) Statement(*this, DropMembers).blob(root).number(static_cast<std::uint64_t>(run_)).step();
}

void State::forget_unseen_files() {
  begin();
  Statement(*this, Forget).number(static_cast<std::uint64_t>(run_)).step();
}

bool State::list(const std::function<bool(std::string_view)>& write, SummaryRecord& summary) {
  summary = {};
  begin();
  bool more = true;
  {
    Statement files(*this, ListFiles);
    files.blob(bytes_of(recipe_));
    while (more && files.step()) {
      for (std::string_view all = files.bytes(1); all.size() >= sizeof(Digest); all.remove_prefix(sizeof(Digest)))
        Statement(*this, Use).blob(all.substr(0, sizeof(Digest))).step();
      ++summary.files[static_cast<std::size_t>(files.outcome(2))];
      more = write(files.bytes(0));
    }
  }
  {
    Statement programs(*this, ListPrograms);
    programs.blob(bytes_of(recipe_));
    while (more && programs.step()) {
      ++summary.programs[static_cast<std::size_t>(programs.outcome(1))];
      summary.kernels[static_cast<std::size_t>(Outcome::Converted)] += programs.value(2);
      summary.kernels[static_cast<std::size_t>(Outcome::Described)] += programs.value(3);
      summary.kernels[static_cast<std::size_t>(Outcome::Refused)] += programs.value(4);
      summary.proved += programs.value(5);
      const std::string_view outputs = programs.bytes(6);
      summary.outputs += static_cast<std::uint64_t>(std::ranges::count(outputs, '\n'));
      more = write(programs.bytes(0));
    }
  }
  execute("DELETE FROM used");
  commit();
  return more && error_.empty();
}

}  // namespace amdcompat::migrate
