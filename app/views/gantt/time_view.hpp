// SPDX-License-Identifier: GPL-3.0-or-later
// A widget over a shared time axis: labels on the left, a plot on the right and the cursor over it. The content below
// the cursor is cached as an image, so that moving the cursor does not repaint it.
//
// The wheel scrolls, with Ctrl it zooms at the mouse, with Shift it scrolls in time. A drag pans, with Shift it selects
// a span, with Ctrl it zooms to one. M and Shift+click set the span's ends one after the other.
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
  /// Handles a key that was pressed while the mouse or the focus is here. Returns true if it used the key.
  bool use_key(QKeyEvent* event);
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
  /// Returns true if it used the double click.
  virtual bool double_clicked(const QPointF&) { return false; }
  /// Takes a press on the labels and the drag that follows; `at` is in widget coordinates. Returns true if it does.
  virtual bool takes_label_drag(const QPointF&) { return false; }
  virtual void label_dragged(const QPointF&) {}
  virtual void label_dropped(const QPointF&) {}
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
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void changeEvent(QEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void focusOutEvent(QFocusEvent*) override;

  bool draws_cursor_ = true;
  bool is_scale_ = false;  ///< a drag selects a span and the wheel zooms, both without a key

 private:
  enum class Drag { none, pan, span, span_end, zoom, label };
  Drag drag_for(const QMouseEvent& event);
  void drag_to(const QMouseEvent& event);
  void pan_to(const QPointF& position, const QPointF& global);
  void end_drag(const QPointF& position);
  void cancel_drag();
  void draw_zoom_span(QPainter& painter) const;
  void draw_flag_lines(QPainter& painter) const;
  bool navigate(int key);
  bool measure_key(int key);
  void draw_measure(QPainter& painter) const;
  /// Returns which measure cursor is at x: 0, 1, or -1 for none.
  int measure_end_at(double x) const;
  double snapped_within(const QPointF& position) const;
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
  QPointF press_global_;
  models::gantt::TimeAxis press_axis_;
  std::optional<TimeMeasure> press_measure_;
  int press_scroll_ = 0;  ///< of the enclosing scroll area
  Drag drag_ = Drag::none;
  bool dragging_ = false;    ///< the mouse moved far enough; until then it is a click
  int held_end_ = -1;        ///< the measure cursor that is being dragged
  bool focus_ring_ = false;  ///< the focus came by Tab
};

}  // namespace pipedeck::views::gantt
