// SPDX-License-Identifier: Apache-2.0
// AMP (Li et al., NeurIPS 2022), Algorithm 1. For all degrees (pp, dp, tmp), all micro-batch sizes and Megatron's
// placement, it finds the layer assignment of least estimated time, eq. 3-5 (section 3.4):
//   T = max over the dp pipelines of T^pp + max over devices of T^dpsync,
//   T^pp = (gas - 1) max t_i + sum e_i + sum t_i.
// Deviations:
// - e_i is the activation and the gradient back with the path's latency each way. The printed v / b, one way
//   (--printed-objective), is 17 % below the simulated time at gas = 1.
// - t_i and e_i are those of the pipeline's own devices and links. Types are not averaged, and the slowest link of a
//   ring counts instead of its last one. (The authors' program does the opposite in both.)
// - The assignment is the optimum of eq. 4, including gradient synchronisation. The paper's programme minimises eq. 5
//   first, which gives another assignment in over half of random cases (assignment.hpp).
// - Memory counts: one micro-batch at a time must fit on every stage, and the warm-up is shortened to fit.
// The answer is the strategy of least T, as in the paper without trial runs. --rank-by simulated simulates the best
// strategies instead of running them. That is also done if the strategy of least T recomputes, whose time T leaves out.
// A list has each strategy once.
#include <algorithm>

#include <fmt/format.h>

#include "core/planner/amp/answer.hpp"
#include "core/planner/amp/evaluate.hpp"
#include "core/planner/planner_entries.hpp"

namespace pipedeck::planner::amp {

namespace {

class AmpSearch {
 public:
  AmpSearch(search::Chain& chain, const Options& options, const PlannerContext& context)
      : costs_(chain, options), context_(context) {}

  /// The wanted number of strategies of least T, best first. A second run, for more of them, has the bounds of the
  /// first.
  Result<void> run(const std::vector<Strategy>& strategies, std::size_t wanted) {
    best.clear();
    wanted_ = wanted, proven = true, effort_ = amp_effort;
    if (!bounded_) TRY_VOID(bound(strategies));
    bounded_ = true;
    for (std::size_t i = 0; i < open_.size() && open_[i].bound < below(); ++i) {
      report(context_.progress, 0.2 + 0.7 * static_cast<double>(i) / static_cast<double>(open_.size()),
             fmt::format("assigning layers to {} stages", open_[i].strategy.stages));
      TRY_VOID(check_stop(context_));
      if (deadline_expired(context_) && !best.empty()) {
        truncated = true;
        break;
      }
      TRY_VOID(assign(open_[i].strategy));
    }
    return {};
  }

  std::vector<Candidate> best;
  bool truncated = false;
  bool proven = true;  ///< of every strategy: all its other assignments are no better than the worst of these

 private:
  struct Open {
    double bound;
    Strategy strategy;
  };

  double below() const {
    return best.size() < wanted_ ? std::numeric_limits<double>::infinity() : best.back().assignment.time;
  }

  /// In the order of their bounds, so that most need no search.
  Result<void> bound(const std::vector<Strategy>& strategies) {
    for (const Strategy& strategy : strategies) {
      TRY_VOID(check_stop(context_));
      if (deadline_expired(context_) && !open_.empty()) {
        truncated = true;
        break;
      }
      const Task task = costs_.task(strategy, megatron_placement(strategy));
      const Assigner assigner(task, context_.stop, context_.deadline_token, !open_.empty());
      if (assigner.possible())
        open_.push_back({assigner.lower_bound(), strategy});
      else
        truncated |= deadline_expired(context_);  // the search may have ended early
    }
    std::stable_sort(open_.begin(), open_.end(), [](const Open& a, const Open& b) { return a.bound < b.bound; });
    return {};
  }

  Result<void> assign(const Strategy& strategy) {
    const Placement placement = megatron_placement(strategy);
    const Task task = costs_.task(strategy, placement);
    Assigner assigner(task, context_.stop, context_.deadline_token, !best.empty());
    const auto outcome = assigner.search(below(), effort_);
    if (outcome == Assigner::Outcome::stopped) return check_stop(context_);
    truncated |= outcome == Assigner::Outcome::deadline;
    proven &= outcome == Assigner::Outcome::proven;
    if (!assigner.best()) return {};
    note_plan(context_);
    const auto after = std::find_if(best.begin(), best.end(), [&](const Candidate& other) {
      return other.assignment.time > assigner.best()->time;
    });
    best.insert(after, {strategy, placement, *assigner.best(), outcome == Assigner::Outcome::proven});
    if (best.size() > wanted_) best.pop_back();
    return {};
  }

  AmpCosts costs_;
  const PlannerContext& context_;
  std::size_t wanted_ = 1;
  bool bounded_ = false;
  std::vector<Open> open_;
  std::size_t effort_ = amp_effort;
};

std::string space_text(const search::Chain& chain, const Options& options) {
  const Workload& workload = chain.workload();
  const std::string sizes = workload.micro_batch
                                ? fmt::format("micro-batch {}", *workload.micro_batch)
                                : fmt::format("every micro-batch of {} or more samples per replica", options.slice);
  return fmt::format(
      "pp x dp x tmp on {} devices, {}, Megatron's placement, all layer assignments{}",
      options.allow_idle ? fmt::format("at most {}", chain.devices()) : fmt::format("all {}", chain.devices()), sizes,
      measure_text(chain, options));
}

const OptionTable<Given>& table() {
  static const OptionTable<Given> rows =
      option_table({flag_option("allow-idle", &Given::allow_idle, "plans that leave devices idle, too")});
  return rows;
}

Result<Ranking> plan_amp(const Problem& problem, const PlannerOptions& asked, const PlannerContext& context) {
  const Given given = table().read(asked);
  Options options = amp_options(given, *problem.profile);
  options.allow_idle = given.allow_idle;
  TRY(auto chain, search::Chain::of(problem));
  if (auto none = too_large(chain)) return Ranking{{}, *std::move(none)};
  TRY(const auto strategies, amp_strategies(chain, options));

  AmpSearch search(chain, options, context);
  const auto best_of = [&](std::size_t wanted, bool simulated) -> Result<Ranking> {
    TRY_VOID(search.run(strategies, wanted));
    if (search.best.empty()) return amp_no_plan(problem, options, context);
    Answer answer{"amp", options, simulated, search.truncated, std::move(search.best), {}};
    answer.optimal_in = [&](const Candidate& candidate, bool first) {
      if (first && search.proven) return space_text(chain, options);
      return candidate.proven ? assignments_text(chain, candidate.strategy, options) : std::string();
    };
    return ranking(chain, std::move(answer), context);
  };
  const std::size_t wanted = amp_wanted(given, context);
  auto answer = best_of(wanted, given.simulated.value_or(false));
  return needs_trials(answer, given, context) ? best_of(std::max(wanted, amp_trials), true) : answer;
}

}  // namespace

PlannerInfo amp_planner() {
  return {
      .name = "amp",
      .title = "AMP",
      .summary = "pipeline, data and tensor degrees, micro-batch and layer assignment of least estimated time",
      .source =
          "Li et al., AMP: Automatically Finding Model Parallel Strategies with Heterogeneity Awareness, NeurIPS 2022",
      .options = table().infos(),
      .plan = &plan_amp,
      .objective = {.compute = &objective_in_time<amp_objective>,
                    .text = &amp_objective_text,
                    .options = &evaluate_options<table>},
      .compared_by_default = true,
      .search_time = SearchTime::moderate,
      .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true}};
}

}  // namespace pipedeck::planner::amp
