// SPDX-License-Identifier: Apache-2.0
// The project file (*.pipedeck): an SQLite database of documents, runs and window state. It keeps the contract's JSON
// and column blobs and knows nothing of what is in them. What is large, the events and operations of runs, is read
// when somebody looks at it, so that opening takes as long as what is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/domain/progress.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

struct StoredDocument {
  std::int64_t id = 0;
  std::string kind;  ///< "profile", "cluster", "plan", "model"
  std::string name;
  std::string json;
  int position = 0;  ///< order within its kind
  bool operator==(const StoredDocument&) const = default;
};

/// An event as it came, a JSON line; the operations of a timeline stand beside it as columns.
struct StoredEvent {
  std::string line;
  std::string timeline;  ///< empty: the line has everything
  bool operator==(const StoredEvent&) const = default;
};

/// What is large of a run.
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
  std::map<std::string, std::string> settings;  ///< window state, question at hand, ticked plans
};

/// Version 1 had the prediction in the run's JSON and timelines in the lines of events.
inline constexpr int project_version = 2;

/// Reads a project without the traces of its runs; the file stays open as long as one of them can still be asked for.
/// Older versions are migrated in memory; newer ones and files of another kind are bad_input that says so. Never
/// writes.
Result<ProjectContent> read_project(const std::string& path);
/// Writes a clean file: temporary beside it, flush, rename. A link stays one, permissions stay. Until the rename the
/// old file is as it was, and one that was stopped (`cancelled`) leaves nothing behind; what a killed program left of
/// its own attempt is tidied up. Traces are read one run at a time; any thread may call. `before_rename` is called when
/// all but that is done.
Result<void> write_project(const std::string& path, const ProjectContent& content, const Progress& progress = {},
                           std::stop_token stop = {}, const std::function<void()>& before_rename = {});

}  // namespace pipedeck
