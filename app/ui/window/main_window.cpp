// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/main_window.hpp"

#include <QCloseEvent>
#include <QComboBox>
#include <QCoreApplication>
#include <QDockWidget>
#include <QEventLoop>
#include <QHBoxLayout>
#include <QIcon>
#include <QKeyEvent>
#include <QLabel>
#include <QMenuBar>
#include <QResizeEvent>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/session/work/count_text.hpp"
#include "app/ui/actions/plan_actions.hpp"
#include "app/ui/actions/transformer_imports.hpp"
#include "app/ui/layout/page_room.hpp"
#include "app/ui/layout/side_panels.hpp"
#include "app/ui/layout/window_state_saver.hpp"
#include "app/ui/pages/accuracy_page.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/explain_page.hpp"
#include "app/ui/pages/plan_rows.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/ui/pages/what_if_page.hpp"
#include "app/ui/window/crash_note.hpp"
#include "app/ui/window/empty_states.hpp"
#include "app/ui/window/jobs_line.hpp"
#include "app/ui/window/main_window_actions.hpp"
#include "app/ui/window/setup_bar.hpp"
#include "app/ui/window/view_state.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/inspector.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/compare/project_tree.hpp"
#include "app/views/compare/start_panel.hpp"
#include "app/views/profile/view.hpp"
#include "app/views/run/view.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/widgets/hint_bar.hpp"
#include "app/views/widgets/notes_edit.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::window {

namespace {
constexpr int rail_icon = 18;
}  // namespace

MainWindow::MainWindow(WindowServices seams, QWidget* parent)
    : QMainWindow(parent),
      seams_(std::move(seams)),
      session_(session::SessionServices{[this](const QString& file) { return seams_.dialogs.micro_batch(this, file); },
                                        seams_.runner, 0, seams_.state_folder,
                                        [this](const session::RecoveryRequest& question) {
                                          return seams_.dialogs.recovery ? seams_.dialogs.recovery(this, question)
                                                                         : session::Recovery::later;
                                        },
                                        seams_.read_only, [this] { return view_->captured(); }, seams_.read_project}),
      actions_(std::make_unique<Actions>()) {
  setObjectName(QStringLiteral("main_window"));
  restore_zoom();
  session_.set_default_budget(default_budget());
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  set_appearance(layout::parse_appearance(seams_.settings->value("window/appearance").toString()));
  setWindowIcon(QIcon(QStringLiteral(":/icons/pipedeck.svg")));
  bar_ = new SetupBar(this);
  addToolBar(Qt::TopToolBarArea, bar_);
  create_pages();
  create_docks();
  create_actions();
  create_status_bar();
  connect_session();
  connect_views();
  create_empty_states();
  layout_ = new layout::WindowStateSaver(*this, compare_page_->table(), *seams_.settings);
  layout_->restore();
  panels_->update();
  view_ = new ViewState(*this, *seams_.settings);
  compare_page_->table().setFocus();
  refresh();
}

MainWindow::~MainWindow() {
  delete plan_actions_;  // it follows the focus, which moves while widgets are destroyed
  session_.disconnect(this);
  session_.jobs().disconnect(this);
}

/// Makes parents before their children: under a style sheet, Qt polishes all of a widget again at each new parent.
void MainWindow::create_pages() {
  auto* centre = new QWidget(this);
  stack_ = new QStackedWidget(centre);
  tabs_ = new QTabWidget(stack_);
  tabs_->setObjectName(QStringLiteral("pages"));
  tabs_->setDocumentMode(true);
  tabs_->tabBar()->setDrawBase(false);
  auto* book = tabs_->findChild<QStackedWidget*>();  // the pages' parent, once they are added
  compare_page_ = new pages::ComparePage(session_, book);
  explain_page_ = new pages::ExplainPage(session_, book);
  what_if_page_ = new pages::WhatIfPage(session_, seams_.dialogs, book);
  profile_view_ = new views::profile::View(book);
  topology_view_ = new views::topology::View(book);
  accuracy_page_ = new pages::AccuracyPage(session_, seams_.dialogs, book);
  run_page_ = new pages::RunPage(session_, seams_.dialogs, book);
  run_page_->set_steps(seams_.settings->value(steps_key, default_steps).toInt());
  const std::array<QWidget*, page_table.size()> widgets{compare_page_,  explain_page_, what_if_page_, profile_view_,
                                                        topology_view_, run_page_,     accuracy_page_};
  for (QWidget* page : widgets) page->resize(640, 480);  // splitters restore their sizes before the window is laid out
  for (std::size_t i = 0; i < widgets.size(); ++i)
    tabs_->addTab(widgets[i], QCoreApplication::translate("Page", page_table[i].title).remove(QLatin1Char('&')));
  start_panel_ = new views::compare::StartPanel(stack_);
  stack_->addWidget(start_panel_);
  stack_->addWidget(tabs_);
  read_only_bar_ = new views::widgets::HintBar;
  read_only_bar_->setObjectName(QStringLiteral("read_only_bar"));
  other_cluster_bar_ = new views::widgets::HintBar;
  other_cluster_bar_->setObjectName(QStringLiteral("other_cluster_bar"));
  auto* rows = new QVBoxLayout(centre);
  rows->setContentsMargins({});
  rows->setSpacing(0);
  rows->addWidget(new CrashNote(seams_.read_only ? QString() : seams_.state_folder, *seams_.settings));
  rows->addWidget(read_only_bar_);
  rows->addWidget(other_cluster_bar_);
  rows->addWidget(stack_, 1);
  setCentralWidget(centre);
}

