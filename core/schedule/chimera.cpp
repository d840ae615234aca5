// SPDX-License-Identifier: Apache-2.0
// Chimera (Li and Hoefler, SC 2021, arXiv 2107.06925): two merged 1F1B pipelines in opposite directions. Assume that
// forward and backward take one slot each. Then micro-batch m of a direction is forward on its stage s in slot s + 2m
// and backward in slot 2S - 1 - s + 2m. The slots of the two directions never collide on a device, since S is even.
// Such a basic unit has S / 2 micro-batches per direction. Further units are concatenated directly, each 2S slots after
// the previous one: forwards of the next unit fill the bubbles at the end of this one.
#include <algorithm>

#include "core/schedule/both_directions.hpp"
#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {
namespace {

struct Slot {
  int time = 0;
  Operation operation;
};

void add_direction(std::vector<Slot>& slots, int stages, DirectedStage chunk, int count) {
  const int s = chunk.stage.value, each = stages / 2;  // micro-batches per direction in a unit
  for (int m = 0; m < count; ++m) {
    const int start = m / each * 2 * stages + m % each * 2;
    slots.push_back({start + s, {OpKind::forward, chunk.stage, chunk.first + m}});
    slots.push_back({start + 2 * stages - 1 - s, {OpKind::backward, chunk.stage, chunk.first + m}});
  }
}

}  // namespace

Result<Schedule> chimera(const Plan& plan) {
  if (Result<void> placed = check_both_directions(plan, 2); !placed) return tl::unexpected(placed.error());
  const int stages = static_cast<int>(plan.stages.size()), half = plan.micro_batches / 2;
  const std::vector<StageCopy> chunks = stage_copies(plan);
  std::vector<std::vector<Operation>> lists;
  for (const PipelineRank& rank : pipeline_ranks(plan)) {
    std::vector<Slot> slots;
    for (const std::size_t c : rank.chunks)
      add_direction(slots, stages, {chunks[c].stage, chunks[c].copy * half}, half);
    std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.time < b.time; });
    std::vector<Operation>& list = lists.emplace_back();
    for (const Slot& slot : slots) list.push_back(slot.operation);
  }
  return Schedule{plan.micro_batches, true, lanes_of_ranks(plan, std::move(lists)), 2};
}

}  // namespace pipedeck::schedule
