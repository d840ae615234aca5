// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison: a row per planner that is filled when its answer comes.
#include <algorithm>
#include <tuple>

#include <QLocale>
#include <QThread>

#include "app/session/project/training_state.hpp"
#include "app/session/session.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "core/plan/agreement.hpp"
#include "core/plan/short_list.hpp"

namespace pipedeck::session {

namespace {

/// Returns the text with a capital letter and a full stop.
QString sentence(QString text) {
  if (text.isEmpty()) return text;
  text[0] = text[0].toUpper();
  return text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
}

project::PlanEntry entry_of(Plan plan, const project::PlanningSetup& question) {
  project::PlanEntry entry;
  entry.profile = question.profile;
  entry.cluster = question.cluster;
  plan.name = text::to_qstring(plan.name).toStdString();
  entry.plan = std::make_shared<const Plan>(std::move(plan));
  return entry;
}

/// Returns a planner's result of a comparison as an entry of the project.
project::PlanEntry entry_of(const study::ComparedPlan& compared, const project::PlanningSetup& question) {
  if (compared.simulated_plan) return entry_of(compared.simulated_plan->plan, question);
  project::PlanEntry entry;
  entry.profile = question.profile;
  entry.cluster = question.cluster;
  Plan none;
  none.name = text::to_qstring(compared.planner->title).toStdString();
  none.planner = compared.planner->name;
  none.global_batch = question.workload.global_batch;
  none.truncated = compared.out_of_time;
  entry.plan = std::make_shared<const Plan>(std::move(none));
  entry.ticked = false;
  if (compared.infeasible) {
    entry.note = sentence(text::to_qstring(compared.infeasible->reason));
    if (!compared.infeasible->relaxation.empty())
      entry.note += Session::tr(" It would fit with %1.").arg(text::to_qstring(compared.infeasible->relaxation));
  } else if (compared.error) {
    entry.note = text::to_qstring(*compared.error);
  }
  return entry;
}

/// Returns true if both are answers of one planner to one question.
bool answers_the_same(const project::PlanEntry& a, const project::PlanEntry& b) {
  return !a.edited && !b.edited && a.profile == b.profile && a.cluster == b.cluster &&
         a.plan->planner == b.plan->planner && a.plan->global_batch == b.plan->global_batch;
}

/// Returns the planner's entry from an earlier comparison of the same question, which the new result replaces: of the
/// alternatives on its short list, the one with the same first merit.
project::PlanEntry* earlier_answer(project::State& state, const project::PlanEntry& entry) {
  const auto merit = [](const project::PlanEntry& one) {
    return plan::is_alternative(*one.plan) ? one.plan->merits.front() : Merit::fastest;
  };
  const auto it = std::ranges::find_if(state.plans, [&](const project::PlanEntry& old) {
    return answers_the_same(old, entry) && merit(old) == merit(entry);
  });
  return it == state.plans.end() ? nullptr : &*it;
}

/// Puts the entry in the place of the earlier one, which the user may have shown, pinned or noted.
int replace_answer(project::PlanEntry& old, project::PlanEntry entry) {
  entry.id = old.id;
  entry.ticked = old.ticked && entry.feasible();
  entry.baseline = old.baseline && entry.feasible();
  entry.remarks = old.remarks;
  old = std::move(entry);
  return old.id;
}

/// Adds the entry with this id: entries are in the order of their ids.
void insert_answer(project::State& state, project::PlanEntry entry, int id) {
  const int next_id = state.next_id;
  state = project::with_plan(std::move(state), std::move(entry)).state;
  state.next_id = next_id;
  state.plans.back().id = id;
  const auto after =
      std::ranges::upper_bound(state.plans.begin(), state.plans.end() - 1, id, {}, &project::PlanEntry::id);
  std::rotate(after, state.plans.end() - 1, state.plans.end());
}

/// Returns the planner's plan for the question, from an earlier comparison; null if there is none.
const project::PlanEntry* answer_of(const project::State& state, const std::string& planner) {
  for (const project::PlanEntry* entry : project::plans_of_question(state))
    if (!entry->edited && entry->feasible() && entry->plan->planner == planner && !plan::is_alternative(*entry->plan))
      return entry;
  return nullptr;
}

/// Shows the charts of the fastest plans that fit, equal ones once. Plans that change training come last.
void tick_best(project::State& state, std::size_t most) {
  std::vector<project::PlanEntry*> rows;
  for (project::PlanEntry& entry : state.plans) {
    if (project::matches_setup(state, entry) && entry.feasible()) rows.push_back(&entry);
  }
  const auto rank = [](const project::PlanEntry* e) {
    const auto& predicted = e->plan->predicted;
    return std::tuple(!e->plan->synchronous(), !predicted || !predicted->fits,
                      predicted ? predicted->iteration.count : 0.0);
  };
  std::ranges::stable_sort(
      rows, {}, [&](const project::PlanEntry* e) { return std::pair(rank(e), plan::rank_among_equals(*e->plan)); });
  const auto same = [&](const project::PlanEntry* a, const project::PlanEntry* b) {
    return rank(a) == rank(b) && stage_shape_text(*a->plan) == stage_shape_text(*b->plan);
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]->ticked = count < most && (i == 0 || !same(rows[i - 1], rows[i]));
    count += rows[i]->ticked;
  }
}

/// Returns the plan to select first. Plans equivalent to training on one device precede asynchronous ones.
const project::PlanEntry* fastest_that_fits(const project::State& state) {
  const project::PlanEntry* best = nullptr;
  const auto rank = [](const project::PlanEntry* e) {
    return std::tuple(!e->plan->synchronous(), e->plan->predicted->iteration.count, plan::rank_among_equals(*e->plan));
  };
  for (const project::PlanEntry* entry : project::plans_of_question(state)) {
    const auto& predicted = entry->plan->predicted;
    if (!predicted || !predicted->fits) continue;
    if (!best || rank(entry) < rank(best)) best = entry;
  }
  return best;
}

constexpr std::size_t charts_at_first = 3;  // fit on a screen without scrolling

std::vector<int> ticked_plans(const project::State& state) {
  std::vector<int> ids;
  for (const project::PlanEntry* entry : project::plans_of_question(state))
    if (entry->feasible() && entry->ticked) ids.push_back(entry->id);
  return ids;
}

/// Returns the number of ids that the planner's answer takes: one for each plan of its short list.
int ids_of(const study::PlannerRequest& request) { return std::max(1, request.planner->choices); }

/// Replaces the alternatives of an answer's planner. Alternatives of an earlier answer are removed if their merit has
/// no plan now. `first_id`: of the first of them, if it is new; 0: the state's next one.
void take_alternatives(project::State& state, const study::ComparedPlan& answer, const project::PlanEntry& best,
                       const project::PlanningSetup& question, int first_id) {
  std::vector<int> kept;
  for (const study::SimulatedPlan& one : answer.alternatives) {
    project::PlanEntry entry = entry_of(one.plan, question);
    entry.ticked = ticked_plans(state).size() < charts_at_first;
    if (project::PlanEntry* old = earlier_answer(state, entry)) {
      kept.push_back(replace_answer(*old, std::move(entry)));
    } else {
      const int place = static_cast<int>(&one - answer.alternatives.data());
      kept.push_back(first_id > 0 ? first_id + place : state.next_id++);
      insert_answer(state, std::move(entry), kept.back());
    }
  }
  std::erase_if(state.plans, [&](const project::PlanEntry& old) {
    return answers_the_same(old, best) && plan::is_alternative(*old.plan) &&
           std::ranges::find(kept, old.id) == kept.end();
  });
  if (state.selected_plan != 0 && !project::find_plan(state, state.selected_plan)) state.selected_plan = best.id;
}

bool same_question(const project::PlanningSetup& a, const project::PlanningSetup& b) {
  return a.profile == b.profile && a.cluster == b.cluster && a.workload.global_batch == b.workload.global_batch;
}

}  // namespace

