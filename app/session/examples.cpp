// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/examples.hpp"

#include <QCoreApplication>

#include "app/session/project/import.hpp"
#include "app/session/project/training_state.hpp"
#include "core/planner/planner.hpp"
#include "core/presets/instance_types.hpp"
#include "core/presets/machine_import.hpp"
#include "core/presets/presets.hpp"
#include "core/study/compare.hpp"

namespace pipedeck::session {

namespace {

Result<Cluster> cluster_of(const Example& example) {
  auto preset = presets::cluster_preset(example.cluster);
  if (preset || !example.cloud) return preset;
  TRY(auto machine, presets::cloud_machine(example.cloud));
  presets::MachineImport how;
  how.copies = example.machines;
  how.name = example.cluster;
  TRY(auto imported, presets::cluster_of(std::move(machine), how));
  return std::move(imported.cluster);
}

}  // namespace

const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {QT_TRANSLATE_NOOP("Examples", "Llama 3 8B on one node"), QT_TRANSLATE_NOOP("Examples", "8 × H100"), "Llama 3 8B",
       "8 × H100-SXM", "p5.48xlarge", 1, 64, "mesh"},
      {QT_TRANSLATE_NOOP("Examples", "Llama 3 70B on 64 H100"), QT_TRANSLATE_NOOP("Examples", "8 × 8 H100"),
       "Llama 3 70B", "8 × 8 H100-SXM", "p5.48xlarge", 8, 256, "mesh"},
      {QT_TRANSLATE_NOOP("Examples", "Mixtral 8x7B on 64 H100"), QT_TRANSLATE_NOOP("Examples", "8 × 8 H100"),
       "Mixtral 8x7B", "8 × 8 H100-SXM", "p5.48xlarge", 8, 256, "mesh"},
      {QT_TRANSLATE_NOOP("Examples", "BERT-48, of DAPPLE"), QT_TRANSLATE_NOOP("Examples", "2 × 8 V100"), "BERT-48",
       "DAPPLE config A, 2 × 8 V100", nullptr, 1, 64, "dapple"},
      {QT_TRANSLATE_NOOP("Examples", "ResNet-50, of PipeDream"), QT_TRANSLATE_NOOP("Examples", "4 × 4 V100"),
       "ResNet-50", "PipeDream Cluster-A, 4 × 4 V100", nullptr, 1, 1024, "pipedream"},
      {QT_TRANSLATE_NOOP("Examples", "gpt-tiny, trained here"), QT_TRANSLATE_NOOP("Examples", "2 CPU threads"),
       "gpt-tiny", "2 CPU threads", nullptr, 1, 32, "gpipe"}};
  return all;
}

QString example_title(const Example& example) { return QCoreApplication::translate("Examples", example.title); }

QString example_about(const Example& example) { return QCoreApplication::translate("Examples", example.about); }

Result<project::State> example_project(const Example& example) {
  TRY(auto cluster, cluster_of(example));
  project::Added added = project::with_cluster(project::State{}, std::move(cluster));
  added.state = project::with_selected_cluster(std::move(added.state), added.id);  // the profile is computed for it
  added.state.question.workload.global_batch = example.global_batch;
  return project::with_profile_preset(added.state, example.profile);
}

Result<ExamplePlan> example_plan(const Example& example, std::stop_token stop) {
  TRY(const auto project, example_project(example));
  const auto problem = project::make_problem(project, project.question);
  ensure(problem.has_value(), "an example without a question");
  study::PlanSimulator simulator;
  TRY(const auto planner, planner::find_planner(example.planner));
  TRY(auto comparison, study::compare(*problem, {{planner, {}}}, simulator, {}, {}, stop));
  study::ComparedPlan& answer = comparison.plans.front();
  if (answer.error) return tl::unexpected(*answer.error);
  if (answer.infeasible) return tl::unexpected(study::no_plan_fits(example.planner, *answer.infeasible));
  return ExamplePlan{std::move(answer.simulated_plan->plan), std::move(answer.simulated_plan->simulation)};
}

}  // namespace pipedeck::session
