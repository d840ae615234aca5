// SPDX-License-Identifier: Apache-2.0
// CAPTURE's highest predicted peak of a finished plan.
#include <algorithm>

#include "core/cost/evaluate_parts.hpp"
#include "core/cost/memory.hpp"

namespace pipedeck {

Result<Bytes> capture_objective(const Evaluation& e) {
  const Plan& plan = e.plan;
  Bytes highest;
  for (int s = 0; s < e.stages(); ++s) {
    const int samples = e.most_samples(s), first = e.stage(s).first;
    const int kept = e.options.paper_in_flight ? 1 : std::min(plan.micro_batches, e.stages() - s);
    const Bytes fixed = e.problem.workload.conventions.reserve + e.problem.workload.conventions.communication;
    const Bytes state =
        state_memory(parameters_of(e, s), e.stage(s).replicas(), plan.optimizer, plan.precision, plan.zero).total();
    // The first layer's figure, alone on a device, has input and workspace besides; the others only add to it.
    Plan one = plan;
    one.stages[static_cast<std::size_t>(s)].last = first + 1;
    const Evaluation first_layer{e.problem, one, e.network, e.options, e.order};
    highest = std::max(highest, fixed + state + saved_by(e, s, samples) * kept + crossing(e, s, samples) +
                                    largest_workspace(first_layer, s, samples));
  }
  return highest;
}

}  // namespace pipedeck