int Session::compare() {
  if (const QString why = not_comparable_reason(); !why.isEmpty()) {
    emit error(tr("Compare"), why);
    return 0;
  }
  cancel_comparison();
  if (const QStringList left_out = project::programs_not_allowed(state().question.planning); !left_out.isEmpty())
    emit error(tr("Compare"), tr("Left out, since programs of an opened project run only after you agree: %1. "
                                 "Tick them under Planners and options.")
                                  .arg(left_out.join(QStringLiteral(", "))));
  const project::ProfileEntry* profile = project::find_profile(state(), state().question.profile);
  const QString title = tr("Compare plans for %1").arg(text::to_qstring(profile->profile->name));
  compare_job_ = start_comparing(title, project::chosen_planners(state().question.planning, profile->profile.get()),
                                 state().question.planning.budget);
  return compare_job_;
}

/// Asks the planners in the background. Their answers come one by one.
int Session::start_comparing(const QString& title, std::vector<study::PlannerRequest> planners, Seconds budget,
                             std::map<const planner::PlannerInfo*, Plan> earlier) {
  const int key = next_comparing_++;
  auto searches = std::make_shared<study::Searches>();
  Comparing comparing{.key = key, .question = state().question, .planners = planners, .searches = searches};
  for (const study::PlannerRequest& request : planners) {
    comparing.open.push_back(request.planner);
    asked_[request.planner] = request.options;
  }
  comparing.first = std::ranges::none_of(project::plans_of_question(state()),
                                         [](const project::PlanEntry* entry) { return !entry->edited; });
  study::CompareOptions options;
  options.threads = seams_.threads > 0 ? seams_.threads : std::max(1, QThread::idealThreadCount());
  options.explain = true;
  options.earlier = std::move(earlier);
  if (budget.count > 0) options.budget = budget;
  options.answered = [this, key](std::size_t, const study::ComparedPlan& answer) {
    QMetaObject::invokeMethod(
        this, [this, key, answer] { receive_answer(key, answer); }, Qt::QueuedConnection);
  };
  comparing.job = jobs_.start(title,
                              [this, key, problem = *problem(), planners = std::move(planners), searches,
                               options](const work::Jobs::Context& context) mutable -> work::Jobs::Apply {
                                options.searches = searches.get();
                                auto result = study::compare(problem, planners, simulator_, options, context.progress,
                                                             context.stop);
                                return [this, key, result = std::move(result)] {
                                  if (!result) {
                                    report(tr("Compare"), result.error());
                                    end_comparing(key, {});
                                    return text::to_qstring(result.error());
                                  }
                                  const int plans = end_comparing(key, result->duration);
                                  return tr("%1 in %2 s")
                                      .arg(work::format_count(plans, tr("plan"), tr("plans")))
                                      .arg(QLocale().toString(result->duration.count, 'f', 2));
                                };
                              });
  const int job = comparing.job;
  comparings_.push_back(std::move(comparing));
  searches_ticker_.start();
  emit searches_changed();
  return job;
}

