// SPDX-License-Identifier: GPL-3.0-or-later
// The difference lane of two plans: where the devices of only one are busy, and how much earlier or later the same
// operations start. Blue marks gains, orange losses.
#pragma once

#include <memory>

#include "app/models/gantt/difference.hpp"
#include "app/models/gantt/geometry.hpp"
#include "app/views/gantt/painter.hpp"
#include "app/views/gantt/time_view.hpp"
#include "app/views/widgets/accessible_items.hpp"

namespace pipedeck::views::widgets {
class HoverCard;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::gantt {

class DifferenceView : public TimeView, public widgets::AccessibleItems {
  Q_OBJECT

 public:
  explicit DifferenceView(TimeAxisController* link, QWidget* parent = nullptr);

  /// Sets the difference from one plan to another; null while it is being computed.
  void set_difference(std::shared_ptr<const models::gantt::GanttDifference> difference, const QString& from,
                      const QString& to);
  void set_device_names(const QStringList& names);
  const std::shared_ptr<const models::gantt::GanttDifference>& difference() const { return difference_; }
  /// Returns "Difference to DAPPLE 8:8: 0.3 s of device time gained, 0.1 s lost".
  QString headline() const;
  /// Returns what both plans execute on the device at a position.
  QStringList describe(const QPointF& position) const;
  int wanted_label_width() const;

  /// Returns the number of spans in which the plans differ, lane by lane.
  int item_count() const override { return span_ends_.empty() ? 0 : span_ends_.back(); }
  QString item_text(int span) const override;
  QRect item_rect(int span) const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 signals:
  void close_requested();

 protected:
  void draw_content(QPainter& painter, QImage& canvas) override;
  void hovered(const QPointF& position) override;
  void unhovered() override;
  bool key(QKeyEvent* event) override;

 private:
  void draw_headline(QPainter& painter) const;
  void draw_legend(QPainter& painter) const;
  void draw_labels(QPainter& painter) const;
  struct Span {
    const models::gantt::Row* lane;
    TimelineRow what;
  };
  Span span(int index) const;
  QString difference_text(models::gantt::Difference what) const;
  /// Returns "backward 3 of stage 1", or "idle".
  QString doing(const models::gantt::Content& content, DeviceId device, double time,
                std::optional<Operation>* found) const;

  std::shared_ptr<const models::gantt::GanttDifference> difference_;
  models::gantt::Geometry geometry_;
  std::vector<int> span_ends_;  ///< by lane: number of spans in it and in those above
  Painter painter_;
  QString from_, to_;
  QStringList device_names_;
  widgets::HoverCard* card_;
};

}  // namespace pipedeck::views::gantt
