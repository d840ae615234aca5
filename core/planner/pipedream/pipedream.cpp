// SPDX-License-Identifier: Apache-2.0
// PipeDream (Narayanan et al., SOSP 2019), section 3.1: it partitions layers into stages and replicates stages to
// minimise the slowest stage's time per mini-batch. The recurrences run over the levels of the cluster (devices in a
// node, nodes in the cluster), from the lowest up; see search.hpp. Deviations:
//   - The weight synchronisation moves (m - 1) / m |w| each way, as in the text, not (m - 1) |w| as printed
//     (--printed-objective gives the latter).
//   - A stage of all m components is an answer too, which the printed minimum omits.
//   - Layer graphs are planned on their ideals, as in the authors' program (ideals.hpp); if those are too many, in one
//     topological order.
//   - Stage s holds K_s = ceil(sum_{t >= s} r_t / r_s) weight versions and activations. It must fit with them and with
//     the tensors waiting at its boundaries (--ignore-memory ignores memory, like the paper's optimizer).
// Its own schedule is asynchronous: mini-batches are not divided, and replicas take them in turn. --synchronous returns
// the partition under 1F1B, with the micro-batch that simulates best (the comparison of DAPPLE, section VI-F).
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/pipedream/evaluate.hpp"
#include "core/planner/pipedream/partition.hpp"
#include "core/planner/pipedream/released.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/relax.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

