// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions next to published training runs: a chart, figures of the errors, a filter, and the selected run. The runs
// come from CSV tables that the user opens.
#pragma once

#include <optional>
#include <vector>

#include <QWidget>

#include "app/models/accuracy/run_filter.hpp"
#include "app/session/accuracy/run_study.hpp"
#include "app/session/session.hpp"
#include "app/ui/dialogs/dialogs.hpp"

class QLabel;
class QToolButton;

namespace pipedeck::views::accuracy {
class FilterPanel;
class GroupTable;
class RunPanel;
class ScatterView;
}  // namespace pipedeck::views::accuracy

namespace pipedeck::views::widgets {
class EmptyState;
class FigureRow;
class SegmentSwitch;
}  // namespace pipedeck::views::widgets

namespace pipedeck::ui::pages {

class AccuracyPage : public QWidget {
  Q_OBJECT

 public:
  AccuracyPage(session::Session& session, dialogs::Dialogs dialogs, QWidget* parent = nullptr);

  /// Adds the runs of a CSV table.
  void open(const QString& file) { study_.add(file); }
  /// Adds the runs of training logs. `job`: the file of their job; empty: the logs print it. `device`: the type of GPUs
  /// that a log does not name; empty: unknown.
  void open_logs(const QStringList& logs, const QString& job, const QString& device);
  const std::vector<models::accuracy::RunRow>& rows() const { return rows_; }
  session::accuracy::RunStudy& study() { return study_; }
  views::accuracy::ScatterView& chart() const { return *chart_; }
  views::accuracy::FilterPanel& filter() const { return *filter_; }
  views::accuracy::GroupTable& groups() const { return *groups_; }
  views::accuracy::RunPanel& run() const { return *run_; }
  views::widgets::FigureRow& figures() const { return *figures_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_centre();
  QWidget* make_errors();
  void connect_views();
  void ask_for_runs();
  void show_published();
  void show_runs();  ///< after the study has changed
  void show_state();
  void apply_filter();
  void show_figures(const std::vector<std::size_t>& shown);
  void show_groups();
  void show_reasons();
  void select(std::optional<std::size_t> row);
  void fit_panels();

  session::Session& session_;
  dialogs::Dialogs dialogs_;
  session::accuracy::RunStudy study_;
  std::vector<models::accuracy::RunRow> rows_;
  models::accuracy::RunChoices choices_;
  views::accuracy::FilterPanel* filter_;
  views::widgets::FigureRow* figures_;
  views::widgets::SegmentSwitch *mode_, *by_;
  views::accuracy::ScatterView* chart_;
  views::accuracy::GroupTable* groups_;
  views::accuracy::RunPanel* run_;
  QLabel* errors_title_;
  QToolButton* reasons_;
  views::widgets::EmptyState* empty_;
};

}  // namespace pipedeck::ui::pages
