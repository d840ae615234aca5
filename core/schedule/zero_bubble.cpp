// SPDX-License-Identifier: Apache-2.0
// ZB-H1 and ZB-H2 (Qi et al., "Zero Bubble Pipeline Parallelism", arXiv 2401.10241, section 3): 1F1B with the weight
// gradients set apart. They are put off by as many micro-batches as the device may keep beyond its warm-up, so that
// every device keeps the same number, and fill the drain. H1 keeps P micro-batches, as many as 1F1B's first stage, and
// warms up as 1F1B does; H2 keeps 2P - 1 and warms up long enough that no device waits at the start either. Where
// memory has less room, the warm-up shrinks as 1F1B's does, and the delay with what is left.
#include "core/schedule/closed_forms.hpp"

namespace pipedeck {
namespace {

/// One stage's list: `warmup` forwards, then an input gradient, the weight gradient `delay` micro-batches behind it,
/// and a forward in turn.
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

Schedule zero_bubble(const Plan& plan, std::span<const StageFigures> figures) {
  const bool long_warmup = plan.schedule == ScheduleKind::zb_h2;
  const int stages = static_cast<int>(plan.stages.size()), micro_batches = plan.micro_batches;
  const int kept = long_warmup ? 2 * stages - 1 : stages;
  std::vector<std::vector<Operation>> lists;
  for (int i = 0, before = micro_batches; i < stages; ++i) {
    const int fitting = figures[static_cast<std::size_t>(i)].fitting;
    const int behind = long_warmup ? 2 * (stages - i) - 1 : stages - i;
    const int wanted =
        plan.warmup_counts ? (*plan.warmup_counts)[static_cast<std::size_t>(i)] : std::min({behind, fitting, before});
    const int warmup = std::min(wanted, micro_batches);
    lists.push_back(
        list_of(StageId(std::int32_t{i}), micro_batches, warmup, std::max(0, std::min(kept, fitting) - warmup)));
    before = warmup;
  }
  return {micro_batches, true, lanes_of_ranks(plan, std::move(lists))};
}

}  // namespace pipedeck
