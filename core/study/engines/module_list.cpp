// SPDX-License-Identifier: Apache-2.0
#include "core/study/engines/module_list.hpp"

#include <fmt/format.h>

namespace pipedeck::study::engines {

bool has_loss(const Profile& profile) { return profile.layers.back().kind == "softmax_cross_entropy"; }

int module_count(const Profile& profile) {
  return static_cast<int>(profile.layers.size()) - (has_loss(profile) ? 1 : 0);
}

std::vector<int> module_cuts(const Plan& plan, const Profile& profile) {
  std::vector<int> cuts;
  for (const Stage& stage : plan.stages) cuts.push_back(stage.first);
  cuts.push_back(module_count(profile));
  return cuts;
}

bool may_cut_modules(const Profile& profile, int position) { return position < module_count(profile); }

std::string module_limitation(const Profile& profile, std::string_view engine) {
  for (const Edge& edge : edges_of(profile))
    if (edge.to.value != edge.from.value + 1)
      return fmt::format("model: found layer '{}' feeding '{}', {} takes layers that each feed the next in the list",
                         profile.layers[edge.from.index()].name, profile.layers[edge.to.index()].name, engine);
  return {};
}

}  // namespace pipedeck::study::engines
