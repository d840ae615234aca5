// SPDX-License-Identifier: Apache-2.0
// One TaskGraph of a layout: how long its slowest replica takes for a range of layers, with the micro-batch shared out
// as its balance says and the columns of split layers over unlike devices, and whether it fits.
#pragma once

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/planner/whale/layout.hpp"

namespace pipedeck::planner::whale {

enum class Balance {
  aware,    ///< exact, by what the devices are
  printed,  ///< within a TaskGraph Algorithm 1 as printed
  even,     ///< as if all devices were alike: the baseline of section 5.2
};

struct SplitQuestion {
  int micro_batch = 1, micro_batches = 1;
  int slice = 1;  ///< least samples of a replica
  Balance balance = Balance::aware;
  /// s: no answer is wanted whose pipeline takes longer, transfers and all-reduces left aside.
  double within = std::numeric_limits<double>::infinity();
};

class GraphCosts {
 public:
  /// `like`: with Balance::even, the kind that all replicas are taken for where the TaskGraph is not split.
  GraphCosts(WhaleCosts& costs, const TaskGraph& graph, const SplitQuestion& question, int like);

  /// Micro-batches kept here and by the TaskGraph before.
  void keep(int warmup, int before);

  int replicas() const { return static_cast<int>(kind_of_.size()); }
  int first_kind() const { return kind_of_.front(); }
  /// Layers that it may have, and those that it must have (none: an empty range behind the last layer).
  std::pair<int, int> may() const { return may_; }
  bool allowed(int first, int last);

  /// Of the slowest replica at the best shares and columns; never (infinity) where nothing fits.
  double time(int first, int last);
  /// No range around this one takes less; never where none of them fits.
  double at_least(int first, int last);
  /// One replica doing everything: above every time.
  double alone();
  /// All replicas get the same, but for a sample.
  bool uniform() const { return kinds_.size() == 1 || question_.balance == Balance::even; }
  /// The columns of split layers may be uneven: some replica has devices of unlike types.
  bool unlike() const { return unlike_; }
  /// The shares or columns of a range of layers are found in a time that does not grow with its length.
  bool quick() const { return uniform() && (!unlike_ || one_ratio_); }
  /// No shares and columns are better than those chosen.
  bool exact() const { return !unlike_ || (kinds_.size() == 1 && one_ratio_); }
  /// Work can be cut at will without becoming more or less.
  bool proportional() const { return degree_ == 1 && costs_.proportional(); }
  /// Micro-batches a second, of all layers, that its replicas could do together.
  double rate();
  /// Samples of each replica, 0 for those that can't hold a slice. Only where `time` is finite.
  std::vector<int> shares(int first, int last);
  /// Of every replica. Only where `time` is finite.
  Columns columns(int first, int last);
  double slowest(int first, int last, const std::vector<int>& shares, const Columns& columns);

 private:
  using Kinds = std::vector<std::pair<int, int>>;  ///< kind, replicas of it

  /// The kinds that can hold a slice of these layers, as takers of samples.
  std::vector<Replicas> takers(int first, int last, Kinds& kinds, const Columns& columns);
  Replicas taker(int kind, int count, const Load& load, int most, const Columns& columns);
  double uniform_time(int first, int last, const Columns& columns);
  double shared_time(int first, int last, const Columns& columns);
  struct Choice {
    double time;
    Columns columns;
  };
  Choice choice(int first, int last);
  double at_least_of(int kind, int samples, int first, int last);
  bool may_fit(int kind, const Load& load, int samples);
  std::map<int, std::vector<int>> shares_of_kinds(int first, int last);
  int even_share() const;
  bool even_fits(int first, int last, const Columns& columns);
  WhaleCosts& costs_;
  const SplitQuestion& question_;
  int degree_, like_, warmup_ = 1, before_ = 1;
  bool unlike_ = false, one_ratio_ = true;
  std::vector<int> kind_of_;  ///< by replica
  Kinds kinds_;               ///< in order of first appearance
  std::pair<int, int> may_, must_;
  std::vector<std::vector<double>> known_;  ///< times by first layer and number of layers; below 0: not asked yet
};

}  // namespace pipedeck::planner::whale
