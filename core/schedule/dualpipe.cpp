// SPDX-License-Identifier: Apache-2.0
// DualPipe (DeepSeek-V3, arXiv 2412.19437, section 3.2.1): two copies of every stage. Half of the micro-batches enter
// at either end, and forwards of one direction overlap with backwards of the other. Weights are stored twice.
#include <algorithm>

#include "core/schedule/builders.hpp"
#include "core/schedule/dualpipe_steps.hpp"

namespace pipedeck::schedule {

Result<Schedule> dualpipe(const Plan& plan) {
  const int stages = static_cast<int>(plan.stages.size()), half = plan.micro_batches / 2;
  if (Result<void> placed = check_both_directions(plan, 2 * stages); !placed) return tl::unexpected(placed.error());
  std::vector<std::vector<Operation>> lists;
  const std::vector<StageCopy> chunks = stage_copies(plan);
  for (const PipelineRank& rank : pipeline_ranks(plan)) {
    // The first chunk is stage `place` for copy 0 and stage S - 1 - place for copy 1.
    int place = chunks[rank.chunks.front()].stage.value;
    if (chunks[rank.chunks.front()].copy == 1) place = stages - 1 - place;
    const DirectedStage down{StageId(std::int32_t{place}), 0}, up{StageId(std::int32_t{stages - 1 - place}), half};
    const int position = std::min(place, stages - 1 - place);
    lists.push_back(place < stages / 2 ? dualpipe_steps(position, stages / 2, half, down, up)
                                       : dualpipe_steps(position, stages / 2, half, up, down));
  }
  return Schedule{plan.micro_batches, true, lanes_of_ranks(plan, std::move(lists)), 2};
}

}  // namespace pipedeck::schedule
