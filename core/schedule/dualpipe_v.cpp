// SPDX-License-Identifier: Apache-2.0
// DualPipeV, DualPipe cut in half (Sea AI Lab, "Cut-in-half" schedule; github.com/deepseek-ai/DualPipe): one copy of 2P
// stages on P devices in a V. Stage k is on device k on the way down, and on device 2P - 1 - k on the way back. The way
// back replaces the other direction, so weights are stored once.
#include "core/schedule/builders.hpp"
#include "core/schedule/dualpipe_steps.hpp"

namespace pipedeck::schedule {

Result<Schedule> dualpipe_v(const Plan& plan) {
  const int stages = static_cast<int>(plan.stages.size()), ranks = stages / 2;
  if (Result<void> placed = check_v_shape(plan, 2 * ranks); !placed) return tl::unexpected(placed.error());
  std::vector<std::vector<Operation>> lists;
  for (int r = 0; r < ranks; ++r)  // pipeline_ranks() are in the order of stages 0 to P - 1
    lists.push_back(dualpipe_steps(r, ranks, plan.micro_batches, {StageId(std::int32_t{r}), 0},
                                   {StageId(std::int32_t{stages - 1 - r}), 0}));
  return Schedule{plan.micro_batches, true, lanes_of_ranks(plan, std::move(lists))};
}

}  // namespace pipedeck::schedule
