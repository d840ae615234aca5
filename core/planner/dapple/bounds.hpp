// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the rest of a pipeline, by the number of planned layers and of devices left. They ignore placement,
// and assume the best device, the widest path, the largest memory and the cheapest all-reduce everywhere. A small
// dynamic programme fills them back to front. They let the search skip all prefixes that can't get below a limit.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "core/planner/dapple/space.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

// The algebra of DAPPLE's objective: the figures of a pipeline's front and of its suffix, and how a step extends them.
// All of them grow with every figure of a step, so less is never worse.

/// A front, the steps so far: the largest pivot among them; sum F; and sum F + max_s(AR_s + sum of B from s to the
/// end).
struct Front {
  double own = 0, fill = 0, around = 0;
};

/// A suffix, the steps that follow any front: max over pivots of sum F + the pivot's own + sum B back to the suffix's
/// start; likewise including the all-reduces that end there; sum F + sum B; number of computing stages.
struct Suffix {
  double through = 0, whole = 0, round = 0;
  int stages = 0;
};

inline Front behind(const Front& front, const Step& step) {
  const double before = std::max(front.around, front.fill + step.all_reduce);
  return {std::max(front.own, before + step.pivot), front.fill + step.forward, step.forward + step.backward + before};
}

inline Suffix in_front(const Step& step, const Suffix& suffix) {
  const double pass = step.forward + step.backward, through = std::max(step.pivot, pass + suffix.through);
  return {through, std::max(step.all_reduce + through, step.forward + suffix.whole), pass + suffix.round,
          suffix.stages};
}

/// The formula of a front with a suffix.
inline double joined(const Front& front, const Suffix& suffix) {
  return std::max({front.own, front.around + suffix.through, front.fill + suffix.whole});
}

/// Returns the time of a stage that holds K micro-batches. It starts the forward of m + K after the backward of m. So
/// with r = (M - 1) mod K it takes r forwards and floor((M - 1) / K) + 1 round trips to the pipeline's end and back.
inline double round_trips(int micro_batches, int kept, double forward, double round) {
  const int more = micro_batches - 1;
  return more % kept * forward + (more / kept + 1) * round;
}

struct Bound {
  double through, whole;
};

class Bounds {
 public:
  /// `interrupted`: gives up; then nothing is known and nothing should be asked.
  explicit Bounds(Space& space, const std::function<bool()>& interrupted = {});

  /// Layers [layer, N) on `left` devices, behind a stage; infinite where there is no way.
  const Bound& after(int layer, int left) const { return after_[search::at(layer) * row_ + units(left)]; }
  /// Returns likewise the bound with `replicas` replicas in the next stage, without the transfer to it.
  const Bound& with(int layer, int left, int replicas) const {
    return with_[(search::at(layer) * (units(most_) + 1) + units(replicas)) * row_ + units(left)];
  }
  /// Returns a lower bound over all plans, in seconds.
  double least() const { return least_; }
  /// Returns the least passes of one micro-batch through the layers from `layer` on, in seconds.
  double passes(int layer) const { return passes_[search::at(layer)]; }

 private:
  void add_stages(int first, int replicas);
  void close(int layer);
  Step stage(int replicas, int first, int last) const;
  void measure_passes();
  Step transfer(int replicas, int cut) const;
  double all_reduce(int replicas, Bytes bytes) const;

  std::size_t units(int devices) const { return space_.places().units(devices); }

  Space& space_;
  int devices_, unit_, most_;
  std::size_t row_;  ///< numbers of units left
  Places::Paths paths_;
  std::vector<std::vector<std::pair<const search::PassTimes*, const search::PassTimes*>>>
      times_;                        ///< by units of replicas: most, fewest samples
  std::vector<Bound> after_, with_;  ///< by layer, of `with_` also units of replicas, and units left
  std::vector<double> passes_;       ///< by layer
  double least_ = 0;
};

}  // namespace pipedeck::planner::dapple
