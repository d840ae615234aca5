// SPDX-License-Identifier: Apache-2.0
#include "core/store/sqlite.hpp"

#include <utility>

#include <fmt/format.h>

namespace pipedeck::store::sqlite {
namespace {

constexpr int instructions_between_looks = 1000;

/// A damaged file is the user's input; everything else is the file system's doing.
ErrorCode code_of(int status) {
  return status == SQLITE_CORRUPT || status == SQLITE_NOTADB || status == SQLITE_ERROR || status == SQLITE_MISMATCH
             ? ErrorCode::bad_input
             : ErrorCode::io;
}

tl::unexpected<Error> failure(sqlite3* database, int status, const Watch* watch = nullptr) {
  if (status == SQLITE_TOOBIG)
    return fail(ErrorCode::bad_input,
                fmt::format("found a value of more than {} bytes, expected at most that", max_value_bytes));
  if (status == SQLITE_INTERRUPT && watch) {
    if (watch->ended == Watch::Ended::stopped) return fail(ErrorCode::cancelled, "cancelled");
    return fail(ErrorCode::bad_input, watch->ended == Watch::Ended::late
                                          ? "found a file that takes minutes to read, expected one of Pipedeck"
                                          : "found a file that takes much memory to read, expected one of Pipedeck");
  }
  return fail(code_of(status & 0xff), database ? sqlite3_errmsg(database) : sqlite3_errstr(status));
}

/// Returns whether the statement that runs must end.
int look(void* data) {
  Watch& watch = *static_cast<Watch*>(data);
  watch.ended = watch.stop.stop_requested()                    ? Watch::Ended::stopped
                : std::chrono::steady_clock::now() > watch.end ? Watch::Ended::late
                : sqlite3_memory_used() > watch.memory         ? Watch::Ended::large
                                                               : Watch::Ended::no;
  return watch.ended == Watch::Ended::no ? 0 : 1;
}

/// The limits of sqlite.org/security.html, wide enough for the tables of a project.
void limit(sqlite3* database) {
  constexpr std::pair<int, int> limits[] = {{SQLITE_LIMIT_LENGTH, max_value_bytes},
                                            {SQLITE_LIMIT_SQL_LENGTH, 100'000},
                                            {SQLITE_LIMIT_COLUMN, 100},
                                            {SQLITE_LIMIT_EXPR_DEPTH, 10},
                                            {SQLITE_LIMIT_COMPOUND_SELECT, 3},
                                            {SQLITE_LIMIT_VDBE_OP, 25'000},
                                            {SQLITE_LIMIT_FUNCTION_ARG, 8},
                                            {SQLITE_LIMIT_ATTACHED, 0},
                                            {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
                                            {SQLITE_LIMIT_VARIABLE_NUMBER, 10},
                                            {SQLITE_LIMIT_TRIGGER_DEPTH, 10},
                                            {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (const auto& [which, most] : limits) sqlite3_limit(database, which, most);
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
  if (watch_ && watch_->stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return failure(sqlite3_db_handle(statement_.get()), status, watch_);
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

std::size_t Statement::bytes() const {
  std::size_t sum = 0;
  for (int i = 0; i < sqlite3_column_count(statement_.get()); ++i) {
    const int type = sqlite3_column_type(statement_.get(), i);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB)
      sum += static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), i));
  }
  return sum;
}

Result<Database> Database::open(const std::string& path, int flags) {
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  Database database(handle);  // SQLite wants a handle closed even when it could not be opened
  if (status != SQLITE_OK) return failure(handle, status);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, max_value_bytes);  // no file is written that could not be read
  return database;
}

Result<Database> Database::open_foreign(const std::string& path, int flags, std::stop_token stop) {
  TRY(auto database, open(path, flags));
  sqlite3* handle = database.database_.get();
  for (const auto& [option, on] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                   {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                   {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                   {SQLITE_DBCONFIG_DQS_DDL, 0},
                                   {SQLITE_DBCONFIG_DQS_DML, 0}})
    sqlite3_db_config(handle, option, on, nullptr);
  limit(handle);
  database.watch(std::move(stop));
  // The cache's size may come from the file.
  TRY_VOID(
      database.run("PRAGMA cell_size_check = ON; PRAGMA ignore_check_constraints = ON; PRAGMA mmap_size = 0; "
                   "PRAGMA cache_size = -8192"));
  return database;
}

void Database::watch(std::stop_token stop, std::chrono::seconds longest, std::int64_t memory) {
  if (!watch_) watch_ = std::make_unique<Watch>();
  *watch_ = {std::move(stop), std::chrono::steady_clock::now() + longest, sqlite3_memory_used() + memory};
  sqlite3_progress_handler(database_.get(), instructions_between_looks, look, watch_.get());
}

Result<void> Database::run(const std::string& sql) {
  const int status = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return failure(database_.get(), status, watch_.get());
  return {};
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (status != SQLITE_OK) return failure(database_.get(), status, watch_.get());
  return Statement(statement, watch_.get());
}

void Database::discard_wal() { sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr); }

}  // namespace pipedeck::store::sqlite
