// SPDX-License-Identifier: GPL-3.0-or-later
// The ticked plans one under another on one time scale: titles, Gantt charts, memory curves; one ruler and one legend.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QStringList>
#include <QWidget>

#include "app/models/plan_row.hpp"
#include "app/views/time_link.hpp"
#include "core/domain/memory_items.hpp"

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace pipedeck::app {

class LegendView;
class PlanPanel;
class RulerView;

class ComparisonPane : public QWidget {
  Q_OBJECT

 public:
  explicit ComparisonPane(QWidget* parent = nullptr);

  /// The plans in their order; those ticked are shown. A plan whose simulation is the same object as before keeps its
  /// chart, so that calling this at every move of a drag costs only what changed.
  void set_rows(const std::vector<PlanRow>& rows);
  void set_selected_plan(std::optional<int> id);
  /// The old verdict of a plan that is being dragged, drawn as a ghost; null ends it.
  void set_ghost(int id, const std::shared_ptr<const Simulation>& old);
  void set_device_names(const QStringList& names);
  /// Memory as a strip a device, by item, instead of all curves in one plot.
  void set_memory_by_item(bool on);
  bool memory_by_item() const { return memory_by_item_; }
  /// The items of a plan's strips; null while they are not known.
  void set_memory_items(int id, const std::shared_ptr<const std::vector<DeviceItems>>& items);

  TimeLink& link() const { return *link_; }
  PlanPanel* panel(int id) const;
  std::vector<PlanPanel*> panels() const { return panels_; }
  QSize sizeHint() const override { return {900, 600}; }

 signals:
  void plan_clicked(int id);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void update_background();
  PlanPanel* take_panel(int id);
  void arrange(const std::vector<PlanPanel*>& wanted);
  void share_scale();
  void update_legend();
  void update_item_legend();
  void scroll_to_selected();

  TimeLink* link_;
  QScrollArea* scroll_ = nullptr;
  QWidget* column_ = nullptr;
  QVBoxLayout* layout_ = nullptr;
  QWidget* footer_ = nullptr;
  QLabel* empty_ = nullptr;
  RulerView* ruler_ = nullptr;
  LegendView* legend_ = nullptr;
  std::vector<PlanPanel*> panels_;
  std::optional<int> selected_;
  QStringList device_names_;
  bool memory_by_item_ = false;
};

}  // namespace pipedeck::app
