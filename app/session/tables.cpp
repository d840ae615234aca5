// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/tables.hpp"

#include <filesystem>

#include <QCoreApplication>

#include "app/session/project_content.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/csv_tables.hpp"
#include "core/io/files.hpp"
#include "core/io/schedule_csv.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::app {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::Tables)
};

struct TableNames {
  const char* name;
  const char* title;
};
constexpr TableNames names[table_count] = {
    {"plans", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Plans")},
    {"layers", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Layers of the profile")},
    {"stages", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Stages of the plan")},
    {"devices", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Devices of the plan")},
    {"memory", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Memory by item")},
    {"memory-curve", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Memory over time")},
    {"operations", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Operations of the plan")},
    {"parts", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Parts of the iteration")},
    {"waterfall", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Waterfall between two plans")},
    {"critical-path", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Critical path")},
    {"sensitivity", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Sensitivity")},
    {"steps", QT_TRANSLATE_NOOP("pipedeck::app::Tables", "Steps of the run")},
};

TableText made(const CsvTable& table) { return {QString::fromStdString(table.text()), {}, false}; }
TableText none(const QString& why) { return {{}, why, false}; }
TableText later() { return {{}, {}, true}; }

/// Returns later() while figures are being computed.
TableText plans_text(Session& session) {
  const auto facts = session.facts();
  std::vector<ComparedPlanFigures> rows;
  std::vector<std::shared_ptr<const Verdict>> kept;
  for (const PlanEntry* entry : plans_of_question(session.state())) {
    ComparedPlanFigures row{entry->plan.get(), nullptr, {}, {}, entry->note.toStdString()};
    if (entry->feasible()) {
      kept.push_back(session.verdict(*entry));
      if (!kept.back() && session.why_unjudged(entry->id).isEmpty()) return later();
      if (kept.back()) row.simulation = kept.back()->simulation.get();
      if (facts) {
        row.single_device = facts->single_device;
        row.lower_bound = facts->bound_of(*entry->plan);
      }
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return none(Words::tr("There are no plans yet: press Compare first."));
  return made(plans_csv(rows));
}

TableText of_simulation(Session& session, const PlanEntry& entry, CsvTable (*table)(const Simulation&)) {
  const auto verdict = session.verdict(entry);
  if (!verdict) {
    const QString why = session.why_unjudged(entry.id);
    return why.isEmpty() ? later() : none(why);
  }
  return made(table(*verdict->simulation));
}

CsvTable operations_of(const Simulation& simulation) { return operations_csv(simulation.timeline); }

template <class Use>
TableText of_explanation(Session& session, const PlanEntry& entry, const Use& use) {
  const auto known = session.explanation(entry);
  if (!known) return later();
  if (!known->why_not.isEmpty()) return none(known->why_not);
  return use(*known);
}

TableText waterfall_text(Session& session, const PlanEntry& to, int from_plan) {
  const PlanEntry* from = find_plan(session.state(), from_plan);
  if (!from || !from->feasible()) return none(Words::tr("Choose two plans on the Explain page first."));
  return of_explanation(session, *from, [&](const Explanation& a) {
    return of_explanation(session, to, [&](const Explanation& b) {
      return made(waterfall_csv(waterfall(a.parts, b.parts), from->plan->name, to.plan->name));
    });
  });
}

TableText sensitivity_text(Session& session, const PlanEntry& entry) {
  const auto problem = problem_of(session.state(), entry);
  if (!problem) return none(Words::tr("Select a plan first."));
  if (const auto known = session.explainer().sensitivity(*problem, entry.plan)) return made(sensitivity_csv(*known));
  if (!session.explainer().finding_sensitivity()) session.explainer().find_sensitivity(*problem, entry.plan);
  return later();
}

TableText of_plan(Session& session, Table table, const TableContext& context) {
  const PlanEntry* entry = find_plan(session.state(), context.plan);
  if (!entry || !entry->feasible()) return none(Words::tr("Select a plan first."));
  switch (table) {
    case Table::stages:
      return made(stages_csv(*entry->plan));
    case Table::devices:
      return of_simulation(session, *entry, devices_csv);
    case Table::memory:
      return of_simulation(session, *entry, memory_items_csv);
    case Table::memory_curve:
      return of_simulation(session, *entry, memory_curve_csv);
    case Table::operations:
      return of_simulation(session, *entry, operations_of);
    case Table::parts:
      return of_explanation(session, *entry, [](const Explanation& e) { return made(parts_csv(e.parts)); });
    case Table::critical_path:
      return of_explanation(session, *entry, [](const Explanation& e) { return made(critical_path_csv(*e.path)); });
    case Table::sensitivity:
      return sensitivity_text(session, *entry);
    default:
      return waterfall_text(session, *entry, context.from_plan);
  }
}

}  // namespace

QString table_name(Table table) { return QLatin1String(names[static_cast<std::size_t>(table)].name); }
QString table_title(Table table) { return Words::tr(names[static_cast<std::size_t>(table)].title); }

TableText table_text(Session& session, Table table, const TableContext& context) {
  if (table == Table::plans) return plans_text(session);
  if (table == Table::layers) {
    const ProfileEntry* entry = find_profile(session.state(), context.profile);
    return entry ? made(layers_csv(*entry->profile)) : none(Words::tr("Choose a model first."));
  }
  if (table != Table::steps) return of_plan(session, table, context);
  const RunEntry* entry = find_run(session.state(), context.run);
  if (!entry) return none(Words::tr("Select a run first."));
  const auto whole = with_traces(entry->run);
  return whole ? made(steps_csv((*whole)->events)) : none(in_qt(whole.error()));
}

QString write_text(const QString& file, const std::string& text) {
  const auto written = write_file(file.toStdString(), text);
  return written ? QString() : in_qt(written.error());
}

Result<std::string> job_script_of(const ProjectState& state, int plan, const JobHow& how) {
  const PlanEntry* entry = find_plan(state, plan);
  if (!entry || !entry->feasible()) return fail(ErrorCode::bad_usage, "select a plan first");
  const ProfileEntry* profile = find_profile(state, entry->profile);
  if (!profile || !profile->model)
    return fail(ErrorCode::bad_usage,
                "only a profile is known of this model, not its layers: import a model file to train it");
  ModelSpec model = *profile->model;
  // The script runs in another folder.
  if (!model.data.path.empty()) model.data.path = std::filesystem::absolute(model.data.path).lexically_normal();
  return job_script(how, *entry->plan, model);
}

Result<std::string> schedule_csv_of(const ProjectState& state, int plan) {
  const PlanEntry* entry = find_plan(state, plan);
  const auto problem = entry && entry->feasible() ? problem_of(state, *entry) : std::nullopt;
  if (!problem) return fail(ErrorCode::bad_usage, "select a plan first");
  const auto simulator = Simulator::of(problem->profile, problem->cluster, problem->workload.conventions);
  if (!simulator) return tl::unexpected(simulator.error());
  const auto schedule = simulator->schedule(*entry->plan);
  if (!schedule) return tl::unexpected(schedule.error());
  return schedule_to_csv(*schedule);
}

}  // namespace pipedeck::app
