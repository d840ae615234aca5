// SPDX-License-Identifier: Apache-2.0
#include "core/sim/costs/stage_figures.hpp"

#include <algorithm>
#include <limits>

#include "core/cost/compute.hpp"

namespace pipedeck::sim::costs {
namespace {

std::int64_t of(const StageReplicaCosts& worker, OpKind kind) {
  return worker.duration[static_cast<std::size_t>(kind)];
}

void take_worker(schedule::StageEstimates& figures, const StageReplicaCosts& worker) {
  figures.forward = std::max(figures.forward, of(worker, OpKind::forward));
  figures.recompute = std::max(figures.recompute, of(worker, OpKind::recompute));
  // For one replica, so that the two add up to a backward.
  if (of(worker, OpKind::backward) < figures.backward()) return;
  figures.backward_input = of(worker, OpKind::backward_input);
  figures.backward_weight = of(worker, OpKind::backward_weight);
}

/// Memory left on a lane's most loaded device after the persistent memory of its chunks.
Bytes room_on(const SimulatorInputs& inputs, const PlanCosts& costs, const LaneCosts& lane) {
  Bytes least(std::numeric_limits<std::int64_t>::max());
  for (std::size_t rank = 0; rank < lane.devices.size(); ++rank) {
    Bytes room = inputs.network.type(lane.devices[rank]).memory;
    MemoryBreakdown once;
    for (const std::size_t w : lane.workers) {
      const std::vector<MemoryBreakdown>& held = costs.stages[static_cast<std::size_t>(costs.workers[w].stage)].held;
      once = held[rank % held.size()];
      room = room - once.total() + once[MemoryItem::communication] + once[MemoryItem::reserve];
    }
    least = std::min(least, room - once[MemoryItem::communication] - once[MemoryItem::reserve]);
  }
  return least;
}

void take_channel(std::vector<schedule::StageEstimates>& figures, const Channel& channel) {
  schedule::StageEstimates& sender = figures[static_cast<std::size_t>(channel.stage)];
  std::int64_t& longest = channel.gradient ? sender.gradient_transfer : sender.activation_transfer;
  longest = std::max(longest, channel.duration);
}

}  // namespace

std::vector<schedule::StageEstimates> stage_figures(const SimulatorInputs& inputs, const PlanCosts& costs,
                                                    const Channels& channels) {
  schedule::StageEstimates none;
  none.forward = none.backward_input = none.backward_weight = 0;
  std::vector<schedule::StageEstimates> figures(costs.stages.size(), none);
  for (const StageReplicaCosts& worker : costs.workers) {
    const StageCosts& stage = costs.stages[static_cast<std::size_t>(worker.stage)];
    schedule::StageEstimates& own = figures[static_cast<std::size_t>(worker.stage)];
    take_worker(own, worker);
    const Bytes kept = cost::scale_bytes(stage.kept.before, worker.samples(), inputs.profile->micro_batch);
    const Bytes full = cost::scale_bytes(stage.kept.full, worker.samples(), inputs.profile->micro_batch);
    own.saved_bytes = std::max(own.saved_bytes, kept);
    own.recomputed_bytes = std::max(own.recomputed_bytes, full - kept);
    own.available_memory = std::min(own.available_memory, room_on(inputs, costs, costs.lanes[worker.lane]));
  }
  for (std::size_t s = 0; s < figures.size(); ++s) figures[s].max_in_flight = costs.fitting[s];
  for (const Channel& channel : channels.all) take_channel(figures, channel);
  return figures;
}

}  // namespace pipedeck::sim::costs
