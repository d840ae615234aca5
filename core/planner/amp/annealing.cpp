// SPDX-License-Identifier: Apache-2.0
// AMP's randomised procedure (Li et al., NeurIPS 2022, section 6.3, Algorithm 2): simulated annealing over degrees,
// micro-batch sizes and placements, each with its optimal layer assignment. A step varies tmp or dp, and draws a
// micro-batch and a domino tiling (tiling.hpp). It is accepted with the probability e^(min(cost - next, 0) / t).
// Open points of the paper, and deviations:
// - Costs are relative to the current one, so that a temperature has one meaning for milliseconds and for minutes. It
//   falls from 1 to 1/1000 in equal ratios.
// - A coin decides between tmp and dp; the paper compares a normal variate with 0.5.
// - The assignment is that of the next strategy (printed: of the current one).
// - Degrees without a tiling of the mesh use Megatron's placement, as does the first strategy.
// - The answer is the best of all evaluated strategies.
// Equal seeds give equal answers on every machine.
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/random.hpp"
#include "core/planner/amp/answer.hpp"
#include "core/planner/amp/evaluate.hpp"
#include "core/planner/amp/tiling.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/relax.hpp"

namespace pipedeck::planner::amp {

namespace {

class Annealing {
 public:
  Annealing(search::Chain& chain, const Options& options, const std::vector<Strategy>& strategies, int seed,
            const PlannerContext& context)
      : chain_(chain),
        costs_(chain, options),
        strategies_(strategies),
        draws_(static_cast<std::uint64_t>(seed)),
        context_(context) {}

  /// All that was evaluated and fits, least T first.
  Result<std::vector<Candidate>> run(int evaluations) {
    const Mesh mesh = amp_mesh(chain_.network());
    const auto coin = [&] { return draws_.coin(); };
    Strategy current = draws_.any_of(strategies_);
    auto cost = estimate(current, megatron_placement(current));
    for (int i = 1; i < evaluations && cost; ++i) {
      if (deadline_expired(context_) && !found_.empty()) {
        truncated = true;
        break;
      }
      report(context_.progress, 0.9 * i / evaluations, "annealing");
      const double temperature = std::pow(1e-3, static_cast<double>(i) / evaluations);
      const Strategy next = neighbour(current);
      const auto tiling = random_tiling(mesh, next, coin);
      const auto next_cost = estimate(next, tiling.value_or(megatron_placement(next)));
      if (!next_cost) return tl::unexpected(next_cost.error());
      if (accepted(*cost, *next_cost, temperature)) current = next, cost = next_cost;
    }
    if (!cost) return tl::unexpected(cost.error());
    // Few strategies fit, and the procedure may have missed them.
    for (std::size_t i = 0; i < strategies_.size() && found_.empty(); ++i)
      TRY_VOID(estimate(strategies_[i], megatron_placement(strategies_[i])));
    return ordered();
  }

  bool truncated = false;

 private:
  /// T; infinite where nothing fits.
  Result<double> estimate(const Strategy& strategy, const Placement& placement) {
    TRY_VOID(check_stop(context_));
    const auto [known, added] = known_.try_emplace({strategy, placement}, std::numeric_limits<double>::infinity());
    if (!added) return known->second;
    const Task task = costs_.task(strategy, placement);
    Assigner assigner(task, context_.stop, context_.deadline_token, !found_.empty());
    const auto outcome = assigner.search(known->second, effort_);
    if (outcome == Assigner::Outcome::stopped) return fail(ErrorCode::cancelled, "planning was cancelled");
    truncated |= outcome == Assigner::Outcome::deadline;
    if (!assigner.best()) return known->second;
    note_plan(context_);
    found_.push_back({strategy, placement, *assigner.best(), outcome == Assigner::Outcome::proven});
    return known->second = assigner.best()->time;
  }

  Strategy neighbour(const Strategy& current) {
    const bool vary_tensor = draws_.coin();
    std::set<std::pair<int, int>> degrees;  // dp, tmp
    for (const Strategy& other : strategies_)
      if (vary_tensor ? other.replicas == current.replicas : other.tensor_parallel == current.tensor_parallel)
        degrees.insert({other.replicas, other.tensor_parallel});
    const auto chosen = draws_.any_of(degrees);
    std::vector<Strategy> sizes;
    for (const Strategy& other : strategies_)
      if (std::pair(other.replicas, other.tensor_parallel) == chosen) sizes.push_back(other);
    return draws_.any_of(sizes);
  }

