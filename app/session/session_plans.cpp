// SPDX-License-Identifier: GPL-3.0-or-later
// Plans: comparison, selection, ticks.
#include <algorithm>

#include <QLocale>
#include <QThread>

#include "app/session/project/training_state.hpp"
#include "app/session/session.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::session {

namespace {

/// Returns a planner's result of a comparison as an entry of the project.
project::PlanEntry entry_of(const study::ComparedPlan& compared, const project::PlanningSetup& question) {
  project::PlanEntry entry;
  entry.profile = question.profile;
  entry.cluster = question.cluster;
  if (compared.simulated_plan) {
    Plan plan = compared.simulated_plan->plan;
    plan.name = text::to_qstring(plan.name).toStdString();
    entry.plan = std::make_shared<const Plan>(std::move(plan));
    return entry;
  }
  Plan none;
  none.name = text::to_qstring(compared.planner->title).toStdString();
  none.planner = compared.planner->name;
  none.global_batch = question.workload.global_batch;
  entry.plan = std::make_shared<const Plan>(std::move(none));
  entry.ticked = false;
  if (compared.infeasible) {
    entry.note = text::to_qstring(compared.infeasible->reason);
    if (!compared.infeasible->relaxation.empty()) {
      entry.note += Session::tr(" It would fit with: %1.").arg(text::to_qstring(compared.infeasible->relaxation));
    }
  } else if (compared.error) {
    entry.note = text::to_qstring(*compared.error);
  }
  return entry;
}

/// Returns the planner's entry from an earlier comparison of the same question, which the new result replaces.
project::PlanEntry* earlier_answer(project::State& state, const project::PlanEntry& entry) {
  const auto it = std::ranges::find_if(state.plans, [&](const project::PlanEntry& old) {
    return !old.edited && old.profile == entry.profile && old.cluster == entry.cluster &&
           old.plan->planner == entry.plan->planner && old.plan->global_batch == entry.plan->global_batch;
  });
  return it == state.plans.end() ? nullptr : &*it;
}

void tick_best(project::State& state, std::size_t most) {
  std::vector<project::PlanEntry*> rows;
  for (project::PlanEntry& entry : state.plans) {
    if (project::matches_setup(state, entry) && entry.feasible()) rows.push_back(&entry);
  }
  std::ranges::stable_sort(rows, [](const project::PlanEntry* a, const project::PlanEntry* b) {
    const auto time = [](const project::PlanEntry* e) {
      return e->plan->predicted ? e->plan->predicted->iteration.count : 1e300;
    };
    return time(a) < time(b);
  });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i]->ticked = i < most;
}

/// Returns the plan to select first. Plans equivalent to training on one device precede asynchronous ones.
const project::PlanEntry* fastest_that_fits(const project::State& state) {
  const project::PlanEntry* best = nullptr;
  const auto rank = [](const project::PlanEntry* e) {
    return std::pair(!e->plan->synchronous(), e->plan->predicted->iteration.count);
  };
  for (const project::PlanEntry* entry : project::plans_of_question(state)) {
    const auto& predicted = entry->plan->predicted;
    if (!predicted || !predicted->fits) continue;
    if (!best || rank(entry) < rank(best)) best = entry;
  }
  return best;
}

constexpr std::size_t charts_at_first = 3;  // fit on a screen without scrolling

}  // namespace

project::PlanEntry* Session::entry_to_change(project::State& state, int id) const {
  const auto it = std::ranges::find(state.plans, id, &project::PlanEntry::id);
  return it == state.plans.end() ? nullptr : &*it;
}

int Session::compare() {
  if (const QString why = not_comparable_reason(); !why.isEmpty()) {
    emit error(tr("Compare"), why);
    return 0;
  }
  jobs_.cancel(compare_job_);
  const project::PlanningSetup question = state().question;
  const int threads = seams_.threads > 0 ? seams_.threads : std::max(1, QThread::idealThreadCount());
  const QString title =
      tr("Compare plans for %1").arg(text::to_qstring(project::find_profile(state(), question.profile)->profile->name));
  compare_job_ = jobs_.start(
      title, [this, problem = *problem(), question, threads](const work::Jobs::Context& context) -> work::Jobs::Apply {
        auto result = study::compare(problem, project::chosen_planners(question.planning), simulator_,
                                     {.threads = threads, .explain = true}, context.progress, context.stop);
        return [this, question, result = std::move(result)] {
          if (!result) {
            report(tr("Compare"), result.error());
            return text::to_qstring(result.error());
          }
          apply(*result, question);
          return tr("%1 in %2 s")
              .arg(work::format_count(last_comparison_->plans, tr("plan"), tr("plans")))
              .arg(QLocale().toString(result->duration.count, 'f', 2));
        };
      });
  return compare_job_;
}

