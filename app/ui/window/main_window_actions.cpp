// SPDX-License-Identifier: GPL-3.0-or-later
// Menus and actions. Every action has an object name, so that tests and settings can find it.
#include "app/ui/window/main_window_actions.hpp"

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QKeySequence>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QUrl>

#include "app/session/trace_export.hpp"
#include "app/ui/actions/autopsies.hpp"
#include "app/ui/actions/availability.hpp"
#include "app/ui/actions/chart_actions.hpp"
#include "app/ui/actions/exports.hpp"
#include "app/ui/actions/machine_imports.hpp"
#include "app/ui/actions/plan_actions.hpp"
#include "app/ui/actions/profile_actions.hpp"
#include "app/ui/actions/topology_actions.hpp"
#include "app/ui/actions/topology_groups.hpp"
#include "app/ui/actions/written_note.hpp"
#include "app/ui/help/about_dialog.hpp"
#include "app/ui/help/help_texts.hpp"
#include "app/ui/help/help_window.hpp"
#include "app/ui/help/shortcut_overlay.hpp"
#include "app/ui/layout/side_panels.hpp"
#include "app/ui/layout/zoom.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/explain_page.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/ui/palette/install.hpp"
#include "app/ui/window/jobs_line.hpp"
#include "app/ui/window/setup_bar.hpp"
#include "app/ui/window/view_keys.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/inspector.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/compare/project_tree.hpp"
#include "app/views/gantt/pointer_keys.hpp"
#include "app/views/profile/view.hpp"
#include "app/views/run/view.hpp"
#include "app/views/split/editor.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/whatif/explain_view.hpp"
#include "app/views/widgets/column_menu.hpp"

namespace pipedeck::ui::window {

namespace {

QString trace_name(const session::project::PlanEntry* entry) {
  QString name = entry ? QString::fromStdString(entry->plan->name).toLower() : QStringLiteral("plan");
  return name.replace(QRegularExpression(QStringLiteral("[^a-z0-9]+")), QStringLiteral("-")) +
         QStringLiteral(".trace.json");
}

}  // namespace

QAction* MainWindow::add_action(QMenu* menu, const QString& text, const char* name, const QKeySequence& shortcut,
                                const std::function<void()>& run) {
  QAction* action = menu->addAction(text);
  action->setObjectName(QLatin1String(name));
  action->setShortcut(shortcut);
  if (run) connect(action, &QAction::triggered, this, run);
  return action;
}

void MainWindow::create_actions() {
  create_file_menu();
  create_edit_menu();
  create_view_menu();
  create_plan_menu();
  auto* editing = new actions::TopologyEditing(
      session_, *topology_view_, [this](int id) { show_entry(models::compare::ProjectSection::clusters, id); }, this);
  connect(editing, &actions::TopologyEditing::import_requested, this, &MainWindow::import_with_dialog);
  connect(editing, &actions::TopologyEditing::import_of_this_machine_requested,
          findChild<QAction*>("action_import_machine"), &QAction::trigger);
  connect(editing, &actions::TopologyEditing::import_of_cloud_requested, findChild<QAction*>("action_import_cloud"),
          &QAction::trigger);
  new actions::TopologyGroups(session_, *topology_view_, this);
  (new actions::TopologyActions(
       *editing, [this] { show_page(Page::topology); }, this))
      ->fill_menu(menuBar()->addMenu(tr("C&luster")));
  create_run_menu();
  create_copy_menu();
  offer_context_actions();
  create_help_menu();
}

void MainWindow::create_file_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&File"));
  add_action(menu, tr("&New"), "action_new", QKeySequence::New, [this] { new_project(); });
  add_action(menu, tr("Open &sample project"), "action_sample", {}, [this] {
    if (may_discard()) open_sample();
  });
  add_action(menu, tr("&Open…"), "action_open", QKeySequence::Open, [this] { open_with_dialog(); });
  QMenu* recent = menu->addMenu(tr("Open &recent"));
  recent->setObjectName(QStringLiteral("recent_menu"));
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { fill_recent_menu(recent); });
  menu->addSeparator();
  actions_->save = add_action(menu, tr("&Save"), "action_save", QKeySequence::Save, [this] { save(); });
  add_action(menu, tr("Save &as…"), "action_save_as", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
             [this] { save_as(); });
  menu->addSeparator();
  add_action(menu, tr("&Import…"), "action_import", QKeySequence(Qt::CTRL | Qt::Key_I),
             [this] { import_with_dialog(); });
  add_action(menu, tr("&Autopsy of a run…"), "action_autopsy", {},
             [this] { actions::open_autopsy(*this, session_, seams_.dialogs); });
  add_action(menu, tr("Import this &machine…"), "action_import_machine", {},
             [this] { actions::import_this_machine(*this, session_, seams_.dialogs, seams_.runner); });
  add_action(menu, tr("Add c&loud machines…"), "action_import_cloud", {},
             [this] { actions::import_cloud_machines(*this, session_, seams_.dialogs); });
  create_export_menu(menu);
  menu->addSeparator();
  add_action(menu, tr("&Quit"), "action_quit", QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { close(); });
}

