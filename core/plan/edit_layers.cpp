// SPDX-License-Identifier: Apache-2.0
// Edits of the stages' layers: cuts, recompute, and the number of stages.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/plan/edit_parts.hpp"

namespace pipedeck::plan::edits {
namespace {

std::size_t index(int stage) { return static_cast<std::size_t>(stage); }

/// Returns the positions that the stage recomputes.
std::set<LayerId> recomputed(const Stage& stage) {
  std::set<LayerId> positions(stage.recompute.layers.begin(), stage.recompute.layers.end());
  if (stage.recompute.all)
    for (int p = stage.first; p < stage.last; ++p) positions.insert(LayerId(std::int32_t{p}));
  return positions;
}

/// Returns the part of `marked` that is in the stage, in the stage's unit.
Recompute recompute_of(const Stage& stage, const std::set<LayerId>& marked) {
  Recompute recompute;
  for (int p = stage.first; p < stage.last; ++p)
    if (marked.count(LayerId(std::int32_t{p}))) recompute.layers.push_back(LayerId(std::int32_t{p}));
  if (recompute.any()) recompute.each = stage.recompute.each;
  if (static_cast<int>(recompute.layers.size()) == stage.last - stage.first)
    recompute.all = true, recompute.layers = {};
  return recompute;
}

std::string layer_name(const Plan& plan, const Profile& profile, int position) {
  return profile.layers[order_of(plan, profile)[static_cast<std::size_t>(position)].index()].name;
}

Result<void> check_within(const Stage& stage, int number, int layer) {
  if (layer > stage.first && layer < stage.last) return {};
  if (stage.last - stage.first == 1)
    return refuse(fmt::format("stage {} has one layer and can't be split further", number));
  const int least = stage.first + 1, most = stage.last - 1;
  return refuse(fmt::format("stage {} has layers {} to {}: it can be split before {}", number, stage.first, most,
                            least == most ? std::to_string(most) : fmt::format("{} to {}", least, most)));
}

double time_of(const Plan& plan, const Profile& profile, int first, int last) {
  const std::vector<LayerId> order = order_of(plan, profile);
  double sum = 0;
  for (int p = first; p < last; ++p) {
    const Layer& layer = profile.layers[order[static_cast<std::size_t>(p)].index()];
    sum += layer.forward.count + layer.backward.count;
  }
  return sum;
}

/// Returns the number of `replicas` that stay with the first part of a split stage.
int kept_replicas(const Plan& plan, const Profile& profile, const Stage& stage, int layer) {
  const double first = time_of(plan, profile, stage.first, layer),
               whole = time_of(plan, profile, stage.first, stage.last);
  const double share = whole > 0 ? first / whole : 0.5;
  return std::clamp(static_cast<int>(std::lround(share * stage.replicas())), 1, stage.replicas() - 1);
}

/// Returns "do: 4 and 8" around a number that is not among the ascending `sizes`.
std::string nearest_text(const std::vector<int>& sizes, int found) {
  const auto above = std::ranges::upper_bound(sizes, found);
  if (above == sizes.begin()) return fmt::format("does: {}", sizes.front());
  if (above == sizes.end()) return fmt::format("does: {}", sizes.back());
  return fmt::format("do: {} and {}", *(above - 1), *above);
}

}  // namespace

Result<Plan> apply(Plan plan, const EditContext&, const MoveBoundary& edit) {
  TRY_VOID(check_stage(plan, edit.stage));
  if (edit.stage == 0) return refuse("stage 0 begins with the model's first layer: it has no cut before it");
  Stage &before = plan.stages[index(edit.stage - 1)], &after = plan.stages[index(edit.stage)];
  if (edit.layer <= before.first || edit.layer >= after.last)
    return refuse(fmt::format("the cut before stage {} can go from layer {} to {}: each stage needs a layer",
                              edit.stage, before.first + 1, after.last - 1));
  std::set<LayerId> marked;
  for (const Stage* stage : {&before, &after})
    marked.insert(stage->recompute.layers.begin(), stage->recompute.layers.end());
  before.last = after.first = edit.layer;
  for (Stage* stage : {&before, &after})
    if (!stage->recompute.all) stage->recompute = recompute_of(*stage, marked);
  return plan;
}

Result<Plan> apply(Plan plan, const EditContext& ground, const SplitStage& edit) {
  TRY_VOID(check_stage(plan, edit.stage));
  TRY_VOID(check_free_stages(plan, "a stage can't be split"));
  Stage first = plan.stages[index(edit.stage)];
  TRY_VOID(check_within(first, edit.stage, edit.layer));
  Stage second = first;
  second.first = edit.layer;
  const std::set<LayerId> marked = recomputed(first);
  if (first.replicas() > 1) {
    const auto kept =
        first.devices.begin() + kept_replicas(plan, ground.profile, first, edit.layer) * first.tensor_parallel;
    second.devices.assign(kept, first.devices.end());
    first.devices.erase(kept, first.devices.end());
  } else {
    const auto spare = allocate_unused_devices(plan, ground.cluster, edit.stage, first.tensor_parallel);
    if (!spare)
      return refuse(fmt::format("stage {} has one replica and too few devices are spare: the new stage needs {}",
                                edit.stage, first.tensor_parallel));
    second.devices = *spare;
  }
  first.last = edit.layer;
  for (Stage* stage : {&first, &second}) {
    stage->samples_per_replica.reset();
    stage->recompute = recompute_of(*stage, marked);
  }
  plan.stages[index(edit.stage)] = std::move(first);
  plan.stages.insert(plan.stages.begin() + edit.stage + 1, std::move(second));
  plan.warmup_counts.reset();
  plan.chunks.reset();
  return plan;
}

Result<Plan> apply(Plan plan, const EditContext&, const MergeStages& edit) {
  for (int stage : {edit.stage, edit.stage + 1}) TRY_VOID(check_stage(plan, stage));
  TRY_VOID(check_free_stages(plan, "stages can't be merged"));
  Stage& merged = plan.stages[index(edit.stage)];
  const Stage next = plan.stages[index(edit.stage + 1)];
  if (merged.tensor_parallel != next.tensor_parallel)
    return refuse(
        fmt::format("stage {} is cut over {} devices and stage {} over {}: give both the same tensor parallelism "
                    "before they are merged",
                    edit.stage, merged.tensor_parallel, edit.stage + 1, next.tensor_parallel));
  std::set<LayerId> marked = recomputed(merged);
  marked.merge(recomputed(next));
  merged.devices.insert(merged.devices.end(), next.devices.begin(), next.devices.end());
  if (plan.synchronous()) {
    const int most = plan.micro_batch * merged.tensor_parallel;
    if (static_cast<int>(merged.devices.size()) > most) merged.devices.resize(static_cast<std::size_t>(most));
  }
  merged.last = next.last;
  merged.samples_per_replica.reset();
  if (merged.shard_fractions != next.shard_fractions) merged.shard_fractions.reset();
  if (!merged.recompute.any()) merged.recompute.each = next.recompute.each;
  merged.recompute = recompute_of(merged, marked);
  plan.stages.erase(plan.stages.begin() + edit.stage + 1);
  plan.warmup_counts.reset();
  plan.chunks.reset();
  return plan;
}

Result<Plan> apply(Plan plan, const EditContext&, const SetStageRecompute& edit) {
  TRY_VOID(check_stage(plan, edit.stage));
  Stage& stage = plan.stages[index(edit.stage)];
  stage.recompute.each = edit.recompute.each;
  if (edit.recompute.all) {
    stage.recompute = {true, {}, edit.recompute.each};
    return plan;
  }
  for (LayerId layer : edit.recompute.layers)
    if (layer.value < stage.first || layer.value >= stage.last)
      return refuse(fmt::format("layer {} is not in stage {}, which has {}", layer.value, edit.stage,
                                stage.last - stage.first == 1
                                    ? fmt::format("layer {}", stage.first)
                                    : fmt::format("layers {} to {}", stage.first, stage.last - 1)));
  stage.recompute = recompute_of(stage, {edit.recompute.layers.begin(), edit.recompute.layers.end()});
  return plan;
}

Result<Plan> apply(Plan plan, const EditContext& ground, const SetLayerRecompute& edit) {
  const auto stage = std::ranges::find_if(
      plan.stages, [&](const Stage& one) { return one.first <= edit.layer && edit.layer < one.last; });
  if (stage == plan.stages.end())
    return refuse(
        fmt::format("there is no layer {}: the model has layers 0 to {}", edit.layer, plan.stages.back().last - 1));
  const LayerId layer(std::int32_t{edit.layer});
  std::set<LayerId> marked = recomputed(*stage);
  if (marked.count(layer) == static_cast<std::size_t>(edit.on))
    return refuse(fmt::format("'{}' is {}", layer_name(plan, ground.profile, edit.layer),
                              edit.on ? "recomputed already" : "not recomputed"));
  if (edit.on)
    marked.insert(layer);
  else
    marked.erase(layer);
  stage->recompute = recompute_of(*stage, marked);
  return plan;
}

Result<Plan> apply(Plan plan, const EditContext&, const SetMicroBatch& edit) {
  if (edit.samples < 1 || plan.global_batch % edit.samples != 0)
    return refuse(fmt::format("a micro-batch of {} does not divide the global batch of {}; the nearest that {}",
                              edit.samples, plan.global_batch, nearest_text(micro_batch_sizes(plan), edit.samples)));
  const int batches = plan.global_batch / edit.samples;
  if (bidirectional(plan.schedule) && batches % 2 != 0)
    return refuse(fmt::format("with a micro-batch of {} there are {}, and '{}' needs an even number of them",
                              edit.samples, batches, name_of(plan.schedule)));
  for (Stage& stage : plan.stages) {
    if (!stage.samples_per_replica) continue;
    for (int& share : *stage.samples_per_replica) {
      const std::int64_t scaled = std::int64_t{share} * edit.samples;
      if (scaled % plan.micro_batch != 0) {
        stage.samples_per_replica.reset();
        break;
      }
      share = static_cast<int>(scaled / plan.micro_batch);
    }
  }
  plan.micro_batch = edit.samples;
  plan.micro_batches = batches;
  return plan;
}

}  // namespace pipedeck::plan::edits
