// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/costs.hpp"

#include <algorithm>
#include <array>

#include "core/cost/compute.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/plan/sharding_path.hpp"
#include "core/planner/search/arithmetic.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::joint {

namespace {

constexpr std::size_t max_held = 20'000'000;  // numbers in columns: a layer graph has thousands of places

}  // namespace

JointCosts::JointCosts(Layers& layers, int slice, bool ignore_memory)
    : layers_(layers), slice_(slice), ignore_memory_(ignore_memory) {}

// --- stages

/// The slowest type of the replica's devices counts, layer by layer, and what tensor parallelism all-reduces.
const search::PassTimes& JointCosts::passes_of(const Kind& kind) {
  if (kind.degree == 1) return layers_.times(kind.samples, kind.types.front());
  const auto [found, added] = split_.try_emplace(kind);
  if (!added) return found->second;
  const auto passes = [&](const Layer& layer) {
    Passes slowest{0, 0};
    for (const TensorParallelPoint& point : layer.tensor_parallel) {
      if (point.degree != kind.degree) continue;
      for (const int type : kind.types) {
        const cost::LayerTimes times = cost::layer_times(chain().profile(), layer, kind.samples, chain().cluster(),
                                                         chain().cluster().device_types[search::at(type)], kind.degree);
        slowest.forward = std::max(slowest.forward, times.forward.count);
        slowest.backward = std::max(slowest.backward, times.backward.count);
      }
      const auto reduce = [&](Bytes bytes) {
        return kind.inside.of(
            static_cast<double>(cost::scale_bytes(bytes, kind.samples, chain().profile().micro_batch).count));
      };
      slowest.forward += reduce(point.forward_allreduce);
      slowest.backward += reduce(point.backward_allreduce);
    }
    return slowest;
  };
  found->second.forward = layers_.sums<double>([&](const Layer& layer) { return passes(layer).forward; });
  found->second.backward = layers_.sums<double>([&](const Layer& layer) { return passes(layer).backward; });
  return found->second;
}

bool JointCosts::splittable(int degree, int first, int last) {
  if (degree == 1) return true;
  const auto [found, added] = unsplittable_.try_emplace(degree);
  std::vector<int>& count = found->second;
  if (added) count = layers_.sums<int>([&](const Layer& layer) { return !plan::is_shardable(layer, degree); });
  return count[search::at(last)] == count[search::at(first)];
}

JointCosts::Passes JointCosts::passes(int team, int first, int last) const {
  Passes slowest{0, 0};
  for (const search::PassTimes* kind : costs_[search::at(teams_[search::at(team)].cost)].passes) {
    slowest.forward = std::max(slowest.forward, kind->forward_of(first, last));
    slowest.backward = std::max(slowest.backward, kind->backward_of(first, last));
  }
  return slowest;
}

double JointCosts::epilogue(int team, int first, int last) {
  Cost& cost = costs_[search::at(teams_[search::at(team)].cost)];
  if (cost.tails[search::at(last)].empty()) fill_epilogues(cost, last);
  return cost.tails[search::at(last)][search::at(first)];
}

/// Makes room for `numbers` more numbers. Clears all columns if they become too many.
void JointCosts::evict(std::size_t numbers) {
  if (held_ + numbers > max_held) {
    for (Cost& cost : costs_) {
      for (auto& column : cost.tails) column = {};
      for (auto& columns : cost.kept)
        for (auto& column : columns) column = {};
    }
    held_ = 0;
  }
  held_ += numbers;
}

/// Fills a column of tails. With overlap by layer an all-reduce starts when the previous one has ended and the layer's
/// backward is done; else there is one after the last backward.
void JointCosts::fill_epilogues(Cost& cost, int last) {
  evict(search::at(last) + 1);
  const bool by_layer = chain().workload().conventions.overlap == Overlap::layer;
  const auto reduce = [&](int first, int end) {
    const std::int64_t bytes = plan::share_of(layers_.weights(first, end), cost.key.degree).count;
    double slowest = 0;
    for (const Line& line : cost.key.lines) slowest = std::max(slowest, line.of(static_cast<double>(bytes)));
    return slowest;
  };
  std::vector<double>& tails = cost.tails[search::at(last)];
  tails.assign(search::at(last) + 1, 0);
  free_.assign(search::at(last) + 1, 0);  // when the all-reduces behind a place have ended
  const auto inner = layers_.ideals().subsets(last);
  for (std::size_t i = inner.size(); i-- > 0;) {
    const int first = inner[i];
    double done = 0;
    for (const search::PassTimes* kind : cost.passes) done = std::max(done, kind->backward_of(first, last));
    double& free = free_[search::at(first)];
    if (!by_layer) {
      free = done + reduce(first, last);
    } else {
      const int next = layers_.next(first, last);
      free = free_[search::at(next)];
      if (layers_.weights(first, next).all.count > 0 && !cost.key.lines.empty())
        free = std::max(free, done) + reduce(first, next);
    }
    const auto own = static_cast<double>(plan::share_of(layers_.weights(first, last), cost.key.degree).count);
    tails[search::at(first)] = std::max(0.0, free - done) + own * cost.key.step;
  }
}

JointCosts::Passes JointCosts::on_type(int type, int degree, int samples, int first, int last) {
  const search::PassTimes& times = passes_of({samples, degree, {type}, {}});
  return {times.forward_of(first, last), times.backward_of(first, last)};
}

