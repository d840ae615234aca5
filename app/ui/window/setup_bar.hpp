// SPDX-License-Identifier: GPL-3.0-or-later
// The tool bar of a comparison: model profile, cluster, batch and simulation options, Compare and Launch, and the
// result on the right.
#pragma once

#include <map>
#include <optional>

#include <QToolBar>

#include "app/session/project/state.hpp"

class QBoxLayout;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace pipedeck::views::widgets {
class ChoiceBox;
class SearchBox;
}  // namespace pipedeck::views::widgets

namespace pipedeck::ui::window {

struct QuestionBarState {
  bool comparing = false;
  bool launching = false;
  QString not_comparable_reason;  ///< empty: Compare is enabled
  QString summary;                ///< two lines on the right
  QString not_launchable_reason;  ///< empty: Launch is enabled
};

class SetupBar : public QToolBar {
  Q_OBJECT

 public:
  explicit SetupBar(QWidget* parent = nullptr);

  void show_project(const session::project::State& state);
  void show_state(const QuestionBarState& state);
  /// Adds a button for `action` below the conventions.
  void add_assumption(QAction* action);
  /// Shows the boxes without captions, which are then in the tool tips.
  void set_dense(bool dense);

 signals:
  void profile_chosen(int id);
  void profile_preset_chosen(const QString& name);
  void cluster_chosen(int id);
  void cluster_preset_chosen(const QString& name);
  void import_requested();
  void global_batch_chosen(int samples);
  void micro_batch_chosen(std::optional<int> samples);
  void budget_chosen(pipedeck::Seconds budget);  ///< per planner; 0: unlimited
  void conventions_chosen(const pipedeck::SimulationOptions& conventions);
  void compare_requested();
  void cancel_requested();
  void launch_requested();

 private:
  void add_box(QBoxLayout* row, const QString& caption, QComboBox* box, const char* name, int width);
  void make_batch_boxes(QHBoxLayout* row);
  void make_budget_box(QHBoxLayout* row);
  void make_assumptions();
  void make_buttons(QHBoxLayout* row);
  void fit_compare();
  void profile_activated(int index);
  void cluster_activated(int index);
  void batch_edited();
  void micro_batch_edited();

  views::widgets::SearchBox* profile_ = nullptr;
  views::widgets::SearchBox* cluster_ = nullptr;
  QComboBox* batch_ = nullptr;
  QComboBox* micro_batch_ = nullptr;
  QComboBox* budget_ = nullptr;
  views::widgets::ChoiceBox* network_ = nullptr;
  views::widgets::ChoiceBox* overlap_ = nullptr;
  views::widgets::ChoiceBox* collectives_ = nullptr;
  QPushButton* compare_ = nullptr;
  QPushButton* launch_ = nullptr;
  QToolButton* assumptions_ = nullptr;
  QVBoxLayout* assumption_column_ = nullptr;
  QLabel* summary_ = nullptr;
  QList<QWidget*> captions_;
  std::map<QString, QString> profile_groups_, cluster_groups_;  ///< of the presets
  bool comparing_ = false;
  session::project::PlanningSetup shown_;
};

}  // namespace pipedeck::ui::window
