// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours and hatches of a Gantt chart mean.
#pragma once

#include <vector>

#include <QWidget>

#include "app/views/theme.hpp"

namespace pipedeck::app {

class LegendView : public QWidget {
  Q_OBJECT

 public:
  explicit LegendView(QWidget* parent = nullptr);
  /// Kinds to name, in OpKind order; receive goes with send as "transfer".
  void set_kinds(const std::vector<OpKind>& kinds);
  /// Most chunks of the model that a device has; their letters and shades are named where there are several.
  void set_chunks(int chunks);
  /// Items of memory to name, on a line of their own; none: no line.
  void set_items(const std::vector<MemoryItem>& items);
  /// Where the first swatch is drawn: the plots' left edge.
  void set_indent(int indent);

  QSize sizeHint() const override { return {640, items_.empty() ? line : 2 * line}; }
  QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  static constexpr int line = 24;  ///< its height
  void describe();
  void paint_operations(QPainter& painter, const Theme& theme) const;
  void paint_items(QPainter& painter, const Theme& theme) const;

  int chunks_ = 1;
  std::vector<MemoryItem> items_;
  std::vector<OpKind> kinds_;
  int indent_ = 0;
};

/// A box of `kind` as the charts draw it: colour and, where it has one, hatch.
void draw_swatch(QPainter& painter, const QRectF& box, OpKind kind, const Theme& theme);

}  // namespace pipedeck::app
