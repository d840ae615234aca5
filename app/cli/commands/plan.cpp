// SPDX-License-Identifier: Apache-2.0
// plan: the best answer of one planner, or its best K, with the simulator's prediction.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/planner_arguments.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/options/time_budget.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/memory_columns.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/plan_columns.hpp"
#include "app/cli/work/trials.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/text/printable.hpp"
#include "core/study/compare.hpp"
#include "core/study/origin.hpp"

namespace pipedeck::cli::commands {
namespace {

constexpr int plan_limit = 1000;

/// One plan as itself, several as a JSON array, best first.
std::string plans_to_json(const std::vector<study::SimulatedPlan>& simulated_plans, bool as_list) {
  if (!as_list) return io::documents::plan_to_json(simulated_plans.front().plan);
  std::string text = "[\n";
  for (const study::SimulatedPlan& one : simulated_plans)
    text += io::documents::plan_to_json(one.plan) + (&one == &simulated_plans.back() ? "\n" : ",\n");
  return text + "]";
}

std::string objective_text(const Plan& plan) {
  if (!plan.objective) return "-";
  const Objective& objective = *plan.objective;
  return fmt::format("{} {}", objective.name,
                     objective.time    ? text::milliseconds_text(*objective.time) + " ms"
                     : objective.bytes ? text::memory_text(*objective.bytes)
                                       : std::string());
}

/// "   Bounds: ...", what is proven of the plan.
std::string certificate_text(const Plan& plan) {
  if (!plan.certificate) return {};
  const Certificate& certificate = *plan.certificate;
  std::string text;
  if (certificate.lower_bound > Seconds())
    text += fmt::format("   No {} takes less than {} ms; this one takes {:.1f} % more.\n",
                        has_mesh(plan) ? "mesh of equal stages" : "plan of this problem",
                        text::milliseconds_text(certificate.lower_bound), 100 * certificate.gap);
  if (certificate.partition_lower_bound > Seconds())
    text += fmt::format("   These stages take at least {} ms under this schedule.\n",
                        text::milliseconds_text(certificate.partition_lower_bound));
  if (!certificate.optimal_in.empty()) text += fmt::format("   Proven: {}.\n", certificate.optimal_in);
  if (plan.truncated) text += "   The search ended at its time budget.\n";
  return text;
}

std::string plans_table(const std::vector<study::SimulatedPlan>& simulated_plans) {
  text::Table table(work::joined(work::plan_columns({"#"}), {{"warm-up A / B ms"},
                                                             {"worst peak"},
                                                             {"at most"},
                                                             {"fits", text::Align::left},
                                                             {"objective", text::Align::left}}));
  Bytes largest;
  for (const study::SimulatedPlan& one : simulated_plans)
    largest = std::max(largest, text::largest_peak(*one.simulation));
  for (std::size_t i = 0; i < simulated_plans.size(); ++i) {
    const auto& [plan, simulated, other] = simulated_plans[i];
    const Simulation& simulation = *simulated;
    const Seconds iteration = to_seconds(simulation.iteration);
    table.add(
        work::joined(work::plan_cells(std::to_string(i + 1), plan.name, plan, iteration, simulation.samples_per_second),
                     {work::warmups_text(plan, iteration, other), text::worst_peak_text(simulation, largest),
                      text::at_most_text(simulation, largest), text::fits_word(simulation), objective_text(plan)}));
  }
  return table.text();
}

/// Prints each plan's notes below the table.
std::string reasons(const std::vector<study::SimulatedPlan>& simulated_plans) {
  std::string text;
  for (std::size_t i = 0; i < simulated_plans.size(); ++i) {
    const Plan& plan = simulated_plans[i].plan;
    if (plan.rationale.empty()) continue;
    text += fmt::format("\n{}. {}\n", i + 1, io::text::printable(plan.name));
    for (const std::string& sentence : plan.rationale) text += "   " + sentence + "\n";
    text += certificate_text(plan);
  }
  return text;
}

class PlanCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    question_.declare(app);
    app.add_option("--planner", planner_, "planner (pipedeck-cli list planners), or exec:PROGRAM")
        ->required()
        ->type_name("NAME");
    app.add_option("--top", top_, "number of best plans; several are written as a JSON array")
        ->check(CLI::Range(1, plan_limit))
        ->capture_default_str()
        ->type_name("K");
    app.add_flag("--explain", explain_, "explain each plan: its bottleneck and the loss of its neighbours");
    app.add_option("--time-budget", budget_, "time budget in seconds: answer with the best plan found by then")
        ->check(CLI::PositiveNumber)
        ->type_name("S");
    trials_.declare(app);
    output_.declare(app);
    app.allow_extras();
    app.footer([] { return options::planner_options_help(); });
    app_ = &app;
  }

