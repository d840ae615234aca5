// SPDX-License-Identifier: Apache-2.0
// DAPPLE (Fan et al., PPoPP 2021), section IV: the partition, replication and placement with the least latency of one
// synchronous iteration. Stages are replicated by dividing each micro-batch.
//
// Objective. The paper's eq. 1-3 follow one pivot stage Q. We take the largest value over all stages,
//   L_max = max_Q [ sum_{s<=Q} F_s + (M - 1) t_Q + max_{s<=Q}( AR_s + sum_{a=s..Q} B_a ) ],
// t = F + B of a computing stage and max(F, B) of a transfer (full-duplex). The printed objective loses the pivot's
// last backward, can fall when a stage gets slower, and makes a link wait for both directions. L_max grows with every
// stage and needs three figures of a prefix (bounds.hpp). With equal replicas it is never above the simulated
// 1F1B without overlap. --printed-objective computes eq. 1-3 as printed (as_published.cpp).
//
// Search, eq. 4-5: stages are added front to back and placed by three policies (places.hpp). Data parallelism
// (one stage) and straight pipelines (one device each) are among the plans.
//
// Ranking. L_max is equal for the warm-up policies A and B, so candidates are simulated with both, in the workload's
// own overlap of all-reduces. Candidates come in the order of the sure measure (space.hpp), which is never above the
// simulated time. If the next bound is not below the best simulated time, no other candidate is better. --rank-by
// objective returns the least L_max.
//
// Beyond the paper: device memory is respected (at least one micro-batch must fit every device, and the warm-up is
// shortened to fit); the micro-batch is chosen if the user leaves it open; stages may recompute.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/planner/dapple/evaluate.hpp"
#include "core/planner/dapple/ranking.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

