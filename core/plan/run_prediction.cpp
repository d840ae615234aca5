// SPDX-License-Identifier: Apache-2.0
#include "core/plan/run_prediction.hpp"

#include <vector>

#include <fmt/format.h>

#include "core/plan/blocks.hpp"

namespace pipedeck::plan {

Recompute recompute_by_layers(const Stage& stage, std::span<const std::string_view> layers) {
  Recompute recompute = stage.recompute;
  if (!recompute.all || recompute.blocks < 0) return recompute;
  recompute.all = false, recompute.blocks = -1;
  const std::vector<bool> starts = block_starts(layers);
  int blocks = 0;
  for (int layer = stage.first; layer < stage.last; ++layer) {
    const auto index = static_cast<std::size_t>(layer);
    if (block_name(layers[index]).empty()) continue;
    if (starts[index] || blocks == 0) ++blocks;
    if (blocks <= stage.recompute.blocks) recompute.layers.emplace_back(layer);
  }
  return recompute;
}

Result<std::optional<Plan>> predicted_by(const Plan& plan, const Profile& profile) {
  const auto layers = static_cast<int>(profile.layers.size());
  const int planned = plan.stages.empty() ? 0 : plan.stages.back().last;
  if (planned != layers && planned != layers + 1)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} layers, expected {}, those of '{}'", planned, layers, profile.name), "/stages");
  Plan same = plan;
  if (planned > layers) {
    Stage& last = same.stages.back();
    last.last = layers;
    std::erase(last.recompute.layers, LayerId(layers));
    if (same.order && !same.order->empty() && same.order->back() == LayerId(layers)) same.order->pop_back();
  }
  same.precision = Precision::fp32;
  if (!has_mesh(plan)) return std::optional(std::move(same));
  std::vector<std::string_view> names;
  for (const Layer& layer : profile.layers) names.emplace_back(layer.name);
  bool over_all = true;
  for (Stage& stage : same.stages) {
    if (stage.degrees.context > 1) return std::optional<Plan>();
    over_all = over_all && (plan.sharding.group == 0 || plan.sharding.group == stage.replicas());
    stage.degrees = {};
    stage.recompute = recompute_by_layers(stage, names);
  }
  if (plan.sharding.level > 0) same.zero = over_all ? plan.sharding.level : 0;
  same.sharding = {};
  same.choices.reset();
  return std::optional(std::move(same));
}

}  // namespace pipedeck::plan
