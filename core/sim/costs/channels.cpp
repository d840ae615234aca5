// SPDX-License-Identifier: Apache-2.0
#include "core/sim/costs/channels.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "core/cost/compute.hpp"

namespace pipedeck::sim::costs {
namespace {

/// The two devices, or in the `ideal` network the two nodes that they are in.
using ResourceKey = std::tuple<bool, int, int>;

struct Slice {
  int from = 0, to = 0;  // workers
  int samples = 0;
};

class Builder {
 public:
  Builder(const SimulatorInputs& inputs, const Plan& plan, const PlanCosts& costs)
      : inputs_(inputs), plan_(plan), costs_(costs) {
    channels_.activations.resize(costs.workers.size());
    channels_.gradients.resize(costs.workers.size());
    channels_.awaited_activations.resize(costs.workers.size(), 0);
    channels_.awaited_gradients.resize(costs.workers.size(), 0);
  }

  Channels run() {
    const int copies = static_cast<int>(costs_.chunks.size() / plan_.stages.size());
    for (std::size_t s = 0; s + 1 < plan_.stages.size(); ++s) {
      if (!plan_.synchronous()) add_turns(s);
      for (int copy = 0; plan_.synchronous() && copy < copies; ++copy) add_cut(s, copy);
    }
    return std::move(channels_);
  }

 private:
  int worker(std::size_t stage, int copy, int replica) const {
    return static_cast<int>(costs_.stages[stage].first_worker) + copy * plan_.stages[stage].replicas() + replica;
  }
  DeviceId lead(int worker) const { return costs_.workers[static_cast<std::size_t>(worker)].devices.front(); }

  /// Split, concat and many-to-many: each pair of replicas exchanges the samples that both hold.
  void add_cut(std::size_t s, int copy) {
    std::vector<Slice> slices;
    for (int a = 0, b = 0; a < plan_.stages[s].replicas() && b < plan_.stages[s + 1].replicas();) {
      const StageReplicaCosts& from = costs_.workers[static_cast<std::size_t>(worker(s, copy, a))];
      const StageReplicaCosts& to = costs_.workers[static_cast<std::size_t>(worker(s + 1, copy, b))];
      const int samples = std::min(from.high, to.high) - std::max(from.low, to.low);
      if (samples > 0) slices.push_back({worker(s, copy, a), worker(s + 1, copy, b), samples});
      from.high <= to.high ? ++a : ++b;  // samples are in order on both sides
    }
    for (const int a : all_of(s, copy)) channels_.activations[static_cast<std::size_t>(a)].turns.resize(1);
    for (const int b : all_of(s + 1, copy)) channels_.gradients[static_cast<std::size_t>(b)].turns.resize(1);
    for (const bool gradient : {false, true}) add_channels(s, slices, gradient);
  }

  std::vector<int> all_of(std::size_t stage, int copy) const {
    std::vector<int> workers(static_cast<std::size_t>(plan_.stages[stage].replicas()));
    std::iota(workers.begin(), workers.end(), worker(stage, copy, 0));
    return workers;
  }

  void add_channels(std::size_t s, const std::vector<Slice>& slices, bool gradient) {
    std::map<ResourceKey, std::vector<Slice>> by_resource;
    for (Slice slice : slices) {
      if (gradient) std::swap(slice.from, slice.to);
      by_resource[key(slice)].push_back(slice);
    }
    for (const auto& [resource, members] : by_resource) {
      const int id = add_channel(s, members, gradient);
      const Channel& channel = channels_.all[static_cast<std::size_t>(id)];
      for (const int from : channel.sources)
        (gradient ? channels_.gradients : channels_.activations)[static_cast<std::size_t>(from)].turns[0].push_back(id);
      for (const int to : channel.targets)
        ++(gradient ? channels_.awaited_gradients : channels_.awaited_activations)[static_cast<std::size_t>(to)];
    }
  }

