// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/pixel_canvas.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <QPainter>

namespace pipedeck::views::widgets {

namespace {

/// A version of mix_colors() that precomputes everything equal for all rows and has no branches to mispredict.
struct Mix {
  int x;
  unsigned red_blue, green, rest;
  QRgb over(QRgb under) const {
    const unsigned both = (red_blue + (under & 0xff00ff) * rest) >> 8,
                   middle = (green + (under & 0x00ff00) * rest) >> 8;
    return 0xff000000u | (both & 0xff00ff) | (middle & 0x00ff00);
  }
};

std::vector<Mix> mixes_of(int left, int from, int to, std::span<const PixelCanvas::Column> columns) {
  std::vector<Mix> mixes;
  mixes.reserve(static_cast<std::size_t>(to - from));
  for (int x = from; x < to; ++x) {
    const auto& [color, share] = columns[static_cast<std::size_t>(x - left)];
    if (share == 0) continue;
    mixes.push_back({x, (color & 0xff00ff) * share + 0x800080, (color & 0x00ff00) * share + 0x008000, 255 - share});
  }
  return mixes;
}

/// Returns the rows at which each colour of each column begins, colour after colour. Everything above the first belongs
/// to what was there before.
std::vector<int> stack_tops(int left, int top, int bottom, std::size_t colors, std::span<const std::uint8_t> parts) {
  constexpr int dithered_below = 8;  // pixels of height
  constexpr double dither[] = {0.125, 0.625, 0.375, 0.875};
  const std::size_t columns = parts.size() / colors;
  const int height = bottom - top;
  std::vector<int> tops(columns * colors);
  for (std::size_t x = 0; x < columns; ++x) {
    const double offset = height < dithered_below ? dither[(static_cast<std::size_t>(left) + x) & 3] : 0.5;
    const std::uint8_t* column = parts.data() + x * colors;
    unsigned sum = 0;
    for (std::size_t color = colors; color-- > 0;) {
      sum = std::min(255u, sum + column[color]);
      tops[color * columns + x] = bottom - static_cast<int>(sum * static_cast<unsigned>(height) / 255.0 + offset);
    }
    if (sum == 0 || tops[x] < bottom) continue;
    // Whatever is there stays visible: a row in the colour of the largest part.
    const auto most = static_cast<std::size_t>(std::max_element(column, column + colors) - column);
    for (std::size_t color = 0; color <= most; ++color) tops[color * columns + x] = bottom - 1;
  }
  return tops;
}

}  // namespace

PixelCanvas::PixelCanvas(QImage& image, const QRect& area)
    : bits_(image.bits()),
      stride_(image.bytesPerLine()),
      area_(area.intersected(image.rect())),
      hatch_period_(std::max(5, qRound(5 * image.devicePixelRatio()))),
      hatch_width_(std::max(2, qRound(1.6 * image.devicePixelRatio()))) {}

PixelCanvas::PixelCanvas(QPainter& page, qreal ratio, const QRect& area)
    : page_(&page), ratio_(ratio), area_(area), hatch_period_(5), hatch_width_(2) {}

PixelCanvas PixelCanvas::of(QPainter& painter, QImage& image, const QRect& area) {
  return painter.device() == &image ? PixelCanvas(image, area) : PixelCanvas(painter, image.devicePixelRatio(), area);
}

QRectF PixelCanvas::on_page(int left, int right, int top, int bottom) const {
  return QRectF(QPointF(left, top) / ratio_, QPointF(right, bottom) / ratio_);
}

void PixelCanvas::page_box(int left, int right, int top, int bottom, const BoxColors& ink, int radius) {
  const QRectF box = on_page(std::max(left, area_.left()), std::min(right, area_.right() + 1), top, bottom);
  page_->setPen(Qt::NoPen);
  const auto fill = [&](const QBrush& brush) {
    page_->setBrush(brush);
    radius > 0 ? page_->drawRoundedRect(box, radius / ratio_, radius / ratio_) : page_->drawRect(box);
  };
  fill(QColor::fromRgb(ink.color));
  if (ink.hatch != ink.color) fill(QBrush(QColor::fromRgb(ink.hatch), Qt::BDiagPattern));
}

/// Draws columns as shapes. Adjacent columns that look alike become one shape, so that a page has no more shapes than
/// needed.
void PixelCanvas::page_columns(int left, int top, int bottom, std::span<const Column> columns) {
  page_->setPen(Qt::NoPen);
  for (std::size_t first = 0, end = 0; first < columns.size(); first = end) {
    const Column& column = columns[first];
    constexpr unsigned step = 16;  // of the share, in 255ths: smaller differences are invisible
    const auto alike = [&](const Column& other) {
      return other.color == column.color && other.share / step == column.share / step;
    };
    while (end < columns.size() && alike(columns[end])) ++end;
    if (column.share == 0) continue;
    QColor color = QColor::fromRgb(column.color);
    color.setAlpha(static_cast<int>(std::min(255u, column.share)));
    page_->setBrush(color);
    page_->drawRect(on_page(left + static_cast<int>(first), left + static_cast<int>(end), top, bottom));
  }
}

void PixelCanvas::corner_row(QRgb* row, int left, int right, double inset, QRgb color) {
  const int whole = static_cast<int>(inset);
  const auto share = static_cast<unsigned>((1 - (inset - whole)) * 255);
  const auto put = [&](int x) {
    if (x >= area_.left() && x <= area_.right()) row[x] = mix_colors(color, row[x], share);
  };
  put(left + whole);
  put(right - 1 - whole);
  const int from = std::max(left + whole + 1, area_.left());
  const int to = std::min(right - 1 - whole, area_.right() + 1);
  if (from < to) std::fill(row + from, row + to, color);
}

void PixelCanvas::box(int left, int right, int top, int bottom, const BoxColors& ink, int radius) {
  const int from = std::max(left, area_.left()), to = std::min(right, area_.right() + 1);
  if (from >= to) return;
  radius = std::min({radius, (right - left) / 2, (bottom - top) / 2});
  if (page_) return page_box(left, right, top, bottom, ink, radius);
  const int last = std::min(bottom, area_.bottom() + 1);
  for (int y = std::max(top, area_.top()); y < last; ++y) {
    QRgb* pixels = row(y);
    const int depth = std::min(y - top, bottom - 1 - y);
    if (depth < radius) {
      const double rise = radius - depth - 0.5;  // from the corner's centre
      corner_row(pixels, left, right, radius - std::sqrt(radius * radius - rise * rise), ink.color);
      continue;
    }
    std::fill(pixels + from, pixels + to, ink.color);
    if (ink.hatch == ink.color) continue;
    for (int x = from; x < to; ++x)
      if ((x + y) % hatch_period_ < hatch_width_) pixels[x] = ink.hatch;
  }
}

void PixelCanvas::fill(int left, int right, int top, int bottom, QRgb color) {
  if (page_)
    return page_->fillRect(on_page(std::max(left, area_.left()), std::min(right, area_.right() + 1), top, bottom),
                           QColor::fromRgb(color));
  const int from = std::max(left, area_.left()), to = std::min(right, area_.right() + 1);
  const int first = std::max(top, area_.top()), last = std::min(bottom, area_.bottom() + 1);
  for (int y = first; y < last; ++y) {
    QRgb* pixels = row(y);
    for (int x = from; x < to; ++x) pixels[x] = color;
  }
}

void PixelCanvas::page_runs(int left, int top, int bottom, std::span<const QRgb> covered, const QColor& color) {
  for (auto from = covered.begin(); from != covered.end();) {
    const auto to = std::find_if(from, covered.end(), [&](QRgb one) { return one != *from; });
    const auto at = [&](auto place) { return left + static_cast<int>(place - covered.begin()); };
    if (*from != 0) page_->fillRect(on_page(at(from), at(to), top, bottom), color);
    from = to;
  }
}

void PixelCanvas::fill_columns(int left, int top, int bottom, std::span<const QRgb> covered, QRgb color) {
  if (page_) return page_runs(left, top, bottom, covered, QColor::fromRgb(color));
  const int skipped = std::max(0, area_.left() - left);
  const int count = std::min(static_cast<int>(covered.size()), area_.right() + 1 - left);
  const QRgb* __restrict where = covered.data();
  const int last = std::min(bottom, area_.bottom() + 1);
  for (int y = std::max(top, area_.top()); y < last; ++y) {
    QRgb* __restrict pixels = row(y) + left;
    for (int x = skipped; x < count; ++x) pixels[x] = (color & where[x]) | (pixels[x] & ~where[x]);
  }
}

void PixelCanvas::blend_columns(int left, int top, int bottom, std::span<const QRgb> veiled, QRgb color) {
  if (page_) {
    QColor half = QColor::fromRgb(color);
    half.setAlpha(128);
    return page_runs(left, top, bottom, veiled, half);
  }
  const int skipped = std::max(0, area_.left() - left);
  const int count = std::min(static_cast<int>(veiled.size()), area_.right() + 1 - left);
  const QRgb* __restrict where = veiled.data();
  const QRgb over = 0xff000000u | color;
  const int last = std::min(bottom, area_.bottom() + 1);
  for (int y = std::max(top, area_.top()); y < last; ++y) {
    QRgb* __restrict pixels = row(y) + left;
    for (int x = skipped; x < count; ++x) {  // no branches, no products: vectorizes over several pixels
      const QRgb under = pixels[x];
      // The mean of each byte: the common bits, plus half of the different ones.
      const QRgb mean = (under & over) + (((under ^ over) & 0xfefefefeu) >> 1);
      pixels[x] = (mean & where[x]) | (under & ~where[x]);
    }
  }
}

void PixelCanvas::columns(int left, int top, int bottom, std::span<const Column> columns, bool plain) {
  if (page_) return page_columns(left, top, bottom, columns);
  const int from = std::max(left, area_.left());
  const int to = std::min(left + static_cast<int>(columns.size()), area_.right() + 1);
  const int first = std::max(top, area_.top()), last = std::min(bottom, area_.bottom() + 1);
  if (from >= to) return;
  const std::vector<Mix> mixes = mixes_of(left, from, to, columns);
  for (int y = first; y < last; ++y) {
    QRgb* pixels = row(y);
    if (plain && y > first)
      std::memcpy(pixels + from, row(first) + from, static_cast<std::size_t>(to - from) * sizeof(QRgb));
    else
      for (const Mix& mix : mixes) pixels[mix.x] = mix.over(pixels[mix.x]);
  }
}

void PixelCanvas::page_stacks(int left, int bottom, std::span<const QRgb> colors, std::span<const int> tops) {
  const std::size_t columns = tops.size() / colors.size();
  const auto alike = [&](std::size_t a, std::size_t b) {
    for (std::size_t color = 0; color < colors.size(); ++color)
      if (tops[color * columns + a] != tops[color * columns + b]) return false;
    return true;
  };
  for (std::size_t first = 0, end = 0; first < columns; first = end) {
    while (end < columns && alike(first, end)) ++end;
    for (std::size_t color = 0; color < colors.size(); ++color) {
      const int from = tops[color * columns + first];
      const int to = color + 1 < colors.size() ? tops[(color + 1) * columns + first] : bottom;
      if (from < to)
        page_->fillRect(on_page(left + static_cast<int>(first), left + static_cast<int>(end), from, to),
                        QColor::fromRgb(colors[color]));
    }
  }
}

void PixelCanvas::stacked_columns(int left, int top, int bottom, std::span<const QRgb> colors,
                                  std::span<const std::uint8_t> parts) {
  const std::vector<int> tops = stack_tops(left, top, bottom, colors.size(), parts);
  if (page_) return page_stacks(left, bottom, colors, tops);
  const std::size_t columns = parts.size() / colors.size();
  const auto skipped = static_cast<std::size_t>(std::max(0, area_.left() - left));
  const auto count = static_cast<std::size_t>(std::max(0, area_.right() + 1 - left));
  const std::size_t end = std::min(columns, count);
  if (skipped >= end) return;
  struct Layer {
    const int* tops;
    int first, full;  ///< the rows from which on some of the columns, and all of them, have it
    QRgb color;
  };
  std::vector<Layer> layers;
  for (std::size_t color = 0; color < colors.size(); ++color) {
    const int* of_color = tops.data() + color * columns;
    const auto [least, most] = std::minmax_element(of_color + skipped, of_color + end);
    layers.push_back({of_color, *least, *most, colors[color]});
  }
  const int last = std::min(bottom, area_.bottom() + 1);
  for (int y = std::max(top, area_.top()); y < last; ++y) {
    QRgb* __restrict pixels = row(y) + left;
    // A layer that fills the row hides those above it.
    std::size_t layer = 0;
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (y >= layers[i].full) layer = i;
    for (; layer < layers.size() && y >= layers[layer].first; ++layer) {
      const int* __restrict from = layers[layer].tops;
      const QRgb color = layers[layer].color;
      for (std::size_t x = skipped; x < end; ++x) pixels[x] = y >= from[x] ? color : pixels[x];  // vectorizes
    }
  }
}

void PixelCanvas::repeat_row(int left, int right, int top, int bottom) {
  const int from = std::max(left, area_.left()), to = std::min(right, area_.right() + 1);
  if (from >= to) return;
  const int last = std::min(bottom, area_.bottom() + 1);
  for (int y = top + 1; y < last; ++y)
    std::memcpy(row(y) + from, row(top) + from, static_cast<std::size_t>(to - from) * sizeof(QRgb));
}

void PixelCanvas::layers_row(int y, int left, const Layers& layers) {
  if (y < area_.top() || y > area_.bottom()) return;
  const int skipped = std::max(0, area_.left() - left);
  const int count = std::min(static_cast<int>(layers.tops[0].size()), area_.right() + 1 - left);
  const int* __restrict first = layers.tops[0].data();
  const int* __restrict second = layers.tops[1].data();
  const int* __restrict third = layers.tops[2].data();
  const auto [low, middle, high] = layers.colors;
  QRgb* __restrict pixels = row(y) + left;
  for (int x = skipped; x < count; ++x) {  // no branches: vectorizes over eight pixels
    const QRgb upper = y >= third[x] ? high : pixels[x];
    const QRgb lower = y >= second[x] ? middle : upper;
    pixels[x] = y >= first[x] ? low : lower;
  }
}

}  // namespace pipedeck::views::widgets
