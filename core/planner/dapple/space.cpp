// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple/space.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "core/cost/memory.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

namespace {

constexpr std::int32_t unknown = -1;

}  // namespace

Space::Space(search::Chain& chain, Places& places, int micro_batch, const SpaceOptions& options)
    : chain_(chain),
      places_(places),
      micro_batch_(micro_batch),
      micro_batches_(chain.workload().global_batch / micro_batch),
      options_(options) {
  for (int d = 0; d < chain.devices(); ++d) largest_ = std::max(largest_, chain.network().type(DeviceId(d)).memory);
  for (const auto& [layer, device] : chain.problem().pins.layers) {
    const auto found = std::find(chain.order().begin(), chain.order().end(), layer);
    pins_.push_back({static_cast<int>(found - chain.order().begin()), device});
  }
}

Space::StageCost& Space::cost(int state) {
  if (costs_.size() <= search::at(state)) costs_.resize(search::at(std::max(state + 1, places_.states())));
  StageCost& cost = costs_[search::at(state)];
  if (cost.ready) return cost;
  cost.ready = true;
  const cost::Network& network = chain_.network();
  const std::vector<DeviceId>& devices = places_.devices(state);
  const std::vector<int> samples = replica_samples(search::stage_on(0, 0, devices), micro_batch_);
  std::set<std::pair<int, int>> kinds;  // samples, type
  std::set<int> types;
  for (std::size_t d = 0; d < devices.size(); ++d) kinds.insert({samples[d], network.device(devices[d]).type});
  for (const auto& [count, type] : kinds) {
    cost.replicas.push_back(&chain_.times(count, type));
    types.insert(type);
  }
  cost.types.assign(types.begin(), types.end());
  std::set<std::pair<int, std::int64_t>> memory;
  for (std::size_t d = 0; d < devices.size(); ++d) memory.insert({samples[d], network.type(devices[d]).memory.count});
  cost.memory.assign(memory.begin(), memory.end());
  cost.keeps = &keeps_[{static_cast<int>(devices.size()), cost.memory}];
  return cost;
}

Step Space::compute(int state, int first, int last, DappleCostKind measure) {
  const bool sure = measure == DappleCostKind::lower_bound;
  const StageCost& where = cost(state);
  Step step;
  double slowest = 0, longest_backward = 0;
  bool any = false;
  for (const search::PassTimes* times : where.replicas) {
    const double forward = times->forward_of(first, last), again = options_.recompute ? forward : 0;
    const double backward = times->backward_of(first, last) + (sure ? 0 : again);
    slowest = std::max(slowest, forward + backward + (sure ? again : 0));
    longest_backward = std::max(longest_backward, backward);
    step.forward = any && sure ? std::min(step.forward, forward) : std::max(step.forward, forward);
    step.backward = any && sure ? std::min(step.backward, backward) : std::max(step.backward, backward);
    any = true;
  }
  step.pivot = micro_batches_ * (sure ? slowest : step.forward + step.backward);
  const Bytes parameters = chain_.parameters(first, last);
  step.all_reduce = places_.all_reduce(state, parameters);
  if (sure && chain_.workload().conventions.overlap != Overlap::none)
    step.all_reduce = overlapped_tail(step.all_reduce, places_.all_reduce(state, chain_.parameters(first, first + 1)),
                                      longest_backward);
  if (sure) {
    double optimizer = 0;
    for (const int type : where.types)
      optimizer =
          std::max(optimizer, cost::optimizer_time(parameters, chain_.workload().optimizer, chain_.workload().precision,
                                                   chain_.network().types()[search::at(type)])
                                  .count);
    step.all_reduce += optimizer;
  }
  return step;
}

/// Slices that cross the same pair of nodes are one transfer. The pair of devices counts inside a node and between
/// nodes with network cards per device.
std::vector<Space::Slice> Space::slices(int from, int to) const {
  const cost::Network& network = chain_.network();
  const std::vector<DeviceId>&senders = places_.devices(from), &receivers = places_.devices(to);
  const std::vector<int> sent = replica_samples(search::stage_on(0, 0, senders), micro_batch_);
  const std::vector<int> got = replica_samples(search::stage_on(0, 0, receivers), micro_batch_);
  std::vector<std::pair<std::array<int, 3>, Slice>> found;
  std::size_t a = 0, b = 0;
  for (int done = 0, a_end = sent[0], b_end = got[0]; done < micro_batch_;) {
    const int end = std::min(a_end, b_end);
    const NodeId x = network.node_of(senders[a]), y = network.node_of(receivers[b]);
    const std::array<int, 3> key = network.has_own_ports(x, y) ? std::array{0, senders[a].value, receivers[b].value}
                                                               : std::array{1, x.value, y.value};
    const cost::Path &there = network.path(senders[a], receivers[b]), &back = network.path(receivers[b], senders[a]);
    auto known = std::find_if(found.begin(), found.end(), [&](const auto& other) { return other.first == key; });
    if (known == found.end())
      known = found.insert(known, {key, Slice{0, 0, 0, there.bandwidth.count, back.bandwidth.count}});
    Slice& slice = known->second;
    slice.samples += end - done;
    slice.latency = std::max(slice.latency, there.latency.count);
    slice.back_latency = std::max(slice.back_latency, back.latency.count);
    slice.bandwidth = std::min(slice.bandwidth, there.bandwidth.count);
    slice.back_bandwidth = std::min(slice.back_bandwidth, back.bandwidth.count);
    done = end;
    if (done == a_end && done < micro_batch_) a_end += sent[++a];
    if (done == b_end && done < micro_batch_) b_end += got[++b];
  }
  std::vector<Slice> all;  // with distinct times
  for (const auto& [key, slice] : found) {
    const auto same = [&s = slice](const Slice& o) {
      return o.samples == s.samples && o.latency == s.latency && o.back_latency == s.back_latency &&
             o.bandwidth == s.bandwidth && o.back_bandwidth == s.back_bandwidth;
    };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(slice);
  }
  return all;
}