QDockWidget* MainWindow::add_dock(const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(QLatin1String(name));
  dock->setWidget(content);
  dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
  dock->setFont(views::widgets::section_font(font()));
  content->setFont(font());
  addDockWidget(area, dock);
  return dock;
}

void MainWindow::create_docks() {
  tree_model_ = new models::compare::ProjectTreeModel(this);
  tree_ = new views::compare::ProjectTree(tree_model_);
  tree_->setObjectName(QStringLiteral("project_tree"));
  auto* selected = new QWidget;
  inspector_ = new views::compare::Inspector(selected);
  notes_ = new views::widgets::NotesEdit(selected);
  auto* column = new QVBoxLayout(selected);
  column->setContentsMargins({});
  column->setSpacing(0);
  column->addWidget(inspector_, 1);
  column->addWidget(notes_);
  auto* project =
      add_dock(tr("PROJECT"), "project_dock", new views::compare::ProjectPane(tree_), Qt::LeftDockWidgetArea);
  auto* inspector = add_dock(tr("INSPECTOR"), "inspector_dock", selected, Qt::RightDockWidgetArea);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  new layout::PageRoom(*this, *tabs_, {project, inspector});
  panels_ = new layout::SidePanels({this, project, inspector, create_rail(), seams_.settings});
  panels_->project_action()->setObjectName(QStringLiteral("action_project_panel"));
  panels_->inspector_action()->setObjectName(QStringLiteral("action_inspector_panel"));
  connect(tabs_, &QTabWidget::currentChanged, this, [this] {
    if (page() != Page::compare) set_charts_only(false);
    refresh_panels();
    refresh_other_cluster();
  });
}

/// Makes the column of buttons that stands for the project in a narrow window.
QToolBar* MainWindow::create_rail() {
  auto* rail = new QToolBar(tr("Project"), this);
  rail->setObjectName(QStringLiteral("rail"));
  rail->setMovable(false);
  rail->setContextMenuPolicy(Qt::PreventContextMenu);
  const auto add = [&](const char* name, const QString& words, const std::function<void()>& run) {
    auto* button = new QToolButton;
    button->setObjectName(QLatin1String(name));
    button->setAutoRaise(true);
    button->setIconSize({rail_icon, rail_icon});
    button->setToolTip(words);
    button->setAccessibleName(words);
    connect(button, &QToolButton::clicked, this, run);
    rail->addWidget(button);
  };
  add("rail_project", tr("Show or hide the project"), [this] { panels_->project_action()->trigger(); });
  const std::pair<const char*, QString> sections[] = {{"rail_profiles", tr("Profiles")},
                                                      {"rail_clusters", tr("Clusters")},
                                                      {"rail_plans", tr("Plans")},
                                                      {"rail_runs", tr("Runs")}};
  for (int i = 0; i < models::compare::project_section_count; ++i)
    add(sections[i].first, sections[i].second, [this, section = static_cast<models::compare::ProjectSection>(i)] {
      panels_->show_project();
      tree_->scrollTo(tree_model_->section_index(section), QAbstractItemView::PositionAtTop);
      tree_->setFocus();
    });
  addToolBar(Qt::LeftToolBarArea, rail);
  return rail;
}

