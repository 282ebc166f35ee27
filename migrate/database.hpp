// The SQLite database of a directory: its connection, its transaction and its prepared statements. The first failure is
// kept; everything after it does nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace amdcompat::migrate {

class Database {
 public:
  Database() = default;
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // These give SQLite's status of what could not be done, or its OK.
  // `path` empty: a database that SQLite keeps in files of its own. It is locked for this process until it is closed.
  int open(const std::string& path, bool durable);
  int execute(const char* sql);
  // Statements by their index in `sql`.
  int prepare(std::span<const char* const> sql);
  // The first column of the first row; 0: there is none.
  int number(const char* sql, std::int64_t& out);

  // Starts a transaction, or goes on with the open one while it is younger than a tenth of a second: what a kill costs.
  void begin();
  void commit();

  // Keeps the first failure; true: `status` is none.
  bool check(int status);
  void fail(std::string why);
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  friend class Statement;
  sqlite3* database_ = nullptr;
  std::vector<sqlite3_stmt*> statements_;
  bool in_transaction_ = false;
  std::chrono::steady_clock::time_point since_{};  // of the open transaction
  std::string error_;
};

// A prepared statement in use: bound from left to right, reset at the end.
class Statement {
 public:
  Statement(Database& database, std::size_t which);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& blob(std::string_view bytes);  // which outlive the statement's use
  Statement& number(std::uint64_t value);
  // True: a row is there.
  bool step();
  // Columns of that row, from 0.
  [[nodiscard]] std::string_view bytes(int column) const;
  [[nodiscard]] std::uint64_t value(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace amdcompat::migrate