  Result<int> run(std::stop_token stop) override {
    TRY(const auto planner, planner::find_planner(planner_));
    TRY(const auto options, options::planner_options(*planner, arguments_for(*planner)));
    TRY_VOID(question_.schedule.check());
    TRY_VOID(trials_.check());
    TRY(const auto threads, question_.thread_count());
    TRY(auto problem, question_.open());
    if (trials_.asked()) {
      TRY(auto model, trials_.open(*problem.profile));
      trained_ = std::move(model);
    }
    study::PlanSimulator plan_simulator;
    TRY(const auto simulator, plan_simulator.simulator(problem));
    TRY(const auto simulated_plans, search({planner, options}, problem, plan_simulator, threads, stop));
    return trials_.asked() ? select_by_trials(simulated_plans, simulator, stop)
                           : answer(simulated_plans, plans_table(simulated_plans));
  }

 private:
  /// The planner's own options. A planner that searches schedules itself is asked for the given one if it knows it.
  std::vector<std::string> arguments_for(const planner::PlannerInfo& planner) {
    std::vector<std::string> arguments = app_->remaining();
    for (const planner::OptionInfo& option : planner.options) {
      std::optional<std::string>& name = question_.schedule.name;
      if (option.name != "schedule" || !name) continue;
      if (std::find(option.choices.begin(), option.choices.end(), *name) == option.choices.end()) continue;
      arguments.insert(arguments.end(), {"--schedule", *name});
      name.reset();
    }
    return arguments;
  }

  Result<int> answer(const std::vector<study::SimulatedPlan>& simulated_plans, const std::string& table) const {
    TRY_VOID(output_.write(plans_to_json(simulated_plans, top_ > 1), table + reasons(simulated_plans)));
    return 0;
  }

  /// The fastest measured, or the fastest `--top` of them.
  Result<int> select_by_trials(const std::vector<study::SimulatedPlan>& simulated_plans,
                               const sim::Simulator& simulator, std::stop_token stop) const {
    text::ProgressLine progress;
    TRY(auto trials, work::run_trials(simulated_plans, simulator, trained_, trials_.steps, progress.callback(), stop));
    std::vector<study::SimulatedPlan> best;
    for (const study::Trial& trial : trials)
      if (static_cast<int>(best.size()) < top_ && trial.measured)
        best.push_back(simulated_plans[static_cast<std::size_t>(trial.plan)]);
    best.front().plan.rationale.push_back(work::trial_text(trials, trials_.steps) + ".");
    return answer(best, work::trials_table(trials, simulated_plans) + "\n" + plans_table(best));
  }

  int max_plans() const { return std::max(top_, trials_.plans); }

  Result<std::vector<study::SimulatedPlan>> search(const study::PlannerRequest& asked, const Problem& problem,
                                                   study::PlanSimulator& plan_simulator, int threads,
                                                   std::stop_token stop) const {
    TRY(const auto simulator, plan_simulator.simulator(problem));
    text::ProgressLine progress;
    planner::PlannerContext context = study::context_for(simulator, stop);
    context.progress = progress.callback();
    context.threads = threads;
    context.top = max_plans();
    context.explain = explain_;
    const options::TimeBudget budget(budget_);
    context.deadline_token = budget.over();
    context.budget = Seconds(budget_.value_or(0));
    TRY(const auto ranking, planner::run_planner(*asked.planner, problem, asked.options, context));
    if (ranking.infeasible) return tl::unexpected(study::no_plan_fits(asked.planner->name, *ranking.infeasible));
    const study::Origin origin = study::origin_of(*problem.profile, *problem.cluster);
    std::vector<study::SimulatedPlan> simulated_plans;
    for (const Plan& plan : ranking.plans) {
      if (static_cast<int>(simulated_plans.size()) == max_plans()) break;
      TRY(auto scheduled, question_.schedule.apply(plan, *problem.profile));
      TRY(auto plan_result, plan_simulator.simulate(problem, study::with_origin(std::move(scheduled), origin), stop));
      simulated_plans.push_back(std::move(plan_result));
    }
    return simulated_plans;
  }

  options::PlanningOptions question_;
  std::string planner_;
  int top_ = 1;
  bool explain_ = false;
  std::optional<double> budget_;
  work::TrialOptions trials_;
  ModelSpec trained_;
  text::OutputOptions output_;
  CLI::App* app_ = nullptr;
};

}  // namespace

std::unique_ptr<options::Command> make_plan_command() { return std::make_unique<PlanCommand>(); }

}  // namespace pipedeck::cli::commands
