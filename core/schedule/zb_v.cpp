// SPDX-License-Identifier: Apache-2.0
// ZB-V (Qi et al., "Pipeline Parallelism with Controllable Memory", arXiv 2405.15362, and "Zero Bubble Pipeline
// Parallelism", section 6): two chunks per device in a V. The first device has the model's first and last layers, so
// the first backward arrives there early. If a chunk's forward, input gradient and weight gradient take the same time,
// no device waits between its first and its last operation. Then as many micro-batches are in flight as on 1F1B's first
// stage. The order is that of this even case, for at least 2P - 1 micro-batches; with fewer, the others are omitted.
#include "core/schedule/both_directions.hpp"
#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {
namespace {

/// A builder for the list of one rank.
class List {
 public:
  List(int ranks, int rank, int micro_batches)
      : micro_batches_(micro_batches), stages_{std::int32_t{rank}, std::int32_t{2 * ranks - 1 - rank}} {}

  /// Appends the next micro-batch of this kind on the chunk that goes down (0) or up (1).
  void add(OpKind kind, int chunk) {
    int& next = next_[kind == OpKind::forward ? 0 : kind == OpKind::backward_input ? 1 : 2][chunk];
    if (next < micro_batches_) list_.push_back({kind, StageId(stages_[chunk]), next});
    ++next;
  }
  void forward(int chunk) { add(OpKind::forward, chunk); }
  void input(int chunk) { add(OpKind::backward_input, chunk); }
  void weight(int chunk) { add(OpKind::backward_weight, chunk); }
  void backward(int chunk) { input(chunk), weight(chunk); }
  int forwards(int chunk) const { return next_[0][chunk]; }
  int inputs(int chunk) const { return next_[1][chunk]; }
  int weights(int chunk) const { return next_[2][chunk]; }
  std::vector<Operation> take() { return std::move(list_); }

 private:
  int micro_batches_;
  std::int32_t stages_[2];
  int next_[3][2] = {};
  std::vector<Operation> list_;
};

std::vector<Operation> list_of(int ranks, int rank, int micro_batches) {
  const int count = std::max(2 * ranks - 1, micro_batches);
  List list(ranks, rank, micro_batches);
  // Warm-up: until the first micro-batch is back up here, and further while the next ones follow in pairs.
  for (int k = 0; k < 2 * (ranks - rank) - 1; ++k) list.forward(0);
  for (int k = 0; k < rank; ++k) list.forward(1), list.forward(0);
  for (int k = 0; k < ranks - rank; ++k) list.forward(1), list.backward(1);
  // Alternates all operations; the forwards of the first chunk end first.
  while (list.forwards(1) < list.forwards(0) || list.forwards(0) < count) {
    if (list.forwards(0) < count) list.forward(0);
    list.backward(0);
    list.forward(1);
    list.backward(1);
  }
  // Drain: input gradients first, weight gradients fill bubbles.
  for (int k = 0; k < rank; ++k) list.input(0), list.input(1);
  for (int k = 0; k < ranks - rank; ++k) list.input(0), list.weight(0);
  while (list.weights(1) < list.inputs(1)) list.weight(1);
  while (list.weights(0) < list.inputs(0)) list.weight(0);
  return list.take();
}

}  // namespace

Result<Schedule> zb_v(const Plan& plan) {
  if (Result<void> placed = check_v_shape(plan, 1); !placed) return tl::unexpected(placed.error());
  const int ranks = static_cast<int>(plan.stages.size()) / 2;
  std::vector<std::vector<Operation>> lists;
  for (int rank = 0; rank < ranks; ++rank) lists.push_back(list_of(ranks, rank, plan.micro_batches));
  return Schedule{plan.micro_batches, true, lanes_of_ranks(plan, std::move(lists))};
}

}  // namespace pipedeck::schedule
