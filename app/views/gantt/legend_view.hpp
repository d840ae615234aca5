// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of the colours and hatches of a Gantt chart.
#pragma once

#include <vector>

#include <QWidget>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::gantt {

class LegendView : public QWidget {
  Q_OBJECT

 public:
  explicit LegendView(QWidget* parent = nullptr);
  /// Sets the kinds to list, in OpKind order. Send and receive appear as "transfer".
  void set_kinds(const std::vector<OpKind>& kinds);
  /// Sets whether passes have tensor-parallel all-reduces inside, which are hatched.
  void set_tensor_parallel(bool on);
  /// Sets the maximum number of chunks per device. Letters and shades are explained if there are several.
  void set_chunks(int chunks);
  /// Sets the memory items to list on a second line; none: no second line.
  void set_items(const std::vector<MemoryItem>& items);
  /// Sets the left edge of the first swatch: that of the plots.
  void set_indent(int indent);

  QSize sizeHint() const override { return {640, items_.empty() ? line : 2 * line}; }
  QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  static constexpr int line = 24;  ///< height
  void describe();
  void paint_operations(QPainter& painter, const widgets::Theme& theme) const;
  void paint_items(QPainter& painter, const widgets::Theme& theme) const;

  int chunks_ = 1;
  bool tensor_parallel_ = false;
  std::vector<MemoryItem> items_;
  std::vector<OpKind> kinds_;
  int indent_ = 0;
};

/// Draws a box of `kind` as the charts do: with its colour and its hatch, if any.
void draw_swatch(QPainter& painter, const QRectF& box, OpKind kind, const widgets::Theme& theme);

}  // namespace pipedeck::views::gantt
