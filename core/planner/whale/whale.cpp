// SPDX-License-Identifier: Apache-2.0
// Whale (Jia et al., USENIX ATC 2022). A model consists of a few TaskGraphs, each under replicate or split; its users
// choose them or leave them to the system. Here every strategy is a list of layouts (layout.hpp):
//   - replicate: one TaskGraph on all devices, data parallelism;
//   - pipeline: N TaskGraphs under 1F1B, nested data parallelism if the number of devices is a multiple;
//   - split: TaskGraphs sharded by columns, as the profile's tensor-parallel times allow, all of them or one between
//     replicated others (the classifier of the paper's example 2).
// Within a TaskGraph the micro-batch is divided by device speed (balance.hpp: equation 1, Algorithm 1), and the
// columns of split layers among the different devices of a replica (shard_fractions.hpp). Layers are balanced between
// TaskGraphs (partition.hpp). All of it is exact, except for columns if types differ from layer to layer. It
// respects the devices' memory, of which earlier TaskGraphs need more. The objective of all is the compute time of the
// busiest device in an iteration. Simulation then compares layouts and micro-batches, the most promising ones by a
// closed form first.
//
// Deviations: TaskGraphs do not share devices (a plan's stages have their own). Replicas of a stage may differ from the
// nested copy's, since each stage is balanced separately and slices are divided again between stages. A device that
// can't hold the minimum slice stays idle. If no whole number of copies uses all devices and fits, TaskGraphs of
// unequal numbers of replicas are tried.
#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/cost/ring_times.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/relax.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"
#include "core/planner/whale/evaluate.hpp"
#include "core/planner/whale/partition.hpp"

