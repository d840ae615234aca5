// SPDX-License-Identifier: Apache-2.0
// A plan's transfers and all-reduces for the `shared` network: their links, and their duration alone.
#pragma once

#include <deque>
#include <vector>

#include "core/sim/costs/channels.hpp"
#include "core/sim/costs/plan_costs.hpp"
#include "core/sim/network/fluid_network.hpp"

namespace pipedeck::sim::network {

struct SharedFlows {
  std::vector<double> capacities;                          ///< of the links, bytes/s
  std::vector<FlowShape> transfers;                        ///< by channel; empty where it is local
  std::vector<std::vector<std::vector<FlowShape>>> ranks;  ///< by stage and all-reduce: a flow a rank, side by side
  std::deque<std::vector<LinkUse>> uses;                   ///< that the shapes refer to

  SharedFlows() = default;
  SharedFlows(SharedFlows&&) = default;
  SharedFlows& operator=(SharedFlows&&) = default;
};

/// `channels` of the `shared` network: one for each slice.
SharedFlows shared_flows(const costs::SimulatorInputs& inputs, const Plan& plan, const costs::PlanCosts& costs,
                         const costs::Channels& channels);

}  // namespace pipedeck::sim::network
