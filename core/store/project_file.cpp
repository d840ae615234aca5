// SPDX-License-Identifier: Apache-2.0
#include "core/store/project_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/base/replaced_file.hpp"
#include "core/store/sqlite.hpp"
#include "core/store/tables.hpp"

namespace pipedeck::store {
namespace {

namespace fs = std::filesystem;
using sqlite::Database;

/// Share of the progress for runs, which are nearly all of the file. The flush takes the rest.
constexpr double share_of_runs = 0.8;

/// A watcher of a file that is being written, which may stop it.
struct Watch {
  const Progress& progress;
  std::stop_token stop;
};

Result<void> insert_runs(Database& database, const std::vector<StoredRun>& runs, const Watch& watch) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (watch.stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
    report(watch.progress, share_of_runs * static_cast<double>(i) / static_cast<double>(runs.size()), "writing runs");
    TRY_VOID(store::insert_run(database, i, runs[i]));
    TRY(const auto traces, runs[i].traces.load());
    TRY_VOID(store::insert_traces(database, runs[i].id, traces));
  }
  return {};
}

Result<void> fill(Database& database, const ProjectContent& content, const Watch& watch) {
  // No journal: a file that was not finished is never renamed to the project's name.
  const std::string head =
      fmt::format("PRAGMA journal_mode = OFF; PRAGMA application_id = {}; PRAGMA user_version = {}; BEGIN;{}",
                  store::project_application, project_version, store::create_tables());
  TRY_VOID(database.run(head));
  for (std::size_t i = 0; i < content.documents.size(); ++i) {
    TRY_VOID(store::insert_document(database, i, content.documents[i]));
  }
  TRY_VOID(insert_runs(database, content.runs, watch));
  for (const auto& [key, value] : content.settings) {
    TRY_VOID(store::insert_setting(database, key, value));
  }
  return database.run("COMMIT");
}

std::uint32_t big_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Reads kind and version from the first 100 bytes, so that a foreign file is reported before SQLite touches it.
Result<int> version_in_header(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (!fs::exists(status)) return fail(ErrorCode::bad_input, "found no such file");
  if (fs::is_directory(status)) return fail(ErrorCode::bad_input, "found a folder, expected a project file");
  if (!fs::is_regular_file(status))
    return fail(ErrorCode::bad_input, "found a pipe or a device, expected a project file");
  std::array<char, 100> header{};
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::bad_input, fmt::format("the file can't be opened: {}", std::strerror(errno)));
  in.read(header.data(), header.size());
  if (in.gcount() == 0) return fail(ErrorCode::bad_input, "the file is empty, expected a Pipedeck project");
  if (in.gcount() < 100 || std::memcmp(header.data(), "SQLite format 3", 16) != 0)
    return fail(ErrorCode::bad_input, "found a file of another kind, expected a Pipedeck project (SQLite)");
  const std::uint32_t application = big_endian(header.data() + 68);
  if (application == store::work_application)
    return fail(ErrorCode::bad_input,
                "found the work copy of a project, expected the project itself: open that one, and what was not saved "
                "is offered");
  if (application != store::project_application)
    return fail(ErrorCode::bad_input, "found an SQLite file of another program, expected a Pipedeck project");
  const std::uint32_t version = big_endian(header.data() + 60);
  if (version > static_cast<std::uint32_t>(project_version))
    return fail(
        ErrorCode::bad_input,
        fmt::format(
            "found project version {}, expected at most {}: it was written by a newer Pipedeck; open it with that one",
            version, project_version));
  if (version < 1)
    return fail(ErrorCode::bad_input,
                fmt::format("found project version {}, expected 1 to {}", version, project_version));
  return static_cast<int>(version);
}

Result<ProjectContent> content_of(const std::string& path, std::stop_token stop) {
  TRY(const auto version, version_in_header(path));
  TRY(auto database, Database::open_foreign(path, SQLITE_OPEN_READONLY, std::move(stop)));
  TRY_VOID(store::check_schema(database, store::project_tables));
  // The tables of traces may be a thousand times larger.
  TRY_VOID(store::check_integrity(database, {"document", "run", "setting"}));
  return store::content_of(std::make_shared<store::OpenFile>(std::move(database), version, path));
}

Error of_file(Error error, const std::string& path) {
  error.file = path;
  return error;
}

bool flush_to_disk(int descriptor) {
  if (descriptor < 0) return false;
  const bool flushed = ::fsync(descriptor) == 0;
  return ::close(descriptor) == 0 && flushed;
}

/// Gives the new file what it keeps of the `old` one, and flushes it.
bool finish(const std::string& temporary, const struct ::stat* old) {
  const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0 && old) keep_owner(descriptor, *old);
  return flush_to_disk(descriptor);
}

Result<void> write_whole(const std::string& temporary, const ProjectContent& content, const Watch& watch) {
  TRY(auto database, Database::open(temporary, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE));
  return fill(database, content, watch);
}

}  // namespace

std::string sqlite_version() { return sqlite3_libversion(); }

bool is_database(const std::string& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return false;
  std::array<char, 15> begin{};
  std::ifstream in(path, std::ios::binary);
  return in.read(begin.data(), begin.size()) && std::memcmp(begin.data(), "SQLite format 3", begin.size()) == 0;
}

Result<ProjectContent> read_project(const std::string& path, std::stop_token stop) {
  return content_of(path, std::move(stop)).map_error([&](Error error) { return of_file(std::move(error), path); });
}

StoredTraces traces_at_hand(RunTraces traces) {
  auto kept = std::make_shared<const RunTraces>(std::move(traces));
  const auto bytes = [kept] {
    std::size_t sum = kept->prediction.size() + kept->prediction_timeline.size();
    for (const StoredEvent& event : kept->events) sum += event.line.size() + event.timeline.size();
    return sum;
  };
  return {kept, [kept]() -> Result<RunTraces> { return *kept; }, bytes};
}

Result<void> write_project(const std::string& link, const ProjectContent& content, const Progress& progress,
                           std::stop_token stop, const std::function<void()>& before_rename) {
  TRY(const auto path, end_of_links(link));
  struct ::stat old {};
  const bool replaces = ::stat(path.c_str(), &old) == 0;
  if (replaces && ::access(path.c_str(), W_OK) != 0)
    return tl::unexpected(
        of_file({ErrorCode::io, "the project is write-protected; save it under another name", {}, {}}, link));
  const std::string temporary = temporary_path(path);
  std::remove(temporary.c_str());  // left by a process of the same number that was killed
  remove_stale_temporaries(path);
  Result<void> written = write_whole(temporary, content, {progress, stop});
  report(progress, share_of_runs, "flushing to disk");
  const bool flushed = written && finish(temporary, replaces ? &old : nullptr);
  if (before_rename) before_rename();
  if (written && stop.stop_requested()) written = fail(ErrorCode::cancelled, "cancelled");
  if (written && (!flushed || std::rename(temporary.c_str(), path.c_str()) != 0))
    written = fail(ErrorCode::io, fmt::format("the project can't be written: {}", std::strerror(errno)));
  if (!written) {
    std::remove(temporary.c_str());
    return tl::unexpected(of_file(std::move(written).error(), link));
  }
  const fs::path folder = fs::path(path).parent_path();
  // So that the new name lasts as well.
  flush_to_disk(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return {};
}

}  // namespace pipedeck::store
