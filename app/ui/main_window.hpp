// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: docks, actions and the connections between session and views. The session owns the open project and
// all operations on it.
#pragma once

#include <memory>

#include <QMainWindow>
#include <QStringList>

#include "app/models/project_tree_model.hpp"
#include "app/session/session.hpp"
#include "app/ui/appearance.hpp"
#include "app/ui/dialogs.hpp"

class QAction;
class QDockWidget;
class QLabel;
class QMenu;
class QSettings;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace pipedeck::app {

class ComparePage;
class ExplainPage;
class Exports;
class HelpWindow;
class EmptyStates;
class Inspector;
class LayoutKeeper;
class NotesEdit;
class PlanActions;
class ProfileView;
class ProjectTree;
class QuestionBar;
class ReadOnlyBar;
class RunPage;
class StartPanel;
class TopologyView;
class ViewState;
class WhatIfPage;

/// A set of external dependencies of the window; tests replace them.
struct WindowSeams {
  Dialogs dialogs;
  QSettings* settings = nullptr;  ///< must outlive the window
  QString runner;                 ///< path of pipedeck-cli
  QString state_folder = {};      ///< for unsaved work without a name; empty: none
  bool look_only = false;         ///< for screenshots: files are not locked, autosaved or recovered
};

enum class Page { compare, explain, what_if, profile, topology, run };

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(WindowSeams seams, QWidget* parent = nullptr);
  ~MainWindow() override;

  Session& session() { return session_; }
  ComparePage& compare_page() const { return *compare_page_; }
  ExplainPage& explain_page() const { return *explain_page_; }
  RunPage& run_page() const { return *run_page_; }
  WhatIfPage& what_if_page() const { return *what_if_page_; }
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
  /// Asks about unsaved work of killed programs. Returns false if nothing was opened.
  bool offer_left_behind();
  void reset_layout();

 protected:
  bool may_end_run();
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Actions;

  // main_window.cpp
  void create_pages();
  void create_docks();
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
  void create_view_menu();
  void create_memory_action(QMenu* menu);
  void create_appearance_menu(QMenu* view);
  void create_plan_menu();
  void create_run_menu();
  void offer_context_actions();
  void create_help_menu();
  void show_help();
  void update_actions();
  void set_appearance(Appearance appearance);

  // main_window_files.cpp
  bool may_discard();
  void new_project();
  void open_with_dialog();
  void open_project(const QString& file);
  bool save();  ///< starts saving; false: not started
  bool save_as();
  QString suggested_name() const;
  void import_with_dialog();
  void export_plan();
  void fill_recent_menu(QMenu* menu);
  void open_recent(const QString& file);
  void remember_recent(const QString& file);

  // main_window_update.cpp
  void refresh();
  void refresh_tree();
  void refresh_pages();
  void refresh_bar();
  void refresh_devices();
  void refresh_start_panel();
  void refresh_title();
  void refresh_inspector();
  void show_entry(ProjectSection section, int id);
  void choose_planning();
  void choose_training_state();
  void show_calibration();
  void refresh_calibration_mark();
  void compare_from_start(const QString& profile, const QString& cluster, int batch);
  QString comparison_summary() const;

  WindowSeams seams_;
  Session session_;
  std::unique_ptr<Actions> actions_;
  QuestionBar* bar_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  ReadOnlyBar* read_only_bar_ = nullptr;
  Exports* exports_ = nullptr;
  StartPanel* start_panel_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  ComparePage* compare_page_ = nullptr;
  ExplainPage* explain_page_ = nullptr;
  WhatIfPage* what_if_page_ = nullptr;
  ProfileView* profile_view_ = nullptr;
  TopologyView* topology_view_ = nullptr;
  RunPage* run_page_ = nullptr;
  ProjectTreeModel* tree_model_ = nullptr;
  ProjectTree* tree_ = nullptr;
  Inspector* inspector_ = nullptr;
  NotesEdit* notes_ = nullptr;
  PlanActions* plan_actions_ = nullptr;
  HelpWindow* help_ = nullptr;  ///< created on demand
  std::vector<QDockWidget*> docks_;
  QLabel* saved_label_ = nullptr;
  QLabel* devices_label_ = nullptr;
  QToolButton* calibration_mark_ = nullptr;
  EmptyStates* empty_states_ = nullptr;
  LayoutKeeper* layout_ = nullptr;
  ViewState* view_ = nullptr;
  int shown_profile_ = 0;  ///< selected in the tree; 0: the one chosen in the tool bar
  int shown_cluster_ = 0;
  bool untouched_sample_ = false;
};

}  // namespace pipedeck::app