namespace pipedeck::planner::dapple {

namespace {

constexpr std::int64_t largest = 2'000'000;  // layers x devices x devices: entries of the bounds
constexpr int most_alone = 200;              // devices of few layers
constexpr int most_devices = 1024, most_units = 64;

/// The options of a request.
struct Given {
  bool simulated = true, allow_idle = false, ignore_memory = false, printed = false;
  std::optional<Warmup> warmup{};
  Recompute recompute = Recompute::automatic;
  int min_slice = 0, simulations = 256, unit = 0;
};

const OptionTable<Given>& table() {
  static const OptionTable<Given> rows{{
      choice_option("rank-by", &Given::simulated,
                    "simulated: the best simulated candidate; objective: the one of least L_max",
                    {{"simulated", true}, {"objective", false}}),
      choice_option("warmup", &Given::warmup, "policy A or B of 1F1B; auto: the one that simulates best",
                    {{"auto", std::nullopt}, {"A", Warmup::A}, {"B", Warmup::B}}),
      choice_option("recompute", &Given::recompute,
                    "run forwards again before backwards; auto: where memory is short and it pays",
                    {{"auto", Recompute::automatic}, {"off", Recompute::off}, {"on", Recompute::on}}),
      flag_option("allow-idle", &Given::allow_idle, "plans that leave devices idle, too"),
      flag_option("ignore-memory", &Given::ignore_memory, "also plans that do not fit, as in the paper"),
      flag_option("printed-objective", &Given::printed, "the paper's eq. 1-3 as printed"),
      integer_option("min-slice", &Given::min_slice,
                     "least samples of a micro-batch on a replica; 0: the smallest measured"),
      integer_option("simulations", &Given::simulations, "candidates to simulate at most"),
      integer_option("device-multiple", &Given::unit,
                     "the number of devices of every stage is a multiple of this; 0: 1, or more on many devices"),
  }};
  return rows;
}

bool small_enough(std::int64_t layers, std::int64_t units) {
  return units <= most_alone && layers * units * units <= largest;
}

/// Returns the devices that stages get multiples of: 1 up to the largest problem, beyond it the fewest that keep the
/// search small. They divide a node or are several nodes. Nothing if there are none.
std::optional<int> unit_of(const Problem& problem, int layers, int devices) {
  if (small_enough(layers, devices)) return 1;
  const auto even = [&](int unit) {
    return std::all_of(problem.cluster->nodes.begin(), problem.cluster->nodes.end(), [&](const Node& node) {
      const int size = static_cast<int>(node.devices.size());
      return size % unit == 0 || unit % std::max(1, size) == 0;
    });
  };
  for (int unit = 2; 2 * unit <= devices && devices <= most_devices; ++unit) {
    const int units = devices / unit;
    if (units > most_units || !small_enough(layers, units) || devices % unit != 0 || !even(unit)) continue;
    if (problem.pins.replicas.value_or(0) % unit == 0) return unit;
  }
  return {};
}

/// Returns the unit that was asked for, or else the usual one. Nothing if the problem is too large.
Result<std::optional<int>> unit_of(const Problem& problem, int layers, int devices, int asked) {
  if (asked == 0) return unit_of(problem, layers, devices);
  if (devices % asked != 0)
    return fail(ErrorCode::bad_usage,
                fmt::format("--device-multiple is {}, a divisor of the {} devices expected", asked, devices));
  const bool small = devices <= most_devices && small_enough(layers, devices / asked);
  return small || small_enough(layers, devices) ? std::optional(asked) : std::nullopt;
}

Request wanted_of(const Problem& problem, const Given& given, int unit) {
  Request wanted;
  wanted.space.slice = search::min_replica_samples(*problem.profile, given.min_slice);
  wanted.space.ignore_memory = given.ignore_memory;
  wanted.rules = {.allow_idle = given.allow_idle,
                  .unit = unit,
                  .stages = problem.pins.stages,
                  .max_stages = problem.pins.max_stages,
                  .replicas = problem.pins.replicas};
  wanted.simulated = given.simulated;
  wanted.printed = given.printed;
  wanted.recompute = given.recompute;
  wanted.warmup = given.warmup;
  wanted.simulations = std::max(1, given.simulations);
  return wanted;
}

/// Returns the relaxation: idle devices if they help, otherwise fewer samples per replica.
Result<Ranking> not_enough_samples(const Problem& problem, const std::string& reason, Request wanted,
                                   const PlannerContext& context) {
  TRY(const auto sizes, search::micro_batch_choices(problem.workload, 1));
  Request idle = wanted;
  idle.rules.allow_idle = true;
  TRY(const auto helps, any_dapple_plan(problem, idle, sizes, context));
  if (helps) return Ranking{{}, Infeasible{reason, "--allow-idle"}};
  return infeasible_by_samples(reason, problem.workload, wanted.space.slice, [&](int slice) {
    wanted.space.slice = slice;
    return any_dapple_plan(problem, wanted, sizes, context);
  });
}

/// The pins forbid all; or nothing fits; or nothing gives every device whole samples.
Result<Ranking> no_plan(const Problem& problem, const std::vector<int>& sizes, const Request& wanted,
                        const PlannerContext& context) {
  Request unlimited = wanted;
  unlimited.space.ignore_memory = true;
  TRY(const auto any, any_dapple_plan(problem, unlimited, sizes, context));
  const std::string no_memory = "no plan fits the devices' memory, with one micro-batch at a time on every stage";
  if (any && !context.relax) return Ranking{{}, Infeasible{no_memory, ""}};
  if (any)
    return infeasible_by_memory(no_memory, context, [&](Bytes more) {
      return any_dapple_plan(with_more_memory(problem, more), wanted, sizes, context);
    });
  if (!problem.pins.empty()) {
    Problem free = problem;
    free.pins = {};
    unlimited.rules = {.allow_idle = wanted.rules.allow_idle,
                       .unit = wanted.rules.unit,
                       .stages = {},
                       .max_stages = {},
                       .replicas = {}};
    TRY(const auto without, any_dapple_plan(free, unlimited, sizes, context));
    if (without) return Ranking{{}, Infeasible{"no plan that the placement policies reach keeps to the pins", ""}};
  }
  const std::string reason = fmt::format("no plan gives every one of {} devices at least {} of each micro-batch",
                                         devices_of(*problem.cluster).size(), counted(wanted.space.slice, "sample"));
  if (!context.relax) return Ranking{{}, Infeasible{reason, ""}};
  return not_enough_samples(problem, reason, wanted, context);
}

/// Adds that only some numbers of devices per stage were searched.
void add_unit(Ranking& ranking, int unit) {
  const std::string bounded = fmt::format("stages of multiples of {} devices", unit);
  if (ranking.infeasible) ranking.infeasible->reason += fmt::format(", among {}", bounded);
  for (Plan& plan : ranking.plans) plan.rationale.push_back(fmt::format("The search was limited to {}.", bounded));
}

Result<Ranking> plan_dapple(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const int layers = static_cast<int>(problem.profile->layers.size());
  const int devices = static_cast<int>(devices_of(*problem.cluster).size());
  const Given given = table().read(options);
  TRY(const auto unit, unit_of(problem, layers, devices, given.unit));
  if (!unit)
    return problem_too_large(
        fmt::format("made for up to {} devices with {} layers, or {} in equal nodes, found {}",
                    std::min(most_alone, static_cast<int>(std::sqrt(static_cast<double>(largest) / layers))), layers,
                    most_devices, devices),
        problem);
  TRY(auto chain, search::Chain::of(problem));
  const Request wanted = wanted_of(problem, given, *unit);
  TRY(auto sizes, search::micro_batch_choices(problem.workload, 1));
  std::erase_if(sizes, [&](int size) { return size < wanted.space.slice; });
  auto ranking = rank_dapple(chain, wanted, sizes, context);
  if (ranking && ranking->plans.empty()) ranking = no_plan(problem, sizes, wanted, context);
  if (ranking && *unit > 1) add_unit(*ranking, *unit);
  return ranking;
}

}  // namespace

PlannerInfo dapple_planner() {
  return {.name = "dapple",
          .title = "DAPPLE",
          .summary = "least latency of a synchronous iteration; stages replicated over any devices",
          .source = "Fan et al., DAPPLE: A Pipelined Data Parallel Approach for Training Large Models, PPoPP 2021",
          .options = table().infos(),
          .plan = &plan_dapple,
          .objective = {.compute = &objective_in_time<dapple_objective>,
                        .text = &dapple_objective_text,
                        .options = &evaluate_options<table>},
          .compared_by_default = true,
          .search_time = SearchTime::moderate,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = false, .layers = true}};
}

}  // namespace pipedeck::planner::dapple
