// SPDX-License-Identifier: Apache-2.0
#include "core/study/compare.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "core/base/parallel_for.hpp"

namespace pipedeck::study {

namespace {

/// A mean of the parts' progress, under one lock, since parts report from several threads.
class SharedProgress {
 public:
  SharedProgress(std::size_t parts, const Progress& progress) : done_(parts, 0.0), progress_(progress) {}

  void set(std::size_t part, double done, std::string_view what) {
    const std::lock_guard lock(mutex_);
    done_[part] = std::clamp(done, 0.0, 1.0);
    double sum = 0;
    for (const double d : done_) sum += d;
    report(progress_, sum / static_cast<double>(done_.size()), what);
  }

 private:
  std::mutex mutex_;
  std::vector<double> done_;
  const Progress& progress_;
};

/// Judges the best plan. An arrangement that is not possible counts as no plan.
Result<void> take_best(ComparedPlan& answer, Plan plan, const Problem& problem, PlanSimulator& plan_simulator,
                       const CompareOptions& options, const std::stop_token& stop) {
  if (options.arrange) {
    auto arranged = options.arrange(std::move(plan));
    if (!arranged) {
      answer.infeasible = planner::Infeasible{arranged.error().text(), {}};
      return {};
    }
    plan = *std::move(arranged);
  }
  TRY(auto simulated_plan, plan_simulator.simulate(problem, std::move(plan), stop));
  answer.simulated_plan = std::move(simulated_plan);
  return {};
}

Result<ComparedPlan> ask(const PlannerRequest& asked, const Problem& problem, PlanSimulator& plan_simulator,
                         const CompareOptions& options, const planner::PlannerContext& context) {
  TRY(auto ranking, planner::run_planner(*asked.planner, problem, asked.options, context));
  ComparedPlan answer{.planner = asked.planner, .infeasible = std::move(ranking.infeasible)};
  if (!ranking.plans.empty())
    TRY_VOID(take_best(answer, std::move(ranking.plans.front()), problem, plan_simulator, options, context.stop));
  return answer;
}

}  // namespace

Result<Comparison> compare(const Problem& problem, const std::vector<PlannerRequest>& planners,
                           PlanSimulator& plan_simulator, const CompareOptions& options, const Progress& progress,
                           std::stop_token stop) {
  const auto begin = std::chrono::steady_clock::now();
  TRY(const auto simulator, plan_simulator.simulator(problem));
  TRY(const auto facts, plan_simulator.facts(problem, stop));

  Comparison comparison;
  comparison.facts = facts;
  comparison.plans.resize(planners.size());
  SharedProgress shared(planners.size(), progress);
  std::mutex handing_over;
  parallel_for(planners.size(), options.threads, [&](std::size_t i) {
    if (stop.stop_requested()) return;
    const std::string title = planners[i].planner->title;
    planner::PlannerContext context = context_for(simulator, stop);
    context.explain = options.explain;
    context.threads = std::max(1, options.threads / static_cast<int>(planners.size()));
    context.progress = [&, i](double done, std::string_view what) {
      shared.set(i, done, title + (what.empty() ? "" : ": ") + std::string(what));
    };
    report(context.progress, 0, {});
    auto answer = ask(planners[i], problem, plan_simulator, options, context);
    comparison.plans[i] =
        answer ? *std::move(answer) : ComparedPlan{.planner = planners[i].planner, .error = std::move(answer).error()};
    report(context.progress, 1, {});
    if (!options.answered || stop.stop_requested()) return;
    const std::lock_guard lock(handing_over);
    options.answered(i, comparison.plans[i]);
  });
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - begin;
  comparison.duration = Seconds(duration.count());
  return comparison;
}

Result<std::optional<SimulatedPlan>> fastest(PlanSimulator& plan_simulator, const Problem& problem,
                                             std::vector<Plan> plans, std::stop_token stop) {
  const auto rank = [](const SimulatedPlan& of) { return std::pair(!of.simulation->fits, of.simulation->iteration); };
  std::optional<SimulatedPlan> best;
  for (Plan& plan : plans) {
    TRY(auto simulated_plan, plan_simulator.simulate(problem, std::move(plan), stop));
    if (!best || rank(simulated_plan) < rank(*best)) best = std::move(simulated_plan);
  }
  return best;
}

Error no_plan_fits(const std::string& planner, const planner::Infeasible& infeasible) {
  std::string message = planner + ": no plan fits: " + infeasible.reason;
  if (!infeasible.relaxation.empty()) message += "; smallest relaxation: " + infeasible.relaxation;
  return {ErrorCode::infeasible, std::move(message), {}, {}};
}

}  // namespace pipedeck::study
