// SPDX-License-Identifier: Apache-2.0
// compare: several planners on one question, their plans judged by one simulator, side by side.
#include <algorithm>
#include <chrono>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/jitter_arguments.hpp"
#include "app/cli/options/planner_arguments.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/explanation_text.hpp"
#include "app/cli/text/memory_columns.hpp"
#include "app/cli/text/rates_text.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/plan_columns.hpp"
#include "core/io/csv/tables.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/text/printable.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/model/plan.hpp"
#include "core/plan/agreement.hpp"
#include "core/plan/short_list.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/sim/explain/jitter.hpp"
#include "core/study/compare.hpp"
#include "core/study/one_device.hpp"
#include "core/study/origin.hpp"
#include "core/study/provenance.hpp"
#include "core/study/utilization.hpp"

namespace pipedeck::cli::commands {
namespace {

/// A comparison, with a band of jitter per plan if it was asked for.
struct Answers {
  Problem problem;
  study::Comparison comparison;
  std::optional<JitterOptions> jitter{};
  std::vector<std::optional<JitterBand>> bands;
  std::optional<std::size_t> baseline{};  ///< the answer to which the others show their difference
};

/// Absent if the profile does not know tokens.
std::optional<Utilization> rates_of(const Problem& problem, const study::SimulatedPlan& of,
                                    const std::optional<SampleWork>& work) {
  if (!work) return std::nullopt;
  return study::utilization_of(*work, problem, of.plan, of.simulation->samples_per_second, presets::device_catalogue());
}

struct Figures {
  Seconds iteration;
  std::optional<double> speed_up{}, over_bound{};  ///< absent where the time to divide by is 0
};

Figures figures_of(const study::SimulatedPlan& simulated_plan, const study::ProblemBounds& facts) {
  const auto ratio = [](Seconds a, Seconds b) {
    return a.count > 0 && b.count > 0 ? std::optional(a.count / b.count) : std::nullopt;
  };
  const Seconds iteration = to_seconds(simulated_plan.simulation->iteration);
  const auto of_bound = ratio(iteration, simulated_plan.plan.predicted->lower_bound);
  return {.iteration = iteration,
          .speed_up = ratio(facts.single_device, iteration),
          .over_bound = of_bound ? std::optional(*of_bound - 1) : std::nullopt};
}

/// Returns the times that all answers are compared with, or the adapters, whose training has none.
std::string reference_text(const Workload& workload, const study::ProblemBounds& facts) {
  if (const Adapters& adapters = workload.adapters; adapters.rank > 0)
    return fmt::format("adapters of rank {}, targets {}, frozen weights {}", adapters.rank, name_of(adapters.targets),
                       name_of(adapters.frozen));
  return fmt::format("one device {} ms, lower bound {} ms", text::milliseconds_text(facts.single_device),
                     text::milliseconds_text(facts.lower_bound));
}

std::string heading(const Answers& answers) {
  const Workload& workload = answers.problem.workload;
  return fmt::format("{} on {}, global batch {}\n{}; network {}, overlap {}{}, optimizer {}, precision {}\n\n",
                     io::text::printable(answers.problem.profile->name),
                     io::text::printable(answers.problem.cluster->name), workload.global_batch,
                     reference_text(workload, answers.comparison.facts), name_of(workload.conventions.network),
                     name_of(workload.conventions.overlap), options::collectives_text(workload.conventions.collectives),
                     name_of(workload.optimizer), name_of(workload.precision));
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

/// Equal plans, and what each planner calls its own: a row of the table.
struct Row {
  const study::SimulatedPlan* plan = nullptr;  ///< the first of them
  std::vector<std::string> titles;
};

bool is_same_plan(const study::SimulatedPlan& a, const study::SimulatedPlan& b) {
  return plan::agree(a.plan, *a.simulation, b.plan, *b.simulation);
}

bool is_same_plan(const study::ComparedPlan& a, const study::ComparedPlan& b) {
  return a.simulated_plan && b.simulated_plan && is_same_plan(*a.simulated_plan, *b.simulated_plan);
}

/// Returns the plans of an answer: its best one, then the others of its short list.
std::vector<const study::SimulatedPlan*> plans_of(const study::ComparedPlan& answer) {
  std::vector<const study::SimulatedPlan*> plans;
  if (answer.simulated_plan) plans.push_back(&*answer.simulated_plan);
  for (const study::SimulatedPlan& one : answer.alternatives) plans.push_back(&one);
  return plans;
}

/// Returns the first answer with the same plan as answer `i`; `i` if it is the first.
std::size_t first_with_plan(const std::vector<study::ComparedPlan>& answers, std::size_t i) {
  for (std::size_t j = 0; j < i; ++j)
    if (is_same_plan(answers[j], answers[i])) return j;
  return i;
}

/// Returns the rows by time: plans that fit first, plans that change training last.
std::vector<Row> sorted_rows(const std::vector<study::ComparedPlan>& answers) {
  std::vector<Row> rows;
  for (const study::ComparedPlan& answer : answers)
    for (const study::SimulatedPlan* plan : plans_of(answer)) {
      const auto known = std::ranges::find_if(rows, [&](const Row& row) { return is_same_plan(*row.plan, *plan); });
      (known == rows.end() ? rows.emplace_back(Row{plan, {}}) : *known)
          .titles.push_back(plan::short_list_title(answer.planner->title, plan->plan.merits));
    }
  std::ranges::stable_sort(rows, {}, [&](const Row& row) {
    return std::tuple(!row.plan->plan.synchronous(), !row.plan->simulation->fits, row.plan->simulation->iteration);
  });
  return rows;
}

std::string row_title(const Row& row) {
  std::string title = fmt::format("{}", fmt::join(row.titles, ", "));
  if (row.titles.size() > 1) title += " agree";
  if (!row.plan->plan.synchronous()) title += " (changes training)";
  return title;
}

/// Returns why each plan of a short list but the fastest is on it, below the table.
std::string merits_text(const std::vector<study::ComparedPlan>& answers) {
  std::string text;
  for (const study::ComparedPlan& answer : answers)
    for (const study::SimulatedPlan& one : answer.alternatives) {
      text += plan::short_list_title(answer.planner->title, one.plan.merits) + "\n";
      for (std::size_t i = 0; i < std::min(one.plan.rationale.size(), one.plan.merits.size()); ++i)
        text += "   " + one.plan.rationale[i] + "\n";
    }
  return text.empty() ? text : "\n" + text;
}

std::string points_text(double before, double after) { return fmt::format("{:+.1f} pp", 100 * (after - before)); }

Bytes peak_of(const Simulation& simulation) {
  const SimulatedDevice* worst = most_loaded_device(simulation);
  return worst ? worst->peak : Bytes();
}

double exposed_share(const Simulation& simulation) { return simulation.parts.share(simulation.parts.communication()); }

/// Returns the differences to the baseline: time, samples/s, bubble, exposed communication, peak.
std::vector<std::string> difference_cells(const Simulation& from, const Simulation& to) {
  if (&from == &to) return std::vector<std::string>(5, "baseline");
  const Bytes change = peak_of(to) - peak_of(from);
  return {text::change_text(to_seconds(from.iteration).count, to_seconds(to.iteration).count),
          text::change_text(from.samples_per_second, to.samples_per_second),
          points_text(from.bubble_fraction, to.bubble_fraction), points_text(exposed_share(from), exposed_share(to)),
          (change.count < 0 ? "-" : "+") + text::memory_text(change.count < 0 ? Bytes(-change.count) : change)};
}

bool is_mesh(const study::ComparedPlan& answer) {
  return answer.simulated_plan && has_mesh(answer.simulated_plan->plan);
}

std::string without_plan_text(const study::ComparedPlan& answer) {
  if (answer.error && answer.error->code != ErrorCode::cancelled)
    return fmt::format("{}: {}\n", answer.planner->title, io::text::printable(answer.error->text()));
  if (answer.error) return answer.planner->title + ": cancelled before it answered\n";
  if (answer.out_of_time) return answer.planner->title + ": " + answer.infeasible->reason + "\n";
  return study::no_plan_fits(answer.planner->title, *answer.infeasible).text() + "\n";
}

std::string comparison_text(const Answers& answers) {
  const auto work = study::work_of(*answers.problem.profile);
  std::vector<text::Table::Column> columns{{"plan", text::Align::left},
                                           {"shape", text::Align::left},
                                           {"schedule", text::Align::left},
                                           {"micro-batches"},
                                           {"iteration ms"},
                                           {"warm-up A / B ms"},
                                           {"samples/s"}};
  if (work) columns = work::joined(std::move(columns), text::rate_columns());
  columns = work::joined(std::move(columns), {{"speed-up"},
                                              {"bubble"},
                                              {"exposed comm."},
                                              {"TP / PP / DP %"},
                                              {"worst peak"},
                                              {"at most"},
                                              {"at most from optimal"},
                                              {"fits", text::Align::left}});
  if (answers.baseline)
    for (const char* title : {"d time", "d samples/s", "d bubble", "d exposed", "d peak"}) columns.push_back({title});
  text::Table table(std::move(columns));
  std::vector<std::pair<std::string, std::optional<Utilization>>> rates;
  const std::vector<study::ComparedPlan>& plans = answers.comparison.plans;
  Bytes largest;
  for (const study::ComparedPlan& answer : plans)
    for (const study::SimulatedPlan* one : plans_of(answer))
      largest = std::max(largest, text::largest_peak(*one->simulation));
  for (const Row& row : sorted_rows(plans)) {
    const study::SimulatedPlan& simulated_plan = *row.plan;
    const auto& [plan, simulated, other] = simulated_plan;
    const Simulation& simulation = *simulated;
    const Figures figures = figures_of(simulated_plan, answers.comparison.facts);
    std::vector<std::string> cells{row_title(row),
                                   text::short_shape_text(plan),
                                   work::schedule_text(plan),
                                   fmt::format("{} x {}", plan.micro_batches, plan.micro_batch),
                                   text::milliseconds_text(figures.iteration),
                                   work::warmups_text(plan, figures.iteration, other),
                                   fmt::format("{:.2f}", simulation.samples_per_second)};
    rates.emplace_back(row_title(row), rates_of(answers.problem, simulated_plan, work));
    if (work) cells = work::joined(std::move(cells), text::rate_cells(rates.back().second));
    cells = work::joined(
        std::move(cells),
        {figures.speed_up ? fmt::format("{:.2f}", *figures.speed_up) : "-",
         text::percent_text(simulation.bubble_fraction), text::exposed_text(simulation.parts),
         text::exposed_parts_text(simulation.parts), text::worst_peak_text(simulation, largest),
         text::at_most_text(simulation, largest), figures.over_bound ? text::percent_text(*figures.over_bound) : "-",
         text::fits_word(simulation) + (plan.truncated ? ", search cut short" : "")});
    if (answers.baseline) {
      const std::size_t baseline = first_with_plan(plans, *answers.baseline);
      const auto differences = difference_cells(*plans[baseline].simulated_plan->simulation, simulation);
      cells.insert(cells.end(), differences.begin(), differences.end());
    }
    table.add(std::move(cells));
  }
  std::string without;
  for (const study::ComparedPlan& answer : plans)
    if (!answer.simulated_plan) without += without_plan_text(answer);
  const std::string bounds = std::ranges::any_of(plans, is_mesh) ? study::mesh_bound_text() + "\n" : std::string();
  const auto one = study::one_device_is_quicker(answers.problem, plans);
  const std::string quicker = one ? "\n" + study::one_device_text(*one) + "\n" : std::string();
  return heading(answers) + table.text() + bounds + text::mfu_notes(rates) + study::provenance_line(answers.problem) +
         "\n" + bands_text(answers) + merits_text(plans) + quicker + (without.empty() ? "" : "\n" + without);
}

/// Returns the differences of a plan to the baseline's.
nlohmann::ordered_json difference_json(const Simulation& from, const Simulation& to) {
  return {{"iteration_ms", in_milliseconds(to.iteration) - in_milliseconds(from.iteration)},
          {"iteration_fraction", to_seconds(to.iteration).count / to_seconds(from.iteration).count - 1},
          {"samples_per_s", to.samples_per_second - from.samples_per_second},
          {"bubble_fraction", to.bubble_fraction - from.bubble_fraction},
          {"communication_fraction", to.communication_fraction - from.communication_fraction},
          {"exposed_communication_fraction", exposed_share(to) - exposed_share(from)},
          {"worst_peak_bytes", (peak_of(to) - peak_of(from)).count}};
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

/// Adds a plan with its figures.
void add_plan_json(nlohmann::ordered_json& json, const study::SimulatedPlan& of, const study::ProblemBounds& facts,
                   const study::Origin& origin, const std::optional<JitterBand>& band,
                   const std::optional<Utilization>& rates) {
  const auto& [plan, simulated, other] = of;
  const Simulation& simulation = *simulated;
  const Figures figures = figures_of(of, facts);
  json["shape"] = stage_shape_text(plan);
  json["iteration_ms"] = in_milliseconds(simulation.iteration);
  json["samples_per_s"] = simulation.samples_per_second;
  json["speed_up"] = or_null(figures.speed_up);
  json["bubble_fraction"] = simulation.bubble_fraction;
  json["communication_fraction"] = simulation.communication_fraction;
  json["exposed_communication_ms"] = in_milliseconds(simulation.parts.communication());
  json["exposed_communication_fraction"] = simulation.parts.share(simulation.parts.communication());
  json["parts"] = text::parts_json(simulation.parts);
  if (rates) json["utilization"] = text::utilization_json(*rates);
  if (const SimulatedDevice* worst = most_loaded_device(simulation))
    json["worst_peak"] = {{"device", worst->device.value},
                          {"peak_memory_bytes", worst->peak.count},
                          {"memory_bytes", worst->capacity.count}};
  if (const SimulatedDevice* worst = fullest_device_at_most(simulation))
    json["worst_peak_upper"] = {{"device", worst->device.value},
                                {"peak_memory_upper_bytes", worst->peak_upper_bound.count},
                                {"memory_bytes", worst->capacity.count}};
  json["over_lower_bound"] = or_null(figures.over_bound);
  if (has_mesh(plan) && figures.over_bound) json["lower_bound_of"] = "meshes";
  json["fits"] = simulation.fits;
  json["fits_upper"] = fit_of(simulation) == Fit::surely;
  if (other) {
    const bool is_a = plan.warmup == Warmup::A;
    json["warmup_ms"] = {{"A", in_milliseconds(is_a ? figures.iteration : other->iteration)},
                         {"B", in_milliseconds(is_a ? other->iteration : figures.iteration)}};
  }
  if (band) json["jitter"] = options::jitter_json(*band);
  json["plan"] = nlohmann::ordered_json::parse(io::documents::plan_to_json(study::with_origin(plan, origin)));
}

nlohmann::ordered_json answer_json(const study::ComparedPlan& answer, const Problem& problem,
                                   const study::ProblemBounds& facts, const study::Origin& origin,
                                   const std::optional<JitterBand>& band) {
  nlohmann::ordered_json json{{"planner", answer.planner->name}, {"title", answer.planner->title}};
  if (answer.error) {
    if (answer.error->code == ErrorCode::cancelled)
      json["cancelled"] = true;
    else
      json["error"] = answer.error->text();
    return json;
  }
  if (!answer.simulated_plan) {
    if (answer.out_of_time) json["out_of_time"] = true;
    json["infeasible"] = {{"reason", answer.infeasible->reason}, {"relaxation", answer.infeasible->relaxation}};
    return json;
  }
  const auto work = study::work_of(*problem.profile);
  add_plan_json(json, *answer.simulated_plan, facts, origin, band, rates_of(problem, *answer.simulated_plan, work));
  for (const study::SimulatedPlan& one : answer.alternatives) {
    nlohmann::ordered_json alternative{{"title", plan::short_list_title(answer.planner->title, one.plan.merits)}};
    add_plan_json(alternative, one, facts, origin, {}, rates_of(problem, one, work));
    json["alternatives"].push_back(std::move(alternative));
  }
  return json;
}

std::string comparison_json(const Answers& answers) {
  const auto& [problem, comparison, jitter, bands, baseline] = answers;
  const auto known = [](Seconds time) {
    return or_null(time.count > 0 ? std::optional(in_milliseconds(time)) : std::nullopt);
  };
  nlohmann::ordered_json json{{"format", "pipedeck.comparison"},
                              {"version", 1},
                              {"profile", problem.profile->name},
                              {"cluster", problem.cluster->name},
                              {"global_batch", problem.workload.global_batch},
                              {"one_device_ms", known(comparison.facts.single_device)},
                              {"lower_bound_ms", known(comparison.facts.lower_bound)},
                              {"provenance", text::provenance_json(problem)},
                              {"answers", nlohmann::ordered_json::array()}};
  const study::Origin origin = study::origin_of(*problem.profile, *problem.cluster);
  if (comparison.cancelled) json["cancelled"] = true;
  if (baseline) json["baseline"] = comparison.plans[*baseline].planner->name;
  for (std::size_t i = 0; i < comparison.plans.size(); ++i) {
    nlohmann::ordered_json one = answer_json(comparison.plans[i], problem, comparison.facts, origin, bands[i]);
    const std::size_t first = first_with_plan(comparison.plans, i);
    if (first != i) one["same_plan_as"] = comparison.plans[first].planner->name;
    if (const auto& plan = comparison.plans[i].simulated_plan; plan && baseline)
      one["difference"] = difference_json(*comparison.plans[*baseline].simulated_plan->simulation, *plan->simulation);
    json["answers"].push_back(std::move(one));
  }
  if (const auto one = study::one_device_is_quicker(problem, comparison.plans))
    json["one_device_is_quicker"] = study::one_device_text(*one);
  return json.dump(2);
}

std::string note_of(const study::ComparedPlan& answer) {
  if (answer.infeasible) return answer.infeasible->reason;
  return answer.error && answer.error->code != ErrorCode::cancelled ? answer.error->text() : "cancelled";
}

std::string comparison_csv(const Problem& problem, const study::Comparison& comparison) {
  const auto work = study::work_of(*problem.profile);
  std::vector<Plan> without;
  without.reserve(comparison.plans.size());  // rows point into it
  std::vector<io::csv::ComparedPlanFigures> rows;
  for (const study::ComparedPlan& answer : comparison.plans) {
    for (const study::SimulatedPlan* one : plans_of(answer))
      rows.push_back({&one->plan,
                      one->simulation.get(),
                      comparison.facts.single_device,
                      one->plan.predicted->lower_bound,
                      {},
                      rates_of(problem, *one, work)});
    if (answer.simulated_plan) continue;
    Plan& none = without.emplace_back();
    none.name = answer.planner->title;
    none.planner = answer.planner->name;
    none.global_batch = problem.workload.global_batch;
    rows.push_back({&none, nullptr, {}, {}, note_of(answer), {}});
  }
  return io::csv::plans_csv(rows).text();
}

class CompareCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    question_.declare(app);
    jitter_.declare(app);
    app.add_option("--planner", names_, "planners to compare, also exec:PROGRAM [the usual ones]")
        ->delimiter(',')
        ->type_name("NAME ...");
    app.add_option("--budget", budget_, "seconds per planner, then it answers with its best plan so far; 0: unlimited")
        ->check(CLI::Range(0.0, 1e9))
        ->capture_default_str()
        ->type_name("SECONDS");
    app.add_option("--baseline", baseline_, "show each plan's difference to this planner's plan")->type_name("NAME");
    app.add_option("--csv", csv_file_, "write the table as CSV; - is standard output")->type_name("FILE");
    output_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    TRY_VOID(jitter_.options());
    TRY(const auto threads, question_.thread_count());
    TRY_VOID(question_.schedule.check());
    TRY_VOID(options::parse_planners(names_));
    TRY(auto problem, question_.open());
    TRY(const auto chosen, chosen_planners(*problem.profile));
    TRY(const auto baseline, baseline_place(chosen));
    study::PlanSimulator plan_simulator;
    TRY(auto comparison, compare(problem, chosen, plan_simulator, threads, stop));
    TRY(auto bands, bands_of(problem, comparison, plan_simulator, threads, stop));
    TRY(const auto jitter, jitter_.options());
    Answers answers{std::move(problem), std::move(comparison), jitter, std::move(bands), baseline};
    if (baseline && !answers.comparison.plans[*baseline].simulated_plan) {
      text::print_warning(fmt::format("--baseline {} has no plan, so no difference is shown", baseline_));
      answers.baseline.reset();
    }
    if (!csv_file_.empty())
      TRY_VOID(text::write_output(csv_file_, comparison_csv(answers.problem, answers.comparison)));
    const bool csv_on_stdout = csv_file_ == "-";
    TRY_VOID(output_.write(comparison_json(answers), csv_on_stdout ? "" : comparison_text(answers)));
    return closing_status(answers.comparison);
  }

 private:
  Result<std::vector<study::PlannerRequest>> chosen_planners(const Profile& profile) const {
    if (names_.empty()) return study::comparison_planners(profile);
    TRY(const auto named, options::parse_planners(names_));
    std::vector<study::PlannerRequest> chosen;
    for (const planner::PlannerInfo* planner : named) chosen.push_back(study::comparison_request(*planner, {}));
    return chosen;
  }

  Result<std::optional<std::size_t>> baseline_place(const std::vector<study::PlannerRequest>& chosen) const {
    if (baseline_.empty()) return std::nullopt;
    TRY(const auto planner, planner::find_planner(baseline_));
    const auto found = std::ranges::find(chosen, planner, &study::PlannerRequest::planner);
    if (found == chosen.end())
      return fail(ErrorCode::bad_usage, fmt::format("--baseline {} is not among the compared planners", baseline_));
    return static_cast<std::size_t>(found - chosen.begin());
  }

  /// Fails if one of our planners does, or if it was cancelled before the first answer.
  Result<study::Comparison> compare(const Problem& problem, const std::vector<study::PlannerRequest>& chosen,
                                    study::PlanSimulator& plan_simulator, int threads, std::stop_token stop) const {
    study::CompareOptions options;
    options.threads = threads;
    if (budget_ > 0) options.budget = Seconds(budget_);
    options.arrange = [&](Plan plan) { return question_.schedule.apply(std::move(plan), *problem.profile); };
    text::ProgressLine line;
    const auto begin = std::chrono::steady_clock::now();
    options.answered = [&](std::size_t, const study::ComparedPlan& answer) {
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      constexpr double quick = 1;  // seconds; who waits longer sees each answer as it comes
      if (time.count() > quick) line.note(fmt::format("{:.1f} s: {}", time.count(), answer_note(answer)));
    };
    TRY(auto comparison, study::compare(problem, chosen, plan_simulator, options, line.callback(), std::move(stop)));
    std::size_t answered = 0;
    for (const study::ComparedPlan& answer : comparison.plans) {
      if (!answer.error) ++answered;
      if (answer.error && answer.error->code != ErrorCode::cancelled && !answer.planner->external)
        return tl::unexpected(*answer.error);
    }
    if (!comparison.cancelled) return comparison;
    if (answered == 0) return fail(ErrorCode::cancelled, "cancelled before the first answer");
    line.note(fmt::format("cancelled: {} of {} planners had answered", answered, comparison.plans.size()));
    return comparison;
  }

  static std::string answer_note(const study::ComparedPlan& answer) {
    const std::string& title = answer.planner->title;
    if (answer.error) return fmt::format("{} failed", title);
    if (!answer.simulated_plan) return fmt::format("{} has no plan: {}", title, answer.infeasible->reason);
    const auto& [plan, simulation, other] = *answer.simulated_plan;
    return fmt::format("{} answered with {} ms{}", title, text::milliseconds_text(to_seconds(simulation->iteration)),
                       plan.truncated ? ", its best so far" : "");
  }

  /// Returns a band for each judged plan with --jitter, and for none without.
  Result<std::vector<std::optional<JitterBand>>> bands_of(const Problem& problem, const study::Comparison& comparison,
                                                          study::PlanSimulator& plan_simulator, int threads,
                                                          const std::stop_token& stop) const {
    std::vector<std::optional<JitterBand>> bands(comparison.plans.size());
    TRY(const auto jitter, jitter_.options());
    if (!jitter || comparison.cancelled) return bands;
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
    if (comparison.cancelled) return exit_status(ErrorCode::cancelled);
    const bool any =
        std::ranges::any_of(comparison.plans, [](const auto& answer) { return answer.simulated_plan.has_value(); });
    if (any) return 0;
    for (const study::ComparedPlan& answer : comparison.plans)
      text::print_error(
          answer.error ? *answer.error
          : answer.out_of_time
              ? Error{ErrorCode::infeasible, answer.planner->name + ": " + answer.infeasible->reason, {}, {}}
              : study::no_plan_fits(answer.planner->name, *answer.infeasible));
    return exit_status(ErrorCode::infeasible);
  }

  options::PlanningOptions question_;
  options::JitterArguments jitter_;
  std::vector<std::string> names_;
  double budget_ = study::default_budget.count;
  std::string baseline_;
  std::string csv_file_;
  text::OutputOptions output_;
};

}  // namespace

std::unique_ptr<options::Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace pipedeck::cli::commands
