// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes written directly into the rows of an image. Thousands of them are cheaper than a hundred QPainter calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <QImage>
#include <QRect>
#include <QRgb>

class QPainter;

namespace pipedeck::views::widgets {

/// Returns `over` blended onto `under` with a weight of `share` / 255; both are opaque.
inline QRgb mix_colors(QRgb over, QRgb under, unsigned share) {
  const unsigned rest = 255 - share;
  const unsigned red_blue = ((over & 0xff00ff) * share + (under & 0xff00ff) * rest + 0x800080) >> 8;
  const unsigned green = ((over & 0x00ff00) * share + (under & 0x00ff00) * rest + 0x008000) >> 8;
  return 0xff000000u | (red_blue & 0xff00ff) | (green & 0x00ff00);
}

/// A canvas in physical pixels of an RGB32 image. Everything is clipped to `area`.
class PixelCanvas {
 public:
  PixelCanvas(QImage& image, const QRect& area);
  /// Draws the boxes as vector shapes on a page: `ratio` of these pixels are one unit of the painter.
  PixelCanvas(QPainter& page, qreal ratio, const QRect& area);
  /// Returns a canvas on the image if the painter draws on it, else on the page; `image` then gives only the size.
  static PixelCanvas of(QPainter& painter, QImage& image, const QRect& area);
  bool on_page() const { return page_ != nullptr; }

  struct BoxColors {
    QRgb color = 0;
    QRgb hatch = 0;  ///< colour of diagonal lines on top; equal to `color`: none
  };

  /// Draws the half-open box [left, right) x [top, bottom). `radius` rounds the corners.
  void box(int left, int right, int top, int bottom, const BoxColors& ink, int radius);
  /// Draws a plain box; fast even for a column of one pixel.
  void fill(int left, int right, int top, int bottom, QRgb color);
  /// Blends `color` at one half where `veiled` is `all_bits`, and leaves the pixels where it is 0. `veiled` has one
  /// entry per pixel column from `left` on.
  static constexpr QRgb all_bits = 0xffffffffu;
  void blend_columns(int left, int top, int bottom, std::span<const QRgb> veiled, QRgb color);
  /// Writes an opaque `color` where `covered` is `all_bits`.
  void fill_columns(int left, int top, int bottom, std::span<const QRgb> covered, QRgb color);
  /// Blends one colour and share per pixel column from `left` on, the same in all rows; share 0 leaves the pixels.
  /// `plain`: all rows of the target look the same, so that one row is blended and copied.
  struct Column {
    QRgb color = 0;
    unsigned share = 0;  ///< in 255ths
  };
  void columns(int left, int top, int bottom, std::span<const Column> columns, bool plain);
  /// Stacks colours in each pixel column from `left` on, the last at the bottom, each as high as its part of the height
  /// in 255ths. `parts` has colors.size() values per column. Pixels that no part covers stay. Low columns are dithered,
  /// so that their proportions hold over several columns.
  void stacked_columns(int left, int top, int bottom, std::span<const QRgb> colors,
                       std::span<const std::uint8_t> parts);
  /// Copies row `top` to all rows below it. Not for pages.
  void repeat_row(int left, int right, int top, int bottom);
  /// Returns true if that row can be drawn and repeated.
  bool repeats(int top) const { return !page_ && top >= area_.top() && top <= area_.bottom(); }

  /// Three layers on top of one another, one entry per pixel column. At row y the lowest layer whose top is not below y
  /// is visible. Not for pages.
  struct Layers {
    std::span<const int> tops[3];  ///< rows, from the lowest layer to the highest
    QRgb colors[3];
  };
  void layers_row(int y, int left, const Layers& layers);

 private:
  void page_box(int left, int right, int top, int bottom, const BoxColors& ink, int radius);
  void page_columns(int left, int top, int bottom, std::span<const Column> columns);
  void page_stacks(int left, int bottom, std::span<const QRgb> colors, std::span<const int> tops);
  void page_runs(int left, int top, int bottom, std::span<const QRgb> covered, const QColor& color);
  QRectF on_page(int left, int right, int top, int bottom) const;
  QRgb* row(int y) { return reinterpret_cast<QRgb*>(bits_ + y * stride_); }
  void corner_row(QRgb* row, int left, int right, double inset, QRgb color);

  QPainter* page_ = nullptr;
  qreal ratio_ = 1;
  uchar* bits_ = nullptr;
  qsizetype stride_ = 0;
  QRect area_;
  int hatch_period_;
  int hatch_width_;
};

}  // namespace pipedeck::views::widgets
