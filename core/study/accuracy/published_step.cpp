// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/published_step.hpp"

#include <utility>

#include "core/sim/engine_plan.hpp"
#include "core/sim/step/predict_step.hpp"

namespace pipedeck::study::accuracy {

Result<PublishedStep> published_step(const Plan& plan, const sim::Simulator& simulator, const KnownRuns& known,
                                     const std::vector<DeviceModel>& catalogue, const EfficiencyTable& efficiency,
                                     int nearest, int threads) {
  PublishedStep step;
  TRY(sim::StepQuestion asked, sim::question_of(simulator.inputs(), plan));
  step.question = std::move(asked.question);
  TRY(step.rates, mesh::rates_of(*step.question.cluster, step.question.devices(), catalogue, efficiency));
  TRY(step.prediction, sim::step::predict_step(step.question, step.rates));
  step.like = like_runs(known, {step.question, step.rates, step.prediction}, nearest, catalogue, efficiency,
                        sim::step::predict_step, threads);
  return step;
}

}  // namespace pipedeck::study::accuracy
