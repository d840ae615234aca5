// SPDX-License-Identifier: Apache-2.0
// Which options of `run` go together: one that would do nothing is refused, with the reason.
#pragma once

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::commands {

/// Returns bad_usage for the first option that would have no effect with the others. `app`: parsed, of `run`.
Result<void> check_run_usage(const CLI::App& app);

/// bad_usage where the plan gives `overlap` nothing to do.
Result<void> check_overlap(Overlap overlap, const Plan& plan);

}  // namespace pipedeck::cli::commands
