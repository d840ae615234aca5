// SPDX-License-Identifier: Apache-2.0
// The problem as planners made for chains see it: layers in one topological order, and sums over any range of it in
// constant time. Figures are those of core/cost; this only adds them up.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/cost/cut_ranges.hpp"
#include "core/cost/network.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::search {

/// Prefix sums over the order: entry p is the sum over positions [0, p).
struct PassTimes {
  std::vector<double> forward, backward;  ///< seconds
  double forward_of(int first, int last) const { return forward[at(last)] - forward[at(first)]; }
  double backward_of(int first, int last) const { return backward[at(last)] - backward[at(first)]; }

 private:
};

class Chain {
 public:
  static Result<Chain> of(const Problem& problem);
  /// In this topological order instead of the fixed one.
  static Result<Chain> of(const Problem& problem, std::vector<LayerId> order);

  const Problem& problem() const { return problem_; }
  const Profile& profile() const { return *problem_.profile; }
  const Cluster& cluster() const { return *problem_.cluster; }
  const Workload& workload() const { return problem_.workload; }
  const cost::Network& network() const { return network_; }
  int layers() const { return static_cast<int>(order_.size()); }
  int devices() const { return network_.device_count(); }
  const std::vector<LayerId>& order() const { return order_; }

  /// Passes of `samples` samples on devices of the type at this position of Cluster::device_types.
  const PassTimes& times(int samples, int type);
  plan::Weights weights(int first, int last) const;
  Bytes parameters(int first, int last) const { return weights(first, last).all; }
  /// Kept for backward by the layers [first, last) for `samples` samples, on each of `degree` devices that have them in
  /// even parts.
  Bytes saved(int first, int last, int samples, int degree = 1);
  /// Crosses the cut before position `cut`, for `samples` samples; 0 at both ends.
  Bytes cut(int cut, int samples) const;
  Bytes workspace(int first, int last, int samples, int degree = 1);
  /// What the ways in which layers can be cut take of a device; null where the profile doesn't tell them.
  const cost::CutRanges* cut_ranges(int degree);

  /// A plan with everything but stages, schedule and objective.
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
  /// [k][p]: largest of 2^k layers from p on, for the profile's micro-batch.
  using LargestOfRange = std::vector<std::vector<std::int64_t>>;
  const LargestOfRange& workspaces(int degree);
  std::map<int, LargestOfRange> workspaces_;                  // by degree
  std::map<int, std::optional<cost::CutRanges>> cut_ranges_;  // by degree
};

/// Layers [first, last) on these devices.
Stage stage_on(int first, int last, std::vector<DeviceId> devices);

/// Micro-batches worth trying, ascending: the workload's own, else the divisors of the global batch that are not below
/// `smallest`. bad_usage where the workload's own does not divide the global batch.
Result<std::vector<int>> micro_batch_choices(const Workload& workload, int smallest);

/// The fewest samples a replica may get: `min_slice` where it is given (> 0), else the smallest measured point.
int smallest_slice(const Profile& profile, int min_slice);

}  // namespace pipedeck::planner::search
