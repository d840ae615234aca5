// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes written straight into the rows of a picture: thousands of them cost less than a hundred calls of a painter.
#pragma once

#include <span>
#include <vector>

#include <QImage>
#include <QRect>
#include <QRgb>

class QPainter;

namespace pipedeck::app {

/// `share` in 255ths of `over` on `under`, both opaque.
inline QRgb mixed(QRgb over, QRgb under, unsigned share) {
  const unsigned rest = 255 - share;
  const unsigned red_blue = ((over & 0xff00ff) * share + (under & 0xff00ff) * rest + 0x800080) >> 8;
  const unsigned green = ((over & 0x00ff00) * share + (under & 0x00ff00) * rest + 0x008000) >> 8;
  return 0xff000000u | (red_blue & 0xff00ff) | (green & 0x00ff00);
}

/// Coordinates are physical pixels of an RGB32 picture; everything is clipped to `area`.
class PixelCanvas {
 public:
  PixelCanvas(QImage& image, const QRect& area);
  /// The same boxes as shapes, for pages: `ratio` of these pixels are one of the painter's.
  PixelCanvas(QPainter& page, qreal ratio, const QRect& area);
  /// By where the painter draws: on the image itself, or on a page, of which the image says the size alone.
  static PixelCanvas of(QPainter& painter, QImage& image, const QRect& area);
  bool on_page() const { return page_ != nullptr; }

  struct Ink {
    QRgb color = 0;
    QRgb hatch = 0;  ///< colour of diagonal lines over it; equal to `color`: none
  };

  /// Half-open: [left, right) x [top, bottom). `radius` rounds the corners.
  void box(int left, int right, int top, int bottom, const Ink& ink, int radius);
  /// A plain box: quick for a column of one pixel too.
  void fill(int left, int right, int top, int bottom, QRgb color);
  /// Half of `color` over what is there: where `veiled`, a pixel column from `left` on each, is `all_bits`, not where
  /// 0.
  static constexpr QRgb all_bits = 0xffffffffu;
  void veil(int left, int top, int bottom, std::span<const QRgb> veiled, QRgb color);
  /// The same of a colour that covers: `color` where `covered` is `all_bits`.
  void stamp(int left, int top, int bottom, std::span<const QRgb> covered, QRgb color);
  /// One colour and share a pixel from `left` on, all rows alike; share 0 leaves what is there.
  /// `plain`: all rows of the target look the same, so that one row is mixed and the others copied.
  struct Column {
    QRgb color = 0;
    unsigned share = 0;      ///< in 255ths
    unsigned strongest = 0;  ///< the share of what gave the colour
  };
  void columns(int left, int top, int bottom, std::span<const Column> columns, bool plain);
  /// Row `top` in all rows below it. Not for pages.
  void repeat_row(int left, int right, int top, int bottom);
  /// Whether that row can be drawn, and repeated afterwards.
  bool repeats(int top) const { return !page_ && top >= area_.top() && top <= area_.bottom(); }

  /// Three layers on top of one another, a pixel column each entry: at row y the lowest whose top is not below y.
  /// Not for pages.
  struct Layers {
    std::span<const int> tops[3];  ///< rows, from the lowest layer to the highest
    QRgb colors[3];
  };
  void layers_row(int y, int left, const Layers& layers);

 private:
  void page_box(int left, int right, int top, int bottom, const Ink& ink, int radius);
  void page_columns(int left, int top, int bottom, std::span<const Column> columns);
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

}  // namespace pipedeck::app
