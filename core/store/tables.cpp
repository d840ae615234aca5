// SPDX-License-Identifier: Apache-2.0
#include "core/store/tables.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace pipedeck::store {
namespace {

using sqlite::Database;
using sqlite::Statement;

/// `place` keeps the order in which things were written; ids are the writer's own affair.
constexpr auto schema = R"(
  CREATE TABLE document(place INTEGER PRIMARY KEY, id INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
                        json TEXT NOT NULL, position INTEGER NOT NULL, UNIQUE(kind, id)) STRICT;
  CREATE TABLE run(place INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, name TEXT NOT NULL, json TEXT NOT NULL) STRICT;
  CREATE TABLE prediction(run INTEGER PRIMARY KEY REFERENCES run(id), json TEXT NOT NULL, timeline BLOB NOT NULL) STRICT;
  CREATE TABLE event(run INTEGER NOT NULL REFERENCES run(id), position INTEGER NOT NULL, line TEXT NOT NULL,
                     timeline BLOB NOT NULL, PRIMARY KEY(run, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
)";

Result<void> step_once(Statement& statement) {
  const Result<bool> stepped = statement.step();
  statement.reset();
  if (!stepped) return tl::unexpected(stepped.error());
  return {};
}

/// Calls `take` with each row of the query. The first versions had no column `place`: SQLite's own row number is the
/// same where there is one.
template <class Take>
Result<void> each_row(Database& database, ByteBudget& budget, const std::string& query, std::int64_t argument,
                      const Take& take) {
  TRY(auto select, database.prepare(query));
  if (argument != 0) select.bind(argument);
  Result<bool> row;
  while ((row = select.step()) && *row) {
    TRY_VOID(budget.take(select));
    take(select);
  }
  if (!row) return tl::unexpected(row.error());
  return {};
}

Error at(Error error, std::string_view table) {
  if (error.place.empty() && error.code == ErrorCode::bad_input) error.place = fmt::format("table {}", table);
  return error;
}

Result<RunTraces> load_traces(OpenFile& file, std::int64_t run) {
  const std::lock_guard lock(file.reading);
  file.database.watch({});
  ByteBudget budget(file, max_trace_bytes);
  RunTraces traces;
  const bool columns = file.version >= 2;
  Result<void> read;
  if (columns) {
    read = each_row(file.database, budget, "SELECT json, timeline FROM prediction WHERE run = ?", run,
                    [&](const Statement& row) {
                      traces.prediction = row.text(0);
                      traces.prediction_timeline = row.blob(1);
                    });
  }
  if (read) {
    read = each_row(
        file.database, budget,
        fmt::format("SELECT line, {} FROM event WHERE run = ? ORDER BY position", columns ? "timeline" : "x''"), run,
        [&](const Statement& row) {
          traces.events.push_back({row.text(0), row.blob(1)});
        });
  }
  if (read) return traces;
  Error error = read.error();
  error.file = file.path;
  error.place = fmt::format("run {}", run);
  return tl::unexpected(std::move(error));
}

/// Columns of a table that is read later. A file without them is reported when it is opened.
Result<void> check_traces(OpenFile& file) {
  const bool columns = file.version >= 2;
  TRY_VOID(file.database.prepare(columns ? "SELECT run, position, line, timeline FROM event"
                                         : "SELECT run, position, line FROM event"));
  if (!columns) return {};
  TRY_VOID(file.database.prepare("SELECT run, json, timeline FROM prediction"));
  return {};
}

std::string_view kind_of(std::string_view type, std::string_view sql) {
  if (sql.starts_with("CREATE VIRTUAL")) return "virtual table";
  return sql.starts_with("CREATE VIEW") ? "view" : type;
}

/// Refuses columns that are computed when they are read.
Result<void> check_columns(Database& database, const std::string& table) {
  TRY(auto select, database.prepare(fmt::format("PRAGMA table_xinfo({})", table)));
  Result<bool> row;
  while ((row = select.step()) && *row)
    if (select.integer(6) != 0)
      return fail(ErrorCode::bad_input,
                  fmt::format("found the computed column '{}', expected stored ones alone", select.text(1)));
  if (!row) return tl::unexpected(row.error());
  return {};
}

}  // namespace

std::size_t bytes_on_disk(const std::string& path) {
  std::size_t sum = 0;
  for (const char* ending : {"", "-wal"}) {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(path + ending, missing);
    if (!missing) sum += bytes;
  }
  return sum;
}

Result<void> ByteBudget::take(const sqlite::Statement& row) {
  constexpr std::size_t least = 4;  // of a row without texts
  const std::size_t bytes = row.bytes() + least;
  if (bytes > left_)
    return fail(ErrorCode::bad_input, fmt::format("found more than {} bytes, expected at most that", most_));
  left_ -= bytes;
  return {};
}

Result<void> check_schema(Database& database, std::span<const std::string_view> tables) {
  TRY(auto select, database.prepare("SELECT type, name, sql FROM sqlite_schema"));
  Result<bool> row;
  std::vector<std::string> found;
  while ((row = select.step()) && *row) {
    const std::string type = select.text(0), name = select.text(1), sql = select.text(2);
    if (type == "index" && sql.empty()) continue;  // of a key
    // SQLite takes the kind from the statement.
    const bool plain = type == "table" && sql.starts_with("CREATE TABLE ");
    if (!plain || std::ranges::find(tables, name) == tables.end())
      return fail(ErrorCode::bad_input, fmt::format("found the {} '{}', expected only tables that Pipedeck writes",
                                                    kind_of(type, sql), name));
    found.push_back(name);
  }
  if (!row) return tl::unexpected(row.error());
  for (const std::string& table : found)
    if (auto stored = check_columns(database, table); !stored) return tl::unexpected(at(stored.error(), table));
  return {};
}

Result<void> check_integrity(Database& database, std::initializer_list<const char*> tables) {
  for (const char* table : tables) {
    TRY(auto check, database.prepare(*table ? fmt::format("PRAGMA quick_check({})", table) : "PRAGMA quick_check"));
    const Result<bool> row = check.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row || check.text(0) != "ok") return fail(ErrorCode::bad_input, "the file is damaged: " + check.text(0));
  }
  return {};
}

