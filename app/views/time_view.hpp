// SPDX-License-Identifier: GPL-3.0-or-later
// A widget over a shared time axis: labels on the left, a plot on the right, the cursor over it, and the keys and wheel
// that zoom and pan; M or Shift+click set the two cursors of a measure. What is drawn below the cursor is kept in a
// picture, so that a moving cursor repaints nothing.
#pragma once

#include <optional>

#include <QImage>
#include <QPointF>
#include <QRect>
#include <QWidget>

#include "app/views/theme.hpp"
#include "app/views/time_link.hpp"

namespace pipedeck::app {

class TimeView : public QWidget {
  Q_OBJECT

 public:
  /// `link` must outlive the view.
  TimeView(TimeLink* link, QWidget* parent);

  TimeLink& link() const { return *link_; }
  const Theme& theme() const { return Theme::of(palette()); }
  /// Where times are drawn, in widget coordinates.
  QRect plot() const;
  double x_of(double time) const;
  double time_at(double x) const;
  /// Sets a cursor of the measure at the mouse, snapped; without one over the view at the cursor, or in the middle.
  void mark_here();
  /// Times the content was drawn anew, for tests of what repaints.
  int content_draws() const { return content_draws_; }

 protected:
  /// Draws all but the cursor and what floats, on `canvas` (opaque, filled with the theme's window colour) or by the
  /// painter that is open on it. On a page (SVG, PDF) the painter is open on that, and `canvas` says the size alone.
  /// What lies outside of wanted() need not be drawn.
  virtual void draw_content(QPainter& painter, QImage& canvas) = 0;
  /// While the content is drawn: the part that can be seen, as wide as the view.
  const QRect& wanted() const { return wanted_; }
  /// Draws what changes with the mouse over the content.
  virtual void draw_overlay(QPainter&) {}
  virtual void hovered(const QPointF&) {}
  virtual void unhovered() {}
  virtual void clicked(const QPointF&) {}
  /// The time that a cursor of a measure takes at a position.
  virtual double snapped(const QPointF& position) const { return time_at(position.x()); }
  /// Keys besides zoom, pan and fit; true where taken.
  virtual bool key(QKeyEvent*) { return false; }
  /// The content must be drawn anew.
  void refresh();

  void paintEvent(QPaintEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void changeEvent(QEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void focusOutEvent(QFocusEvent*) override;

  bool draws_cursor_ = true;

 private:
  bool navigate(int key);
  bool measure_key(int key);
  void draw_measure(QPainter& painter) const;
  /// Which cursor of the measure is at x: 0 or 1; -1: none.
  int measure_end_at(double x) const;
  void drag_measure(const QPointF& position);
  void cursor_moved();
  void draw_again(const QRect& exposed);
  void draw_on_page(QPainter& painter);

  TimeLink* link_;
  QImage content_;
  QRect wanted_;  ///< of the content; once drawn it is there
  bool stale_ = true;
  int content_draws_ = 0;
  std::optional<double> drawn_cursor_;  ///< x where the line was last drawn or asked for
  std::optional<QPointF> press_;        ///< where a drag or click began
  TimeAxis press_axis_;
  bool dragging_ = false;
  int held_end_ = -1;        ///< the cursor of the measure that is being dragged
  bool focus_ring_ = false;  ///< the keyboard came here by Tab
};

}  // namespace pipedeck::app
