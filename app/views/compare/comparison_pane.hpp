// SPDX-License-Identifier: GPL-3.0-or-later
// The ticked plans on one time scale, stacked or side by side: titles, Gantt charts and memory curves. The pane also
// has an overview, a ruler, pinned lanes, a legend and a search field. It sums up the selected span and shows the
// difference between two plans.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <QStringList>
#include <QWidget>

#include "app/models/background_task.hpp"
#include "app/models/compare/plan_row.hpp"
#include "app/views/gantt/time_axis_controller.hpp"
#include "core/model/memory_items.hpp"

class QGridLayout;
class QHBoxLayout;
class QLabel;
class QScrollArea;

namespace pipedeck::views::gantt {
class View;
class ChartSearch;
class DifferenceView;
class LegendView;
class MinimapView;
class SpanPanel;
}  // namespace pipedeck::views::gantt

namespace pipedeck::views::compare {

class PlanPanel;

class Pane : public QWidget {
  Q_OBJECT

 public:
  explicit Pane(QWidget* parent = nullptr);

  /// Sets the plans in order; the ticked ones are shown. A plan with the same simulation object keeps its chart, so
  /// that each step of a drag updates only what changed.
  void set_rows(const std::vector<models::compare::PlanRow>& rows);
  void set_selected_plan(std::optional<int> id);
  /// Draws the previous simulation of a plan that is being dragged as a ghost; null ends it.
  void set_ghost(int id, const std::shared_ptr<const Simulation>& old);
  void set_device_names(const QStringList& names);
  /// Shows memory as one strip per device, by item, instead of all curves in one plot.
  void set_memory_by_item(bool on);
  bool memory_by_item() const { return memory_by_item_; }
  /// Sets the items of a plan's strips; null while they are unknown.
  void set_memory_items(int id, const std::shared_ptr<const std::vector<DeviceItems>>& items);

  /// Places as many charts side by side as fit, instead of stacking them.
  void set_side_by_side(bool on);
  bool side_by_side() const { return side_by_side_; }
  void set_overview_visible(bool on);
  /// Shows or hides the link lanes in all charts.
  void set_links_visible(bool on);
  bool links_visible() const { return links_visible_; }
  /// Shows the difference between two plans under the chart of the second. Two equal ids, or a plan that is not shown,
  /// clear it.
  void set_difference(int from, int to);
  /// Returns the plans of the difference that is shown.
  std::optional<std::pair<int, int>> difference_plans() const { return difference_plans_; }
  gantt::DifferenceView* difference() const { return difference_; }
  gantt::ChartSearch& search() const { return *search_; }
  gantt::MinimapView& minimap() const { return *minimap_; }
  gantt::SpanPanel& span_panel() const { return *span_panel_; }
  /// Returns the view above the charts that shows the pinned lanes of a plan, or null.
  gantt::View* pinned_lanes(int id) const;
  /// Returns the panel at a position of the pane, or null.
  PlanPanel* panel_at(const QPoint& position) const;

  gantt::TimeAxisController& link() const { return *link_; }
  PlanPanel* panel(int id) const;
  std::vector<PlanPanel*> panels() const { return panels_; }
  QSize sizeHint() const override { return {900, 600}; }

 signals:
  void plan_clicked(int id);
  /// Charts were added or removed, or received their contents.
  void charts_changed();
  void links_visible_changed(bool on);
  void difference_closed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  void build_header();
  void build_footer();
  void update_background();
  std::vector<gantt::View*> charts() const;
  int columns() const;
  void place_panels();
  void place_rulers(int columns);
  void contents_changed();
  void show_minimap();
  void show_measured();
  void show_pinned();
  void remember_place();
  void show_difference();
  void end_difference();
  void scroll_to_row(gantt::View* chart, int top, int bottom);
  PlanPanel* take_panel(int id);
  void arrange(const std::vector<PlanPanel*>& wanted);
  void share_scale();
  void update_legend();
  void update_item_legend();
  void scroll_to_selected();
  void keep_place();
  int top_of(const PlanPanel& panel) const;

  gantt::TimeAxisController* link_;
  QScrollArea* scroll_ = nullptr;
  QWidget* column_ = nullptr;
  QGridLayout* layout_ = nullptr;
  QHBoxLayout* rulers_ = nullptr;
  QWidget *header_ = nullptr, *footer_ = nullptr;
  QLabel* empty_ = nullptr;
  gantt::LegendView* legend_ = nullptr;
  gantt::ChartSearch* search_ = nullptr;
  gantt::MinimapView* minimap_ = nullptr;
  gantt::SpanPanel* span_panel_ = nullptr;
  /// The pinned lanes of a plan, with its name if several plans have some.
  struct Pinned {
    QLabel* title;
    gantt::View* lanes;
  };
  std::map<int, Pinned> pinned_;
  gantt::DifferenceView* difference_ = nullptr;
  std::optional<std::pair<int, int>> difference_plans_;
  models::BackgroundTask differing_;
  std::vector<PlanPanel*> panels_;
  std::optional<int> selected_;
  std::set<int> new_panels_;  ///< made since the last choice of a plan
  std::optional<int> place_;  ///< top of the selected panel in the visible part, before the panels changed
  QStringList device_names_;
  bool memory_by_item_ = false;
  bool side_by_side_ = false;
  bool links_visible_ = false;
  bool overview_visible_ = true;
  int placed_columns_ = 0;
};

}  // namespace pipedeck::views::compare
