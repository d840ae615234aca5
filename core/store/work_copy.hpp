// SPDX-License-Identifier: Apache-2.0
// What keeps edits safe between two saves: an SQLite database with a write-ahead log, beside the project (or, for a
// project without a name, in the program's state folder). Each change is one transaction that is on disk when `keep`
// returns; a process that is killed leaves the copy behind, and the next one reads it. Traces of runs that the saved
// file already has are not copied.
#pragma once

#include <memory>
#include <string>

#include "core/store/project_file.hpp"

namespace pipedeck {

/// Where the copy of a project lies: hidden, in the same folder; a link's is beside what it points at.
std::string work_copy_path(const std::string& project);

class WorkCopy {
 public:
  /// Begins anew at `path`. `saved` is what `project` holds (both empty: it was never saved).
  static Result<WorkCopy> begin(const std::string& path, const std::string& project, const ProjectContent& saved);
  WorkCopy(WorkCopy&&) noexcept;
  WorkCopy& operator=(WorkCopy&&) noexcept;
  ~WorkCopy();  ///< leaves the copy on disk

  Result<void> keep(const ProjectContent& content);
  /// The project's file is about to be replaced by one that holds `next`: traces that `next` lacks are from now on kept
  /// here, so that the copy goes with the old file and with the new one alike.
  void saving(const ProjectContent& next);
  /// The file holds `now`, and the copy, which has edits made since, belongs to it.
  void saved(const ProjectContent& now);
  const std::string& path() const;

 private:
  struct State;
  explicit WorkCopy(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

void remove_work_copy(const std::string& path);

struct LeftWork {
  ProjectContent content;
  std::string project;  ///< empty: it had no name yet
};
/// What a killed process left. Traces that only the saved file has are taken from `saved`; where it lost them they are
/// empty.
Result<LeftWork> read_work_copy(const std::string& path, const ProjectContent& saved);
/// The project that the copy belongs to, without reading more.
Result<std::string> project_of_work_copy(const std::string& path);

}  // namespace pipedeck