  /// Round-robin: mini-batch b goes from replica b mod r to replica b mod q, whole.
  void add_turns(std::size_t s) {
    const int r = plan_.stages[s].replicas(), q = plan_.stages[s + 1].replicas();
    const int period = std::lcm(r, q);
    for (int b = 0; b < period; ++b) {
      const Slice slice{worker(s, 0, b % r), worker(s + 1, 0, b % q), plan_.micro_batch};
      const int forth = add_channel(s, {slice}, false);
      const int back = add_channel(s, {{slice.to, slice.from, slice.samples}}, true);
      channels_.activations[static_cast<std::size_t>(slice.from)].turns.push_back({forth});
      channels_.gradients[static_cast<std::size_t>(slice.to)].turns.push_back({back});
      channels_.awaited_activations[static_cast<std::size_t>(slice.to)] = 1;
      channels_.awaited_gradients[static_cast<std::size_t>(slice.from)] = 1;
    }
  }

  /// Slices of the cut behind stage `s`, all over one resource.
  int add_channel(std::size_t s, const std::vector<Slice>& slices, bool gradient) {
    Channel channel;
    channel.stage = static_cast<int>(gradient ? s + 1 : s);
    channel.gradient = gradient;
    const bool local = lead(slices.front().from) == lead(slices.front().to);
    channel.resource = local ? Channel::local : resource(slices);
    int samples = 0;
    double latency = 0, seconds_a_byte = 0;  // with a bandwidth matrix pairs of a node pair may differ: the slowest
    for (const Slice& slice : slices) {
      if (!local) {
        const cost::Path& path = inputs_.network.path(lead(slice.from), lead(slice.to));
        latency = std::max(latency, path.latency.count);
        seconds_a_byte = std::max(seconds_a_byte, 1 / path.bandwidth.count);
      }
      samples += slice.samples;
      add_end(channel.sources, channel.sent, slice.from, held(s, slice.samples));
      add_end(channel.targets, channel.received, slice.to, held(s, slice.samples));
    }
    channel.duration =
        round_to_nanoseconds(Seconds(latency + static_cast<double>(bytes(s, samples).count) * seconds_a_byte)).count;
    channels_.all.push_back(std::move(channel));
    return static_cast<int>(channels_.all.size()) - 1;
  }

  static void add_end(std::vector<int>& workers, std::vector<Bytes>& sizes, int worker, Bytes bytes) {
    const auto known = std::find(workers.begin(), workers.end(), worker);
    if (known != workers.end()) {
      sizes[static_cast<std::size_t>(known - workers.begin())] += bytes;
      return;
    }
    workers.push_back(worker);
    sizes.push_back(bytes);
  }

  Bytes bytes(std::size_t s, int samples) const {
    return cost::scale_bytes(costs_.cuts[static_cast<std::size_t>(plan_.stages[s].last)], samples,
                             inputs_.profile->micro_batch);
  }

  /// For one device at either end: between stages with the same sharding a tensor may be column-sharded.
  Bytes held(std::size_t s, int samples) const {
    return cost::scale_bytes(costs_.held_cuts[static_cast<std::size_t>(plan_.stages[s].last)], samples,
                             inputs_.profile->micro_batch);
  }

  ResourceKey key(const Slice& slice) const {
    const DeviceId from = lead(slice.from), to = lead(slice.to);
    const NodeId a = inputs_.network.node_of(from), b = inputs_.network.node_of(to);
    const bool by_device = inputs_.conventions.network == NetworkModel::shared || inputs_.network.has_own_ports(a, b);
    return by_device ? ResourceKey{false, from.value, to.value} : ResourceKey{true, a.value, b.value};
  }

  int resource(const std::vector<Slice>& slices) {
    const auto [known, fresh] = resources_.emplace(key(slices.front()), static_cast<int>(channels_.resources.size()));
    if (fresh) channels_.resources.push_back({lead(slices.front().from), lead(slices.front().to)});
    Resource& shared = channels_.resources[static_cast<std::size_t>(known->second)];
    for (const Slice& slice : slices) {
      shared.from = std::min(shared.from, lead(slice.from));
      shared.to = std::min(shared.to, lead(slice.to));
    }
    return known->second;
  }

  const SimulatorInputs& inputs_;
  const Plan& plan_;
  const PlanCosts& costs_;
  std::map<ResourceKey, int> resources_;
  Channels channels_;
};

}  // namespace

Channels channels_of(const SimulatorInputs& inputs, const Plan& plan, const PlanCosts& costs) {
  return Builder(inputs, plan, costs).run();
}

}  // namespace pipedeck::sim::costs