Session::Comparing* Session::find_comparing(int key) {
  const auto found = std::ranges::find(comparings_, key, &Comparing::key);
  return found == comparings_.end() ? nullptr : &*found;
}

void Session::cancel_comparison() {
  const auto running = std::ranges::find(comparings_, compare_job_, &Comparing::job);
  if (running == comparings_.end()) return;
  const int key = running->key, job = running->job;
  end_comparing(key, {});  // keeps the answers that are there
  jobs_.cancel(job);
}

/// Ends comparisons whose job was cancelled in the list of jobs. They keep the answers that are there.
void Session::end_cancelled(int job, work::JobState ended) {
  if (ended == work::JobState::finished) return;
  const auto found = std::ranges::find(comparings_, job, &Comparing::job);
  if (found != comparings_.end()) end_comparing(found->key, {});
}

/// Stores a change of a comparison: all of them are one step of undo, if nothing else was changed in between.
void Session::change_by_comparing(Comparing& comparing, project::State next) {
  if (comparing.step && *comparing.step == history_.step_id()) {
    if (next == state()) return;
    history_.amend([&](project::State& state) { state = std::move(next); });
    emit state_changed();
    return;
  }
  const int key = comparing.key;
  if (!change(tr("Compare plans"), std::move(next))) return;
  if (Comparing* again = find_comparing(key)) again->step = history_.step_id();
}

