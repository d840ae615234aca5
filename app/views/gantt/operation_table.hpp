// SPDX-License-Identifier: GPL-3.0-or-later
// A table of the operations of a Gantt chart, as rows that can be filtered, sorted and copied. The chart and the table
// share their selection.
#pragma once

#include <QPointer>
#include <QWidget>

#include "app/models/background_task.hpp"
#include "app/models/gantt/operation_table_model.hpp"

class QLabel;
class QLineEdit;
class QTableView;
class QToolButton;

namespace pipedeck::views::gantt {

class View;

class OperationTable : public QWidget {
  Q_OBJECT

 public:
  explicit OperationTable(QWidget* parent = nullptr);

  /// Sets the chart; null clears the table.
  void set_chart(View* chart);
  models::gantt::OperationTableModel& model() const { return *model_; }
  QTableView& table() const { return *table_; }
  void set_filter_text(const QString& text);
  /// Returns the selected rows with their header, separated by tabs.
  QString selected_text() const;
  void copy() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void build();
  QToolButton* page_button(const QString& text, const QString& name, const char* object, int step);
  void reload();
  void filter();
  void row_chosen();
  void follow_chart();
  void tell(const QString& note = {});

  models::gantt::OperationTableModel* model_;
  QTableView* table_;
  QLineEdit* field_;
  QLabel* told_;
  QToolButton *back_ = nullptr, *forth_ = nullptr;
  QPointer<View> chart_;
  bool following_ = false;  ///< the table follows the chart; it must not move the chart in turn
  QString problem_;
  models::BackgroundTask background_;
};

}  // namespace pipedeck::views::gantt
