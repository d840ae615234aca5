// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "core/base/result.hpp"
#include "core/model/explanation.hpp"
#include "core/model/plan.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::study {

/// An explanation of where a plan's iteration time goes: its parts, and the chain of operations that sets its length.
struct Explanation {
  TimeBreakdown parts;
  CriticalPath path;
};

/// Simulates the plan. Returns its errors, or cancelled.
Result<Explanation> explain(const sim::Simulator& simulator, const Plan& plan, std::stop_token stop);

}  // namespace pipedeck::study
