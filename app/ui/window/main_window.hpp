// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: docks, actions and the connections between session and views. The session owns the open project and
// all operations on it.
#pragma once

#include <map>
#include <memory>

#include <QMainWindow>
#include <QStringList>
#include <QTimer>

#include "app/models/background_task.hpp"
#include "app/models/compare/project_tree_model.hpp"
#include "app/session/session.hpp"
#include "app/ui/dialogs/dialogs.hpp"
#include "app/ui/layout/appearance.hpp"
#include "app/ui/window/page.hpp"

class QAction;
class QDockWidget;
class QLabel;
class QMenu;
class QSettings;
class QStackedWidget;
class QTabWidget;
class QToolBar;
class QToolButton;

namespace pipedeck::ui::actions {
class Exports;
class PlanActions;
}  // namespace pipedeck::ui::actions

namespace pipedeck::ui::help {
class HelpWindow;
}  // namespace pipedeck::ui::help

namespace pipedeck::ui::layout {
class SidePanels;
class WindowStateSaver;
}  // namespace pipedeck::ui::layout

namespace pipedeck::ui::pages {
class AccuracyPage;
class ComparePage;
class ExplainPage;
class RunPage;
class WhatIfPage;
}  // namespace pipedeck::ui::pages

namespace pipedeck::views::compare {
class Inspector;
class ProjectTree;
class StartPanel;
}  // namespace pipedeck::views::compare

namespace pipedeck::views::profile {
class View;
}  // namespace pipedeck::views::profile

namespace pipedeck::views::topology {
class View;
}  // namespace pipedeck::views::topology

namespace pipedeck::views::widgets {
class HintBar;
class NotesEdit;
}  // namespace pipedeck::views::widgets

namespace pipedeck::ui::window {

class EmptyStates;
class JobsLine;
class SetupBar;
class ViewState;

/// A set of external dependencies of the window; tests replace them.
struct WindowServices {
  dialogs::Dialogs dialogs;
  QSettings* settings = nullptr;  ///< must outlive the window
  QString runner;                 ///< path of pipedeck-cli
  QString state_folder = {};      ///< for unsaved work without a name; empty: none
  bool read_only = false;         ///< for screenshots: files are not locked, autosaved or recovered
  session::ReadProject read_project = store::read_project;
  QString commit = {};  ///< of the program; empty: not known
};

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(WindowServices seams, QWidget* parent = nullptr);
  ~MainWindow() override;

  session::Session& session() { return session_; }
  pages::AccuracyPage& accuracy_page() const { return *accuracy_page_; }
  pages::ComparePage& compare_page() const { return *compare_page_; }
  pages::ExplainPage& explain_page() const { return *explain_page_; }
  pages::RunPage& run_page() const { return *run_page_; }
  pages::WhatIfPage& what_if_page() const { return *what_if_page_; }
  Page page() const;
  void show_page(Page page);
  /// Returns the widget of a page, for screenshots.
  QWidget* page_widget(Page page) const;

  /// Opens projects and imports all other files, in order.
  void open_files(const QStringList& files);
  /// Takes inputs that a comparison still lacks from the sample.
  void complete_question() { session_.complete_question(); }
  /// Opens the sample project and compares its plans. This counts as no unsaved change.
  void open_sample();
  /// Shows the start page. If it is switched off, offers unsaved work or opens the most recent project.
  void start();
  /// Asks about unsaved work of killed programs. Returns false if nothing was opened.
  bool offer_recovery();
  void reset_layout();
  layout::SidePanels& panels() const { return *panels_; }
  /// Shows the charts of the plans alone, without tables and panels.
  void set_charts_only(bool on);

 protected:
  bool may_end_run();
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct Actions;

  // main_window.cpp
  void create_pages();
  void create_docks();
  QToolBar* create_rail();
  void create_menu_corner();
  void create_status_bar();
  QDockWidget* add_dock(const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area);
  void connect_session();
  void connect_views();
  void create_empty_states();

