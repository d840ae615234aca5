// SPDX-License-Identifier: Apache-2.0
// The simulator's values of one plan for a report.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "core/domain/explanation.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/simulation.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::reports {

struct JudgedPlan {
  Simulation simulation;
  Seconds lower_bound;                   ///< of all plans of its problem
  std::optional<double> price_per_hour;  ///< of the nodes that it uses; absent: of a device no price is known
  TimeParts parts;
  CriticalPath path;

  std::optional<double> price_per_million_samples() const;
};

struct JudgedQuestion {
  const Problem& problem;
  const Simulator& simulator;
  const std::map<std::string, double>& prices;
};

Result<JudgedPlan> judged(const JudgedQuestion& question, const Plan& plan, std::stop_token stop);

}  // namespace pipedeck::reports
