// SPDX-License-Identifier: Apache-2.0
// The order of compute operations on every device, interpreted by both the simulator and the runtime. The plan implies
// transfers, all-reduces and the optimizer step. A forward's output is sent when it ends, a stage's gradients are
// reduced after its last backward, and the optimizer ends the lane.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/ids.hpp"

namespace pipedeck {

enum class OpKind : std::uint8_t {
  forward,
  backward,
  backward_input,
  backward_weight,
  recompute,
  send,
  receive,
  all_reduce,
  optimizer,
};
inline constexpr int op_kind_count = 9;

std::string_view name_of(OpKind kind);  // "backward_input", as in formats.md
std::optional<OpKind> parse_op_kind(std::string_view name);

struct Operation {
  OpKind kind = OpKind::forward;
  StageId stage;
  int micro_batch = 0;
  /// Forms an overlapped pair with the next operation of the list (DualPipe's forward and backward). The pair starts
  /// when both can start, runs in sequence, and delivers both results at the end of the second.
  bool overlapped_with_next = false;
  bool operator==(const Operation&) const = default;
};

/// A closed form of GPipe, 1F1B and PipeDream: `warmup` forwards, then alternating backward and forward, then the
/// remaining backwards. GPipe is warmup = count. The `count` micro-batches are first, first + stride, ...: stride 1 in
/// synchronous schedules, the stage's replicas in PipeDream's round-robin.
struct AlternatingOrder {
  StageId stage;
  int warmup = 1;
  int first = 0;
  int stride = 1;
  int count = 1;
  bool recompute = false;  ///< a recompute before every backward
  bool operator==(const AlternatingOrder&) const = default;
};

/// A stored list, for imported and searched schedules.
struct ExplicitOrder {
  std::vector<Operation> operations;
  bool operator==(const ExplicitOrder&) const = default;
};

using LaneOrder = std::variant<AlternatingOrder, ExplicitOrder>;

int operation_count(const LaneOrder& order);
/// Returns the operation at `index` in [0, operation_count), in constant time for closed forms.
Operation operation_at(const LaneOrder& order, int index);

struct DeviceLane {
  DeviceId device;
  LaneOrder order;
  bool operator==(const DeviceLane&) const = default;
};

/// A schedule: one lane for each device of the plan, in device order.
struct Schedule {
  int micro_batches = 1;    ///< of the whole simulated span; more than the plan's in the asynchronous steady state
  bool synchronous = true;  ///< false: weight versions, no flush (PipeDream)
  std::vector<DeviceLane> lanes;
  int copies = 1;  ///< of every stage; bidirectional schedules have two
  bool operator==(const Schedule&) const = default;

  /// Returns the copy of the stages that processes the micro-batch: the first micro-batches use the first copy, and so
  /// on.
  int copy_of(int micro_batch) const {
    return copies == 1 ? 0 : static_cast<int>(static_cast<std::int64_t>(micro_batch) * copies / micro_batches);
  }
};

}  // namespace pipedeck
