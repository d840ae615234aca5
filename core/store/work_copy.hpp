// SPDX-License-Identifier: Apache-2.0
// The protection of edits between two saves: an SQLite database with a write-ahead log, next to the project. For a
// project without a name it is in the program's state folder. Each change is one transaction that is on disk when
// `keep` returns. A killed process leaves the copy, and the next process reads it. Traces of runs that the saved file
// already has are not copied. Large traces follow their run, from another thread where there is one, while further
// changes are written. A run whose traces were incomplete when the process was killed is lost.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/store/project_file.hpp"

namespace pipedeck::store {

/// Returns the path of a project's copy: hidden, in the same folder. For a link it is in the folder of the link's
/// target.
std::string work_copy_path(const std::string& project);

/// The writer of large traces.
struct TraceWriting {
  /// Runs what may take long, one after another; by default at once.
  std::function<void(std::function<void()>)> run = [](const std::function<void()>& work) { work(); };
  /// Called by whoever ran it; what failed is tried again with the next change.
  std::function<void(const Error&)> failed{};
};

class RecoveryJournal {
 public:
  /// Begins anew at `path`. `saved` is what `project` holds (both empty: it was never saved).
  static Result<RecoveryJournal> begin(const std::string& path, const std::string& project, ProjectContent saved,
                                       TraceWriting writing = {});
  RecoveryJournal(RecoveryJournal&&) noexcept;
  RecoveryJournal& operator=(RecoveryJournal&&) noexcept;
  ~RecoveryJournal();  ///< leaves the copy on disk
  /// The copy is wanted no more: it goes, and what is still being written to it.
  static void remove(RecoveryJournal copy);

  Result<void> keep(ProjectContent content);
  /// When all that was kept so far is on disk, large traces too; at once where it is. Never if that fails.
  void when_durable(std::function<void()> work);
  /// The project's file is about to be replaced by one that holds `next`: traces that `next` lacks are from now on kept
  /// here, so that the copy goes with the old file and with the new one alike.
  void saving(const ProjectContent& next);
  /// The file holds `now`, and the copy, which has edits made since, belongs to it.
  void saved(const ProjectContent& now);
  const std::string& path() const;

 private:
  struct State;
  explicit RecoveryJournal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

void remove_work_copy(const std::string& path);

struct RecoveredEdits {
  ProjectContent content;
  std::string project;  ///< empty: it had no name yet
};
/// Returns the changes that a killed process left. Traces that only the saved file has are taken from `saved`. They are
/// empty if it lost them. `stop` ends the reading.
Result<RecoveredEdits> read_work_copy(const std::string& path, const ProjectContent& saved, std::stop_token stop = {});
/// The project that the copy belongs to, without reading more.
Result<std::string> project_of_work_copy(const std::string& path);

}  // namespace pipedeck::store
