// SPDX-License-Identifier: Apache-2.0
// Runs the transfers and all-reduces of the engine over the fluid network, and returns those that have ended.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sim/network/fluid_network.hpp"
#include "core/sim/network/shared_flows.hpp"

namespace pipedeck::sim::network {

class FlowScheduler {
 public:
  explicit FlowScheduler(const SharedFlows& flows);

  /// One at a time a resource, and one all-reduce at a time a stage.
  void start_transfer(std::size_t resource, int channel, std::int64_t now);
  void start_all_reduce(std::size_t stage, std::size_t nth, std::int64_t now);
  void update_rates(std::int64_t now) { network_.update_rates(now); }

  std::int64_t next() const { return network_.next(); }
  /// Ends at this moment: resources, and stages whose all-reduce ends on all its ranks.
  struct Completions {
    std::vector<std::size_t> resources, stages;
  };
  const Completions& advance(std::int64_t now);

 private:
  void start(const FlowShape& shape, std::int64_t now, std::int64_t who);

  const SharedFlows& flows_;
  FluidNetwork network_;
  std::vector<std::int64_t> flow_owner_;  // by flow: a resource, or -1 - a stage
  std::vector<int> ranks_running_;        // by stage
  std::vector<int> flows_ended_;
  Completions ended_;
};

}  // namespace pipedeck::sim::network
