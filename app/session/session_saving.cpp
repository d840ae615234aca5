// SPDX-License-Identifier: GPL-3.0-or-later
// Saving of the current state on a thread while editing continues.
#include <utility>

#include <QFileInfo>

#include "app/session/project/content.hpp"
#include "app/session/session.hpp"

namespace pipedeck::session {

bool Session::start_save() {
  if (file_.isEmpty()) return false;
  if (!read_only_reason_.isEmpty()) {
    emit error(tr("Save project"), tr("%1 is open read-only: %2 Save a copy under another name.")
                                       .arg(QFileInfo(file_).fileName(), read_only_reason_));
    return false;
  }
  if (saver_.busy()) {
    saving_.again = true;
  } else {
    start_writing(file_, {});
  }
  return true;
}

bool Session::start_save_as(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  saver_.wait();
  if (absolute == file_ && read_only_reason_.isEmpty()) return start_save();
  ProjectClaim right = claim(absolute);
  if (!right.read_only_reason.isEmpty()) {
    emit error(tr("Save project"), tr("%1 cannot be written: %2 Save under another name.")
                                       .arg(QFileInfo(path).fileName(), right.read_only_reason));
    return false;
  }
  start_writing(absolute, std::move(right.lock));
  return true;
}

void Session::start_writing(const QString& path, std::optional<store::ProjectLock> lock) {
  auto content = std::make_shared<store::ProjectContent>(project::content_of(state()));
  if (seams_.view) content->settings[project::view_setting] = seams_.view();
  autosave_.saving(*content);
  saving_ = {path, content, history_.step_id(), std::move(lock), false};
  // The copy must be complete before the old file is replaced.
  saver_.start(path, content, [this] { autosave_.settle(); });
  emit saving_changed();
}

void Session::receive_saved(const std::optional<Error>& problem) {
  Saving done = std::exchange(saving_, {});
  last_save_succeeded_ = !problem;
  if (!problem) {
    history_.mark_clean(done.step);
    if (done.path != file_) {
      file_ = done.path;
      read_only_reason_.clear();
    }
    if (done.lock) lock_ = std::move(done.lock);
    autosave_.saved(file_, *done.content, state(), history_.clean());
    emit notice(tr("Saved %1").arg(QFileInfo(file_).fileName()));
    emit saved();
  } else {
    autosave_.not_saved();
    report(tr("Save project"), *problem);
  }
  emit file_changed();
  emit saving_changed();
  if (!problem && done.again && modified()) start_save();
}

bool Session::finish_saving() {
  while (saver_.busy()) saver_.wait();
  return last_save_succeeded_;
}

bool Session::save() { return start_save() && finish_saving(); }

bool Session::save_as(const QString& path) { return start_save_as(path) && finish_saving(); }

}  // namespace pipedeck::session