int JointCosts::max_in_flight(int team, int first, int last, bool recompute, Room room) {
  if (ignore_memory_) return unlimited;
  Cost& cost = costs_[search::at(teams_[search::at(team)].cost)];
  std::vector<int>& column = cost.kept[(recompute ? 1u : 0u) + (room == Room::possible ? 2u : 0u)][search::at(last)];
  if (column.empty()) {
    evict(search::at(last) + 1);
    column.assign(search::at(last) + 1, -1);
  }
  int& known = column[search::at(first)];
  if (known < 0) known = count_kept(cost.key, first, last, recompute, room);
  return known;
}

/// Returns the number of micro-batches held if the stage before holds one more. StageNeed::peak is linear in the count.
int JointCosts::count_kept(const CostKey& key, int first, int last, bool recompute, Room how) {
  std::int64_t most = unlimited;
  for (const auto& [samples, capacity] : key.limits) {
    const search::StageNeed need =
        search::stage_need(chain().workload(), layers_.bytes(first, last, samples, key.degree, recompute), key.replicas,
                           recompute, 1, key.degree);
    if (how == Room::possible) {
      if (need.least_peak(1) > capacity) return 0;
      if (need.kept.count > 0) most = std::min(most, (capacity - need.certain).count / need.kept.count);
      continue;
    }
    if (need.peak(1, 1) > capacity) return 0;
    const std::int64_t room = (capacity - need.fixed - need.once - need.workspace).count;
    const std::int64_t each = (need.kept + need.output).count, input = need.input.count;
    if (each > 0) most = std::min(most, (room - 2 * input) / each);
    if (input > 0) most = std::min(most, (room - each) / input - 1);
  }
  return static_cast<int>(std::max<std::int64_t>(1, most));
}

// --- transfers

/// As in space.cpp: slices that cross the same pair of nodes are one transfer; the pair of devices counts inside a node
/// and between nodes with network cards per device. A replica's first device sends and receives for all.
std::vector<JointCosts::Slice> JointCosts::slices(const Team& from, const Team& to) const {
  const cost::Network& network = chain().network();
  std::map<std::array<int, 3>, Slice> found;
  std::size_t a = 0, b = 0;
  for (int done = 0, a_end = from.samples[0], b_end = to.samples[0]; done < from.micro_batch;) {
    const int end = std::min(a_end, b_end);
    const DeviceId sender = from.devices[a * search::at(from.degree)], receiver = to.devices[b * search::at(to.degree)];
    const NodeId x = network.node_of(sender), y = network.node_of(receiver);
    const std::array<int, 3> key =
        network.has_own_ports(x, y) ? std::array{0, sender.value, receiver.value} : std::array{1, x.value, y.value};
    const auto [known, added] = found.try_emplace(key);
    Slice& slice = known->second;
    if (added || !network.is_node_uniform()) {
      const cost::Path &there = network.path(sender, receiver), &back = network.path(receiver, sender);
      if (added) slice = {0, 0, 0, there.bandwidth.count, back.bandwidth.count};
      slice.latency = std::max(slice.latency, there.latency.count);
      slice.back_latency = std::max(slice.back_latency, back.latency.count);
      slice.bandwidth = std::min(slice.bandwidth, there.bandwidth.count);
      slice.back_bandwidth = std::min(slice.back_bandwidth, back.bandwidth.count);
    }
    slice.samples += end - done;
    done = end;
    if (done == a_end && done < from.micro_batch) a_end += from.samples[++a];
    if (done == b_end && done < from.micro_batch) b_end += to.samples[++b];
  }
  std::vector<Slice> all;
  for (const auto& [key, slice] : found) {
    const auto as_slow = [&s = slice](const Slice& o) {
      return o.samples >= s.samples && o.latency >= s.latency && o.back_latency >= s.back_latency &&
             o.bandwidth <= s.bandwidth && o.back_bandwidth <= s.back_bandwidth;
    };
    if (std::none_of(all.begin(), all.end(), as_slow)) all.push_back(slice);
  }
  return all;
}

JointCosts::Passes JointCosts::transfer(int from, int to, int place) {
  const std::uint64_t key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
  const auto [found, added] = slices_.try_emplace(key);
  if (added) found->second = slices(teams_[search::at(from)], teams_[search::at(to)]);
  Passes slowest{0, 0};
  for (const Slice& slice : found->second) {
    const double bytes = static_cast<double>(layers_.cut(place, slice.samples).count);
    slowest.forward = std::max(slowest.forward, slice.latency + bytes / slice.bandwidth);
    slowest.backward = std::max(slowest.backward, slice.back_latency + bytes / slice.back_bandwidth);
  }
  return slowest;
}

// --- plans

double JointCosts::closed_form(const Plan& plan) {
  if (!plan.synchronous()) return asynchronous_form(plan);
  const int more = plan.micro_batches - 1;
  JointSuffix suffix;
  int behind = -1;
  for (auto stage = plan.stages.rbegin(); stage != plan.stages.rend(); ++stage) {
    const int here = team_of(*stage, plan.micro_batch, true);
    if (behind >= 0) {
      const Passes between = transfer(here, behind, stage->last);
      suffix.add_transfer(between.forward, between.backward, more);
    }
    const Passes one = passes(here, stage->first, stage->last);
    const double again = stage->recompute.all ? one.forward : 0;
    suffix.add_stage(one.forward, one.backward + again, epilogue(here, stage->first, stage->last), more);
    behind = here;
  }
  return suffix.own;
}

/// Computes the time per mini-batch. Replicas take mini-batches in turn, so a stage takes its time over its replicas.
double JointCosts::asynchronous_form(const Plan& plan) {
  double slowest = 0;
  for (const Stage& stage : plan.stages) {
    const Passes one = passes(team_of(stage, plan.micro_batch, false), stage.first, stage.last);
    slowest = std::max(slowest, (one.forward + one.backward) / stage.replicas());
  }
  return slowest * plan.micro_batches;
}

}  // namespace pipedeck::planner::joint
