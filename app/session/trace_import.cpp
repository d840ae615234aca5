// SPDX-License-Identifier: GPL-3.0-or-later
// Import of recorded traces as runs of the project.
#include <algorithm>
#include <set>

#include <QCoreApplication>
#include <QFileInfo>

#include "app/session/project/import.hpp"
#include "app/session/session.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/traces/ranks.hpp"
#include "core/study/autopsy/late_ranks.hpp"

namespace pipedeck::session {

namespace {

struct TraceImportText {
  Q_DECLARE_TR_FUNCTIONS(TraceImport)
};

std::set<DeviceId> devices_in(const Timeline& timeline) {
  std::set<DeviceId> devices;
  for (const TimelineLane& lane : timeline.lanes)
    if (lane.role == LaneRole::compute) devices.insert(lane.device);
  return devices;
}

/// Returns the run, named after its first file. `predicted` is shown with it if it has all devices of the trace.
project::RunRecord record_of_trace(io::traces::ParsedTrace trace, const std::vector<std::string>& files,
                                   std::shared_ptr<const Simulation> predicted) {
  project::RunRecord run = project::run_from_file_name(files.front());
  const QString first = QFileInfo(QString::fromStdString(files.front())).fileName();
  const int others = static_cast<int>(files.size()) - 1;
  QStringList words{others == 0 ? TraceImportText::tr("a trace, imported from %1").arg(first)
                                : TraceImportText::tr("traces, imported from %1 and %2 more").arg(first).arg(others)};
  for (const std::string& note : trace.notes) words << text::to_qstring(note);
  run.message = words.join(QLatin1Char('\n'));
  run.steps = static_cast<int>(trace.timelines.size());
  const std::set<DeviceId> measured = devices_in(trace.timelines.front().timeline);
  if (predicted && std::ranges::includes(devices_in(predicted->timeline), measured))
    run.predicted = std::move(predicted);
  run.events = io::traces::run_of_trace(std::move(trace));
  return run;
}

/// Ranks of one run become one run; otherwise each trace becomes a run.
Result<std::vector<std::shared_ptr<const project::RunRecord>>> read_runs(
    const std::vector<std::string>& files, const std::shared_ptr<const Simulation>& predicted,
    const work::Jobs::Context& context) {
  TRY(auto traces, io::traces::read_each_trace(files, context.stop, context.progress));
  std::vector<std::shared_ptr<const project::RunRecord>> runs;
  const auto add = [&](io::traces::ParsedTrace trace, const std::vector<std::string>& of) {
    runs.push_back(std::make_shared<const project::RunRecord>(record_of_trace(std::move(trace), of, predicted)));
  };
  if (io::traces::are_ranks_of_one_run(traces)) {
    TRY(auto joined, study::autopsy::join_aligned(std::move(traces), files, context.stop));
    add(std::move(joined), files);
  } else {
    for (std::size_t i = 0; i < files.size(); ++i) add(std::move(traces[i]), {files[i]});
  }
  return runs;
}

}  // namespace

void Session::import_traces(const QStringList& paths) {
  std::shared_ptr<const Simulation> predicted;
  if (const project::PlanEntry* entry = project::find_plan(state(), state().selected_plan); entry && entry->feasible())
    if (const auto problem = project::make_problem(state(), *entry))
      if (const auto plan_result = simulator_.find(*problem, *entry->plan)) predicted = plan_result->simulation;
  std::vector<std::string> files;
  for (const QString& path : paths) files.push_back(path.toStdString());
  const QString title = paths.size() == 1 ? tr("Import %1").arg(QFileInfo(paths.front()).fileName())
                                          : tr("Import %1 traces").arg(paths.size());
  jobs_.start(title, [this, files, predicted](const work::Jobs::Context& context) -> work::Jobs::Apply {
    auto runs = read_runs(files, predicted, context);
    if (!runs)
      return [this, problem = runs.error()] {
        report(tr("Import"), problem);
        return text::to_qstring(problem);
      };
    return [this, runs = *std::move(runs)] {
      for (const auto& run : runs) add_trace(run);
      return runs.back()->message;
    };
  });
}

void Session::add_trace(const std::shared_ptr<const project::RunRecord>& run) {
  project::Added added = project::with_run(state(), run);
  change(tr("Import %1").arg(run->name), std::move(added.state));
  emit notice(run->predicted ? tr("Imported trace %1, shown over the prediction of the selected plan").arg(run->name)
                             : tr("Imported trace %1").arg(run->name));
  emit run_imported(added.id);
}

}  // namespace pipedeck::session
