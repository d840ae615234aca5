// SPDX-License-Identifier: Apache-2.0
// One TaskGraph of a layout: the time of its slowest replica for a range of layers, and if it fits. Its balance divides
// the micro-batch, and the columns of split layers among different devices.
#pragma once

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/planner/whale/layout.hpp"

namespace pipedeck::planner::whale {

enum class Balance {
  hardware_aware,  ///< exact, by what the devices are
  printed,         ///< within a TaskGraph Algorithm 1 as printed
  even,            ///< as if all devices were alike: the baseline of section 5.2
};

/// A request for a partition of a layout's layers.
struct SplitRequest {
  int micro_batch = 1, micro_batches = 1;
  int slice = 1;  ///< least samples of a replica
  Balance balance = Balance::hardware_aware;
  /// s: no answer is wanted whose pipeline takes longer, transfers and all-reduces left aside.
  double within = std::numeric_limits<double>::infinity();
};

class GraphCosts {
 public:
  /// `like`: with Balance::even, the kind that all replicas are taken for where the TaskGraph is not split.
  GraphCosts(WhaleCosts& costs, const TaskGraph& graph, const SplitRequest& question, int like);

  /// Sets the micro-batches held here and by the TaskGraph before.
  void keep(int warmup, int before, bool recompute);

  int replicas() const { return static_cast<int>(kind_of_.size()); }
  int first_kind() const { return kind_of_.front(); }
  /// Returns the range of layers that it may have.
  std::pair<int, int> allowed_layers() const { return may_; }
  bool allowed(int first, int last);

  /// Returns the slowest replica's seconds with the best shares and columns; `never` (infinity) if nothing fits.
  double time(int first, int last);
  /// Returns a lower bound for all ranges around this one; `never` if none of them fits.
  double at_least(int first, int last);
  /// Returns the time of one replica with the whole micro-batch, an upper bound of all times.
  double alone();
  /// All replicas get the same, but for a sample.
  bool uniform() const { return kinds_.size() == 1 || question_.balance == Balance::even; }
  /// The columns of split layers may be uneven: some replica has devices of unlike types.
  bool is_heterogeneous() const { return unlike_; }
  /// Returns true if shares and columns of a range take a time independent of its length.
  bool quick() const { return uniform() && (!unlike_ || one_ratio_); }
  /// Returns true if no other shares and columns are better than the chosen ones.
  bool exact() const { return !unlike_ || (kinds_.size() == 1 && one_ratio_); }
  /// Returns true if work can be divided without changing its total.
  bool proportional() const { return degree_ == 1 && costs_.proportional(); }
  /// Returns the micro-batches per second, through all layers, that its replicas can process together.
  double rate();
  /// Returns the samples of each replica; 0 for replicas that can't hold a slice. Requires a finite `time`.
  std::vector<int> shares(int first, int last);
  /// Returns the columns of every replica. Requires a finite `time`.
  ShardFractions columns(int first, int last);
  double slowest(int first, int last, const std::vector<int>& shares, const ShardFractions& columns);

 private:
  using Kinds = std::vector<std::pair<int, int>>;  ///< kind, its replicas

  /// The kinds that can hold a slice of these layers, as takers of samples.
  std::vector<Replicas> takers(int first, int last, Kinds& kinds, const ShardFractions& columns);
  Replicas taker(int kind, int count, const Load& load, int most, const ShardFractions& columns);
  double uniform_time(int first, int last, const ShardFractions& columns);
  double shared_time(int first, int last, const ShardFractions& columns);
  struct Choice {
    double time;
    ShardFractions columns;
  };
  Choice choice(int first, int last);
  double at_least_of(int kind, int samples, int first, int last);
  bool may_fit(int kind, const Load& load, int samples);
  std::map<int, std::vector<int>> shares_of_kinds(int first, int last);
  int even_share() const;
  bool even_fits(int first, int last, const ShardFractions& columns);
  WhaleCosts& costs_;
  const SplitRequest& question_;
  int degree_, like_, warmup_ = 1, before_ = 1;
  bool recompute_ = false;
  bool unlike_ = false, one_ratio_ = true;
  std::vector<int> kind_of_;  ///< by replica
  Kinds kinds_;               ///< in order of first appearance
  std::pair<int, int> may_,
      required_layers_;  ///< allowed and required layers; the latter empty, from the last layer, if none
  std::vector<std::vector<double>> known_;  ///< times by first layer and number of layers; below 0: unknown
};

}  // namespace pipedeck::planner::whale
