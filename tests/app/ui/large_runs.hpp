// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that make a project large.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <QDateTime>

#include "app/session/project/state.hpp"

namespace pipedeck::test {

/// A run of that many operations, half measured and half predicted.
inline session::project::RunRecord large_run(const Plan& plan, int number, int operations) {
  constexpr int devices = 64;
  session::project::RunRecord run;
  run.name = QStringLiteral("run %1").arg(number);
  run.model = QStringLiteral("model");
  run.when = QDateTime::currentDateTime();
  run.state = session::project::RunOutcome::finished;
  run.plan = plan;
  Timeline timeline;
  const int each = operations / 2 / devices;
  for (int d = 0; d < devices; ++d) {
    std::vector<TimelineRow> rows;
    for (int i = 0; i < each; ++i)
      rows.push_back({Nanoseconds(i * 1000 + number),
                      Nanoseconds(900),
                      {i % 2 == 0 ? OpKind::forward : OpKind::backward, StageId(d), i / 2}});
    timeline.append_lane({LaneRole::compute, DeviceId(d), {}, 0, 0}, rows);
  }
  Simulation predicted;
  predicted.iteration = timeline.makespan();
  predicted.timeline = timeline;
  run.predicted = std::make_shared<const Simulation>(std::move(predicted));
  run.events = {RunStarted{.plan = "plan", .model = "model", .backend = "cpu", .steps = 1, .devices = devices},
                MeasuredTimeline{1, std::move(timeline)}, StepDone{1, 0, Seconds(1), 1, {}, {}}};
  run.samples_per_second = 1;
  return run;
}

/// 2.3 MB a run of 100,000 operations.
inline session::project::State with_large_runs(session::project::State state, int runs, int operations) {
  Plan plan;
  plan.stages.push_back(
      {.first = 0, .last = 1, .devices = {DeviceId(0)}, .samples_per_replica = {}, .recompute = {}, .extra = {}});
  for (int i = 0; i < runs; ++i)
    state = session::project::with_run(
                std::move(state), std::make_shared<const session::project::RunRecord>(large_run(plan, i, operations)))
                .state;
  return state;
}

}  // namespace pipedeck::test
