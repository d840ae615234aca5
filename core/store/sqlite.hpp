// SPDX-License-Identifier: Apache-2.0
// The SQLite C API behind two small owners: a database and a prepared statement. Failures are Result errors that carry
// SQLite's own words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <sqlite3.h>

#include "core/base/result.hpp"

namespace pipedeck::store::sqlite {

class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

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

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

class Database {
 public:
  static Result<Database> open(const std::string& path, int flags);

  Result<void> run(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);
  /// Closing will not write the log back.
  void discard_wal();

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  explicit Database(sqlite3* database) : database_(database) {}
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace pipedeck::store::sqlite
