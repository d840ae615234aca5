// SPDX-License-Identifier: Apache-2.0
// compare: several planners on one question, their plans judged by one simulator, side by side.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/jitter_arguments.hpp"
#include "app/cli/options/planner_arguments.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/memory_columns.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/plan_columns.hpp"
#include "core/io/csv/tables.hpp"
#include "core/io/documents/formats.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/sim/explain/jitter.hpp"
#include "core/study/compare.hpp"
#include "core/study/origin.hpp"

namespace pipedeck::cli::commands {
namespace {

/// A comparison, with a band of jitter per plan if it was asked for.
struct Answers {
  Problem problem;
  study::Comparison comparison;
  std::optional<JitterOptions> jitter{};
  std::vector<std::optional<JitterBand>> bands;
};

struct Figures {
  Seconds iteration;
  double speed_up = 0;
  double over_bound = 0;
};

Figures figures_of(const study::SimulatedPlan& simulated_plan, const study::ProblemBounds& facts) {
  const Seconds iteration = to_seconds(simulated_plan.simulation->iteration);
  return {.iteration = iteration,
          .speed_up = facts.single_device.count / iteration.count,
          .over_bound = iteration.count / simulated_plan.plan.predicted->lower_bound.count - 1};
}

std::string heading(const Answers& answers) {
  const Workload& workload = answers.problem.workload;
  const study::ProblemBounds& facts = answers.comparison.facts;
  return fmt::format(
      "{} on {}, global batch {}\none device {} ms, lower bound {} ms; network {}, overlap {}{}, optimizer {}, "
      "precision {}\n\n",
      answers.problem.profile->name, answers.problem.cluster->name, workload.global_batch,
      text::milliseconds_text(facts.single_device), text::milliseconds_text(facts.lower_bound),
      name_of(workload.conventions.network), name_of(workload.conventions.overlap),
      options::collectives_text(workload.conventions.collectives), name_of(workload.optimizer),
      name_of(workload.precision));
}

/// The plans with a band, below all of them.
std::string bands_text(const Answers& answers) {
  if (!answers.jitter) return {};
  text::Table table({{"plan", text::Align::left}, {"p5 ms"}, {"p50 ms"}, {"p95 ms"}, {"mean ms"}});
  const auto text = [](Nanoseconds time) { return text::milliseconds_text(to_seconds(time)); };
  for (std::size_t i = 0; i < answers.bands.size(); ++i)
    if (const auto& band = answers.bands[i])
      table.add({answers.comparison.plans[i].planner->title, text(band->p5), text(band->p50), text(band->p95),
                 text(band->mean)});
  return "\niteration with " + options::jitter_text(*answers.jitter) + ":\n" + table.text();
}

std::string comparison_text(const Answers& answers) {
  text::Table table({{"plan", text::Align::left},
                     {"shape", text::Align::left},
                     {"schedule", text::Align::left},
                     {"micro-batches"},
                     {"iteration ms"},
                     {"warm-up A / B ms"},
                     {"samples/s"},
                     {"speed-up"},
                     {"bubble"},
                     {"comm"},
                     {"worst peak"},
                     {"at most"},
                     {"over bound"},
                     {"fits", text::Align::left}});
  std::string without;
  for (const study::ComparedPlan& answer : answers.comparison.plans) {
    if (!answer.simulated_plan) {
      without += study::no_plan_fits(answer.planner->title, *answer.infeasible).text() + "\n";
      continue;
    }
    const auto& [plan, simulated, other] = *answer.simulated_plan;
    const Simulation& simulation = *simulated;
    const Figures figures = figures_of(*answer.simulated_plan, answers.comparison.facts);
    table.add({answer.planner->title, text::short_shape_text(plan), work::schedule_text(plan),
               fmt::format("{} x {}", plan.micro_batches, plan.micro_batch), text::milliseconds_text(figures.iteration),
               work::warmups_text(plan, figures.iteration, other), fmt::format("{:.2f}", simulation.samples_per_second),
               fmt::format("{:.2f}", figures.speed_up), text::percent_text(simulation.bubble_fraction),
               text::percent_text(simulation.communication_fraction), text::worst_peak_text(simulation),
               text::at_most_text(simulation), text::percent_text(figures.over_bound), text::fits_word(simulation)});
  }
  return heading(answers) + table.text() + bands_text(answers) + (without.empty() ? "" : "\n" + without);
}

nlohmann::ordered_json answer_json(const study::ComparedPlan& answer, const study::ProblemBounds& facts,
                                   const study::Origin& origin, const std::optional<JitterBand>& band) {
  nlohmann::ordered_json json{{"planner", answer.planner->name}, {"title", answer.planner->title}};
  if (!answer.simulated_plan) {
    json["infeasible"] = {{"reason", answer.infeasible->reason}, {"relaxation", answer.infeasible->relaxation}};
    return json;
  }
  const auto& [plan, simulated, other] = *answer.simulated_plan;
  const Simulation& simulation = *simulated;
  const Figures figures = figures_of(*answer.simulated_plan, facts);
  json["shape"] = stage_shape_text(plan);
  json["iteration_ms"] = in_milliseconds(simulation.iteration);
  json["samples_per_s"] = simulation.samples_per_second;
  json["speed_up"] = figures.speed_up;
  json["bubble_fraction"] = simulation.bubble_fraction;
  json["communication_fraction"] = simulation.communication_fraction;
  if (const SimulatedDevice* worst = most_loaded_device(simulation))
    json["worst_peak"] = {{"device", worst->device.value},
                          {"peak_memory_bytes", worst->peak.count},
                          {"memory_bytes", worst->capacity.count}};
  if (const SimulatedDevice* worst = fullest_device_at_most(simulation))
    json["worst_peak_upper"] = {{"device", worst->device.value},
                                {"peak_memory_upper_bytes", worst->peak_upper_bound.count},
                                {"memory_bytes", worst->capacity.count}};
  json["over_lower_bound"] = figures.over_bound;
  json["fits"] = simulation.fits;
  json["fits_upper"] = fit_of(simulation) == Fit::surely;
  if (other) {
    const bool is_a = plan.warmup == Warmup::A;
    json["warmup_ms"] = {{"A", in_milliseconds(is_a ? figures.iteration : other->iteration)},
                         {"B", in_milliseconds(is_a ? other->iteration : figures.iteration)}};
  }
  if (band) json["jitter"] = options::jitter_json(*band);
  json["plan"] = nlohmann::ordered_json::parse(io::documents::plan_to_json(study::with_origin(plan, origin)));
  return json;
}

std::string comparison_json(const Answers& answers) {
  const auto& [problem, comparison, jitter, bands] = answers;
  nlohmann::ordered_json json{{"format", "pipedeck.comparison"},
                              {"version", 1},
                              {"profile", problem.profile->name},
                              {"cluster", problem.cluster->name},
                              {"global_batch", problem.workload.global_batch},
                              {"one_device_ms", in_milliseconds(comparison.facts.single_device)},
                              {"lower_bound_ms", in_milliseconds(comparison.facts.lower_bound)},
                              {"answers", nlohmann::ordered_json::array()}};
  const study::Origin origin = study::origin_of(*problem.profile, *problem.cluster);
  for (std::size_t i = 0; i < comparison.plans.size(); ++i)
    json["answers"].push_back(answer_json(comparison.plans[i], comparison.facts, origin, bands[i]));
  return json.dump(2);
}

std::string comparison_csv(const Problem& problem, const study::Comparison& comparison) {
  std::vector<Plan> without;
  without.reserve(comparison.plans.size());  // rows point into it
  std::vector<io::csv::ComparedPlanFigures> rows;
  for (const study::ComparedPlan& answer : comparison.plans) {
    if (answer.simulated_plan) {
      const Plan& plan = answer.simulated_plan->plan;
      rows.push_back({&plan,
                      answer.simulated_plan->simulation.get(),
                      comparison.facts.single_device,
                      plan.predicted->lower_bound,
                      {}});
      continue;
    }
    Plan& none = without.emplace_back();
    none.name = answer.planner->title;
    none.planner = answer.planner->name;
    none.global_batch = problem.workload.global_batch;
    rows.push_back({&none, nullptr, {}, {}, answer.infeasible->reason});
  }
  return io::csv::plans_csv(rows).text();
}

class CompareCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    question_.declare(app);
    jitter_.declare(app);
    app.add_option("--planner", names_, "planners to compare [the usual ones]")->delimiter(',')->type_name("NAME ...");
    app.add_option("--csv", csv_file_, "write the table as CSV; - is standard output")->type_name("FILE");
    output_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    TRY(const auto chosen, chosen_planners());
    TRY_VOID(jitter_.options());
    TRY(const auto threads, question_.thread_count());
    TRY_VOID(question_.schedule.check());
    TRY(auto problem, question_.open());
    study::PlanSimulator plan_simulator;
    TRY(auto comparison, compare(problem, chosen, plan_simulator, threads, stop));
    TRY(auto bands, bands_of(problem, comparison, plan_simulator, threads, stop));
    TRY(const auto jitter, jitter_.options());
    const Answers answers{std::move(problem), std::move(comparison), jitter, std::move(bands)};
    if (!csv_file_.empty())
      TRY_VOID(text::write_output(csv_file_, comparison_csv(answers.problem, answers.comparison)));
    const bool csv_on_stdout = csv_file_ == "-";
    TRY_VOID(output_.write(comparison_json(answers), csv_on_stdout ? "" : comparison_text(answers)));
    return closing_status(answers.comparison);
  }

