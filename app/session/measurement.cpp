// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/measurement.hpp"

#include <algorithm>
#include <optional>

#include <QCoreApplication>
#include <QThread>

#include "app/session/project/training_state.hpp"
#include "app/session/runs/launch.hpp"
#include "app/session/session.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/progress.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"

namespace pipedeck::session {

namespace {

struct MeasurementText {
  Q_DECLARE_TR_FUNCTIONS(Measurement)
};

/// Replaces the former measurements of this model and machine, or adds them; chooses both.
project::State with_measurement(project::State state, Profile profile, std::shared_ptr<const ModelSpec> model,
                                std::optional<Cluster> machine) {
  project::Added measured = project::with_measured_profile(std::move(state), std::move(profile), std::move(model));
  if (machine) {
    project::Added there = project::with_measured_cluster(std::move(measured.state), *std::move(machine));
    measured.state = project::with_selected_cluster(std::move(there.state), there.id);
  }
  return project::with_selected_profile(std::move(measured.state), measured.id);
}

}  // namespace

QString not_measurable_reason(const project::State& state, int profile) {
  const project::ProfileEntry* entry = project::find_profile(state, profile);
  if (!entry) return MeasurementText::tr("Choose a model first.");
  if (!entry->model)
    return MeasurementText::tr("The runtime has no layers for this model. Choose a small preset or a model file.");
  return state.backend.gpus ? QString() : runs::too_large_reason(*entry->model);
}

std::vector<int> sizes_to_measure(const project::PlanningSetup& question) {
  const int most = question.workload.micro_batch ? std::max(*question.workload.micro_batch, 1)
                                                 : std::clamp(question.workload.global_batch, 1, 16);
  std::vector<int> sizes;
  for (int size = 1; size < most; size *= 2) sizes.push_back(size);
  sizes.push_back(most);
  return sizes;
}

Measurement::Measurement(Session& session, QString runner, QObject* parent)
    : QObject(parent), session_(session), runner_(std::move(runner)), process_(this) {
  connect(&process_, &work::ChildProcess::output_line, this, &Measurement::receive_line);
  connect(&process_, &work::ChildProcess::ended, this, &Measurement::receive_end);
}

bool Measurement::start(int profile) {
  if (running()) return false;
  title_ = tr("Measure on this machine");
  const auto refuse = [this](const QString& why) {
    emit session_.error(title_, why);
    return false;
  };
  if (const QString why = not_measurable_reason(session_.state(), profile); !why.isEmpty()) return refuse(why);
  model_ = project::find_profile(session_.state(), profile)->model;
  title_ = tr("Measure %1").arg(QString::fromStdString(model_->name));
  directory_ = std::make_unique<work::TemporaryFolder>();
  if (!directory_->isValid())
    return refuse(tr("a temporary folder could not be created: %1").arg(directory_->errorString()));
  if (auto written = io::write_file(file("model.json").toStdString(), io::documents::model_to_json(*model_)); !written)
    return refuse(text::to_qstring(written.error()));
  backend_ = session_.state().backend;
  backend_.share_gpus = false;  // layers are measured on an exclusive GPU
  job_ = session_.jobs().start_external(title_, [this] { process_.stop(); });
  session_.jobs().update_external(job_, -1, tr("starting"));
  process_.start(runner_, arguments());
  emit running_changed();
  return true;
}

QStringList Measurement::arguments() const {
  QStringList sizes;
  for (const int size : sizes_to_measure(session_.state().question)) sizes << QString::number(size);
  QStringList arguments{
      "profile", "--model", file("model.json"),   "--micro-batch", sizes.join(QLatin1Char(',')), "--progress",
      "-",       "-o",      file("profile.json"), "--cluster-out", file("cluster.json")};
  for (const std::string& argument : arguments_of(backend_)) arguments << QString::fromStdString(argument);
  if (!backend_.gpus) arguments << "--devices" << QString::number(std::max(1, QThread::idealThreadCount()));
  return arguments;
}

void Measurement::receive_line(const QByteArray& line) {
  const auto told = io::documents::progress_from_json(line.toStdString());
  if (told) session_.jobs().update_external(job_, told->done, text::to_qstring(told->what));
}

/// Returns empty text if the measurement is in the project. Links are measured last: if that fails, the layers are
/// still added.
QString Measurement::make_problem(const work::ProcessEnd& end) {
  if (!end.started) return end.messages;
  if (end.crashed)
    return tr("the process was killed or crashed. %1").arg(work::without_program(end.messages)).trimmed();
  const bool whole = end.exit_status == 0;
  auto profile = io::read_profile(file("profile.json").toStdString());
  auto machine = io::read_cluster(file("cluster.json").toStdString());
  if (whole && !profile) return text::to_qstring(profile.error());
  if (whole && !machine) return text::to_qstring(machine.error());
  if (profile) {
    const QString model = QString::fromStdString(model_->name);
    profile->name = (backend_.gpus ? tr("%1 (measured on a GPU)") : tr("%1 (measured here)")).arg(model).toStdString();
    session_.change(title_, with_measurement(session_.state(), *std::move(profile), model_,
                                             machine ? std::optional(*std::move(machine)) : std::nullopt));
  }
  if (whole) return {};
  // The folder with the profile no longer exists when this is shown.
  const auto place = QStringLiteral("; the profile was written: ") + file("profile.json");  // not shown
  const QString why = work::without_program(end.messages).remove(place);
  return profile ? tr("%1. The measured layers are saved.").arg(why.trimmed()) : why;
}

void Measurement::receive_end(const work::ProcessEnd& end) {
  const QString problem = end.stopped ? QString() : make_problem(end);
  directory_.reset();
  session_.jobs().end_external(job_,
                               end.stopped         ? work::JobState::cancelled
                               : problem.isEmpty() ? work::JobState::finished
                                                   : work::JobState::failed,
                               problem);
  emit running_changed();
  if (!problem.isEmpty()) emit session_.error(title_, tr("The measurement failed: %1").arg(problem));
}

}  // namespace pipedeck::session
