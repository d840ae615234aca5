// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/plan_rows.hpp"

#include <algorithm>
#include <limits>

#include <QCoreApplication>

#include "app/models/format.hpp"
#include "app/models/topology_geometry.hpp"
#include "app/session/trials.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/choice_pictures.hpp"
#include "app/views/theme.hpp"

namespace pipedeck::app {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::PlanRows)
};

QString sentence(const QString& words) { return words.endsWith(QLatin1Char('.')) ? words : words + QLatin1Char('.'); }

}  // namespace

QString warmup_text(const Plan& plan, const Verdict& verdict) {
  if (!verdict.other_warmup) return {};
  const OtherWarmup& other = *verdict.other_warmup;
  const Seconds own = to_seconds(verdict.simulation->iteration);
  const double change = other.iteration.count / own.count - 1;
  const QString figure = change == 0 ? Words::tr("the same")
                                     : Words::tr("%1 (%2)").arg(format_time(other.iteration), format_change(change));
  QString words = Words::tr("Warm-up %1. Policy %2 would take %3")
                      .arg(in_qt(std::string(name_of(plan.warmup))), in_qt(std::string(name_of(other.policy))), figure);
  if (!other.fits) words += Words::tr(" and not fit");
  return words + QLatin1Char('.');
}

std::vector<PlanRow> plan_rows(Session& session) {
  std::vector<PlanRow> rows;
  const auto facts = session.facts();
  for (const PlanEntry* entry : plans_of_question(session.state())) {
    PlanRow row;
    row.id = entry->id;
    row.plan = *entry->plan;
    row.ticked = entry->ticked;
    row.note = entry->note;
    row.remarks = entry->remarks;
    row.measured = measured_iteration(session.state(), *entry);
    if (facts) {
      row.lower_bound = facts->bound_of(row.plan);
      row.single_device = facts->single_device;
    } else if (entry->plan->predicted) {
      row.lower_bound = entry->plan->predicted->lower_bound;
    }
    if (const auto verdict = session.verdict(*entry)) {
      row.simulation = verdict->simulation;
      // A planner's rationale already contains the cost of the other warm-up.
      const QString warmup = row.plan.why.empty() ? warmup_text(row.plan, *verdict) : QString();
      if (!warmup.isEmpty()) row.note = row.note.isEmpty() ? warmup : sentence(row.note) + QLatin1Char(' ') + warmup;
    }
    if (!row.simulation && row.note.isEmpty()) row.note = session.why_unjudged(entry->id);
    rows.push_back(std::move(row));
  }
  const auto fastest = std::ranges::min_element(rows, {}, [](const PlanRow& row) {
    return row.measured ? row.measured->count : std::numeric_limits<double>::infinity();
  });
  if (fastest == rows.end() || !fastest->measured) return rows;
  for (PlanRow& row : rows) row.fastest = row.measured == fastest->measured;  // identical plans share their run
  return rows;
}

std::vector<Choice> shown_schedules(const std::vector<ScheduleChoice>& schedules) {
  std::vector<Choice> choices;
  for (const ScheduleChoice& schedule : schedules) {
    const auto draw = [example = schedule.example](QPainter& painter, const QRectF& area, const Theme& theme) {
      if (example) paint_small_gantt(painter, area, *example, example_span, theme);
    };
    choices.push_back({key_of(schedule.kind), schedule.title, schedule.summary, schedule.why_not, draw});
  }
  return choices;
}

QString run_title(const RunRecord& run) {
  QStringList parts{run.when.toString(QStringLiteral("HH:mm")), run.model, run.name};
  parts.removeAll(QString());  // a trace names no model
  return parts.join(QStringLiteral(" · "));
}

std::vector<ProjectEntry> tree_entries(const ProjectState& state, ProjectSection section) {
  std::vector<ProjectEntry> entries;
  switch (section) {
    case ProjectSection::profiles:
      for (const ProfileEntry& e : state.profiles) {
        entries.push_back({e.id, in_qt(e.profile->name), in_qt(e.profile->source), false});
      }
      break;
    case ProjectSection::clusters:
      for (const ClusterEntry& e : state.clusters) {
        entries.push_back({e.id, in_qt(e.cluster->name), summary(*e.cluster), false});
      }
      break;
    case ProjectSection::plans:
      for (const PlanEntry& e : state.plans) {
        const QString shape = e.feasible() ? in_qt(shape_text(*e.plan)) : e.note;
        const QString tip = e.remarks.isEmpty() ? shape : shape + QLatin1Char('\n') + e.remarks;
        entries.push_back({e.id, in_qt(e.plan->name), tip, !e.feasible()});
      }
      break;
    case ProjectSection::runs:
      for (const RunEntry& e : state.runs) {
        entries.push_back({e.id, run_title(*e.run),
                           e.run->message.isEmpty() ? run_outcome_name(e.run->state) : e.run->message,
                           e.run->state == RunOutcome::failed, e.run->name});
      }
      break;
  }
  return entries;
}

RunPrediction prediction_of(const Simulation& simulation) {
  RunPrediction prediction;
  prediction.samples_per_second = simulation.samples_per_second;
  for (const DeviceVerdict& device : simulation.devices) {
    prediction.busy.push_back(static_cast<double>(device.busy.count) /
                              static_cast<double>(std::max<std::int64_t>(1, simulation.iteration.count)));
    prediction.memory.push_back(device.peak);
  }
  return prediction;
}

std::vector<RunDifference> shown_differences(const TimelineDifference& difference) {
  std::vector<RunDifference> rows;
  for (const KindDifference& kind : difference.kinds) {
    rows.push_back({kind_text(kind.kind), kind.predicted, kind.measured, false});
  }
  rows.push_back({Words::tr("idle"), difference.predicted_idle, difference.measured_idle, false});
  rows.push_back({Words::tr("iteration"), difference.predicted_iteration, difference.measured_iteration, true});
  return rows;
}

std::vector<RunListEntry> run_list(const ProjectState& state) {
  std::vector<RunListEntry> list;
  for (auto entry = state.runs.rbegin(); entry != state.runs.rend(); ++entry) {
    const RunRecord& run = *entry->run;
    const bool failed = run.state == RunOutcome::failed;
    RunListEntry shown{entry->id, run_title(run), run.steps, run_outcome_name(run.state), {}, {}, run.message, failed};
    if (!failed) shown.measured = measured_iteration(run);
    if (run.plan.predicted) shown.predicted = run.plan.predicted->iteration;
    shown.energy = run.energy;
    shown.energy_a_sample = run.energy_a_sample;
    list.push_back(std::move(shown));
  }
  return list;
}

}  // namespace pipedeck::app
