// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/lane_check.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace pipedeck::runtime::exec {
namespace {

tl::unexpected<Error> bad(std::string message) { return fail(ErrorCode::bad_input, std::move(message), "/operations"); }

/// Progress of a micro-batch on a chunk.
enum class LanePoint { nothing, forward, recomputed, input_done, done };

/// A checker that follows one chunk's micro-batches along the list.
class ChunkCheck {
 public:
  ChunkCheck(const LaneOrder& order, const LocalStage& chunk, int micro_batches)
      : before_backward_(has_recompute(order, chunk.stage) ? LanePoint::recomputed : LanePoint::forward),
        points_(static_cast<std::size_t>(micro_batches), LanePoint::nothing) {}

  bool step(Operation operation) {
    LanePoint& now = points_[static_cast<std::size_t>(operation.micro_batch)];
    const auto move = [&](LanePoint from, LanePoint to) { return now == from ? (now = to, true) : false; };
    switch (operation.kind) {
      case OpKind::forward:
        return move(LanePoint::nothing, LanePoint::forward);
      case OpKind::recompute:
        return move(LanePoint::forward, LanePoint::recomputed);
      case OpKind::backward:
        return move(before_backward_, LanePoint::done);
      case OpKind::backward_input:
        return move(before_backward_, LanePoint::input_done);
      case OpKind::backward_weight:
        return move(LanePoint::input_done, LanePoint::done);
      default:
        return false;
    }
  }

  bool done(int micro_batch) const { return points_[static_cast<std::size_t>(micro_batch)] == LanePoint::done; }

 private:
  LanePoint before_backward_;
  std::vector<LanePoint> points_;
};

}  // namespace

bool has_recompute(const LaneOrder& order, StageId stage) {
  if (const auto* closed = std::get_if<AlternatingOrder>(&order)) return closed->recompute && closed->stage == stage;
  const auto& operations = std::get<ExplicitOrder>(order).operations;
  return std::any_of(operations.begin(), operations.end(), [&](const Operation& operation) {
    return operation.kind == OpKind::recompute && operation.stage == stage;
  });
}

Result<void> check_lane(const DeviceAssignment& placement, const Layout& layout) {
  std::map<const LocalStage*, ChunkCheck> checks;
  for (const LocalStage& chunk : placement.chunks)
    checks.try_emplace(&chunk, placement.order, chunk, layout.micro_batches);
  const int count = operation_count(placement.order);
  for (int i = 0; i < count; ++i) {
    const Operation operation = operation_at(placement.order, i);
    const bool known = operation.micro_batch >= 0 && operation.micro_batch < layout.micro_batches;
    const LocalStage* chunk = known ? placement.chunk(operation.stage, layout.copy_of(operation.micro_batch)) : nullptr;
    if (chunk == nullptr || !checks.at(chunk).step(operation) || (operation.overlapped_with_next && i + 1 == count))
      return bad(fmt::format("device {}: {} of micro-batch {} on stage {} can't come at position {}",
                             placement.device.value, name_of(operation.kind), operation.micro_batch,
                             operation.stage.value, i));
  }
  for (const auto& [chunk, check] : checks)
    for (int m = 0; m < layout.micro_batches; ++m)
      if (layout.copy_of(m) == chunk->copy && !check.done(m))
        return bad(fmt::format("device {} does not run forward and backward of every micro-batch on stage {}",
                               placement.device.value, chunk->stage.value));
  return {};
}

Result<void> check_turns(const DeviceAssignment& placement, const Layout& layout) {
  const LocalStage& chunk = placement.chunks.front();
  const Staleness& staleness = *layout.staleness;
  const auto replicas = staleness.replicas[chunk.stage.index()];
  const auto* order = std::get_if<AlternatingOrder>(&placement.order);
  if (order == nullptr || order->stage != chunk.stage || order->first != chunk.replica || order->stride != replicas ||
      order->warmup != staleness.warmups[chunk.stage.index()])
    return bad(fmt::format("device {}: an asynchronous device runs the turns of its replica forward and back, in turn",
                           placement.device.value));
  if (staleness.kind == Staleness::Kind::double_buffered &&
      (layout.micro_batches % replicas != 0 || order->warmup * replicas > layout.micro_batches))
    return fail(ErrorCode::bad_input,
                fmt::format("{} micro-batches a batch: with two versions of the weights no fewer than the {} under "
                            "way, and a multiple of the {} replicas of stage {}",
                            layout.micro_batches, order->warmup * replicas, replicas, chunk.stage.value),
                "/micro_batches");
  return {};
}

}  // namespace pipedeck::runtime::exec
