// SPDX-License-Identifier: Apache-2.0
// The SQLite C API behind two small owners: a database and a prepared statement. Failures are Result errors that carry
// SQLite's own words. Files that anyone may have written are opened as sqlite.org/security.html advises.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include <sqlite3.h>

#include "core/base/result.hpp"

namespace pipedeck::store::sqlite {

/// Bytes of the longest value that is read or written.
inline constexpr int max_value_bytes = 1 << 28;

/// A watcher of statements, which ends them for a reason.
struct Watch {
  enum class Ended { no, stopped, late, large };
  std::stop_token stop;
  std::chrono::steady_clock::time_point end;
  std::int64_t memory = 0;  ///< bytes that SQLite may use
  Ended ended = Ended::no;
};

class Statement {
 public:
  Statement(sqlite3_stmt* statement, const Watch* watch) : statement_(statement), watch_(watch) {}

  Statement& bind(std::int64_t value);
  Statement& bind(const std::string& value);       ///< kept by the caller until the step
  Statement& bind_blob(const std::string& value);  ///< likewise
  /// True with a row, false at the end.
  Result<bool> step();
  /// For the next row to write.
  void reset();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  std::string text(int column) const;
  std::string blob(int column) const;
  /// Returns the bytes of the row's texts and blobs.
  std::size_t bytes() const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  const Watch* watch_;  ///< null: not watched
  int bound_ = 0;
};

class Database {
 public:
  static Result<Database> open(const std::string& path, int flags);
  /// Opens a file that anyone may have written. Nothing in it is run: no view, no trigger and no check.
  static Result<Database> open_foreign(const std::string& path, int flags, std::stop_token stop = {});

  /// Ends later statements when `stop` asks for it, after `longest`, or when they need more memory.
  void watch(std::stop_token stop, std::chrono::seconds longest = std::chrono::seconds(120),
             std::int64_t memory = std::int64_t{3} * max_value_bytes);
  Result<void> run(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);
  /// Closing will not write the log back.
  void discard_wal();

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  explicit Database(sqlite3* database) : database_(database) {}
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace pipedeck::store::sqlite
