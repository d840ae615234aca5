// SPDX-License-Identifier: Apache-2.0
// Memory of a device by item (simulator.md, "Memory of a device over time").
#pragma once

#include <span>
#include <vector>

#include "core/cost/network.hpp"
#include "core/domain/layer_bytes.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/simulation.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

/// Bytes a parameter byte needs: the convention in force, spelled out.
struct StateFactors {
  double weights = 1, gradients = 1, optimizer = 2;  ///< times parameter_bytes
  int zero = 0;
};
StateFactors state_factors(Optimizer optimizer, Precision precision, int zero);

/// What a device holds all the time for `parameters` bytes of weights cut over `replicas`: weights, gradients,
/// optimizer, stashed weights ((versions - 1) x weights).
MemoryParts state_memory(Bytes parameters, int replicas, Optimizer optimizer, Precision precision, int zero,
                         int weight_versions = 1);

/// Micro-batches that stage `stage` of an asynchronous plan keeps, and without vertical sync so many weight versions:
/// K_s = ceil(sum_{t>=s} r_t / r_s).
int pipedream_versions(const Plan& plan, StageId stage);
/// Most mini-batches of one replica here, of `replicas`, that the stage before is between forward and backward of,
/// where each of its `before` replicas keeps `kept` of them: every `before`-th mini-batch in a row, of which every
/// (replicas / gcd)-th comes here.
int pipedream_outstanding(int before, int kept, int replicas);

/// Bytes of the optimizer step over the device's memory bandwidth; 0 where that is unknown (simulator.md).
Seconds optimizer_time(Bytes parameters, Optimizer optimizer, Precision precision, const DeviceType& type);

/// Whether the stage runs the forward of the layer at `position` of the order again before its backward.
bool is_recomputed(const Stage& stage, int position);

/// Where the profile doesn't tell the ways of cutting a layer (stage_ways), the degree of tensor parallelism whose
/// bytes are those of the layer at `position` of the order, in its stage; 1 where it counts as whole. A profile
/// measures a layer behind the one before, whose output may lie in columns; what a stage receives is whole unless the
/// stage before is cut alike: then its first layer may be cut otherwise than it was measured.
int measured_degree(const Plan& plan, const Profile& profile, std::span<const LayerId> order, StageId stage,
                    int position);

/// What a stage keeps of one profile micro-batch from forward to backward: `before` the recompute, `full` from then on.
/// The two are the same without recompute.
struct KeptBytes {
  Bytes before, full;
  bool operator==(const KeptBytes&) const = default;
};
/// `cuts`: cut_bytes of the same order; the input of each run of recomputed layers is what recompute starts from.
KeptBytes kept_bytes(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                     std::span<const Bytes> cuts, StageId stage);

/// Communicators that a device of the stage is in: with each neighbour in the pipeline, with the other replicas, and
/// with the devices of its own replica.
int communicators(const Plan& plan, StageId stage);

/// The items that a device of rank `rank` of a stage of these weights holds all the time; without `shards` ranks are
/// alike.
MemoryParts static_memory(const Plan& plan, const Weights& weights, StageId stage, const Conventions& conventions,
                          int rank);
/// The same of all ranks, or one entry where they are alike.
std::vector<MemoryParts> static_memory(const Plan& plan, const Weights& weights, StageId stage,
                                       const Conventions& conventions);

/// D of the warm-up policies: floor((capacity - static items) / saved bytes of a micro-batch), the least over the
/// devices of each stage, at least 1. One entry a stage.
std::vector<int> micro_batches_that_fit(const Plan& plan, const Profile& profile, const Network& network,
                                        const Conventions& conventions);
/// The same of one stage, from its bytes kept a profile micro-batch and what its ranks hold, as static_memory() gives
/// it.
int micro_batches_that_fit(const Plan& plan, const Profile& profile, const Network& network, const KeptBytes& kept,
                           std::span<const MemoryParts> held, StageId stage);

}  // namespace pipedeck
