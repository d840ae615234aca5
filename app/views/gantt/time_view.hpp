// SPDX-License-Identifier: GPL-3.0-or-later
// A widget over a shared time axis: labels on the left, a plot on the right and the cursor over it. Its keys and the
// wheel zoom and pan; M or Shift+click sets the two cursors of a measure. The content below the cursor is cached as an
// image, so that moving the cursor does not repaint it.
#pragma once

#include <optional>

#include <QImage>
#include <QPointF>
#include <QRect>
#include <QWidget>

#include "app/views/gantt/time_axis_controller.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::gantt {

class TimeView : public QWidget {
  Q_OBJECT

 public:
  /// `link` must outlive the view.
  TimeView(TimeAxisController* link, QWidget* parent);

  TimeAxisController& link() const { return *link_; }
  const widgets::Theme& theme() const { return widgets::Theme::of(palette()); }
  /// Returns the area in which times are drawn, in widget coordinates.
  QRect plot() const;
  double x_of(double time) const;
  double time_at(double x) const;
  /// Sets a measure cursor at the mouse, snapped. If the mouse is elsewhere, sets it at the cursor or in the middle.
  void mark_here();
  /// Returns how often the content was drawn, for tests of repainting.
  int content_draws() const { return content_draws_; }

 protected:
  /// Draws everything except the cursor and floating cards. It draws on `canvas` (opaque, filled with the theme's
  /// window colour) or with the painter, which is open on it. For a page (SVG, PDF) the painter is open on the page,
  /// and `canvas` gives only the size. Content outside wanted() may be skipped.
  virtual void draw_content(QPainter& painter, QImage& canvas) = 0;
  /// Returns the visible part while the content is drawn, as wide as the view.
  const QRect& wanted() const { return wanted_; }
  /// Draws what changes with the mouse, on top of the content.
  virtual void draw_overlay(QPainter&) {}
  virtual void hovered(const QPointF&) {}
  virtual void unhovered() {}
  virtual void clicked(const QPointF&) {}
  /// Returns the time that a measure cursor snaps to at a position.
  virtual double snapped(const QPointF& position) const { return time_at(position.x()); }
  /// Handles keys other than zoom, pan and fit. Returns true if it used the key.
  virtual bool key(QKeyEvent*) { return false; }
  /// Marks the content for redrawing.
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
  /// Returns which measure cursor is at x: 0, 1, or -1 for none.
  int measure_end_at(double x) const;
  void drag_measure(const QPointF& position);
  void cursor_moved();
  void draw_again(const QRect& exposed);
  void draw_on_page(QPainter& painter);

  TimeAxisController* link_;
  QImage content_;
  QRect wanted_;  ///< part of the content that the image contains once it is drawn
  bool stale_ = true;
  int content_draws_ = 0;
  std::optional<double> drawn_cursor_;  ///< x at which the line was last drawn or requested
  std::optional<QPointF> press_;        ///< where a drag or click began
  models::gantt::TimeAxis press_axis_;
  bool dragging_ = false;
  int held_end_ = -1;        ///< the measure cursor that is being dragged
  bool focus_ring_ = false;  ///< the focus came by Tab
};

}  // namespace pipedeck::views::gantt
