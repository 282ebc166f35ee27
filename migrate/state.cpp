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

#include <amdcompat/prove.hpp>

namespace amdcompat::migrate {

namespace {

constexpr int kSchema = 1;        // of the database
constexpr int kRecipeFormat = 1;  // counted up when the same policy makes other bytes within one version of the tool

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

Outcome outcome_at(const Statement& row, int column) {
  return static_cast<Outcome>(std::min<std::uint64_t>(row.value(column), static_cast<unsigned>(Outcome::Failed)));
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
        fmt::format("{}/state.sqlite: {}; without that directory, everything is converted anew", own, state->error())));
  if (directory.empty()) return state;
  // The lock is held: what lies here was left by a run that was killed.
  fs::remove_all(own + "/tmp", failed);
  fs::create_directories(own + "/tmp", failed);
  if (failed)
    return std::unexpected(make_diagnostic(Code::StateBroken, {}, fmt::format("{}/tmp: {}", own, failed.message())));
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
  if (status == SQLITE_OK && schema != 0 && schema != kSchema) {
    database_.fail(fmt::format("form {} of the records is not known", schema));
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

std::optional<State::Known> State::find_program(const Digest& digest) {
  Statement find(database_, FindProgram);
  find.blob(bytes_of(digest)).blob(bytes_of(recipe_));
  if (!find.step()) return std::nullopt;
  for (const auto& [path, size] : parse_outputs(find.bytes(1))) {
    if (directory_.empty()) break;
    struct stat status{};
    if (::stat(fmt::format("{}/{}", directory_, path).c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        static_cast<std::uint64_t>(status.st_size) != size)
      return std::nullopt;
  }
  return Known{outcome_at(find, 0), std::string(find.bytes(2))};
}

void State::put(const ProgramRecord& record) {
  const auto digest = digest_from_hex(record.sha256);
  if (!digest) return;
  database_.begin();
  const std::string outputs = outputs_text(record);
  {
    Statement old(database_, OldOutputs);
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
  Statement put(database_, PutProgram);
  put.blob(bytes_of(*digest)).blob(bytes_of(recipe_)).number(static_cast<std::uint64_t>(record.outcome));
  put.number(kernels(Outcome::Converted)).number(kernels(Outcome::Described)).number(kernels(Outcome::Refused));
  put.number(proved).blob(outputs).blob(reason).blob(json).step();
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

bool State::list(const std::function<bool(std::string_view)>& write, SummaryRecord& summary) {
  summary = {};
  database_.begin();
  bool more = true;
  {
    Statement files(database_, ListFiles);
    files.blob(bytes_of(recipe_));
    while (more && files.step()) {
      for (std::string_view all = files.bytes(1); all.size() >= sizeof(Digest); all.remove_prefix(sizeof(Digest)))
        Statement(database_, Use).blob(all.substr(0, sizeof(Digest))).step();
      ++summary.files[static_cast<std::size_t>(outcome_at(files, 2))];
      more = write(files.bytes(0));
    }
  }
  {
    Statement programs(database_, ListPrograms);
    programs.blob(bytes_of(recipe_));
    while (more && programs.step()) {
      ++summary.programs[static_cast<std::size_t>(outcome_at(programs, 1))];
      summary.kernels[static_cast<std::size_t>(Outcome::Converted)] += programs.value(2);
      summary.kernels[static_cast<std::size_t>(Outcome::Described)] += programs.value(3);
      summary.kernels[static_cast<std::size_t>(Outcome::Refused)] += programs.value(4);
      summary.proved += programs.value(5);
      const std::string_view outputs = programs.bytes(6);
      summary.outputs += static_cast<std::uint64_t>(std::ranges::count(outputs, '\n'));
      more = write(programs.bytes(0));
    }
  }
  database_.execute("DELETE FROM used");
  database_.commit();
  return more && database_.error().empty();
}

}  // namespace amdcompat::migrate
