// SPDX-License-Identifier: Apache-2.0
// Joint's simulated times. Simulating a plan of thousands of devices dominates the search time, and the other planners
// simulate many plans that cannot matter. So each plan is simulated once for all planners. A plan is not simulated if
// its own stages show that it cannot beat the limit; its bound replaces its time. A search for the quickest plan below
// the limit finds the same plan.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/planner/planner.hpp"

namespace pipedeck::planner::joint {

class Judge {
 public:
  Judge(const Problem& problem, Score score) : problem_(problem), score_(std::move(score)) {}

  struct Verdict {
    double time = 0;
    bool simulated = true;  ///< else `time` is a lower bound, not below the limit
  };
  /// Returns the plan's time in seconds. Thread-safe.
  Result<Verdict> time_of(const Plan& plan, std::optional<Overlap> overlap = {});

  /// Sets the limit in seconds: plans at or above it need no exact time. Must not run concurrently with time_of.
  void set_limit(double seconds) { limit_ = seconds; }

 private:
  Problem problem_;
  Score score_;
  double limit_ = std::numeric_limits<double>::infinity();
  std::mutex mutex_;
  std::map<std::vector<int>, double> known_;
};

/// Returns a key; plans of equal behaviour have equal keys.
std::vector<int> joint_key(const Plan& plan);

}  // namespace pipedeck::planner::joint
