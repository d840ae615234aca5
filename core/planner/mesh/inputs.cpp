// SPDX-License-Identifier: Apache-2.0
#include "core/planner/mesh/inputs.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/io/documents/transformer.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/planner/mesh/why.hpp"
#include "core/planner/ranking.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"

namespace pipedeck::planner::mesh {

Ranking refused(std::string reason, std::string relaxation) {
  return {{}, Infeasible{std::move(reason), std::move(relaxation)}};
}

Result<Ranking> ranked_on(const Problem& problem, const std::string& planner,
                          const std::function<Result<Ranking>(const Rates&)>& plan) {
  TRY(const auto origin, io::documents::origin_of(*problem.profile));
  if (!origin)
    return refused(fmt::format("{} divides the layers of a transformer: the times of '{}' were not computed from one",
                               planner, problem.profile->name),
                   "a profile computed from a config.json");
  const int devices = static_cast<int>(devices_of(*problem.cluster).size());
  TRY(const auto rates,
      pipedeck::mesh::rates_of(*problem.cluster, devices, presets::device_catalogue(), presets::efficiency()));
  auto answer = plan(rates);
  if (!answer && answer.error().code == ErrorCode::bad_input)  // times of this precision or device are not known
    return refused(fmt::format("{} has no times for this question: {}", planner, answer.error().message), {});
  return answer;
}

Result<Question> base_of(const Problem& problem, const std::string& products) {
  const int devices = static_cast<int>(devices_of(*problem.cluster).size());
  Plan plan;
  plan.micro_batch = devices;
  plan.optimizer = problem.workload.optimizer, plan.precision = problem.workload.precision;
  Stage stage;
  stage.last = static_cast<int>(problem.profile->layers.size());
  for (int d = 0; d < devices; ++d) stage.devices.emplace_back(d);
  plan.stages.push_back(std::move(stage));
  TRY(Question base, pipedeck::mesh::question_of(plan, *problem.profile, problem.cluster));
  base.blocks.clear();
  base.layer.vocabulary_multiple = 128;
  base.layer.weighs_activation = true;
  base.training.adapters = problem.workload.adapters;
  if (!products.empty()) base.training.products = products;
  return base;
}

void limit(Space& space, const Problem& problem) {
  space.global_batch = problem.workload.global_batch;
  space.whole_micro_batch = problem.workload.micro_batch.value_or(0);
  if (problem.pins.tensor_parallel) space.tensor = {*problem.pins.tensor_parallel};
  if (problem.pins.replicas) space.data = {*problem.pins.replicas};
  space.stages = problem.pins.stages.value_or(0), space.most_stages = problem.pins.max_stages.value_or(0);
}

Plan plan_of(const Problem& problem, const Question& base, const Space& space, const Point& point,
             const std::string& planner, const std::string& title) {
  Plan plan = pipedeck::mesh::plan_of(question_of(base, space, point), *problem.profile);
  plan.planner = planner, plan.name = title + " " + name_of(space, point);
  plan.cluster = problem.cluster->name;
  plan.optimizer = problem.workload.optimizer, plan.precision = problem.workload.precision;
  return plan;
}

Result<Seconds> judge_with_room(const PlannerContext& context, const Plan& plan) {
  TRY(const Seconds time, judge(context, plan));
  if (std::isinf(time.count)) return time;
  if (context.fits) {
    TRY(const bool fits, context.fits(plan, context.stop));
    if (!fits) return Seconds(std::numeric_limits<double>::infinity());
  }
  note_plan(context);
  return time;
}

}  // namespace pipedeck::planner::mesh
