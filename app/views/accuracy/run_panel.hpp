// SPDX-License-Identifier: GPL-3.0-or-later
// The selected published run: its machine and mapping, prediction and measurement, the parts of the predicted
// iteration, and notes. Without a selected run, the runs with the largest errors.
#pragma once

#include <span>
#include <vector>

#include <QScrollArea>

#include "app/models/accuracy/run_row.hpp"

class QFormLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace pipedeck::views::widgets {
class BarTable;
class FigureRow;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::accuracy {

class RunPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit RunPanel(QWidget* parent = nullptr);

  void show_run(const models::accuracy::RunRow& row);
  /// Shows how a run is selected, and those of the shown rows with the largest errors.
  void show_largest(std::span<const models::accuracy::RunRow> rows, std::span<const std::size_t> shown);
  widgets::BarTable& parts() const { return *parts_; }
  widgets::BarTable& largest() const { return *largest_; }

 signals:
  void closed();
  void run_requested(int row);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_largest();
  QWidget* make_head();
  QWidget* make_run();
  void show_facts(const models::accuracy::RunRow& row);
  void fit_tables();
  void apply_theme();

  models::accuracy::RunRow row_;
  std::vector<std::size_t> largest_rows_;
  QWidget *no_run_, *run_;
  QLabel *hint_, *largest_title_, *title_, *origin_, *parts_title_, *notes_title_, *notes_;
  widgets::FigureRow* figures_;
  QFormLayout* facts_;
  widgets::BarTable *parts_, *largest_;
  QPushButton* copy_;
  QToolButton* close_;
};

}  // namespace pipedeck::views::accuracy
