// SPDX-License-Identifier: Apache-2.0
// A training step in several dimensions of parallelism, simulated.
#pragma once

#include <stop_token>

#include "core/base/result.hpp"
#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/work_times.hpp"
#include "core/model/simulation.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::sim::step {

/// Returns time and memory of a step. bad_input if the degrees divide neither model nor devices.
Result<mesh::Prediction> predict_step(const mesh::Question& question, const mesh::Rates& rates);

/// Returns the same step with its timeline and memory curves, one lane per pipeline rank.
Result<Simulation> simulate_step(const mesh::Question& question, const mesh::Rates& rates, std::stop_token stop = {},
                                 const SimulationDetail& detail = {});

}  // namespace pipedeck::sim::step
