// SPDX-License-Identifier: GPL-3.0-or-later
// Write locks of projects, and the work of killed programs.
#include <utility>

#include <QFile>
#include <QFileInfo>

#include "app/session/project/content.hpp"
#include "app/session/session.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::session {

namespace {

bool same_file(const QString& a, const QString& b) {
  const QString canonical = QFileInfo(a).canonicalFilePath();
  return a == b || (!canonical.isEmpty() && canonical == QFileInfo(b).canonicalFilePath());
}

/// Renames a copy so that it does not block the next one and the user can still access it.
QString quarantine(const QString& work) {
  const QString aside = work + QStringLiteral(".damaged");
  QFile::remove(aside);
  QFile::rename(work, aside);
  QFile::remove(aside + QStringLiteral("-wal"));
  QFile::rename(work + QStringLiteral("-wal"), aside + QStringLiteral("-wal"));
  return aside;
}

}  // namespace

ProjectClaim Session::claim(const QString& path) const {
  if (seams_.read_only) return {};
  if (lock_ && same_file(path, file_)) return {.lock = {}, .already_owned = true, .read_only_reason = {}};
  const QFileInfo info(path);
  if (info.exists() && !info.isWritable()) return {.lock = {}, .read_only_reason = tr("the file is write-protected.")};
  auto lock = store::ProjectLock::take(path.toStdString());
  if (!lock) return {.lock = {}, .read_only_reason = text::to_qstring(lock.error().message) + QLatin1Char('.')};
  if (!lock->has_value()) return {.lock = {}, .read_only_reason = tr("it is open in another window.")};
  return {.lock = std::move(*lock), .read_only_reason = {}};
}

Recovery Session::ask(const RecoveryRequest& question) const {
  if (given_answer_) return *given_answer_;
  return seams_.ask_recovery ? seams_.ask_recovery(question) : Recovery::later;
}

std::optional<Session::Found> Session::find_recovery(const QString& path, ReadFiles& read) {
  if (read.work.isEmpty()) return Found{};
  if (read.unchanged) {
    store::remove_work_copy(read.work.toStdString());  // killed between saving and removing the copy
    return Found{};
  }
  if (!read.edited) {
    QString words = tr("Unsaved changes to %1 cannot be read: %2\nThey remain in %3.")
                        .arg(QFileInfo(path).fileName(), text::to_qstring(read.edited.error()), quarantine(read.work));
    if (read.saved) words += QLatin1Char(' ') + tr("The project opens in its last saved state.");
    emit error(tr("Open project"), words);
    return Found{};
  }
  RecoveryRequest question{QFileInfo(path).fileName(), {}, project::edited_at(read.work), {}};
  if (QFileInfo::exists(path)) question.saved = QFileInfo(path).lastModified();
  if (!read.saved) question.problem = text::to_qstring(read.saved.error().message);
  const Recovery answer = ask(question);
  if (answer == Recovery::later) return std::nullopt;
  return Found{std::move(*read.edited), answer};
}

bool Session::offer_recovery() {
  for (const project::RecoverableProject& left : recoverable()) {
    if (left.project.isEmpty() ? restore_unnamed(left) : open(left.project)) return true;
  }
  return false;
}

std::vector<project::RecoverableProject> Session::recoverable() const {
  return seams_.read_only ? std::vector<project::RecoverableProject>{} : project::find_recoverable(seams_.state_folder);
}

bool Session::recover(const project::RecoverableProject& left, Recovery answer) {
  given_answer_ = answer;
  const bool opened = left.project.isEmpty() ? restore_unnamed(left) : open(left.project);
  given_answer_.reset();
  return opened;
}

bool Session::restore_unnamed(const project::RecoverableProject& left) {
  auto lock = store::ProjectLock::take(left.work.toStdString());
  if (!lock || !lock->has_value()) return false;
  auto read = opener_.busy() ? fail(ErrorCode::cancelled, "cancelled") : read_files({}, left.work);
  if (!read && read.error().code == ErrorCode::cancelled) return false;
  auto state = read ? std::move(read->edited) : tl::unexpected(read.error());
  if (!state) {
    emit error(tr("Restore unsaved work"),
               tr("Unsaved work cannot be read: %1\nIt remains in %2. Delete that file when you no longer need it.")
                   .arg(text::to_qstring(state.error()), quarantine(left.work)));
    return false;
  }
  const Recovery answer = ask({{}, {}, left.edited, {}});
  if (answer == Recovery::later) return false;
  if (answer == Recovery::restore) {
    new_project();
    change(tr("Restore unsaved changes"), std::move(*state));  // continues in a copy with a new name
  }
  const auto held = std::make_shared<store::ProjectLock>(std::move(**lock));
  autosave_.when_durable([work = left.work.toStdString(), held] { store::remove_work_copy(work); });
  return answer == Recovery::restore;
}

void Session::persist_edits() {
  if (seams_.read_only) return;
  if (const auto kept = autosave_.keep(state(), history_.clean()); kept)
    autosave_failed_ = false;
  else
    report_unsafe(kept.error());
}

void Session::report_unsafe(const Error& why) {
  if (std::exchange(autosave_failed_, true)) return;
  emit error(tr("Changes are not safe"),
             tr("Unsaved work cannot be backed up: %1\nSave the project.").arg(text::to_qstring(why)));
}

}  // namespace pipedeck::session
