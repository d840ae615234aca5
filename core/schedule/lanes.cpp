// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {
namespace {

bool needs_activations(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }

/// Inserts recomputes directly before the backward that uses them, and before both operations of an overlapped pair.
std::vector<Operation> with_recompute(const Plan& plan, std::vector<Operation> list) {
  const auto recomputes = [&](const Operation& operation) {
    return needs_activations(operation.kind) && plan.stages[operation.stage.index()].recompute.any();
  };
  if (std::none_of(list.begin(), list.end(), recomputes)) return list;
  std::vector<Operation> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool second = i > 0 && list[i - 1].overlapped_with_next;
    if (!second && recomputes(list[i])) out.push_back({OpKind::recompute, list[i].stage, list[i].micro_batch});
    if (list[i].overlapped_with_next && recomputes(list[i + 1]))
      out.push_back({OpKind::recompute, list[i + 1].stage, list[i + 1].micro_batch});
    out.push_back(list[i]);
  }
  return out;
}

}  // namespace

std::vector<DeviceLane> lanes_of_ranks(const Plan& plan, std::vector<std::vector<Operation>> lists) {
  const std::vector<PipelineRank> ranks = pipeline_ranks(plan);
  std::map<DeviceId, std::size_t> rank_of;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    lists[r] = with_recompute(plan, std::move(lists[r]));
    for (const DeviceId device : ranks[r].devices) rank_of[device] = r;
  }
  std::vector<DeviceLane> lanes;
  for (const auto& [device, rank] : rank_of) lanes.push_back({device, ExplicitOrder{lists[rank]}});
  return lanes;
}

}  // namespace pipedeck::schedule
