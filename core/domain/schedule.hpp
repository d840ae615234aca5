// SPDX-License-Identifier: Apache-2.0
// The order of compute operations on every device: the one value that both simulator and runtime interpret.
// Transfers, all-reduces and the optimizer step follow from the plan: a forward's output leaves when it ends, a stage's
// gradients are reduced after its last backward, the optimizer closes the lane.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "core/domain/ids.hpp"

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
std::optional<OpKind> op_kind_named(std::string_view name);

struct Operation {
  OpKind kind = OpKind::forward;
  StageId stage;
  int micro_batch = 0;
  /// One operation with the next in the list (DualPipe's overlapped forward and backward): both start when both can,
  /// one after the other, and both deliver at the end of the second.
  bool joined = false;
  bool operator==(const Operation&) const = default;
};

/// The closed form of GPipe, 1F1B and PipeDream alike: `warmup` forwards, then a backward and a forward in turn, then
/// the remaining backwards. GPipe is warmup = count. Micro-batches are first, first + stride, ... (`count` of them):
/// stride 1 in synchronous schedules, the stage's replicas in PipeDream's round-robin.
struct AlternatingOrder {
  StageId stage;
  int warmup = 1;
  int first = 0;
  int stride = 1;
  int count = 1;
  bool recompute = false;  ///< a recompute before every backward
  bool operator==(const AlternatingOrder&) const = default;
};

/// Imported and searched schedules: a stored list.
struct ExplicitOrder {
  std::vector<Operation> operations;
  bool operator==(const ExplicitOrder&) const = default;
};

using LaneOrder = std::variant<AlternatingOrder, ExplicitOrder>;

int operation_count(const LaneOrder& order);
/// The operation at `index` in [0, operation_count): computed in constant time for closed forms.
Operation operation_at(const LaneOrder& order, int index);

struct DeviceLane {
  DeviceId device;
  LaneOrder order;
  bool operator==(const DeviceLane&) const = default;
};

/// One lane for each device that the plan uses, in device order.
struct Schedule {
  int micro_batches = 1;    ///< of the whole simulated span; more than the plan's in asynchronous steady state
  bool synchronous = true;  ///< false: weight versions, no flush (PipeDream)
  std::vector<DeviceLane> lanes;
  int copies = 1;  ///< of every stage; bidirectional schedules have two
  bool operator==(const Schedule&) const = default;

  /// Which copy of the stages a micro-batch passes through: the first ones the first, and so on.
  int copy_of(int micro_batch) const {
    return copies == 1 ? 0 : static_cast<int>(static_cast<std::int64_t>(micro_batch) * copies / micro_batches);
  }
};

}  // namespace pipedeck
