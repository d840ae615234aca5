// SPDX-License-Identifier: Apache-2.0
#include "core/plan/short_list.hpp"

#include <algorithm>

namespace pipedeck::plan {

std::string short_list_title(std::string_view planner, const std::vector<Merit>& merits) {
  std::string title(planner);
  for (const Merit merit : merits) title += (merit == merits.front() ? ": " : " + ") + std::string(name_of(merit));
  std::ranges::replace(title, '_', ' ');
  return title;
}

bool is_alternative(const Plan& plan) {
  return !plan.merits.empty() && std::ranges::find(plan.merits, Merit::fastest) == plan.merits.end();
}

}  // namespace pipedeck::plan
