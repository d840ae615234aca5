// SPDX-License-Identifier: Apache-2.0
#include "core/study/explain.hpp"

#include "core/sim/explain/critical_path.hpp"
#include "core/sim/explain/time_breakdown.hpp"

namespace pipedeck::study {

Result<Explanation> explain(const sim::Simulator& simulator, const Plan& plan, std::stop_token stop) {
  TRY(auto path, sim::explain::critical_path(simulator, plan, stop));
  TRY(const auto parts, sim::explain::time_breakdown(simulator, plan, std::move(stop)));
  return Explanation{parts, std::move(path)};
}

}  // namespace pipedeck::study
