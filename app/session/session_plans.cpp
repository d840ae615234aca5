// SPDX-License-Identifier: GPL-3.0-or-later
// Plans: simulation, selection, ticks, baseline.
#include <algorithm>

#include "app/session/project/training_state.hpp"
#include "app/session/session.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::session {

project::PlanEntry* Session::entry_to_change(project::State& state, int id) const {
  const auto it = std::ranges::find(state.plans, id, &project::PlanEntry::id);
  return it == state.plans.end() ? nullptr : &*it;
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
  for (Comparing& comparing : comparings_) comparing.selected = 0;  // the user chose: the end does not
  const project::PlanEntry* entry = project::find_plan(state(), id);
  if (!entry || state().selected_plan == id) return;
  if (project::matches_setup(state(), *entry)) {
    history_.amend([&](project::State& state) { state.selected_plan = id; });
    emit state_changed();
    return;
  }
  project::State next = project::with_selected_cluster(state(), entry->cluster);
  next.question.profile = entry->profile;
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

void Session::set_baseline(int id) {
  project::State next = state();
  const project::PlanEntry* chosen = project::find_plan(next, id);
  for (project::PlanEntry& entry : next.plans)
    if (project::matches_setup(next, entry)) entry.baseline = chosen && entry.id == id && entry.feasible();
  change(chosen ? tr("Pin %1 as baseline").arg(text::to_qstring(chosen->plan->name)) : tr("Unpin the baseline"),
         std::move(next));
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

void Session::rename_question(int plan, const QString& name) {
  const project::PlanEntry* entry = project::find_plan(state(), plan);
  if (entry) change(tr("Rename question"), project::with_question_name(state(), *entry, name.trimmed()));
}

void Session::duplicate_plan(int id) {
  const project::PlanEntry* entry = project::find_plan(state(), id);
  if (!entry || !entry->feasible()) return;
  project::PlanEntry copy = *entry;
  copy.edited = true;
  copy.baseline = false;
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
