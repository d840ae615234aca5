// SPDX-License-Identifier: Apache-2.0
// What every planner is: a pure function from a problem to a ranking of plans. The registry lists them; the option
// tables make the command line, the dialogs and the documentation.
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

namespace pipedeck::planner {

/// Why there is no plan, and the least change that would give one ("2.1 GiB more memory on every device").
struct Infeasible {
  std::string reason;
  std::string relaxation;
  bool too_large = false;  ///< past the planner's stated limit of size; `relaxation` names a planner that takes it
  bool operator==(const Infeasible&) const = default;
};

/// Best first. Empty exactly when `infeasible` is set.
struct Ranking {
  std::vector<Plan> plans;
  std::optional<Infeasible> infeasible;
};

/// flag: true/false; integer; choice: one of `choices`.
enum class OptionType { flag, integer, choice };

struct OptionInfo {
  std::string name;  ///< without dashes: "ignore-memory"
  OptionType type = OptionType::flag;
  std::string help;
  std::string default_value;         ///< as text; "false" for flags
  std::vector<std::string> choices;  ///< of a choice
};

/// Given options by name, as text; checked against the planner's table by `check_options`.
using PlannerOptions = std::map<std::string, std::string>;

/// Simulated iteration time of a plan under the problem's conventions, or with another overlap of all-reduces; safe to
/// call from several threads. core/sim's score_of makes one.
using Score = std::function<Result<Seconds>(const Plan&, std::optional<Overlap>)>;

struct PlannerContext {
  Score score;
  /// Does the simulated plan stay within every device's memory? Absent: not known.
  std::function<Result<bool>(const Plan&)> fits{};
  std::stop_token stop;
  std::stop_token hurry{};  ///< requested: answer with the best plan so far, marked `truncated`
  Progress progress;
  int threads = 1;       ///< changes speed, never the answer
  int top = 1;           ///< at most this many plans are wanted
  bool explain = false;  ///< fill Plan::why, which simulates the plan's neighbours
  bool relax = true;     ///< say what would help where nothing fits (which plans again, several times)
};

using PlanFunction = Result<Ranking> (*)(const Problem&, const PlannerOptions&, const PlannerContext&);

/// Kinds of pins (Problem::pins) that a planner honours; run_planner refuses the others.
struct PinSupport {
  bool stages = false, max_stages = false, replicas = false, tensor_parallel = false, layers = false;
};

struct PlannerInfo {
  std::string name;     ///< "dapple"
  std::string title;    ///< "DAPPLE"
  std::string summary;  ///< one line
  std::string source;   ///< the paper
  std::vector<OptionInfo> options;
  PlanFunction plan = nullptr;
  bool compared_by_default = false;  ///< among those `compare` runs when none is named
  PinSupport pins{};
};

/// In the order of docs/planners.md: the papers' planners, ours, then the baselines.
const std::vector<PlannerInfo>& planners();
/// bad_usage for an unknown name, listing the known ones.
Result<const PlannerInfo*> planner_named(const std::string& name);

/// Unknown names and malformed values are bad_usage.
Result<void> check_options(const PlannerInfo& planner, const PlannerOptions& options);
/// Typed access, falling back to the table's default.
bool flag(const PlannerInfo& planner, const PlannerOptions& options, const std::string& name);
int integer(const PlannerInfo& planner, const PlannerOptions& options, const std::string& name);
std::string choice(const PlannerInfo& planner, const PlannerOptions& options, const std::string& name);

/// Checks options, runs the planner, evaluates each answer independently (core/cost/evaluate) and withholds a wrong one
/// with an internal error. This is what command line and window call.
Result<Ranking> run_planner(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options,
                            const PlannerContext& context);

/// `single` with memory left aside: what every speed-up is measured against. A micro-batch below what was measured is
/// taken only where the workload allows no other.
Result<Ranking> rank_one_device(const Problem& problem, const PlannerContext& context);

}  // namespace pipedeck::planner
