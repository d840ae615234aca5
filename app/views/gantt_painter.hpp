// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the lanes of a Gantt chart: boxes where an operation has a few pixels, columns of the level of detail where it
// has less, micro-batch numbers where there is room.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include <QFont>
#include <QImage>
#include <QPainter>

#include "app/models/gantt_geometry.hpp"
#include "app/views/pixel_canvas.hpp"
#include "app/views/theme.hpp"

namespace pipedeck::app {

/// What is laid over each row as soon as it is drawn, while its pixels are in the processor's cache.
struct RowMark {
  std::function<void(std::size_t row, bool first_line)> dim;  ///< all alike: of the row's first line of pixels alone
  std::function<void(std::size_t row)> lines;                 ///< drawn over that
};

struct GanttScene {
  const GanttContent* content = nullptr;
  const GanttContent* pale = nullptr;   ///< may be null
  const GanttContent* ghost = nullptr;  ///< may be null
  const GanttGeometry* geometry = nullptr;
  TimeAxis axis;
  QRect plot;     ///< device-independent
  QRect wanted;   ///< rows outside of it are left out
  int strip = 5;  ///< of a lane, for all-reduces beneath computations
  std::vector<RowMark> marks{};
};

/// Keeps the pictures of numbers between frames.
class GanttPainter {
 public:
  void draw(QPainter& painter, QImage& canvas, const GanttScene& scene, const Theme& theme, const QFont& font);

 private:
  struct Band;  ///< where and how one lane of operations is drawn
  struct Frame;
  struct Box {
    double left, right;  ///< physical pixels
    std::size_t operation;
  };

  void draw_marked_row(Frame& frame, std::size_t index);
  /// True: only the first line of its lane, which all others repeat; where `first_line` asks for that.
  bool draw_row(Frame& frame, const GanttRow& row, bool first_line);
  bool draw_lane(Frame& frame, const Band& band);
  bool draw_detail(Frame& frame, const Band& band);
  bool draw_boxes(Frame& frame, const Band& band);
  void draw_ghost(Frame& frame, DeviceId device, int top, int bottom);
  void draw_transfers(Frame& frame);
  /// What is too narrow for a box gets the pixels that it touches, as strong as it covers them.
  void touch_columns(const Frame& frame, double left, double right, QRgb color);
  void draw_label(Frame& frame, const Band& band, const Box& box);
  /// `chunk` below 0: the device has one only.
  const QImage& label(int number, int chunk, const QFont& font, QRgb color, qreal ratio);

  std::map<std::tuple<int, int, QRgb>, QImage> labels_;
  QFont label_font_;
  qreal label_ratio_ = 0;
  std::vector<PixelCanvas::Column> columns_;  // scratch of one lane, as are the next two
  std::vector<LaneBin> bins_;
  std::vector<Box> boxes_;
};

}  // namespace pipedeck::app