void MainWindow::create_export_menu(QMenu* file) {
  QMenu* menu = file->addMenu(tr("&Export"));
  menu->setObjectName(QStringLiteral("export_menu"));
  const auto plan = [this] { return session_.state().selected_plan; };
  const auto tables = [this, plan] {
    return session::TableContext{shown_profile_ > 0 ? shown_profile_ : session_.state().question.profile, plan(),
                                 explain_page_->from_plan(), run_page_->shown_run()};
  };
  exports_ = new actions::Exports(
      session_, seams_.dialogs,
      {tables, [this] { return page_widget(page()); }, &compare_page_->charts(), &compare_page_->table(),
       [this] { return run_page_->steps(); }, [this] { return run_page_->processes(); }},
      this);
  auto* note = new actions::WrittenNote(this);
  statusBar()->addWidget(note);
  connect(exports_, &actions::Exports::written, note, &actions::WrittenNote::show_file);
  connect(&session_, &session::Session::exported, note, &actions::WrittenNote::show_file);
  actions_->export_plan = add_action(menu, tr("&Plan…"), "action_export_plan", QKeySequence(Qt::CTRL | Qt::Key_E),
                                     [this] { export_plan(); });
  actions_->export_trace = add_action(menu, tr("Chrome t&race…"), "action_export_trace", {}, [this] {
    const int plan = session_.state().selected_plan;
    QString file = seams_.dialogs.save_file(this, tr("Export Chrome trace"),
                                            trace_name(session::project::find_plan(session_.state(), plan)),
                                            tr("Chrome traces (*.trace.json *.json);;All files (*)"));
    if (file.isEmpty()) return;
    if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".trace.json");
    if (const QString failure = session::export_trace(session_, plan, file); !failure.isEmpty())
      return seams_.dialogs.error(this, tr("Export Chrome trace"), failure);
    emit exports_->written(file);
  });
  add_action(menu, tr("P&icture of this page…"), "action_export_picture",
             QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E), [this] { exports_->export_picture(page_widget(page())); });
  exports_->fill(menu);
  exports_->offer_in(&compare_page_->charts(), {session::Table::devices, session::Table::memory,
                                                session::Table::memory_curve, session::Table::operations});
  exports_->offer_in(&compare_page_->split(), {session::Table::stages});
  exports_->offer_in(&explain_page_->view(), {session::Table::waterfall, session::Table::parts,
                                              session::Table::critical_path, session::Table::sensitivity});
  exports_->offer_in(profile_view_, {session::Table::layers});
  exports_->offer_in(topology_view_, {});
  exports_->offer_in(&run_page_->view(), {session::Table::steps});
}

void MainWindow::create_edit_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Edit"));
  menu->setObjectName(QStringLiteral("edit_menu"));
  actions_->undo = add_action(menu, tr("&Undo"), "action_undo", QKeySequence::Undo, [this] { session_.undo(); });
  actions_->redo = add_action(menu, tr("&Redo"), "action_redo", {}, [this] { session_.redo(); });
  // Their texts name the step; lists of shortcuts do not.
  actions_->undo->setIconText(tr("Undo"));
  actions_->redo->setIconText(tr("Redo"));
  actions_->redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
  plan_actions_ =
      new actions::PlanActions({&session_, this, &compare_page_->table(), tree_, tree_model_, notes_, seams_.dialogs});
  plan_actions_->scope_shortcuts({&compare_page_->table(), tree_, inspector_});
  plan_actions_->fill_edit_menu(menu);
  menu->addSeparator();
  add_action(menu, tr("Pr&eferences…"), "action_preferences", QKeySequence(Qt::CTRL | Qt::Key_Comma),
             [this] { show_preferences(); });
  new actions::ProfileActions(
      {&session_, this, profile_view_,
       [this] { return shown_profile_ > 0 ? shown_profile_ : session_.state().question.profile; },
       [this](int id) { show_entry(models::compare::ProjectSection::profiles, id); }, seams_.dialogs, seams_.runner});
}

