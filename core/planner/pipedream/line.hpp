// SPDX-License-Identifier: Apache-2.0
// PipeDream's recurrence without levels (--levels any). Each stage takes the next devices in component order, any
// number of them, with the bandwidth between exactly these:
//
//   T(I -> J, q, r) = (1/r) max( sum T_l, (2(r-1)/r) sum |w_l| / B(q, r) )
//   A(J, q + r, r) = min over I, r' of max( A(I, q, r'), 2 a_I / B(q - r', q, r), T(I -> J, q, r) )
//
// B(q, r) is the narrowest path among devices q .. q + r - 1, B(q - r', q, r) the narrowest between the r' devices
// before q and the r from q on. Mini-batches go round robin, so any replica may send to any other. Every flat plan is
// among these, with no wider path. A stage's replicas determine the transfer behind it, hence r in the state. They also
// determine the tensors waiting at the next stage, so memory is exact here.
#pragma once

#include "core/planner/pipedream/search.hpp"

namespace pipedeck::planner::pipedream {

class Line {
 public:
  /// Larger clusters have too many stretches of devices.
  static constexpr int max_devices = 128;

  Line(const Figures& figures, const cost::Network& network, std::vector<DeviceId> devices, const Options& options,
       const PlanConstraints& pins, std::stop_token stop);

  /// The least slowest stage below `bound`; nothing where there is none.
  std::optional<Answer> run(double bound);

 private:
  /// A state: the stage that ends at ideal J on r devices before `end`, with s stages in all (0: not counted).
  struct State {
    int outer, end, replicas, stages;
  };

  /// The stages before a boundary, by their number including the next stage, with at most `waiting` mini-batches in
  /// flight.
  struct Front {
    int in_flight;
    std::vector<double> slowest;
  };

  std::optional<Answer> partition(bool memory, double bound);
  std::vector<Front> fronts(int inner, int begin, int replicas);
  int in_flight(int begin, int replicas, int before) const;
  void extend(int inner, int end, int replicas, double bound);
  Answer answer_of(State last);
  bool pinned(int inner, int outer, int begin, int replicas) const;
  bool fits(int inner, int outer, int begin, int replicas, int waiting) const;
  double stage_time(int inner, int outer, int begin, int replicas) const;
  double transfer(int cut, int before, int at, int replicas) const;
  double& value(const State& state) {
    return values_[((static_cast<std::size_t>(state.stages) * (count_ + 1) + static_cast<std::size_t>(state.end)) *
                        (count_ + 1) +
                    static_cast<std::size_t>(state.replicas)) *
                       ideals_ +
                   static_cast<std::size_t>(state.outer)];
  }

  const Figures& figures_;
  std::vector<DeviceId> devices_;
  Options options_;
  PlanConstraints pins_;
  std::stop_token stop_;
  std::size_t count_, ideals_;  ///< devices, ideals
  int max_stages_;
  std::vector<double> inside_;   ///< B(q, r), by q, r
  std::vector<double> between_;  ///< B(q - r', q, r), by q, r', r
  std::vector<char> nested_;     ///< [inner][outer]
  std::vector<double> values_;
  bool memory_ = false;
};

}  // namespace pipedeck::planner::pipedream
