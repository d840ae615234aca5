// SPDX-License-Identifier: Apache-2.0
// The clock: runs every lane's list against the `ideal` or the `shared` network, in integer nanoseconds.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/model/schedule.hpp"
#include "core/sim/costs/channels.hpp"
#include "core/sim/costs/plan_costs.hpp"
#include "core/sim/engine/trace.hpp"
#include "core/sim/network/shared_flows.hpp"

namespace pipedeck::sim::engine {

struct EngineInput {
  const Plan& plan;
  const Schedule& schedule;
  const costs::PlanCosts& costs;
  const costs::Channels& channels;
  Overlap overlap = Overlap::layer;
  bool record = true;
  const network::SharedFlows* shared = nullptr;  ///< of the `shared` network; none: `ideal`
  std::span<const std::int64_t> begin{};         ///< by lane: nothing of it starts before; absent: all begin at 0
  const PassDurations* passes = nullptr;         ///< none: as in `costs`
};

/// An incomplete trace where the lists deadlock or `stop` was requested.
Trace run_engine(const EngineInput& input, std::stop_token stop = {});

}  // namespace pipedeck::sim::engine
