// SPDX-License-Identifier: Apache-2.0
#include "core/store/project_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/store/database.hpp"

namespace pipedeck {
namespace {

using store::Database;
using store::Statement;
namespace fs = std::filesystem;

constexpr std::int64_t application_id = 0x50495045;  // "PIPE", what `file` and SQLite's tools tell the format by

constexpr std::string_view schema = R"(
  CREATE TABLE document (place INTEGER PRIMARY KEY, id INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
                         json TEXT NOT NULL, position INTEGER NOT NULL) STRICT;
  CREATE TABLE run (place INTEGER PRIMARY KEY, id INTEGER NOT NULL, name TEXT NOT NULL, json TEXT NOT NULL) STRICT;
  CREATE TABLE run_event (run INTEGER NOT NULL REFERENCES run(place), number INTEGER NOT NULL, json TEXT NOT NULL,
                          PRIMARY KEY (run, number)) STRICT, WITHOUT ROWID;
  CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
)";

tl::unexpected<Error> in_file(Error error, const std::string& path) {
  error.file = path;
  return tl::unexpected<Error>(std::move(error));
}

// ---- reading

Result<void> check_header(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (!fs::exists(status)) return fail(ErrorCode::bad_input, "found no such file");
  if (fs::is_directory(status)) return fail(ErrorCode::bad_input, "found a folder, expected a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::bad_input, fmt::format("the file can't be opened: {}", std::strerror(errno)));
  constexpr std::string_view sqlite{"SQLite format 3\0", 16};
  std::array<char, 16> header{};
  in.read(header.data(), header.size());
  if (in.gcount() == 0) return fail(ErrorCode::bad_input, "the file is empty");
  if (in.gcount() < 16 || std::string_view(header.data(), header.size()) != sqlite)
    return fail(ErrorCode::bad_input, "found a file of another kind, expected a Pipedeck project");
  return {};
}

Result<void> check_project(Database& database) {
  const auto id = database.integer("PRAGMA application_id");
  if (!id) return tl::unexpected(id.error());
  if (*id != application_id)
    return fail(ErrorCode::bad_input, "found a database of another program, expected a Pipedeck project");
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  if (*version > project_version)
    return fail(ErrorCode::bad_input,
                fmt::format("found version {}, written by a newer Pipedeck; this one reads up to {}", *version,
                            project_version));
  if (*version < 1) return fail(ErrorCode::bad_input, fmt::format("found version {}, expected 1 or more", *version));
  const auto integrity = database.text("PRAGMA integrity_check(1)");
  if (!integrity) return tl::unexpected(integrity.error());
  if (*integrity != "ok")
    return fail(ErrorCode::bad_input,
                fmt::format("found a damaged project file, expected a whole one: {}", *integrity));
  return {};
}

/// Calls `take` for every row.
template <class Take>
Result<void> each_row(Database& database, const std::string& sql, Take take) {
  auto rows = database.prepare(sql);
  if (!rows) return tl::unexpected(rows.error());
  for (;;) {
    const Result<bool> row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    if (const Result<void> taken = take(*rows); !taken) return taken;
  }
}

Result<void> read_documents(Database& database, ProjectContent& content) {
  return each_row(database, "SELECT id, kind, name, json, position FROM document ORDER BY place",
                  [&](const Statement& row) -> Result<void> {
                    content.documents.push_back(
                        {row.integer(0), row.text(1), row.text(2), row.text(3), static_cast<int>(row.integer(4))});
                    return {};
                  });
}

Result<void> read_runs(Database& database, ProjectContent& content) {
  Result<void> runs =
      each_row(database, "SELECT id, name, json FROM run ORDER BY place", [&](const Statement& row) -> Result<void> {
        content.runs.push_back({row.integer(0), row.text(1), row.text(2), {}});
        return {};
      });
  if (!runs) return runs;
  return each_row(
      database, "SELECT run, json FROM run_event ORDER BY run, number", [&](const Statement& row) -> Result<void> {
        const std::int64_t run = row.integer(0);
        if (run < 0 || run >= static_cast<std::int64_t>(content.runs.size()))
          return fail(ErrorCode::bad_input,
                      fmt::format("found an event of run {}, expected one of the {} runs", run, content.runs.size()));
        content.runs[static_cast<std::size_t>(run)].events.push_back(row.text(1));
        return {};
      });
}

Result<void> read_settings(Database& database, ProjectContent& content) {
  return each_row(database, "SELECT key, value FROM setting", [&](const Statement& row) -> Result<void> {
    content.settings[row.text(0)] = row.text(1);
    return {};
  });
}

Result<ProjectContent> read_content(const std::string& path) {
  if (const Result<void> header = check_header(path); !header) return tl::unexpected(header.error());
  Result<Database> database = Database::open(path, Database::Access::read_only);
  if (!database) return tl::unexpected(database.error());
  ProjectContent content;
  if (const Result<void> valid = check_project(*database); !valid) return tl::unexpected(valid.error());
  for (const auto read : {&read_documents, &read_runs, &read_settings})
    if (const Result<void> done = read(*database, content); !done) return tl::unexpected(done.error());
  return content;
}

// ---- writing

Result<void> write_row(Statement& statement) {
  const Result<bool> done = statement.step();
  if (!done) return tl::unexpected(done.error());
  statement.reset();
  return {};
}

Result<void> write_documents(Database& database, const ProjectContent& content) {
  auto insert = database.prepare("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?)");
  if (!insert) return tl::unexpected(insert.error());
  for (std::size_t i = 0; i < content.documents.size(); ++i) {
    const StoredDocument& document = content.documents[i];
    insert->bind(1, static_cast<std::int64_t>(i)).bind(2, document.id).bind(3, document.kind).bind(4, document.name);
    insert->bind(5, document.json).bind(6, std::int64_t{document.position});
    if (const Result<void> done = write_row(*insert); !done) return done;
  }
  return {};
}

Result<void> write_runs(Database& database, const ProjectContent& content) {
  auto insert = database.prepare("INSERT INTO run VALUES (?, ?, ?, ?)");
  auto event = database.prepare("INSERT INTO run_event VALUES (?, ?, ?)");
  for (const auto* statement : {&insert, &event})
    if (!*statement) return tl::unexpected(statement->error());
  for (std::size_t i = 0; i < content.runs.size(); ++i) {
    const StoredRun& run = content.runs[i];
    const auto place = static_cast<std::int64_t>(i);
    insert->bind(1, place).bind(2, run.id).bind(3, run.name).bind(4, run.json);
    if (const Result<void> done = write_row(*insert); !done) return done;
    for (std::size_t e = 0; e < run.events.size(); ++e) {
      event->bind(1, place).bind(2, static_cast<std::int64_t>(e)).bind(3, run.events[e]);
      if (const Result<void> done = write_row(*event); !done) return done;
    }
  }
  return {};
}

Result<void> write_settings(Database& database, const ProjectContent& content) {
  auto insert = database.prepare("INSERT INTO setting VALUES (?, ?)");
  if (!insert) return tl::unexpected(insert.error());
  for (const auto& [key, value] : content.settings) {
    insert->bind(1, key).bind(2, value);
    if (const Result<void> done = write_row(*insert); !done) return done;
  }
  return {};
}

/// A database of its own, in one transaction. The journal stays in memory: a file that is cut short is thrown away.
Result<void> write_content(const std::string& path, const ProjectContent& content) {
  Result<Database> database = Database::open(path, Database::Access::create);
  if (!database) return tl::unexpected(database.error());
  const std::string begin = fmt::format(
      "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN; PRAGMA application_id = {}; "
      "PRAGMA user_version = {};",
      application_id, project_version);
  if (const Result<void> begun = database->run(begin + std::string(schema)); !begun) return begun;
  for (const auto write : {&write_documents, &write_runs, &write_settings})
    if (const Result<void> done = write(*database, content); !done) return done;
  return database->run("COMMIT");
}

tl::unexpected<Error> system_failure() {
  return fail(ErrorCode::io, fmt::format("the file can't be written: {}", std::strerror(errno)));
}

/// On the disk, then under its final name.
Result<void> publish(const std::string& temporary, const std::string& path) {
  const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_failure();
  const bool flushed = ::fsync(descriptor) == 0;
  Result<void> result;
  if (!flushed) result = system_failure();
  ::close(descriptor);
  if (result && ::rename(temporary.c_str(), path.c_str()) != 0) result = system_failure();
  return result;
}

/// An empty file that nobody else writes, beside `path`.
Result<std::string> make_temporary(const std::string& path) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = fmt::format("{}.{}-{}.tmp", path, ::getpid(), attempt);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) return system_failure();
    ::close(descriptor);
    return name;
  }
  return system_failure();
}

}  // namespace

Result<ProjectContent> read_project(const std::string& path) {
  Result<ProjectContent> content = read_content(path);
  if (!content) return in_file(std::move(content).error(), path);
  return content;
}

Result<void> write_project(const std::string& path, const ProjectContent& content) {
  const Result<std::string> temporary = make_temporary(path);
  if (!temporary) return in_file(temporary.error(), path);
  Result<void> written = write_content(*temporary, content);
  if (written) written = publish(*temporary, path);
  if (!written) {
    ::unlink(temporary->c_str());
    Error error = written.error();
    error.code = ErrorCode::io;  // whatever went wrong with a file of our own making is no input's fault
    return in_file(std::move(error), path);
  }
  return {};
}

}  // namespace pipedeck
