// SPDX-License-Identifier: Apache-2.0
// The names of the plans of a planner's short list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/plan.hpp"

namespace pipedeck::plan {

/// Returns "Mesh: simplest + least memory", or the planner's title alone if there are no merits.
std::string short_list_title(std::string_view planner, const std::vector<Merit>& merits);

/// Returns true if the plan stands on its planner's short list for other merits than its time.
bool is_alternative(const Plan& plan);

}  // namespace pipedeck::plan
