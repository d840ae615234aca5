// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/plan_actions.hpp"

#include <algorithm>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMenu>
#include <QMimeData>

#include "app/session/plans/clipboard.hpp"
#include "app/ui/actions/availability.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/compare/project_tree.hpp"
#include "app/views/widgets/notes_edit.hpp"

namespace pipedeck::ui::actions {

namespace {

/// Stored next to the plans' text, which cannot hold them: an array of strings, in the plans' order.
const QString remarks_format = QStringLiteral("application/x-pipedeck-remarks+json");

QStringList remarks_in(const QMimeData& data) {
  QStringList remarks;
  for (const QJsonValue& value : QJsonDocument::fromJson(data.data(remarks_format)).array())
    remarks << value.toString();
  return remarks;
}

QString name_of_plan(const session::project::State& state, int id) {
  const session::project::PlanEntry* entry = session::project::find_plan(state, id);
  return entry ? QString::fromStdString(entry->plan->name) : QString();
}

}  // namespace

PlanActions::PlanActions(PlanContext scene)
    : QObject(scene.window),
      scene_(std::move(scene)),
      cut_(make(tr("Cu&t"), "action_cut", QKeySequence::Cut, &PlanActions::cut)),
      copy_(make(tr("&Copy"), "action_copy", QKeySequence::Copy, &PlanActions::copy)),
      paste_(make(tr("&Paste"), "action_paste", QKeySequence::Paste, &PlanActions::paste)),
      select_all_(make(tr("Select &all"), "action_select_all", QKeySequence::SelectAll, &PlanActions::select_all)),
      duplicate_(
          make(tr("&Duplicate"), "action_duplicate", QKeySequence(Qt::CTRL | Qt::Key_D), &PlanActions::duplicate)),
      rename_(make(tr("&Rename"), "action_rename", QKeySequence(Qt::Key_F2), &PlanActions::rename)),
      note_(make(tr("&Notes"), "action_notes", QKeySequence(Qt::SHIFT | Qt::Key_F2), &PlanActions::note)),
      tick_(make(tr("&Show or hide charts"), "action_tick", {}, &PlanActions::tick)),
      remove_(make(tr("De&lete"), "action_delete", QKeySequence::Delete, &PlanActions::remove)) {
  cut_->setToolTip(tr("Copy the selected plans, then delete them"));
  copy_->setToolTip(tr("Copy the selected plans as text, for this or another project"));
  paste_->setToolTip(tr("Paste plans from the clipboard, for the chosen model and cluster"));
  connect(scene_.table, &views::compare::PlanTable::selection_changed, this, &PlanActions::update);
  connect(scene_.table, &views::compare::PlanTable::ticks_changed, this, &PlanActions::tick);
  connect(scene_.table, &views::compare::PlanTable::plan_renamed, this, [this](int id, const QString& name) {
    rename_entry(static_cast<int>(models::compare::ProjectSection::plans), id, name);
  });
  connect(scene_.tree, &views::compare::ProjectTree::selection_changed, this, &PlanActions::update);
  connect(scene_.tree_model, &models::compare::ProjectTreeModel::question_renamed, scene_.session,
          &session::Session::rename_question);
  connect(scene_.tree_model, &models::compare::ProjectTreeModel::renamed, this,
          [this](models::compare::ProjectSection section, int id, const QString& name) {
            rename_entry(static_cast<int>(section), id, name);
          });
  connect(scene_.notes, &views::widgets::NotesEdit::edited, this, [this](int id, const QString& notes) {
    scene_.session->change(tr("Notes on %1").arg(name_of_plan(scene_.session->state(), id)),
                           session::project::with_remarks(scene_.session->state(), id, notes));
  });
  connect(qApp, &QApplication::focusChanged, this, &PlanActions::update);
  connect(QApplication::clipboard(), &QClipboard::dataChanged, this, &PlanActions::update);
}

QAction* PlanActions::make(const QString& text, const char* name, const QKeySequence& shortcut,
                           void (PlanActions::*run)()) {
  auto* action = new QAction(text, scene_.window);
  action->setObjectName(QLatin1String(name));
  action->setShortcut(shortcut);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(action, &QAction::triggered, this, run);
  return action;
}

void PlanActions::fill_edit_menu(QMenu* menu) {
  menu->addSeparator();
  menu->addActions({cut_, copy_, paste_, select_all_});
}

void PlanActions::fill_plan_menu(QMenu* menu) { menu->addActions({duplicate_, rename_, note_, tick_, remove_}); }

void PlanActions::scope_shortcuts(const QList<QWidget*>& widgets) {
  for (QWidget* widget : widgets)
    for (QAction* action : {cut_, copy_, paste_, select_all_, duplicate_, rename_, note_, remove_})
      widget->addAction(action);
}

QList<QAction*> PlanActions::for_plans() const {
  return {cut_, copy_, paste_, duplicate_, rename_, note_, tick_, remove_};
}

bool PlanActions::in_tree() const {
  const QWidget* focus = QApplication::focusWidget();
  return focus && (focus == scene_.tree || scene_.tree->isAncestorOf(focus));
}

PlanActions::Chosen PlanActions::chosen() const {
  const auto of = [this](models::compare::ProjectSection section) { return scene_.tree->selected_entries(section); };
  if (in_tree())
    return {of(models::compare::ProjectSection::profiles), of(models::compare::ProjectSection::clusters),
            of(models::compare::ProjectSection::plans), of(models::compare::ProjectSection::runs)};
  session::project::Ids plans = scene_.table->selected_plans();
  const int selected = scene_.session->state().selected_plan;
  if (plans.empty() && selected > 0) plans = {selected};
  return {{}, {}, std::move(plans), {}};
}

void PlanActions::update() {
  const Chosen now = chosen();
  const session::project::State& state = scene_.session->state();
  const auto feasible = [&](int id) {
    const session::project::PlanEntry* entry = session::project::find_plan(state, id);
    return entry && entry->feasible();
  };
  const bool plans = std::ranges::any_of(now.plans, feasible);
  const QString no_plan = tr("Select a plan first."), nothing = tr("Select an entry of the project first.");
  const auto need = [](QAction* action, bool there, const QString& reason) {
    set_available(*action, there ? QString() : reason);
  };
  need(cut_, plans, no_plan);
  need(copy_, plans, no_plan);
  const QMimeData* clipboard = QApplication::clipboard()->mimeData();
  need(paste_, clipboard && clipboard->hasText(), tr("The clipboard has no text of plans."));
  need(select_all_, !state.plans.empty(), tr("There are no plans yet."));
  need(duplicate_, plans || !now.profiles.empty() || !now.clusters.empty(), nothing);
  need(rename_, !now.empty() || (in_tree() && scene_.tree->question_current()), nothing);
  need(note_, session::project::find_plan(state, state.selected_plan), no_plan);
  need(tick_, plans, no_plan);
  need(remove_, !now.empty(), nothing);
}

void PlanActions::cut() {
  const Chosen now = chosen();
  copy();
  const QString name = now.plans.size() == 1 ? tr("Cut %1").arg(name_of_plan(scene_.session->state(), now.plans[0]))
                                             : tr("Cut %1 plans").arg(now.plans.size());
  scene_.session->change(name, session::project::without_plans(scene_.session->state(), now.plans));
}

void PlanActions::copy() {
  const session::project::State& state = scene_.session->state();
  QJsonArray remarks;
  session::project::Ids plans = chosen().plans;
  std::erase_if(plans, [&](int id) { return !session::project::find_plan(state, id)->feasible(); });
  for (const int id : plans) remarks.append(session::project::find_plan(state, id)->remarks);
  auto* data = new QMimeData;
  data->setText(QString::fromStdString(session::plans::plans_to_text(state, plans)));
  data->setData(remarks_format, QJsonDocument(remarks).toJson(QJsonDocument::Compact));
  QApplication::clipboard()->setMimeData(data);
  emit scene_.session->notice(plans.size() == 1 ? tr("Copied %1").arg(name_of_plan(state, plans[0]))
                                                : tr("Copied %1 plans").arg(plans.size()));
}

void PlanActions::paste() {
  const QMimeData* data = QApplication::clipboard()->mimeData();
  if (!data) return;
  auto pasted =
      session::plans::with_plans_pasted(scene_.session->state(), data->text().toStdString(), remarks_in(*data));
  if (!pasted) {
    scene_.dialogs.error(scene_.window, tr("Paste plans"), QString::fromStdString(pasted.error().message));
    return;
  }
  const session::project::Ids ids = pasted->ids;
  const QString name =
      ids.size() == 1 ? tr("Paste %1").arg(name_of_plan(pasted->state, ids[0])) : tr("Paste %1 plans").arg(ids.size());
  scene_.session->change(name, std::move(pasted->state));
  scene_.table->select_plans(ids);
  if (!pasted->warning.isEmpty()) scene_.dialogs.error(scene_.window, tr("Paste plans"), pasted->warning);
}

void PlanActions::select_all() { in_tree() ? scene_.tree->select_all_plans() : scene_.table->selectAll(); }

void PlanActions::duplicate() {
  const Chosen now = chosen();
  session::project::AddedSeveral added = session::project::with_plans_duplicated(scene_.session->state(), now.plans);
  for (const int id : now.profiles)
    added.state = session::project::with_profile_duplicated(std::move(added.state), id).state;
  for (const int id : now.clusters)
    added.state = session::project::with_cluster_duplicated(std::move(added.state), id).state;
  const bool only_plans = now.profiles.empty() && now.clusters.empty();
  const QString name = !only_plans             ? tr("Duplicate")
                       : added.ids.size() == 1 ? tr("Duplicate plan")
                                               : tr("Duplicate %1 plans").arg(added.ids.size());
  scene_.session->change(name, std::move(added.state));
  if (added.ids.size() > 1) scene_.table->select_plans(added.ids);
}

void PlanActions::rename() {
  const int plan = scene_.session->state().selected_plan;
  if (in_tree()) {
    scene_.tree->edit_current_name();
  } else if (scene_.table->isVisible()) {
    scene_.table->edit_name(plan);
  } else if (const session::project::PlanEntry* entry = session::project::find_plan(scene_.session->state(), plan)) {
    const auto name =
        scene_.dialogs.text(scene_.window, tr("Rename plan"), tr("Name"), QString::fromStdString(entry->plan->name));
    if (name) rename_entry(static_cast<int>(models::compare::ProjectSection::plans), plan, *name);
  }
}

void PlanActions::rename_entry(int section, int id, const QString& name) {
  session::Session& session = *scene_.session;
  switch (static_cast<models::compare::ProjectSection>(section)) {
    case models::compare::ProjectSection::profiles:
      session.change(tr("Rename model"), session::project::with_profile_renamed(session.state(), id, name));
      break;
    case models::compare::ProjectSection::clusters:
      session.change(tr("Rename cluster"), session::project::with_cluster_renamed(session.state(), id, name));
      break;
    case models::compare::ProjectSection::plans:
      session.change(tr("Rename plan"), session::project::with_plan_renamed(session.state(), id, name));
      break;
    case models::compare::ProjectSection::runs:
      session.change(tr("Rename run"), session::project::with_run_renamed(session.state(), id, name));
      break;
  }
}

void PlanActions::note() {
  for (QWidget* parent = scene_.notes->parentWidget(); parent; parent = parent->parentWidget())
    if (!parent->isWindow() && parent->isHidden()) parent->show();  // its dock was closed
  scene_.notes->field().setFocus(Qt::ShortcutFocusReason);
}

void PlanActions::tick() {
  const session::project::State& state = scene_.session->state();
  const session::project::Ids plans = chosen().plans;
  if (plans.empty()) return;
  const session::project::PlanEntry* current = session::project::find_plan(state, state.selected_plan);
  const bool on = current && !current->ticked;
  const QString name = plans.size() == 1 ? (on ? tr("Show %1") : tr("Hide %1")).arg(name_of_plan(state, plans[0]))
                                         : (on ? tr("Show %1 plans") : tr("Hide %1 plans")).arg(plans.size());
  scene_.session->change(name, session::project::with_plans_ticked(state, plans, on));
}

void PlanActions::remove() {
  const Chosen now = chosen();
  const session::project::State& state = scene_.session->state();
  session::project::State next = session::project::without_plans(state, now.plans);
  for (const int id : now.runs) next = session::project::without_run(std::move(next), id);
  for (const int id : now.profiles) next = session::project::without_profile(std::move(next), id);
  for (const int id : now.clusters) next = session::project::without_cluster(std::move(next), id);
  QString name;
  if (now.size() > 1) {
    name = now.plans.size() == now.size() ? tr("Delete %1 plans").arg(now.plans.size())
                                          : tr("Delete %1 entries").arg(now.size());
  } else if (!now.plans.empty()) {
    name = tr("Delete %1").arg(name_of_plan(state, now.plans[0]));
  } else if (!now.runs.empty()) {
    name = tr("Delete run %1").arg(session::project::find_run(state, now.runs[0])->run->name);
  } else if (!now.profiles.empty()) {
    name = tr("Delete %1")
               .arg(QString::fromStdString(session::project::find_profile(state, now.profiles[0])->profile->name));
  } else if (!now.clusters.empty()) {
    name = tr("Delete %1")
               .arg(QString::fromStdString(session::project::find_cluster(state, now.clusters[0])->cluster->name));
  }
  scene_.session->change(name, std::move(next));
}

}  // namespace pipedeck::ui::actions
