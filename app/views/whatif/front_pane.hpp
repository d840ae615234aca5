// SPDX-License-Identifier: GPL-3.0-or-later
// The Pareto front with its axes, its table and the button that searches for plans.
#pragma once

#include <vector>

#include <QWidget>

#include "app/models/whatif/pareto_content.hpp"

class QComboBox;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace pipedeck::models::whatif {
class FrontTableModel;
}  // namespace pipedeck::models::whatif

namespace pipedeck::views::widgets {
class WrappingRow;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::whatif {

class ParetoView;

class FrontPane : public QWidget {
  Q_OBJECT

 public:
  explicit FrontPane(QWidget* parent = nullptr);

  void set_plans(const std::vector<PlanCandidate>& plans);
  /// Shows `hint` above the plans, or in their place if there are none. While `running`, the button cancels.
  void set_state(const QString& hint, bool running);

  ParetoView& view() const { return *view_; }
  QTableView& table() const { return *table_; }
  const std::vector<PlanCandidate>& plans() const { return plans_; }
  bool table_shown() const;

 signals:
  void search_requested();  ///< search for plans
  void cancel_requested();
  void csv_requested();
  void plan_selected(int plan);
  void plan_activated(int plan);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_head();
  QComboBox* add_measure(widgets::WrappingRow& row, const QString& caption, const char* name,
                         models::whatif::FrontMeasure chosen);
  void make_table();
  void show_content();
  void copy() const;
  int current_row_plan() const;
  void apply_theme();

  std::vector<PlanCandidate> plans_;
  models::whatif::FrontTableModel* model_;
  QSortFilterProxyModel* sorted_;
  QComboBox *x_, *size_;
  QLabel* hint_;
  QStackedWidget* stack_;
  QLabel* empty_;
  ParetoView* view_;
  QTableView* table_;
  QToolButton *as_table_, *csv_;
  QPushButton* find_ = nullptr;
  bool running_ = false;
};

}  // namespace pipedeck::views::whatif
