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
  /// Where the first swatch is drawn: the plots' left edge.
  void set_indent(int indent);

  QSize sizeHint() const override { return {640, 24}; }
  QSize minimumSizeHint() const override { return {100, 24}; }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  void describe();

  int chunks_ = 1;
  std::vector<OpKind> kinds_;
  int indent_ = 0;
};

/// A box of `kind` as the charts draw it: colour and, where it has one, hatch.
void draw_swatch(QPainter& painter, const QRectF& box, OpKind kind, const Theme& theme);

}  // namespace pipedeck::app
