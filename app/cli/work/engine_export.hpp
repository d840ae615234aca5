// SPDX-License-Identifier: Apache-2.0
// A plan for another training engine; where the engine can't run it, the plan near by that it can, with its cost.
#pragma once

#include <stop_token>
#include <string>

#include "app/cli/options/question.hpp"
#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/study/engines/engine.hpp"

namespace pipedeck::cli::work {

struct EngineExport {
  options::FileOptions inputs;  ///< what the plan is for
  bool closest = false;         ///< write the nearest plan where the plan itself does not fit
  std::string nearest_plan;     ///< the file that the plan that was written goes to; empty: nowhere
};

/// bad_input with the misfits, the nearest plan and what it costs where the engine can't run the plan and `nearest`
/// was not asked for.
Result<std::string> engine_export(const study::engines::NamedOutput& wanted, const Plan& plan, const std::string& file,
                                  const EngineExport& how, std::stop_token stop);

}  // namespace pipedeck::cli::work