std::string create_tables() { return schema; }

Result<void> insert_document(Database& database, std::size_t place, const StoredDocument& document) {
  TRY(auto insert,
      database.prepare("INSERT INTO document(place, id, kind, name, json, position) VALUES(?, ?, ?, ?, ?, ?)"));
  insert.bind(static_cast<std::int64_t>(place) + 1).bind(document.id).bind(document.kind).bind(document.name);
  insert.bind(document.json).bind(document.position);
  return step_once(insert);
}

Result<void> insert_run(Database& database, std::size_t place, const StoredRun& run) {
  TRY(auto insert, database.prepare("INSERT INTO run(place, id, name, json) VALUES(?, ?, ?, ?)"));
  insert.bind(static_cast<std::int64_t>(place) + 1).bind(run.id).bind(run.name).bind(run.json);
  return step_once(insert);
}

Result<void> insert_traces(Database& database, std::int64_t run, const RunTraces& traces) {
  if (!traces.prediction.empty()) {
    TRY(auto insert, database.prepare("INSERT INTO prediction(run, json, timeline) VALUES(?, ?, ?)"));
    insert.bind(run).bind(traces.prediction).bind_blob(traces.prediction_timeline);
    TRY_VOID(step_once(insert));
  }
  TRY(auto insert, database.prepare("INSERT INTO event(run, position, line, timeline) VALUES(?, ?, ?, ?)"));
  for (std::size_t i = 0; i < traces.events.size(); ++i) {
    insert.bind(run)
        .bind(static_cast<std::int64_t>(i))
        .bind(traces.events[i].line)
        .bind_blob(traces.events[i].timeline);
    TRY_VOID(step_once(insert));
  }
  return {};
}

Result<void> delete_traces(Database& database, std::int64_t run) {
  return database.run(fmt::format("DELETE FROM prediction WHERE run = {0}; DELETE FROM event WHERE run = {0}", run));
}

Result<void> insert_setting(Database& database, const std::string& key, const std::string& value) {
  TRY(auto insert, database.prepare("INSERT OR REPLACE INTO setting(key, value) VALUES(?, ?)"));
  insert.bind(key).bind(value);
  return step_once(insert);
}

Result<ProjectContent> content_of(const std::shared_ptr<OpenFile>& file) {
  ProjectContent content;
  const auto take_document = [&](const Statement& row) {
    content.documents.push_back(
        {row.integer(0), row.text(1), row.text(2), row.text(3), static_cast<int>(row.integer(4))});
  };
  const auto take_run = [&](const Statement& row) {
    const std::int64_t id = row.integer(0);
    content.runs.push_back({id, row.text(1), row.text(2), {std::make_shared<const std::int64_t>(id), [file, id] {
                                                             return load_traces(*file, id);
                                                           }}});
  };
  const auto take_setting = [&](const Statement& row) { content.settings.emplace(row.text(0), row.text(1)); };
  ByteBudget budget(*file, max_shown_bytes);
  const auto read = [&](const char* table, const char* columns, const char* order, const auto& take) {
    return each_row(file->database, budget, fmt::format("SELECT {} FROM {} {}", columns, table, order), 0, take)
        .map_error([&](Error error) { return at(std::move(error), table); });
  };
  return read("document", "id, kind, name, json, position", "ORDER BY rowid", take_document)
      .and_then([&] { return read("run", "id, name, json", "ORDER BY rowid", take_run); })
      .and_then([&] { return read("setting", "key, value", "", take_setting); })
      .and_then([&] { return check_traces(*file); })
      .map([&] { return std::move(content); });
}

}  // namespace pipedeck::store
