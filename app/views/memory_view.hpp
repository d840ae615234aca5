// SPDX-License-Identifier: GPL-3.0-or-later
// Memory over time: a curve a device (devices with the same curve share one), the capacity dashed, the peak marked,
// what is over the capacity red.
#pragma once

#include <memory>
#include <optional>

#include <QStringList>

#include "app/models/memory_curves.hpp"
#include "app/views/time_view.hpp"

namespace pipedeck::app {

class HoverCard;

class MemoryView : public TimeView {
  Q_OBJECT

 public:
  explicit MemoryView(TimeLink* link, QWidget* parent = nullptr);

  void set_simulation(std::shared_ptr<const Simulation> simulation);
  void set_device_names(const QStringList& names);
  const std::shared_ptr<const MemoryCurves>& curves() const { return curves_; }
  double y_of(Bytes bytes) const;
  /// The curve nearest to a widget position, within a few pixels.
  std::optional<std::size_t> curve_at(const QPointF& position) const;
  QStringList describe(std::size_t curve, double time) const;

  QSize sizeHint() const override { return {640, 68}; }
  QSize minimumSizeHint() const override { return {200, 44}; }

 protected:
  void draw_content(QPainter& painter, QImage& canvas) override;
  void draw_overlay(QPainter& painter) override;
  void hovered(const QPointF& position) override;
  void unhovered() override;

 private:
  void draw_curve(QPainter& painter, const MemoryCurve& curve, double pen_width) const;
  void draw_capacity(QPainter& painter) const;
  void draw_capacity_labels(QPainter& painter) const;
  void draw_peak(QPainter& painter) const;

  std::shared_ptr<const MemoryCurves> curves_;
  QStringList device_names_;
  std::optional<std::size_t> hover_;
  HoverCard* card_;
};

}  // namespace pipedeck::app
