// SPDX-License-Identifier: Apache-2.0
#include "core/study/training_effects.hpp"

#include "core/io/documents/transformer.hpp"

namespace pipedeck::study {

std::vector<plan::TrainingEffect> training_effects(const Plan& plan, const Profile& profile) {
  std::vector<std::string_view> kinds;
  for (const Layer& layer : profile.layers) kinds.emplace_back(layer.kind);
  const auto origin = io::documents::origin_of(profile);
  return plan::training_effects(plan, kinds, origin && *origin ? (*origin)->config.vocabulary : 0);
}

}  // namespace pipedeck::study
