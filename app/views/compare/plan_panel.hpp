// SPDX-License-Identifier: GPL-3.0-or-later
// A plan of the comparison: name, metrics, Gantt chart and memory curves.
#pragma once

#include "app/models/compare/plan_row.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/memory/view.hpp"

namespace pipedeck::views::compare {

/// A title above the charts; the cursor runs through it.
class PlanTitle : public gantt::TimeView {
  Q_OBJECT

 public:
  PlanTitle(gantt::TimeAxisController* link, QWidget* parent);
  void set_texts(const QString& name, const QString& figures, bool warning);
  void set_selected(bool selected);
  const QString& name() const { return name_; }
  const QString& figures() const { return figures_; }
  QSize sizeHint() const override { return {640, 30}; }
  QSize minimumSizeHint() const override { return {100, 30}; }

 signals:
  void pressed();

 protected:
  void draw_content(QPainter& painter, QImage& canvas) override;
  void clicked(const QPointF&) override { emit pressed(); }

 private:
  QString name_, figures_;
  bool warning_ = false;
  bool selected_ = false;
};

class PlanPanel : public QWidget {
  Q_OBJECT

 public:
  PlanPanel(gantt::TimeAxisController* link, QWidget* parent);
  void set_row(const models::compare::PlanRow& row);
  void set_ghost(std::shared_ptr<const models::gantt::Content> content) { gantt_->set_ghost(std::move(content)); }
  void set_selected(bool selected);
  void set_device_names(const QStringList& names);
  /// Sets the widget between the chart and the memory curves: the difference to another plan. Null removes it.
  void set_insert(QWidget* insert);
  bool selected() const { return selected_; }
  int plan_id() const { return row_.id; }
  const models::compare::PlanRow& row() const { return row_; }
  gantt::View& gantt() const { return *gantt_; }
  memory::View& memory() const { return *memory_; }
  PlanTitle& title() const { return *title_; }

 signals:
  void clicked(int id);

 private:
  models::compare::PlanRow row_;
  bool selected_ = false;
  bool filled_ = false;
  PlanTitle* title_;
  gantt::View* gantt_;
  memory::View* memory_;
  QWidget* insert_ = nullptr;
};

/// Returns "0.735 s · bubble 13 %", or why there are no metrics.
QString plan_figures(const models::compare::PlanRow& row);

}  // namespace pipedeck::views::compare
