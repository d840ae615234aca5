// SPDX-License-Identifier: Apache-2.0
// The maximum of two bounds for a plan's own stages.
//
// Pivot: the slowest replica of stage Q processes M micro-batches in sequence. Before its first one, a slice passes all
// stages before Q. After its last one, its gradient passes them back, over links of its own, while the other slices are
// already there:
//   sum_{s<Q} (F_s + c_s) + M t_Q + sum_{s<Q} (B_s + least transfer back).
// This is L_max without all-reduces, which `overlap layer` may hide.
//
// Round trip: stage i has at most K_i micro-batches in flight. So forward m + K_i waits for backward m, which ends R_i
// after the start of forward m: down to the last stage and back. With r = (M - 1) mod K_i,
//   sum_{s<i} (F_s + c_s) + r F_i + (floor((M - 1) / K_i) + 1) R_i + sum_{s<i} (B_s + c_s).
//
// A replica takes at least the time of one of its devices: the first one, or with uneven shards the busiest one.
// Replicas may differ and need not wait for one another. So the fastest one counts along the path, and the slowest one
// as pivot. c_s is the minimum time that any replica of stage s + 1 waits for the longest of its slices.
#include "core/cost/stages_bound.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/cost/compute.hpp"
#include "core/cost/network.hpp"
#include "core/plan/cuts.hpp"

namespace pipedeck::cost {
namespace {

struct StageTimes {
  double forward = 0, backward = 0;  ///< of the fastest replica; recomputation can run while the gradient is awaited
  double slowest = 0;                ///< F + B (+ recomputation) of the slowest
  double there = 0, back = 0;        ///< transfers to and from the next stage
  double one_back = 0;               ///< of the fastest slice alone
};

struct PassTimes {
  double forward = 0, backward = 0;
};

class StagesBound {
 public:
  StagesBound(const Problem& problem, const Plan& plan, const Network& network)
      : problem_(problem), plan_(plan), network_(network), order_(order_of(plan, *problem.profile)) {
    const std::vector<Bytes> cuts = plan::boundary_bytes(*problem.profile, order_);
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      times_.push_back(compute(plan.stages[s]));
      if (s + 1 < plan.stages.size())
        add_transfers(plan.stages[s], plan.stages[s + 1], cuts[static_cast<std::size_t>(plan.stages[s].last)]);
    }
  }

  double largest() const {
    double most = 0, before = 0, alone = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      most = std::max({most, alone + plan_.micro_batches * times_[i].slowest, before + round_trips(i)});
      before += passes(i);
      alone += passes(i) - times_[i].back + times_[i].one_back;
    }
    return most;
  }

 private:
  /// Returns the time forward and back over a stage and the cut after it.
  double passes(std::size_t s) const {
    return times_[s].forward + times_[s].backward + times_[s].there + times_[s].back;
  }

  /// Returns an upper bound of the micro-batches in flight at the stage.
  int kept(std::size_t i) const {
    const int micro_batches = plan_.micro_batches, left = static_cast<int>(times_.size() - i);
    if (plan_.schedule == ScheduleKind::gpipe) return micro_batches;
    if (plan_.warmup_counts) return std::clamp((*plan_.warmup_counts)[i], 1, micro_batches);
    return std::min(plan_.warmup == Warmup::A ? left : 2 * left - 1, micro_batches);
  }

  double round_trips(std::size_t i) const {
    double round_trip = 0;
    for (std::size_t s = i; s < times_.size(); ++s) round_trip += passes(s);
    const int last = plan_.micro_batches - 1, most = kept(i);
    return (last % most) * times_[i].forward + (last / most + 1) * round_trip;
  }

