// SPDX-License-Identifier: Apache-2.0
#include "tests/core/sim/explain/plain_parts.hpp"

#include <algorithm>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/cost/ring_times.hpp"
#include "core/plan/cuts.hpp"

namespace pipedeck::test {
namespace {

/// Multiplies the bandwidth of every link by the efficiency.
Cluster efficient(Cluster cluster, double efficiency) {
  for (Node& node : cluster.nodes) {
    if (node.link) node.link->bandwidth = node.link->bandwidth * efficiency;
    if (node.nic) node.nic = *node.nic * efficiency;
  }
  for (NetworkLink& link : cluster.links) link.link.bandwidth = link.link.bandwidth * efficiency;
  if (cluster.bandwidth_matrix)
    for (auto& row : *cluster.bandwidth_matrix)
      for (auto& figure : row) figure = figure * efficiency;
  return cluster;
}

/// Returns the network of a cluster that has the calibration's figures.
cost::Network network_of(const Cluster& cluster, SimulationOptions conventions) {
  conventions.calibration = {};
  return cost::Network::of(cluster, conventions).value();
}

}  // namespace

PlainParts::PlainParts(const Problem& problem, const Plan& plan, const Schedule& schedule)
    : profile_(*problem.profile),
      calibration_(problem.workload.conventions.calibration),
      cluster_(efficient(*problem.cluster, calibration_.link_efficiency)),
      plan_(plan),
      schedule_(schedule),
      overlap_(problem.workload.conventions.overlap),
      network_(network_of(cluster_, problem.workload.conventions)),
      order_(order_of(plan, profile_)),
      cuts_(plan::boundary_bytes(profile_, order_)) {
  for (std::size_t s = 0; s < plan_.stages.size(); ++s) add_parts(s);
}

void PlainParts::add_parts(std::size_t s) {
  std::vector<std::vector<DeviceId>> homes{plan_.stages[s].devices};  // by copy
  if (plan_.chunks) {
    for (const StageCopy& chunk : *plan_.chunks)
      if (chunk.stage.index() == s) {
        homes.resize(std::max<std::size_t>(homes.size(), static_cast<std::size_t>(chunk.copy) + 1));
        homes[static_cast<std::size_t>(chunk.copy)] = chunk.devices;
      }
  } else if (schedule_.copies == 2) {
    homes.push_back(plan_.stages[plan_.stages.size() - 1 - s].devices);
  }
  homes_.push_back(homes);
  find_reductions(s);
  for (std::size_t copy = 0; copy < homes.size(); ++copy)
    for (int r = 0; r < plan_.stages[s].replicas(); ++r) add_part(static_cast<int>(s), static_cast<int>(copy), r);
}

void PlainParts::add_part(int s, int copy, int r) {
  Part part;
  part.stage = s, part.copy = copy, part.replica = r;
  const auto& home = homes_[static_cast<std::size_t>(s)][static_cast<std::size_t>(copy)];
  const int degree = stage(s).tensor_parallel;
  for (int i = 0; i < degree; ++i) part.devices.push_back(home[static_cast<std::size_t>(r * degree + i)]);
  part.samples = samples_of(s, r);
  const auto lane = std::find_if(lane_devices_.begin(), lane_devices_.end(),
                                 [&](const auto& known) { return known.front() == part.devices.front(); });
  part.lane = static_cast<std::size_t>(lane - lane_devices_.begin());
  if (lane == lane_devices_.end()) lane_devices_.push_back(part.devices);
  add_times(part);
  parts_.push_back(part);
}

/// Returns the samples of a replica per micro-batch. Asynchronous: a micro-batch goes to one replica, whole.
std::vector<int> PlainParts::samples_of(int s, int r) const {
  std::vector<int> samples;
  const int replicas = stage(s).replicas();
  int low = 0, high = plan_.micro_batch;
  if (plan_.synchronous()) {
    const auto share = [&](int replica) {
      if (stage(s).samples_per_replica) return (*stage(s).samples_per_replica)[static_cast<std::size_t>(replica)];
      return plan_.micro_batch / replicas + (replica < plan_.micro_batch % replicas ? 1 : 0);
    };
    for (int before = 0; before < r; ++before) low += share(before);
    high = low + share(r);
  }
  for (int i = low; i < high; ++i) samples.push_back(i);
  return samples;
}

PlainParts::Passes PlainParts::layer_passes(const Part& part, const Layer& layer) const {
  const Stage& own = stage(part.stage);
  Passes slowest;
  for (std::size_t rank = 0; rank < part.devices.size(); ++rank) {
    const double factor = own.shard_fractions ? (*own.shard_fractions)[rank] * own.tensor_parallel : 1;
    const cost::LayerTimes times = cost::layer_times(profile_, layer, part.count(), cluster_,
                                                     network_.type(part.devices[rank]), own.tensor_parallel);
    slowest.forward = std::max(slowest.forward, factor * times.forward.count);
    slowest.backward = std::max(slowest.backward, factor * times.backward.count);
    slowest.weight = std::max(slowest.weight, factor * times.backward_weight.count);
  }
  for (const TensorParallelPoint& point : layer.tensor_parallel) {
    if (own.tensor_parallel == 1 || point.degree != own.tensor_parallel) continue;
    const auto reduce = [&](pipedeck::Bytes bytes) {
      return cost::all_reduce(network_, part.devices, cost::scale_bytes(bytes, part.count(), profile_.micro_batch))
          .count;
    };
    slowest.forward += reduce(point.forward_allreduce);
    slowest.backward += reduce(point.backward_allreduce);
  }
  return slowest;
}

void PlainParts::add_times(Part& part) const {
  const Stage& own = stage(part.stage);
  const auto& reductions = reductions_[static_cast<std::size_t>(part.stage)];
  for (int p = own.last - 1; p >= own.first; --p) {
    const Passes passes = layer_passes(part, layer(p));
    part.forward += passes.forward;
    part.backward += passes.backward;
    part.weight += passes.weight;
    const auto& some = own.recompute.layers;
    if (own.recompute.all || std::find(some.begin(), some.end(), LayerId(std::int32_t{p})) != some.end())
      part.again += passes.forward;
    for (const Reduced& reduction : reductions)
      if (by_layer() ? reduction.position == p : p == own.first) {
        part.backward_from.push_back(part.backward);
        part.weight_from.push_back(part.weight);
      }
  }
}

/// Finds the reductions in the order in which their gradients are ready.
void PlainParts::find_reductions(std::size_t s) {
  const Stage& own = plan_.stages[s];
  auto& list = reductions_.emplace_back();
  if (own.replicas() * static_cast<int>(homes_[s].size()) < 2) return;
  pipedeck::Bytes all, whole;
  for (int p = own.last - 1; p >= own.first; --p) {
    all += layer(p).parameters;
    whole += layer(p).replicated_parameters;
    if (by_layer() && layer(p).parameters.count > 0)
      list.push_back({layer(p).parameters, layer(p).replicated_parameters, p});
  }
  if (!by_layer() && all.count > 0) list.push_back({all, whole, own.first});
  for (Reduced& reduction : list)
    for (int rank = 0; rank < own.tensor_parallel; ++rank) {
      std::vector<DeviceId> group;
      for (const auto& home : homes_[s])
        for (int r = 0; r < own.replicas(); ++r)
          group.push_back(home[static_cast<std::size_t>(r * own.tensor_parallel + rank)]);
      reduction.groups.push_back(group);
      const pipedeck::Bytes bytes = reduction.whole + shard_bytes(own, reduction.bytes - reduction.whole, rank);
      reduction.duration = std::max(reduction.duration, rounded(cost::all_reduce(network_, group, bytes).count));
    }
}

Time PlainParts::duration(const Part& part, OpKind kind) const {
  const double overhead = calibration_.operation_overhead.count;
  switch (kind) {
    case OpKind::forward:
      return rounded(overhead + part.forward);
    case OpKind::backward:
      return rounded(overhead + part.backward);
    case OpKind::backward_input:
      return rounded(overhead + (part.backward - part.weight));
    case OpKind::backward_weight:
      return rounded(overhead + part.weight);
    default:
      return rounded(overhead + part.again);
  }
}

Time PlainParts::optimizer(const Part& part, std::size_t rank) const {
  pipedeck::Bytes divided, whole;
  for (int p = stage(part.stage).first; p < stage(part.stage).last; ++p) {
    whole += layer(p).replicated_parameters;
    divided += layer(p).parameters - layer(p).replicated_parameters;
  }
  const pipedeck::Bytes own = whole + shard_bytes(stage(part.stage), divided, static_cast<int>(rank));
  return rounded(cost::optimizer_time(own, plan_.optimizer, plan_.precision, network_.type(part.devices[rank])).count);
}

}  // namespace pipedeck::test
