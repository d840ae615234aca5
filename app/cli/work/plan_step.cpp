// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/plan_step.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/cli/text/console.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/mesh/work_times.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/step/predict_step.hpp"

namespace pipedeck::cli::work {
namespace {

/// Returns the type of the first `devices` of them, with the catalogue's peaks where it has none of its own.
Result<mesh::Rates> rates_of(const Cluster& cluster, int devices) {
  const std::vector<Device> all = devices_of(cluster);
  for (int d = 1; d < std::min(devices, static_cast<int>(all.size())); ++d)
    if (const Device& device = all[static_cast<std::size_t>(d)]; device.type != all.front().type)
      return fail(ErrorCode::bad_input,
                  fmt::format("found device {} of another type than device 0, expected one type for the {} of the plan",
                              d, devices));
  mesh::Rates rates{cluster.device_types[static_cast<std::size_t>(all.front().type)], {}};
  std::string name = rates.type.name;
  if (const DeviceModel* const model = find_device_model(presets::device_catalogue(), name)) {
    name = model->type.name;
    rates.type.peak_tflops.insert(model->type.peak_tflops.begin(), model->type.peak_tflops.end());
    if (!rates.type.memory_bandwidth) rates.type.memory_bandwidth = model->type.memory_bandwidth;
  }
  if (const DeviceEfficiency* const reached = find_efficiency(presets::efficiency(), name)) rates.reached = *reached;
  return rates;
}

Result<mesh::Question> question_of(const Plan& plan, const Problem& problem) {
  TRY_VOID(plan::validate(plan));
  return mesh::question_of(plan, *problem.profile, problem.cluster);
}

}  // namespace

Result<PlanStep> step_of(const Plan& plan, const std::string& plan_file, const options::FileOptions& inputs,
                         const sim::SimulationDetail& detail, std::stop_token stop) {
  const auto in_file = [](Error error, const std::string& file) {
    return tl::unexpected(text::in_file(std::move(error), file));
  };
  auto profile = presets::open_profile(inputs.profile, {.profile_micro_batch = inputs.profile_micro_batch});
  if (!profile) return in_file(profile.error(), inputs.profile);
  auto cluster = presets::open_cluster(inputs.cluster);
  if (!cluster) return in_file(cluster.error(), inputs.cluster);
  Problem problem;
  problem.profile = std::make_shared<const Profile>(*std::move(profile));
  problem.cluster = std::make_shared<const Cluster>(*std::move(cluster));
  const auto question = question_of(plan, problem);
  if (!question) return in_file(question.error(), plan_file);
  options::warn_if_made_for_others(plan, plan_file, problem);
  const auto rates = rates_of(*problem.cluster, question->devices());
  if (!rates) return in_file(rates.error(), inputs.cluster);
  auto prediction = sim::step::predict_step(*question, *rates);
  if (!prediction) return in_file(prediction.error(), plan_file);
  auto simulation = sim::step::simulate_step(*question, *rates, std::move(stop), detail);
  if (!simulation) return in_file(simulation.error(), plan_file);
  return PlanStep{*prediction, *std::move(simulation)};
}

}  // namespace pipedeck::cli::work
