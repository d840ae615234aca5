// SPDX-License-Identifier: Apache-2.0
#include "core/plan/stages_alike.hpp"

namespace pipedeck::plan {

std::span<const Stage> uniformly_sharded_stages(const Plan& plan, StageId id) {
  const Stage& own = plan.stages[id.index()];
  const auto alike = [&](const Stage& other) {
    return other.tensor_parallel == own.tensor_parallel && other.shard_fractions == own.shard_fractions &&
           other.shard().divides_tokens() == own.shard().divides_tokens() &&
           replica_samples(other, plan.micro_batch) == replica_samples(own, plan.micro_batch);
  };
  std::size_t first = id.index(), end = first + 1;
  while (first > 0 && alike(plan.stages[first - 1])) --first;
  while (end < plan.stages.size() && alike(plan.stages[end])) ++end;
  return std::span(plan.stages).subspan(first, end - first);
}

}  // namespace pipedeck::plan
