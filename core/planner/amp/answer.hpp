// SPDX-License-Identifier: Apache-2.0
// Converts AMP's strategies with their assignments to plans, and finds the reason if there is no plan. Shared by amp
// and amp-sa.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/planner/amp/space.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::amp {

/// A strategy with its best assignment.
struct Candidate {
  Strategy strategy;
  Placement placement;
  Assignment assignment;
  bool proven = true;  ///< no assignment of the strategy has a lower T
};

/// A planner's result, and how to convert it to plans.
struct Answer {
  std::string planner;
  Options options;
  bool simulated = false;  ///< rank by simulation, not by T
  bool truncated = false;
  std::vector<Candidate> best;  ///< least T first
  /// In which space the candidate is the best; `first`: it is the first of the list.
  std::function<std::string(const Candidate&, bool first)> optimal_in;
};

/// The options of a request to either planner.
struct Given {
  std::optional<bool> simulated{};  ///< rank by simulation; absent: where T leaves recomputation out
  bool ignore_memory = false, printed = false;
  int simulations = 64, min_slice = 0;
  bool allow_idle = false;        ///< amp's
  int seed = 1, evaluations = 0;  ///< amp-sa's
};

/// Returns plans with eq. 4 as their objective. Each has the warm-up policy that simulates best, since eq. 4 is equal
/// for both; policy A if the context has no score.
Result<Ranking> ranking(search::Chain& chain, Answer answer, const PlannerContext& context);

/// Strategies of least T to simulate where T misses recomputation, as the paper runs its top ten (Algorithm 1).
inline constexpr std::size_t amp_trials = 10;
/// Returns true if the order by T should be checked by simulation: the best plan recomputes, which T leaves out.
bool needs_trials(const Result<Ranking>& answer, const Given& given, const PlannerContext& context);

/// "pp 4, dp 2, tmp 1".
std::string degrees_text(const Strategy& strategy);
/// "layer assignments of pp 4, dp 2, tmp 1 and micro-batch 8 in this placement that fit: by T, eq. 4".
std::string assignments_text(const search::Chain& chain, const Strategy& strategy, const Options& options);
/// "that fit and keep the pins: by T, eq. 4", as far as memory and pins count.
std::string measure_text(const search::Chain& chain, const Options& options);

/// Past these the search takes minutes or more memory than there is.
std::optional<Infeasible> too_large(const search::Chain& chain);

/// Limit of prefix comparisons over all assignments of a search; takes a few seconds.
inline constexpr std::size_t amp_effort = 400000000;

/// Why nothing was found: too few samples, pins, memory. `annealed`: amp-sa's own word on whether it would find a plan
/// of a problem; its placements are others, and it always uses all devices.
Result<Ranking> amp_no_plan(const Problem& problem, const Options& options, const PlannerContext& context,
                            const std::function<Result<bool>(const Problem&)>& annealed = {});

/// Returns the options that both planners have, and then `more`.
OptionTable<Given> option_table(std::vector<OptionRow<Given>> more);
Options amp_options(const Given& given, const Profile& profile);
/// Strategies to keep: what is wanted, or with --rank-by simulated what is to be simulated.
std::size_t amp_wanted(const Given& given, const PlannerContext& context);

}  // namespace pipedeck::planner::amp
