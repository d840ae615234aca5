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

ComparedPlan ask(const AskedPlanner& chosen, const Problem& problem, Judge& judge, const sim::Simulator& simulator,
                 const ProblemFacts& facts, const Progress& progress, std::stop_token stop) {
  ComparedPlan answer{chosen.planner, {}, {}, {}};
  planner::PlannerContext context = context_for(simulator, stop);
  context.explain = true;
  context.progress = progress;
  auto ranking = planner::run_planner(*chosen.planner, problem, chosen.options, context);
  if (!ranking) {
    answer.error = ranking.error();
  } else if (ranking->plans.empty()) {
    answer.infeasible = ranking->infeasible.value_or(planner::Infeasible{"no plan was found", {}});
  } else {
    Plan& plan = ranking->plans.front();
    const auto verdict = judge.verdict(problem, plan, stop);
    if (verdict) {
      const Seconds bound = facts.bound_of(plan);
      answer.plan = sim::with_prediction(std::move(plan), *(*verdict)->simulation, bound);
    } else {
      answer.error = verdict.error();
    }
  }
  return answer;
}

}  // namespace

Result<Comparison> compare(const Problem& problem, const std::vector<AskedPlanner>& planners, Judge& judge, int threads,
                           const Progress& progress, std::stop_token stop) {
  const auto begin = std::chrono::steady_clock::now();
  TRY(const auto simulator, judge.simulator(problem));
  TRY(const auto facts, judge.facts(problem, stop));

  Comparison comparison;
  comparison.facts = facts;
  comparison.plans.resize(planners.size());
  SharedProgress shared(planners.size(), progress);
  parallel_for(planners.size(), threads, [&](std::size_t i) {
    if (stop.stop_requested()) return;
    const std::string title = planners[i].planner->title;
    const Progress part = [&, i](double done, std::string_view what) {
      shared.set(i, done, title + (what.empty() ? "" : ": ") + std::string(what));
    };
    part(0, {});
    comparison.plans[i] = ask(planners[i], problem, judge, simulator, facts, part, stop);
    part(1, {});
  });
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - begin;
  comparison.duration = Seconds(duration.count());
  return comparison;
}

}  // namespace pipedeck::study
