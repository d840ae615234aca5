// SPDX-License-Identifier: Apache-2.0
#include "core/store/project_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/store/sqlite.hpp"

namespace pipedeck {
namespace {

namespace fs = std::filesystem;
using sqlite::Database;
using sqlite::Statement;

constexpr std::uint32_t application_id = 0x5044'4b31;  // "PDK1", told by the `file` program as well

/// `place` keeps the order in which things were written; ids are the writer's own affair.
constexpr auto schema = R"(
  CREATE TABLE document(place INTEGER PRIMARY KEY, id INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
                        json TEXT NOT NULL, position INTEGER NOT NULL, UNIQUE(kind, id)) STRICT;
  CREATE TABLE run(place INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, name TEXT NOT NULL, json TEXT NOT NULL) STRICT;
  CREATE TABLE event(run INTEGER NOT NULL REFERENCES run(id), position INTEGER NOT NULL, line TEXT NOT NULL,
                     PRIMARY KEY(run, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
)";

Result<void> step_once(Result<Statement>& statement) {
  const Result<bool> stepped = statement->step();
  statement->reset();
  if (!stepped) return tl::unexpected(stepped.error());
  return {};
}

Result<void> insert_documents(Database& database, const std::vector<StoredDocument>& documents) {
  auto insert = database.prepare("INSERT INTO document(id, kind, name, json, position) VALUES(?, ?, ?, ?, ?)");
  if (!insert) return tl::unexpected(insert.error());
  for (const StoredDocument& document : documents) {
    insert->bind(document.id).bind(document.kind).bind(document.name).bind(document.json).bind(document.position);
    if (auto done = step_once(insert); !done) return done;
  }
  return {};
}

Result<void> insert_runs(Database& database, const std::vector<StoredRun>& runs) {
  auto insert_run = database.prepare("INSERT INTO run(id, name, json) VALUES(?, ?, ?)");
  if (!insert_run) return tl::unexpected(insert_run.error());
  auto insert_event = database.prepare("INSERT INTO event VALUES(?, ?, ?)");
  if (!insert_event) return tl::unexpected(insert_event.error());
  for (const StoredRun& run : runs) {
    insert_run->bind(run.id).bind(run.name).bind(run.json);
    if (auto done = step_once(insert_run); !done) return done;
    for (std::size_t i = 0; i < run.events.size(); ++i) {
      insert_event->bind(run.id).bind(static_cast<std::int64_t>(i)).bind(run.events[i]);
      if (auto done = step_once(insert_event); !done) return done;
    }
  }
  return {};
}

Result<void> insert_settings(Database& database, const std::map<std::string, std::string>& settings) {
  auto insert = database.prepare("INSERT INTO setting VALUES(?, ?)");
  if (!insert) return tl::unexpected(insert.error());
  for (const auto& [key, value] : settings) {
    insert->bind(key).bind(value);
    if (auto done = step_once(insert); !done) return done;
  }
  return {};
}

Result<void> fill(Database& database, const ProjectContent& content) {
  // No journal: a file that was not finished is never renamed to the project's name.
  const std::string head =
      fmt::format("PRAGMA journal_mode = OFF; PRAGMA application_id = {}; PRAGMA user_version = {}; BEGIN;{}",
                  application_id, project_version, schema);
  return database.run(head)
      .and_then([&] { return insert_documents(database, content.documents); })
      .and_then([&] { return insert_runs(database, content.runs); })
      .and_then([&] { return insert_settings(database, content.settings); })
      .and_then([&] { return database.run("COMMIT"); });
}

Result<std::vector<StoredDocument>> documents_of(Database& database) {
  auto select = database.prepare("SELECT id, kind, name, json, position FROM document ORDER BY place");
  if (!select) return tl::unexpected(select.error());
  std::vector<StoredDocument> documents;
  Result<bool> row;
  while ((row = select->step()) && *row)
    documents.push_back(
        {select->integer(0), select->text(1), select->text(2), select->text(3), static_cast<int>(select->integer(4))});
  if (!row) return tl::unexpected(row.error());
  return documents;
}

Result<std::vector<StoredRun>> runs_of(Database& database) {
  auto select = database.prepare("SELECT id, name, json FROM run ORDER BY place");
  if (!select) return tl::unexpected(select.error());
  auto events = database.prepare("SELECT line FROM event WHERE run = ? ORDER BY position");
  if (!events) return tl::unexpected(events.error());
  std::vector<StoredRun> runs;
  Result<bool> row;
  while ((row = select->step()) && *row) {
    StoredRun run{select->integer(0), select->text(1), select->text(2), {}};
    events->bind(run.id);
    Result<bool> line;
    while ((line = events->step()) && *line) run.events.push_back(events->text(0));
    if (!line) return tl::unexpected(line.error());
    events->reset();
    runs.push_back(std::move(run));
  }
  if (!row) return tl::unexpected(row.error());
  return runs;
}

Result<std::map<std::string, std::string>> settings_of(Database& database) {
  auto select = database.prepare("SELECT key, value FROM setting");
  if (!select) return tl::unexpected(select.error());
  std::map<std::string, std::string> settings;
  Result<bool> row;
  while ((row = select->step()) && *row) settings.emplace(select->text(0), select->text(1));
  if (!row) return tl::unexpected(row.error());
  return settings;
}

std::uint32_t big_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Kind and version from the first 100 bytes, so that a foreign file is told before SQLite touches it.
Result<void> check_header(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (!fs::exists(status)) return fail(ErrorCode::bad_input, "found no such file");
  if (fs::is_directory(status)) return fail(ErrorCode::bad_input, "found a folder, expected a project file");
  std::array<char, 100> header{};
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::bad_input, fmt::format("the file can't be opened: {}", std::strerror(errno)));
  in.read(header.data(), header.size());
  if (in.gcount() == 0) return fail(ErrorCode::bad_input, "the file is empty, expected a Pipedeck project");
  if (in.gcount() < 100 || std::memcmp(header.data(), "SQLite format 3", 16) != 0)
    return fail(ErrorCode::bad_input, "found a file of another kind, expected a Pipedeck project (SQLite)");
  if (big_endian(header.data() + 68) != application_id)
    return fail(ErrorCode::bad_input, "found an SQLite file of another program, expected a Pipedeck project");
  const std::uint32_t version = big_endian(header.data() + 60);
  if (version > static_cast<std::uint32_t>(project_version))
    return fail(ErrorCode::bad_input, fmt::format("found project version {}, expected at most {}: it was written by a "
                                                  "newer Pipedeck; open it with that one",
                                                  version, project_version));
  if (version < 1) return fail(ErrorCode::bad_input, fmt::format("found project version {}, expected 1", version));
  return {};
}

Result<void> check_integrity(Database& database) {
  auto check = database.prepare("PRAGMA quick_check(1)");
  if (!check) return tl::unexpected(check.error());
  const Result<bool> row = check->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row || check->text(0) != "ok") return fail(ErrorCode::bad_input, "the file is damaged: " + check->text(0));
  return {};
}

Result<ProjectContent> content_of(const std::string& path) {
  if (auto valid = check_header(path); !valid) return tl::unexpected(valid.error());
  auto database = Database::open(path, SQLITE_OPEN_READONLY);
  if (!database) return tl::unexpected(database.error());
  if (auto whole = check_integrity(*database); !whole) return tl::unexpected(whole.error());
  auto documents = documents_of(*database);
  if (!documents) return tl::unexpected(documents.error());
  auto runs = runs_of(*database);
  if (!runs) return tl::unexpected(runs.error());
  auto settings = settings_of(*database);
  if (!settings) return tl::unexpected(settings.error());
  return ProjectContent{std::move(*documents), std::move(*runs), std::move(*settings)};
}

Error of_file(Error error, const std::string& path) {
  error.file = path;
  return error;
}

bool flush_to_disk(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool flushed = ::fsync(descriptor) == 0;
  return ::close(descriptor) == 0 && flushed;
}

Result<void> write_whole(const std::string& temporary, const ProjectContent& content) {
  auto database = Database::open(temporary, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE);
  if (!database) return tl::unexpected(database.error());
  return fill(*database, content);
}

}  // namespace

Result<ProjectContent> read_project(const std::string& path) {
  return content_of(path).map_error([&](Error error) { return of_file(std::move(error), path); });
}

Result<void> write_project(const std::string& path, const ProjectContent& content) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  std::remove(temporary.c_str());  // left by a process of the same number that was killed
  Result<void> written = write_whole(temporary, content);
  if (written && (!flush_to_disk(temporary, O_RDONLY) || std::rename(temporary.c_str(), path.c_str()) != 0))
    written = fail(ErrorCode::io, fmt::format("the project can't be written: {}", std::strerror(errno)));
  if (!written) {
    std::remove(temporary.c_str());
    return tl::unexpected(of_file(std::move(written).error(), path));
  }
  const fs::path folder = fs::path(path).parent_path();
  flush_to_disk(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);  // so that the new name lasts as well
  return {};
}

}  // namespace pipedeck
