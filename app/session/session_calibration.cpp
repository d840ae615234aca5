// SPDX-License-Identifier: GPL-3.0-or-later
// Calibration: fitted from the project's runs, applied, switched on and off.

#include "app/session/session.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/documents/calibration.hpp"
#include "core/io/files.hpp"

namespace pipedeck::session {

std::vector<runs::CalibrationRun> Session::calibration_runs() const { return runs::calibration_runs(state()); }

int Session::calibrate(const std::vector<runs::CalibrationChoice>& choices) {
  std::vector<sim::calibrate::MeasuredRun> runs;
  for (const runs::CalibrationChoice& choice : choices) {
    const project::RunEntry* entry = project::find_run(state(), choice.run);
    if (!entry) continue;
    auto run = runs::measured_run(state(), *entry, choice.held_out);
    if (!run) {
      report(tr("Calibrate"), run.error());
      return 0;
    }
    runs.push_back(*std::move(run));
  }
  if (runs.empty()) return 0;
  jobs_.cancel(calibration_job_);
  const QString title =
      tr("Calibrate from %1").arg(work::format_count(static_cast<qint64>(runs.size()), tr("run"), tr("runs")));
  calibration_job_ =
      jobs_.start(title, [this, runs = std::move(runs)](const work::Jobs::Context& context) -> work::Jobs::Apply {
        auto record = sim::calibrate::calibrate(runs, context.progress, context.stop);
        if (record) *record = runs::with_origin(*std::move(record), runs);
        return [this, record = std::move(record)]() -> QString {
          if (!record) {
            report(tr("Calibrate"), record.error());
            return text::to_qstring(record.error().message);
          }
          emit calibration_fitted(std::make_shared<const CalibrationRecord>(*record));
          return tr("fitted");
        };
      });
  return calibration_job_;
}

void Session::use_calibration(const std::shared_ptr<const CalibrationRecord>& record) {
  if (!record) return;
  change(tr("Use calibration"), project::with_calibration(state(), record));
}

void Session::set_calibrated(bool on) {
  if (!state().calibration.record || state().calibration.on == on) return;
  change(on ? tr("Switch calibration on") : tr("Switch calibration off"), project::with_calibration_on(state(), on));
}

bool Session::export_calibration(const CalibrationRecord& record, const QString& path) {
  const auto written = io::write_file(path.toStdString(), io::documents::calibration_to_json(record) + "\n");
  if (!written) {
    report(tr("Save calibration"), written.error());
    return false;
  }
  emit exported(path);
  return true;
}

}  // namespace pipedeck::session
