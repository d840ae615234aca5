// SPDX-License-Identifier: Apache-2.0
// Manual edits of plans. Each edit is a value. Applying it gives another plan that is valid for the same profile and
// cluster, or bad_input with the reason. An edit never changes other parts of the plan to become possible.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::plan {

/// An edit: stage `stage` (above 0) begins at position `layer` of the plan's order. Layers keep their recompute flag. A
/// layer that moves into a stage that recomputes all is recomputed there.
struct MoveBoundary {
  int stage = 1;
  int layer = 0;
  bool operator==(const MoveBoundary&) const = default;
};

/// An edit that moves devices to `stage`, or out of the plan. They must all be in one stage, or all unused. Shares of
/// samples become even if the number of replicas changes.
struct MoveDevices {
  std::vector<DeviceId> devices;
  std::optional<int> stage;  ///< absent: out of the plan
  std::optional<int> place;  ///< new position of the first one in the stage's list; absent: at the end
  bool operator==(const MoveDevices&) const = default;
};

/// An edit that exchanges two devices; one of them may be unused.
struct SwapDevices {
  DeviceId one, other;
  bool operator==(const SwapDevices&) const = default;
};

/// An edit that makes the layers of `stage` from `layer` on a new stage. The new stage takes over replicas in
/// proportion to the time of its layers; if there is only one, it gets unused devices.
struct SplitStage {
  int stage = 0;
  int layer = 1;
  bool operator==(const SplitStage&) const = default;
};

/// An edit that merges `stage` and the next one, on the devices of both. Devices become unused if a micro-batch has too
/// few samples for them.
struct MergeStages {
  int stage = 0;
  bool operator==(const MergeStages&) const = default;
};

/// An edit of the number of replicas. Fewer: the stage's last devices become unused. More: unused devices are added,
/// those of the stage's own nodes and types first.
struct SetReplicas {
  int stage = 0;
  int replicas = 1;
  bool operator==(const SetReplicas&) const = default;
};

/// An edit of the tensor-parallel degree. Uses the stage's own devices if they suffice, otherwise unused ones as well.
struct SetTensorParallel {
  int stage = 0;
  int degree = 1;
  bool operator==(const SetTensorParallel&) const = default;
};

/// An edit of the samples of a micro-batch per replica; empty: as even as possible.
struct SetReplicaSamples {
  int stage = 0;
  std::vector<int> samples;
  bool operator==(const SetReplicaSamples&) const = default;
};

struct SetStageRecompute {
  int stage = 0;
  Recompute recompute;  ///< a list of all the stage's layers becomes `all`
  bool operator==(const SetStageRecompute&) const = default;
};

/// An edit of one position of the plan's order.
struct SetLayerRecompute {
  int layer = 0;
  bool on = true;
  bool operator==(const SetLayerRecompute&) const = default;
};

/// An edit of the samples of a whole micro-batch, which must divide the global batch. Shares are scaled if they stay
/// whole numbers; otherwise they become even.
struct SetMicroBatch {
  int samples = 1;
  bool operator==(const SetMicroBatch&) const = default;
};

using PlanEdit =
    std::variant<MoveBoundary, MoveDevices, SwapDevices, SplitStage, MergeStages, SetReplicas, SetTensorParallel,
                 SetReplicaSamples, SetStageRecompute, SetLayerRecompute, SetMicroBatch>;

/// Returns the edited plan. Removes the planner's prediction, objective and certificate, which no longer hold. Updates
/// a name that contains the plan's shape. Properties of devices change together in all stages on the same devices.
Result<Plan> with_edit(const Plan& plan, const Profile& profile, const Cluster& cluster, const PlanEdit& edit);

/// Returns the devices of the cluster that no stage uses, ascending.
std::vector<DeviceId> unused_devices(const Plan& plan, const Cluster& cluster);

/// Returns the degrees for which every layer on the stage's devices has times, ascending; always includes 1.
std::vector<int> tensor_parallel_degrees(const Plan& plan, const Profile& profile, int stage);

/// Returns the divisors of the global batch, ascending.
std::vector<int> micro_batch_sizes(const Plan& plan);
/// Returns the samples of a micro-batch on each replica, as engines count them; none if replicas differ.
std::optional<int> samples_per_replica(const Plan& plan);

/// Returns the stages on the same devices as `stage`, including itself, ascending: the chunks of one rank.
std::vector<int> stages_on_devices_of(const Plan& plan, int stage);

}  // namespace pipedeck::plan
