// SPDX-License-Identifier: Apache-2.0
// What the rest of a pipeline takes at least, from how many layers are planned and how many devices are left: placement
// and memory set aside, the best device, the widest path and the cheapest all-reduce taken everywhere. A small dynamic
// programme back to front; it spares the search all that can't get below a limit.
#pragma once

#include <functional>
#include <vector>

#include "core/planner/arithmetic.hpp"
#include "core/planner/dapple_suffix.hpp"

namespace pipedeck {

struct DappleBound {
  double through, whole;
};

class DappleBounds {
 public:
  /// `interrupted`: gives up; then nothing is known and nothing should be asked.
  explicit DappleBounds(DappleSpace& space, const std::function<bool()>& interrupted = {});

  /// Layers [layer, N) on `left` devices, behind a stage; infinite where there is no way.
  const DappleBound& after(int layer, int left) const { return after_[at(layer) * (at(devices_) + 1) + at(left)]; }
  /// The same where the next stage has so many replicas; the transfer to it left out.
  const DappleBound& with(int layer, int left, int replicas) const {
    return with_[(at(layer) * at(most_ + 1) + at(replicas)) * (at(devices_) + 1) + at(left)];
  }
  /// No plan is below.
  double least() const { return least_; }

 private:
  void add_stages(int first, int replicas);
  void close(int layer);
  DappleStep stage(int replicas, int first, int last) const;
  DappleStep transfer(int replicas, int cut) const;
  double all_reduce(int replicas, Bytes bytes) const;

  DappleSpace& space_;
  int devices_, most_;
  double widest_ = 0, widest_between_ = 0, shortest_ = 0;
  std::vector<std::vector<std::pair<const PassTimes*, const PassTimes*>>>
      times_;  ///< by replicas: most, fewest samples
  std::vector<DappleBound> after_, with_;
  double least_ = 0;
};

}  // namespace pipedeck
