// SPDX-License-Identifier: Apache-2.0
// The tables that project files and work copies have in common.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
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

/// A database that traces are still read from.
struct OpenFile {
  sqlite::Database database;
  int version = project_version;
  std::string path;
  std::mutex reading{};
};

/// Tables without the traces, which are loaded from `file` on demand.
Result<ProjectContent> content_of(const std::shared_ptr<OpenFile>& file);

}  // namespace pipedeck::store
