// SPDX-License-Identifier: Apache-2.0
// The step of a plan of format version 2, predicted and simulated.
#pragma once

#include <stop_token>
#include <string>

#include "app/cli/options/question.hpp"
#include "core/mesh/prediction.hpp"
#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::cli::work {

struct PlanStep {
  mesh::Prediction prediction;
  Simulation simulation;  ///< a device per pipeline rank: the first one
};

/// Errors name the file of what they are about: `plan_file`, or one of `inputs`.
Result<PlanStep> step_of(const Plan& plan, const std::string& plan_file, const options::FileOptions& inputs,
                         const sim::SimulationDetail& detail, std::stop_token stop);

}  // namespace pipedeck::cli::work
