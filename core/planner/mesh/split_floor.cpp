// SPDX-License-Identifier: Apache-2.0
// The lists of core/schedule state how many forwards a rank runs before its first backward, and how many weight
// gradients it leaves for the end. Both give bounds for any times.
#include "core/planner/mesh/split_floor.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace pipedeck::planner::mesh {
namespace {

class SplitBound {
 public:
  SplitBound(std::span<const FloorStage> stages, const SplitPipeline& pipeline)
      : stages_(stages), p_(pipeline.ranks), m_(pipeline.micro_batches), order_(pipeline.order) {}

  Seconds bound() {
    find_ways();
    Seconds last;
    for (int r = 0; r < p_; ++r) last = std::max(last, bound_of(r));
    return last;
  }

 private:
  using Stages = std::array<std::size_t, 2>;  ///< of a rank: on the way down, and on the way back

  bool in_a_v() const { return traits_of(order_).placement == StagePlacement::v_shaped; }
  std::size_t chunks() const { return in_a_v() ? 2 : 1; }
  Stages stages_of(int rank) const {
    return {static_cast<std::size_t>(rank), stages_.size() - 1 - static_cast<std::size_t>(rank)};
  }
  const FloorStage& stage(std::size_t s) const { return stages_[s]; }

  /// Returns no more than a stage needs for a micro-batch's gradients. DualPipeV runs some whole, some in parts.
  Seconds backward(const FloorStage& one) const {
    return order_ == ScheduleKind::dualpipe_v ? std::min(one.backward, one.input + one.weight) : one.input + one.weight;
  }
  /// Returns no more than a stage takes from the gradient of its output to that of its input.
  Seconds gradient(const FloorStage& one) const {
    return order_ == ScheduleKind::dualpipe_v ? std::min(one.backward, one.input) : one.input;
  }

  /// Finds when the first micro-batch reaches each stage, and when its gradient does.
  void find_ways() {
    const std::size_t all = stages_.size();
    reached_.resize(all), returned_.resize(all);
    Seconds at;
    for (std::size_t s = 0; s < all; ++s) {
      if (s > 0) at += stage(s - 1).forward + stage(s - 1).send;
      at = std::max(at, stage(s).begin);
      reached_[s] = at;
    }
    at += stage(all - 1).forward;
    for (std::size_t s = all; s-- > 0;) {
      returned_[s] = at;
      at += gradient(stage(s));
      if (s > 0) at += stage(s - 1).send;
    }
  }

  /// Returns the forwards of a stage before the rank's first backward.
  int warm_up(int rank, std::size_t chunk) const {
    const int behind = p_ - rank;
    int forwards = behind;
    if (order_ == ScheduleKind::zb_h2) forwards = 2 * behind - 1;
    if (order_ == ScheduleKind::zb_v) forwards = chunk == 0 ? 2 * p_ - 1 - rank : rank + 1;
    if (order_ == ScheduleKind::dualpipe_v)
      forwards = (chunk == 0 ? 2 * p_ - 1 - rank : rank + 1) + (behind == 1 && chunk == 0);
    return std::min(forwards, m_);
  }

  /// Returns the most weight gradients of a stage that run behind the rank's last input gradient.
  int left(int rank, std::size_t chunk) const {
    switch (order_) {
      case ScheduleKind::zb_h1:
        return std::min(p_ - warm_up(rank, 0) + 1, m_);
      case ScheduleKind::zb_h2:
        return std::min(2 * p_ - warm_up(rank, 0), m_);
      case ScheduleKind::zb_v:
        return m_ < 2 * p_ - 1 ? m_ : std::min(rank + (chunk == 0), m_);
      default:
        return rank + 1;
    }
  }

  /// Returns no more than all passes of the rank's stages take.
  Seconds work(int rank) const {
    Seconds sum;
    for (std::size_t c = 0; c < chunks(); ++c) {
      const FloorStage& one = stage(stages_of(rank)[c]);
      sum += (one.forward + backward(one)) * m_;
    }
    return sum;
  }

  Seconds bound_of(int rank) const {
    const Stages own = stages_of(rank);
    Seconds before, behind, optimizer;  // forwards before the first backward; weight gradients behind the last input's
    for (std::size_t c = 0; c < chunks(); ++c) {
      const FloorStage& one = stage(own[c]);
      before += one.forward * warm_up(rank, c);
      behind += one.weight * left(rank, c);
      optimizer += one.optimizer;
    }
    const Seconds start = reached_[own[0]], gradients = returned_[own[chunks() - 1]];
    const Seconds end = std::max(start + work(rank), gradients + work(rank) - before);
    Seconds last = std::max(end + optimizer, way_back(rank, end - behind));
    for (std::size_t c = 0; c < chunks(); ++c) last = std::max(last, reduced(rank, c, start, end));
    return last;
  }

  /// Returns the end of the step behind the rank's last input gradient, which then goes back to stage 0.
  Seconds way_back(int rank, Seconds at) const {
    for (int q = rank; q-- > 0;) {
      const FloorStage& one = stage(static_cast<std::size_t>(q));
      at += one.send + gradient(one);
    }
    Seconds optimizer;
    for (std::size_t c = 0; c < chunks(); ++c) optimizer += stage(stages_of(0)[c]).optimizer;
    return at + (rank > 0 && order_ != ScheduleKind::dualpipe_v ? stage(0).weight : Seconds()) + optimizer;
  }

  /// Returns the end of a stage's reductions and optimizer step. Its last gradient is followed by other passes of the
  /// rank alone where the rank has another stage.
  Seconds reduced(int rank, std::size_t chunk, Seconds start, Seconds end) const {
    const FloorStage& one = stage(stages_of(rank)[chunk]);
    const Seconds pass = order_ == ScheduleKind::dualpipe_v ? std::max(one.backward, one.weight) : one.weight;
    Seconds begun = start + (one.forward + backward(one)) * m_ - pass;
    const bool ends = chunks() == 1 || (order_ == ScheduleKind::zb_v && chunk == 0);
    if (ends) begun = std::max(begun, end - pass);
    begun = std::max(begun, Seconds());
    Seconds lane;
    for (const auto& [ready, time] : one.reductions) lane = std::max(lane, begun + ready) + time;
    return lane + one.optimizer;
  }

  std::span<const FloorStage> stages_;
  const int p_, m_;
  const ScheduleKind order_;
  std::vector<Seconds> reached_, returned_;  ///< by the first micro-batch, by its gradient
};

}  // namespace

Seconds split_floor(std::span<const FloorStage> stages, const SplitPipeline& pipeline) {
  return SplitBound(stages, pipeline).bound();
}

}  // namespace pipedeck::planner::mesh