  bool accepted(double cost, double next, double temperature) {
    const double draw = draws_.uniform();  // drawn always, so that later draws do not depend on the condition
    if (std::isinf(cost)) return true;
    if (std::isinf(next)) return false;
    return draw < std::exp(std::min(cost - next, 0.0) / cost / temperature);
  }

  std::vector<Candidate> ordered() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.assignment.time < b.assignment.time; });
    return std::move(found_);
  }

  search::Chain& chain_;
  AmpCosts costs_;
  const std::vector<Strategy>& strategies_;
  Random draws_;
  const PlannerContext& context_;
  std::map<std::pair<Strategy, Placement>, double> known_;
  std::vector<Candidate> found_;
  std::size_t effort_ = amp_effort;
};

/// As many as asked for; by default 500, and fewer where each assignment takes longer than a millisecond or so.
int evaluations_of(const search::Chain& chain, int asked) {
  if (asked > 0) return asked;
  constexpr double most = 500, least = 20, usual = 250000;  // boundaries of one assignment
  double cuts = 1;
  for (int stages = 1; stages <= std::min(chain.layers(), chain.devices()); ++stages)
    cuts = std::max(cuts, 0.5 * stages * std::pow(chain.layers() - stages, 2));
  return static_cast<int>(std::clamp(most * usual / cuts, least, most));
}

const OptionTable<Given>& annealing_table() {
  static const OptionTable<Given> rows = option_table(
      {integer_option("seed", &Given::seed, "of the random draws: the same seed, the same answer"),
       integer_option("evaluations", &Given::evaluations, "strategies to draw; 0: 500, fewer in large problems")});
  return rows;
}

Result<bool> any_annealed(const Problem& problem, const Given& given, const PlannerContext& context) {
  const Options options = amp_options(given, *problem.profile);
  TRY(auto chain, search::Chain::of(problem));
  TRY(const auto strategies, amp_strategies(chain, options));
  if (strategies.empty()) return false;
  const PlannerContext first = first_plan_context(context);
  TRY(const auto found,
      Annealing(chain, options, strategies, given.seed, first).run(evaluations_of(chain, given.evaluations)));
  return !found.empty();
}

Result<Ranking> plan_amp_sa(const Problem& problem, const PlannerOptions& asked, const PlannerContext& context) {
  const Given given = annealing_table().read(asked);
  const Options options = amp_options(given, *problem.profile);
  TRY(auto chain, search::Chain::of(problem));
  if (auto none = too_large(chain)) return Ranking{{}, *std::move(none)};
  TRY(const auto strategies, amp_strategies(chain, options));
  const auto no_plan = [&] {
    return amp_no_plan(problem, options, context,
                       [&](const Problem& relaxed) { return any_annealed(relaxed, given, context); });
  };
  if (strategies.empty()) return no_plan();

  Annealing annealing(chain, options, strategies, given.seed, context);
  TRY(const auto found, annealing.run(evaluations_of(chain, given.evaluations)));
  if (found.empty()) return no_plan();
  const auto best_of = [&](std::size_t wanted, bool simulated) {
    std::vector<Candidate> best(found.begin(),
                                found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), wanted)));
    Answer answer{"amp-sa", options, simulated, annealing.truncated, std::move(best), {}};
    answer.optimal_in = [&](const Candidate& candidate, bool) {
      return candidate.proven ? assignments_text(chain, candidate.strategy, options) : std::string();
    };
    return ranking(chain, std::move(answer), context);
  };
  const std::size_t wanted = amp_wanted(given, context);
  auto answer = best_of(wanted, given.simulated.value_or(false));
  return needs_trials(answer, given, context) ? best_of(std::max(wanted, amp_trials), true) : answer;
}

}  // namespace

PlannerInfo amp_sa_planner() {
  return {.name = "amp-sa",
          .title = "AMP, annealed",
          .summary = "AMP's randomised procedure: placements as domino tilings, by simulated annealing",
          .source =
              "Li et al., AMP: Automatically Finding Model Parallel Strategies with Heterogeneity Awareness, NeurIPS "
              "2022, section 6.3",
          .options = annealing_table().infos(),
          .plan = &plan_amp_sa,
          .objective = {.compute = &objective_in_time<amp_objective>,
                        .text = &amp_objective_text,
                        .options = &evaluate_options<annealing_table>},
          .search_time = SearchTime::moderate,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true}};
}

}  // namespace pipedeck::planner::amp
