// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/autosave.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include "app/session/project/content.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::session::project {

namespace {

const QString note_ending = QStringLiteral(".open");
const QString unnamed_ending = QStringLiteral(".work");

/// Returns a name in the folder that no window of any process uses.
QString unused_work(const QString& folder) {
  for (int n = 1;; ++n) {
    const QString path = QStringLiteral("%1/untitled-%2-%3%4").arg(folder).arg(::getpid()).arg(n).arg(unnamed_ending);
    if (!QFile::exists(path)) return path;
  }
}

bool somebody_has(const QString& path) {
  const auto lock = store::ProjectLock::take(path.toStdString());
  return lock && !lock->has_value();
}

QString read_text(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Removes the runs whose traces the other content does not have.
store::ProjectContent common_runs(store::ProjectContent content, const store::ProjectContent& other) {
  std::erase_if(content.runs, [&](const store::StoredRun& run) {
    return std::ranges::none_of(other.runs, [&](const store::StoredRun& o) { return o.traces.key == run.traces.key; });
  });
  return content;
}

}  // namespace

Autosave::Autosave(QString state_folder, Failed failed)
    : state_folder_(std::move(state_folder)), failed_(std::move(failed)) {
  pool_.setMaxThreadCount(1);
}

Autosave::~Autosave() { settle(); }

void Autosave::watch(const QString& file, store::ProjectContent saved) {
  drop();
  file_ = file;
  saved_ = std::move(saved);
}

Result<void> Autosave::keep(const State& state, bool clean) {
  if (clean && !next_) {
    drop();
    return {};
  }
  if (clean && !copy_) return {};
  if (!copy_) {
    if (file_.isEmpty() && state_folder_.isEmpty()) return {};
    TRY(auto begun, begin());
    copy_ = std::move(begun);
  }
  return copy_->work.keep(content_of(state));
}

void Autosave::when_durable(std::function<void()> work) { copy_ ? copy_->work.when_durable(std::move(work)) : work(); }

void Autosave::saving(const store::ProjectContent& next) {
  next_ = next;
  if (copy_) copy_->work.saving(next);
}

void Autosave::saved(const QString& file, store::ProjectContent content, const State& state, bool clean) {
  next_.reset();
  if (clean) return watch(file, std::move(content));
  file_ = file;
  saved_ = std::move(content);
  if (copy_ && copy_->work.path() == store::work_copy_path(file.toStdString())) return copy_->work.saved(saved_);
  std::optional<Copy> old = std::exchange(copy_, std::nullopt);
  (void)keep(state, false);  // a failure is reported by the next call, which starts again
  if (!old) return;
  const auto left = std::make_shared<Copy>(std::move(*old));  // until the new file has a copy
  when_durable([left] { remove(std::move(*left)); });
}

Result<Autosave::Copy> Autosave::begin() {
  if (!state_folder_.isEmpty()) QDir().mkpath(state_folder_);
  QString work;
  std::optional<store::ProjectLock> own_lock;
  if (file_.isEmpty()) {
    work = unused_work(state_folder_);
    TRY(auto lock, store::ProjectLock::take(work.toStdString()));
    own_lock = std::move(lock);
  } else {
    work = text::to_qstring(store::work_copy_path(file_.toStdString()));
  }
  const store::TraceWriting writing{[this](std::function<void()> trace) { pool_.start(std::move(trace)); }, failed_};
  TRY(auto copy, store::RecoveryJournal::begin(work.toStdString(), file_.toStdString(),
                                               next_ ? common_runs(saved_, *next_) : saved_, writing));
  return Copy{std::move(copy), std::move(own_lock), note_of_place()};
}

QString Autosave::note_of_place() const {
  if (file_.isEmpty() || state_folder_.isEmpty()) return {};
  const QByteArray name = QCryptographicHash::hash(file_.toUtf8(), QCryptographicHash::Sha1).toHex();
  const QString path = state_folder_ + QLatin1Char('/') + QString::fromLatin1(name) + note_ending;
  QSaveFile note(path);
  if (note.open(QIODevice::WriteOnly)) {
    note.write(file_.toUtf8());
    note.commit();
  }
  return path;
}

void Autosave::remove(Copy copy) {
  store::RecoveryJournal::remove(std::move(copy.work));
  if (!copy.note.isEmpty()) QFile::remove(copy.note);
}

void Autosave::drop() {
  if (copy_) remove(*std::exchange(copy_, std::nullopt));
}

bool has_left_work(const QString& project) {
  return QFile::exists(text::to_qstring(store::work_copy_path(project.toStdString())));
}

QDateTime edited_at(const QString& work) {
  return std::max(QFileInfo(work).lastModified(), QFileInfo(work + QStringLiteral("-wal")).lastModified());
}

std::vector<RecoverableProject> find_recoverable(const QString& state_folder) {
  std::vector<RecoverableProject> found;
  if (state_folder.isEmpty()) return found;
  const QDir folder(state_folder);
  for (const QString& name : folder.entryList({QLatin1Char('*') + unnamed_ending}, QDir::Files)) {
    const QString work = folder.filePath(name);
    if (!somebody_has(work)) found.push_back({work, {}, edited_at(work)});
  }
  for (const QString& name : folder.entryList({QLatin1Char('*') + note_ending}, QDir::Files)) {
    const QString note = folder.filePath(name);
    const QString project = read_text(note);
    const QString work = text::to_qstring(store::work_copy_path(project.toStdString()));
    if (QFileInfo(project).dir().exists() && !QFile::exists(work)) {
      QFile::remove(note);  // saved or discarded since
    } else if (QFile::exists(work) && !somebody_has(project)) {
      found.push_back({work, project, edited_at(work)});
    }
  }
  std::ranges::stable_sort(found, std::greater<>(), &RecoverableProject::edited);
  return found;
}

}  // namespace pipedeck::session::project
