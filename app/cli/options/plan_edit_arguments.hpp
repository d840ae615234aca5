// SPDX-License-Identifier: Apache-2.0
// Edits of a plan as arguments: --move-cut 1=block_27, --move-device 3=1, ... in the order in which they were given.
#pragma once

#include <string>
#include <vector>

#include "core/plan/edits.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::options {

/// One of the options with its value, as it stands on the command line.
struct PlanEditArgument {
  std::string option;  ///< "--move-cut"
  std::string value;   ///< "1=block_27"
};

void declare_plan_edits(CLI::App& app);
/// The given edits, in order.
std::vector<PlanEditArgument> plan_edits_given(const CLI::App& app);

/// Layers by name or by position in the plan's order, devices as 3 or G3. bad_usage where it can't be read.
Result<plan::PlanEdit> parse_plan_edit(const PlanEditArgument& argument, const Plan& plan, const Profile& profile);

}  // namespace pipedeck::cli::options
