// SPDX-License-Identifier: Apache-2.0
// The tables that project files and work copies have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/project_file.hpp"
#include "core/store/sqlite.hpp"

namespace pipedeck::store {

inline constexpr std::uint32_t project_application = 0x5044'4b31;  // "PDK1", which the `file` program reports as well
inline constexpr std::uint32_t work_application = 0x5044'4b57;     // "PDKW"

std::string create_tables();

/// `place` is the location of a document or run in the content.
Result<void> insert_document(sqlite::Database& database, std::size_t place, const StoredDocument& document);
Result<void> insert_run(sqlite::Database& database, std::size_t place, const StoredRun& run);
Result<void> insert_traces(sqlite::Database& database, std::int64_t run, const RunTraces& traces);
Result<void> delete_traces(sqlite::Database& database, std::int64_t run);
Result<void> insert_setting(sqlite::Database& database, const std::string& key, const std::string& value);

/// Returns the bytes of a database and its log; 0 where there is none.
std::size_t bytes_on_disk(const std::string& path);

/// A database that traces are still read from.
struct OpenFile {
  sqlite::Database database;
  int version = project_version;
  std::string path;
  std::size_t bytes = bytes_on_disk(path);  ///< now: another file may come under this name
  std::mutex reading{};
};

/// A limit of the bytes that are read together. No sound file gives more bytes than it has.
class ByteBudget {
 public:
  ByteBudget(const OpenFile& file, std::size_t most) : most_(std::min(most, file.bytes)), left_(most_) {}
  /// Counts a row. bad_input if the rows so far have more bytes than they may.
  Result<void> take(const sqlite::Statement& row);

 private:
  std::size_t most_, left_;
};

/// Bytes of what is read at once: of documents, runs and settings, and of the traces of a run.
inline constexpr std::size_t max_shown_bytes = std::size_t{1} << 29, max_trace_bytes = std::size_t{1} << 31;

/// Tables of a project, and those that a work copy may have besides.
inline constexpr std::string_view project_tables[] = {"document", "run", "prediction", "event", "setting"};
inline constexpr std::string_view work_tables[] = {"document",   "run",        "prediction",  "event",
                                                   "setting",    "work",       "saved_trace", "large_trace",
                                                   "trace_part", "whole_trace"};
/// Checks before the first read that the file has plain tables alone, and no others than these.
Result<void> check_schema(sqlite::Database& database, std::span<const std::string_view> tables);

/// Checks that the pages of these tables are sound; of the whole file without a name.
Result<void> check_integrity(sqlite::Database& database, std::initializer_list<const char*> tables = {""});

/// Tables without the traces, which are loaded from `file` on demand.
Result<ProjectContent> content_of(const std::shared_ptr<OpenFile>& file);

}  // namespace pipedeck::store
