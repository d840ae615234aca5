// SPDX-License-Identifier: Apache-2.0
// The step of a plan of format version 2 with the published runs like it.
#pragma once

#include "core/base/result.hpp"
#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/model/efficiency.hpp"
#include "core/model/plan.hpp"
#include "core/sim/simulate.hpp"
#include "core/study/accuracy/nearest_runs.hpp"

namespace pipedeck::cli::work {

struct PublishedStep {
  mesh::Question question;
  mesh::Rates rates;
  mesh::Prediction prediction;
  study::accuracy::LikeRuns like;  ///< of the published runs that come with the program
};

/// `nearest`: runs next to the step.
Result<PublishedStep> published_step(const Plan& plan, const sim::Simulator& simulator,
                                     const EfficiencyTable& efficiency, int nearest, int threads);

}  // namespace pipedeck::cli::work