void Session::receive_answer(int key, const study::ComparedPlan& answer) {
  Comparing* comparing = find_comparing(key);
  if (!comparing || (answer.error && answer.error->code == ErrorCode::cancelled)) return;
  const project::PlanningSetup& question = comparing->question;
  if (!project::find_profile(state(), question.profile) || !project::find_cluster(state(), question.cluster)) return;
  project::PlanEntry entry = entry_of(answer, question);
  ++(entry.feasible() ? comparing->plans : comparing->without_plan);
  comparing->plans += static_cast<int>(answer.alternatives.size());
  std::erase_if(comparing->open, [&](const planner::PlannerInfo* planner) { return planner == answer.planner; });
  project::State next = state();
  const bool shown = same_question(next.question, question);
  int id = 0, first_alternative = 0;
  if (project::PlanEntry* old = earlier_answer(next, entry)) {
    id = replace_answer(*old, std::move(entry));
  } else {
    entry.ticked = entry.feasible() && ticked_plans(next).size() < charts_at_first;
    // Ids and order are those of the planners, in whatever order they answer.
    if (comparing->first_id == 0) {
      comparing->first_id = next.next_id;
      for (const study::PlannerRequest& request : comparing->planners) next.next_id += ids_of(request);
    }
    id = comparing->first_id;
    for (const study::PlannerRequest& request : comparing->planners) {
      if (request.planner == answer.planner) break;
      id += ids_of(request);
    }
    first_alternative = id + 1;
    insert_answer(next, std::move(entry), id);
  }
  const project::PlanEntry best = *project::find_plan(next, id);
  take_alternatives(next, answer, best, question, first_alternative);
  const project::PlanEntry* selected = project::find_plan(next, next.selected_plan);
  const project::PlanEntry& answered = *project::find_plan(next, id);
  // Only the first: later ones do not move the selection. Plans that change training wait for the end.
  if (shown && answered.feasible() && answered.plan->synchronous() &&
      (!selected || !project::matches_setup(next, *selected)))
    next.selected_plan = comparing->selected = id;
  comparing->ticked = ticked_plans(next);
  change_by_comparing(*comparing, std::move(next));
  emit searches_changed();
}

/// Ends a comparison: the best plan is selected and the best ones are shown, unless the user chose others. Returns the
/// number of its plans.
int Session::end_comparing(int key, std::optional<Seconds> duration) {
  Comparing* found = find_comparing(key);
  if (!found) return 0;
  Comparing comparing = std::move(*found);
  std::erase_if(comparings_, [key](const Comparing& one) { return one.key == key; });
  if (comparings_.empty()) searches_ticker_.stop();
  project::State next = state();
  const bool shown = same_question(next.question, comparing.question);
  if (shown && comparing.first && ticked_plans(next) == comparing.ticked) tick_best(next, charts_at_first);
  const project::PlanEntry* selected = project::find_plan(next, next.selected_plan);
  const bool chosen_by_us = comparing.selected != 0 && comparing.selected == next.selected_plan;
  if (shown && (chosen_by_us || !selected || !project::matches_setup(next, *selected))) {
    const project::PlanEntry* best = fastest_that_fits(next);
    if (best || !chosen_by_us) next.selected_plan = best ? best->id : 0;
  }
  const auto problem = project::make_problem(state(), comparing.question);
  if (duration && problem && comparing.job == compare_job_) {
    const auto facts = simulator_.find_bounds(*problem);
    last_comparison_ = {{comparing.plans, comparing.without_plan, *duration, facts ? facts->lower_bound : Seconds()},
                        comparing.question};
  }
  if (comparing.plans + comparing.without_plan > 0) change_by_comparing(comparing, std::move(next));
  emit searches_changed();
  emit comparison_ended();
  return comparing.plans;
}