/// Adds Edit > Copy as, once all menus are there.
void MainWindow::create_copy_menu() {
  QMenu* edit = menuBar()->findChild<QMenu*>(QStringLiteral("edit_menu"));
  QMenu* menu = edit->addMenu(tr("Copy &as"));
  menu->setObjectName(QStringLiteral("copy_menu"));
  exports_->fill_copies(menu);
}

void MainWindow::create_view_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&View"));
  int key = Qt::Key_1;
  for (const PageInfo& info : page_table) {
    const QByteArray name = QByteArray("action_page_") + QByteArray(info.id).replace('-', '_');
    add_action(menu, QCoreApplication::translate("Page", info.title), name,
               QKeySequence(static_cast<int>(Qt::CTRL) | key++), [this, page = info.page] { show_page(page); });
  }
  menu->addSeparator();
  views::gantt::TimeAxisController& link = compare_page_->charts().link();
  const auto zoom = [&link](double factor) { link.zoom(factor, (link.axis().begin + link.axis().end) / 2); };
  add_action(menu, tr("Zoom &in"), "action_zoom_in", {}, [zoom] { zoom(1.5); });
  add_action(menu, tr("Zoom &out"), "action_zoom_out", {}, [zoom] { zoom(1 / 1.5); });
  QAction* critical = add_action(menu, tr("Critical &path"), "action_critical_path", QKeySequence(Qt::Key_P), {});
  critical->setCheckable(true);
  critical->setToolTip(tr("Highlight the operations that determine the iteration time"));
  connect(critical, &QAction::toggled, compare_page_, &pages::ComparePage::set_critical_shown);
  compare_page_->charts().addAction(critical);
  compare_page_->charts().setContextMenuPolicy(Qt::ActionsContextMenu);
  create_memory_action(menu);
  add_action(menu, tr("Zoom to &fit"), "action_zoom_fit", {}, [&link] { link.fit(); });
  menu->addSeparator();
  new views::gantt::PointerKeys(this);
  new actions::ChartActions({this, compare_page_, &session_, seams_.settings, [this] { show_page(Page::compare); },
                             [this](int from, int to) {
                               show_page(Page::explain);
                               explain_page_->explain(from, to);
                             }},
                            menu);
  menu->addSeparator();
  menu->addAction(panels_->project_action());
  menu->addAction(panels_->inspector_action());
  create_menu_corner();
  add_action(menu, tr("&Jobs…"), "action_jobs", QKeySequence(Qt::CTRL | Qt::Key_J), [this] { jobs_line_->open(); });
  actions_->split = add_action(menu, tr("&Stages of the plan"), "action_split_editor", {}, {});
  actions_->split->setCheckable(true);
  const auto keep_fold = [this](bool folded) {
    seams_.settings->setValue(split_folded_key, folded);
    refresh_density();
  };
  connect(actions_->split, &QAction::triggered, this, [keep_fold](bool shown) { keep_fold(!shown); });
  connect(compare_page_, &pages::ComparePage::split_fold_chosen, this, keep_fold);
  actions_->charts_only = add_action(menu, tr("Charts &only"), "action_charts_only", QKeySequence(Qt::Key_F11), {});
  actions_->charts_only->setCheckable(true);
  connect(actions_->charts_only, &QAction::triggered, this, &MainWindow::set_charts_only);
  add_action(menu, tr("Reset &layout"), "action_reset_layout", {}, [this] { reset_layout(); });
  menu->addSeparator();
  QAction* larger = add_action(menu, tr("&Larger interface"), "action_interface_larger", {},
                               [this] { set_interface_zoom(layout::next_zoom(layout::zoom(), 1)); });
  larger->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Equal), QKeySequence(Qt::CTRL | Qt::Key_Plus)});
  add_action(menu, tr("S&maller interface"), "action_interface_smaller", QKeySequence(Qt::CTRL | Qt::Key_Minus),
             [this] { set_interface_zoom(layout::next_zoom(layout::zoom(), -1)); });
  add_action(menu, tr("&Normal interface"), "action_interface_normal", QKeySequence(Qt::CTRL | Qt::Key_0),
             [this] { set_interface_zoom(100); });
  create_appearance_menu(menu);
}

