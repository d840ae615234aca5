// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/trials.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/cli/text/console.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/backend.hpp"
#include "app/cli/work/plan_columns.hpp"
#include "core/model/step_times.hpp"
#include "core/presets/presets.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "core/runtime/machine/robust.hpp"
#include "core/runtime/train.hpp"

namespace pipedeck::cli::work {
namespace {

/// The steps that were done.
Result<std::vector<RunEvent>> train(const Plan& plan, const Schedule& schedule, const ModelSpec& model, int steps,
                                    std::stop_token stop) {
  std::vector<RunEvent> done;
  runtime::train::TrainOptions options;
  options.steps = steps;
  const auto take = [&](const RunEvent& event) {
    if (std::holds_alternative<StepDone>(event)) done.push_back(event);
  };
  TRY_VOID(runtime::train_on_cpu(model, plan, schedule, options, take, std::move(stop)));
  return done;
}

study::Trial tried(int number, const Plan& plan, const sim::Simulator& simulator, const ModelSpec& model, int steps,
                   std::stop_token stop) {
  study::Trial trial{.plan = number, .name = plan.name};
  const auto done = [&]() -> Result<std::vector<RunEvent>> {
    TRY(const auto predicted, simulator.iteration_time(plan, stop));
    trial.predicted = predicted;
    TRY(const auto schedule, simulator.schedule(plan));
    return train(plan, schedule, model, steps, stop);
  }();
  if (!done) {
    trial.failure = done.error().message;
  } else if ((trial.measured = median_step(*done))) {
    const runtime::machine::RobustSummary times = runtime::machine::summary_of(step_seconds(*done));
    trial.lower = Seconds(times.lower), trial.upper = Seconds(times.upper);
  } else {
    trial.failure = "stopped before its second step";
  }
  return trial;
}

}  // namespace

void TrialOptions::declare(CLI::App& app) {
  app.add_option("--trials", plans, "train the best K plans for a few steps each and choose the fastest")
      ->check(CLI::Range(1, 1000))
      ->group("Trials")
      ->type_name("K");
  app.add_option("--trial-steps", steps, "steps per trial; the first is not counted")
      ->check(CLI::Range(2, 1 << 20))
      ->group("Trials")
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--model", model, "model of the trials: a file or preset:NAME")->group("Trials")->type_name("SPEC");
  app.add_option("--backend", backend, "backend of the trials: cpu (one thread per device)")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->group("Trials")
      ->type_name("NAME");
}

Result<void> TrialOptions::check() const {
  if (!asked() && (!model.empty() || !backend.empty()))
    return fail(ErrorCode::bad_usage, "plan: --model and --backend need --trials K");
  if (!asked()) return {};
  if (model.empty() || backend.empty())
    return fail(ErrorCode::bad_usage, "plan: --trials needs --model SPEC and --backend cpu");
  return check_backend(backend);
}

Result<ModelSpec> TrialOptions::open(const Profile& profile) const {
  auto spec = presets::open_model(model);
  if (!spec) return tl::unexpected(text::in_file(spec.error(), model));
  const auto planned = static_cast<int>(profile.layers.size()), there = runtime::layers::plannable_layers(*spec);
  if (planned != there)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} layers, expected {}, as in the profile {}", there, planned, profile.name),
                "/layers", model);
  if (const auto source = runtime::data::make_source(*spec); !source)
    return tl::unexpected(text::in_file(source.error(), model));
  return spec;
}

Result<std::vector<study::Trial>> run_trials(const std::vector<study::SimulatedPlan>& simulated_plans,
                                             const sim::Simulator& simulator, const ModelSpec& model, int steps,
                                             const Progress& progress, std::stop_token stop) {
  const sim::Simulator as_trained = simulator.with_overlap(runtime::train::trainer_overlap);
  std::vector<study::Trial> trials;
  for (std::size_t i = 0; i < simulated_plans.size(); ++i) {
    const Plan& plan = simulated_plans[i].plan;
    report(progress, static_cast<double>(i) / static_cast<double>(simulated_plans.size()),
           fmt::format("trying plan {} of {}: {}", i + 1, simulated_plans.size(), plan.name));
    trials.push_back(tried(static_cast<int>(i), plan, as_trained, model, steps, stop));
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the trials were stopped");
  }
  study::sort_fastest_first(trials);
  if (!trials.front().measured)
    return fail(ErrorCode::run_failed, fmt::format("none of the {} plans could be run here; the best one: {}",
                                                   trials.size(), trials.front().failure));
  return trials;
}

std::string trials_table(const std::vector<study::Trial>& trials,
                         const std::vector<study::SimulatedPlan>& simulated_plans) {
  text::Table table({{"#"},
                     {"plan", text::Align::left},
                     {"shape", text::Align::left},
                     {"schedule", text::Align::left},
                     {"micro-batches"},
                     {"predicted ms"},
                     {"measured ms"},
                     {"quartiles"},
                     {"predicted"},
                     {"", text::Align::left}});
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const study::Trial& trial = trials[i];
    const Plan& plan = simulated_plans[static_cast<std::size_t>(trial.plan)].plan;
    std::vector<std::string> row{std::to_string(i + 1),
                                 plan.name,
                                 text::short_shape_text(plan),
                                 schedule_text(plan),
                                 fmt::format("{} x {}", plan.micro_batches, plan.micro_batch),
                                 trial.predicted ? text::milliseconds_text(*trial.predicted) : "-"};
    if (trial.measured)
      row.insert(row.end(),
                 {text::milliseconds_text(*trial.measured),
                  fmt::format("{} to {}", text::milliseconds_text(trial.lower), text::milliseconds_text(trial.upper)),
                  text::change_text(trial.measured->count, trial.predicted->count), i == 0 ? "fastest" : ""});
    else
      row.insert(row.end(), {"-", "", "", trial.failure});
    table.add(std::move(row));
  }
  return table.text();
}

std::string trial_text(const std::vector<study::Trial>& trials, int steps) {
  const study::Trial& best = trials.front();
  const auto ran =
      std::count_if(trials.begin(), trials.end(), [](const study::Trial& t) { return t.measured.has_value(); });
  return fmt::format(
      "The fastest of {} plans trained for {} steps each on this machine: {} ms per step measured, {} ms predicted{}",
      ran, steps, text::milliseconds_text(*best.measured), text::milliseconds_text(*best.predicted),
      ran < static_cast<std::ptrdiff_t>(trials.size())
          ? fmt::format("; {} more could not be run", static_cast<std::ptrdiff_t>(trials.size()) - ran)
          : "");
}

}  // namespace pipedeck::cli::work
