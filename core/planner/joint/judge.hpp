// SPDX-License-Identifier: Apache-2.0
// The simulated times that joint goes by. Simulating a plan of thousands of devices takes longer than anything else,
// and the other planners, asked for their plans, simulate many that cannot matter. So each plan is simulated once,
// whoever asks, and one whose own stages show that it cannot be quicker than what is already there is not simulated at
// all: its bound stands for its time. Whoever looks for the quickest plan below that limit finds the same one.
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
    bool simulated = true;  ///< else a lower bound, not below the limit
  };
  /// Safe to call from several threads.
  Result<Verdict> time_of(const Plan& plan, std::optional<Overlap> overlap = {});

  /// Plans that take at least so long are all the same. Not to be changed while others ask.
  void set_limit(double seconds) { limit_ = seconds; }

 private:
  Problem problem_;
  Score score_;
  double limit_ = std::numeric_limits<double>::infinity();
  std::mutex mutex_;
  std::map<std::vector<int>, double> known_;
};

/// Plans that do the same have one key.
std::vector<int> joint_key(const Plan& plan);

}  // namespace pipedeck::planner::joint
