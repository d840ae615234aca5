// SPDX-License-Identifier: GPL-3.0-or-later
// An overview of the whole time span of all charts on one link. The visible window is a frame that can be dragged and
// resized.
#pragma once

#include <memory>
#include <vector>

#include <QImage>
#include <QWidget>

#include "app/models/gantt/content.hpp"
#include "app/models/gantt/matches.hpp"
#include "app/models/gantt/minimap_geometry.hpp"
#include "app/views/gantt/time_axis_controller.hpp"

namespace pipedeck::views::gantt {

class MinimapView : public QWidget {
  Q_OBJECT

 public:
  explicit MinimapView(TimeAxisController* link, QWidget* parent = nullptr);

  /// Sets one band per chart, in this order; null entries are skipped.
  void set_contents(const std::vector<std::shared_ptr<const models::gantt::Content>>& contents);
  /// Sets the matches of a search, shown as ticks.
  void set_matches(const std::vector<std::shared_ptr<const models::gantt::Matches>>& matches);
  /// Returns the frame, in pixels from the left of the widget.
  models::gantt::MinimapFrame frame() const;

  QSize sizeHint() const override { return {640, 40}; }
  QSize minimumSizeHint() const override { return {200, 40}; }

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  QRect plot() const;
  void draw_overview();
  void draw_band(const models::gantt::Content& content, int top, int bottom, int left, int right);
  void draw_ticks();
  void refresh();
  void describe();

  TimeAxisController* link_;
  std::vector<std::shared_ptr<const models::gantt::Content>> contents_;
  std::vector<std::shared_ptr<const models::gantt::Matches>> matches_;
  QImage overview_;
  bool stale_ = true;
  double drawn_full_ = 0;
  models::gantt::MinimapGrip grip_ = models::gantt::MinimapGrip::none;
  double press_x_ = 0;
  models::gantt::TimeAxis press_axis_;
};

}  // namespace pipedeck::views::gantt
