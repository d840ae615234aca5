// SPDX-License-Identifier: Apache-2.0
// The step of a plan of format version 2 with the published runs like it.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/model/efficiency.hpp"
#include "core/model/plan.hpp"
#include "core/sim/simulate.hpp"
#include "core/study/accuracy/nearest_runs.hpp"

namespace pipedeck::study::accuracy {

struct PublishedStep {
  mesh::Question question;
  mesh::Rates rates;
  mesh::Prediction prediction;
  LikeRuns like;
};

/// Predicts the plan's step and the `nearest` known runs next to it. The catalogue gives the devices' data sheets.
Result<PublishedStep> published_step(const Plan& plan, const sim::Simulator& simulator, const KnownRuns& known,
                                     const std::vector<DeviceModel>& catalogue, const EfficiencyTable& efficiency,
                                     int nearest, int threads);

}  // namespace pipedeck::study::accuracy
