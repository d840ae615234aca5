// SPDX-License-Identifier: Apache-2.0
#include "core/cost/stage_sharding.hpp"

#include "core/plan/sharding_path.hpp"
#include "core/plan/stages_alike.hpp"

namespace pipedeck::cost {

std::vector<const ShardingCost*> stage_sharding(const Plan& plan, const Profile& profile,
                                                std::span<const LayerId> order, StageId id) {
  const Stage& stage = plan.stages[id.index()];
  const int degree = plan::even_parts(stage);
  if (degree == 1 || !profile.is_chain()) return {};
  const std::span<const Stage> alike = plan::uniformly_sharded_stages(plan, id);
  const int first = alike.front().first, last = alike.back().last;
  std::vector<const TensorParallelPoint*> points;
  plan::ShardingPath path;
  for (int p = first; p < last; ++p) {
    points.push_back(plan::point_of_degree(profile.layers[order[static_cast<std::size_t>(p)].index()], degree));
    if (!points.back()) return {};
    std::vector<ShardingStep> steps;
    for (const ShardingCost& way : points.back()->ways) steps.push_back(way.step);
    if (!path.add(steps)) return {};
  }
  const std::vector<std::size_t> chosen = path.chosen(last == static_cast<int>(order.size()));
  std::vector<const ShardingCost*> ways;
  for (int p = stage.first; p < stage.last; ++p) {
    const auto at = static_cast<std::size_t>(p - first);
    ways.push_back(&points[at]->ways[chosen[at]]);
  }
  return ways;
}

plan::Weights stage_weights(const Plan& plan, const Profile& profile, std::span<const LayerId> order, StageId id) {
  const Stage& stage = plan.stages[id.index()];
  const std::vector<const ShardingCost*> ways = stage_sharding(plan, profile, order, id);
  plan::Weights sum;
  for (int p = stage.first; p < stage.last; ++p) {
    plan::Weights own = plan::weights_of(profile.layers[order[static_cast<std::size_t>(p)].index()]);
    if (!ways.empty()) {
      const ShardingCost& way = *ways[static_cast<std::size_t>(p - stage.first)];
      own.whole = way.replicated_parameters, own.copies = way.memory.weight_copy;
    }
    sum += own;
  }
  return sum;
}

std::vector<Bytes> sharded_boundary_bytes(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                                          std::span<const Bytes> cuts) {
  std::vector<Bytes> held(cuts.begin(), cuts.end());
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const std::vector<const ShardingCost*> ways = stage_sharding(plan, profile, order, StageId(s));
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (ways[i]->step.from == TensorLayout::column_sharded)
        held[static_cast<std::size_t>(plan.stages[s].first) + i] = ways[i]->memory.input;
  }
  return held;
}

}  // namespace pipedeck::cost
