// SPDX-License-Identifier: Apache-2.0
// The project file (*.pipedeck): an SQLite database of documents, runs and window state. It holds the contract's JSON
// and column blobs and does not interpret them. The large part, events and operations of runs, is read when it is
// shown. So opening takes as long as the shown part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"

namespace pipedeck::store {

std::string sqlite_version();  // "3.40.1"

struct StoredDocument {
  std::int64_t id = 0;
  std::string kind;  ///< "profile", "cluster", "plan", "model"
  std::string name;
  std::string json;
  int position = 0;  ///< order within its kind
  bool operator==(const StoredDocument&) const = default;
};

/// An event as it came, a JSON line. The operations of a timeline are stored as columns next to it.
struct StoredEvent {
  std::string line;
  std::string timeline;  ///< empty: the line has everything
  bool operator==(const StoredEvent&) const = default;
};

/// The large part of a run.
struct RunTraces {
  std::string prediction;           ///< JSON of the simulation; empty: none was made
  std::string prediction_timeline;  ///< its operations as columns; empty: in the JSON
  std::vector<StoredEvent> events;
  bool operator==(const RunTraces&) const = default;
};

/// Traces that are read on demand, from the file or from memory.
struct StoredTraces {
  std::shared_ptr<const void> key;  ///< the same key, the same traces
  std::function<Result<RunTraces>()> load;
  std::function<std::size_t()> bytes{};  ///< about how many, without loading them; empty: not known
};
StoredTraces traces_at_hand(RunTraces traces);

struct StoredRun {
  std::int64_t id = 0;
  std::string name;
  std::string json;  ///< summary: plan, model, state, when
  StoredTraces traces;
};

/// All that a project holds; equal in, equal out.
struct ProjectContent {
  std::vector<StoredDocument> documents;
  std::vector<StoredRun> runs;
  std::map<std::string, std::string> settings;  ///< window state, the current question, ticked plans
};

/// Version 1 had the prediction in the run's JSON and timelines in the lines of events.
inline constexpr int project_version = 2;

/// Returns whether the file begins as an SQLite database does. Never waits for a pipe.
bool is_database(const std::string& path);

/// Reads a project without the traces of its runs. The file stays open as long as a trace can still be read. Older
/// versions are migrated in memory. Newer ones and files of another kind are bad_input with that message. Never writes,
/// and never runs a view or a trigger of the file. At most 512 MiB and two minutes; `stop` ends it before.
Result<ProjectContent> read_project(const std::string& path, std::stop_token stop = {});
/// Writes a clean file: a temporary file in the same folder, flush, rename. A link stays one, permissions stay. Until
/// the rename the old file is unchanged, and a write that was stopped (`cancelled`) leaves nothing. Files left by a
/// killed program's own attempt are removed. Traces are read one run at a time; any thread may call. `before_rename` is
/// called after all other work.
Result<void> write_project(const std::string& path, const ProjectContent& content, const Progress& progress = {},
                           std::stop_token stop = {}, const std::function<void()>& before_rename = {});

}  // namespace pipedeck::store
