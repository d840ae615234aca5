// SPDX-License-Identifier: GPL-3.0-or-later
// The visible part of the drawing: panned, zoomed at the cursor, fitted.
#pragma once

#include <algorithm>

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace pipedeck::models::topology {

struct Camera {
  static constexpr double nearest = 3, farthest = 0.05;

  double zoom = 1;
  QPointF origin;  ///< point of the drawing at the view's top left corner

  QPointF to_view(QPointF point) const { return (point - origin) * zoom; }
  QRectF to_view(const QRectF& rect) const { return {to_view(rect.topLeft()), rect.size() * zoom}; }
  QPointF to_drawing(QPointF point) const { return point / zoom + origin; }
  QRectF to_drawing(const QRectF& rect) const { return {to_drawing(rect.topLeft()), rect.size() / zoom}; }

  void pan(QPointF pixels) { origin -= pixels / zoom; }

  /// Zooms and keeps the point at `at` in place.
  void zoom_at(QPointF at, double factor) {
    const QPointF under = to_drawing(at);
    zoom = std::clamp(zoom * factor, farthest, nearest);
    origin = under - at / zoom;
  }

  /// Centres `bounds` and shows all of it; small drawings are not enlarged.
  void fit(const QRectF& bounds, const QSizeF& view) {
    if (bounds.isEmpty() || view.isEmpty()) return;
    zoom = std::clamp(std::min(view.width() / bounds.width(), view.height() / bounds.height()), farthest, 1.0);
    origin = bounds.center() - QPointF(view.width(), view.height()) / 2 / zoom;
  }

  /// Moves as little as necessary to show `rect` with some margin.
  void show(const QRectF& rect, const QSizeF& view) {
    const double room = 24 / zoom;
    const QRectF wanted = rect.adjusted(-room, -room, room, room);
    const QRectF seen = to_drawing(QRectF(QPointF(), view));
    const auto step = [](double least, double most, double from, double to) {
      if (least < from || most - least > to - from) return least - from;
      return most > to ? most - to : 0.0;
    };
    origin += QPointF(step(wanted.left(), wanted.right(), seen.left(), seen.right()),
                      step(wanted.top(), wanted.bottom(), seen.top(), seen.bottom()));
  }
};

}  // namespace pipedeck::models::topology
