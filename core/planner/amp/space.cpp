// SPDX-License-Identifier: Apache-2.0
#include "core/planner/amp/space.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/cost/compute.hpp"
#include "core/cost/stage_sharding.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/plan/sharding_path.hpp"
#include "core/planner/search/arithmetic.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

namespace pipedeck::planner::amp {

namespace {

/// Returns 1 and all degrees by which every layer can be sharded.
std::vector<int> tensor_degrees(const Profile& profile, int devices) {
  std::vector<int> degrees{1};
  for (const TensorParallelPoint& point : profile.layers.front().tensor_parallel)
    if (point.degree > 1 && point.degree <= devices &&
        std::all_of(profile.layers.begin(), profile.layers.end(),
                    [&](const Layer& layer) { return plan::is_shardable(layer, point.degree); }))
      degrees.push_back(point.degree);
  std::sort(degrees.begin(), degrees.end());
  return degrees;
}

bool kept(const PlanConstraints& pins, const Strategy& strategy) {
  return strategy.stages == pins.stages.value_or(strategy.stages) &&
         strategy.stages <= pins.max_stages.value_or(strategy.stages) &&
         strategy.replicas == pins.replicas.value_or(strategy.replicas) &&
         strategy.tensor_parallel == pins.tensor_parallel.value_or(strategy.tensor_parallel);
}

}  // namespace

Result<std::vector<Strategy>> amp_strategies(const search::Chain& chain, const Options& options) {
  TRY(const auto sizes, search::micro_batch_choices(chain.workload(), 1));
  const int devices = chain.devices();
  std::vector<Strategy> strategies;
  for (int stages = 1; stages <= std::min(devices, chain.layers()); ++stages)
    for (int replicas = 1; replicas <= devices / stages; ++replicas)
      for (const int degree : tensor_degrees(chain.profile(), devices)) {
        Strategy strategy{stages, replicas, degree, 0};
        if (strategy.devices() > devices || (strategy.devices() < devices && !options.allow_idle)) continue;
        if (!kept(chain.problem().pins, strategy)) continue;
        for (const int size : sizes) {
          strategy.micro_batch = size;
          if (size % replicas == 0 && size / replicas >= options.slice) strategies.push_back(strategy);
        }
      }
  return strategies;
}

Placement megatron_placement(const Strategy& strategy) {
  Placement placement;
  for (int d = 0; d < strategy.devices(); ++d) placement.push_back(DeviceId(d));
  return placement;
}

std::vector<DeviceId> stage_devices(const Strategy& strategy, const Placement& placement, int stage) {
  const int count = strategy.replicas * strategy.tensor_parallel;
  const auto first = placement.begin() + stage * count;
  return {first, first + count};
}

/// Returns forward and backward of the layers before each position. The key of a group is its device types and, if it
/// reduces, its nodes, domains and paths.
const AmpCosts::Table& AmpCosts::pass_times(std::span<const DeviceId> group, int samples) {
  const cost::Network& network = chain_.network();
  std::vector<double> key{static_cast<double>(samples)};
  std::map<NodeId, int> nodes;
  std::map<int, int> domains;
  for (std::size_t i = 0; i < group.size(); ++i) {
    key.push_back(network.device(group[i]).type);
    if (group.size() == 1) break;
    key.push_back(nodes.emplace(network.node_of(group[i]), static_cast<int>(nodes.size())).first->second);
    key.push_back(domains.emplace(network.domain_of(group[i]), static_cast<int>(domains.size())).first->second);
    for (std::size_t j = 0; j < group.size(); ++j)
      if (i != j) {
        const cost::Path& path = network.path(group[i], group[j]);
        key.push_back(path.bandwidth.count), key.push_back(path.latency.count);
        key.push_back(network.widest_ring_path(group[i], group[j]).bandwidth.count);
      }
  }
  const auto [found, added] = times_.try_emplace(std::move(key));
  if (added) found->second = group_times(group, samples);
  return found->second;
}

/// Adds up the passes on the slowest device of the group and the all-reduces of each pass.
AmpCosts::Table AmpCosts::group_times(std::span<const DeviceId> group, int samples) const {
  const auto degree = static_cast<int>(group.size());
  std::set<int> types;
  for (const DeviceId device : group) types.insert(chain_.network().device(device).type);
  Table sums{0};
  for (const LayerId id : chain_.order()) {
    const Layer& layer = chain_.profile().layers[id.index()];
    double forward = 0, backward = 0;
    for (const int type : types) {
      const cost::LayerTimes times = cost::layer_times(chain_.profile(), layer, samples, chain_.cluster(),
                                                       chain_.cluster().device_types[search::at(type)], degree);
      forward = std::max(forward, times.forward.count);
      backward = std::max(backward, times.backward.count);
    }
    double sum = forward + backward;
    if (degree > 1) {
      const TensorParallelPoint& point = *plan::point_of_degree(layer, degree);
      for (const Bytes bytes : {point.forward_allreduce, point.backward_allreduce})
        sum +=
            cost::all_reduce(chain_.network(), group, cost::scale_bytes(bytes, samples, chain_.profile().micro_batch))
                .count;
    }
    sums.push_back(sums.back() + sum);
  }
  return sums;
}

/// Returns the cost of the activation and of the gradient back, each a path's latency and its bytes; as printed v / b.
AmpEdge AmpCosts::edge(DeviceId from, DeviceId to) const {
  const cost::Path &forth = chain_.network().path(from, to), &back = chain_.network().path(to, from);
  if (options_.printed) return {0, 1 / forth.bandwidth.count};
  return {forth.latency.count + back.latency.count, 1 / forth.bandwidth.count + 1 / back.bandwidth.count};
}

/// Returns the pipelines; pipeline d is replica d of every stage. Omits pipelines that another one dominates.
std::vector<Pipeline> AmpCosts::pipelines(const Strategy& strategy, const Placement& placement) {
  const int degree = strategy.tensor_parallel;
  const auto group = [&](int stage, int replica) {
    return std::span(placement).subspan(search::at((stage * strategy.replicas + replica) * degree), search::at(degree));
  };
  const auto covers = [](const Pipeline& a, const Pipeline& b) {  // a is nowhere quicker than b
    for (std::size_t s = 0; s < a.time.size(); ++s) {
      if (a.edge[s].fixed < b.edge[s].fixed || a.edge[s].per_byte < b.edge[s].per_byte) return false;
      if (a.time[s] == b.time[s]) continue;
      for (std::size_t p = 1; p < a.time[s]->size(); ++p)
        if ((*a.time[s])[p] - (*a.time[s])[p - 1] < (*b.time[s])[p] - (*b.time[s])[p - 1]) return false;
    }
    return true;
  };
  std::vector<Pipeline> unlike;
  for (int r = 0; r < strategy.replicas; ++r) {
    Pipeline pipeline;
    for (int s = 0; s < strategy.stages; ++s) {
      pipeline.time.push_back(&pass_times(group(s, r), strategy.samples()));
      pipeline.edge.push_back(s == 0 ? AmpEdge{} : edge(group(s - 1, r).front(), group(s, r).front()));
    }
    if (std::any_of(unlike.begin(), unlike.end(), [&](const Pipeline& other) { return covers(other, pipeline); }))
      continue;
    std::erase_if(unlike, [&](const Pipeline& other) { return covers(pipeline, other); });
    unlike.push_back(std::move(pipeline));
  }
  return unlike;
}

/// The groups of equal rank that reduce a stage's gradients, without those that others are never quicker than.
std::vector<cost::RingBottleneck> AmpCosts::rings(const Strategy& strategy, std::span<const DeviceId> devices) const {
  std::vector<cost::RingBottleneck> hops;
  for (int rank = 0; rank < strategy.tensor_parallel && strategy.replicas > 1; ++rank) {
    std::vector<DeviceId> group;
    for (std::size_t i = search::at(rank); i < devices.size(); i += search::at(strategy.tensor_parallel))
      group.push_back(devices[i]);
    const cost::RingBottleneck hop = cost::ring_bottleneck(chain_.network(), group);
    const auto covers = [](const cost::RingBottleneck& a, const cost::RingBottleneck& b) {
      return a.alpha >= b.alpha && a.beta <= b.beta && a.call >= b.call;
    };
    if (std::any_of(hops.begin(), hops.end(), [&](const cost::RingBottleneck& other) { return covers(other, hop); }))
      continue;
    std::erase_if(hops, [&](const cost::RingBottleneck& other) { return covers(hop, other); });
    hops.push_back(hop);
  }
  return hops;
}

/// Returns the shardings of all layers in order, taken as one stage with this degree. Empty if the profile has none.
std::vector<const ShardingCost*> AmpCosts::ways(int degree) const {
  Plan plan;
  plan.stages.push_back(search::stage_on(0, chain_.layers(), std::vector<DeviceId>(search::at(degree))));
  plan.stages.back().tensor_parallel = degree;
  return cost::stage_sharding(plan, chain_.profile(), chain_.order(), StageId(std::int32_t{0}));
}

/// With one micro-batch at a time on every stage: the warm-up can be shortened to that.
const std::vector<StageLimits>& AmpCosts::needs(const Strategy& strategy) {
  const auto [found, added] =
      needs_.try_emplace({0, strategy.replicas, strategy.tensor_parallel, strategy.micro_batch});
  std::vector<StageLimits>& needs = found->second;
  if (!added) return needs;
  const int layers = chain_.layers(), samples = strategy.samples(), degree = strategy.tensor_parallel;
  const std::vector<const ShardingCost*> all = ways(degree);
  const auto bytes = [&](int first, int last) {
    if (all.empty()) return search::stage_bytes(chain_, first, last, samples, degree);
    return search::stage_bytes(chain_, first, last, samples,
                               cost::figures_of(std::span(all).subspan(search::at(first), search::at(last - first))));
  };
  needs.resize(search::at(layers + 1) * search::at(layers + 1));
  for (int first = 0; first < layers; ++first)
    for (int last = first + 1; last <= layers; ++last) {
      search::StageBytes held = bytes(first, last);
      if (all.empty())
        search::add_recompute(chain_, held, first, last, samples, degree);
      else
        search::add_recompute(chain_, held, first, last, samples,
                              std::span(all).subspan(search::at(first), search::at(last - first)));
      const auto need = [&](bool recompute) {
        return search::stage_need(chain_.workload(), held, strategy.replicas, recompute, 1, degree);
      };
      const search::StageNeed plain = need(false), again = need(true);
      needs[search::at(first) * search::at(layers + 1) + search::at(last)] = {
          (plain.fixed + plain.workspace).count, (plain.kept + plain.output).count,
          (again.fixed + again.once + again.workspace).count, (again.kept + again.output).count, plain.input.count};
    }
  return needs;
}

/// The stage of every pinned layer; one that no stage can have where its device is idle.
std::vector<int> AmpCosts::pinned(const Strategy& strategy, const Placement& placement) const {
  const auto& pins = chain_.problem().pins.layers;
  if (pins.empty()) return {};
  std::vector<int> stages(search::at(chain_.layers()), -1);
  const int count = strategy.replicas * strategy.tensor_parallel;
  for (const auto& [layer, device] : pins) {
    const auto position = std::find(chain_.order().begin(), chain_.order().end(), layer) - chain_.order().begin();
    const auto rank = static_cast<int>(std::find(placement.begin(), placement.end(), device) - placement.begin());
    int& stage = stages[static_cast<std::size_t>(position)];
    stage = stage >= 0 && stage != rank / count ? strategy.stages : rank / count;
  }
  return stages;
}

Task AmpCosts::task(const Strategy& strategy, const Placement& placement) {
  Task task;
  task.layers = chain_.layers();
  task.stages = strategy.stages;
  task.micro_batches = chain_.workload().global_batch / strategy.micro_batch;
  task.replicas = strategy.replicas;
  task.tensor_parallel = strategy.tensor_parallel;
  task.pipelines = pipelines(strategy, placement);
  for (int p = 0; p <= task.layers; ++p) {
    task.cut.push_back(static_cast<double>(chain_.cut(p, strategy.samples()).count));
    task.weights.push_back(chain_.weights(0, p));
  }
  for (int s = 0; s < strategy.stages; ++s) {
    const std::vector<DeviceId> devices = stage_devices(strategy, placement, s);
    task.rings.push_back(rings(strategy, devices));
    task.capacity.push_back(search::capacity_of(chain_.network(), devices));
  }
  if (!options_.ignore_memory) task.need = &needs(strategy);
  task.pinned = pinned(strategy, placement);
  return task;
}

}  // namespace pipedeck::planner::amp
