// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/palette/sources.hpp"

#include <algorithm>
#include <set>

#include <QAction>
#include <QCoreApplication>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>

#include "app/models/format.hpp"
#include "app/models/gantt/query.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/actions/availability.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/chart_search.hpp"

namespace pipedeck::ui::palette {

namespace {

struct SourceText {
  Q_DECLARE_TR_FUNCTIONS(Palette)
};

QString without_mnemonic(QString text) {
  text.replace(QStringLiteral("&&"), QStringLiteral("\1"));
  text.remove(u'&');
  return text.replace(u'\1', u'&');
}

QString reason_of(const QAction& action) {
  if (action.isEnabled()) return {};
  const QString reason = actions::unavailable_reason(action);
  if (!reason.isEmpty()) return reason;
  const bool has_reason =
      action.toolTip() != without_mnemonic(action.text());  // actions with a reason as their tool tip
  return has_reason ? action.toolTip() : SourceText::tr("not available now");
}

/// Collects a menu's actions; those of submenus have names such as "Export: Plan…".
void add_menu(QMenu& menu, const QStringList& within, Entries& entries, std::set<const QAction*>& seen) {
  emit menu.aboutToShow();  // some menus are filled when they open
  for (QAction* action : menu.actions()) {
    if (action->menu()) {
      add_menu(*action->menu(), QStringList(within) << without_mnemonic(action->text()), entries, seen);
      continue;
    }
    if (action->isSeparator() || action->text().isEmpty() || !action->isVisible() || !seen.insert(action).second)
      continue;
    QString text = without_mnemonic(action->text());
    if (within.size() > 1) text = within.mid(1).join(QStringLiteral(": ")) + QStringLiteral(": ") + text;
    if (action->isCheckable() && action->isChecked()) text += QStringLiteral("  ✓");
    QStringList keys;
    for (const QKeySequence& key : action->shortcuts()) keys << key.toString(QKeySequence::NativeText);
    const QString own = without_mnemonic(action->text());
    QString detail = action->toolTip() == own || own.startsWith(action->toolTip()) ? QString() : action->toolTip();
    if (detail.isEmpty()) detail = SourceText::tr("%1 menu").arg(within.first());
    entries.push_back({Group::action, text, detail, keys.value(0), reason_of(*action), action->objectName(),
                       [action = QPointer(action)] {
                         if (action) action->trigger();  // its menu may have been filled anew
                       }});
  }
}

QString question_text(const session::project::State& state, const session::project::PlanEntry& entry) {
  const session::project::ProfileEntry* profile = session::project::find_profile(state, entry.profile);
  const session::project::ClusterEntry* cluster = session::project::find_cluster(state, entry.cluster);
  return QStringList{profile ? text::to_qstring(profile->profile->name) : QString(),
                     cluster ? text::to_qstring(cluster->cluster->name) : QString(),
                     SourceText::tr("batch %1").arg(entry.plan->global_batch)}
      .join(QStringLiteral(" · "));
}

QString plan_detail(session::Session& session, const session::project::PlanEntry& entry) {
  QString detail = question_text(session.state(), entry);
  const auto problem = session::project::make_problem(session.state(), entry);
  const auto known = problem ? session.plan_simulator().find(*problem, *entry.plan) : nullptr;
  if (known && known->simulation) detail += QStringLiteral(" · ") + models::format_time(known->simulation->iteration);
  return detail;
}

/// Appends the project's own entries, then the presets that it does not have.
template <class Own, class Name>
void add_choices(Entries& entries, Group group, const std::vector<Own>& own, const Name& name, int chosen,
                 const QStringList& presets, const std::function<void(int)>& choose,
                 const std::function<void(const QString&)>& choose_preset) {
  QStringList there;
  for (const Own& entry : own) {
    there << name(entry);
    entries.push_back({group,
                       name(entry),
                       entry.id == chosen ? SourceText::tr("in use") : SourceText::tr("of this project"),
                       {},
                       {},
                       {},
                       [choose, id = entry.id] { choose(id); }});
  }
  for (const QString& preset : presets)
    if (!there.contains(preset))
      entries.push_back(
          {group, preset, SourceText::tr("preset"), {}, {}, {}, [choose_preset, preset] { choose_preset(preset); }});
}

/// Returns up to `most` operations that match, in the order of the chart's lanes.
std::vector<std::size_t> first_operations(const models::gantt::Content& content, const models::gantt::Query& query,
                                          std::size_t most) {
  constexpr std::size_t most_read = 2'000'000;  // a large timeline is searched by the charts' own search
  std::vector<std::size_t> found;
  std::size_t read = 0;
  const Timeline& timeline = *content.timeline;
  for (const std::size_t lane : models::gantt::drawn_lanes(content)) {
    if (query.device) {
      const auto group = content.group_of(*query.device);
      if (!group || (content.groups[*group].compute != lane && content.groups[*group].collective != lane)) continue;
    }
    for (std::size_t i = timeline.lanes[lane].begin; i < timeline.lanes[lane].end && found.size() < most; ++i) {
      if (++read > most_read) return found;
      if (query.matches(timeline.kind[i], timeline.stage[i], timeline.micro_batch[i])) found.push_back(i);
    }
  }
  return found;
}

}  // namespace

Entries action_entries(const QMainWindow& window) {
  Entries entries;
  std::set<const QAction*> seen;
  const auto* bar = qobject_cast<const QMenuBar*>(window.menuWidget());
  if (!bar) return entries;
  for (const QAction* title : bar->actions())
    if (title->menu()) add_menu(*title->menu(), {without_mnemonic(title->text())}, entries, seen);
  std::erase_if(entries, [](const Entry& entry) { return entry.id == QLatin1String("action_palette"); });
  return entries;
}

Entries project_entries(session::Session& session, const Choices& choices) {
  const session::project::State& state = session.state();
  Entries entries;
  for (const session::project::PlanEntry& entry : state.plans)
    entries.push_back({Group::plan,
                       text::to_qstring(entry.plan->name),
                       plan_detail(session, entry),
                       {},
                       {},
                       {},
                       [choose = choices.plan, id = entry.id] { choose(id); }});
  add_choices(
      entries, Group::model, state.profiles, [](const auto& entry) { return text::to_qstring(entry.profile->name); },
      state.question.profile, session::project::profile_preset_list(), choices.profile, choices.profile_preset);
  add_choices(
      entries, Group::cluster, state.clusters, [](const auto& entry) { return text::to_qstring(entry.cluster->name); },
      state.question.cluster, session::project::cluster_preset_list(), choices.cluster, choices.cluster_preset);
  return entries;
}

Entries operation_entries(views::compare::Pane& charts, const QString& query, const std::function<void()>& show) {
  constexpr std::size_t most = 50;
  Entries entries;
  views::gantt::View* chart = nullptr;
  for (views::compare::PlanPanel* panel : charts.panels())
    if (!chart || panel->selected()) chart = &panel->gantt();
  if (!chart || !chart->content() || chart->content()->preview) {
    entries.push_back(
        {Group::operation, SourceText::tr("No chart is shown"), {}, {}, SourceText::tr("compare plans first"), {}, {}});
    return entries;
  }
  models::gantt::QueryWords words;
  for (int kind = 0; kind < op_kind_count; ++kind) words.kinds << views::widgets::kind_text(static_cast<OpKind>(kind));
  words.devices = chart->device_names();
  const models::gantt::ParsedQuery parsed = models::gantt::parse_gantt_query(query, words);
  if (!parsed.problem.isEmpty()) {
    entries.push_back({Group::operation, query, {}, {}, parsed.problem, {}, {}});
    return entries;
  }
  if (!parsed.query.empty())
    entries.push_back({Group::operation,
                       SourceText::tr("Find “%1” in all charts").arg(query),
                       {},
                       {},
                       {},
                       {},
                       [&charts, query, show] {
                         show();
                         charts.search().open(query);
                       }});
  const models::gantt::Content& content = *chart->content();
  for (const std::size_t at : first_operations(content, parsed.query, most)) {
    const TimelineRow row = content.timeline->row(at);
    QStringList text{views::widgets::kind_text(row.operation.kind)};
    if (row.operation.kind != OpKind::all_reduce && row.operation.kind != OpKind::optimizer)
      text << SourceText::tr("micro-batch %1").arg(row.operation.micro_batch);
    text << SourceText::tr("stage %1").arg(row.operation.stage.value);
    entries.push_back(
        {Group::operation,
         text.join(QStringLiteral(" · ")),
         QStringLiteral("%1  (%2)").arg(models::format_span(row.start, row.end()), models::format_time(row.duration)),
         {},
         {},
         {},
         [guard = QPointer(chart), content = chart->content(), at, show] {
           show();
           if (guard && guard->content() == content) guard->show_operation(at);
         }});
  }
  return entries;
}

}  // namespace pipedeck::ui::palette
