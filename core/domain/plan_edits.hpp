// SPDX-License-Identifier: Apache-2.0
// Plans changed by hand, one change at a time: each edit is a value, and gives another plan that is valid for the same
// profile and cluster, or bad_input with the reason in words. Nothing is bent to make an edit possible.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// Stage `stage` (above 0) begins at position `layer` of the plan's order. Layers keep their own mark of recompute; one
/// that comes into a stage that recomputes all is recomputed there.
struct CutMove {
  int stage = 1;
  int layer = 0;
  bool operator==(const CutMove&) const = default;
};

/// These devices, which are all in one stage or all unused, go to `stage`, or out of the plan. Shares of samples become
/// even where the number of replicas changes.
struct DevicesMove {
  std::vector<DeviceId> devices;
  std::optional<int> stage;  ///< absent: they are used by no stage any more
  std::optional<int> place;  ///< where the first of them is then in the stage's list; absent: at its end
  bool operator==(const DevicesMove&) const = default;
};

/// Each takes the other's place; one of them may be unused.
struct DeviceSwap {
  DeviceId one, other;
  bool operator==(const DeviceSwap&) const = default;
};

/// The layers of `stage` from `layer` on become a stage of their own. It takes over replicas in proportion to the time
/// of its layers; where there is one only, unused devices.
struct StageSplit {
  int stage = 0;
  int layer = 1;
  bool operator==(const StageSplit&) const = default;
};

/// `stage` and the next become one, on the devices of both; what a micro-batch has no samples for becomes unused.
struct StageMerge {
  int stage = 0;
  bool operator==(const StageMerge&) const = default;
};

/// With fewer, the stage's last devices become unused; with more, unused ones are taken: of the stage's own nodes and
/// types first.
struct ReplicaCount {
  int stage = 0;
  int replicas = 1;
  bool operator==(const ReplicaCount&) const = default;
};

/// Over the devices that the stage has where these can be taken so, else over unused ones as well.
struct TensorParallelDegree {
  int stage = 0;
  int degree = 1;
  bool operator==(const TensorParallelDegree&) const = default;
};

/// Samples of a micro-batch for each replica; empty: as even as can be.
struct ReplicaShares {
  int stage = 0;
  std::vector<int> samples;
  bool operator==(const ReplicaShares&) const = default;
};

struct StageRecompute {
  int stage = 0;
  Recompute recompute;  ///< all layers of the stage by name become `all`
  bool operator==(const StageRecompute&) const = default;
};

/// One position of the plan's order.
struct LayerRecompute {
  int layer = 0;
  bool on = true;
  bool operator==(const LayerRecompute&) const = default;
};

/// Samples of a whole micro-batch; a divisor of the global batch. Shares grow with it where they stay whole, else they
/// become even.
struct MicroBatchSize {
  int samples = 1;
  bool operator==(const MicroBatchSize&) const = default;
};

using PlanEdit = std::variant<CutMove, DevicesMove, DeviceSwap, StageSplit, StageMerge, ReplicaCount,
                              TensorParallelDegree, ReplicaShares, StageRecompute, LayerRecompute, MicroBatchSize>;

/// What a planner predicted, minimised or proved of the plan goes, since it is true of it no more; a name that tells
/// the plan's shape tells the new one. Stages on the same devices change together what belongs to the devices.
Result<Plan> with_edit(const Plan& plan, const Profile& profile, const Cluster& cluster, const PlanEdit& edit);

/// Devices of the cluster that no stage uses, ascending.
std::vector<DeviceId> spare_devices(const Plan& plan, const Cluster& cluster);

/// Degrees that every layer on the stage's devices has times for, ascending; 1 is always among them.
std::vector<int> tensor_parallel_degrees(const Plan& plan, const Profile& profile, int stage);

/// Divisors of the global batch, ascending.
std::vector<int> micro_batch_sizes(const Plan& plan);

/// Stages on the same devices as `stage`, itself among them, ascending: chunks of one rank.
std::vector<int> stages_on_devices_of(const Plan& plan, int stage);

}  // namespace pipedeck
