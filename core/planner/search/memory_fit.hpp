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
#include <span>
#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::search {

/// The memory of a stage on one device, bytes.
struct StageNeed {
  Bytes fixed;    ///< weights, gradients, optimizer, stashed weights, communication, reserve
  Bytes certain;  ///< of `fixed`, all but communication, of which a device may have less
  Bytes once;     ///< with recomputation: the saved bytes that the one micro-batch in backward restores at a time
  Bytes workspace;
  Bytes kept;  ///< per micro-batch: saved bytes, or the kept inputs with recomputation
  Bytes input, output;

  /// Returns the upper bound of the peak for K_i and K_{i-1}, in bytes.
  Bytes peak(int warmup, int warmup_before) const;
  /// Returns a lower bound of the peak with `held` micro-batches.
  Bytes least_peak(int held) const { return certain + kept * held; }
};

/// The layers' bytes of a stage, for the samples of one device. `kept_inputs` and `restored` (add_recompute): what it
/// keeps if it recomputes all its layers by the chain's unit, and the most that a backward restores at a time.
struct StageBytes {
  plan::Weights weights;
  Bytes saved, workspace, input, output;
  Bytes kept_inputs = {}, restored = {};
};
StageNeed stage_need(const Workload& workload, const StageBytes& stage, int replicas, bool recompute, int versions = 1,
                     int tensor_parallel = 1);

/// Returns all weights, and the other bytes for `samples` samples on each of `degree` devices with even shards. If the
/// profile has the shardings of layers, the maximum over them, whatever the adjacent stages.
StageBytes stage_bytes(Chain& chain, int first, int last, int samples, int degree = 1);
/// Returns them from known figures of the layers' shardings.
StageBytes stage_bytes(Chain& chain, int first, int last, int samples, const cost::ShardedRangeBytes& figures);
/// Adds the bytes of recomputation on each of `degree` devices; upper bounds if the profile has the shardings of
/// layers.
void add_recompute(Chain& chain, StageBytes& bytes, int first, int last, int samples, int degree);
/// Adds them for these shardings of the layers.
void add_recompute(Chain& chain, StageBytes& bytes, int first, int last, int samples,
                   std::span<const ShardingCost* const> ways);

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

/// Returns false if these counts cannot fit. Otherwise a simulation must show whether they do.
bool warmups_may_fit(Chain& chain, const Plan& plan, const std::vector<int>& counts);

/// A way out if the policy's warm-up does not fit in memory: recompute all stages, or those that need it; hold fewer
/// micro-batches (as DAPPLE and joint do); or none because memory is ignored.
enum class WhenShort { recompute, shorten, ignore_memory };
inline WhenShort when_short(bool ignore_memory) {
  return ignore_memory ? WhenShort::ignore_memory : WhenShort::recompute;
}

/// Sets the plan's schedule to 1F1B with this warm-up policy. Sets explicit counts if it holds fewer micro-batches.
/// Returns false if the plan does not fit.
bool set_warmup(Chain& chain, Plan& plan, Warmup policy, WhenShort when_short);

/// Returns true if all micro-batches of every stage fit at once, as GPipe holds them.
bool gpipe_fits(Chain& chain, const Plan& plan);

/// Returns true if the plan fits as GPipe holds its micro-batches. Where memory is short, all its stages recompute.
bool set_gpipe(Chain& chain, Plan& plan, WhenShort when_short);

}  // namespace pipedeck::planner::search
