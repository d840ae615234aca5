// SPDX-License-Identifier: Apache-2.0
#include "core/cost/data_traffic.hpp"

namespace pipedeck::cost {
namespace {

/// Returns true if gradients stay whole until the last micro-batch: their copies are summed then.
bool keeps_gradients(const Sharding& sharding) {
  return sharding.level < 2 || (sharding.level == 3 && sharding.reshard == Reshard::after_step);
}

/// A pair of groups that share and copy the states of one class of weights.
struct Ranks {
  plan::GroupFamily sharing, copying;
  int group = 1, copies = 1;  ///< G, R
};

/// Adds what copies of the same shard exchange: w Φ/G over R ranks.
void add_copies(std::vector<DataCollective>& traffic, const Sharding& sharding, const Ranks& ranks, double weights,
                double gradients) {
  if (ranks.copies == 1) return;
  const auto add = [&](CollectiveKind kind, DataMoment moment, bool of_gradients) {
    const double whole = (of_gradients ? gradients : weights) / ranks.group;
    traffic.push_back({kind, moment, ranks.copying, of_gradients, ranks.copies, bytes_sent(kind, ranks.copies, whole)});
  };
  if (sharding.copies == CopySync::shard_optimizer) {
    add(CollectiveKind::reduce_scatter, DataMoment::after_backward, true);
    add(CollectiveKind::all_gather, DataMoment::next_forward, false);
    return;
  }
  const bool each = sharding.copies == CopySync::each_micro_batch && !keeps_gradients(sharding);
  // Instances of a distributed optimizer follow each bucket's reduce-scatter (Megatron-LM, param_and_grad_buffer.py).
  const DataMoment once = sharding.level <= 1 ? DataMoment::last_backward : DataMoment::after_backward;
  add(CollectiveKind::all_reduce, each ? DataMoment::every_backward : once, true);
}

void add_class(std::vector<DataCollective>& traffic, const Sharding& sharding, const Ranks& ranks, double weights,
               double gradients) {
  const auto add = [&](CollectiveKind kind, DataMoment moment, bool of_gradients) {
    if (ranks.group == 1) return;
    const double whole = of_gradients ? gradients : weights;
    traffic.push_back({kind, moment, ranks.sharing, of_gradients, ranks.group, bytes_sent(kind, ranks.group, whole)});
  };
  const bool whole_step = sharding.level == 3 && sharding.reshard == Reshard::after_step;
  if (sharding.level == 0) add(CollectiveKind::all_reduce, DataMoment::last_backward, true);
  if (sharding.level == 2 || whole_step) add(CollectiveKind::all_gather, DataMoment::first_forward, false);
  if (sharding.level == 3 && !whole_step) {
    add(CollectiveKind::all_gather, DataMoment::every_forward, false);
    if (sharding.reshard == Reshard::after_forward) add(CollectiveKind::all_gather, DataMoment::every_backward, false);
  }
  if (sharding.level == 1) add(CollectiveKind::reduce_scatter, DataMoment::last_backward, true);
  if (sharding.level >= 2)
    add(CollectiveKind::reduce_scatter,
        keeps_gradients(sharding) ? DataMoment::after_backward : DataMoment::every_backward, true);
  add_copies(traffic, sharding, ranks, weights, gradients);
  if (sharding.level == 1) add(CollectiveKind::all_gather, DataMoment::next_forward, false);
}

}  // namespace

std::vector<DataCollective> data_traffic(const Sharding& sharding, const plan::StageDegrees& degrees,
                                         const RankWeights& weights, const WireBytes& wire) {
  using plan::GroupFamily;
  std::vector<DataCollective> traffic;
  const auto add = [&](const Ranks& ranks, double count) {
    if (count > 0) add_class(traffic, sharding, ranks, wire.weights * count, wire.gradients * count);
  };
  if (weights.tensor_reduced > 0 && degrees.tensor > 1)  // parallelism.md, section 2
    traffic.push_back(
        {CollectiveKind::all_reduce, DataMoment::after_backward, GroupFamily::tensor, true, degrees.tensor,
         bytes_sent(CollectiveKind::all_reduce, degrees.tensor, wire.gradients * weights.tensor_reduced)});
  add({GroupFamily::sharding, GroupFamily::sharding_copies, degrees.sharding, degrees.copies}, weights.dense);
  add({GroupFamily::expert_sharding, GroupFamily::expert_sharding_copies, degrees.expert_sharding, degrees.copies},
      weights.expert);
  return traffic;
}

double bytes_per_step(const std::vector<DataCollective>& traffic, int micro_batches) {
  double sum = 0;
  for (const DataCollective& one : traffic) {
    const bool each = one.moment == DataMoment::every_forward || one.moment == DataMoment::every_backward;
    sum += one.bytes * (each ? micro_batches : 1);
  }
  return sum;
}

}  // namespace pipedeck::cost
