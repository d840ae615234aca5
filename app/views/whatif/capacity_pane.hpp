// SPDX-License-Identifier: GPL-3.0-or-later
// A pane that computes how many devices a training needs: the goal on top, and a table with one row and bar per
// cluster; or how a training scales over sizes of the cluster. A click shows the plan of a point; a double click or
// Enter applies it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QWidget>

#include "app/models/whatif/explain_rows.hpp"
#include "core/model/capacity.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace pipedeck::views::widgets {
class WrappingRow;
class BarTable;
class SegmentSwitch;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::whatif {

class ScalingView;

class CapacityPane : public QWidget {
  Q_OBJECT

 public:
  /// A question of the pane. points: clusters for an amount of training. The others: sizes of the cluster.
  enum class Mode { points, strong, weak };

  explicit CapacityPane(QWidget* parent = nullptr);

  Mode mode() const;
  /// Emits mode_changed() if it is another one.
  void set_mode(Mode mode);
  bool scales() const { return mode() != Mode::points; }
  /// Returns the largest number of nodes of a scaling.
  int scaling_nodes() const;
  ScalingView& scaling() const { return *scaling_; }

  /// Sets the candidate clusters: of this cluster's device type, or of each of `types` as well. Prices are in
  /// `currency`.
  void set_base(int nodes, const std::vector<std::string>& types, const std::string& currency);
  /// Fills the field of tokens per sample unless the user has typed there.
  void set_sample_tokens(std::optional<int> tokens);
  /// Returns the goal in the fields; absent if a field cannot be read (`problem` names it).
  std::optional<CapacityGoal> goal() const;
  int max_nodes() const;
  void set_reach(int max_nodes, bool every_type);
  /// Returns the chosen types; "" stands for the cluster's own.
  std::vector<std::string> types() const;

  void set_rows(const std::vector<models::whatif::BarRow>& rows);
  /// Shows `words`, the answer or a hint; `bad`: there is no answer. While `running`, the button cancels.
  void set_state(const QString& words, bool running, bool resumes, bool bad = false);
  /// Enables the export of a table.
  void set_exportable(bool on);
  widgets::BarTable& table() const { return *table_; }
  /// Returns what is wrong with the field that cannot be read; empty if all can be read.
  const QString& problem() const { return problem_; }

 signals:
  void search_requested();
  void cancel_requested();
  void csv_requested();
  void keep_requested();  ///< save the points to a file
  void go_on_wanted();    ///< continue from a file of points
  void goal_changed();
  void mode_changed();
  void chosen(int row);
  void activated(int row);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_head();
  void make_fields();
  QSpinBox* make_nodes(const char* name, int most, const QString& tip);
  void show_mode();
  QToolButton* make_points_button();
  QLineEdit* add_field(widgets::WrappingRow& row, const QString& caption, const char* name, const QString& text,
                       const QString& tip);
  void read_goal();
  void apply_theme();

  QString known_tokens_;  ///< as filled in
  QLineEdit *amount_ = nullptr, *tokens_ = nullptr, *within_ = nullptr, *budget_ = nullptr;
  QSpinBox *nodes_ = nullptr, *scaling_nodes_ = nullptr;
  widgets::SegmentSwitch* mode_ = nullptr;
  widgets::WrappingRow *goal_fields_ = nullptr, *scaling_fields_ = nullptr;
  QStackedWidget* answers_ = nullptr;
  ScalingView* scaling_ = nullptr;
  QComboBox* types_ = nullptr;
  QLabel* words_ = nullptr;
  QToolButton *csv_ = nullptr, *points_ = nullptr;
  QPushButton* find_ = nullptr;
  widgets::BarTable* table_ = nullptr;
  std::vector<std::string> catalogue_;
  std::string currency_ = "USD";
  std::optional<CapacityGoal> goal_;
  QString problem_;
  bool running_ = false, bad_ = false;
};

}  // namespace pipedeck::views::whatif
