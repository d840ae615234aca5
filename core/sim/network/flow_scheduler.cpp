// SPDX-License-Identifier: Apache-2.0
#include "core/sim/network/flow_scheduler.hpp"

namespace pipedeck::sim::network {

FlowScheduler::FlowScheduler(const SharedFlows& flows)
    : flows_(flows), network_(flows.capacities), ranks_running_(flows.ranks.size(), 0) {}

void FlowScheduler::start_transfer(std::size_t resource, int channel, std::int64_t now) {
  start(flows_.transfers[static_cast<std::size_t>(channel)], now, static_cast<std::int64_t>(resource));
}

void FlowScheduler::start_all_reduce(std::size_t stage, std::size_t nth, std::int64_t now) {
  const std::vector<FlowShape>& ranks = flows_.ranks[stage][nth];
  ranks_running_[stage] = static_cast<int>(ranks.size());
  for (const FlowShape& rank : ranks) start(rank, now, -1 - static_cast<std::int64_t>(stage));
}

void FlowScheduler::start(const FlowShape& shape, std::int64_t now, std::int64_t who) {
  const auto number = static_cast<std::size_t>(network_.start(shape, now));
  if (flow_owner_.size() <= number) flow_owner_.resize(number + 1);
  flow_owner_[number] = who;
}

const FlowScheduler::Completions& FlowScheduler::advance(std::int64_t now) {
  ended_.resources.clear();
  ended_.stages.clear();
  flows_ended_.clear();
  network_.advance(now, flows_ended_);
  for (const int number : flows_ended_) {
    const std::int64_t who = flow_owner_[static_cast<std::size_t>(number)];
    if (who >= 0) {
      ended_.resources.push_back(static_cast<std::size_t>(who));
      continue;
    }
    const auto stage = static_cast<std::size_t>(-1 - who);
    if (--ranks_running_[stage] == 0) ended_.stages.push_back(stage);
  }
  return ended_;
}

}  // namespace pipedeck::sim::network
