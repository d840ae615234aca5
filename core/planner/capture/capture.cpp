// SPDX-License-Identifier: Apache-2.0
// CAPTURE and mCAP (Dreuning et al.) partition a model over a pipeline and choose each stage's degrees of data and
// tensor parallelism. They minimise the highest peak memory of all devices for the given global batch. Predicted
// memory: space.hpp.
//
// Recommenders: `exact` (default) finds the smallest highest peak in polynomial time (search.hpp). `bf` is
// mCAP's brute force over all partitions, `bo` its Bayesian optimisation. With --pipeline-only every stage has one
// device, and there are as many stages as devices and layers allow. Otherwise any number of stages is allowed, and
// devices may be idle if the smallest peak requires it. Without --micro-batch, the size with the smallest peak is
// taken.
//
// Several plans often reach the optimum; the quickest in simulation is the answer. For pipelines, the ties whose
// slowest stage is quickest are simulated. For hybrid plans it is the one with the quickest slowest stage of each
// micro-batch and number of stages. Devices are taken in the cluster's order. If their memories differ and that
// prevents the optimum, other orders of their types are tried, so that every stage can get a device that it needs.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/planner/capture/answer.hpp"
#include "core/planner/capture/brute.hpp"
#include "core/planner/capture/evaluate.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

