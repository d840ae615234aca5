// SPDX-License-Identifier: Apache-2.0
#include "core/study/planner_request.hpp"

#include <algorithm>

#include "core/io/documents/transformer.hpp"

namespace pipedeck::study {

bool is_language_model(const Profile& profile) {
  const auto origin = io::documents::origin_of(profile);
  return origin && origin->has_value();
}

bool compared_by_default(const planner::PlannerInfo& planner, bool language_model) {
  return planner.compared_by_default && (language_model ? !planner.changes_training : !planner.of_transformers);
}

PlannerRequest comparison_request(const planner::PlannerInfo& planner, planner::PlannerOptions options) {
  const bool any_kind =
      std::ranges::any_of(planner.options, [](const auto& o) { return o.name == "synchronous-only"; });
  if (any_kind) options.emplace("synchronous-only", "true");
  return {&planner, std::move(options)};
}

std::vector<PlannerRequest> comparison_planners(const Profile& profile) {
  const bool language_model = is_language_model(profile);
  std::vector<PlannerRequest> asked;
  for (const planner::PlannerInfo& planner : planner::planners())
    if (compared_by_default(planner, language_model)) asked.push_back(comparison_request(planner, {}));
  return asked;
}

bool studied_by_default(const planner::PlannerInfo& planner, bool language_model) {
  return planner.compared_by_default && planner.search_time != planner::SearchTime::slow && !planner.plain_choice &&
         (language_model || !planner.of_transformers);
}

std::vector<PlannerRequest> default_planners(const Profile& profile) {
  const bool language_model = is_language_model(profile);
  std::vector<PlannerRequest> asked;
  for (const planner::PlannerInfo& planner : planner::planners())
    if (studied_by_default(planner, language_model)) asked.push_back({&planner, {}});
  return asked;
}

}  // namespace pipedeck::study
