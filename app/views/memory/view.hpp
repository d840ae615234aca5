// SPDX-License-Identifier: GPL-3.0-or-later
// Memory over time: one curve per device; devices with the same curve share one. The capacity is dashed; a whisker
// reaches from the peak to its upper bound; excess over the capacity is red. By item, every device has a strip in which
// its items are stacked.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QLineF>
#include <QStringList>

#include "app/models/memory/curves.hpp"
#include "app/models/memory/stack.hpp"
#include "app/views/gantt/time_view.hpp"

namespace pipedeck::views::widgets {
class PixelCanvas;
class HoverCard;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::memory {

class View : public gantt::TimeView {
  Q_OBJECT

 public:
  explicit View(gantt::TimeAxisController* link, QWidget* parent = nullptr);

  void set_simulation(std::shared_ptr<const Simulation> simulation);
  /// Sets curves that were computed elsewhere.
  void set_curves(std::shared_ptr<const models::memory::Curves> curves);
  void set_device_names(const QStringList& names);
  /// Shows one strip per device instead of all curves in one plot.
  void set_by_item(bool on);
  bool by_item() const { return by_item_; }
  /// Sets the items that the strips stack. While it is null, they show only the sum.
  void set_items(std::shared_ptr<const models::memory::Stacks> stacks);
  const std::shared_ptr<const models::memory::Stacks>& items() const { return stacks_; }
  const std::shared_ptr<const models::memory::Curves>& curves() const { return curves_; }
  models::memory::Strips strips() const;
  double y_of(Bytes bytes) const;
  /// Returns the curve nearest to a widget position, within a few pixels.
  std::optional<std::size_t> curve_at(const QPointF& position) const;
  QStringList describe(std::size_t curve, double time) const;
  /// Returns "G0–G7: peak 11.2 GiB of 16 GiB at 412 ms", then its breakdown, one item per line.
  QStringList peak_lines(std::size_t curve) const;
  /// Returns where a curve or its strip is drawn.
  QRectF curve_box(std::size_t curve) const;
  /// Returns the curve nearest to a position, or the strip there.
  std::optional<std::size_t> part_at(const QPointF& position) const;
  /// Returns what a strip's device holds at `time`; the item at `y` comes first.
  QStringList describe_strip(int strip, double time, double y) const;

  QSize sizeHint() const override { return {640, by_item_ ? strips().height() : 68}; }
  QSize minimumSizeHint() const override { return {200, by_item_ ? strips().height() : 44}; }

 protected:
  void draw_content(QPainter& painter, QImage& canvas) override;
  void draw_overlay(QPainter& painter) override;
  void hovered(const QPointF& position) override;
  void unhovered() override;

 private:
  void draw_curve(QPainter& painter, QImage* canvas, const models::memory::Curve& curve, double pen_width) const;
  void draw_columns(QPainter& painter, QImage* canvas, const std::vector<QLineF>& columns, const QColor& color,
                    double bottom) const;
  void draw_capacity(QPainter& painter) const;
  void draw_capacity_labels(QPainter& painter) const;
  void draw_capacity_label(QPainter& painter, Bytes capacity, double y) const;
  void draw_cut(QPainter& painter) const;
  void draw_cut_label(QPainter& painter, double y) const;
  void draw_mark_label(QPainter& painter, const QString& text, const QColor& colour, double y) const;
  void draw_peak(QPainter& painter) const;
  /// Draws the time of the peak and the distance to its upper bound.
  void draw_peak_mark(QPainter& painter, const models::memory::Curve& curve, double peak_y, double upper_y) const;
  // view_strips.cpp
  void draw_strips(QPainter& painter, QImage& canvas) const;
  void draw_strip_frame(QPainter& painter, int strip) const;
  void draw_strip_marks(QPainter& painter, int strip) const;
  void fill_strip(QPainter& painter, QImage& canvas, int strip) const;
  struct Columns;
  struct Edges;
  class Pile;
  void fill_items(widgets::PixelCanvas& pixels, const Pile& pile, const Columns& columns,
                  const models::memory::Stack& stack, qreal ratio) const;
  const models::memory::Stack* stack_of(int strip) const;

  std::shared_ptr<const models::memory::Curves> curves_;
  std::shared_ptr<const models::memory::Stacks> stacks_;
  bool by_item_ = false;
  QStringList device_names_;
  std::optional<std::size_t> hover_;
  widgets::HoverCard* card_;
};

/// Returns how a device's peak compares with its capacity: the excess, or how much the peak may still grow.
QStringList fit_lines(const SimulatedDevice& simulated);

}  // namespace pipedeck::views::memory
