// SPDX-License-Identifier: Apache-2.0
#include "core/store/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

namespace pipedeck::store {

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* connection) const { sqlite3_close(connection); }

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}

Statement& Statement::bind(int index, const std::string& value) {
  sqlite3_bind_text64(statement_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Result<bool> Statement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return database_->failure();
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)))
              : std::string();
}

Result<Database> Database::open(const std::string& path, Access access) {
  const int flags = access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* connection = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &connection, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database;
  database.connection_.reset(connection);
  if (status != SQLITE_OK) return database.failure();
  return database;
}

Result<void> Database::run(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failure();
  return {};
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return failure();
  return Statement(*this, statement);
}

Result<std::int64_t> Database::integer(const std::string& sql) {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  if (const auto row = statement->step(); !row) return tl::unexpected(row.error());
  return statement->integer(0);
}

Result<std::string> Database::text(const std::string& sql) {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  if (const auto row = statement->step(); !row) return tl::unexpected(row.error());
  return statement->text(0);
}

tl::unexpected<Error> Database::failure() const {
  if (!connection_) return fail(ErrorCode::io, "SQLite can't get memory");
  const int status = sqlite3_errcode(connection_.get());
  const bool input = status == SQLITE_CORRUPT || status == SQLITE_NOTADB || status == SQLITE_ERROR ||
                     status == SQLITE_TOOBIG || status == SQLITE_MISMATCH;
  return fail(input ? ErrorCode::bad_input : ErrorCode::io,
              fmt::format("{}{}", input ? "found a damaged project file, expected one that Pipedeck wrote: " : "",
                          sqlite3_errmsg(connection_.get())));
}

}  // namespace pipedeck::store