  StageTimes compute(const Stage& stage) const {
    const std::vector<int> samples = replica_samples(stage, plan_.micro_batch);
    StageTimes times{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    std::pair<int, int> known{-1, -1};  // samples and type of the previous replica: most are identical
    for (std::size_t r = 0; r < samples.size(); ++r) {
      const auto lead = r * static_cast<std::size_t>(stage.tensor_parallel);
      const int type = network_.device(stage.devices[lead]).type;
      if (samples[r] == 0 || (!stage.shard_fractions && known == std::pair(samples[r], type))) continue;
      known = {samples[r], type};
      PassTimes replica;
      for (int rank = 0; rank < (stage.shard_fractions ? stage.tensor_parallel : 1); ++rank) {
        const PassTimes own = passes_of(stage, stage.devices[lead + static_cast<std::size_t>(rank)], rank, samples[r]);
        replica.forward = std::max(replica.forward, own.forward);
        replica.backward = std::max(replica.backward, own.backward);
      }
      times.forward = std::min(times.forward, replica.forward);
      times.backward = std::min(times.backward, replica.backward);
      times.slowest = std::max(times.slowest, (stage.recompute.all ? 2 : 1) * replica.forward + replica.backward);
    }
    return times;
  }

  /// Returns the compute time of one device of a replica for a micro-batch.
  PassTimes passes_of(const Stage& stage, DeviceId device, int rank, int samples) const {
    PassTimes sum;
    for (int p = stage.first; p < stage.last; ++p) {
      const Layer& layer = problem_.profile->layers[order_[static_cast<std::size_t>(p)].index()];
      const LayerTimes times = layer_times(*problem_.profile, layer, samples, *problem_.cluster, network_.type(device),
                                           stage.tensor_parallel);
      sum.forward += times.forward.count, sum.backward += times.backward.count;
    }
    const double factor = shard_factor(stage, rank);
    return {factor * sum.forward, factor * sum.backward};
  }

  /// Slices are contiguous ranges of the micro-batch, in replica order on both sides.
  void add_transfers(const Stage& from, const Stage& to, Bytes bytes) {
    const std::vector<int> sent = replica_samples(from, plan_.micro_batch),
                           got = replica_samples(to, plan_.micro_batch);
    const auto infinity = std::numeric_limits<double>::infinity();
    std::vector<double> there(got.size(), 0), back(sent.size(), 0);
    double one_back = infinity;
    int at = 0, a_end = sent[0], b_end = got[0];
    for (std::size_t a = 0, b = 0; a < sent.size() && b < got.size();) {
      const int end = std::min(a_end, b_end);
      if (end > at) {
        const DeviceId x = from.devices[a * static_cast<std::size_t>(from.tensor_parallel)],
                       y = to.devices[b * static_cast<std::size_t>(to.tensor_parallel)];
        const Bytes slice = scale_bytes(bytes, end - at, problem_.profile->micro_batch);
        there[b] = std::max(there[b], network_.transfer(x, y, slice).count);
        const double returned = network_.transfer(y, x, slice).count;
        back[a] = std::max(back[a], returned);
        one_back = std::min(one_back, returned);
      }
      at = end;
      if (a_end == end && ++a < sent.size()) a_end += sent[a];
      if (b_end == end && ++b < got.size()) b_end += got[b];
    }
    const auto least = [&](const std::vector<double>& waits, const std::vector<int>& samples) {
      double quickest = infinity;
      for (std::size_t r = 0; r < waits.size(); ++r)
        if (samples[r] > 0) quickest = std::min(quickest, waits[r]);
      return quickest;
    };
    times_.back().there = least(there, got), times_.back().back = least(back, sent);
    times_.back().one_back = one_back;
  }

  const Problem& problem_;
  const Plan& plan_;
  const Network& network_;
  std::vector<LayerId> order_;
  std::vector<StageTimes> times_;
};

}  // namespace

Result<Seconds> partition_lower_bound(const Problem& problem, const Plan& plan) {
  if (plan.schedule != ScheduleKind::gpipe && plan.schedule != ScheduleKind::one_f_one_b) return Seconds();
  TRY(const auto network, Network::of(*problem.cluster, problem.workload.conventions));
  // Every operation on the path may have been rounded down by half a nanosecond.
  const double rounding = 0.5e-9 * 4 * (plan.micro_batches + static_cast<double>(plan.stages.size()));
  return Seconds(std::max(0.0, StagesBound(problem, plan, network).largest() - rounding));
}

}  // namespace pipedeck::cost
