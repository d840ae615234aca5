// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/plan_rows.hpp"

#include <algorithm>
#include <limits>

#include <QCoreApplication>

#include "app/models/format.hpp"
#include "app/models/topology/geometry.hpp"
#include "app/session/trials.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/widgets/choice_pictures.hpp"
#include "app/views/widgets/theme.hpp"

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
      // A planner's rationale already contains the cost of the other warm-up.
      const QString warmup = row.plan.rationale.empty() ? warmup_text(row.plan, *plan_result) : QString();
      if (!warmup.isEmpty()) row.note = row.note.isEmpty() ? warmup : sentence(row.note) + QLatin1Char(' ') + warmup;
    }
    if (!row.simulation && row.note.isEmpty()) row.note = session.simulation_error(entry->id);
    rows.push_back(std::move(row));
  }
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
      for (const session::project::PlanEntry& e : state.plans) {
        const QString shape = e.feasible() ? text::to_qstring(stage_shape_text(*e.plan)) : e.note;
        const QString tip = e.remarks.isEmpty() ? shape : shape + QLatin1Char('\n') + e.remarks;
        entries.push_back({e.id, text::to_qstring(e.plan->name), tip, !e.feasible()});
      }
      break;
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

std::vector<views::run::Difference> shown_differences(const sim::TimelineDifference& difference) {
  std::vector<views::run::Difference> rows;
  for (const sim::KindDifference& kind : difference.kinds) {
    rows.push_back({views::widgets::kind_text(kind.kind), kind.predicted, kind.measured, false});
  }
  rows.push_back({PlanRowText::tr("idle"), difference.predicted_idle, difference.measured_idle, false});
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
    if (!failed) shown.measured = session::measured_iteration(run);
    if (run.plan.predicted) shown.predicted = run.plan.predicted->iteration;
    shown.energy = run.energy;
    shown.energy_a_sample = run.energy_a_sample;
    list.push_back(std::move(shown));
  }
  return list;
}

}  // namespace pipedeck::ui::pages
