// SPDX-License-Identifier: Apache-2.0
// A measured run's values of single operations, under names that identify the same operation in a simulated one.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/run.hpp"

namespace pipedeck::sim::calibrate {

/// One operation of a step. Passes: on `from`. Transfers: `gradient` is the direction. All-reduces of a stage on a
/// device: the `nth` of them.
struct OperationKey {
  OpKind kind = OpKind::forward;
  int stage = 0, micro_batch = 0;
  DeviceId from, to;
  bool gradient = false;
  int nth = 0;
  auto operator<=>(const OperationKey&) const = default;

  bool is_pass() const { return kind != OpKind::send && kind != OpKind::all_reduce && kind != OpKind::optimizer; }
  bool is_communication() const { return kind == OpKind::send || kind == OpKind::all_reduce; }
};

using Operations = std::map<OperationKey, TimelineRow>;
Operations operations_of(const Timeline& timeline);

/// An operation as it was measured in one step.
struct OperationMeasurement {
  OperationKey key;
  Nanoseconds duration;
  /// Passes: the time since the device's previous operation, if all inputs of the pass were there by then. It is the
  /// device's overhead. Absent: the device waited.
  std::optional<Nanoseconds> gap;
  bool beside_communication = false;  ///< passes
  bool operator==(const OperationMeasurement&) const = default;
};

struct RunObservations {
  std::vector<OperationMeasurement> operations;  ///< of all steps, the first left out
  int steps = 0;
  Seconds step;  ///< median duration
  Bytes peak;    ///< of the fullest device
};

/// bad_input where the events are of another plan, of a run that failed, or without measured operations.
Result<RunObservations> collect_measurements(const Plan& plan, const std::vector<RunEvent>& events);

}  // namespace pipedeck::sim::calibrate
