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

namespace {

ProfiledRanks ranks_of_stage(const Plan& plan, const Stage& stage) {
  Sharding sharding = plan.sharding;
  if (sharding.level == 0) sharding.level = plan.zero;
  return {stage.shard(), stage.replicas(), sharding, stage.recompute.modules};
}

}  // namespace

Result<ProfiledRanks> ranks_of(const Plan& plan) {
  ProfiledRanks first = ranks_of_stage(plan, plan.stages.front());
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    if (ranks_of_stage(plan, plan.stages[s]) != first)
      return fail(ErrorCode::bad_input,
                  "found other degrees or modules than those of stage 0, expected equal ones in all stages",
                  fmt::format("/stages/{}", s));
    if (plan.stages[s].shard_fractions)
      return fail(ErrorCode::bad_input, "found shares, expected even ones: a profile has one rank's layers",
                  fmt::format("/stages/{}/shards", s));
  }
  return first;
}

namespace {

/// Checks that each stage of the plan has the ranks of which the profile has one.
Result<void> check_ranks(const Plan& plan, const ProfiledRanks& measured) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    const ProfiledRanks planned = ranks_of_stage(plan, stage);
    if (planned != measured)
      return fail(ErrorCode::bad_input,
                  fmt::format("found {}, expected the ranks of the profile: {}", text_of(planned), text_of(measured)),
                  fmt::format("/stages/{}", s));
    if (stage.shard_fractions)
      return fail(ErrorCode::bad_input, "found shares, expected even ones: the profile has one rank's layers",
                  fmt::format("/stages/{}/shards", s));
  }
  return {};
}

/// Turns context ranks into replicas: each has C-ths of the samples of its data rank.
void take_context_ranks_for_replicas(Plan& plan, int context) {
  for (Stage& stage : plan.stages) {
    std::vector<int> shares;
    for (const int samples : replica_samples(stage, plan.micro_batch))
      shares.insert(shares.end(), static_cast<std::size_t>(context), samples);
    stage.samples_per_replica = std::move(shares);
  }
  plan.micro_batch *= context, plan.global_batch *= context;
}

bool offloads_states(const Plan& plan) {
  if (!plan.choices || plan.optimizer == Optimizer::none) return false;
  return plan.choices->training.offloads_optimizer || plan.choices->training.pages_optimizer;
}

}  // namespace

Result<std::optional<Plan>> predicted_by(const Plan& plan, const Profile& profile, bool offloads) {
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
  if (profile.ranks) {
    TRY_VOID(check_ranks(plan, *profile.ranks));
    if (const int context = profile.ranks->shard.context; context > 1) take_context_ranks_for_replicas(same, context);
  } else if (!has_mesh(plan)) {
    return std::optional(std::move(same));
  }
  std::vector<std::string_view> names;
  for (const Layer& layer : profile.layers) names.emplace_back(layer.name);
  bool over_all = true;
  for (Stage& stage : same.stages) {
    if (stage.degrees.context > 1 && !profile.ranks) return std::optional<Plan>();
    over_all = over_all && (plan.sharding.group == 0 || plan.sharding.group == stage.replicas());
    stage.degrees = {};
    stage.recompute = recompute_by_layers(stage, names);
    if (profile.ranks) stage.recompute.modules.clear();  // as the rank's layers were measured
  }
  if (plan.sharding.level > 0) same.zero = over_all ? plan.sharding.level : 0;
  if (profile.ranks) same.zero = 0;  // the profile has the bytes of its rank
  same.sharding = {};
  // Gradient descent has no states, and moves as many bytes as what is left on the device: 4 + 4 read, 4 written.
  if (offloads && offloads_states(plan)) same.optimizer = Optimizer::sgd;
  same.choices.reset();
  return std::optional(std::move(same));
}

}  // namespace pipedeck::plan
