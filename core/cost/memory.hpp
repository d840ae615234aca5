// SPDX-License-Identifier: Apache-2.0
// Memory per device by item (simulator.md, "Memory of a device over time").
#pragma once

#include <span>
#include <vector>

#include "core/base/result.hpp"
#include "core/cost/network.hpp"
#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"
#include "core/model/workload.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::cost {

/// A set of factors: the bytes needed per byte of parameters, by the active conventions.
struct StateFactors {
  double weights = 1, gradients = 1, optimizer = 2;  ///< multiples of parameter_bytes
  int zero = 0;
};
StateFactors state_factors(Optimizer optimizer, Precision precision, int zero);

/// Returns the persistent memory of a device for `parameters` bytes of weights, with ZeRO sharding over `replicas`:
/// weights, gradients, optimizer, stashed weights ((versions - 1) x weights).
MemoryBreakdown state_memory(Bytes parameters, int replicas, Optimizer optimizer, Precision precision, int zero,
                             int weight_versions = 1);

/// Returns the memory of frozen weights next to adapters: `parameters` bytes of a model's weights, in their format.
Bytes frozen_memory(Bytes parameters, Precision precision, const Adapters& adapters);

/// Returns the bytes that a device holds of copies of these weights between passes. Gathered weights (ZeRO 3) and
/// several versions have none.
Bytes held_copies(const plan::Weights& weights, int zero, int weight_versions);

/// Returns the micro-batches in flight at stage `stage` of an asynchronous plan: K_s = ceil(sum_{t>=s} r_t / r_s).
/// Without vertical sync, this is also the number of weight versions.
int pipedream_versions(const Plan& plan, StageId stage);
/// Returns the maximum number of mini-batches of one replica here for which the previous stage is between forward and
/// backward. Here there are `replicas`; each of the previous stage's `before` replicas has `kept` mini-batches in
/// flight. These are every `before`-th in sequence, and every (replicas / gcd)-th of them comes here.
int pipedream_in_flight(int before, int kept, int replicas);

/// Returns the bytes moved by the optimizer step over the device's memory bandwidth; 0 if that is unknown
/// (simulator.md).
Seconds optimizer_time(Bytes parameters, Optimizer optimizer, Precision precision, const DeviceType& type);

/// Returns true if the stage recomputes the forward of the layer at `position` of the order before its backward.
bool is_recomputed(const Stage& stage, int position);

/// Returns the tensor-parallel degree whose bytes apply to the layer at `position` of the order, if the profile doesn't
/// list its shardings (stage_sharding). 1 if it counts as replicated. A profile measures a layer after the previous
/// one, whose output may be column-sharded. A stage receives a replicated tensor unless the previous stage has the same
/// sharding. So its first layer may be sharded differently than when measured.
int measured_degree(const Plan& plan, const Profile& profile, std::span<const LayerId> order, StageId stage,
                    int position);

/// A stage's saved bytes per profile micro-batch from forward to backward: `before` the recompute, `full` from then on,
/// and `all` layers at once. Without recompute, they are equal.
struct SavedBytes {
  Bytes before, full, all;
  bool operator==(const SavedBytes&) const = default;
};
/// `cuts`: boundary_bytes of the same order. Recompute starts from the kept input of each segment
/// (plan::recomputed_segments). By block, one segment at a time is whole from the recompute to the end of the backward;
/// by stage, all of them are.
SavedBytes stage_saved_bytes(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                             std::span<const Bytes> cuts, StageId stage);

/// Returns the number of communicators of a device of the stage: with each neighbour in the pipeline, with the other
/// replicas, and with the devices of its own replica.
int communicators(const Plan& plan, StageId stage);

/// Returns the persistent items of the device of rank `rank` of a stage with these weights. Without `shards`, all ranks
/// are equal.
MemoryBreakdown persistent_memory(const Plan& plan, const plan::Weights& weights, StageId stage,
                                  const SimulationOptions& conventions, int rank);
/// Returns the persistent items of each rank, or one entry if all ranks are equal.
std::vector<MemoryBreakdown> persistent_memory(const Plan& plan, const plan::Weights& weights, StageId stage,
                                               const SimulationOptions& conventions);

/// Returns D of the warm-up policies for each stage: floor((capacity - static items) / saved bytes of a micro-batch),
/// the minimum over the stage's devices, at least 1. With recompute, the bytes restored for one micro-batch are
/// subtracted from the capacity, too.
std::vector<int> max_in_flight_micro_batches(const Plan& plan, const Profile& profile, const Network& network,
                                             const SimulationOptions& conventions);
/// Returns D of one stage from the bytes saved per profile micro-batch and the result of persistent_memory() for its
/// ranks.
int max_in_flight_micro_batches(const Plan& plan, const Profile& profile, const Network& network,
                                const SavedBytes& kept, std::span<const MemoryBreakdown> held, StageId stage);

}  // namespace pipedeck::cost
