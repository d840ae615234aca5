// SPDX-License-Identifier: GPL-3.0-or-later
// Edits are safe at once: the work copy of what is open, and what others left behind that did not end well. Copies of
// projects lie beside them, those of projects without a name in the state folder, which also remembers where the
// others are. The operations of large runs follow, written by a thread while edits go on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QDateTime>
#include <QString>
#include <QThreadPool>

#include "app/session/project_state.hpp"
#include "core/store/project_lock.hpp"
#include "core/store/work_copy.hpp"

namespace pipedeck::app {

/// $XDG_STATE_HOME/pipedeck, else ~/.local/state/pipedeck.
QString default_state_folder();

class Autosave {
 public:
  using Failed = std::function<void(const Error&)>;
  /// Without a folder only projects that have a file are kept. `failed` is called by the thread that writes.
  Autosave(QString state_folder, Failed failed);
  ~Autosave();  ///< what was begun is finished

  /// What is open from now on; `file` is empty for a project that has none or may not write it.
  void watch(const QString& file, ProjectContent saved);
  /// On disk when it returns, but for the operations of large runs. `clean`: it is what the file holds, so no copy is
  /// needed.
  Result<void> keep(const ProjectState& state, bool clean);
  /// Until all that was kept is on disk; any thread.
  void settle() { pool_.waitForDone(); }
  /// Then, at once where it is so now; not at all if that fails.
  void when_kept(std::function<void()> work);
  /// The file is being replaced by one that holds `next`. Until `saved` or `not_saved` no copy is dropped: whatever the
  /// file holds after a crash, the old content or the new, the copy goes with it.
  void saving(const ProjectContent& next);
  void not_saved() { next_.reset(); }
  /// `file` holds `content`, and `state` is what the project is now: edits made since are safe all the while.
  void saved(const QString& file, ProjectContent content, const ProjectState& state, bool clean);
  /// The user gave the changes up, or they are saved.
  void drop();

 private:
  struct Copy {
    WorkCopy work;
    std::optional<ProjectLock> lock;  ///< of one without a project
    QString note;                     ///< in the state folder: where the project is; may be empty
  };
  Result<Copy> begin();
  /// In the state folder; its path, empty without one.
  QString note_of_place() const;
  static void remove(Copy copy);

  QString state_folder_;
  Failed failed_;
  QThreadPool pool_;
  QString file_;
  ProjectContent saved_;
  std::optional<ProjectContent> next_;  ///< what is being saved
  std::optional<Copy> copy_;
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