void Session::apply(const study::Comparison& comparison, const project::PlanningSetup& question) {
  project::State next = state();
  ComparisonSummary summary{0, 0, comparison.duration, comparison.facts.lower_bound};
  bool first_comparison = true;
  for (const study::ComparedPlan& compared : comparison.plans) {
    project::PlanEntry entry = entry_of(compared, question);
    ++(entry.feasible() ? summary.plans : summary.without_plan);
    if (project::PlanEntry* old = earlier_answer(next, entry)) {
      first_comparison = false;
      entry.id = old->id;
      entry.ticked = old->ticked && entry.feasible();
      *old = std::move(entry);
    } else {
      next = project::with_plan(std::move(next), std::move(entry)).state;
    }
  }
  if (next.question.profile == question.profile && next.question.cluster == question.cluster) {
    const project::PlanEntry* selected = project::find_plan(next, next.selected_plan);
    if (first_comparison) tick_best(next, charts_at_first);
    if (!selected || !project::matches_setup(next, *selected)) {
      const project::PlanEntry* best = fastest_that_fits(next);
      next.selected_plan = best ? best->id : 0;
    }
  }
  last_comparison_ = summary;
  // Equal results also end the comparison: the window shows its duration.
  change(tr("Compare plans"), std::move(next));
  emit comparison_ended();
}

std::shared_ptr<const study::PlanResult> Session::plan_result(const project::PlanEntry& entry) {
  if (!entry.feasible()) return nullptr;
  const auto problem = project::make_problem(state(), entry);
  if (!problem) return nullptr;
  auto known = simulator_.find(*problem, *entry.plan);
  if (!known || !known->complete) compute_missing_results();
  return known;
}

std::optional<study::ProblemBounds> Session::facts() const {
  const auto asked = problem();
  return asked ? simulator_.find_bounds(*asked) : std::nullopt;
}

void Session::compute_missing_results() {
  if (jobs_.running(simulation_job_)) return;  // its end starts another one
  struct Missing {
    int id;
    Problem problem;
    std::shared_ptr<const Plan> plan;
  };
  std::vector<Missing> missing;
  for (const project::PlanEntry* entry : project::plans_of_question(state())) {
    const auto problem = project::make_problem(state(), *entry);
    if (!entry->feasible() || !problem) continue;
    if (const auto known = simulator_.find(*problem, *entry->plan); known && known->complete) continue;
    if (known_failure(*entry)) continue;
    missing.push_back({entry->id, *problem, entry->plan});
  }
  if (missing.empty()) return;
  simulation_job_ = jobs_.start(
      tr("Simulate plans"),
      [this, missing, asked = problem()](const work::Jobs::Context& context) -> work::Jobs::Apply {
        std::vector<std::pair<const Missing*, Error>> failed;
        if (asked) (void)simulator_.facts(*asked, context.stop);  // shown as unknown if it fails
        for (std::size_t i = 0; i < missing.size() && !context.stop.stop_requested(); ++i) {
          pipedeck::report(context.progress, static_cast<double>(i) / static_cast<double>(missing.size()),
                           missing[i].plan->name);
          const auto plan_result = simulator_.compute_result(missing[i].problem, *missing[i].plan, context.stop);
          if (!plan_result) failed.emplace_back(&missing[i], plan_result.error());
        }
        std::map<int, FailedSimulation> simulation_failure;
        for (const auto& [plan, why] : failed)
          simulation_failure[plan->id] = {plan->problem, plan->plan, text::to_qstring(why)};
        return [this, simulation_failure, count = missing.size()] {
          simulation_job_ = 0;  // receivers of verdicts_changed may request others
          // Usually all fail for the same reason, so it is shown once in the status bar and in each plan's
          // row. No dialog is shown, since a cluster being drawn is not connected yet.
          if (!simulation_failure.empty())
            emit notice(tr("Not simulated: %1").arg(simulation_failure.begin()->second.reason));
          for (const auto& [id, plan] : simulation_failure) failed_simulations_[id] = plan;
          emit results_changed();
          return work::format_count(static_cast<qint64>(count), tr("plan"), tr("plans"));
        };
      });
}