namespace pipedeck::planner::whale {

namespace {

struct Request {
  LayoutOptions layouts;
  Balance balance = Balance::hardware_aware;
  int min_slice = 0, simulations = 1;
  bool ignore_memory = false;
};

enum class Strategy { automatic, replicate, pipeline, split };
enum class Neighbours { automatic, copies, replicas };

/// The options of a request.
struct Given {
  Strategy strategy = Strategy::automatic;
  int task_graphs = 0;
  Neighbours placement = Neighbours::automatic;
  bool even = false, printed = false;
  int simulations = 24;
  bool ignore_memory = false;
  int min_slice = 0;
};

const OptionTable<Given>& table() {
  static const OptionTable<Given> rows{{
      choice_option("strategy", &Given::strategy,
                    "replicate: data parallel; pipeline: several TaskGraphs; split: layers cut by columns",
                    {{"auto", Strategy::automatic},
                     {"replicate", Strategy::replicate},
                     {"pipeline", Strategy::pipeline},
                     {"split", Strategy::split}}),
      integer_option("task-graphs", &Given::task_graphs, "number of TaskGraphs; 0: the best one"),
      choice_option(
          "placement", &Given::placement,
          "on neighbouring devices: the TaskGraphs of a nested copy, or the replicas of a TaskGraph",
          {{"auto", Neighbours::automatic}, {"copies", Neighbours::copies}, {"replicas", Neighbours::replicas}}),
      choice_option("balance", &Given::even, "aware: by what devices do; even: as if all were alike, for comparison",
                    {{"aware", false}, {"even", true}}),
      flag_option("printed-algorithm", &Given::printed, "shares by Algorithm 1 exactly as printed"),
      integer_option("simulations", &Given::simulations, "candidates simulated at most"),
      flag_option("ignore-memory", &Given::ignore_memory, "also plans that do not fit"),
      integer_option("min-slice", &Given::min_slice,
                     "least samples of a micro-batch on a replica; 0: the smallest measured"),
  }};
  return rows;
}

Request wanted_of(const Given& given) {
  const auto has = [&](Strategy one) { return given.strategy == Strategy::automatic || given.strategy == one; };
  Request wanted;
  wanted.layouts = {.replicate = has(Strategy::replicate),
                    .pipeline = has(Strategy::pipeline),
                    .split = has(Strategy::split),
                    .task_graphs = given.task_graphs,
                    .copies_together = given.placement != Neighbours::replicas,
                    .replicas_together = given.placement != Neighbours::copies};
  if (given.printed) wanted.balance = Balance::printed;
  if (given.even) wanted.balance = Balance::even;
  wanted.min_slice = given.min_slice;
  wanted.simulations = std::max(1, given.simulations);
  wanted.ignore_memory = given.ignore_memory;
  return wanted;
}

struct Candidate {
  Plan plan;
  double estimate = 0;  ///< s, of the iteration
};

/// Returns true if times never fall with the samples, which the exactness requires.
bool times_rise(const Profile& profile) {
  for (const Layer& layer : profile.layers)
    for (std::size_t i = 1; i < layer.at.size(); ++i)
      if (layer.at[i].forward < layer.at[i - 1].forward || layer.at[i].backward < layer.at[i - 1].backward)
        return false;
  return true;
}

Stage stage_of(const TaskGraph& graph, int first, int last, const std::vector<int>& shares,
               const ShardFractions& columns, int micro_batch) {
  Stage stage = search::stage_on(first, last, {});
  stage.tensor_parallel = graph.degree;
  if (!columns.empty()) stage.shard_fractions = columns;
  std::vector<int> samples;
  for (std::size_t r = 0; r < shares.size(); ++r) {
    if (shares[r] == 0) continue;
    samples.push_back(shares[r]);
    const auto begin = graph.devices.begin() + static_cast<std::ptrdiff_t>(r) * graph.degree;
    stage.devices.insert(stage.devices.end(), begin, begin + graph.degree);
  }
  if (samples != replica_samples(stage, micro_batch)) stage.samples_per_replica = std::move(samples);
  return stage;
}

/// Filling the pipeline, then the slowest TaskGraph's pace, transfers both ways, and the longest all-reduce.
double estimate_of(search::Chain& chain, const Plan& plan, const std::vector<double>& times) {
  double sum = 0, synchronised = 0;
  const double slowest = *std::max_element(times.begin(), times.end());
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    sum += times[s];
    if (stage.replicas() > 1) {
      Bytes weights;
      for (int rank = 0; rank < (stage.shard_fractions ? stage.tensor_parallel : 1); ++rank)
        weights = std::max(weights, plan::share_of(chain.weights(stage.first, stage.last), stage, rank));
      synchronised = std::max(synchronised, cost::all_reduce(chain.network(), stage.devices, weights).count);
    }
    if (s + 1 < plan.stages.size())
      sum += 2 * chain.network()
                     .transfer(stage.devices.front(), plan.stages[s + 1].devices.front(),
                               chain.cut(stage.last, (plan.micro_batch + stage.replicas() - 1) / stage.replicas()))
                     .count;
  }
  return sum + (plan.micro_batches - 1) * slowest + synchronised;
}

/// Returns the time of the passes with recomputation over the time without.
double recomputed_factor(const search::Chain& chain) {
  double forward = 0, both = 0;
  for (const Layer& layer : chain.profile().layers)
    forward += layer.forward.count, both += layer.forward.count + layer.backward.count;
  return both > 0 ? 1 + forward / both : 1;
}

Candidate candidate_of(search::Chain& chain, const Layout& layout, const Split& split, const SplitRequest& question,
                       bool proven) {
  Plan plan = chain.plan_of("whale", question.micro_batch);
  for (std::size_t s = 0; s < layout.graphs.size(); ++s)
    plan.stages.push_back(stage_of(layout.graphs[s], s == 0 ? 0 : split.ends[s - 1], split.ends[s], split.shares[s],
                                   split.columns[s], question.micro_batch));
  for (Stage& stage : plan.stages) stage.recompute = chain.recompute(split.recompute);
  plan.name = "Whale " + layout.name;
  const double slowest = *std::max_element(split.times.begin(), split.times.end());
  plan.objective = Objective{"Whale busiest device", Seconds(slowest * plan.micro_batches), {}};
  if (proven && split.exact && !split.recompute)
    plan.certificate.emplace().optimal_in = fmt::format(
        "all {} of {} on these devices in this order with micro-batches of {} that fit: none has a less busy busiest "
        "device",
        plan.stages.size() == 1
            ? (split.is_heterogeneous ? "whole-sample shares and shares of columns" : "whole-sample shares")
        : split.is_heterogeneous ? "cuts, whole-sample shares and shares of columns"
                                 : "cuts and whole-sample shares",
        layout.name, plan.micro_batch);
  const double estimate = estimate_of(chain, plan, split.times) * (split.recompute ? recomputed_factor(chain) : 1);
  return {std::move(plan), estimate};
}

std::size_t max_simulated(const Request& wanted, const PlannerContext& context) {
  return static_cast<std::size_t>(std::max(wanted.simulations, context.top));
}

/// The best estimates so far, as many as are simulated; layouts beyond the worst of them are skipped.
class BestEstimates {
 public:
  explicit BestEstimates(std::size_t most) : most_(most) {}
  double worst() const {
    return kept_.size() < most_ ? std::numeric_limits<double>::infinity() : *std::prev(kept_.end());
  }
  void add(double estimate) {
    kept_.insert(estimate);
    if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
  }