namespace pipedeck::planner::pipedream {

namespace {

struct PlanRequest {
  Request partition;
  bool synchronous = false;
  int min_slice = 0;
};

/// The options of a request.
struct Given {
  Levels levels = Levels::automatic;
  bool synchronous = false, allow_idle = false, ignore_memory = false, printed = false;
  bool as_released = false, released_memory = false;
  int min_slice = 0;
};

const OptionTable<Given>& table() {
  static const OptionTable<Given> rows{{
      choice_option("levels", &Given::levels,
                    "auto: devices in a node, nodes in the cluster, more where bandwidths differ; flat: one level; "
                    "any: the best of these and of stages on any consecutive devices",
                    {{"auto", Levels::automatic}, {"flat", Levels::flat}, {"any", Levels::any}}),
      flag_option("synchronous", &Given::synchronous,
                  "the same partition under 1F1B, at the micro-batch that simulates best"),
      flag_option("allow-idle", &Given::allow_idle,
                  "also with fewer components of a level in use, everywhere as many: devices of a node, nodes"),
      flag_option("ignore-memory", &Given::ignore_memory, "also plans that do not fit, as in the paper"),
      flag_option("printed-objective", &Given::printed, "the synchronisation term exactly as printed"),
      flag_option("as-released", &Given::as_released,
                  "what the authors' released program computes, which leaves memory out"),
      flag_option("released-memory", &Given::released_memory, "as released: with its own rule of memory"),
      integer_option("min-slice", &Given::min_slice,
                     "synchronous: least samples of a micro-batch on a replica; 0: the smallest measured"),
  }};
  return rows;
}

PlanRequest wanted_of(const Given& given) {
  return {{{.ignore_memory = given.ignore_memory, .printed_objective = given.printed}, given.levels, given.allow_idle},
          given.synchronous,
          given.min_slice};
}

/// Returns the samples of a mini-batch: the user's or the profile's. Returns bad_usage if they do not divide the global
/// batch.
Result<int> mini_batch(const Problem& problem) {
  const int size = problem.workload.micro_batch.value_or(problem.profile->micro_batch);
  if (size < 1 || problem.workload.global_batch % size != 0)
    return fail(ErrorCode::bad_usage, fmt::format("mini-batches of {}, a divisor of the global batch {} expected",
                                                  counted(size, "sample"), problem.workload.global_batch));
  return size;
}

/// Adds a note if the simulation is over 5 % slower. A^L bounds the steady state from below: with transfers and uneven
/// replicas, NOAM mini-batches may be too few.
Result<void> compare_with_simulation(Plan& plan, const PlannerContext& context) {
  if (!context.score || plan.objective->time->count <= 0) return {};
  TRY(const auto iteration, judge(context, plan));
  const Seconds pace = iteration / plan.micro_batches;
  if (std::isinf(pace.count) || pace.count <= 1.05 * plan.objective->time->count) return {};
  int workers = 0;
  for (const Stage& stage : plan.stages) workers += stage.replicas();
  const int first = plan.stages.front().replicas();
  plan.rationale.push_back(fmt::format(
      "Simulated, a mini-batch takes {:.3f} ms, {:.1f} % more than the slowest stage's {:.3f} ms: with NOAM = ceil({} "
      "/ {}) = {} mini-batches under way, transfers or uneven replication leave stages waiting.",
      in_milliseconds(pace), 100 * (pace.count / plan.objective->time->count - 1),
      in_milliseconds(*plan.objective->time), workers, first, (workers + first - 1) / first));
  return {};
}

Result<Plan> asynchronous_plan(const Partition& partition, int size, const PlannerContext& context) {
  Plan plan = partition.chain.plan_of("pipedream", size);
  plan.schedule = ScheduleKind::pipedream;
  plan.stages = partition.stages;
  plan.objective = Objective{partition.objective, partition.slowest, {}};
  plan.name = "PipeDream " + stage_shape_text(plan);
  plan.rationale = partition.notes;
  plan.truncated = partition.truncated;
  if (!partition.proven.empty()) plan.certificate.emplace().optimal_in = partition.proven;
  TRY_VOID(compare_with_simulation(plan, context));
  return plan;
}

/// The partition under 1F1B with each micro-batch that gives every replica whole samples and fits.
std::vector<Plan> synchronous_plans(Partition& partition, const PlanRequest& wanted) {
  search::Chain& chain = partition.chain;
  Workload open = chain.workload();
  open.micro_batch.reset();  // a replica's mini-batch does not fix the micro-batch of a flush
  const int slice = search::min_replica_samples(chain.profile(), wanted.min_slice);
  const auto sizes = search::micro_batch_choices(open, 1);
  std::vector<Plan> plans;
  for (const int size : sizes.value_or(std::vector<int>())) {
    Plan plan = chain.plan_of("pipedream", size);
    plan.stages = partition.stages;
    plan.name = fmt::format("PipeDream {}, synchronous", stage_shape_text(plan));
    plan.rationale = partition.notes;
    plan.truncated = partition.truncated;
    bool whole = true;
    for (const Stage& stage : plan.stages) whole &= size / stage.replicas() >= slice;
    for (const Warmup policy : {Warmup::A, Warmup::B})
      if (Plan one = plan;
          whole && search::set_warmup(chain, one, policy, search::when_short(wanted.partition.search.ignore_memory)))
        plans.push_back(std::move(one));
  }
  return plans;
}

Result<std::vector<ScoredPlan>> judged(std::vector<Plan> plans, const PlannerContext& context) {
  std::vector<ScoredPlan> all;
  for (Plan& plan : plans) {
    if (!all.empty() && deadline_expired(context)) {
      for (ScoredPlan& one : all) one.plan.truncated = true;
      break;
    }
    TRY_VOID(check_stop(context));
    TRY(const auto iteration, judge(context, plan));
    plan.objective = simulated_objective(iteration);
    all.push_back({std::move(plan), iteration});
  }
  return all;
}

Result<bool> any_plan(const Problem& problem, int size, const PlanRequest& wanted, const PlannerContext& context) {
  TRY(auto chain, search::Chain::of(problem));
  // The synchronous plan has the best partition's stages; else any partition will do.
  PlannerContext how = wanted.synchronous ? context : first_plan_context(context);
  how.found_plan = {};
  TRY(auto partition, pipedream_partition(chain, size, wanted.partition, how));
  return partition && (!wanted.synchronous || !synchronous_plans(*partition, wanted).empty());
}

Result<Ranking> no_plan(const Problem& problem, int size, const PlanRequest& wanted, const PlannerContext& context) {
  PlanRequest unlimited = wanted;
  unlimited.partition.search.ignore_memory = true;
  TRY(const auto any, any_plan(problem, size, unlimited, context));
  if (!any && !problem.pins.empty() && !wanted.synchronous)
    return Ranking{{}, Infeasible{"no partition over these levels has what is pinned", ""}};
  if (!any) {
    Workload open = problem.workload;
    open.micro_batch.reset();
    return infeasible_by_samples("no micro-batch gives every replica of the partition as many samples as were measured",
                                 open, search::min_replica_samples(*problem.profile, wanted.min_slice), [&](int fewer) {
                                   PlanRequest relaxed = wanted;
                                   relaxed.min_slice = fewer;
                                   return any_plan(problem, size, relaxed, context);
                                 });
  }
  const std::string reason =
      wanted.synchronous
          ? "the partition does not fit under a synchronous schedule, whatever the micro-batch"
          : fmt::format("no partition fits: every stage keeps its weight versions and mini-batches of {}",
                        counted(size, "sample"));
  return infeasible_by_memory(
      reason, context, [&](Bytes more) { return any_plan(with_more_memory(problem, more), size, wanted, context); });
}

/// Returns a reason if the profile's mini-batch does not divide the global batch. The user did not choose it, so that
/// is no error.
std::optional<Infeasible> without_mini_batch(const Problem& problem) {
  const int size = problem.profile->micro_batch, batch = problem.workload.global_batch;
  if (problem.workload.micro_batch || batch % size == 0) return std::nullopt;
  return Infeasible{
      fmt::format("mini-batches of {}, as in the profile, do not divide {}", counted(size, "sample"), batch),
      larger_batch_hint(problem.workload)};
}

Result<Ranking> as_released(const Problem& problem, int size, const Given& given, const PlanRequest& wanted,
                            const PlannerContext& context) {
  return plan_pipedream_as_released(
      problem, {.micro_batch = size, .flat = wanted.partition.levels == Levels::flat, .memory = given.released_memory},
      context);
}

Result<void> check_as_released(const Problem& problem, const PlanRequest& wanted) {
  if (wanted.partition.levels == Levels::any || wanted.synchronous || wanted.partition.allow_idle ||
      wanted.partition.search.printed_objective || !problem.pins.empty())
    return fail(ErrorCode::bad_usage,
                "--as-released: found --levels any, --synchronous, --allow-idle, --printed-objective or pins, which "
                "the released program does not have");
  return {};
}

Result<Ranking> plan_pipedream(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const Given given = table().read(options);
  const PlanRequest wanted = wanted_of(given);
  if (given.as_released) TRY_VOID(check_as_released(problem, wanted));
  TRY(auto chain, search::Chain::of(problem));
  if (auto none = without_mini_batch(problem)) return Ranking{{}, *std::move(none)};
  TRY(const auto size, mini_batch(problem));

  if (given.as_released) return as_released(problem, size, given, wanted, context);
  if (too_large_for_pipedream(chain, wanted.partition, context))
    return problem_too_large(fmt::format("{} layers on {} devices{}", chain.layers(), chain.devices(),
                                         wanted.partition.allow_idle ? ", some perhaps idle" : ""),
                             problem, wanted.partition.allow_idle ? "no --allow-idle" : "");
  report(context.progress, 0, "partitioning");
  TRY(auto partition, pipedream_partition(chain, size, wanted.partition, context));
  if (!partition) return no_plan(problem, size, wanted, context);

  Ranking ranking;
  if (!wanted.synchronous) {
    TRY(auto plan, asynchronous_plan(*partition, size, context));
    ranking.plans.push_back(std::move(plan));
  }
  if (wanted.synchronous || context.top > 1) {
    report(context.progress, 0.5, "simulating the synchronous plans");
    TRY(auto plans, judged(synchronous_plans(*partition, wanted), context));
    PlannerContext rest = context;
    rest.top = wanted.synchronous ? context.top : 1;
    for (Plan& plan : ranked(std::move(plans), rest).plans) ranking.plans.push_back(std::move(plan));
  }
  report(context.progress, 1, "done");
  if (ranking.plans.empty()) return no_plan(problem, size, wanted, context);
  return ranking;
}

}  // namespace

PlannerInfo pipedream_planner() {
  return {.name = "pipedream",
          .title = "PipeDream",
          .summary = "least time of the slowest stage, over the levels of the cluster; asynchronous",
          .source = "Narayanan et al., PipeDream: Generalized Pipeline Parallelism for DNN Training, SOSP 2019",
          .options = table().infos(),
          .plan = &plan_pipedream,
          .objective = {.compute = [](const evaluation::Evaluation& e) -> Result<std::optional<Objective>> {
                          if (e.plan.synchronous()) return std::nullopt;  // ranked by simulated time
                          TRY(const auto time, pipedream_objective(e));
                          return Objective{{}, time, {}};
                        },
                        .text =
                            [](const evaluation::Evaluation& e) {
                              return e.plan.synchronous() ? std::string() : pipedream_objective_text(e);
                            },
                        .options =
                            [](const PlannerOptions& given) {
                              const Given asked = table().read(given);
                              return evaluation::EvaluateOptions{
                                  .ignore_memory = asked.ignore_memory || asked.as_released,
                                  .printed_objective = asked.printed,
                                  .flat_levels = asked.levels == Levels::flat};
                            }},
          .compared_by_default = true,
          .changes_training = true,
          .search_time = SearchTime::moderate,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .layers = true}};
}

}  // namespace pipedeck::planner::pipedream
