// SPDX-License-Identifier: Apache-2.0
#include "core/model/schedule.hpp"

#include <algorithm>

namespace pipedeck {
namespace {

/// Returns operation `index` of K forwards, then alternating backward and forward, then the remaining backwards.
Operation alternating_at(const AlternatingOrder& order, int index) {
  const auto operation = [&](OpKind kind, int nth) {
    return Operation{kind, order.stage, order.first + nth * order.stride};
  };
  const int warmup = std::min(order.warmup, order.count);
  if (index < warmup) return operation(OpKind::forward, index);

  const int step = order.recompute ? 3 : 2;  // [recompute,] backward, forward
  const int steady = (order.count - warmup) * step;
  const int behind = index - warmup;
  if (behind < steady) {
    const int round = behind / step, part = behind % step;
    if (part == step - 1) return operation(OpKind::forward, warmup + round);
    return operation(part == step - 2 ? OpKind::backward : OpKind::recompute, round);
  }
  const int drain_step = step - 1;
  const int left = behind - steady;
  const int nth = order.count - warmup + left / drain_step;
  return operation(left % drain_step == drain_step - 1 ? OpKind::backward : OpKind::recompute, nth);
}

}  // namespace

int operation_count(const LaneOrder& order) {
  if (const auto* list = std::get_if<ExplicitOrder>(&order)) return static_cast<int>(list->operations.size());
  const auto& alternating = std::get<AlternatingOrder>(order);
  return alternating.count * (alternating.recompute ? 3 : 2);
}

Operation operation_at(const LaneOrder& order, int index) {
  if (const auto* list = std::get_if<ExplicitOrder>(&order)) return list->operations[static_cast<std::size_t>(index)];
  return alternating_at(std::get<AlternatingOrder>(order), index);
}

}  // namespace pipedeck
