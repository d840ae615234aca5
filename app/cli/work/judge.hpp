// SPDX-License-Identifier: Apache-2.0
// Runs planners on one question and has every answer simulated, so that plans of different papers compare.
#pragma once

#include <optional>
#include <stop_token>

#include "core/model/simulation.hpp"
#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::cli::work {

struct JudgedPlan {
  Plan plan;  ///< with prediction and checksums
  Simulation simulation;
  std::optional<Seconds> other_warmup;  ///< the same plan with 1F1B's other warm-up policy; pipelines only
};

class Judge {
 public:
  static Result<Judge> of(Problem problem);

  Result<JudgedPlan> judge(Plan plan, std::stop_token stop) const;
  /// Returns a planner's context: this problem's simulator as the score.
  planner::PlannerContext context(int threads, int top, Progress progress, std::stop_token stop) const;
  /// One iteration of the whole model on the quickest device, memory left aside.
  Result<Seconds> one_device_time(std::stop_token stop) const;

  const Problem& problem() const { return problem_; }
  const sim::Simulator& simulator() const { return simulator_; }
  /// For synchronous plans; asynchronous ones have a bound of their own.
  Seconds lower_bound() const { return lower_bound_; }

 private:
  Judge(Problem problem, sim::Simulator simulator, Seconds lower_bound);

  Problem problem_;
  sim::Simulator simulator_;
  Seconds lower_bound_;
  std::string profile_sha256_, cluster_sha256_;
};

/// "no plan fits: REASON; smallest relaxation: ..." as an error of exit status 3.
Error no_plan_fits(const std::string& planner, const planner::Infeasible& infeasible);

/// The iteration time with the other of 1F1B's two warm-ups; nothing for other schedules and single stages.
Result<std::optional<Seconds>> other_warmup_time(const sim::Simulator& simulator, const Plan& plan);

/// "1f1b A", "gpipe": the schedule with the warm-up where it has one.
std::string schedule_text(const Plan& plan);
/// "922.0 / 837.1": iteration milliseconds with warm-up A and with B; "-" where there is no other.
std::string warmups_text(const Plan& plan, Seconds own, const std::optional<Seconds>& other);

}  // namespace pipedeck::cli::work
