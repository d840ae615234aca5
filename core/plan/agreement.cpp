// SPDX-License-Identifier: Apache-2.0
#include "core/plan/agreement.hpp"

#include <algorithm>
#include <vector>

namespace pipedeck::plan {

namespace {

/// Compares what a stage does, without its devices.
bool same_stage(const Stage& a, const Stage& b) {
  return a.first == b.first && a.last == b.last && a.replicas() == b.replicas() &&
         a.tensor_parallel == b.tensor_parallel && a.samples_per_replica == b.samples_per_replica &&
         a.shard_fractions == b.shard_fractions && a.recompute == b.recompute && a.degrees == b.degrees;
}

std::vector<std::int64_t> sorted_peaks(const Simulation& simulation) {
  std::vector<std::int64_t> peaks;
  for (const SimulatedDevice& device : simulation.devices) peaks.push_back(device.peak.count);
  std::ranges::sort(peaks);
  return peaks;
}

}  // namespace

bool agree(const Plan& a, const Simulation& simulated_a, const Plan& b, const Simulation& simulated_b) {
  const bool one_stage = a.stages.size() == 1;  // then all synchronous schedules run the same operations
  const bool same_schedule = a.schedule == b.schedule || (one_stage && a.synchronous() && b.synchronous());
  return same_schedule && a.global_batch == b.global_batch && a.micro_batch == b.micro_batch &&
         a.micro_batches == b.micro_batches && a.optimizer == b.optimizer && a.precision == b.precision &&
         a.zero == b.zero && a.sharding == b.sharding && a.choices == b.choices && a.order == b.order &&
         a.operations == b.operations && std::ranges::equal(a.stages, b.stages, same_stage) &&
         simulated_a.iteration == simulated_b.iteration && simulated_a.fits == simulated_b.fits &&
         sorted_peaks(simulated_a) == sorted_peaks(simulated_b);
}

}  // namespace pipedeck::plan
