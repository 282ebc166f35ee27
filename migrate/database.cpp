#include "database.hpp"

#include <utility>

#include <sqlite3.h>

namespace amdcompat::migrate {

namespace {

constexpr std::chrono::milliseconds kTransaction{100};  // long enough to cost little

}  // namespace

Database::~Database() {
  commit();
  for (sqlite3_stmt* const statement : statements_) sqlite3_finalize(statement);
  sqlite3_close(database_);
}

bool Database::check(int status) {
  if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return true;
  fail(database_ != nullptr ? sqlite3_errmsg(database_) : sqlite3_errstr(status));
  return false;
}

void Database::fail(std::string why) {
  if (error_.empty()) error_ = std::move(why);
}

int Database::open(const std::string& path, bool durable) {
  // One connection, used under its owner's lock.
  int status = sqlite3_open_v2(path.c_str(), &database_,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  check(status);
  // Exclusive before the first access: no shared memory file, which network file systems cannot have.
  for (const char* const sql :
       {"PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=WAL",
        durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL", "PRAGMA cache_size=-16384"})
    if (status == SQLITE_OK) status = execute(sql);
  return status;
}

int Database::execute(const char* sql) {
  const int status = sqlite3_exec(database_, sql, nullptr, nullptr, nullptr);
  check(status);
  return status;
}

int Database::prepare(std::span<const char* const> sql) {
  int status = SQLITE_OK;
  for (const char* const text : sql) {
    sqlite3_stmt* statement = nullptr;
    if (status == SQLITE_OK)
      status = sqlite3_prepare_v3(database_, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    check(status);
    statements_.push_back(statement);
  }
  return status;
}

int Database::number(const char* sql, std::int64_t& out) {
  sqlite3_stmt* statement = nullptr;
  out = 0;
  const int status = sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr);
  if (check(status) && sqlite3_step(statement) == SQLITE_ROW) out = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return status;
}

void Database::begin() {
  if (in_transaction_ && std::chrono::steady_clock::now() - since_ > kTransaction) commit();
  if (in_transaction_ || !error_.empty()) return;
  execute("BEGIN");
  in_transaction_ = true;
  since_ = std::chrono::steady_clock::now();
}

void Database::commit() {
  if (in_transaction_) execute("COMMIT");
  in_transaction_ = false;
}

Statement::Statement(Database& database, std::size_t which) : database_(database) {
  if (database.error_.empty()) statement_ = database.statements_[which];
}

Statement::~Statement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Statement& Statement::blob(std::string_view bytes) {
  // An empty view may have no address, which SQLite would take as NULL.
  if (statement_ != nullptr)
    database_.check(
        sqlite3_bind_blob64(statement_, ++bound_, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC));
  return *this;
}

Statement& Statement::number(std::uint64_t value) {
  if (statement_ != nullptr)
    database_.check(sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value)));
  return *this;
}

bool Statement::step() {
  if (statement_ == nullptr) return false;
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  database_.check(status);
  return false;
}

std::string_view Statement::bytes(int column) const {
  const void* const data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return data == nullptr ? std::string_view{} : std::string_view(static_cast<const char*>(data), size);
}

std::uint64_t Statement::value(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
}

}  // namespace amdcompat::migrate
