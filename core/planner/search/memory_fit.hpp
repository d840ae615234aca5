// SPDX-License-Identifier: Apache-2.0
// Does a plan fit its devices? Planners need the answer without simulating, so they use the least upper bound of the
// simulated curve that follows from the warm-up counts alone.
//
// Stage i keeps at most K_i micro-batches between forward and backward, and stage i - 1 at most K_{i-1}. Each of those
// K_{i-1} has at most one thing of input size at stage i: its activation, received and not yet used; or its input
// gradient, on the way back; or neither, while stage i keeps it. Each micro-batch kept has at most one of output size:
// its output, not yet sent; or the output's gradient, received and not yet used. So with n kept, n in 1..K_i (the
// running one has its input still):
//
//   peak <= fixed + once + workspace + n (kept + output) + (K_{i-1} - n + 1) input
//
// which is linear in n: the larger of both ends. PipeDream's mini-batches go to replicas in turn: there K_{i-1} is what
// the stage before has under way of one replica's (pipedream_outstanding).
#pragma once

#include <optional>
#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::search {

struct StageNeed {
  Bytes fixed;  ///< weights, gradients, optimizer, stashed weights, communication, reserve
  Bytes once;   ///< with recompute: the saved bytes of the one micro-batch in backward
  Bytes workspace;
  Bytes kept;  ///< a micro-batch: saved bytes, or the stage's input with recompute
  Bytes input, output;

  Bytes peak(int warmup, int warmup_before) const;
};

/// What a stage is made of, for the samples of the device at hand.
struct StageBytes {
  plan::Weights weights;
  Bytes saved, workspace, input, output;
};
StageNeed stage_need(const Workload& workload, const StageBytes& stage, int replicas, bool recompute, int versions = 1,
                     int tensor_parallel = 1);

/// All weights, the rest for so many samples on each of `degree` devices that have the layers in even parts. Where the
/// profile tells the ways in which layers can be cut, the most that these take, whatever stands beside the stage.
StageBytes stage_bytes(Chain& chain, int first, int last, int samples, int degree = 1);
/// The same where it is known what the ways of the layers take.
StageBytes stage_bytes(Chain& chain, int first, int last, int samples, const cost::CutFigures& figures);

/// What a device of the stage needs that gets `samples` samples of a micro-batch: layers [first, last), `replicas` of
/// them, with so many versions of the weights, which `tensor_parallel` devices share.
StageNeed stage_need(Chain& chain, int first, int last, int replicas, int samples, bool recompute, int versions = 1,
                     int tensor_parallel = 1);

/// Memory of the smallest of these devices.
Bytes capacity_of(const cost::Network& network, const std::vector<DeviceId>& devices);

/// K_i of every stage of a synchronous 1F1B plan: the policy's, lowered as far as memory demands (never rising from
/// stage to stage: a later stage must not wait for more micro-batches than an earlier one admits). Nothing where even
/// one micro-batch does not fit.
std::optional<std::vector<int>> warmups_that_fit(Chain& chain, const Plan& plan);

/// These counts fit.
bool warmups_fit(Chain& chain, const Plan& plan, const std::vector<int>& counts);

/// The policy's K_i, whatever the memory.
std::vector<int> policy_warmups(int stages, int micro_batches, Warmup policy);

/// Sets the plan's warm-up policy, and explicit counts where memory lowers the policy's (or where it is to be ignored
/// and would lower them). False where the plan does not fit.
bool set_warmup(Chain& chain, Plan& plan, Warmup policy, bool ignore_memory);

/// All micro-batches of every stage kept at once, as GPipe does.
bool gpipe_fits(Chain& chain, const Plan& plan);

}  // namespace pipedeck::planner::search
