// SPDX-License-Identifier: Apache-2.0
// What a measured run says of single operations, under names by which a simulated one is found again.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <vector>

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/run.hpp"

namespace pipedeck {

/// One operation of a step. Passes: on `from`. Transfers: which way is told by `gradient`. All-reduces of a stage on a
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
struct Observation {
  OperationKey key;
  Nanoseconds duration;
  /// Passes: from the end of the device's operation before, where all that the pass needs was there by then: what the
  /// device spent beside passes. Absent: the device waited.
  std::optional<Nanoseconds> gap;
  bool beside_communication = false;  ///< passes
  bool operator==(const Observation&) const = default;
};

struct RunObservations {
  std::vector<Observation> operations;  ///< of all steps, the first left out
  int steps = 0;
  Seconds step;  ///< median duration
  Bytes peak;    ///< of the fullest device
};

/// bad_input where the events are of another plan, of a run that failed, or without measured operations.
Result<RunObservations> observe(const Plan& plan, const std::vector<RunEvent>& events);

}  // namespace pipedeck