/// Makes the buttons for the panels at the right end of the menu bar.
void MainWindow::create_menu_corner() {
  auto* corner = new QWidget;
  corner->setObjectName(QStringLiteral("menu_corner"));
  auto* row = new QHBoxLayout(corner);
  row->setContentsMargins(0, 0, 8, 0);
  row->setSpacing(4);
  const std::pair<const char*, QAction*> panels[] = {{"corner_project", panels_->project_action()},
                                                     {"corner_inspector", panels_->inspector_action()}};
  for (const auto& [name, action] : panels) {
    auto* button = new QToolButton;
    button->setObjectName(QLatin1String(name));
    button->setAutoRaise(true);
    button->setCheckable(true);
    const QString words = action->text().remove(QLatin1Char('&'));
    button->setToolTip(tr("Show or hide the panel: %1").arg(words));
    button->setAccessibleName(words);
    connect(button, &QToolButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button, [button, action] {
      button->setChecked(action->isChecked());
      button->setEnabled(action->isEnabled());
    });
    row->addWidget(button);
  }
  menuBar()->setCornerWidget(corner);
}

void MainWindow::create_status_bar() {
  saved_label_ = new QLabel;
  saved_label_->setObjectName(QStringLiteral("saved_label"));
  jobs_line_ = new JobsLine(session_.jobs());
  statusBar()->addWidget(jobs_line_);
  calibration_mark_ = new QToolButton;
  calibration_mark_->setObjectName(QStringLiteral("calibration_mark"));
  calibration_mark_->setAutoRaise(true);
  calibration_mark_->setCheckable(true);
  connect(calibration_mark_, &QToolButton::clicked, &session_, &session::Session::set_calibrated);
  statusBar()->addPermanentWidget(calibration_mark_);
  devices_label_ = new QLabel;
  devices_label_->setObjectName(QStringLiteral("devices_label"));
  statusBar()->addPermanentWidget(devices_label_);
  statusBar()->addPermanentWidget(saved_label_);
  statusBar()->setSizeGripEnabled(false);
}

void MainWindow::connect_session() {
  connect(&session_, &session::Session::state_changed, this, &MainWindow::refresh);
  connect(&session_, &session::Session::file_changed, this, &MainWindow::refresh_title);
  connect(&session_, &session::Session::saving_changed, this, &MainWindow::refresh_title);
  connect(&session_.opener(), &session::project::Opener::changed, this, &MainWindow::show_opening);
  connect(&session_, &session::Session::saved, this, [this] { remember_recent(session_.file()); });
  connect(&session_, &session::Session::results_changed, compare_page_, &pages::ComparePage::refresh_figures);
  connect(&session_, &session::Session::comparison_ended, this, [this] {
    if (untouched_sample_) session_.mark_unchanged();
    untouched_sample_ = false;
    compare_page_->refresh_figures();
    refresh_bar();
    refresh_title();
  });
  connect(&session_, &session::Session::error, this,
          [this](const QString& title, const QString& text) { seams_.dialogs.error(this, title, text); });
  connect(&session_.explainer(), &session::plans::Explainer::failed, &session_, &session::Session::error);
  connect(&session_, &session::Session::notice, this,
          [this](const QString& text) { statusBar()->showMessage(text, 8000); });
  connect(&session_, &session::Session::launch_started, this, [this] {
    show_page(Page::run);
    refresh_bar();
    update_actions();
  });
  connect(&session_, &session::Session::launch_ended, this, [this] {
    refresh_bar();
    update_actions();
  });
  connect(&session_, &session::Session::run_imported, this,
          [this](int run) { show_entry(models::compare::ProjectSection::runs, run); });
  connect(&session_.jobs(), &session::work::Jobs::ended, this, [this] { refresh_bar(); });
}

