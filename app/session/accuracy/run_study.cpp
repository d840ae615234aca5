// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/accuracy/run_study.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include <QFile>
#include <QFileInfo>
#include <QThread>

#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/io/jobs/training_log.hpp"
#include "core/mesh/job.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/presets/published_runs.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/study/accuracy/logged_run.hpp"
#include "core/study/accuracy/runs_table.hpp"

namespace pipedeck::session::accuracy {

namespace {

using Outcomes = std::vector<study::accuracy::Outcome>;

Result<Outcomes> predict(const std::vector<study::accuracy::PublishedRun>& runs, const work::Jobs::Context& context) {
  std::atomic<int> done = 0;
  const auto one = [&](const mesh::Question& question, const mesh::Rates& rates) -> Result<mesh::Prediction> {
    if (context.stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
    auto prediction = sim::step::predict_step(question, rates);
    report(context.progress, static_cast<double>(++done) / static_cast<double>(runs.size()), "");
    return prediction;
  };
  return study::accuracy::outcomes_of(runs, presets::device_catalogue(), presets::efficiency(), one,
                                      std::max(1, QThread::idealThreadCount()));
}

Result<std::vector<study::accuracy::PublishedRun>> runs_in(const std::string& file) {
  TRY(const std::string text, io::read_file(file));
  return study::accuracy::runs_from_csv(text);
}

Result<io::jobs::TrainingJob> job_of(const io::jobs::TrainingLog& log, const std::string& file) {
  if (file.empty()) {
    if (log.job) return *log.job;
    return fail(ErrorCode::bad_input,
                "found a log of " + log.engine +
                    " that does not print its job, expected the job's arguments or configuration dropped with it");
  }
  TRY(const auto document, io::read_document(file));
  if (const auto* job = std::get_if<io::jobs::TrainingJob>(&document)) return *job;
  return fail(ErrorCode::bad_input, "found another file, expected arguments or a configuration of another engine", {},
              file);
}

/// Returns the catalogue's type of the GPU that the log names, else `device`.
Result<std::string> device_of(const io::jobs::TrainingLog& log, const std::string& device) {
  const DeviceModel* model = find_device_model(presets::device_catalogue(), log.gpu.empty() ? device : log.gpu);
  if (model) return model->type.name;
  return fail(ErrorCode::bad_input, log.gpu.empty()
                                        ? "found a log that does not name its GPUs, expected a cluster in the "
                                          "project, whose type is taken"
                                        : "found the GPU '" + log.gpu + "', which is not in the catalogue");
}

Result<study::accuracy::PublishedRun> run_of(const QString& file, const QString& job_file, const QString& type) {
  TRY(const std::string text, io::read_file(file.toStdString()));
  TRY(const auto log, io::jobs::training_log_from(text, QFileInfo(file).completeBaseName().toStdString()));
  TRY(const auto job, job_of(log, job_file.toStdString()));
  if (!job.model)
    return fail(ErrorCode::bad_input,
                "found a job without the shape of its model; pipedeck-cli accuracy LOG --job FILE --profile P takes it "
                "from a profile");
  TRY(const std::string device, device_of(log, type.toStdString()));
  TRY(auto logged,
      study::accuracy::logged_run(log, mesh::completed(job, 0), *job.model, device, presets::device_catalogue()));
  return std::move(logged.run);
}

std::string start_of(const QString& path, qint64 most) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return {};
  return file.read(most).toStdString();
}

std::pair<std::string, std::string> name_of(const study::accuracy::Outcome& outcome) {
  return {outcome.run.source, outcome.run.row};
}

}  // namespace

bool is_runs_table(const QString& path) {
  QFile file(path);
  if (!path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive) || !file.open(QIODevice::ReadOnly)) return false;
  constexpr qint64 max_line = 1 << 14;
  QByteArray header;
  do {
    header = file.readLine(max_line);
  } while (header.startsWith('#'));
  const QList<QByteArray> columns = header.trimmed().split(',');
  return columns.contains("gpus") && columns.contains("tp") && columns.contains("tokens_per_s_per_gpu");
}

