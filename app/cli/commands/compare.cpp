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
#include "app/cli/work/judge.hpp"
#include "core/io/csv/tables.hpp"
#include "core/io/documents/formats.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/sim/explain/jitter.hpp"

namespace pipedeck::cli::commands {
namespace {

/// One planner's answer: a plan, or the reason for none.
struct Answer {
  const planner::PlannerInfo* planner = nullptr;
  std::optional<work::JudgedPlan> judged;
  std::optional<planner::Infeasible> infeasible;
  std::optional<JitterBand> band{};  ///< where it was asked for
};

struct Comparison {
  Problem problem;
  Seconds one_device, lower_bound;
  std::vector<Answer> answers;
  std::optional<JitterOptions> jitter{};
};

struct Figures {
  Seconds iteration;
  double speed_up = 0;
  double over_bound = 0;
};

Figures figures_of(const work::JudgedPlan& judged, const Comparison& comparison) {
  const Seconds iteration = to_seconds(judged.simulation.iteration);
  return {.iteration = iteration,
          .speed_up = comparison.one_device.count / iteration.count,
          .over_bound = iteration.count / judged.plan.predicted->lower_bound.count - 1};
}

std::string heading(const Comparison& comparison) {
  const Workload& workload = comparison.problem.workload;
  return fmt::format(
      "{} on {}, global batch {}\none device {} ms, lower bound {} ms; network {}, overlap {}{}, "
      "optimizer {}, precision {}\n\n",
      comparison.problem.profile->name, comparison.problem.cluster->name, workload.global_batch,
      text::milliseconds_text(comparison.one_device), text::milliseconds_text(comparison.lower_bound),
      name_of(workload.conventions.network), name_of(workload.conventions.overlap),
      options::collectives_text(workload.conventions.collectives), name_of(workload.optimizer),
      name_of(workload.precision));
}

/// The plans with a band, below all of them.
std::string bands_text(const Comparison& comparison) {
  if (!comparison.jitter) return {};
  text::Table table({{"plan", text::Align::left}, {"p5 ms"}, {"p50 ms"}, {"p95 ms"}, {"mean ms"}});
  const auto text = [](Nanoseconds time) { return text::milliseconds_text(to_seconds(time)); };
  for (const Answer& answer : comparison.answers)
    if (answer.band)
      table.add({answer.planner->title, text(answer.band->p5), text(answer.band->p50), text(answer.band->p95),
                 text(answer.band->mean)});
  return "\niteration with " + options::jitter_text(*comparison.jitter) + ":\n" + table.text();
}

std::string comparison_text(const Comparison& comparison) {
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
  for (const Answer& answer : comparison.answers) {
    if (!answer.judged) {
      without += work::no_plan_fits(answer.planner->title, *answer.infeasible).text() + "\n";
      continue;
    }
    const auto& [plan, simulation, other] = *answer.judged;
    const Figures figures = figures_of(*answer.judged, comparison);
    table.add({answer.planner->title, text::short_shape_text(plan), work::schedule_text(plan),
               fmt::format("{} x {}", plan.micro_batches, plan.micro_batch), text::milliseconds_text(figures.iteration),
               work::warmups_text(plan, figures.iteration, other), fmt::format("{:.2f}", simulation.samples_per_second),
               fmt::format("{:.2f}", figures.speed_up), text::percent_text(simulation.bubble_fraction),
               text::percent_text(simulation.communication_fraction), text::worst_peak_text(simulation),
               text::at_most_text(simulation), text::percent_text(figures.over_bound), text::fits_word(simulation)});
  }
  return heading(comparison) + table.text() + bands_text(comparison) + (without.empty() ? "" : "\n" + without);
}

nlohmann::ordered_json answer_json(const Answer& answer, const Comparison& comparison) {
  nlohmann::ordered_json json{{"planner", answer.planner->name}, {"title", answer.planner->title}};
  if (!answer.judged) {
    json["infeasible"] = {{"reason", answer.infeasible->reason}, {"relaxation", answer.infeasible->relaxation}};
    return json;
  }
  const auto& [plan, simulation, other] = *answer.judged;
  const Figures figures = figures_of(*answer.judged, comparison);
  json["shape"] = shape_text(plan);
  json["iteration_ms"] = in_milliseconds(simulation.iteration);
  json["samples_per_s"] = simulation.samples_per_second;
  json["speed_up"] = figures.speed_up;
  json["bubble_fraction"] = simulation.bubble_fraction;
  json["communication_fraction"] = simulation.communication_fraction;
  if (const DeviceVerdict* worst = fullest_device(simulation))
    json["worst_peak"] = {{"device", worst->device.value},
                          {"peak_memory_bytes", worst->peak.count},
                          {"memory_bytes", worst->capacity.count}};
  if (const DeviceVerdict* worst = fullest_device_at_most(simulation))
    json["worst_peak_upper"] = {{"device", worst->device.value},
                                {"peak_memory_upper_bytes", worst->peak_upper.count},
                                {"memory_bytes", worst->capacity.count}};
  json["over_lower_bound"] = figures.over_bound;
  json["fits"] = simulation.fits;
  json["fits_upper"] = fit_of(simulation) == Fit::surely;
  if (other) {
    const bool is_a = plan.warmup == Warmup::A;
    json["warmup_ms"] = {{"A", in_milliseconds(is_a ? figures.iteration : *other)},
                         {"B", in_milliseconds(is_a ? *other : figures.iteration)}};
  }
  if (answer.band) json["jitter"] = options::jitter_json(*answer.band);
  json["plan"] = nlohmann::ordered_json::parse(io::documents::plan_to_json(plan));
  return json;
}

std::string comparison_json(const Comparison& comparison) {
  nlohmann::ordered_json json{{"format", "pipedeck.comparison"},
                              {"version", 1},
                              {"profile", comparison.problem.profile->name},
                              {"cluster", comparison.problem.cluster->name},
                              {"global_batch", comparison.problem.workload.global_batch},
                              {"one_device_ms", in_milliseconds(comparison.one_device)},
                              {"lower_bound_ms", in_milliseconds(comparison.lower_bound)},
                              {"answers", nlohmann::ordered_json::array()}};
  for (const Answer& answer : comparison.answers) json["answers"].push_back(answer_json(answer, comparison));
  return json.dump(2);
}

std::string comparison_csv(const Comparison& comparison) {
  std::vector<Plan> without;
  without.reserve(comparison.answers.size());  // rows point into it
  std::vector<io::csv::ComparedPlanFigures> rows;
  for (const Answer& answer : comparison.answers) {
    if (answer.judged) {
      const Plan& plan = answer.judged->plan;
      rows.push_back({&plan, &answer.judged->simulation, comparison.one_device, plan.predicted->lower_bound, {}});
      continue;
    }
    Plan& none = without.emplace_back();
    none.name = answer.planner->title;
    none.planner = answer.planner->name;
    none.global_batch = comparison.problem.workload.global_batch;
    rows.push_back({&none, nullptr, {}, {}, answer.infeasible->reason});
  }
  return io::csv::plans_csv(rows).text();
}

Result<Answer> ask(const planner::PlannerInfo& planner, const work::Judge& judge,
                   const options::ScheduleOptions& schedule, const planner::PlannerContext& context) {
  TRY(const auto ranking, planner::run_planner(planner, judge.problem(), {}, context));
  Answer answer{.planner = &planner, .judged = {}, .infeasible = ranking.infeasible};
  if (answer.infeasible) return answer;
  auto scheduled = schedule.apply(ranking.plans.front(), *judge.problem().profile);
  if (!scheduled) {
    answer.infeasible = planner::Infeasible{scheduled.error().text(), {}};
    return answer;
  }
  TRY(auto judged, judge.judge(*std::move(scheduled), context.stop));
  answer.judged = std::move(judged);
  return answer;
}

class CompareCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    question_.declare(app);
    jitter_.declare(app);
    app.add_option("--planner", names_, "planners to compare; without, the usual ones")
        ->delimiter(',')
        ->type_name("NAME ...");
    app.add_option("--csv", csv_file_, "write the table as CSV; - is standard output")->type_name("FILE");
    output_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    TRY(const auto chosen, chosen_planners());
    TRY_VOID(jitter_.options());
    TRY(const auto threads, question_.thread_count());
    TRY_VOID(question_.schedule.check());
    TRY(auto problem, question_.open());
    TRY(const auto comparison, compare(std::move(problem), chosen, threads, stop));
    if (!csv_file_.empty()) TRY_VOID(text::write_output(csv_file_, comparison_csv(comparison)));
    const bool csv_on_stdout = csv_file_ == "-";
    TRY_VOID(output_.write(comparison_json(comparison), csv_on_stdout ? "" : comparison_text(comparison)));
    return closing_status(comparison);
  }

