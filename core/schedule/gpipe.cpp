// SPDX-License-Identifier: Apache-2.0
// GPipe (Huang et al., arXiv 1811.06965): all forwards, then all backwards, in the same micro-batch order.
#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {

Schedule gpipe(const Plan& plan) {
  const int count = plan.micro_batches;
  const auto order = [&](StageId stage, int) {
    return AlternatingOrder{stage, count, 0, 1, count, plan.stages[stage.index()].recompute.any()};
  };
  return {count, true, lanes_of(plan, order)};
}

}  // namespace pipedeck::schedule