  // main_window_actions.cpp
  QAction* add_action(QMenu* menu, const QString& text, const char* name, const QKeySequence& shortcut,
                      const std::function<void()>& run);
  void create_actions();
  void create_file_menu();
  void create_export_menu(QMenu* file);
  void create_edit_menu();
  void create_copy_menu();
  void create_view_menu();
  void create_memory_action(QMenu* menu);
  void create_appearance_menu(QMenu* view);
  void create_plan_menu();
  void create_run_menu();
  void offer_context_actions();
  void create_help_menu();
  void show_help();
  void update_actions();
  void set_appearance(layout::Appearance appearance);

  // main_window_files.cpp
  bool may_discard();
  void new_project();
  void open_with_dialog();
  void open_project(const QString& file);
  void show_opening();  ///< with a button that cancels it, while a project is read
  bool save();          ///< starts saving; false: not started
  bool save_as();
  QString suggested_name() const;
  void import_with_dialog();
  void export_plan();
  void fill_recent_menu(QMenu* menu);
  void open_recent(const QString& file);
  void remember_recent(const QString& file);
  QStringList recent_files() const;
  void opened_file();  ///< restores its view

  // main_window_start.cpp
  void connect_start_panel();
  bool starts_with_page() const;
  void refresh_start_panel();
  void remember_about();
  void recover(int work, session::Recovery answer);
  void open_example(int example);
  void draw_example(int example);
  void compare_from_start(const QString& profile, const QString& cluster, int batch);
  void set_interface_zoom(int percent);
  void restore_zoom();
  Seconds default_budget() const;  ///< per planner, of new projects
  void show_preferences();
  void export_settings();
  void import_settings();
  void reset_settings();
  void apply_settings();  ///< after others were read or forgotten

  // main_window_update.cpp
  void refresh();
  void refresh_tree();
  void refresh_pages();
  void refresh_other_cluster();
  void refresh_bar();
  void refresh_devices();
  void refresh_title();
  void refresh_panels();
  void refresh_density();
  void refresh_inspector();
  void show_entry(models::compare::ProjectSection section, int id);
  void choose_planning();
  void choose_training_state();
  void show_calibration();
  void refresh_calibration_mark();
  QString comparison_summary() const;

  WindowServices seams_;
  session::Session session_;
  std::unique_ptr<Actions> actions_;
  SetupBar* bar_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  views::widgets::HintBar *read_only_bar_ = nullptr, *other_cluster_bar_ = nullptr;
  actions::Exports* exports_ = nullptr;
  views::compare::StartPanel* start_panel_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  pages::ComparePage* compare_page_ = nullptr;
  pages::ExplainPage* explain_page_ = nullptr;
  pages::WhatIfPage* what_if_page_ = nullptr;
  views::profile::View* profile_view_ = nullptr;
  views::topology::View* topology_view_ = nullptr;
  pages::RunPage* run_page_ = nullptr;
  pages::AccuracyPage* accuracy_page_ = nullptr;
  models::compare::ProjectTreeModel* tree_model_ = nullptr;
  views::compare::ProjectTree* tree_ = nullptr;
  views::compare::Inspector* inspector_ = nullptr;
  views::widgets::NotesEdit* notes_ = nullptr;
  actions::PlanActions* plan_actions_ = nullptr;
  help::HelpWindow* help_ = nullptr;  ///< created on demand
  layout::SidePanels* panels_ = nullptr;
  JobsLine* jobs_line_ = nullptr;
  QLabel* saved_label_ = nullptr;
  QLabel* devices_label_ = nullptr;
  QToolButton* calibration_mark_ = nullptr;
  EmptyStates* empty_states_ = nullptr;
  layout::WindowStateSaver* layout_ = nullptr;
  ViewState* view_ = nullptr;
  int shown_profile_ = 0;  ///< selected in the tree; 0: the one chosen in the tool bar
  int shown_cluster_ = 0;
  int question_cluster_ = 0, question_profile_ = 0;  ///< of the last refresh: the pages follow a new question
  bool untouched_sample_ = false;
  QTimer before_pictures_;
  models::BackgroundTask drawing_examples_;
  std::map<QString, QString> profile_groups_, cluster_groups_;  ///< of the presets
  std::vector<session::project::RecoverableProject> works_;     ///< shown on the start page
};

}  // namespace pipedeck::ui::window