Step Space::transfer(int from, int to, int cut, DappleCostKind measure) {
  const auto [found, added] =
      slices_.try_emplace(static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to));
  if (added) {
    const std::vector<Slice> all = slices(from, to);
    found->second.assign(all.begin(), all.end());
  }
  const double more = micro_batches_ - 1;
  Step longest,
      shortest{.forward = std::numeric_limits<double>::infinity(), .backward = std::numeric_limits<double>::infinity()};
  for (const Slice& slice : found->second) {
    const double bytes = static_cast<double>(chain_.cut(cut, slice.samples).count);
    const double there = slice.latency + bytes / slice.bandwidth,
                 back = slice.back_latency + bytes / slice.back_bandwidth;
    longest.forward = std::max(longest.forward, there);
    longest.backward = std::max(longest.backward, back);
    shortest.forward = std::min(shortest.forward, there);
    shortest.backward = std::min(shortest.backward, back);
    // Links are full-duplex: the longer direction decides.
    shortest.pivot = std::max(shortest.pivot, there + back + more * std::max(there, back));
  }
  if (measure == DappleCostKind::lower_bound) return shortest;
  longest.pivot = longest.forward + longest.backward + more * std::max(longest.forward, longest.backward);
  return longest;
}

bool Space::satisfies_constraints(int state, int first, int last) const {
  const std::vector<DeviceId>& devices = places_.devices(state);
  return std::all_of(pins_.begin(), pins_.end(), [&](const auto& pin) {
    return pin.first < first || pin.first >= last || std::binary_search(devices.begin(), devices.end(), pin.second);
  });
}

int Space::max_in_flight(int state, int first, int last) {
  if (!pins_.empty() && !satisfies_constraints(state, first, last)) return 0;
  if (options_.ignore_memory) return micro_batches_;
  const StageCost& where = cost(state);
  const std::size_t width = search::at(layers()) + 1;
  if (where.keeps->empty()) where.keeps->assign(width * width, unknown);
  std::int32_t& known = (*where.keeps)[search::at(first) * width + search::at(last)];
  if (known == unknown) known = fitting(static_cast<int>(places_.devices(state).size()), where.memory, first, last);
  return known;
}

int Space::most_in_flight(int replicas, int first, int last) {
  if (options_.ignore_memory) return micro_batches_;
  const int samples = (micro_batch_ + replicas - 1) / replicas;
  return fitting(replicas, {{samples, largest_.count}}, first, last);
}

int Space::longest_fitting(int first, int replicas) {
  if (options_.ignore_memory) return layers() - first;
  const int samples = (micro_batch_ + replicas - 1) / replicas;
  int fits = 0;
  for (int high = layers() - first; fits < high;) {  // the need grows with every layer
    const int middle = fits + (high - fits + 1) / 2;
    const search::StageNeed need =
        search::stage_need(chain_, first, first + middle, replicas, samples, options_.recompute);
    const Bytes inside = options_.recompute ? Bytes() : need.kept;
    if (need.fixed + need.once + need.workspace + inside <= largest_)
      fits = middle;
    else
      high = middle - 1;
  }
  return fits;
}

/// The most k of StageNeed::peak(k, k) <= capacity on every device, which is a line for each of its two cases.
std::int32_t Space::fitting(int replicas, const MemoryKinds& memory, int first, int last) {
  const auto most = [&](std::int64_t room, std::int64_t each) -> std::int64_t {
    if (room < 0) return 0;
    return each == 0 ? micro_batches_ : room / each;
  };
  std::int64_t least = micro_batches_;
  for (const auto& [samples, capacity] : memory) {
    const search::StageNeed need = search::stage_need(chain_, first, last, replicas, samples, options_.recompute);
    const std::int64_t free = capacity - (need.fixed + need.once + need.workspace).count;
    const std::int64_t kept = (need.kept + need.output).count, input = need.input.count;
    least = std::min({least, most(free - input, kept), most(free - kept, input)});
  }
  return static_cast<std::int32_t>(least);
}

}  // namespace pipedeck::planner::dapple