std::shared_ptr<const plans::Explanation> Session::explanation(const project::PlanEntry& entry) {
  const auto problem = project::make_problem(state(), entry);
  return problem && entry.feasible() ? explainer_.explanation(*problem, entry.plan) : nullptr;
}

plans::ItemCurves::Items Session::memory_items(const project::PlanEntry& entry) {
  const auto problem = project::make_problem(state(), entry);
  return problem && entry.feasible() ? item_curves_.items(*problem, entry.plan) : nullptr;
}

const Session::FailedSimulation* Session::known_failure(const project::PlanEntry& entry) const {
  const auto known = failed_simulations_.find(entry.id);
  const auto problem = project::make_problem(state(), entry);
  if (known == failed_simulations_.end() || !problem) return nullptr;
  const Problem& then = known->second.problem;
  const bool same = known->second.plan == entry.plan && then.profile == problem->profile &&
                    then.cluster == problem->cluster && then.workload == problem->workload;
  return same ? &known->second : nullptr;
}

QString Session::simulation_error(int id) const {
  const project::PlanEntry* entry = project::find_plan(state(), id);
  const FailedSimulation* known = entry ? known_failure(*entry) : nullptr;
  return known ? known->reason : QString();
}

void Session::select_plan(int id) {
  const project::PlanEntry* entry = project::find_plan(state(), id);
  if (!entry || state().selected_plan == id) return;
  if (project::matches_setup(state(), *entry)) {
    history_.amend([&](project::State& state) { state.selected_plan = id; });
    emit state_changed();
    return;
  }
  project::State next = state();
  next.question.profile = entry->profile;
  next.question.cluster = entry->cluster;
  if (entry->feasible())
    project::load_setup_from_plan(next.question.workload, *entry->plan);
  else
    next.question.workload.global_batch = entry->plan->global_batch;
  next.selected_plan = id;
  change(tr("Go to %1").arg(text::to_qstring(entry->plan->name)), std::move(next));
}

void Session::set_ticked(int id, bool on) {
  project::State next = state();
  project::PlanEntry* entry = entry_to_change(next, id);
  if (!entry) return;
  entry->ticked = on;
  const QString name = text::to_qstring(entry->plan->name);
  change(on ? tr("Show %1").arg(name) : tr("Hide %1").arg(name), std::move(next));
}

void Session::rename_plan(int id, const QString& name) {
  project::State next = state();
  project::PlanEntry* entry = entry_to_change(next, id);
  const QString trimmed = name.trimmed();
  if (!entry || trimmed.isEmpty() || text::to_qstring(entry->plan->name) == trimmed) return;
  Plan plan = *entry->plan;
  plan.name = trimmed.toStdString();
  entry->plan = std::make_shared<const Plan>(std::move(plan));
  change(tr("Rename plan"), std::move(next));
}

void Session::duplicate_plan(int id) {
  const project::PlanEntry* entry = project::find_plan(state(), id);
  if (!entry || !entry->feasible()) return;
  project::PlanEntry copy = *entry;
  copy.edited = true;
  copy.ticked = true;
  project::Added added = project::with_plan(state(), std::move(copy));
  added.state.selected_plan = added.id;
  change(tr("Duplicate plan"), std::move(added.state));
}

void Session::delete_plan(int id) {
  const project::PlanEntry* entry = project::find_plan(state(), id);
  if (entry) change(tr("Delete %1").arg(text::to_qstring(entry->plan->name)), project::without_plan(state(), id));
}

void Session::delete_profile(int id) {
  const project::ProfileEntry* entry = project::find_profile(state(), id);
  if (entry) change(tr("Delete %1").arg(text::to_qstring(entry->profile->name)), project::without_profile(state(), id));
}

void Session::delete_cluster(int id) {
  const project::ClusterEntry* entry = project::find_cluster(state(), id);
  if (entry) change(tr("Delete %1").arg(text::to_qstring(entry->cluster->name)), project::without_cluster(state(), id));
}

}  // namespace pipedeck::session