 private:
  Result<std::vector<const planner::PlannerInfo*>> chosen_planners() const {
    if (!names_.empty()) return options::planners_named(names_);
    std::vector<const planner::PlannerInfo*> usual;
    for (const planner::PlannerInfo& planner : planner::planners())
      if (planner.compared_by_default) usual.push_back(&planner);
    return usual;
  }

  Result<Comparison> compare(Problem problem, const std::vector<const planner::PlannerInfo*>& chosen, int threads,
                             std::stop_token stop) const {
    TRY(const auto judge, work::Judge::of(std::move(problem)));
    TRY(const auto one_device, judge.one_device_time(stop));
    Comparison comparison{judge.problem(), one_device, judge.lower_bound(), {}};
    text::ProgressLine line;
    const auto count = static_cast<double>(chosen.size());
    for (const planner::PlannerInfo* planner : chosen) {
      const auto before = static_cast<double>(comparison.answers.size());
      line.show(before / count, planner->title);
      TRY(auto answer, ask(*planner, judge, question_.schedule, judge.context(threads, 1, Progress(), stop)));
      comparison.answers.push_back(std::move(answer));
    }
    TRY_VOID(add_bands(judge, threads, comparison, stop));
    return comparison;
  }

  /// Where --jitter was given.
  Result<void> add_bands(const work::Judge& judge, int threads, Comparison& comparison,
                         const std::stop_token& stop) const {
    TRY(const auto jitter, jitter_.options());
    comparison.jitter = jitter;
    if (!comparison.jitter) return {};
    for (Answer& answer : comparison.answers) {
      if (!answer.judged) continue;
      text::ProgressLine line;
      TRY(const auto band, sim::explain::jitter_band(judge.simulator(), answer.judged->plan, *comparison.jitter,
                                                     threads, line.callback(), stop));
      answer.band = band;
    }
    return {};
  }

  static Result<int> closing_status(const Comparison& comparison) {
    const bool any = std::any_of(comparison.answers.begin(), comparison.answers.end(),
                                 [](const Answer& answer) { return answer.judged.has_value(); });
    if (any) return 0;
    for (const Answer& answer : comparison.answers)
      text::print_error(work::no_plan_fits(answer.planner->name, *answer.infeasible));
    return exit_status(ErrorCode::infeasible);
  }

  options::QuestionOptions question_;
  options::JitterArguments jitter_;
  std::vector<std::string> names_;
  std::string csv_file_;
  text::OutputOptions output_;
};

}  // namespace

std::unique_ptr<options::Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace pipedeck::cli::commands