void MainWindow::create_memory_action(QMenu* menu) {
  QAction* action = add_action(menu, tr("Memory by &item"), "action_memory_by_item", QKeySequence(Qt::Key_I), {});
  action->setCheckable(true);
  action->setToolTip(tr("Show a strip per device with weights, activations and other items stacked"));
  const QString key = QStringLiteral("window/memory_by_item");
  connect(action, &QAction::toggled, this, [this, key](bool on) {
    compare_page_->set_memory_by_item(on);
    seams_.settings->setValue(key, on);
  });
  compare_page_->charts().addAction(action);
  action->setChecked(seams_.settings->value(key).toBool());
}

void MainWindow::create_appearance_menu(QMenu* view) {
  QMenu* menu = view->addMenu(tr("&Appearance"));
  auto* group = new QActionGroup(this);
  const std::pair<layout::Appearance, QString> choices[] = {{layout::Appearance::system, tr("As the &system")},
                                                            {layout::Appearance::light, tr("&Light")},
                                                            {layout::Appearance::dark, tr("&Dark")}};
  const layout::Appearance chosen = layout::parse_appearance(seams_.settings->value("window/appearance").toString());
  for (std::size_t i = 0; i < std::size(choices); ++i) {
    const auto [appearance, text] = choices[i];
    const QByteArray name = "action_appearance_" + layout::appearance_name(appearance).toLatin1();
    QAction* action =
        add_action(menu, text, name.constData(), {}, [this, appearance = appearance] { set_appearance(appearance); });
    action->setCheckable(true);
    action->setChecked(appearance == chosen);
    group->addAction(action);
    actions_->appearance[i] = action;
  }
}

void MainWindow::set_appearance(layout::Appearance appearance) {
  layout::apply_appearance(appearance);
  seams_.settings->setValue("window/appearance", layout::appearance_name(appearance));
}

void MainWindow::create_plan_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Plan"));
  actions_->compare = add_action(menu, tr("&Compare"), "action_compare", QKeySequence(Qt::CTRL | Qt::Key_R), [this] {
    show_page(Page::compare);
    session_.compare();
    refresh_bar();
  });
  add_action(menu, tr("&Planners and options…"), "action_planners", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
             [this] { choose_planning(); });
  add_action(menu, tr("Training &memory…"), "action_training_state", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K),
             [this] { choose_training_state(); });
  bar_->add_assumption(findChild<QAction*>(QStringLiteral("action_planners")));
  bar_->add_assumption(findChild<QAction*>(QStringLiteral("action_training_state")));
  menu->addSeparator();
  plan_actions_->fill_plan_menu(menu);
}

void MainWindow::offer_context_actions() {
  QList<QAction*> for_a_plan = plan_actions_->for_plans();
  auto* exported = new QMenu(tr("&Export"), this);
  exported->addActions({actions_->export_plan, actions_->export_trace,
                        findChild<QAction*>(QStringLiteral("action_export_table_plans")),
                        findChild<QAction*>(QStringLiteral("action_export_engine"))});
  for_a_plan << actions_->launch << exported->menuAction() << exports_->copies_of_plans();
  views::widgets::offer_columns(compare_page_->table(), views::compare::columns_by_hand);
  compare_page_->set_plan_actions(for_a_plan);
  tree_->set_context_actions(models::compare::ProjectSection::plans, for_a_plan);
  const auto action = [this](const char* name) { return findChild<QAction*>(QLatin1String(name)); };
  const QList<QAction*> for_data{action("action_duplicate"), action("action_rename"), action("action_delete")};
  tree_->set_context_actions(models::compare::ProjectSection::profiles, for_data);
  tree_->set_context_actions(models::compare::ProjectSection::clusters, for_data);
  tree_->set_context_actions(models::compare::ProjectSection::runs, {action("action_rename"), action("action_delete")});
}

