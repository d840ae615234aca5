// SPDX-License-Identifier: Apache-2.0
// A plan of format version 2 as an engine's own text brings it back. A choice that differs is one that the engine does
// not have.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/model/plan.hpp"
#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// Returns the plan of a job that was read from a text for `request.plan`. The kernels of attention, the balance of
/// experts and recomputation that the program chooses are the plan's.
Result<Plan> plan_of_job(const EngineRequest& request, io::jobs::TrainingJob job);

/// Returns a sentence for each choice that differs in the engine's text, "loss: found the default, ...". Empty if the
/// text brings back the plan. The engine has `plan_of_text`.
std::vector<std::string> lost_in_text(const Engine& engine, const EngineRequest& request);

/// Returns plans that the engine's text brings back: the plan's own, and those with other recomputation and sharding.
std::vector<Plan> plans_of_texts(const Engine& engine, const EngineRequest& request);

}  // namespace pipedeck::study::engines
