// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the rest of a pipeline, by the number of planned layers and of devices left. They ignore placement
// and memory, and assume the best device, the widest path and the cheapest all-reduce everywhere. A small dynamic
// programme fills them back to front. They let the search skip all prefixes that can't get below a limit.
#pragma once

#include <functional>
#include <vector>

#include "core/planner/dapple/objective_terms.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

struct Bound {
  double through, whole;
};

class Bounds {
 public:
  /// `interrupted`: gives up; then nothing is known and nothing should be asked.
  explicit Bounds(Space& space, const std::function<bool()>& interrupted = {});

  /// Layers [layer, N) on `left` devices, behind a stage; infinite where there is no way.
  const Bound& after(int layer, int left) const {
    return after_[search::at(layer) * (search::at(devices_) + 1) + search::at(left)];
  }
  /// Returns likewise the bound with `replicas` replicas in the next stage, without the transfer to it.
  const Bound& with(int layer, int left, int replicas) const {
    return with_[(search::at(layer) * search::at(most_ + 1) + search::at(replicas)) * (search::at(devices_) + 1) +
                 search::at(left)];
  }
  /// Returns a lower bound over all plans, in seconds.
  double least() const { return least_; }

 private:
  void add_stages(int first, int replicas);
  void close(int layer);
  Step stage(int replicas, int first, int last) const;
  Step transfer(int replicas, int cut) const;
  double all_reduce(int replicas, Bytes bytes) const;

  Space& space_;
  int devices_, most_;
  double widest_ = 0, widest_between_ = 0, shortest_ = 0;
  std::vector<std::vector<std::pair<const search::PassTimes*, const search::PassTimes*>>>
      times_;  ///< by replicas: most, fewest samples
  std::vector<Bound> after_, with_;
  double least_ = 0;
};

}  // namespace pipedeck::planner::dapple