void MainWindow::connect_views() {
  connect(bar_, &SetupBar::profile_chosen, &session_, &session::Session::choose_profile);
  connect(bar_, &SetupBar::profile_preset_chosen, this, [this](const QString& name) {
    if (session::project::is_transformer_preset(name))
      actions::choose_transformer_preset(*this, session_, seams_.dialogs, name);
    else
      session_.choose_profile_preset(name);
  });
  connect(bar_, &SetupBar::cluster_chosen, &session_, &session::Session::choose_cluster);
  connect(bar_, &SetupBar::cluster_preset_chosen, &session_, &session::Session::choose_cluster_preset);
  connect(bar_, &SetupBar::import_requested, this, &MainWindow::import_with_dialog);
  connect(bar_, &SetupBar::global_batch_chosen, &session_, &session::Session::set_global_batch);
  connect(bar_, &SetupBar::micro_batch_chosen, &session_, &session::Session::set_micro_batch);
  connect(bar_, &SetupBar::budget_chosen, this, [this](Seconds budget) {
    session::project::Planning planning = session_.state().question.planning;
    planning.budget = budget;
    session_.set_planning(planning);
  });
  connect(bar_, &SetupBar::conventions_chosen, &session_, &session::Session::set_conventions);
  connect(bar_, &SetupBar::compare_requested, actions_->compare, &QAction::trigger);
  connect(bar_, &SetupBar::cancel_requested, &session_, &session::Session::cancel_comparison);
  connect(bar_, &SetupBar::launch_requested, this,
          [this] { (session_.launching() ? actions_->stop : actions_->launch)->trigger(); });
  // During a drag the charts have priority: updating many texts as well would stutter. The texts follow when the drag
  // pauses.
  auto* inspector_later = new QTimer(this);
  inspector_later->setSingleShot(true);
  inspector_later->setInterval(80);
  connect(inspector_later, &QTimer::timeout, this, &MainWindow::refresh_inspector);
  connect(compare_page_, &pages::ComparePage::rows_changed, this, [this, inspector_later] {
    if (!compare_page_->previewing()) return refresh_inspector();
    inspector_later->start();
  });
  connect(compare_page_, &pages::ComparePage::plan_activated, panels_, &layout::SidePanels::show_inspector);
  connect(read_only_bar_, &views::widgets::HintBar::accepted, this, [this] { save_as(); });
  connect(other_cluster_bar_, &views::widgets::HintBar::accepted, this,
          [this] { session_.choose_cluster(shown_cluster_); });
  connect(tree_, &views::compare::ProjectTree::selected, this, &MainWindow::show_entry);
  connect_start_panel();
  connect(&run_page_->view(), &views::run::View::launch_requested, this,
          [this](const views::run::LaunchRequest& request) { seams_.settings->setValue(steps_key, request.steps); });
  connect(run_page_, &pages::RunPage::launch_checked, this, &MainWindow::refresh_bar);
}

void MainWindow::create_empty_states() {
  const auto open_box = [this](const char* name) {
    return [this, name] { bar_->findChild<QComboBox*>(QLatin1String(name))->showPopup(); };
  };
  empty_states_ = new EmptyStates(
      session_,
      {compare_page_, explain_page_, profile_view_, run_page_->findChild<QWidget*>(QStringLiteral("run_charts")),
       open_box("profile_box"), open_box("cluster_box"), [this] { import_with_dialog(); },
       [this] { session_.complete_question(); }, [this] { actions_->compare->trigger(); },
       [this] { actions_->launch->trigger(); },
       [this] { return run_page_->not_launchable_reason(session_.state().selected_plan); }},
      this);
}

Page MainWindow::page() const { return static_cast<Page>(tabs_->currentIndex()); }

void MainWindow::show_page(Page page) { tabs_->setCurrentIndex(static_cast<int>(page)); }

QWidget* MainWindow::page_widget(Page page) const { return tabs_->widget(static_cast<int>(page)); }

void MainWindow::reset_layout() {
  set_charts_only(false);
  layout_->reset();
  panels_->reset();
  compare_page_->reset_layout();
}

/// Asks the user before closing, because an active run ends with the window. Its measurements are saved.
bool MainWindow::may_end_run() {
  if (!session_.launching()) return true;
  const session::project::RunRecord& run = session_.launch_at_hand()->record();
  if (seams_.dialogs.stop_run && !seams_.dialogs.stop_run(this, pages::run_title(run))) return false;
  if (!session_.launching()) return true;  // it ended while the question was open
  QEventLoop until_ended;
  connect(&session_, &session::Session::launch_ended, &until_ended, &QEventLoop::quit);
  session_.stop_launch();
  until_ended.exec();
  return true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!may_end_run() || !may_discard()) {
    event->ignore();
    return;
  }
  session_.discard_unsaved();
  layout_->save();
  event->accept();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  refresh_density();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!event->spontaneous()) layout::reapply_own_colours();
}

void MainWindow::set_charts_only(bool on) {
  if (on == actions_->charts_only->isChecked() && on == !tabs_->tabBar()->isVisibleTo(tabs_)) return;
  if (on) show_page(Page::compare);
  actions_->charts_only->setChecked(on);
  bar_->setVisible(!on);
  tabs_->tabBar()->setVisible(!on);
  compare_page_->set_charts_only(on);
  panels_->set_charts_only(on);
  if (on) compare_page_->charts().setFocus();
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && actions_->charts_only->isChecked()) return set_charts_only(false);
  if (event->key() == Qt::Key_Escape && session_.comparing()) {
    session_.cancel_comparison();
    return;
  }
  QMainWindow::keyPressEvent(event);
}

}  // namespace pipedeck::ui::window
