// SPDX-License-Identifier: GPL-3.0-or-later
// Edits are safe at once: the work copy of what is open, and what others left behind that did not end well. Copies of
// projects lie beside them, those of projects without a name in the state folder, which also remembers where the
// others are.
#pragma once

#include <optional>
#include <vector>

#include <QDateTime>
#include <QString>

#include "app/session/project_state.hpp"
#include "core/store/project_lock.hpp"
#include "core/store/work_copy.hpp"

namespace pipedeck::app {

/// $XDG_STATE_HOME/pipedeck, else ~/.local/state/pipedeck.
QString default_state_folder();

class Autosave {
 public:
  /// Without a folder only projects that have a file are kept.
  explicit Autosave(QString state_folder) : state_folder_(std::move(state_folder)) {}

  /// What is open from now on; `file` is empty for a project that has none or may not write it.
  void watch(const QString& file, ProjectContent saved);
  /// On disk when it returns. `clean`: it is what the file holds, so no copy is needed.
  Result<void> keep(const ProjectState& state, bool clean);
  /// The file is being replaced by one that holds `next`. Until `saved` or `not_saved` no copy is dropped: whatever the
  /// file holds after a crash, the old content or the new, the copy goes with it.
  void saving(const ProjectContent& next);
  void not_saved() { next_.reset(); }
  /// `file` holds `content`, and `state` is what the project is now: edits made since are safe all the while.
  void saved(const QString& file, ProjectContent content, const ProjectState& state, bool clean);
  /// The user gave the changes up, or they are saved.
  void drop();

 private:
  Result<void> begin();

  QString state_folder_;
  QString file_;
  ProjectContent saved_;
  std::optional<ProjectContent> next_;  ///< what is being saved
  std::optional<WorkCopy> copy_;
  std::optional<ProjectLock> lock_;  ///< of a copy without a project
  QString note_;                     ///< in the state folder: where the copy's project is
};

/// Work whose program was killed.
struct LeftBehind {
  QString work;     ///< the copy
  QString project;  ///< empty: it had no name yet
  QDateTime edited;
};
/// Newest first; what another window is working on is none of it.
std::vector<LeftBehind> left_behind(const QString& state_folder);

/// A copy lies beside the project.
bool has_left_work(const QString& project);

/// The last change of a copy: of its log, which is written first.
QDateTime edited_at(const QString& work);

}  // namespace pipedeck::app
