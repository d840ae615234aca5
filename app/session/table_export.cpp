// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/table_export.hpp"
#include "app/session/plans/figures.hpp"

#include <filesystem>
#include <utility>

#include <QCoreApplication>

#include "app/session/project/content.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/csv/schedule.hpp"
#include "core/io/csv/tables.hpp"
#include "core/io/files.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::session {

namespace {

struct TablesText {
  Q_DECLARE_TR_FUNCTIONS(Tables)
};

struct TableNames {
  const char* name;
  const char* title;
};
constexpr TableNames names[table_count] = {
    {"plans", QT_TRANSLATE_NOOP("Tables", "Plans")},
    {"layers", QT_TRANSLATE_NOOP("Tables", "Layers of the profile")},
    {"stages", QT_TRANSLATE_NOOP("Tables", "Stages of the plan")},
    {"devices", QT_TRANSLATE_NOOP("Tables", "Devices of the plan")},
    {"memory", QT_TRANSLATE_NOOP("Tables", "Memory by item")},
    {"memory-curve", QT_TRANSLATE_NOOP("Tables", "Memory over time")},
    {"operations", QT_TRANSLATE_NOOP("Tables", "Operations of the plan")},
    {"parts", QT_TRANSLATE_NOOP("Tables", "Parts of the iteration")},
    {"waterfall", QT_TRANSLATE_NOOP("Tables", "Waterfall between two plans")},
    {"critical-path", QT_TRANSLATE_NOOP("Tables", "Critical path")},
    {"sensitivity", QT_TRANSLATE_NOOP("Tables", "Sensitivity")},
    {"steps", QT_TRANSLATE_NOOP("Tables", "Steps of the run")},
};

TableText made(const io::csv::CsvTable& table) { return {QString::fromStdString(table.text()), {}, false}; }
TableText none(const QString& why) { return {{}, why, false}; }
TableText later() { return {{}, {}, true}; }

/// Returns later() while figures are being computed.
TableText plans_text(Session& session) {
  const auto facts = session.facts();
  std::vector<io::csv::ComparedPlanFigures> rows;
  std::vector<std::shared_ptr<const study::PlanResult>> kept;
  for (const project::PlanEntry* entry : project::plans_of_question(session.state())) {
    io::csv::ComparedPlanFigures row{entry->plan.get(), nullptr, {}, {}, entry->note.toStdString()};
    if (entry->feasible()) {
      kept.push_back(session.plan_result(*entry));
      if (!kept.back() && session.simulation_error(entry->id).isEmpty()) return later();
      if (kept.back()) {
        row.simulation = kept.back()->simulation.get();
        row.utilization = plans::figures_of(session.state(), *entry, *entry->plan, *row.simulation).utilization;
      }
      if (facts) {
        row.single_device = facts->single_device;
        row.lower_bound = facts->bound_of(*entry->plan);
      }
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return none(TablesText::tr("There are no plans yet. Press Compare first."));
  return made(io::csv::plans_csv(rows));
}

TableText of_simulation(Session& session, const project::PlanEntry& entry,
                        io::csv::CsvTable (*table)(const Simulation&)) {
  const auto plan_result = session.plan_result(entry);
  if (!plan_result) {
    const QString why = session.simulation_error(entry.id);
    return why.isEmpty() ? later() : none(why);
  }
  return made(table(*plan_result->simulation));
}

io::csv::CsvTable operations_of(const Simulation& simulation) { return io::csv::operations_csv(simulation.timeline); }

template <class Use>
TableText of_explanation(Session& session, const project::PlanEntry& entry, const Use& use) {
  const auto known = session.explanation(entry);
  if (!known) return later();
  if (!known->unavailable_reason.isEmpty()) return none(known->unavailable_reason);
  return use(*known);
}

TableText waterfall_text(Session& session, const project::PlanEntry& to, int from_plan) {
  const project::PlanEntry* from = project::find_plan(session.state(), from_plan);
  if (!from || !from->feasible()) return none(TablesText::tr("Choose two plans on the Explain page first."));
  return of_explanation(session, *from, [&](const plans::Explanation& a) {
    return of_explanation(session, to, [&](const plans::Explanation& b) {
      return made(io::csv::waterfall_csv(waterfall(a.parts, b.parts), from->plan->name, to.plan->name));
    });
  });
}

TableText sensitivity_text(Session& session, const project::PlanEntry& entry) {
  const auto problem = project::make_problem(session.state(), entry);
  if (!problem) return none(TablesText::tr("Select a plan first."));
  if (const auto known = session.explainer().sensitivity(*problem, entry.plan))
    return made(io::csv::sensitivity_csv(*known));
  if (!session.explainer().finding_sensitivity()) session.explainer().find_sensitivity(*problem, entry.plan);
  return later();
}

TableText of_plan(Session& session, Table table, const TableContext& context) {
  const project::PlanEntry* entry = project::find_plan(session.state(), context.plan);
  if (!entry || !entry->feasible()) return none(TablesText::tr("Select a plan first."));
  switch (table) {
    case Table::stages:
      return made(io::csv::stages_csv(*entry->plan));
    case Table::devices:
      return of_simulation(session, *entry, io::csv::devices_csv);
    case Table::memory:
      return of_simulation(session, *entry, io::csv::memory_items_csv);
    case Table::memory_curve:
      return of_simulation(session, *entry, io::csv::memory_curve_csv);
    case Table::operations:
      return of_simulation(session, *entry, operations_of);
    case Table::parts:
      return of_explanation(session, *entry,
                            [](const plans::Explanation& e) { return made(io::csv::parts_csv(e.parts)); });
    case Table::critical_path:
      return of_explanation(session, *entry,
                            [](const plans::Explanation& e) { return made(io::csv::critical_path_csv(*e.path)); });
    case Table::sensitivity:
      return sensitivity_text(session, *entry);
    default:
      return waterfall_text(session, *entry, context.from_plan);
  }
}

}  // namespace

QString table_name(Table table) { return QLatin1String(names[static_cast<std::size_t>(table)].name); }
QString table_title(Table table) { return TablesText::tr(names[static_cast<std::size_t>(table)].title); }

TableText table_text(Session& session, Table table, const TableContext& context) {
  if (table == Table::plans) return plans_text(session);
  if (table == Table::layers) {
    const project::ProfileEntry* entry = project::find_profile(session.state(), context.profile);
    return entry ? made(io::csv::layers_csv(*entry->profile)) : none(TablesText::tr("Choose a model first."));
  }
  if (table != Table::steps) return of_plan(session, table, context);
  const project::RunEntry* entry = project::find_run(session.state(), context.run);
  if (!entry) return none(TablesText::tr("Select a run first."));
  const auto whole = project::with_traces(entry->run);
  return whole ? made(io::csv::steps_csv((*whole)->events)) : none(text::to_qstring(whole.error()));
}

QString markdown_of_csv(const QString& csv) {
  QString text = QStringLiteral("| "), rule = QStringLiteral("|");
  bool quoted = false, first = true;
  const auto end_field = [&] {
    if (first) rule += QStringLiteral(" --- |");
  };
  for (qsizetype i = 0; i < csv.size(); ++i) {
    const QChar c = csv[i];
    if (c == u'"') {
      const bool doubled = quoted && i + 1 < csv.size() && csv[i + 1] == u'"';
      if (doubled)
        text += csv[++i];
      else
        quoted = !quoted;
    } else if (quoted && (c == u'\n' || c == u'\r')) {
      text += u' ';
    } else if (c == u',' && !quoted) {
      end_field();
      text += QStringLiteral(" | ");
    } else if (c == u'\n') {
      end_field();
      text += QStringLiteral(" |\n");
      if (std::exchange(first, false)) text += rule + u'\n';
      if (i + 1 < csv.size()) text += QStringLiteral("| ");
    } else if (c == u'|') {
      text += QStringLiteral("\\|");
    } else if (c != u'\r') {
      text += c;
    }
  }
  return text;
}

QString write_text(const QString& file, const std::string& text) {
  const auto written = io::write_file(file.toStdString(), text);
  return written ? QString() : text::to_qstring(written.error());
}

Result<std::string> job_script_of(const project::State& state, int plan, const io::documents::JobOptions& how) {
  const project::PlanEntry* entry = project::find_plan(state, plan);
  if (!entry || !entry->feasible()) return fail(ErrorCode::bad_usage, "select a plan first");
  const project::ProfileEntry* profile = project::find_profile(state, entry->profile);
  if (!profile || !profile->model)
    return fail(ErrorCode::bad_usage,
                "only a profile is known of this model, not its layers: import a model file to train it");
  ModelSpec model = *profile->model;
  // The script runs in another folder.
  if (!model.data.path.empty()) model.data.path = std::filesystem::absolute(model.data.path).lexically_normal();
  return io::documents::job_script(how, *entry->plan, model);
}

Result<std::string> schedule_csv_of(const project::State& state, int plan) {
  const project::PlanEntry* entry = project::find_plan(state, plan);
  const auto problem = entry && entry->feasible() ? project::make_problem(state, *entry) : std::nullopt;
  if (!problem) return fail(ErrorCode::bad_usage, "select a plan first");
  TRY(const auto simulator, sim::Simulator::of(problem->profile, problem->cluster, problem->workload.conventions));
  TRY(const auto schedule, simulator.schedule(*entry->plan));
  return io::csv::schedule_to_csv(schedule);
}

}  // namespace pipedeck::session
