// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/published_step.hpp"

#include <utility>

#include "core/base/checks.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/published_runs.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/sim/step/predict_step.hpp"

namespace pipedeck::cli::work {

Result<PublishedStep> published_step(const Plan& plan, const sim::Simulator& simulator,
                                     const EfficiencyTable& efficiency, int nearest, int threads) {
  const std::vector<DeviceModel>& catalogue = presets::device_catalogue();
  PublishedStep step;
  TRY(sim::StepQuestion asked, sim::question_of(simulator.inputs(), plan));
  step.question = std::move(asked.question);
  TRY(step.rates, mesh::rates_of(*step.question.cluster, step.question.devices(), catalogue, efficiency));
  TRY(step.prediction, sim::step::predict_step(step.question, step.rates));
  const auto runs = study::accuracy::runs_from_csv(presets::published_runs());
  ensure(runs.has_value(), "the published runs that come with the program are valid");
  const study::accuracy::KnownRuns known(*runs, catalogue, threads);
  step.like = study::accuracy::like_runs(known, {step.question, step.rates, step.prediction}, nearest, catalogue,
                                         efficiency, sim::step::predict_step, threads);
  return step;
}

}  // namespace pipedeck::cli::work
