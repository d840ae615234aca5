// SPDX-License-Identifier: Apache-2.0
// AMP's strategies (section 3.3) and what they cost (section 3.4): degrees, micro-batch and placement become an
// Task, which assignment.hpp solves.
#pragma once

#include <map>
#include <memory>

#include "core/planner/amp/assignment.hpp"
#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::amp {

struct Options {
  bool printed = false;  ///< e = v / b, one way
  bool allow_idle = false, ignore_memory = false;
  int slice = 1;  ///< minimum samples of a replica
};

/// (pp, dp, tmp) and the whole micro-batch: every replica gets micro_batch / dp of its samples, AMP's mbs.
struct Strategy {
  int stages = 1, replicas = 1, tensor_parallel = 1, micro_batch = 1;
  int devices() const { return stages * replicas * tensor_parallel; }
  int samples() const { return micro_batch / replicas; }
  auto operator<=>(const Strategy&) const = default;
};

/// Devices of the ranks: stage by stage, in each replica by replica.
using Placement = std::vector<DeviceId>;

/// Returns the strategies with pp x dp x tmp = |D| (<= with idle devices), in order. Each has a layer for every stage,
/// measured times for its degree, and keeps the pins. The micro-batch is a divisor of gbs that dp divides, or the
/// workload's. Returns bad_usage for an invalid global batch or micro-batch.
Result<std::vector<Strategy>> amp_strategies(const search::Chain& chain, const Options& options);

/// The paper's, which is Megatron's: ranks in the order of the devices, tensor parallelism innermost, then data, then
/// pipeline parallelism, so that what talks most is nearest.
Placement megatron_placement(const Strategy& strategy);

/// Devices of a stage, in the order of Stage::devices.
std::vector<DeviceId> stage_devices(const Strategy& strategy, const Placement& placement, int stage);

/// A factory of tasks. Data shared by several tasks is computed once; tasks refer to it.
class AmpCosts {
 public:
  AmpCosts(search::Chain& chain, const Options& options) : chain_(chain), options_(options) {}
  Task task(const Strategy& strategy, const Placement& placement);

 private:
  using Table = std::vector<double>;

  const Table& pass_times(std::span<const DeviceId> group, int samples);
  Table group_times(std::span<const DeviceId> group, int samples) const;
  AmpEdge edge(DeviceId from, DeviceId to) const;
  std::vector<const ShardingCost*> ways(int degree) const;
  const std::vector<StageLimits>& needs(const Strategy& strategy);
  std::vector<Pipeline> pipelines(const Strategy& strategy, const Placement& placement);
  std::vector<cost::RingBottleneck> rings(const Strategy& strategy, std::span<const DeviceId> devices) const;
  std::vector<int> pinned(const Strategy& strategy, const Placement& placement) const;

  search::Chain& chain_;
  Options options_;
  std::map<std::vector<double>, Table> times_;          // by the figures that distinguish groups
  std::map<Strategy, std::vector<StageLimits>> needs_;  // with a stages of 0
};

}  // namespace pipedeck::planner::amp