 private:
  Result<std::vector<study::PlannerRequest>> chosen_planners() const {
    if (names_.empty()) return study::default_planners();
    TRY(const auto named, options::parse_planners(names_));
    std::vector<study::PlannerRequest> chosen;
    for (const planner::PlannerInfo* planner : named) chosen.push_back({planner, {}});
    return chosen;
  }

  /// Fails if one planner does.
  Result<study::Comparison> compare(const Problem& problem, const std::vector<study::PlannerRequest>& chosen,
                                    study::PlanSimulator& plan_simulator, int threads, std::stop_token stop) const {
    study::CompareOptions options;
    options.threads = threads;
    options.arrange = [&](Plan plan) { return question_.schedule.apply(std::move(plan), *problem.profile); };
    text::ProgressLine line;
    TRY(auto comparison, study::compare(problem, chosen, plan_simulator, options, line.callback(), std::move(stop)));
    for (const study::ComparedPlan& answer : comparison.plans)
      if (answer.error) return tl::unexpected(*answer.error);
    return comparison;
  }

  /// Returns a band for each judged plan with --jitter, and for none without.
  Result<std::vector<std::optional<JitterBand>>> bands_of(const Problem& problem, const study::Comparison& comparison,
                                                          study::PlanSimulator& plan_simulator, int threads,
                                                          const std::stop_token& stop) const {
    std::vector<std::optional<JitterBand>> bands(comparison.plans.size());
    TRY(const auto jitter, jitter_.options());
    if (!jitter) return bands;
    TRY(const auto simulator, plan_simulator.simulator(problem));
    for (std::size_t i = 0; i < bands.size(); ++i) {
      if (!comparison.plans[i].simulated_plan) continue;
      text::ProgressLine line;
      TRY(const auto band, sim::explain::jitter_band(simulator, comparison.plans[i].simulated_plan->plan, *jitter,
                                                     threads, line.callback(), stop));
      bands[i] = band;
    }
    return bands;
  }

  static Result<int> closing_status(const study::Comparison& comparison) {
    const bool any =
        std::ranges::any_of(comparison.plans, [](const auto& answer) { return answer.simulated_plan.has_value(); });
    if (any) return 0;
    for (const study::ComparedPlan& answer : comparison.plans)
      text::print_error(study::no_plan_fits(answer.planner->name, *answer.infeasible));
    return exit_status(ErrorCode::infeasible);
  }

  options::PlanningOptions question_;
  options::JitterArguments jitter_;
  std::vector<std::string> names_;
  std::string csv_file_;
  text::OutputOptions output_;
};

}  // namespace

std::unique_ptr<options::Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace pipedeck::cli::commands
