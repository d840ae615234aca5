// SPDX-License-Identifier: Apache-2.0
// The problem as planners for chains use it: layers in one topological order, and sums over any range in constant time.
// Figures are those of core/cost; this file only adds them up.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/cost/network.hpp"
#include "core/cost/sharded_ranges.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::search {

/// A table of prefix sums over the order: entry p is the sum over positions [0, p).
struct PassTimes {
  std::vector<double> forward, backward;  ///< seconds
  double forward_of(int first, int last) const { return forward[at(last)] - forward[at(first)]; }
  double backward_of(int first, int last) const { return backward[at(last)] - backward[at(first)]; }

 private:
};

class Chain {
 public:
  static Result<Chain> of(const Problem& problem);
  /// Uses this topological order instead of the default one.
  static Result<Chain> of(const Problem& problem, std::vector<LayerId> order);

  const Problem& problem() const { return problem_; }
  const Profile& profile() const { return *problem_.profile; }
  const Cluster& cluster() const { return *problem_.cluster; }
  const Workload& workload() const { return problem_.workload; }
  const cost::Network& network() const { return network_; }
  int layers() const { return static_cast<int>(order_.size()); }
  int devices() const { return network_.device_count(); }
  const std::vector<LayerId>& order() const { return order_; }

  /// Returns the times of `samples` samples on devices of the type at this position of Cluster::device_types.
  const PassTimes& times(int samples, int type);
  plan::Weights weights(int first, int last) const;
  Bytes parameters(int first, int last) const { return weights(first, last).all; }
  /// Returns the bytes that layers [first, last) save for backward of `samples` samples, on each of `degree` devices
  /// with even shards.
  Bytes saved(int first, int last, int samples, int degree = 1);
  /// Returns for each position whether a block begins there (plan::block_starts).
  const std::vector<bool>& block_starts() const { return starts_; }
  /// Returns recomputation of all layers of a stage, or of none, in the profile's unit (plan::usual_recompute_unit).
  Recompute recompute(bool all) const { return all ? Recompute{true, {}, recompute_unit_} : Recompute{}; }
  /// Returns the bytes of the inputs that layers [first, last) keep of `samples` samples if all are recomputed.
  Bytes kept_inputs(int first, int last, int samples, int degree = 1);
  /// Returns an upper bound of the bytes that the backward of these layers then restores at a time.
  Bytes restored(int first, int last, int samples, int degree = 1);
  /// Returns the bytes of `samples` samples that cross the boundary before position `cut`; 0 at both ends.
  Bytes cut(int cut, int samples) const;
  Bytes workspace(int first, int last, int samples, int degree = 1);
  /// Returns the range of bytes over the shardings of the layers; null if the degree is 1 or the profile has none.
  const cost::ShardedRanges* cut_ranges(int degree);

  /// Returns a plan without stages, schedule and objective.
  Plan plan_of(const std::string& planner, int micro_batch) const;

 private:
  Chain(const Problem& problem, cost::Network network) : problem_(problem), network_(std::move(network)) {}
  const Layer& layer(int position) const;

  Problem problem_;
  cost::Network network_;
  std::vector<LayerId> order_;
  bool listed_ = true;                  ///< the order is the profile's list order
  std::vector<plan::Weights> weights_;  ///< before each position
  std::vector<Bytes> cuts_;
  std::map<std::pair<int, int>, PassTimes> times_;                  // by samples, type
  std::map<std::pair<int, int>, std::vector<std::int64_t>> saved_;  // by samples, degree
  /// A table: [k][p] is the largest of the 2^k layers from p on, for the profile's micro-batch.
  using SparseTable = std::vector<std::vector<std::int64_t>>;
  const SparseTable& workspaces(int degree);
  std::map<int, SparseTable> workspaces_;  // by degree
  struct Blocks {
    std::vector<std::int64_t> inputs;  ///< before each position: of the blocks that begin before it
    std::vector<std::int64_t> input;   ///< of each position
    SparseTable saved;                 ///< by block: what a backward restores
  };
  const Blocks& blocks(int degree);
  std::int64_t restored_of(int first, int last, int degree, const Blocks& blocks);
  RecomputeUnit recompute_unit_ = RecomputeUnit::block;
  std::vector<bool> starts_;
  std::vector<int> block_of_;                                     // each position's block
  std::vector<int> block_starts_;                                 // of each block, and the end
  std::map<int, std::vector<Bytes>> joint_inputs_;                // of a graph, by first position
  std::map<int, Blocks> blocks_;                                  // by degree
  std::map<int, std::optional<cost::ShardedRanges>> cut_ranges_;  // by degree
};

/// Returns a stage of layers [first, last) on these devices.
Stage stage_on(int first, int last, std::vector<DeviceId> devices);

}  // namespace pipedeck::planner::search
