// SPDX-License-Identifier: GPL-3.0-or-later
// Calibration: fitted from the project's runs, applied, switched on and off.
#include <QFileInfo>

#include "app/session/count_text.hpp"
#include "app/session/session.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/calibration_json.hpp"
#include "core/io/files.hpp"

namespace pipedeck::app {

std::vector<CalibrationRun> Session::calibration_runs() const { return app::calibration_runs(state()); }

int Session::calibrate(const std::vector<CalibrationChoice>& choices) {
  std::vector<MeasuredRun> runs;
  for (const CalibrationChoice& choice : choices) {
    const RunEntry* entry = find_run(state(), choice.run);
    if (!entry) continue;
    auto run = measured_run(state(), *entry, choice.held_out);
    if (!run) {
      report(tr("Calibrate"), run.error());
      return 0;
    }
    runs.push_back(*std::move(run));
  }
  if (runs.empty()) return 0;
  jobs_.cancel(calibration_job_);
  const QString title =
      tr("Calibrate from %1").arg(count_text(static_cast<qint64>(runs.size()), tr("run"), tr("runs")));
  calibration_job_ = jobs_.start(title, [this, runs = std::move(runs)](const Jobs::Context& context) -> Jobs::Apply {
    auto record = pipedeck::calibrate(runs, context.progress, context.stop);
    if (record) *record = with_origin(*std::move(record), runs);
    return [this, record = std::move(record)]() -> QString {
      if (!record) {
        report(tr("Calibrate"), record.error());
        return in_qt(record.error().message);
      }
      emit calibration_fitted(std::make_shared<const CalibrationRecord>(*record));
      return tr("fitted");
    };
  });
  return calibration_job_;
}

void Session::use_calibration(const std::shared_ptr<const CalibrationRecord>& record) {
  if (!record) return;
  change(tr("Use calibration"), with_calibration(state(), record));
}

void Session::set_calibrated(bool on) {
  if (!state().calibration.record || state().calibration.on == on) return;
  change(on ? tr("Switch calibration on") : tr("Switch calibration off"), with_calibration_on(state(), on));
}

bool Session::export_calibration(const CalibrationRecord& record, const QString& path) {
  const auto written = write_file(path.toStdString(), calibration_to_json(record) + "\n");
  if (!written) {
    report(tr("Save calibration"), written.error());
    return false;
  }
  emit notice(tr("Saved %1").arg(QFileInfo(path).fileName()));
  return true;
}

}  // namespace pipedeck::app