bool is_training_log(const QString& path) {
  constexpr qint64 looked_at = 1 << 22;  // logs begin with what their environment prints
  return io::jobs::looks_like_training_log(start_of(path, looked_at));
}

bool is_job_file(const QString& path) {
  constexpr qint64 largest_job = 1 << 20;
  if (QFileInfo(path).size() > largest_job) return false;
  const auto importer = io::importer_of(start_of(path, largest_job));
  return importer && (*importer)->kind == io::FileKind::job && (*importer)->name != "training-log";
}

RunStudy::RunStudy(work::Jobs& jobs, QObject* parent) : QObject(parent), jobs_(&jobs) {
  connect(&jobs, &work::Jobs::ended, this, [this](int job) {
    if (job == job_) emit changed();
  });
}

RunStudy::~RunStudy() {
  if (!jobs_) return;
  jobs_->disconnect(this);
  cancel();
}

void RunStudy::cancel() {
  if (jobs_) jobs_->cancel(job_);
}

void RunStudy::add_published() {
  start(tr("published runs"), [](const work::Jobs::Context& context) {
    return study::accuracy::runs_from_csv(presets::published_runs()).and_then([&](const auto& runs) {
      return predict(runs, context);
    });
  });
}

void RunStudy::add(const QString& file) {
  start(QFileInfo(file).fileName(), [file](const work::Jobs::Context& context) {
    return runs_in(file.toStdString()).and_then([&](const auto& runs) { return predict(runs, context); });
  });
}

void RunStudy::add(const QStringList& logs, const QString& job, const QString& device) {
  start(QFileInfo(logs.front()).fileName(), [=](const work::Jobs::Context& context) -> Result<Outcomes> {
    std::vector<study::accuracy::PublishedRun> runs;
    for (const QString& log : logs) {
      auto run = run_of(log, job, device);
      if (!run && run.error().file.empty()) run.error().file = QFileInfo(log).fileName().toStdString();
      if (!run) return tl::unexpected(std::move(run.error()));
      runs.push_back(*std::move(run));
    }
    return predict(runs, context);
  });
}

void RunStudy::start(const QString& name, const Find& find) {
  cancel();
  const auto work = [name, find,
                     self = QPointer<RunStudy>(this)](const work::Jobs::Context& context) -> work::Jobs::Apply {
    return [self, name, found = find(context)] { return self ? self->take(found, name) : QString(); };
  };
  job_ = jobs_->start(tr("Predictions of %1").arg(name), work);
  emit changed();
}

QString RunStudy::take(const Result<Outcomes>& found, const QString& name) {
  if (!found) {
    Error error = found.error();
    if (error.file.empty()) error.file = name.toStdString();
    const QString text = text::to_qstring(error);
    emit failed(text);
    return text;
  }
  std::set<std::pair<std::string, std::string>> names;
  for (const study::accuracy::Outcome& outcome : *found) names.insert(name_of(outcome));
  std::erase_if(outcomes_, [&](const study::accuracy::Outcome& outcome) { return names.contains(name_of(outcome)); });
  outcomes_.insert(outcomes_.end(), found->begin(), found->end());
  return work::format_count(static_cast<qint64>(found->size()), tr("run"), tr("runs"));
}

std::optional<double> RunStudy::rank_correlation(std::span<const std::size_t> among) const {
  Outcomes chosen;
  chosen.reserve(among.size());
  for (const std::size_t i : among) chosen.push_back(outcomes_[i]);
  return study::accuracy::summary_of(chosen).rank_mean;
}

std::map<std::string, int> RunStudy::reasons() const {
  std::map<std::string, int> reasons;
  for (const study::accuracy::Outcome& outcome : outcomes_) {
    if (outcome.judged && outcome.prediction) continue;
    const study::accuracy::PublishedRun& run = outcome.run;
    ++reasons[!outcome.skipped.empty()    ? outcome.skipped
              : !run.newest               ? tr("A row of the same mapping has newer software.").toStdString()
              : !outcome.measured_seconds ? tr("The row has no measured time.").toStdString()
                                          : tr("The row has no full shape of a model.").toStdString()];
  }
  return reasons;
}

}  // namespace pipedeck::session::accuracy
