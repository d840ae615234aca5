// SPDX-License-Identifier: GPL-3.0-or-later
// The table of plans, the split editor and the charts, and their interaction while a plan is dragged.
#pragma once

#include <cstdint>
#include <vector>

#include <QWidget>

#include "app/models/background_task.hpp"
#include "app/models/compare/plan_row.hpp"
#include "app/session/plans/mesh_study.hpp"
#include "app/session/session.hpp"
#include "core/plan/edits.hpp"

class QAction;
class QSplitter;

namespace pipedeck::models::compare {
class PlanTableModel;
}  // namespace pipedeck::models::compare

namespace pipedeck::views::compare {
class Pane;
class PlanBar;
class PlanGroups;
class PlanTable;
enum class RowRequest;
}  // namespace pipedeck::views::compare

namespace pipedeck::views::split {
class Editor;
class StageCard;
}  // namespace pipedeck::views::split

namespace pipedeck::views::mesh {
class Editor;
}  // namespace pipedeck::views::mesh

namespace pipedeck::views::widgets {
class ElidedLine;
class HintBar;
}  // namespace pipedeck::views::widgets

namespace pipedeck::ui::pages {

class ComparePage : public QWidget {
  Q_OBJECT

 public:
  explicit ComparePage(session::Session& session, QWidget* parent = nullptr);

  void set_plan_actions(const QList<QAction*>& actions);
  /// Shows the session's current plans.
  void refresh();
  /// Shows new metrics. A drag in progress continues undisturbed and shows them when it ends.
  void refresh_figures();

  views::compare::PlanTable& table() const { return *table_; }
  /// Highlights the critical path in the chart of every plan.
  void set_critical_shown(bool shown);
  /// Shows the memory of every plan as strips of its items.
  void set_memory_by_item(bool on);
  views::compare::PlanBar& plan_bar() const { return *plan_bar_; }
  views::split::Editor& split() const { return *split_; }
  /// Returns the editor of plans of format version 2.
  views::mesh::Editor& mesh() const { return *mesh_; }
  const session::plans::MeshStudy& mesh_study() const { return mesh_study_; }
  views::split::StageCard& stage_card() const { return *stage_card_; }
  views::compare::Pane& charts() const { return *charts_; }
  const std::vector<models::compare::PlanRow>& rows() const { return rows_; }
  /// Returns true while a dragged plan is shown.
  bool previewing() const { return before_drag_.has_value(); }
  const models::compare::PlanRow* row(int id) const;
  /// Resets table and charts to their natural heights.
  void reset_layout();
  /// Lowers the rows and folds the split editor unless the user has unfolded it, for small windows.
  void set_dense(bool dense);
  /// Hides the split editor below its bar. Only a choice of the user is kept.
  void set_split_folded(bool folded);
  bool split_folded() const { return split_folded_; }
  /// Shows the charts alone.
  void set_charts_only(bool on);

  QSize minimumSizeHint() const override;

 signals:
  void rows_changed();  ///< also during a drag
  void plan_activated(int id);
  void split_fold_chosen(bool folded);  ///< by the user

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void refresh_searches();
  void receive_request(int id, views::compare::RowRequest request);
  void show_hint();
  void show_provenance();
  int height_of_lines() const;
  void fit_table();
  void limit_folded();
  std::vector<models::compare::PlanRow> unfolded(std::vector<models::compare::PlanRow> rows) const;
  void show_rows(const std::vector<models::compare::PlanRow>& rows);
  /// Returns what is missing until there are plans.
  QString next_step() const;
  void show_split();
  void connect_mesh();
  void show_mesh(const session::project::PlanEntry* entry);
  void take_degree(int dimension, int value);
  void take_best_degree();
  void search_unlocked();
  void show_editors();
  int height_of_editors() const;
  void show_schedules();
  void show_critical();
  void show_memory_items();
  void preview(const Plan& plan);
  void show_preview(std::int64_t generation, const Plan& plan,
                    const std::shared_ptr<const study::PlanResult>& plan_result, const QString& why);
  void prepare_charts();
  void show_charts(const std::shared_ptr<const Simulation>& simulation, const models::compare::ChartContents& contents);
  void stop_preview();
  void commit(const plan::PlanEdit& edit);
  void end_preview();
  /// Sets the fields next to the strip to the plan's values.
  void show_fields(const Plan& plan);

  session::Session& session_;
  models::compare::PlanTableModel* model_;
  views::compare::PlanTable* table_;
  views::widgets::HintBar* hint_;
  views::compare::PlanGroups* groups_;
  views::widgets::ElidedLine* provenance_;
  views::compare::PlanBar* plan_bar_;
  views::split::Editor* split_;
  views::split::StageCard* stage_card_;
  views::mesh::Editor* mesh_;
  views::compare::Pane* charts_;
  QSplitter* splitter_;
  session::plans::MeshStudy mesh_study_;
  std::vector<models::compare::PlanRow> rows_;
  std::shared_ptr<const Plan> offered_;  ///< the plan for which the schedules are offered
  std::optional<models::compare::PlanRow> before_drag_;
  models::BackgroundTask drawing_;  ///< prepares the charts of a dragged plan
  bool critical_shown_ = false;
  bool laid_out_ = false;
  int fitted_ = 0;             ///< height of the table and its lines that the layout was made for
  int larger_batch_ = 0;       ///< that the hint offers
  QWidget* edited_ = nullptr;  ///< plan bar, mesh editor, split editor and stage card
  bool dense_ = false;
  bool split_folded_ = false;
  bool mesh_shown_ = false;  ///< the selected plan has format version 2
};

}  // namespace pipedeck::ui::pages
