// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/autosave.hpp"

#include <algorithm>

#include <unistd.h>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include "app/language/in_qt.hpp"
#include "app/session/project_content.hpp"

namespace pipedeck::app {

namespace {

const QString note_ending = QStringLiteral(".open");
const QString unnamed_ending = QStringLiteral(".work");

/// A name in the folder that no other window of this or another process uses.
QString unused_work(const QString& folder) {
  for (int n = 1;; ++n) {
    const QString path = QStringLiteral("%1/untitled-%2-%3%4").arg(folder).arg(::getpid()).arg(n).arg(unnamed_ending);
    if (!QFile::exists(path)) return path;
  }
}

bool somebody_has(const QString& path) {
  const auto lock = ProjectLock::take(path.toStdString());
  return lock && !lock->has_value();
}

QString text_in(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Without the runs whose traces the other has not.
ProjectContent common_runs(ProjectContent content, const ProjectContent& other) {
  std::erase_if(content.runs, [&](const StoredRun& run) {
    return std::ranges::none_of(other.runs, [&](const StoredRun& o) { return o.traces.key == run.traces.key; });
  });
  return content;
}

}  // namespace

QString default_state_folder() {
  const QString given = qEnvironmentVariable("XDG_STATE_HOME");
  const QString base = QDir::isAbsolutePath(given) ? given : QDir::homePath() + QStringLiteral("/.local/state");
  return base + QStringLiteral("/pipedeck");
}

void Autosave::watch(const QString& file, ProjectContent saved) {
  drop();
  file_ = file;
  saved_ = std::move(saved);
}

Result<void> Autosave::keep(const ProjectState& state, bool clean) {
  if (clean && !next_) {
    drop();
    return {};
  }
  if (clean && !copy_) return {};
  if (!copy_) {
    if (file_.isEmpty() && state_folder_.isEmpty()) return {};
    if (auto begun = begin(); !begun) return begun;
  }
  return copy_->keep(content_of(state));
}

void Autosave::saving(const ProjectContent& next) {
  next_ = next;
  if (copy_) copy_->saving(next);
}

void Autosave::saved(const QString& file, ProjectContent content, const ProjectState& state, bool clean) {
  next_.reset();
  if (clean) return watch(file, std::move(content));
  if (copy_ && copy_->path() == work_copy_path(file.toStdString())) {
    file_ = file;
    saved_ = std::move(content);
    copy_->saved(saved_);
    return;
  }
  Autosave other(state_folder_);  // beside the new file, before the old copy goes
  other.watch(file, std::move(content));
  (void)other.keep(state, false);  // what fails is told by the next one, which begins anew
  drop();
  *this = std::move(other);
}

Result<void> Autosave::begin() {
  if (!state_folder_.isEmpty()) QDir().mkpath(state_folder_);
  QString work;
  if (file_.isEmpty()) {
    work = unused_work(state_folder_);
    auto lock = ProjectLock::take(work.toStdString());
    if (!lock) return tl::unexpected(lock.error());
    lock_ = std::move(*lock);
  } else {
    work = in_qt(work_copy_path(file_.toStdString()));
  }
  auto copy = WorkCopy::begin(work.toStdString(), file_.toStdString(), next_ ? common_runs(saved_, *next_) : saved_);
  if (!copy) return tl::unexpected(copy.error());
  copy_ = std::move(*copy);
  if (file_.isEmpty() || state_folder_.isEmpty()) return {};
  const QByteArray name = QCryptographicHash::hash(file_.toUtf8(), QCryptographicHash::Sha1).toHex();
  note_ = state_folder_ + QLatin1Char('/') + QString::fromLatin1(name) + note_ending;
  QSaveFile note(note_);
  if (note.open(QIODevice::WriteOnly)) {
    note.write(file_.toUtf8());
    note.commit();
  }
  return {};
}

void Autosave::drop() {
  if (copy_) {
    const std::string work = copy_->path();
    copy_.reset();
    remove_work_copy(work);
  }
  if (!note_.isEmpty()) QFile::remove(note_);
  note_.clear();
  lock_.reset();
}

bool has_left_work(const QString& project) { return QFile::exists(in_qt(work_copy_path(project.toStdString()))); }

QDateTime edited_at(const QString& work) {
  return std::max(QFileInfo(work).lastModified(), QFileInfo(work + QStringLiteral("-wal")).lastModified());
}

std::vector<LeftBehind> left_behind(const QString& state_folder) {
  std::vector<LeftBehind> found;
  if (state_folder.isEmpty()) return found;
  const QDir folder(state_folder);
  for (const QString& name : folder.entryList({QLatin1Char('*') + unnamed_ending}, QDir::Files)) {
    const QString work = folder.filePath(name);
    if (!somebody_has(work)) found.push_back({work, {}, edited_at(work)});
  }
  for (const QString& name : folder.entryList({QLatin1Char('*') + note_ending}, QDir::Files)) {
    const QString note = folder.filePath(name);
    const QString project = text_in(note);
    const QString work = in_qt(work_copy_path(project.toStdString()));
    if (QFileInfo(project).dir().exists() && !QFile::exists(work)) {
      QFile::remove(note);  // it was saved or given up since
    } else if (QFile::exists(work) && !somebody_has(project)) {
      found.push_back({work, project, edited_at(work)});
    }
  }
  std::ranges::stable_sort(found, std::greater<>(), &LeftBehind::edited);
  return found;
}

}  // namespace pipedeck::app
