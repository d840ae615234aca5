// SPDX-License-Identifier: Apache-2.0
// The project file (*.pipedeck): an SQLite database of documents, runs and window state. It keeps the contract's JSON
// and column blobs and knows nothing of what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

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

struct StoredRun {
  std::int64_t id = 0;
  std::string name;
  std::string json;                 ///< summary: plan, model, state, when
  std::vector<std::string> events;  ///< JSON lines as they came
  bool operator==(const StoredRun&) const = default;
};

/// All that a project holds; equal in, equal out.
struct ProjectContent {
  std::vector<StoredDocument> documents;
  std::vector<StoredRun> runs;
  std::map<std::string, std::string> settings;  ///< window state, question at hand, ticked plans
  bool operator==(const ProjectContent&) const = default;
};

inline constexpr int project_version = 1;

/// Reads a whole project. Older versions are migrated in memory; newer ones and files of another kind are bad_input
/// that says so.
Result<ProjectContent> read_project(const std::string& path);
/// Writes a clean file: temporary beside it, flush, rename.
Result<void> write_project(const std::string& path, const ProjectContent& content);

}  // namespace pipedeck
