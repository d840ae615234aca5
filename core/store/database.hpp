// SPDX-License-Identifier: Apache-2.0
// A thin owner of an SQLite connection and its statements; errors are values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/domain/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace pipedeck::store {

class Database;

/// One prepared statement; freed with its owner.
class Statement {
 public:
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, const std::string& value);
  /// true: a row is there; false: done.
  Result<bool> step();
  /// For the next set of values.
  void reset();
  std::int64_t integer(int column) const;
  std::string text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(Database& database, sqlite3_stmt* statement) : database_(&database), statement_(statement) {}
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  enum class Access { read_only, create };
  static Result<Database> open(const std::string& path, Access access);

  Result<void> run(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);
  /// The first column of the first row: for pragmas.
  Result<std::int64_t> integer(const std::string& sql);
  Result<std::string> text(const std::string& sql);
  /// What SQLite says of its last failure: bad_input for a file that is damaged or foreign, else io.
  tl::unexpected<Error> failure() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace pipedeck::store
