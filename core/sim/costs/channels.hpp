// SPDX-License-Identifier: Apache-2.0
// Senders, receivers and resources of all transfers (formats.md, "Two network models"). A resource carries one transfer
// at a time. In the `ideal` network it is the directed pair of nodes, or of devices inside one; in `shared` always that
// of devices.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sim/costs/plan_costs.hpp"

namespace pipedeck::sim::costs {

/// The slices of one micro-batch that cross one resource from a stage to the next, in one direction: one transfer.
struct Channel {
  static constexpr int local = -1;  ///< between chunks of one replica's devices: nothing is sent
  int stage = 0;                    ///< that sends
  bool gradient = false;
  int resource = local;
  std::int64_t duration = 0;  ///< ns: latency + bytes / bandwidth; 0 where it is local
  std::vector<int> sources, targets;
  std::vector<Bytes> sent, received;  ///< of each source and target
};

/// A directed pair of nodes or of devices.
struct Resource {
  DeviceId from, to;  ///< the lowest sending and receiving device
};

/// Channels that leave a worker for a micro-batch: the same for all of them, or by turns where replicas take turns.
struct Outgoing {
  std::vector<std::vector<int>> turns;
  const std::vector<int>& of(int nth) const { return turns[static_cast<std::size_t>(nth) % turns.size()]; }
};

struct Channels {
  std::vector<Channel> all;
  std::vector<Resource> resources;
  std::vector<Outgoing> activations, gradients;             ///< by worker; no turns at the pipeline's ends
  std::vector<int> awaited_activations, awaited_gradients;  ///< by worker: channels a micro-batch
};

Channels channels_of(const SimulatorInputs& inputs, const Plan& plan, const PlanCosts& costs);

}  // namespace pipedeck::sim::costs
