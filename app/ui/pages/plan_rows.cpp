// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/plan_rows.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include <QCoreApplication>

#include "app/models/format.hpp"
#include "app/models/topology/geometry.hpp"
#include "app/session/plans/figures.hpp"
#include "app/session/trials.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/widgets/choice_pictures.hpp"
#include "app/views/widgets/theme.hpp"
#include "core/plan/agreement.hpp"
#include "core/plan/short_list.hpp"

namespace pipedeck::ui::pages {

namespace {

struct PlanRowText {
  Q_DECLARE_TR_FUNCTIONS(PlanRows)
};

QString sentence(const QString& words) { return words.endsWith(QLatin1Char('.')) ? words : words + QLatin1Char('.'); }

}  // namespace

QString warmup_text(const Plan& plan, const study::PlanResult& plan_result) {
  if (!plan_result.other_warmup) return {};
  const study::OtherWarmup& other = *plan_result.other_warmup;
  const Seconds own = to_seconds(plan_result.simulation->iteration);
  const double change = other.iteration.count / own.count - 1;
  const QString figure =
      change == 0 ? PlanRowText::tr("the same")
                  : PlanRowText::tr("%1 (%2)").arg(models::format_time(other.iteration), models::format_change(change));
  QString words = PlanRowText::tr("Warm-up %1. Policy %2 would take %3")
                      .arg(text::to_qstring(std::string(name_of(plan.warmup))),
                           text::to_qstring(std::string(name_of(other.policy))), figure);
  if (!other.fits) words += PlanRowText::tr(" and not fit");
  return words + QLatin1Char('.');
}

namespace {

QString best_text(const study::Searches::Status& status) {
  if (!status.best) return {};
  return QStringLiteral("%1, %2").arg(models::format_time(*status.best), models::compare::shape_text(status.best_plan));
}

models::compare::PlanSearch search_of(const study::Searches::Status& status) {
  return {status.state != study::Searches::State::waiting, status.elapsed, status.budget, best_text(status)};
}

/// Adds what the planners do that have not answered yet: to their earlier rows, else as rows of their own.
void add_searches(std::vector<models::compare::PlanRow>& rows, const session::Session& session) {
  for (const session::Session::PlannerSearch& search : session.searches()) {
    const session::project::State& state = session.state();
    const auto earlier = std::ranges::find_if(rows, [&](const models::compare::PlanRow& row) {
      const session::project::PlanEntry* entry = session::project::find_plan(state, row.id);
      return entry && !entry->edited && entry->plan->planner == search.planner && !plan::is_alternative(*entry->plan);
    });
    if (earlier != rows.end()) {
      earlier->search = search_of(search.status);
      continue;
    }
    models::compare::PlanRow& row = rows.emplace_back();
    row.id = -2 - search.place;  // -1 is no row
    row.plan.name = search.title.toStdString();
    row.plan.planner = search.planner;
    row.planner = search.title;
    row.ticked = false;
    row.search = search_of(search.status);
  }
}

/// Folds equal plans of planners into the selected one of them, else the baseline, a ticked one, or the one that a
/// comparison selects.
void fold_equal_plans(std::vector<models::compare::PlanRow>& rows, const session::project::State& state) {
  const auto made_by_planner = [&](const models::compare::PlanRow& row) {
    const session::project::PlanEntry* entry = session::project::find_plan(state, row.id);
    return entry && !entry->edited && row.simulation && !row.planner.isEmpty();
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].agrees_with != 0 || !made_by_planner(rows[i])) continue;
    std::vector<models::compare::PlanRow*> equal{&rows[i]};
    for (std::size_t j = i + 1; j < rows.size(); ++j)
      if (rows[j].agrees_with == 0 && made_by_planner(rows[j]) &&
          plan::agree(rows[i].plan, *rows[i].simulation, rows[j].plan, *rows[j].simulation))
        equal.push_back(&rows[j]);
    if (equal.size() < 2) continue;
    const auto has_mark = [&](auto mark) { return std::ranges::find_if(equal, mark); };
    auto shown = has_mark([&](const auto* row) { return row->id == state.selected_plan; });
    if (shown == equal.end()) shown = has_mark([](const auto* row) { return row->baseline; });
    if (shown == equal.end()) shown = has_mark([](const auto* row) { return row->ticked; });
    if (shown == equal.end())
      shown = std::ranges::min_element(
          equal, {}, [](const models::compare::PlanRow* row) { return plan::rank_among_equals(row->plan); });
    models::compare::PlanRow& first = **shown;
    for (models::compare::PlanRow* row : equal) {
      first.agreeing << row->planner;
      if (row != &first) row->agrees_with = first.id;
    }
  }
}

/// Returns the title of the plan's planner, with the first of its merits on the planner's short list: "Mesh: simplest".
QString planner_title(const Plan& plan) {
  const QString title = session::project::planner_title(plan.planner);
  if (title.isEmpty() || plan.merits.empty()) return title;
  return text::to_qstring(plan::short_list_title(title.toStdString(), {plan.merits.front()}));
}

}  // namespace

