// SPDX-License-Identifier: Apache-2.0
// Plans of every schedule kind, placed as each needs it, and how to run and compare them.
#pragma once

#include <cmath>
#include <numeric>
#include <random>

#include "core/runtime/train.hpp"
#include "core/schedule/build.hpp"
#include "tests/core/runtime/train/training_cases.hpp"

namespace pipedeck::test {

/// On which of `ranks` stage `stage` of `stages` is, for a schedule of that kind.
inline int rank_of_stage(ScheduleKind kind, int stage, int stages, int ranks) {
  switch (kind) {
    case ScheduleKind::zb_v:
    case ScheduleKind::v_half:
    case ScheduleKind::v_min:
    case ScheduleKind::dualpipe_v:
      return stage < ranks ? stage : stages - 1 - stage;
    default:
      return stage % ranks;
  }
}

/// `replicas[k]` devices on rank k, each with `chunks` stages of the model.
inline Plan placed_plan(const ModelSpec& model, ScheduleKind kind, const std::vector<int>& replicas, int chunks,
                        int micro_batch, int micro_batches) {
  const int ranks = static_cast<int>(replicas.size());
  Plan plan =
      plan_for(model, std::vector<int>(static_cast<std::size_t>(ranks * chunks), 1), micro_batch, micro_batches);
  plan.schedule = kind;
  for (int s = 0; s < ranks * chunks; ++s) {
    const int rank = rank_of_stage(kind, s, ranks * chunks, ranks);
    Stage& stage = plan.stages[static_cast<std::size_t>(s)];
    stage.devices.clear();
    const int first = std::accumulate(replicas.begin(), replicas.begin() + rank, 0);
    for (int r = 0; r < replicas[static_cast<std::size_t>(rank)]; ++r) stage.devices.push_back(DeviceId(first + r));
  }
  return plan;
}

/// All stages alike, memory without end.
inline Schedule built(const Plan& plan) {
  schedule::StageEstimates figures;
  figures.max_in_flight = plan.micro_batches;
  auto schedule = schedule::build_schedule(plan, std::vector<schedule::StageEstimates>(plan.stages.size(), figures));
  if (!schedule) qFatal("%s", schedule.error().text().c_str());
  return *std::move(schedule);
}

struct Trained {
  runtime::train::TrainedParameters parameters;
  EventLog log;
};

inline Trained trained_with(const ModelSpec& model, const Plan& plan, const Schedule& schedule, int steps,
                            int timeline_every = 0) {
  Trained result;
  runtime::train::TrainOptions options;
  options.steps = steps;
  options.timeline_every = timeline_every;
  auto parameters = runtime::train_on_cpu(model, plan, schedule, options, result.log.sink());
  if (!parameters) qFatal("%s", parameters.error().text().c_str());
  result.parameters = *std::move(parameters);
  return result;
}

/// Largest over the layers of ||a - b|| / ||b||.
inline double parameter_difference(const runtime::train::TrainedParameters& a,
                                   const runtime::train::TrainedParameters& b) {
  double most = a.layers.size() == b.layers.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.layers.size(), b.layers.size()); ++i) {
    double apart = 0, size = 1e-300;
    for (std::size_t j = 0; j < b.layers[i].size(); ++j) {
      apart += std::pow(double(a.layers[i].at(j)) - double(b.layers[i][j]), 2);
      size += std::pow(double(b.layers[i][j]), 2);
    }
    most = std::max(most, std::sqrt(apart / size));
  }
  return most;
}

inline double loss_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]) / b[i]);
  return most;
}

/// The operations of each device, in order, over all timelines of a run; optimizer steps are separate.
struct LaneRun {
  std::vector<Operation> passes, updates;
};
inline std::map<DeviceId, LaneRun> lanes_run(const EventLog& log) {
  std::map<DeviceId, LaneRun> lanes;
  for (const MeasuredTimeline& measured : log.of<MeasuredTimeline>())
    for (const TimelineLane& lane : measured.timeline.lanes)
      for (std::size_t i = lane.begin; i < lane.end && lane.role == LaneRole::compute; ++i) {
        const Operation operation = measured.timeline.row(i).operation;
        LaneRun& run = lanes[lane.device];
        (operation.kind == OpKind::optimizer ? run.updates : run.passes).push_back(operation);
      }
  return lanes;
}

}  // namespace pipedeck::test
