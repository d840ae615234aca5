// SPDX-License-Identifier: Apache-2.0
// Device teams and the keys of their costs: teams with equal keys share all figures.
#include <algorithm>
#include <queue>
#include <set>

#include "core/cost/memory.hpp"
#include "core/cost/ring_times.hpp"
#include "core/planner/joint/costs.hpp"
#include "core/planner/search/arithmetic.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::joint {

namespace {

constexpr std::int64_t probe = std::int64_t{1} << 40;  // bytes, for the slope of a line

/// Returns the devices of replica r.
std::vector<DeviceId> replica(const std::vector<DeviceId>& devices, int degree, int r) {
  return {devices.begin() + r * degree, devices.begin() + (r + 1) * degree};
}

std::vector<int> even_samples(int replicas, int micro_batch) {
  std::vector<int> samples(search::at(replicas), micro_batch / replicas);
  for (int i = 0; i < micro_batch % replicas; ++i) ++samples[search::at(i)];
  return samples;
}

std::vector<int> key_of(const std::vector<DeviceId>& devices, int degree, int micro_batch) {
  std::vector<int> key{degree, micro_batch};
  for (const DeviceId device : devices) key.push_back(device.value);
  return key;
}

}  // namespace

std::optional<std::vector<int>> JointCosts::shares(const std::vector<DeviceId>& devices, int degree, int micro_batch) {
  const int replicas = static_cast<int>(devices.size()) / degree;
  if (replicas < 2 || replicas * slice_ > micro_batch) return {};
  const auto type = [&](DeviceId device) { return chain().network().device(device).type; };
  if (degree == 1 && std::all_of(devices.begin(), devices.end(),
                                 [&](DeviceId device) { return type(device) == type(devices.front()); }))
    return {};
  std::vector<Kind> kinds;
  for (int r = 0; r < replicas; ++r) {
    std::set<int> types;
    for (const DeviceId device : replica(devices, degree, r)) types.insert(chain().network().device(device).type);
    kinds.push_back({slice_, degree, {types.begin(), types.end()}, {}});
    if (degree > 1) kinds.back().inside = line_of(replica(devices, degree, r));
  }
  if (std::all_of(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind == kinds.front(); })) return {};

  // Each sample goes to the replica that would end first with it. The whole model's time represents any stage's.
  const auto time = [&](Kind kind, int samples) {
    kind.samples = samples;
    const search::PassTimes& passes = passes_of(kind);
    return passes.forward_of(0, layers_.whole()) + passes.backward_of(0, layers_.whole());
  };
  std::vector<int> samples(search::at(replicas), slice_);
  using Next = std::pair<double, int>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (int r = 0; r < replicas; ++r) next.push({time(kinds[search::at(r)], slice_ + 1), r});
  for (int left = micro_batch - replicas * slice_; left > 0; --left) {
    const int r = next.top().second;
    next.pop();
    ++samples[search::at(r)];
    next.push({time(kinds[search::at(r)], samples[search::at(r)] + 1), r});
  }
  if (samples == even_samples(replicas, micro_batch)) return {};
  return samples;
}

int JointCosts::stage_devices(const std::vector<DeviceId>& devices, int degree, int micro_batch) {
  const auto [found, added] = best_index_.try_emplace(key_of(devices, degree, micro_batch), -1);
  if (!added) return found->second;
  const int replicas = static_cast<int>(devices.size()) / degree;
  if (replicas * slice_ > micro_batch) return -1;
  const auto uneven = shares(devices, degree, micro_batch);
  return found->second = intern(devices, degree, micro_batch, uneven ? *uneven : even_samples(replicas, micro_batch));
}

int JointCosts::team_of(const Stage& stage, int micro_batch, bool synchronous) {
  if (!synchronous)  // replicas take whole mini-batches in turn
    return intern(stage.devices, stage.tensor_parallel, micro_batch,
                  std::vector<int>(search::at(stage.replicas()), micro_batch));
  return intern(stage.devices, stage.tensor_parallel, micro_batch, replica_samples(stage, micro_batch));
}

int JointCosts::intern(const std::vector<DeviceId>& devices, int degree, int micro_batch,
                       const std::vector<int>& samples) {
  std::vector<int> key = key_of(devices, degree, micro_batch);
  key.insert(key.end(), samples.begin(), samples.end());
  const auto [found, added] = team_index_.try_emplace(std::move(key), static_cast<int>(teams_.size()));
  if (!added) return found->second;
  Team team{devices, degree, micro_batch, samples, false, 0};
  team.even = samples == even_samples(team.replicas(), micro_batch);
  team.cost = cost_of(team);
  teams_.push_back(std::move(team));
  return found->second;
}

int JointCosts::cost_of(const Team& team) {
  const cost::Network& network = chain().network();
  CostKey key;
  key.replicas = team.replicas();
  key.degree = team.degree;
  std::set<Kind> kinds;
  std::set<std::pair<int, Bytes>> limits;
  for (int r = 0; r < team.replicas(); ++r) {
    const std::vector<DeviceId> devices = replica(team.devices, team.degree, r);
    std::set<int> types;
    for (const DeviceId device : devices) types.insert(network.device(device).type);
    kinds.insert({team.samples[search::at(r)],
                  team.degree,
                  {types.begin(), types.end()},
                  team.degree > 1 ? line_of(devices) : Line()});
    limits.insert({team.samples[search::at(r)], search::capacity_of(network, devices)});
    for (const int type : types)
      key.step =
          std::max(key.step, cost::optimizer_time(Bytes(probe), chain().workload().optimizer,
                                                  chain().workload().precision, network.types()[search::at(type)])
                                     .count /
                                 static_cast<double>(probe));
  }
  key.kinds.assign(kinds.begin(), kinds.end());
  key.limits.assign(limits.begin(), limits.end());
  std::set<Line> lines;
  for (int rank = 0; rank < team.degree && team.replicas() > 1; ++rank) {
    std::vector<DeviceId> group;
    for (int r = 0; r < team.replicas(); ++r) group.push_back(team.devices[search::at(r * team.degree + rank)]);
    lines.insert(line_of(group));
  }
  key.lines.assign(lines.begin(), lines.end());

  const auto [found, added] = cost_index_.try_emplace(key, static_cast<int>(costs_.size()));
  if (!added) return found->second;
  Cost cost;
  for (const Kind& kind : key.kinds) cost.passes.push_back(&passes_of(kind));
  cost.tails.resize(search::at(layers_.whole()) + 1);
  for (auto& columns : cost.kept) columns.resize(search::at(layers_.whole()) + 1);
  cost.key = std::move(key);
  costs_.push_back(std::move(cost));
  return found->second;
}

const JointCosts::Line& JointCosts::line_of(const std::vector<DeviceId>& devices) {
  const auto [found, added] = lines_.try_emplace(devices);
  Line& line = found->second;
  if (!added || devices.size() < 2) return line;
  const auto read = [&](auto reduce, double& start, double& slope) {
    const double one = reduce(chain().network(), devices, Bytes(1)).count;
    const double large = reduce(chain().network(), devices, Bytes(probe)).count;
    slope = (large - one) / static_cast<double>(probe - 1);
    start = one - slope;
  };
  read(cost::ring_all_reduce, line.ring, line.ring_slope);
  read(cost::hierarchical_all_reduce, line.tree, line.tree_slope);
  return line;
}

}  // namespace pipedeck::planner::joint
