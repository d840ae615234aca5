// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/judge.hpp"

#include <algorithm>
#include <bit>

#include "core/cost/stages_bound.hpp"
#include "core/plan/warmups.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::joint {

namespace {

/// Number of operations below which a simulation takes no longer than the bound.
constexpr std::int64_t few_operations = 4096;

std::int64_t operations_of(const Plan& plan) {
  std::int64_t replicas = 0;
  for (const Stage& stage : plan.stages) replicas += stage.replicas();
  return 2 * replicas * plan.micro_batches;
}

}  // namespace

std::vector<int> joint_key(const Plan& plan) {
  std::vector<int> key{static_cast<int>(plan.schedule), plan.micro_batch};
  for (const StageCopy& chunk : plan.chunks.value_or(std::vector<StageCopy>())) {
    key.insert(key.end(), {chunk.stage.value, chunk.copy});
    for (const DeviceId device : chunk.devices) key.push_back(device.value);
  }
  for (const auto& list : plan.operations.value_or(std::vector<std::vector<Operation>>()))
    for (const auto& [kind, stage, micro_batch, joined] : list)
      key.insert(key.end(), {static_cast<int>(kind), stage.value, micro_batch, joined ? 1 : 0});
  if (plan.order)
    for (const LayerId layer : *plan.order) key.push_back(layer.value);
  const int stages = static_cast<int>(plan.stages.size());
  if (plan.schedule == ScheduleKind::one_f_one_b)
    for (const int count : plan.warmup_counts.value_or(plan::policy_warmups(stages, plan.micro_batches, plan.warmup)))
      key.push_back(std::min(count, plan.micro_batches));
  for (const Stage& stage : plan.stages) {
    key.insert(key.end(), {-1, stage.last, stage.tensor_parallel, stage.recompute.any() ? 1 : 0});
    for (const DeviceId device : stage.devices) key.push_back(device.value);
    key.push_back(-2);
    if (stage.samples_per_replica)
      key.insert(key.end(), stage.samples_per_replica->begin(), stage.samples_per_replica->end());
    for (const LayerId layer : stage.recompute.layers) key.insert(key.end(), {-4, layer.value});
    for (const double shard : stage.shard_fractions.value_or(std::vector<double>())) {
      const auto bits = std::bit_cast<std::uint64_t>(shard);
      key.insert(key.end(), {-3, static_cast<int>(bits >> 32), static_cast<int>(bits)});
    }
  }
  return key;
}

Result<Judge::Verdict> Judge::time_of(const Plan& plan, std::optional<Overlap> overlap) {
  std::vector<int> key = joint_key(plan);
  key.push_back(overlap ? static_cast<int>(*overlap) : -1);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return Verdict{found->second, true};
  }
  if (limit_ < std::numeric_limits<double>::infinity() && operations_of(plan) >= few_operations) {
    TRY(const auto bound, cost::partition_lower_bound(problem_, plan));
    if (bound.count >= limit_) return Verdict{bound.count, false};
  }
  TRY(const auto time, score_(plan, overlap));
  const std::lock_guard lock(mutex_);
  known_.emplace(std::move(key), time.count);
  return Verdict{time.count, true};
}

}  // namespace pipedeck::planner::joint
