// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/model/plan.hpp"

namespace pipedeck::test {

/// Returns a plan with one layer per stage and the given replicas, devices numbered in order.
inline Plan pipeline_plan(const std::vector<int>& replicas, int micro_batch, int micro_batches, ScheduleKind schedule) {
  Plan plan;
  plan.schedule = schedule;
  plan.micro_batch = micro_batch;
  plan.micro_batches = micro_batches;
  plan.global_batch = micro_batch * micro_batches;
  std::int32_t device = 0;
  for (std::size_t s = 0; s < replicas.size(); ++s) {
    Stage stage;
    stage.first = static_cast<int>(s);
    stage.last = stage.first + 1;
    for (int r = 0; r < replicas[s]; ++r) stage.devices.push_back(DeviceId(device++));
    plan.stages.push_back(stage);
  }
  return plan;
}

/// One device a stage, 1F1B, micro-batches of one sample, no optimizer step.
inline Plan straight_plan(int stages, int micro_batches) {
  const std::vector<int> replicas(static_cast<std::size_t>(stages), 1);
  Plan plan = pipeline_plan(replicas, 1, micro_batches, ScheduleKind::one_f_one_b);
  plan.optimizer = Optimizer::none;
  return plan;
}

}  // namespace pipedeck::test