namespace pipedeck::planner::capture {

namespace {

constexpr double max_cells = 5e8;             // entries of the tables of all micro-batch sizes
constexpr double simulated_operations = 4e6;  // for all ties together

// --- all sizes

std::string where_optimal(const search::Chain& chain, const Plan& plan, const Request& wanted) {
  const std::string stages =
      wanted.space.pipeline_only
          ? fmt::format("pipelines of {} on one device each", counted(std::ssize(plan.stages), "stage"))
          : "contiguous stages of any degrees of data and tensor parallelism";
  const std::string sizes = chain.workload().micro_batch ? fmt::format("micro-batches of {}", plan.micro_batch)
                                                         : fmt::format("any micro-batch of {} per replica or more",
                                                                       counted(wanted.slice, "sample"));
  return fmt::format("{}, {}{}: no lower highest peak memory as CAPTURE predicts it", stages, sizes,
                     chain.problem().pins.empty() ? "" : ", the pins kept");
}

/// Few ties of long pipelines: simulating one of them takes time.
std::size_t max_ties(const search::Chain& chain, const std::vector<int>& sizes) {
  const double micro_batches = static_cast<double>(chain.workload().global_batch) / sizes.front();
  const double operations = 2 * micro_batches * std::min(chain.layers(), chain.devices());
  const double most = sizes.size() == 1 ? 32 : 8;
  return static_cast<std::size_t>(std::clamp(simulated_operations / operations, 1.0, most));
}

Result<std::vector<Plan>> candidates(search::Chain& chain, const std::vector<int>& sizes, const Request& wanted,
                                     const PlannerContext& context) {
  const std::size_t keep = max_ties(chain, sizes);
  std::vector<Answer> answers;
  std::int64_t least = INT64_MAX;
  bool truncated = false, proven = true;
  for (std::size_t i = 0; i < sizes.size() && !truncated; ++i) {
    report(context.progress, 0.5 * static_cast<double>(i) / static_cast<double>(sizes.size()), "partitioning");
    const Watch watch{context.stop, context.deadline_token, !answers.empty(), context.found_plan};
    // Where one plan is wanted, sizes that do not reach the least peak so far are of no interest.
    Answer answer = of_size(chain, sizes[i], wanted, context.top > 1 ? INT64_MAX : least, keep, watch);
    TRY_VOID(check_stop(context));
    proven &= answer.proven;
    truncated = answer.truncated;
    if (answer.plans.empty()) continue;
    least = std::min(least, answer.peak);
    answers.push_back(std::move(answer));
    truncated |= deadline_expired(context) && i + 1 < sizes.size();
  }
  std::vector<Plan> plans;
  for (Answer& answer : answers)
    for (Plan& plan : answer.plans) {
      plan.truncated = truncated;
      if (proven && !truncated && answer.peak == least)
        plan.certificate.emplace().optimal_in = where_optimal(chain, plan, wanted);
      plans.push_back(std::move(plan));
    }
  return plans;
}

/// Orders plans by the highest peak, then by simulated time.
Result<Ranking> ordered(std::vector<Plan> plans, const PlannerContext& context) {
  const auto smaller = [](const Plan& a, const Plan& b) { return *a.objective->bytes < *b.objective->bytes; };
  if (context.top <= 1) {
    const Plan least = *std::min_element(plans.begin(), plans.end(), smaller);
    std::erase_if(plans, [&](const Plan& plan) { return smaller(least, plan); });
  }
  if (plans.size() == 1) return Ranking{std::move(plans), {}};
  std::vector<ScoredPlan> judged;
  bool truncated = false;
  for (std::size_t i = 0; i < plans.size() && !truncated; ++i) {
    report(context.progress, 0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(plans.size()), "simulating");
    TRY_VOID(check_stop(context));
    // Without a simulator all of the ties are as good: the order given stands.
    TRY(const auto iteration, context.score ? judge(context, plans[i]) : Result<Seconds>(Seconds()));
    judged.push_back({std::move(plans[i]), iteration});
    truncated = deadline_expired(context) && i + 1 < plans.size();
  }
  PlannerContext all = context;
  all.top = static_cast<int>(judged.size());
  Ranking ranking = ranked(std::move(judged), all);
  std::stable_sort(ranking.plans.begin(), ranking.plans.end(), smaller);
  if (ranking.plans.size() > static_cast<std::size_t>(std::max(1, context.top)))
    ranking.plans.erase(ranking.plans.begin() + std::max(1, context.top), ranking.plans.end());
  for (Plan& plan : ranking.plans) {
    plan.truncated |= truncated;
    if (plan.truncated) plan.certificate.reset();
  }
  return ranking;
}

// --- the request

/// The options of a request.
struct Given {
  Recommender recommender = Recommender::exact;
  bool pipeline_only = false, paper_in_flight = false, ignore_memory = false;
  int evaluations = 100, seed = 1, min_slice = 0;
};

const OptionTable<Given>& table() {
  static const OptionTable<Given> rows{{
      choice_option(
          "recommender", &Given::recommender,
          "exact: dynamic programme; bf: all partitions, where they are at most 5,000,000; bo: Bayesian optimisation",
          {{"exact", Recommender::exact}, {"bf", Recommender::brute_force}, {"bo", Recommender::bayesian}}),
      flag_option("pipeline-only", &Given::pipeline_only, "one device a stage, without data or tensor parallelism"),
      flag_option("paper-in-flight", &Given::paper_in_flight,
                  "predict one micro-batch on every stage, as the paper does"),
      integer_option("evaluations", &Given::evaluations, "bo: predictions for each micro-batch size"),
      integer_option("seed", &Given::seed, "bo: of its random choices"),
      flag_option("ignore-memory", &Given::ignore_memory, "also plans that do not fit"),
      integer_option("min-slice", &Given::min_slice, "least samples of a replica; 0: the smallest measured"),
  }};
  return rows;
}

Result<Request> wanted_of(const Problem& problem, const Given& given, const PlannerContext& context) {
  Request wanted;
  wanted.space = {.ignore_memory = given.ignore_memory,
                  .paper_in_flight = given.paper_in_flight,
                  .pipeline_only = given.pipeline_only,
                  .stop = context.stop};
  wanted.recommender = given.recommender;
  wanted.budget = {given.evaluations, static_cast<std::uint64_t>(given.seed)};
  wanted.slice = search::min_replica_samples(*problem.profile, given.min_slice);
  if (wanted.budget.evaluations < 1 || wanted.budget.evaluations > 100000)
    return fail(ErrorCode::bad_usage,
                fmt::format("--evaluations is {}, 1 to 100000 expected", wanted.budget.evaluations));
  for (const auto& [pin, name] : {std::pair{problem.pins.replicas, "--dp"}, {problem.pins.tensor_parallel, "--tmp"}})
    if (wanted.space.pipeline_only && pin.value_or(1) != 1)
      return fail(ErrorCode::bad_usage, fmt::format("{} {} contradicts --pipeline-only", name, *pin));
  return wanted;
}

/// A search that would take too long, or bad_usage for a brute force that would.
Result<std::optional<Infeasible>> too_large(search::Chain& chain, const std::vector<int>& sizes,
                                            const Request& wanted) {
  const search::DeviceOrders orders = capture_orders(chain, wanted);
  double table = 0, partitions = 0;
  for (const int size : sizes) {
    const Space space(chain, size, wanted.slice, wanted.space, orders.orders.front());
    if (wanted.space.stop.stop_requested()) return fail(ErrorCode::cancelled, "planning was cancelled");
    table += cells(space);
    if (wanted.recommender == Recommender::brute_force)
      partitions += partition_count(space) * static_cast<double>(orders.orders.size());
  }
  if (partitions > brute_force_limit)
    return fail(
        ErrorCode::bad_usage,
        fmt::format("{:.3g} partitions of {} layers over {} devices, at most {:.0f} for --recommender bf expected",
                    partitions, chain.layers(), chain.devices(), brute_force_limit));
  if (wanted.recommender != Recommender::exact || table <= max_cells) return std::optional<Infeasible>();
  return problem_too_large(fmt::format("{:.3g} states of {} layers on {} devices, {:.3g} are the most", table,
                                       chain.layers(), chain.devices(), max_cells),
                           chain.problem(), wanted.space.pipeline_only ? "" : "--pipeline-only, or a --micro-batch")
      .infeasible;
}

Result<Ranking> no_size(const Problem& problem, search::Chain& chain, const Request& wanted,
                        const PlannerContext& context) {
  const std::string reason =
      fmt::format("no micro-batch gives every replica at least {}, as was measured", counted(wanted.slice, "sample"));
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  return infeasible_by_samples(reason, problem.workload, wanted.slice, [&](int fewer) -> Result<bool> {
    TRY(const auto all, search::micro_batch_choices(problem.workload, 1));
    Request with = wanted;
    with.slice = fewer;
    return capture_fits(chain, all, with, context);
  });
}

Result<Ranking> none_fits(const Problem& problem, const std::vector<int>& sizes, Request wanted,
                          const PlannerContext& context) {
  const int smallest = sizes.front();
  const std::string reason =
      wanted.recommender == Recommender::bayesian
          ? fmt::format("none of the {} partitions tried fits", wanted.budget.evaluations)
          : fmt::format("no {} fits with micro-batches of {}{}",
                        wanted.space.pipeline_only ? "pipeline of one device per stage" : "partition",
                        counted(smallest, "sample"), sizes.size() > 1 ? " or more" : "");
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  if (wanted.recommender == Recommender::bayesian) {
    wanted.recommender = Recommender::exact;  // which looks at all orders of the devices
    TRY(auto chain, search::Chain::of(problem));
    TRY(const auto fits, capture_fits(chain, sizes, wanted, context));
    if (fits) return Ranking{{}, Infeasible{reason, "--recommender exact"}};
  }
  return infeasible_by_memory(reason, context, [&](Bytes more) -> Result<bool> {
    TRY(auto relaxed, search::Chain::of(with_more_memory(problem, more)));
    return capture_fits(relaxed, sizes, wanted, context);
  });
}

Result<Ranking> plan_capture(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  TRY(const auto wanted, wanted_of(problem, table().read(options), context));
  TRY(auto chain, search::Chain::of(problem));
  TRY(const auto all, search::micro_batch_choices(problem.workload, wanted.slice));
  std::vector<int> sizes;  // that some way to run a stage has samples for
  for (const int size : all)
    if (size / problem.pins.replicas.value_or(1) >= wanted.slice) sizes.push_back(size);
  if (sizes.empty()) return no_size(problem, chain, wanted, context);
  TRY(const auto large, too_large(chain, sizes, wanted));
  if (large) return Ranking{{}, *large};

  TRY(auto plans, candidates(chain, sizes, wanted, context));
  return plans.empty() ? none_fits(problem, sizes, wanted, context) : ordered(std::move(plans), context);
}

}  // namespace

PlannerInfo capture_planner() {
  return {.name = "capture",
          .title = "CAPTURE",
          .summary = "smallest highest peak memory of any device, then the quickest",
          .source =
              "Dreuning et al., CAPTURE: Memory-Centric Partitioning for Distributed DNN Training with Hybrid "
              "Parallelism; mCAP",
          .options = table().infos(),
          .plan = &plan_capture,
          .objective = {.compute = [](const evaluation::Evaluation& e) -> Result<std::optional<Objective>> {
                          TRY(const auto bytes, capture_objective(e));
                          return Objective{{}, {}, bytes};
                        },
                        .text = &capture_objective_text,
                        .options = &evaluate_options<table>},
          .compared_by_default = true,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true}};
}

}  // namespace pipedeck::planner::capture
