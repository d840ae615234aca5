// SPDX-License-Identifier: GPL-3.0-or-later
// A bar divided into parts, with its legend.
#pragma once

#include <vector>

#include <QWidget>

#include "app/models/compare/inspector_content.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::compare {

QColor colour_of(models::compare::InspectorPartKind kind, const widgets::Theme& theme);

class StackedBar : public QWidget {
  Q_OBJECT

 public:
  explicit StackedBar(QWidget* parent = nullptr);

  /// Sets the parts and a line across the bar at `mark` in [0, 1], for example a capacity; 1: none.
  void set_parts(std::vector<models::compare::InspectorPart> parts, double mark);
  /// Sets small marks above the bar, which their tool tips name.
  void set_marks(std::vector<models::compare::InspectorMark> marks);

  QSize sizeHint() const override { return {200, 18}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  const models::compare::InspectorPart* part_at(double x) const;

  std::vector<models::compare::InspectorPart> parts_;
  std::vector<models::compare::InspectorMark> marks_;
  double mark_ = 1;
};

/// A line of the legend: swatch, label, and a value at the right.
class LegendRow : public QWidget {
  Q_OBJECT

 public:
  explicit LegendRow(QWidget* parent = nullptr);

  void set_part(models::compare::InspectorPart part);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  models::compare::InspectorPart part_;
};

}  // namespace pipedeck::views::compare