QString title_of(const session::project::PlanEntry& entry) {
  models::compare::PlanRow row;
  row.plan = *entry.plan;
  if (!entry.edited) row.planner = planner_title(*entry.plan);
  return models::compare::plan_title(row);
}

std::vector<models::compare::PlanRow> plan_rows(session::Session& session) {
  std::vector<models::compare::PlanRow> rows;
  const auto facts = session.facts();
  for (const session::project::PlanEntry* entry : session::project::plans_of_question(session.state())) {
    models::compare::PlanRow row;
    row.id = entry->id;
    row.plan = *entry->plan;
    row.ticked = entry->ticked;
    row.note = entry->note;
    row.remarks = entry->remarks;
    row.baseline = entry->baseline;
    row.planner = entry->edited ? QString() : planner_title(*entry->plan);
    row.can_continue = entry->plan->truncated && !entry->edited && !plan::is_alternative(*entry->plan);
    row.measured = session::measured_iteration(session.state(), *entry);
    if (facts) {
      row.lower_bound = facts->bound_of(row.plan);
      row.single_device = facts->single_device;
    } else if (entry->plan->predicted) {
      row.lower_bound = entry->plan->predicted->lower_bound;
    }
    if (const auto plan_result = session.plan_result(*entry)) {
      row.simulation = plan_result->simulation;
      row.reasons = plan_result->reasons;
      session::plans::Figures figures = session::plans::figures_of(session.state(), *entry, row.plan, *row.simulation);
      row.utilization = figures.utilization;
      row.outdated = figures.outdated;
      if (row.outdated && has_mesh(row.plan)) row.lower_bound = {};  // it is the planner's own
      row.provenance = figures.provenance;
      row.training = figures.training;
      // A planner's rationale already contains the cost of the other warm-up.
      const QString warmup = row.plan.rationale.empty() ? warmup_text(row.plan, *plan_result) : QString();
      if (!warmup.isEmpty()) row.note = row.note.isEmpty() ? warmup : sentence(row.note) + QLatin1Char(' ') + warmup;
    }
    if (!row.simulation && row.note.isEmpty()) row.note = session.simulation_error(entry->id);
    rows.push_back(std::move(row));
  }
  fold_equal_plans(rows, session.state());
  add_searches(rows, session);
  const auto fastest = std::ranges::min_element(rows, {}, [](const models::compare::PlanRow& row) {
    return row.measured ? row.measured->count : std::numeric_limits<double>::infinity();
  });
  if (fastest == rows.end() || !fastest->measured) return rows;
  for (models::compare::PlanRow& row : rows)
    row.fastest = row.measured == fastest->measured;  // identical plans share their run
  return rows;
}

std::vector<views::widgets::Choice> shown_schedules(const std::vector<session::plans::ScheduleChoice>& schedules) {
  std::vector<views::widgets::Choice> choices;
  for (const session::plans::ScheduleChoice& schedule : schedules) {
    const auto draw = [example = schedule.example](QPainter& painter, const QRectF& area,
                                                   const views::widgets::Theme& theme) {
      if (example) views::widgets::paint_small_gantt(painter, area, *example, session::plans::example_span, theme);
    };
    choices.push_back(
        {views::widgets::key_of(schedule.kind), schedule.title, schedule.summary, schedule.unavailable_reason, draw});
  }
  return choices;
}

QString run_title(const session::project::RunRecord& run) {
  QStringList parts{run.when.toString(QStringLiteral("HH:mm")), run.model, run.name};
  parts.removeAll(QString());  // a trace names no model
  return parts.join(QStringLiteral(" · "));
}

namespace {

std::optional<Seconds> time_of(const session::project::PlanEntry& entry) {
  return entry.feasible() && entry.plan->predicted ? std::optional(entry.plan->predicted->iteration) : std::nullopt;
}

models::compare::ProjectEntry tree_entry(const session::project::PlanEntry& entry) {
  models::compare::ProjectEntry shown;
  shown.id = entry.id;
  shown.name = text::to_qstring(entry.plan->name);
  shown.tool_tip = entry.feasible() ? text::to_qstring(stage_shape_text(*entry.plan)) : entry.note;
  if (!entry.remarks.isEmpty()) shown.tool_tip += QLatin1Char('\n') + entry.remarks;
  shown.failed = !entry.feasible();
  const QString planner = planner_title(*entry.plan);
  if (!entry.edited && !planner.isEmpty() && shown.name.startsWith(planner)) {
    shown.own_name = shown.name;
    shown.tool_tip.prepend(shown.name + QLatin1Char('\n'));
    shown.name = planner;
  }
  if (entry.feasible()) shown.detail = models::compare::shape_text(*entry.plan);
  if (const auto time = time_of(entry)) shown.figure = models::format_time(*time);
  return shown;
}

}  // namespace

