// SPDX-License-Identifier: Apache-2.0
// ZB-H1 and ZB-H2 (Qi et al., "Zero Bubble Pipeline Parallelism", arXiv 2401.10241, section 3): 1F1B with separate
// weight gradients. They are delayed by the number of micro-batches that the device may have in flight beyond its
// warm-up. So every device has the same number in flight, and weight gradients fill the drain. H1 has P micro-batches
// in flight, as many as 1F1B's first stage, and the warm-up of 1F1B. H2 has 2P - 1, and its warm-up is long enough that
// no device waits at the start either. With less memory, the warm-up shrinks as in 1F1B, and the delay is limited by
// the rest.
#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {
namespace {

/// Returns one stage's list: `warmup` forwards, then alternating an input gradient, the weight gradient from `delay`
/// micro-batches earlier, and a forward.
std::vector<Operation> list_of(StageId stage, int micro_batches, int warmup, int delay) {
  std::vector<Operation> list;
  list.reserve(static_cast<std::size_t>(3 * micro_batches));
  const auto add = [&](OpKind kind, int micro_batch) { list.push_back({kind, stage, micro_batch}); };
  for (int m = 0; m < warmup; ++m) add(OpKind::forward, m);
  for (int m = 0; m < micro_batches; ++m) {
    add(OpKind::backward_input, m);
    if (m >= delay) add(OpKind::backward_weight, m - delay);
    if (m + warmup < micro_batches) add(OpKind::forward, m + warmup);
  }
  for (int m = std::max(0, micro_batches - delay); m < micro_batches; ++m) add(OpKind::backward_weight, m);
  return list;
}

}  // namespace

Schedule zero_bubble(const Plan& plan, std::span<const StageEstimates> figures) {
  const bool long_warmup = plan.schedule == ScheduleKind::zb_h2;
  const int stages = static_cast<int>(plan.stages.size()), micro_batches = plan.micro_batches;
  const int kept = long_warmup ? 2 * stages - 1 : stages;
  std::vector<std::vector<Operation>> lists;
  for (int i = 0, before = micro_batches; i < stages; ++i) {
    const int fitting = figures[static_cast<std::size_t>(i)].max_in_flight;
    const int behind = long_warmup ? 2 * (stages - i) - 1 : stages - i;
    const int wanted =
        plan.warmup_counts ? (*plan.warmup_counts)[static_cast<std::size_t>(i)] : std::min(behind, before);
    const int warmup = std::min(wanted, micro_batches);
    lists.push_back(list_of(StageId(std::int32_t{i}), micro_batches, warmup,
                            std::max(0, std::min(kept, std::max(fitting, warmup)) - warmup)));
    before = warmup;
  }
  return {micro_batches, true, lanes_of_ranks(plan, std::move(lists))};
}

}  // namespace pipedeck::schedule
