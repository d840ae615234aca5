// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/judge.hpp"

#include <fmt/format.h>

#include "app/cli/text/table.hpp"
#include "core/cost/lower_bound.hpp"
#include "core/io/files.hpp"
#include "core/study/judge.hpp"

namespace pipedeck::cli::work {

Judge::Judge(Problem problem, sim::Simulator simulator, Seconds lower_bound)
    : problem_(std::move(problem)),
      simulator_(std::move(simulator)),
      lower_bound_(lower_bound),
      profile_sha256_(io::sha256_of(*problem_.profile)),
      cluster_sha256_(io::sha256_of(*problem_.cluster)) {}

Result<Judge> Judge::of(Problem problem) {
  TRY(auto simulator, sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
  TRY(const auto bound, cost::lower_bound(problem));
  return Judge(std::move(problem), std::move(simulator), bound);
}

Result<JudgedPlan> Judge::judge(Plan plan, std::stop_token stop) const {
  TRY(auto simulation, simulator_.run(plan, stop));
  TRY(const auto other, other_warmup_time(simulator_, plan));
  TRY(const auto bound, cost::lower_bound_of(problem_, plan));
  plan = sim::with_prediction(std::move(plan), simulation, bound);
  plan.profile = problem_.profile->name;
  plan.cluster = problem_.cluster->name;
  plan.profile_sha256 = profile_sha256_;
  plan.cluster_sha256 = cluster_sha256_;
  return JudgedPlan{std::move(plan), std::move(simulation), other};
}

planner::PlannerContext Judge::context(int threads, int top, Progress progress, std::stop_token stop) const {
  planner::PlannerContext context = study::context_for(simulator_, std::move(stop));
  context.progress = std::move(progress);
  context.threads = threads;
  context.top = top;
  return context;
}

Result<Seconds> Judge::one_device_time(std::stop_token stop) const {
  TRY(const auto ranking, planner::rank_one_device(problem_, context(1, 1, Progress(), stop)));
  if (ranking.infeasible) return tl::unexpected(no_plan_fits("single", *ranking.infeasible));
  return simulator_.iteration_time(ranking.plans.front());
}

Error no_plan_fits(const std::string& planner, const planner::Infeasible& infeasible) {
  std::string message = fmt::format("{}: no plan fits: {}", planner, infeasible.reason);
  if (!infeasible.relaxation.empty()) message += "; smallest relaxation: " + infeasible.relaxation;
  return {ErrorCode::infeasible, std::move(message), {}, {}};
}

Result<std::optional<Seconds>> other_warmup_time(const sim::Simulator& simulator, const Plan& plan) {
  const auto other = with_other_warmup(plan);
  if (!other) return std::optional<Seconds>();
  TRY(const auto time, simulator.iteration_time(*other));
  return std::optional<Seconds>(time);
}

std::string schedule_text(const Plan& plan) {
  if (plan.schedule != ScheduleKind::one_f_one_b || plan.stages.size() < 2) return std::string(name_of(plan.schedule));
  return fmt::format("{} {}", name_of(plan.schedule), plan.warmup_counts ? "K" : name_of(plan.warmup));
}

std::string warmups_text(const Plan& plan, Seconds own, const std::optional<Seconds>& other) {
  if (!other) return "-";
  const bool is_a = plan.warmup == Warmup::A;
  return fmt::format("{:.1f} / {:.1f}", in_milliseconds(is_a ? own : *other), in_milliseconds(is_a ? *other : own));
}

}  // namespace pipedeck::cli::work
