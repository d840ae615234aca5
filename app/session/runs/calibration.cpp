// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/calibration.hpp"

#include <algorithm>

#include "app/session/project/content.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/checksum.hpp"
#include "core/io/topology/machine_name.hpp"
#include "core/runtime/train.hpp"
#include "core/sim/calibrate/run_observations.hpp"

namespace pipedeck::session::runs {

namespace {

/// Compares checksums under the name at planning time, since a project renames a document if the name is in use.
template <class Document>
bool is_of(Document document, const std::string& name, const std::string& sha) {
  document.name = name;
  return io::sha256_of(document) == sha;
}

const project::ProfileEntry* profile_of(const project::State& state, const Plan& plan) {
  for (const project::ProfileEntry& entry : state.profiles)
    if (is_of(*entry.profile, plan.profile, plan.profile_sha256)) return &entry;
  return project::find_profile(state, plan.profile);
}

const project::ClusterEntry* cluster_of(const project::State& state, const Plan& plan) {
  for (const project::ClusterEntry& entry : state.clusters)
    if (is_of(*entry.cluster, plan.cluster, plan.cluster_sha256)) return &entry;
  return project::find_cluster(state, plan.cluster);
}

QString name_of_run(const project::RunRecord& run) {
  return QStringLiteral("%1, %2").arg(run.name, run.when.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")));
}

Error in_project(const QString& message, const std::string& name) {
  return {ErrorCode::bad_input, message.arg(QString::fromStdString(name)).toStdString(), {}, {}};
}

}  // namespace

Result<sim::calibrate::MeasuredRun> measured_run(const project::State& state, const project::RunEntry& entry,
                                                 bool held_out) {
  const auto whole = project::with_traces(entry.run);  // the measurements may still be in the file only
  if (!whole) return tl::unexpected(whole.error());
  const project::RunRecord& run = **whole;
  const project::ProfileEntry* profile = profile_of(state, run.plan);
  const project::ClusterEntry* cluster = cluster_of(state, run.plan);
  if (!profile)
    return tl::unexpected(in_project(QStringLiteral("the project has no profile '%1' any more"), run.plan.profile));
  if (!cluster)
    return tl::unexpected(in_project(QStringLiteral("the project has no cluster '%1' any more"), run.plan.cluster));
  sim::calibrate::MeasuredRun measured{name_of_run(run).toStdString(), {}, run.plan, run.events, held_out};
  measured.problem.profile = profile->profile;
  measured.problem.cluster = cluster->cluster;
  Workload& workload = measured.problem.workload;
  workload.global_batch = run.plan.global_batch;
  workload.micro_batch = run.plan.micro_batch;
  workload.optimizer = run.plan.optimizer;
  workload.precision = run.plan.precision;
  workload.zero = run.plan.zero;
  workload.conventions = state.question.workload.conventions;
  workload.conventions.overlap = runtime::train::trainer_overlap;
  return measured;
}

std::vector<CalibrationRun> calibration_runs(const project::State& state) {
  std::vector<CalibrationRun> runs;
  for (const project::RunEntry& entry : state.runs) {
    CalibrationRun run{entry.id, name_of_run(*entry.run), {}};
    const auto measured = measured_run(state, entry, false);
    if (!measured) {
      run.unusable_reason = text::to_qstring(measured.error().message);
    } else if (const auto seen = sim::calibrate::collect_measurements(measured->plan, measured->events); !seen) {
      run.unusable_reason = text::to_qstring(seen.error().message);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

CalibrationRecord with_origin(CalibrationRecord record, const std::vector<sim::calibrate::MeasuredRun>& runs) {
  record.date = io::topology::utc_now();
  record.host = io::topology::host_name();
  record.devices = {io::topology::processor_line()};
  const auto add = [&](CalibrationSource source) {
    if (std::ranges::find(record.sources, source) == record.sources.end()) record.sources.push_back(std::move(source));
  };
  for (const sim::calibrate::MeasuredRun& run : runs) {
    add({"cluster", run.problem.cluster->name, io::sha256_of(*run.problem.cluster)});
    add({"profile", run.problem.profile->name, io::sha256_of(*run.problem.profile)});
  }
  return record;
}

}  // namespace pipedeck::session::runs
