// SPDX-License-Identifier: Apache-2.0
#include "core/sim/memory/identical_lanes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace pipedeck::sim::memory {
namespace {

/// A worker's sends and receives of one transfer over a channel.
struct Share {
  std::size_t channel = 0;
  Bytes sent, received;
  bool operator==(const Share&) const = default;
};

std::vector<std::vector<Share>> shares_of_workers(const engine::EngineInput& run) {
  std::vector<std::vector<Share>> shares(run.costs.workers.size());
  const auto share = [&](int worker, std::size_t channel) -> Share& {
    std::vector<Share>& own = shares[static_cast<std::size_t>(worker)];
    if (own.empty() || own.back().channel != channel) own.push_back({channel, {}, {}});
    return own.back();
  };
  for (std::size_t c = 0; c < run.channels.all.size(); ++c) {
    const costs::Channel& channel = run.channels.all[c];
    for (std::size_t i = 0; i < channel.sources.size(); ++i) share(channel.sources[i], c).sent = channel.sent[i];
    for (std::size_t i = 0; i < channel.targets.size(); ++i)
      share(channel.targets[i], c).received = channel.received[i];
  }
  return shares;
}

}  // namespace

std::vector<std::size_t> representative_lanes(const engine::EngineInput& run, const engine::Trace& trace) {
  const std::vector<costs::LaneCosts>& lanes = run.costs.lanes;
  std::vector<std::size_t> leaders(lanes.size());
  const std::vector<std::vector<Share>> shares = shares_of_workers(run);
  std::map<std::pair<int, int>, std::vector<std::size_t>> of_chunks;  // leaders, by stage and copy
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    leaders[lane] = lane;
    // Replicas that take turns, and devices of several chunks, all differ.
    if (lanes[lane].workers.size() != 1 || !run.schedule.synchronous) continue;
    const std::size_t own = lanes[lane].workers.front();
    const costs::StageReplicaCosts& worker = run.costs.workers[own];
    const auto same = [&](std::size_t other) {
      const std::size_t twin = lanes[other].workers.front();
      return run.costs.workers[twin].samples() == worker.samples() &&
             lanes[other].devices.size() == lanes[lane].devices.size() && shares[twin] == shares[own] &&
             trace.operations[other] == trace.operations[lane];
    };
    std::vector<std::size_t>& known = of_chunks[{worker.stage, worker.copy}];
    const auto leader = std::find_if(known.begin(), known.end(), same);
    if (leader != known.end())
      leaders[lane] = *leader;
    else
      known.push_back(lane);
  }
  return leaders;
}

}  // namespace pipedeck::sim::memory
