// SPDX-License-Identifier: GPL-3.0-or-later
// A device's measured memory over time, stacked by class, under the line of what its allocator reserved. On the right,
// the pile at the peak stands next to the predicted one. A dashed line marks the predicted peak.
#pragma once

#include <optional>

#include <QWidget>

#include "app/models/memory/measured_pile.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::widgets {
class HoverCard;
}

namespace pipedeck::views::memory {

class PileChart : public QWidget {
  Q_OBJECT

 public:
  explicit PileChart(QWidget* parent = nullptr);

  void set_pile(models::memory::MeasuredPile pile);
  const models::memory::MeasuredPile& pile() const { return pile_; }
  /// Returns where time runs, and where the two bars stand; the bars are empty without a prediction.
  QRectF plot() const;
  QRectF measured_bar() const;
  QRectF predicted_bar() const;
  double y_of(Bytes bytes) const;
  double x_of(double time) const;
  /// Returns the classes at a time, the highest first, with their bytes.
  QStringList describe(double time) const;

  QSize sizeHint() const override { return {900, 300}; }
  QSize minimumSizeHint() const override { return {420, 200}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void draw_axes(QPainter& painter) const;
  void draw_areas(QPainter& painter) const;
  void draw_lines(QPainter& painter) const;
  void draw_bar(QPainter& painter, const QRectF& bar, const models::memory::PileBytes& parts,
                const QString& name) const;
  void draw_legend(QPainter& painter) const;
  const widgets::Theme& theme() const { return widgets::Theme::of(palette()); }

  models::memory::MeasuredPile pile_;
  widgets::HoverCard* card_;
};

}  // namespace pipedeck::views::memory
