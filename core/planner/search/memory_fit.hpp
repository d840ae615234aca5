// SPDX-License-Identifier: Apache-2.0
// Memory limits of plans. Planners need them without a simulation, so they use the least upper bound of the simulated
// memory that follows from the warm-up counts alone.
//
// Stage i holds at most K_i micro-batches between forward and backward, and stage i - 1 at most K_{i-1}. Each of those
// K_{i-1} has at most one tensor of input size at stage i: its activation, received and unused; or its input gradient,
// being sent; or none, while stage i holds the micro-batch. Each held micro-batch has at most one tensor of output
// size: its unsent output, or the output's gradient, received and unused. So with n micro-batches held, n in 1..K_i
// (the running one still has its input):
//
//   peak <= fixed + once + workspace + n (kept + output) + (K_{i-1} - n + 1) input
//
// This is linear in n, so the maximum is at one of the ends. PipeDream's mini-batches go to replicas in turn. There
// K_{i-1} is the number of one replica's mini-batches that the stage before has in flight (pipedream_in_flight).
#pragma once

#include <optional>
#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::search {

/// The memory of a stage on one device, bytes.
struct StageNeed {
  Bytes fixed;  ///< weights, gradients, optimizer, stashed weights, communication, reserve
  Bytes once;   ///< with recomputation: the saved bytes of the one micro-batch in backward
  Bytes workspace;
  Bytes kept;  ///< per micro-batch: saved bytes, or the stage's input with recomputation
  Bytes input, output;

  /// Returns the upper bound of the peak for K_i and K_{i-1}, in bytes.
  Bytes peak(int warmup, int warmup_before) const;
};

/// The layers' bytes of a stage, for the samples of one device.
struct StageBytes {
  plan::Weights weights;
  Bytes saved, workspace, input, output;
};
StageNeed stage_need(const Workload& workload, const StageBytes& stage, int replicas, bool recompute, int versions = 1,
                     int tensor_parallel = 1);

/// Returns all weights, and the other bytes for `samples` samples on each of `degree` devices with even shards. If the
/// profile has the shardings of layers, the maximum over them, whatever the adjacent stages.
StageBytes stage_bytes(Chain& chain, int first, int last, int samples, int degree = 1);
/// Returns them from known figures of the layers' shardings.
StageBytes stage_bytes(Chain& chain, int first, int last, int samples, const cost::ShardedRangeBytes& figures);

/// Returns the memory of a device with `samples` samples of a micro-batch: layers [first, last), `replicas` replicas,
/// `versions` versions of the weights, which `tensor_parallel` devices share.
StageNeed stage_need(Chain& chain, int first, int last, int replicas, int samples, bool recompute, int versions = 1,
                     int tensor_parallel = 1);

/// Memory of the smallest of these devices.
Bytes capacity_of(const cost::Network& network, const std::vector<DeviceId>& devices);

/// Returns K_i of every stage of a synchronous 1F1B plan: the policy's, lowered to fit memory. Counts never rise from
/// stage to stage, as a later stage must not wait for more micro-batches than an earlier one admits. Nothing if even
/// one micro-batch does not fit.
std::optional<std::vector<int>> warmups_that_fit(Chain& chain, const Plan& plan);

/// Returns true if these counts fit.
bool warmups_fit(Chain& chain, const Plan& plan, const std::vector<int>& counts);

/// Sets the plan's schedule to 1F1B with this warm-up policy. Sets explicit counts if memory lowers the policy's, or
/// would lower them but is ignored. Returns false if the plan does not fit.
bool set_warmup(Chain& chain, Plan& plan, Warmup policy, bool ignore_memory);

/// Returns true if all micro-batches of every stage fit at once, as GPipe holds them.
bool gpipe_fits(Chain& chain, const Plan& plan);

}  // namespace pipedeck::planner::search
