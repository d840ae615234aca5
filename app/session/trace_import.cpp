// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/trace_import.hpp"

#include <algorithm>
#include <set>

#include <QCoreApplication>
#include <QFileInfo>

#include "app/language/core_text.hpp"
#include "app/session/session.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::TraceImport)
};

std::set<DeviceId> devices_in(const Timeline& timeline) {
  std::set<DeviceId> devices;
  for (const TimelineLane& lane : timeline.lanes)
    if (lane.role == LaneRole::compute) devices.insert(lane.device);
  return devices;
}

}  // namespace

RunRecord record_of_trace(ReadTrace trace, const std::string& path, std::shared_ptr<const Simulation> predicted) {
  RunRecord run = run_named_by(path);
  QStringList words{Text::tr("a trace, imported from %1").arg(QFileInfo(QString::fromStdString(path)).fileName())};
  for (const std::string& note : trace.notes) words << core_text(note);
  run.message = words.join(QLatin1Char('\n'));
  run.steps = static_cast<int>(trace.timelines.size());
  const std::set<DeviceId> measured = devices_in(trace.timelines.front().timeline);
  if (predicted && std::ranges::includes(devices_in(predicted->timeline), measured))
    run.predicted = std::move(predicted);
  run.events = run_of_trace(std::move(trace));
  return run;
}

bool Session::import_trace(const QString& path) {
  std::shared_ptr<const Simulation> predicted;
  if (const PlanEntry* entry = find_plan(state(), state().selected_plan); entry && entry->feasible())
    if (const auto verdict = judge_.known(*problem_of(state(), *entry), *entry->plan)) predicted = verdict->simulation;
  const QString title = tr("Import %1").arg(QFileInfo(path).fileName());
  jobs_.start(title, [this, file = path.toStdString(), predicted](const Jobs::Context& context) -> Jobs::Apply {
    auto trace = read_trace(file, context.stop, context.progress);
    if (!trace)
      return [this, problem = trace.error()] {
        report(tr("Import"), problem);
        return core_text(problem);
      };
    auto run = std::make_shared<const RunRecord>(record_of_trace(*std::move(trace), file, predicted));
    return [this, run] {
      Added added = with_run(state(), run);
      change(tr("Import %1").arg(run->name), std::move(added.state));
      emit notice(run->predicted
                      ? tr("Imported trace %1, drawn over the prediction of the selected plan").arg(run->name)
                      : tr("Imported trace %1").arg(run->name));
      emit run_imported(added.id);
      return run->message;
    };
  });
  return true;
}

}  // namespace pipedeck::app