 private:
  std::size_t most_;
  std::multiset<double> kept_;
};

bool same_pipeline(const Plan& a, const Plan& b) {
  return a.micro_batch == b.micro_batch && a.stages == b.stages && a.warmup_counts == b.warmup_counts;
}

/// Returns a candidate per layout and micro-batch, in that order. Uneven shards add one with even shards.
Result<std::vector<Candidate>> candidates_of(const Problem& problem, const Request& wanted, int slice, bool uneven,
                                             const PlannerContext& context, bool first_only = false) {
  TRY(auto chain, search::Chain::of(problem));
  TRY(const auto sizes, search::micro_batch_choices(problem.workload, 1));
  WhaleCosts costs(chain, wanted.ignore_memory);
  const bool proven = wanted.balance == Balance::hardware_aware && times_rise(*problem.profile);
  const std::vector<Layout> layouts = layouts_of(costs, wanted.layouts, uneven);
  std::vector<Candidate> all;
  BestEstimates best(max_simulated(wanted, context));
  for (std::size_t l = 0; l < layouts.size(); ++l)
    for (const int size : sizes) {
      TRY_VOID(check_stop(context));
      if (!all.empty() && (first_only || deadline_expired(context))) return all;
      report(context.progress, 0.5 * static_cast<double>(l) / static_cast<double>(layouts.size()), "balancing");
      bool unlike = false;
      const auto add = [&](Balance balance) {
        const SplitRequest question{size, problem.workload.global_batch / size, slice, balance, best.worst()};
        const auto split = split_layers(costs, layouts[l], question, context.stop,
                                        all.empty() ? std::stop_token() : context.deadline_token);
        if (!split) return;
        unlike = split->is_heterogeneous;
        Candidate candidate = candidate_of(chain, layouts[l], *split, question, proven && balance == wanted.balance);
        if (first_violation(candidate.plan, *problem.profile, problem.pins)) return;
        if (balance != wanted.balance && !all.empty() && same_pipeline(all.back().plan, candidate.plan)) return;
        best.add(candidate.estimate);
        if (!first_only) note_plan(context);
        all.push_back(std::move(candidate));
      };
      add(wanted.balance);
      // Even with a less busy busiest device, all-reduces of larger shards or filling the pipeline may take longer;
      // simulation decides.
      if (unlike) add(Balance::even);
    }
  TRY_VOID(check_stop(context));
  return all;
}

bool even_shards(const Candidate& candidate) {
  return std::none_of(candidate.plan.stages.begin(), candidate.plan.stages.end(),
                      [](const Stage& stage) { return stage.shard_fractions.has_value(); });
}

/// Returns candidates with whole numbers of copies. If none fits, or some have uneven shards, also TaskGraphs of
/// unequal numbers of replicas.
Result<std::vector<Candidate>> candidates_of(const Problem& problem, const Request& wanted, int slice,
                                             const PlannerContext& context, bool first_only = false) {
  auto nested = candidates_of(problem, wanted, slice, false, context, first_only);
  if (!nested) return nested;
  if (!nested->empty() && (first_only || deadline_expired(context))) return nested;
  if (!nested->empty() && std::all_of(nested->begin(), nested->end(), even_shards)) return nested;
  return candidates_of(problem, wanted, slice, true, context, first_only);
}

bool can_be_laid_out(const Problem& problem, const Request& wanted) {
  auto chain = search::Chain::of(problem);
  if (!chain) return false;
  WhaleCosts costs(*chain, true);
  return !layouts_of(costs, wanted.layouts, true).empty();
}

Result<Ranking> no_plan(const Problem& problem, const Request& wanted, int slice, const PlannerContext& context) {
  const auto any = [&](const Problem& other, const Request& how, int fewer) -> Result<bool> {
    TRY(const auto found, candidates_of(other, how, fewer, context, true));
    return !found.empty();
  };
  Request unlimited = wanted;
  unlimited.ignore_memory = true;
  TRY(const auto whole, any(problem, unlimited, slice));
  const int layers = static_cast<int>(problem.profile->layers.size());
  if (layers > max_layers_unlike && !wanted.layouts.replicas_together)
    return problem_too_large(fmt::format("{} layers cut between unlike copies, {} at most", layers, max_layers_unlike),
                             problem, "--placement replicas");
  if (whole) {
    const std::string reason =
        "no layout of TaskGraphs that was asked for fits its devices with any of the micro-batches";
    if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
    return infeasible_by_memory(reason, context,
                                [&](Bytes more) { return any(with_more_memory(problem, more), wanted, slice); });
  }
  if (!can_be_laid_out(problem, wanted))
    return Ranking{{},
                   Infeasible{"these layers and devices cannot be made into TaskGraphs as asked for (a layer is split "
                              "only where the profile has times for it)",
                              ""}};
  const std::string reason =
      "no layout of TaskGraphs that was asked for gives every replica as many samples as were measured";
  TRY(const auto single, any(problem, unlimited, 1));
  if (!single) return Ranking{{}, Infeasible{reason, larger_batch_hint(problem.workload)}};
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  return infeasible_by_samples(reason, problem.workload, slice, [&](int fewer) { return any(problem, wanted, fewer); });
}

/// Simulates the best candidates by the closed form and ranks them.
Result<Ranking> simulated(std::vector<Candidate> candidates, const Request& wanted, const PlannerContext& context) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.estimate < b.estimate; });
  const std::size_t most = std::min(candidates.size(), max_simulated(wanted, context));
  std::vector<ScoredPlan> judged;
  for (std::size_t i = 0; i < most; ++i) {
    TRY_VOID(check_stop(context));
    if (!judged.empty() && deadline_expired(context)) break;
    report(context.progress, 0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(most), "simulating");
    TRY(const auto iteration, judge(context, candidates[i].plan));
    judged.push_back({std::move(candidates[i].plan), iteration});
  }
  report(context.progress, 1, "done");
  return ranked(std::move(judged), context);
}

Result<Ranking> plan_whale(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const Request wanted = wanted_of(table().read(options));
  const int slice = search::min_replica_samples(*problem.profile, wanted.min_slice);
  TRY(auto candidates, candidates_of(problem, wanted, slice, context));
  if (candidates.empty()) return no_plan(problem, wanted, slice, context);
  auto ranking = simulated(std::move(candidates), wanted, context);
  if (ranking && deadline_expired(context))
    for (Plan& plan : ranking->plans) plan.truncated = true, plan.certificate.reset();
  return ranking;
}

}  // namespace

PlannerInfo whale_planner() {
  return {.name = "whale",
          .title = "Whale",
          .summary = "replicate, pipeline or split, samples and layers shared out by what unlike devices do",
          .source = "Jia et al., Whale: Efficient Giant Model Training over Heterogeneous GPUs, USENIX ATC 2022",
          .options = table().infos(),
          .plan = &plan_whale,
          .objective = {.compute = &objective_in_time<whale_objective>,
                        .text = &whale_objective_text,
                        .options = &evaluate_options<table>},
          .compared_by_default = true,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true}};
}

}  // namespace pipedeck::planner::whale
