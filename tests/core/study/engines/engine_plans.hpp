// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/study/engines/engine.hpp"
#include "tests/support/random_problem.hpp"

namespace pipedeck::test {

/// An embedding, blocks, a norm, a head and a loss.
inline Profile transformer(int blocks) {
  Profile profile = uniform_profile(blocks + 4, Seconds(1e-3), Seconds(2e-3));
  for (std::size_t l = 0; l < profile.layers.size(); ++l) profile.layers[l].kind = "transformer";
  profile.layers[0].kind = "embedding";
  const auto end = profile.layers.size();
  profile.layers[end - 3].kind = "layer_norm";
  profile.layers[end - 2].kind = "linear";
  profile.layers[end - 1].kind = "softmax_cross_entropy";
  return profile;
}

/// Stages that begin at `cuts`, on `width` devices each.
inline Plan pipeline(const Profile& profile, const std::vector<int>& cuts, int replicas = 1, int tensor = 1) {
  Plan plan;
  plan.name = "a plan";
  plan.planner = "hand";
  plan.global_batch = 32;
  plan.micro_batch = 2 * replicas;
  plan.micro_batches = plan.global_batch / plan.micro_batch;
  int device = 0;
  for (std::size_t s = 0; s <= cuts.size(); ++s) {
    Stage stage;
    stage.first = s == 0 ? 0 : cuts[s - 1];
    stage.last = s == cuts.size() ? static_cast<int>(profile.layers.size()) : cuts[s];
    stage.tensor_parallel = tensor;
    for (int d = 0; d < replicas * tensor; ++d) stage.devices.emplace_back(std::int32_t{device++});
    plan.stages.push_back(stage);
  }
  return plan;
}

inline const study::engines::Engine& engine(std::string_view output) {
  return *study::engines::find_engine_output(output).engine;
}

inline std::string text_of(std::string_view output, const Plan& plan, const Profile& profile, const Cluster& cluster) {
  const auto text = study::engines::engine_text(study::engines::find_engine_output(output), {plan, profile, cluster});
  return text ? *text : "ERROR " + text.error().message;
}

}  // namespace pipedeck::test