std::vector<models::compare::ProjectQuestion> tree_questions(const session::project::State& state) {
  using Key = std::tuple<int, int, int>;  // profile, cluster, batch
  std::map<Key, std::vector<const session::project::PlanEntry*>> groups;
  std::vector<Key> order;  // the oldest first
  for (const session::project::PlanEntry& entry : state.plans) {
    const Key key{entry.profile, entry.cluster, entry.plan->global_batch};
    if (!groups.contains(key)) order.push_back(key);
    groups[key].push_back(&entry);
  }
  std::vector<models::compare::ProjectQuestion> questions;
  for (const Key& key : order) {
    auto& plans = groups[key];
    std::ranges::stable_sort(plans, {}, [](const session::project::PlanEntry* entry) {
      const auto time = time_of(*entry);
      const bool fits = time && entry->plan->predicted->fits;
      return std::tuple(!time, !fits, time ? time->count : 0.0);
    });
    const auto& [profile, cluster, batch] = key;
    models::compare::ProjectQuestion question;
    question.name = text::to_qstring(session::project::find_profile(state, profile)->profile->name);
    question.detail = PlanRowText::tr("batch %1 · %2")
                          .arg(batch)
                          .arg(text::to_qstring(session::project::find_cluster(state, cluster)->cluster->name));
    if (const QString own = session::project::question_name(state, *plans.front()); !own.isEmpty()) {
      question.detail.prepend(question.name + QStringLiteral(" · "));
      question.name = own;
    }
    const auto best = time_of(*plans.front());
    if (best && plans.front()->plan->predicted->fits) question.figure = models::format_time(*best);
    question.best = plans.front()->id;
    for (const session::project::PlanEntry* entry : plans) question.plans.push_back(tree_entry(*entry));
    questions.push_back(std::move(question));
  }
  return questions;
}

std::vector<models::compare::ProjectEntry> tree_entries(const session::project::State& state,
                                                        models::compare::ProjectSection section) {
  std::vector<models::compare::ProjectEntry> entries;
  switch (section) {
    case models::compare::ProjectSection::profiles:
      for (const session::project::ProfileEntry& e : state.profiles) {
        entries.push_back({e.id, text::to_qstring(e.profile->name), text::to_qstring(e.profile->source), false});
      }
      break;
    case models::compare::ProjectSection::clusters:
      for (const session::project::ClusterEntry& e : state.clusters) {
        entries.push_back({e.id, text::to_qstring(e.cluster->name), models::topology::summary(*e.cluster), false});
      }
      break;
    case models::compare::ProjectSection::plans:
      break;  // grouped by their questions
    case models::compare::ProjectSection::runs:
      for (const session::project::RunEntry& e : state.runs) {
        entries.push_back({e.id, run_title(*e.run),
                           e.run->message.isEmpty() ? session::project::run_outcome_name(e.run->state) : e.run->message,
                           e.run->state == session::project::RunOutcome::failed, e.run->name});
      }
      break;
  }
  return entries;
}

views::run::Prediction prediction_of(const Simulation& simulation) {
  views::run::Prediction prediction;
  prediction.samples_per_second = simulation.samples_per_second;
  for (const SimulatedDevice& device : simulation.devices) {
    prediction.busy.push_back(static_cast<double>(device.busy.count) /
                              static_cast<double>(std::max<std::int64_t>(1, simulation.iteration.count)));
    prediction.memory.push_back(device.peak);
  }
  return prediction;
}

/// Sums over devices would exceed the iteration: rows are the mean of the devices.
std::vector<views::run::Difference> shown_differences(const sim::TimelineDifference& difference) {
  std::vector<views::run::Difference> rows;
  const auto add = [&](const QString& name, Seconds predicted, Seconds measured) {
    rows.push_back({name, Seconds(predicted.count / std::max(1, difference.predicted_devices)),
                    Seconds(measured.count / std::max(1, difference.measured_devices)), false});
  };
  for (const sim::KindDifference& kind : difference.kinds)
    add(views::widgets::kind_text(kind.kind), kind.predicted, kind.measured);
  add(PlanRowText::tr("idle"), difference.predicted_idle, difference.measured_idle);
  rows.push_back({PlanRowText::tr("iteration"), difference.predicted_iteration, difference.measured_iteration, true});
  return rows;
}

std::vector<views::run::ListEntry> run_list(const session::project::State& state) {
  std::vector<views::run::ListEntry> list;
  for (auto entry = state.runs.rbegin(); entry != state.runs.rend(); ++entry) {
    const session::project::RunRecord& run = *entry->run;
    const bool failed = run.state == session::project::RunOutcome::failed;
    views::run::ListEntry shown{entry->id, run_title(run), run.steps, session::project::run_outcome_name(run.state), {},
                                {},        run.message,    failed};
    shown.steps_done = run.steps_done.value_or(run.steps);
    if (!failed) shown.measured = session::measured_iteration(run);
    if (run.plan.predicted) shown.predicted = run.plan.predicted->iteration;
    shown.energy = run.energy;
    shown.energy_a_sample = run.energy_a_sample;
    list.push_back(std::move(shown));
  }
  return list;
}

}  // namespace pipedeck::ui::pages
