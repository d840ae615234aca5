// SPDX-License-Identifier: Apache-2.0
// The interface of planners: pure functions from a problem to a ranking of plans. The registry lists them. The command
// line, the dialogs and the documentation are generated from their option tables.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"
#include "core/planner/evaluation/evaluation.hpp"

namespace pipedeck::planner {

/// A reason for the lack of a plan, and the least change that would give one ("2.1 GiB more memory on every device").
struct Infeasible {
  std::string reason;
  std::string relaxation;
  bool too_large =
      false;  ///< past the planner's documented size limit; `relaxation` names a planner without that limit
  bool out_of_time = false;  ///< the deadline came before the first plan: there may be plans
  bool operator==(const Infeasible&) const = default;
};

/// A list of plans, best first. Empty exactly if `infeasible` is set.
struct Ranking {
  std::vector<Plan> plans;
  std::optional<Infeasible> infeasible;
};

/// A type of option. flag: true/false; integer; choice: one of `choices`.
enum class OptionType { flag, integer, choice };

/// A description of an option.
struct OptionInfo {
  std::string name;  ///< without dashes: "ignore-memory"
  OptionType type = OptionType::flag;
  std::string help;
  std::string default_value;         ///< as text; "false" for flags
  std::vector<std::string> choices;  ///< of a choice
};

/// The given options by name, as text; checked against the planner's table by `check_options`.
using PlannerOptions = std::map<std::string, std::string>;

/// A function that returns a plan's simulated iteration time with the problem's conventions, or with another overlap of
/// all-reduces; or `cancelled` on a stop. Thread-safe. core/sim's score_of creates one.
using Score = std::function<Result<Seconds>(const Plan&, std::optional<Overlap>, std::stop_token)>;

/// A context of a planner's run: simulator, limits and output.
struct PlannerContext {
  Score score;
  /// Returns true if the simulated plan stays within every device's memory. Absent: unknown.
  std::function<Result<bool>(const Plan&, std::stop_token)> fits{};
  std::stop_token stop;
  /// Requested during the run: the planner returns the best plan so far, marked `truncated`. Without any plan it is
  /// stopped, and run_planner answers `out_of_time`. Requested before the run: the planner returns its first plan.
  std::stop_token deadline_token{};
  Seconds budget{};  ///< until the deadline, for the reason of `out_of_time`; 0: unknown
  /// Ends simulations: the stop, and the deadline even if there is a plan. run_planner sets it; else `stop` counts.
  std::stop_token simulation_stop{};
  /// Planners call it with their first plan (`note_plan`). run_planner sets it.
  std::function<void()> found_plan{};
  Progress progress;
  int threads = 1;       ///< changes the speed, not the answer
  int top = 1;           ///< maximum number of plans
  bool explain = false;  ///< fill Plan::rationale, which simulates the plan's neighbours
  bool relax = true;     ///< if no plan fits, find relaxations (which plans again, several times)
};

using PlanFunction = std::function<Result<Ranking>(const Problem&, const PlannerOptions&, const PlannerContext&)>;

/// The kinds of pins (Problem::pins) that a planner supports; run_planner refuses the others.
struct PinSupport {
  bool stages = false, max_stages = false, replicas = false, tensor_parallel = false, layers = false;
};

/// A planner's second opinion. It computes the objective from its definition and shares no table with the search.
struct ObjectiveInfo {
  /// Returns the objective of a plan. Empty if the planner minimises the simulated time, which the simulator checks.
  Result<std::optional<Objective>> (*compute)(const evaluation::Evaluation& e) = nullptr;
  /// Returns each term of the objective with its value, in a sentence or two; null if there are no terms.
  std::string (*text)(const evaluation::Evaluation& e) = nullptr;
  /// Returns the variants that the planner's options ask for.
  evaluation::EvaluateOptions (*options)(const PlannerOptions& given) = nullptr;
};

/// A planner's typical search time. `compare` begins quick searches first. Studies of many clusters do not ask slow
/// planners by default.
enum class SearchTime { quick, moderate, slow };

/// An entry of the registry.
struct PlannerInfo {
  std::string name;     ///< "dapple"
  std::string title;    ///< "DAPPLE"
  std::string summary;  ///< one line
  std::string source;   ///< the paper
  std::vector<OptionInfo> options;
  PlanFunction plan{};
  ObjectiveInfo objective{};
  bool compared_by_default = false;  ///< among the planners of `compare` by default
  bool changes_training = false;     ///< its plans are asynchronous: updates use gradients of older weights
  SearchTime search_time = SearchTime::quick;
  PinSupport pins{};
  bool of_transformers = false;  ///< for profiles computed from one; its answer without a plan is complete
  bool trains_adapters = false;  ///< its plans have Workload::adapters
  bool external = false;         ///< a program of the user: its errors are its answer
  int choices = 1;               ///< plans of its short list at most, each with its merits (Plan::merits)
  bool plain_choice = false;     ///< stands next to answers in comparisons; neither studies nor `joint` ask it
};

/// Returns all planners in the order of docs/planners.md: ours, the papers', the plain choices, then the baselines.
const std::vector<PlannerInfo>& planners();
/// Returns the planner of this name, or the program of "exec:PROGRAM" as a planner (planner_entries.hpp).
/// Returns bad_usage for an unknown name and lists the known ones.
Result<const PlannerInfo*> find_planner(const std::string& name);

/// Checks the options. Returns bad_usage for unknown names and malformed values.
Result<void> check_options(const PlannerInfo& planner, const PlannerOptions& options);

/// Evaluates a plan of `planner` independently. Returns an internal error that names a value that differs: "objective:
/// planner 12.5 ms, evaluation 12.7 ms"; or `cancelled`.
Result<void> evaluate(const PlannerInfo& planner, const Problem& problem, const Plan& plan,
                      const evaluation::EvaluateOptions& options = {});
/// Returns each term of the plan's objective with its value; empty if the objective has no terms.
Result<std::string> objective_text(const PlannerInfo& planner, const Problem& problem, const Plan& plan,
                                   const evaluation::EvaluateOptions& options = {});

/// Checks options and pins, runs the planner, and evaluates each plan independently (`evaluate`). Returns an
/// internal error for a wrong plan. The command line and the window call this function.
Result<Ranking> run_planner(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options,
                            const PlannerContext& context);

/// Runs `single` without memory limits and pins: the reference of all speed-ups. A micro-batch below the measured ones
/// is used only if the workload allows no other.
Result<Ranking> rank_one_device(const Problem& problem, const PlannerContext& context);

}  // namespace pipedeck::planner