void MainWindow::create_run_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Run"));
  actions_->launch = add_action(menu, tr("&Launch"), "action_launch", QKeySequence(Qt::Key_F5), [this] {
    show_page(Page::run);
    run_page_->launch(session_.state().selected_plan);
  });
  actions_->stop = add_action(menu, tr("&Stop"), "action_stop", QKeySequence(Qt::SHIFT | Qt::Key_F5),
                              [this] { session_.stop_launch(); });
  add_action(menu, tr("&Pause or resume"), "action_pause", QKeySequence(Qt::CTRL | Qt::Key_F5),
             [this] { run_page_->view().toggle_pause(); });
  menu->addSeparator();
  menu->addAction(findChild<QAction*>(QStringLiteral("action_profile_measure")));
  add_action(menu, tr("&Calibrate from runs…"), "action_calibrate", {}, [this] { show_calibration(); });
  actions_->calibrated = add_action(menu, tr("&Predict with the calibration"), "action_calibrated", {}, {});
  actions_->calibrated->setCheckable(true);
  connect(actions_->calibrated, &QAction::triggered, &session_, &session::Session::set_calibrated);
}

void MainWindow::create_help_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Help"));
  add_action(menu, tr("&User guide"), "action_user_guide", QKeySequence(Qt::Key_F1), [this] { show_help(); });
  describe_view_keys(*compare_page_);
  auto* shortcuts = new help::ShortcutOverlay(this);
  add_action(menu, tr("&Shortcuts"), "action_shortcuts", QKeySequence(Qt::Key_Question),
             [shortcuts] { shortcuts->open(); });
  palette::install({this,
                    &session_,
                    &compare_page_->charts(),
                    seams_.settings,
                    {[this](int plan) { show_entry(models::compare::ProjectSection::plans, plan); },
                     [this](int profile) { emit bar_->profile_chosen(profile); },
                     [this](int cluster) { emit bar_->cluster_chosen(cluster); },
                     [this](const QString& name) { emit bar_->profile_preset_chosen(name); },
                     [this](const QString& name) { emit bar_->cluster_preset_chosen(name); }},
                    [this] { show_page(Page::compare); }},
                   menu);
  add_action(menu, tr("The &papers' tables"), "action_reproduction", {},
             [this] { seams_.dialogs.page(this, tr("The papers' tables"), help::reproduction_markdown()); });
  add_action(menu, tr("&About Pipedeck"), "action_about", {}, [this] {
    auto* about = new help::AboutDialog(seams_.commit, seams_.runner, QCoreApplication::applicationDirPath(), this);
    about->setAttribute(Qt::WA_DeleteOnClose);
    about->show();
  });
}

/// Opens the help at the chapter about the visible page.
void MainWindow::show_help() {
  if (!help_) help_ = new help::HelpWindow([](const QUrl& address) { QDesktopServices::openUrl(address); }, this);
  const bool started = stack_->currentWidget() == tabs_;
  help_->show_page(QStringLiteral("user-guide.md"),
                   started ? QLatin1String(page_table[static_cast<std::size_t>(page())].chapter) : QString());
  help_->show();
  help_->raise();
  help_->activateWindow();
}

void MainWindow::update_actions() {
  const session::project::PlanEntry* plan =
      session::project::find_plan(session_.state(), session_.state().selected_plan);
  const bool feasible = plan && plan->feasible();
  const QString no_plan = feasible ? QString() : tr("Select a plan first.");
  actions::set_available(*actions_->undo, session_.can_undo() ? QString() : tr("There is nothing to undo."));
  actions::set_available(*actions_->redo, session_.can_redo() ? QString() : tr("There is nothing to redo."));
  actions_->undo->setText(session_.can_undo() ? tr("&Undo %1").arg(session_.undo_name()) : tr("&Undo"));
  actions_->redo->setText(session_.can_redo() ? tr("&Redo %1").arg(session_.redo_name()) : tr("&Redo"));
  plan_actions_->update();
  actions::set_available(*actions_->export_plan, no_plan);
  actions::set_available(*actions_->export_trace, no_plan);
  actions::set_available(*actions_->compare,
                         session_.comparing() ? tr("A comparison is running.") : session_.not_comparable_reason());
  actions::set_available(*actions_->launch, session_.launching()
                                                ? tr("A run is active. Stop it first.")
                                                : run_page_->not_launchable_reason(session_.state().selected_plan));
  actions::set_available(*actions_->stop, session_.launching() ? QString() : tr("No run is active."));
  actions::set_available(*actions_->calibrated, session_.state().calibration.record
                                                    ? QString()
                                                    : tr("There is no calibration yet. Calibrate from runs first."));
  actions_->calibrated->setChecked(session_.state().calibration.on);
}

}  // namespace pipedeck::ui::window
