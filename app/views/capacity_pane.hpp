// SPDX-License-Identifier: GPL-3.0-or-later
// How many devices a training takes: what is to be trained within what, and a row with a bar a cluster. A click shows a
// point's plan, a double click or Enter takes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QWidget>

#include "app/models/explain_rows.hpp"
#include "core/domain/capacity.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace pipedeck::app {

class BarTable;
class WrappingRow;

class CapacityPane : public QWidget {
  Q_OBJECT

 public:
  explicit CapacityPane(QWidget* parent = nullptr);

  /// What clusters can be: of this cluster's type, or of each of `types` too; sums are in `currency`.
  void set_base(int nodes, const std::vector<std::string>& types, const std::string& currency);
  /// What the fields say; absent where one can't be read (`problem` says which).
  std::optional<CapacityGoal> goal() const;
  int most_nodes() const;
  void set_reach(int most_nodes, bool every_type);
  /// As chosen: "" for the cluster's own.
  std::vector<std::string> types() const;

  void set_rows(const std::vector<BarRow>& rows);
  /// `words`: the answer, or what would be one; `running`: the button cancels.
  void set_state(const QString& words, bool running, bool resumes);
  BarTable& table() const { return *table_; }
  /// Of the field that can't be read; empty: all can.
  const QString& problem() const { return problem_; }

 signals:
  void wanted();
  void cancel_wanted();
  void csv_wanted();
  void keep_wanted();   ///< points, in a file
  void go_on_wanted();  ///< from a file of points
  void goal_changed();
  void chosen(int row);
  void activated(int row);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_head();
  QToolButton* make_points_button();
  QLineEdit* add_field(WrappingRow& row, const QString& caption, const char* name, const QString& text,
                       const QString& tip);
  void read_goal();
  void apply_theme();

  QLineEdit *amount_ = nullptr, *tokens_ = nullptr, *within_ = nullptr, *budget_ = nullptr;
  QSpinBox* nodes_ = nullptr;
  QComboBox* types_ = nullptr;
  QLabel* words_ = nullptr;
  QToolButton *csv_ = nullptr, *points_ = nullptr;
  QPushButton* find_ = nullptr;
  BarTable* table_ = nullptr;
  std::vector<std::string> catalogue_;
  std::string currency_ = "USD";
  std::optional<CapacityGoal> goal_;
  QString problem_;
  bool running_ = false;
};

}  // namespace pipedeck::app
