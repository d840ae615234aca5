// SPDX-License-Identifier: GPL-3.0-or-later
// Painter of the lanes of a Gantt chart. Operations of a few pixels become boxes. Narrower ones become columns, in
// which every kind has its part of the height. Micro-batch numbers are drawn where they fit.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include <QFont>
#include <QImage>
#include <QPainter>

#include "app/models/gantt/geometry.hpp"
#include "app/views/widgets/pixel_canvas.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::gantt {

QColor colour_of(models::gantt::LanePart part, const widgets::Theme& theme);

/// A mark that is drawn over each row immediately after the row, while its pixels are in the cache.
struct RowMark {
  std::function<void(std::size_t row, bool first_line)> dim;  ///< `first_line`: only the row's first line of pixels
  std::function<void(std::size_t row)> lines;                 ///< drawn on top
};

struct Scene {
  const models::gantt::Content* content = nullptr;
  const models::gantt::Content* secondary = nullptr;          ///< may be null
  const models::gantt::Content* reference_overlay = nullptr;  ///< may be null
  const models::gantt::Geometry* geometry = nullptr;
  models::gantt::TimeAxis axis;
  QRect plot;          ///< device-independent
  QRect visible_rect;  ///< rows outside are skipped
  int strip = 5;       ///< height of all-reduces below computations in a lane
  std::vector<RowMark> marks{};
  const models::gantt::DividedLanes* divided = nullptr;  ///< of the rows that are parts
};

/// A painter that caches the images of numbers between frames.
class Painter {
 public:
  void draw(QPainter& painter, QImage& canvas, const Scene& scene, const widgets::Theme& theme, const QFont& font);

 private:
  struct Band;  ///< where and how one lane of operations is drawn
  struct Frame;
  struct Box {
    double left, right;  ///< physical pixels
    std::size_t operation;
  };

  void draw_marked_row(Frame& frame, std::size_t index);
  /// Returns true if it drew only the first line of the lane, which all others repeat. It does so only on request
  /// (`first_line`).
  bool draw_row(Frame& frame, const models::gantt::Row& row, bool first_line);
  void draw_part(Frame& frame, const models::gantt::Row& row, int top, int bottom);
  bool draw_lane(Frame& frame, const Band& band);
  bool draw_detail(Frame& frame, const Band& band);
  bool draw_boxes(Frame& frame, const Band& band);
  void draw_ghost(Frame& frame, DeviceId device, int top, int bottom);
  void draw_transfers(Frame& frame);
  /// Adds an operation that is too narrow for a box to the pixels that it touches, weighted by its coverage.
  void touch_columns(const Frame& frame, double left, double right, std::size_t color);
  void draw_narrow(Frame& frame, const Band& band, bool first_line);
  /// Draws columns of one colour as a tint, and those of several colours as stacks.
  void draw_columns(Frame& frame, const Band& band, bool first_line);
  std::size_t color_index(QRgb color);
  void draw_label(Frame& frame, const Band& band, const Box& box);
  /// Returns the image of a number. `chunk` below 0: the device has only one chunk.
  const QImage& label(int number, int chunk, const QFont& font, QRgb color, qreal ratio);

  std::map<std::tuple<int, int, QRgb>, QImage> labels_;
  QFont label_font_;
  qreal label_ratio_ = 0;
  std::vector<widgets::PixelCanvas::Column> columns_;  // scratch of one lane, as are the next ones
  std::vector<QRgb> colors_;
  std::vector<std::uint8_t> parts_;          // by column and colour, in 255ths
  std::vector<std::vector<float>> touched_;  // by colour and column, in pixels
  std::vector<Box> boxes_;
};

}  // namespace pipedeck::views::gantt
