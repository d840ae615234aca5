// SPDX-License-Identifier: Apache-2.0
#include "core/plan/training_changes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plan/mesh_rules.hpp"

namespace pipedeck::plan {
namespace {

/// Returns how many updates the oldest gradients are behind (PipeDream, SOSP 2019, section 3.3: n - 1 of n stages
/// without replicas; PipeDream-2BW, ICML 2021, section 3.1: one).
int oldest_gradients(const Plan& plan) {
  if (plan.synchronous()) return 0;
  if (plan.schedule == ScheduleKind::pipedream_2bw) return 1;
  int workers = 0;
  for (const Stage& stage : plan.stages) workers += stage.replicas();
  const int replicas = plan.stages.front().replicas();
  return (workers + replicas - 1) / replicas - 1;
}

/// Returns the samples of an update.
int samples_of_update(const Plan& plan) {
  if (plan.synchronous() || plan.schedule == ScheduleKind::pipedream_2bw) return plan.global_batch;
  return plan.micro_batch * plan.stages.front().replicas();
}

bool normalises_batches(std::string_view kind) {
  constexpr std::array<std::string_view, 3> kinds{"batch_norm", "residual", "bottleneck"};
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// Returns the most samples over which a batch norm of the plan takes its statistics; nothing if there is none.
std::optional<int> samples_of_norms(const Plan& plan, const std::vector<std::string_view>& kinds) {
  std::optional<int> most;
  for (const Stage& stage : plan.stages) {
    for (int position = stage.first; position < std::min(stage.last, static_cast<int>(kinds.size())); ++position) {
      const auto at = static_cast<std::size_t>(position);
      if (!normalises_batches(kinds[plan.order ? (*plan.order)[at].index() : at])) continue;
      const int samples =
          plan.synchronous() ? std::ranges::max(replica_samples(stage, plan.micro_batch)) : plan.micro_batch;
      most = std::max(most.value_or(0), samples);
      break;
    }
  }
  return most;
}

}  // namespace

std::string_view name_of(TrainingChange change) {
  constexpr std::array<std::string_view, 5> names{"batch", "padding", "dropped tokens", "stale weights",
                                                  "frozen weights"};
  return names[static_cast<std::size_t>(change)];
}

std::vector<TrainingEffect> training_effects(const Plan& plan, const std::vector<std::string_view>& kinds,
                                             std::int64_t vocabulary) {
  std::vector<TrainingEffect> effects;
  const auto add = [&](TrainingChange change, std::string text) { effects.push_back({change, std::move(text)}); };
  if (const int samples = samples_of_update(plan); samples < plan.global_batch)
    add(TrainingChange::batch,
        fmt::format("weights change every {} samples, the batch has {}", samples, plan.global_batch));
  if (const auto samples = samples_of_norms(plan, kinds); samples && *samples < plan.global_batch)
    add(TrainingChange::batch,
        fmt::format("batch norms see at most {} samples at a time, the batch has {}", *samples, plan.global_batch));
  if (plan.choices) {
    const LayerChoices& layers = plan.choices->layers;
    const int tensor = plan.stages.front().tensor_parallel;
    if (const std::int64_t padded = padded_vocabulary(vocabulary, tensor, layers.vocabulary_multiple);
        padded > vocabulary)
      add(TrainingChange::padding, fmt::format("{} words become {}", vocabulary, padded));
    if (layers.capacity > 0) {
      add(TrainingChange::padding, "experts with fewer tokens than their capacity compute empty rows");
      add(TrainingChange::dropped_tokens,
          fmt::format("an expert takes at most {:.4g} times an even share of the tokens", layers.capacity));
    }
  }
  if (const int updates = oldest_gradients(plan); updates > 0)
    add(TrainingChange::stale_weights, fmt::format("gradients are of weights up to {} old",
                                                   updates == 1 ? "1 update" : fmt::format("{} updates", updates)));
  if (const int rank = adapters_of(plan).rank; rank > 0)
    add(TrainingChange::frozen_weights, fmt::format("adapters of rank {} are trained in their place", rank));
  return effects;
}

std::string training_text(const std::vector<TrainingEffect>& effects) {
  if (effects.empty()) return "nothing";
  std::vector<std::string> lines;
  for (const TrainingEffect& effect : effects)
    lines.push_back(fmt::format("{}: {}", name_of(effect.change), effect.text));
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace pipedeck::plan
