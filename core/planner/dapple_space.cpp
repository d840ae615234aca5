// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple_space.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "core/cost/collective.hpp"

namespace pipedeck {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double probe = 0x1p40;  // bytes, to read the slope of a line

}  // namespace

DappleSpace::DappleSpace(Chain& chain, int micro_batch, const DappleSpaceOptions& options)
    : chain_(chain), micro_batch_(micro_batch), options_(options) {
  const Network& network = chain.network();
  nodes_.resize(at(network.node_count()));
  for (int d = 0; d < network.device_count(); ++d) nodes_[network.node_of(DeviceId(d)).index()].push_back(DeviceId(d));
  for (const auto& node : nodes_) sizes_.push_back(static_cast<int>(node.size()));
  intern({std::vector<int>(nodes_.size(), 0), {}, network.device_count()});
  measure_work();
  narrowest_ = std::numeric_limits<double>::infinity();
  for (const DeviceId a : network.representatives())
    for (const DeviceId b : network.representatives()) {
      if (a == b) continue;
      longest_latency_ = std::max(longest_latency_, network.path(a, b).latency.count);
      narrowest_ = std::min(narrowest_, network.path(a, b).bandwidth.count);
    }
}

int DappleSpace::intern(State state) {
  const auto [found, added] = index_.try_emplace({state.used, state.stage}, static_cast<int>(states_.size()));
  if (added) {
    groups_.push_back(group_index_.try_emplace(state.used, static_cast<int>(group_index_.size())).first->second);
    states_.push_back(std::move(state));
    hops_.emplace_back();
    expanded_.push_back(false);
    costs_.emplace_back();
  }
  return found->second;
}

const std::vector<DappleSpace::Hop>& DappleSpace::hops(int from) {
  if (expanded_[at(from)]) return hops_[at(from)];
  expanded_[at(from)] = true;
  const State state = states_[at(from)];
  const int most = std::min(state.left, micro_batch_ / options_.slice);
  std::vector<Hop> found;
  for (int wanted = 1; wanted <= most; ++wanted) {
    std::set<std::vector<int>> seen;
    for (const auto policy :
         {PlacementPolicy::fresh_first, PlacementPolicy::append_first, PlacementPolicy::scatter_first}) {
      const auto taken = place(policy, sizes_, state.used, wanted);
      if (!taken || !seen.insert(*taken).second) continue;
      State next{state.used, {}, state.left - wanted};
      for (std::size_t n = 0; n < nodes_.size(); ++n)
        for (int i = 0; i < (*taken)[n]; ++i) next.stage.push_back(nodes_[n][at(next.used[n]++)]);
      found.push_back({intern(std::move(next)), wanted});
    }
  }
  return hops_[at(from)] = std::move(found);
}

const DappleSpace::StageCost& DappleSpace::cost(int state) {
  StageCost& cost = costs_[at(state)];
  if (cost.ready) return cost;
  cost.ready = true;
  const Network& network = chain_.network();
  const std::vector<DeviceId>& devices = states_[at(state)].stage;
  const std::vector<int> samples = replica_samples(stage_on(0, 0, devices), micro_batch_);
  std::set<std::pair<int, int>> kinds;  // samples, type
  for (std::size_t d = 0; d < devices.size(); ++d) kinds.insert({samples[d], network.device(devices[d]).type});
  for (const auto& [count, type] : kinds) cost.replicas.push_back(&chain_.times(count, type));
  cost.capacity = capacity_of(network, devices);
  cost.fits = &fits_[{static_cast<int>(devices.size()), cost.capacity.count}];
  if (devices.size() < 2) return cost;
  // Both times are lines in the bytes (for any but 0): read off at two points.
  const auto line = [&](auto all_reduce, double& start, double& slope) {
    const double one = all_reduce(network, devices, Bytes(1)).count;
    const double large = all_reduce(network, devices, Bytes(static_cast<std::int64_t>(probe))).count;
    slope = (large - one) / (probe - 1);
    start = one - slope;
  };
  line(ring_all_reduce, cost.ring, cost.ring_slope);
  line(hierarchical_all_reduce, cost.tree, cost.tree_slope);
  return cost;
}

double DappleSpace::all_reduce(int state, Bytes bytes) {
  if (bytes.count == 0) return 0;
  const StageCost& line = cost(state);
  const double size = static_cast<double>(bytes.count);
  return std::min(line.ring + line.ring_slope * size, line.tree + line.tree_slope * size);
}

