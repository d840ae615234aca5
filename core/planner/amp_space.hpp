// SPDX-License-Identifier: Apache-2.0
// AMP's strategies (section 3.3) and what they cost (section 3.4): degrees, micro-batch and placement become an
// AmpTask, which amp_assignment.hpp solves.
#pragma once

#include <map>
#include <memory>

#include "core/planner/amp_assignment.hpp"
#include "core/planner/chain.hpp"

namespace pipedeck {

struct AmpOptions {
  bool printed = false;  ///< e = v / b, one way
  bool allow_idle = false, ignore_memory = false;
  int slice = 1;  ///< least samples of a replica
};

/// (pp, dp, tmp) and the whole micro-batch: every replica gets micro_batch / dp of its samples, AMP's mbs.
struct AmpStrategy {
  int stages = 1, replicas = 1, tensor_parallel = 1, micro_batch = 1;
  int devices() const { return stages * replicas * tensor_parallel; }
  int samples() const { return micro_batch / replicas; }
  auto operator<=>(const AmpStrategy&) const = default;
};

/// Devices of the ranks: stage by stage, in each replica by replica.
using AmpPlacement = std::vector<DeviceId>;

/// Degrees with pp x dp x tmp = |D| (<= with idle devices), in order: a layer for every stage, times for every degree,
/// pins kept. Micro-batches: mbs divides gbs / dp, or is what the workload says.
Result<std::vector<AmpStrategy>> amp_strategies(const Chain& chain, const AmpOptions& options);

/// The paper's, which is Megatron's: ranks in the order of the devices, tensor parallelism innermost, then data, then
/// pipeline parallelism, so that what talks most is nearest.
AmpPlacement megatron_placement(const AmpStrategy& strategy);

/// Devices of a stage, in the order of Stage::devices.
std::vector<DeviceId> stage_devices(const AmpStrategy& strategy, const AmpPlacement& placement, int stage);

/// Makes tasks of strategies; what they share is computed once. Tasks refer to it.
class AmpCosts {
 public:
  AmpCosts(Chain& chain, const AmpOptions& options) : chain_(chain), options_(options) {}
  AmpTask task(const AmpStrategy& strategy, const AmpPlacement& placement);

 private:
  using Table = std::vector<double>;

  const Table& pass_times(std::span<const DeviceId> group, int samples);
  Table group_times(std::span<const DeviceId> group, int samples) const;
  AmpEdge edge(DeviceId from, DeviceId to) const;
  std::vector<const CutWay*> ways(int degree) const;
  const std::vector<Bytes>& needs(const AmpStrategy& strategy);
  std::vector<AmpPipeline> pipelines(const AmpStrategy& strategy, const AmpPlacement& placement);
  std::vector<WorstHop> rings(const AmpStrategy& strategy, std::span<const DeviceId> devices) const;
  std::vector<int> pinned(const AmpStrategy& strategy, const AmpPlacement& placement) const;

  Chain& chain_;
  AmpOptions options_;
  std::map<std::vector<double>, Table> times_;       // by what tells groups apart
  std::map<AmpStrategy, std::vector<Bytes>> needs_;  // with a stages of 0
};

}  // namespace pipedeck
