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
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/study/accuracy/runs_table.hpp"

namespace pipedeck::session::accuracy {

namespace {

using Outcomes = std::vector<study::accuracy::Outcome>;

Result<Outcomes> predict(const std::string& file, const work::Jobs::Context& context) {
  TRY(const std::string text, io::read_file(file));
  TRY(const auto runs, study::accuracy::runs_from_csv(text));
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

void RunStudy::add(const QString& file) {
  cancel();
  const auto work = [file, self = QPointer<RunStudy>(this)](const work::Jobs::Context& context) -> work::Jobs::Apply {
    return [self, file, found = predict(file.toStdString(), context)] {
      return self ? self->take(found, file) : QString();
    };
  };
  job_ = jobs_->start(tr("Predictions of %1").arg(QFileInfo(file).fileName()), work);
  emit changed();
}

QString RunStudy::take(const Result<Outcomes>& found, const QString& file) {
  if (!found) {
    Error error = found.error();
    if (error.file.empty()) error.file = QFileInfo(file).fileName().toStdString();
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