DappleStep DappleSpace::compute(int state, int first, int last) {
  DappleStep step;
  for (const PassTimes* times : cost(state).replicas) {
    const double forward = times->forward_of(first, last);
    step.forward = std::max(step.forward, forward);
    step.backward = std::max(step.backward, times->backward_of(first, last) + (options_.recompute ? forward : 0));
  }
  return step;
}

/// Slices that cross the same pair of nodes are one transfer; inside a node the pair of devices counts.
std::vector<DappleSpace::Slice> DappleSpace::slices(int from, int to) const {
  const Network& network = chain_.network();
  const std::vector<DeviceId>&senders = states_[at(from)].stage, &receivers = states_[at(to)].stage;
  const std::vector<int> sent = replica_samples(stage_on(0, 0, senders), micro_batch_);
  const std::vector<int> got = replica_samples(stage_on(0, 0, receivers), micro_batch_);
  std::map<std::array<int, 3>, Slice> found;
  std::size_t a = 0, b = 0;
  for (int done = 0, a_end = sent[0], b_end = got[0]; done < micro_batch_;) {
    const int end = std::min(a_end, b_end);
    const NodeId x = network.node_of(senders[a]), y = network.node_of(receivers[b]);
    const std::array<int, 3> key =
        x == y ? std::array{0, senders[a].value, receivers[b].value} : std::array{1, x.value, y.value};
    const Path &there = network.path(senders[a], receivers[b]), &back = network.path(receivers[b], senders[a]);
    Slice& slice = found.try_emplace(key, Slice{0, 0, 0, there.bandwidth.count, back.bandwidth.count}).first->second;
    slice.samples += end - done;
    slice.latency = std::max(slice.latency, there.latency.count);
    slice.back_latency = std::max(slice.back_latency, back.latency.count);
    slice.bandwidth = std::min(slice.bandwidth, there.bandwidth.count);
    slice.back_bandwidth = std::min(slice.back_bandwidth, back.bandwidth.count);
    done = end;
    if (done == a_end && done < micro_batch_) a_end += sent[++a];
    if (done == b_end && done < micro_batch_) b_end += got[++b];
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

DappleStep DappleSpace::transfer(int from, int to, int cut) {
  const auto [found, added] = slices_.try_emplace({from, to});
  if (added) found->second = slices(from, to);
  DappleStep step;
  for (const Slice& slice : found->second) {
    const double bytes = static_cast<double>(chain_.cut(cut, slice.samples).count);
    step.forward = std::max(step.forward, slice.latency + bytes / slice.bandwidth);
    step.backward = std::max(step.backward, slice.back_latency + bytes / slice.back_bandwidth);
  }
  return step;
}

DappleStep DappleSpace::slowest_transfer(int cut) const {
  const double time = longest_latency_ + static_cast<double>(chain_.cut(cut, micro_batch_).count) / narrowest_;
  return {time, time, 0};
}

bool DappleSpace::fits(int state, int first, int last) {
  if (options_.ignore_memory) return true;
  const StageCost& where = cost(state);
  const std::size_t width = at(chain_.layers()) + 1;
  if (where.fits->empty()) where.fits->assign(width * width, -1);
  signed char& known = (*where.fits)[at(first) * width + at(last)];
  if (known < 0) {
    const int replicas = static_cast<int>(states_[at(state)].stage.size());
    const int samples = (micro_batch_ + replicas - 1) / replicas;
    const StageNeed need = stage_need(chain_, first, last, replicas, samples, options_.recompute);
    known = need.peak(1, 1) <= where.capacity;
  }
  memory_refused_ |= known == 0;
  return known == 1;
}

/// A layer on r devices takes r times its passes of ceil(micro-batch / r) samples: the least of that, over r and types.
void DappleSpace::measure_work() {
  const int layers = chain_.layers();
  work_.assign(at(layers) + 1, 0);
  std::vector<double> least(at(layers), std::numeric_limits<double>::infinity());
  const int most = std::min(chain_.devices(), micro_batch_ / options_.slice);
  std::set<int> types;
  for (int d = 0; d < chain_.devices(); ++d) types.insert(chain_.network().device(DeviceId(d)).type);
  for (int r = 1; r <= most; ++r)
    for (const int type : types) {
      const PassTimes& times = chain_.times((micro_batch_ + r - 1) / r, type);
      for (int l = 0; l < layers; ++l) {
        const double forward = times.forward_of(l, l + 1) * (options_.recompute ? 2 : 1);
        least[at(l)] = std::min(least[at(l)], r * (forward + times.backward_of(l, l + 1)));
      }
    }
  for (int l = layers - 1; l >= 0; --l) work_[at(l)] = work_[at(l) + 1] + (most > 0 ? least[at(l)] : 0);
}

}  // namespace pipedeck
