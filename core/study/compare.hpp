// SPDX-License-Identifier: Apache-2.0
// The comparison: all chosen planners solve the same problem, and the same simulator evaluates all plans.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/study/plan_simulator.hpp"
#include "core/study/planner_request.hpp"

namespace pipedeck::study {

/// A result of one planner: a simulated plan, or the reason for none.
struct ComparedPlan {
  const planner::PlannerInfo* planner = nullptr;
  std::optional<SimulatedPlan> simulated_plan{};    ///< `truncated` if the time budget ended the search
  std::optional<planner::Infeasible> infeasible{};  ///< no plan fits
  std::optional<Error> error{};                     ///< the planner failed; `cancelled`: it had not answered yet
  bool out_of_time = false;                         ///< no plan was found within the budget
  /// The other plans of the planner's short list, in its order, each with its merits. None is the same as
  /// `simulated_plan`.
  std::vector<SimulatedPlan> alternatives{};
};

struct Comparison {
  std::vector<ComparedPlan> plans;  ///< in the order of the planners
  ProblemBounds facts;
  Seconds duration;  ///< wall clock
  bool cancelled = false;
};

/// A view of the planners while they search, and the requests of the user. Thread-safe.
class Searches {
 public:
  enum class State { waiting, running, answered };
  /// A search of one planner.
  struct Status {
    State state = State::waiting;
    Seconds elapsed;                  ///< since it began
    std::optional<Seconds> budget{};  ///< absent: unlimited
    /// The least simulated time of the plans that the planner has seen so far and that fit, and that plan.
    std::optional<Seconds> best{};
    Plan best_plan{};
  };
  /// Returns the searches in the order of the planners; empty before `compare` begins.
  std::vector<Status> statuses() const;
  /// Ends the search of the planner at `place`: it answers with its best plan so far.
  void keep_best(std::size_t place);
  /// Sets the time budget of a planner that has not answered yet, from the begin of its search.
  void set_budget(std::size_t place, Seconds budget);

 private:
  friend class Supervisor;
  using Clock = std::chrono::steady_clock;
  struct Search {
    Status status;
    std::optional<Clock::time_point> begin;
  };
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Search> searches_;
};

inline constexpr Seconds default_budget{10};  ///< of a planner

struct CompareOptions {
  int threads = 1;       ///< changes the speed, never an answer within the budget
  bool explain = false;  ///< writes reasons into `Plan::rationale`
  /// Time budget per planner, by wall clock: then it answers with its best plan so far. Absent: unlimited.
  std::optional<Seconds> budget{};
  Searches* searches = nullptr;  ///< follows the planners, and takes requests
  /// Plans that the same requests found before, by planner: no answer is slower, unless it needs less memory and the
  /// planner minimises that. A plan of another question is left aside.
  std::map<const planner::PlannerInfo*, Plan> earlier{};
  /// Changes a planner's best plan before it is simulated, for instance its schedule. An error counts as no plan.
  std::function<Result<Plan>(Plan)> arrange{};
  /// Receives each answer as it comes, with its place in the list of planners: on the caller's thread.
  std::function<void(std::size_t, const ComparedPlan&)> answered{};
};

/// Runs the planners side by side: `threads` at a time, and more while some take long, so that a slow planner holds
/// back no other. An error concerns the problem itself (a disconnected cluster). A failure of one planner is in its
/// entry. A stop keeps the answers that are there.
Result<Comparison> compare(const Problem& problem, const std::vector<PlannerRequest>& planners,
                           PlanSimulator& plan_simulator, const CompareOptions& options, const Progress& progress,
                           std::stop_token stop);

/// Returns the fastest plan that fits into memory, or else the fastest plan. Empty without plans.
Result<std::optional<SimulatedPlan>> fastest(PlanSimulator& plan_simulator, const Problem& problem,
                                             std::vector<Plan> plans, std::stop_token stop);

/// Returns what the bound of a plan in several dimensions counts, as a sentence.
std::string mesh_bound_text();

/// Returns "PLANNER has no plan: REASON; smallest relaxation: ..." as an error.
Error no_plan_fits(const std::string& planner, const planner::Infeasible& infeasible);

}  // namespace pipedeck::study
