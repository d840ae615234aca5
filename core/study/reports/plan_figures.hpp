// SPDX-License-Identifier: Apache-2.0
// The simulator's values of one plan for a report.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/device_model.hpp"
#include "core/model/explanation.hpp"
#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"
#include "core/model/utilization.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::study::reports {

struct PlanFigures {
  Simulation simulation;
  Seconds lower_bound;                   ///< of all plans of its problem
  std::optional<double> price_per_hour;  ///< of the nodes that it uses; absent: of a device no price is known
  CriticalPath path;
  std::optional<Utilization> utilization{};  ///< absent: the profile knows no tokens

  std::optional<double> price_per_million_samples() const;
};

struct FiguresRequest {
  const Problem& problem;
  const sim::Simulator& simulator;
  const std::map<std::string, double>& prices;
  const std::optional<SampleWork>& work;
  const std::vector<DeviceModel>& catalogue;
};

Result<PlanFigures> plan_figures(const FiguresRequest& question, const Plan& plan, std::stop_token stop);

}  // namespace pipedeck::study::reports
