// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions next to tables of published runs, computed as a job. The runs of further tables are added.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/session/work/jobs.hpp"
#include "core/study/accuracy/accuracy.hpp"

namespace pipedeck::session::accuracy {

/// Returns true for a CSV table of published runs, by its header.
bool is_runs_table(const QString& path);
/// Returns true for the log of a training by another engine, by the lines at its start.
bool is_training_log(const QString& path);
/// Returns true for arguments or a configuration of another engine, by content. Logs that print them are none.
bool is_job_file(const QString& path);

class RunStudy : public QObject {
  Q_OBJECT

 public:
  explicit RunStudy(work::Jobs& jobs, QObject* parent = nullptr);
  ~RunStudy() override;

  /// Reads a CSV table and predicts its runs. A run with the source and row of an earlier one replaces it.
  void add(const QString& file);
  /// Predicts the published runs that come with the program.
  void add_published();
  /// Reads logs with their job and predicts their runs, as `pipedeck-cli accuracy LOG --job JOB` does. `job`:
  /// its arguments or configuration; empty: the logs print them. `device`: the type of GPUs that a log does not name;
  /// empty: unknown.
  void add(const QStringList& logs, const QString& job, const QString& device);
  void cancel();
  bool running() const { return jobs_ && jobs_->running(job_); }
  const std::vector<study::accuracy::Outcome>& outcomes() const { return outcomes_; }
  /// Returns the mean rank correlation of mappings among these outcomes; nothing where too few are comparable.
  std::optional<double> rank_correlation(std::span<const std::size_t> among) const;
  /// Returns the outcomes that are not compared, by reason.
  std::map<std::string, int> reasons() const;

 signals:
  void changed();
  void failed(const QString& text);

 private:
  using Find = std::function<Result<std::vector<study::accuracy::Outcome>>(const work::Jobs::Context&)>;
  void start(const QString& name, const Find& find);
  QString take(const Result<std::vector<study::accuracy::Outcome>>& found, const QString& name);

  QPointer<work::Jobs> jobs_;  ///< a window's session is destroyed before its pages
  std::vector<study::accuracy::Outcome> outcomes_;
  int job_ = 0;
};

}  // namespace pipedeck::session::accuracy
