// SPDX-License-Identifier: Apache-2.0
#include "core/store/sqlite.hpp"

namespace pipedeck::store::sqlite {
namespace {

/// A damaged file is the user's input; everything else is the file system's doing.
ErrorCode code_of(int status) {
  return status == SQLITE_CORRUPT || status == SQLITE_NOTADB || status == SQLITE_ERROR || status == SQLITE_MISMATCH
             ? ErrorCode::bad_input
             : ErrorCode::io;
}

tl::unexpected<Error> failure(sqlite3* database, int status) {
  return fail(code_of(status & 0xff), database ? sqlite3_errmsg(database) : sqlite3_errstr(status));
}

}  // namespace

Statement& Statement::bind(std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), ++bound_, value);
  return *this;
}

Statement& Statement::bind(const std::string& value) {
  sqlite3_bind_text64(statement_.get(), ++bound_, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_blob(const std::string& value) {
  sqlite3_bind_blob64(statement_.get(), ++bound_, value.data(), value.size(), SQLITE_STATIC);
  return *this;
}

Result<bool> Statement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return failure(sqlite3_db_handle(statement_.get()), status);
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bound_ = 0;
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)))
               : std::string();
}

std::string Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)))
               : std::string();
}

Result<Database> Database::open(const std::string& path, int flags) {
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  Database database(handle);  // SQLite wants a handle closed even when it could not be opened
  if (status != SQLITE_OK) return failure(handle, status);
  return database;
}

Result<void> Database::run(const std::string& sql) {
  const int status = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return failure(database_.get(), status);
  return {};
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (status != SQLITE_OK) return failure(database_.get(), status);
  return Statement(statement);
}

void Database::discard_wal() { sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr); }

}  // namespace pipedeck::store::sqlite
