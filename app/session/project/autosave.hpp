// SPDX-License-Identifier: GPL-3.0-or-later
// Crash safety of edits: the work copy of the open project, and the copies that killed programs left behind. A
// project's copy is in the folder of its file. Copies of unnamed projects are in the state folder, which also records
// the paths of the others. A thread writes the operations of large runs while editing continues.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QDateTime>
#include <QString>
#include <QThreadPool>

#include "app/session/project/state.hpp"
#include "core/store/project_lock.hpp"
#include "core/store/work_copy.hpp"

namespace pipedeck::session::project {

class Autosave {
 public:
  using Failed = std::function<void(const Error&)>;
  /// Stores only projects with a file if there is no state folder. `failed` is called on the writing thread.
  Autosave(QString state_folder, Failed failed);
  ~Autosave();  ///< waits for pending writes

  /// Sets the open project. `file` is empty if it has none or it must not be written.
  void watch(const QString& file, store::ProjectContent saved);
  /// Stores the state on disk before it returns, except for the operations of large runs. `clean`: the file has this
  /// state, so that no copy is necessary.
  Result<void> keep(const State& state, bool clean);
  /// Waits until everything is on disk; may be called from any thread.
  void settle() { pool_.waitForDone(); }
  /// Calls `work` once the stored state is on disk, immediately if it already is. Does not call it if that fails.
  void when_durable(std::function<void()> work);
  /// Announces that the file is being replaced with `next`. No copy is removed until saved() or not_saved(). After a
  /// crash, the copy matches the old and the new content of the file.
  void saving(const store::ProjectContent& next);
  void not_saved() { next_.reset(); }
  /// Records that `file` has `content`. `state` is the current state of the project; edits since then stay safe
  /// throughout.
  void saved(const QString& file, store::ProjectContent content, const State& state, bool clean);
  /// Deletes the copy, since the changes are saved or discarded.
  void drop();

 private:
  struct Copy {
    store::RecoveryJournal work;
    std::optional<store::ProjectLock> lock;  ///< of a copy without a project
    QString note;                            ///< file in the state folder with the project's path; may be empty
  };
  Result<Copy> begin();
  /// Writes the note to the state folder and returns its path; empty without a folder.
  QString note_of_place() const;
  static void remove(Copy copy);

  QString state_folder_;
  Failed failed_;
  QThreadPool pool_;
  QString file_;
  store::ProjectContent saved_;
  std::optional<store::ProjectContent> next_;  ///< content being saved
  std::optional<Copy> copy_;
};

/// A work copy of a program that was killed.
struct RecoverableProject {
  QString work;     ///< path of the copy
  QString project;  ///< empty: it had no name yet
  QDateTime edited;
};
/// Returns the copies, newest first, without those that another window has open.
std::vector<RecoverableProject> find_recoverable(const QString& state_folder);

/// Returns true if there is a work copy next to the project.
bool has_left_work(const QString& project);

/// Returns the time of a copy's last change; its log is written first.
QDateTime edited_at(const QString& work);

}  // namespace pipedeck::session::project
