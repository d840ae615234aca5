// SPDX-License-Identifier: Apache-2.0
// V-Half and V-Min (Qi et al., "Pipeline Parallelism with Controllable Memory", arXiv 2405.15362, section 4): two
// chunks per device in a V. A building block, the operations of one micro-batch on all devices, is repeated every six
// units. A device's saved bytes are determined by the lifetime of its activations, and so by the block's steps from
// device to device. One unit in both directions everywhere (V-Min) saves a third of the bytes of 1F1B's first stage;
// one and two units (V-Half) save half. The order is that of the repeated block. Running every operation as early as
// possible removes its waits at the start and the end. V-Min waits in every micro-batch if the three passes have
// different times.
#include <array>

#include "core/schedule/both_directions.hpp"
#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {
namespace {

constexpr int period = 6;  // units: three passes of two chunks

/// A block's start times of micro-batch 0's operations on one device, in units.
struct Block {
  int forward_down = 0, forward_up = 0, input_up = 0, input_down = 0, weight_up = 0, weight_down = 0;
};

/// Returns the first unit after `time` whose position in the period is `place`.
int next_at(int time, int place) { return time + 1 + ((place - time - 1) % period + period) % period; }

/// Assigns the two free positions of the period to the weight gradients, so that the sum of their times is minimal.
void place_weights(Block& block) {
  std::array<bool, period> taken{};
  for (const int time : {block.forward_down, block.forward_up, block.input_up, block.input_down})
    taken[static_cast<std::size_t>(time % period)] = true;
  std::vector<int> left;
  for (int place = 0; place < period; ++place)
    if (!taken[static_cast<std::size_t>(place)]) left.push_back(place);
  block.weight_down = next_at(block.input_down, left[0]);
  block.weight_up = next_at(block.input_up, left[1]);
  const int down = next_at(block.input_down, left[1]), up = next_at(block.input_up, left[0]);
  if (down + up < block.weight_down + block.weight_up) block.weight_down = down, block.weight_up = up;
}

/// A schedule's steps from device to device: of the forward down and up the V, and of the gradient on the same paths
/// back. Also the waits at the two turns, so that no device has two operations at the same time.
struct MemorySteps {
  int forward_down, forward_up, input_up, input_down;
  int wait_at_top, wait_at_bottom;
};

MemorySteps steps_of(ScheduleKind kind, int ranks) {
  if (kind == ScheduleKind::v_min) return {1, 1, 1, 1, ranks % 3 == 0 ? 2 : 0, 0};
  return {2, 1, 2, 1, 0, ranks % 2 == 0 ? 4 : 1};
}

Block block_of(const MemorySteps& steps, int ranks, int rank) {
  const int last = ranks - 1, left = last - rank;
  Block block;
  block.forward_down = rank * steps.forward_down;
  const int bottom = last * steps.forward_down + 1;
  block.forward_up = bottom + left * steps.forward_up;
  const int top = bottom + last * steps.forward_up + 1 + steps.wait_at_top;
  block.input_up = top + rank * steps.input_up;
  block.input_down = top + last * steps.input_up + 1 + steps.wait_at_bottom + left * steps.input_down;
  place_weights(block);
  return block;
}

std::vector<Operation> list_of(const Block& block, int ranks, int rank, int micro_batches) {
  const StageId down(std::int32_t{rank}), up(std::int32_t{2 * ranks - 1 - rank});
  struct Timed {
    int time;
    Operation operation;
  };
  std::vector<Timed> all;
  all.reserve(static_cast<std::size_t>(period * micro_batches));
  for (int m = 0; m < micro_batches; ++m)
    for (const Timed& one :
         {Timed{block.forward_down, {OpKind::forward, down}}, Timed{block.forward_up, {OpKind::forward, up}},
          Timed{block.input_up, {OpKind::backward_input, up}}, Timed{block.input_down, {OpKind::backward_input, down}},
          Timed{block.weight_up, {OpKind::backward_weight, up}},
          Timed{block.weight_down, {OpKind::backward_weight, down}}})
      all.push_back({one.time + period * m, {one.operation.kind, one.operation.stage, m}});
  // All times differ.
  std::sort(all.begin(), all.end(), [](const Timed& a, const Timed& b) { return a.time < b.time; });
  std::vector<Operation> list;
  list.reserve(all.size());
  for (const Timed& one : all) list.push_back(one.operation);
  return list;
}

}  // namespace

Result<Schedule> controllable_memory(const Plan& plan) {
  if (Result<void> placed = check_v_shape(plan, 1); !placed) return tl::unexpected(placed.error());
  const int ranks = static_cast<int>(plan.stages.size()) / 2;
  const MemorySteps steps = steps_of(plan.schedule, ranks);
  std::vector<std::vector<Operation>> lists;
  for (int rank = 0; rank < ranks; ++rank)
    lists.push_back(list_of(block_of(steps, ranks, rank), ranks, rank, plan.micro_batches));
  return Schedule{plan.micro_batches, true, lanes_of_ranks(plan, std::move(lists))};
}

}  // namespace pipedeck::schedule