std::optional<Session::ComparisonSummary> Session::last_comparison() const {
  if (!last_comparison_ || !same_question(last_comparison_->second, state().question)) return std::nullopt;
  return last_comparison_->first;
}

std::vector<Session::PlannerSearch> Session::searches() const {
  std::vector<PlannerSearch> searches;
  for (const Comparing& comparing : comparings_) {
    if (!same_question(comparing.question, state().question)) continue;
    const auto statuses = comparing.searches->statuses();
    for (std::size_t i = 0; i < comparing.planners.size(); ++i) {
      const planner::PlannerInfo* planner = comparing.planners[i].planner;
      if (std::ranges::find(comparing.open, planner) == comparing.open.end()) continue;  // its row has its answer
      const auto place =
          static_cast<int>(planner->external ? planner::planners().size() + i
                                             : static_cast<std::size_t>(planner - planner::planners().data()));
      PlannerSearch search{planner->name, text::to_qstring(planner->title), place, {}};
      if (i < statuses.size()) search.status = statuses[i];
      searches.push_back(std::move(search));
    }
  }
  return searches;
}

void Session::keep_best(const std::string& planner) {
  for (Comparing& comparing : comparings_)
    for (std::size_t i = 0; i < comparing.planners.size(); ++i)
      if (comparing.planners[i].planner->name == planner && same_question(comparing.question, state().question))
        comparing.searches->keep_best(i);
}

void Session::search_longer(const std::string& planner, Seconds budget) {
  for (Comparing& comparing : comparings_)
    for (std::size_t i = 0; i < comparing.planners.size(); ++i) {
      const planner::PlannerInfo* info = comparing.planners[i].planner;
      if (info->name != planner || !same_question(comparing.question, state().question)) continue;
      if (std::ranges::find(comparing.open, info) == comparing.open.end()) continue;
      return comparing.searches->set_budget(i, budget);
    }
  const auto info = planner::find_planner(planner);
  if (!info || !problem()) return;
  const auto choice = state().question.planning.planners.find(planner);
  const auto given = choice == state().question.planning.planners.end() ? project::PlannerChoice() : choice->second;
  if ((*info)->external && !given.allowed)
    return void(emit error(
        tr("Search longer"),
        tr("%1 runs only after you agree: tick it under Planners and options.").arg(text::to_qstring((*info)->title))));
  auto options = given.options;
  const study::PlannerRequest request = study::comparison_request(**info, std::move(options));
  std::map<const planner::PlannerInfo*, Plan> earlier;  // a longer search answers no worse than a shorter one
  const auto asked = asked_.find(*info);
  const project::PlanEntry* answer = answer_of(state(), planner);
  if (answer && asked != asked_.end() && asked->second == request.options) earlier[*info] = *answer->plan;
  start_comparing(tr("Search with %1 for %2 s").arg(text::to_qstring((*info)->title)).arg(budget.count), {request},
                  budget, std::move(earlier));
}

QStringList Session::planners_left_out() const {
  const project::ProfileEntry* profile = project::find_profile(state(), state().question.profile);
  QStringList titles;
  if (!profile) return titles;
  const auto chosen = project::chosen_planners(state().question.planning, profile->profile.get());
  for (const planner::PlannerInfo& planner : planner::planners()) {
    const bool asked = std::ranges::any_of(chosen, [&](const auto& request) { return request.planner == &planner; });
    if (planner.changes_training && !asked) titles << text::to_qstring(planner.title);
  }
  return titles;
}

void Session::include_asynchronous() {
  project::Planning planning = state().question.planning;
  std::vector<std::string> names;
  for (const planner::PlannerInfo& planner : planner::planners()) {
    if (!planner.changes_training) continue;
    planning.planners[planner.name].compared = true;
    names.push_back(planner.name);
  }
  set_planning(planning);
  for (const std::string& name : names) search_longer(name, planning.budget);
}

}  // namespace pipedeck::session
