// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/mesh/layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pipedeck::models::mesh {
namespace {

constexpr double margin = 14, gap = 12, padding = 8, least_degree = 46, lock_width = 26, bar_width = 44, swatch = 16;

}  // namespace

Layout lay_out(const Sheet& sheet, double width, const Fonts& fonts, const std::vector<QString>& headings) {
  Layout layout;
  const double cell = std::ceil(fonts.title_height + fonts.caption_height) + 4, pitch = cell + 8;
  double names = 0, degrees = 0;
  // Bytes, exposed, memory: as wide as their widest text.
  std::array<double, 3> columns{};
  for (std::size_t c = 0; c < columns.size() && c < headings.size(); ++c) columns[c] = fonts.caption(headings[c]);
  std::vector<std::vector<double>> widths;
  for (const Row& row : sheet.rows) {
    names = std::max({names, fonts.title(row.name), fonts.caption(row.about)});
    double all = 0;
    std::vector<double>& own = widths.emplace_back();
    for (const Degree& degree : row.degrees) {
      const double mark = row.switches ? 20 : 0;
      own.push_back(std::ceil(std::max(
          least_degree, std::max(fonts.title(degree.text) + mark, fonts.caption(degree.below)) + 2 * padding)));
      all += own.back();
    }
    if (!row.note.isEmpty()) all += gap + fonts.caption(row.note);
    degrees = std::max(degrees, all);
    columns[0] = std::max(columns[0], fonts.caption(row.bytes));
    columns[1] = std::max(columns[1], fonts.caption(row.exposed));
    columns[2] = std::max(columns[2], fonts.caption(row.memory));
  }
  for (double& column : columns) column = std::ceil(column) + gap;
  const double first = margin + swatch + std::ceil(names) + gap;
  const double left = first + std::ceil(degrees) + gap + lock_width;
  // The bar goes first, then memory, then bytes: the exposed time is what the others explain.
  bool bar = true, memory = true, bytes = true;
  const auto needed = [&] {
    return left + columns[1] + (bar ? bar_width + gap : 0) + (memory ? columns[2] : 0) + (bytes ? columns[0] : 0) +
           margin;
  };
  for (bool* part : {&bar, &memory, &bytes})
    if (needed() > width) *part = false;
  layout.least = left + columns[1] + margin;
  layout.width = std::max(width, needed());
  const double heading = std::ceil(fonts.caption_height) + 10;
  layout.heading = {0, 0, layout.width, heading};
  double y = heading;
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    RowPlace& place = layout.rows.emplace_back();
    place.whole = {0, y, layout.width, pitch};
    const double top = y + (pitch - cell) / 2;
    place.name = {margin + swatch, top, first - margin - swatch, cell};
    double x = first;
    for (const double own : widths[r]) {
      place.degrees.emplace_back(x, top, own, cell);
      x += own;
    }
    if (!sheet.rows[r].note.isEmpty())
      place.note = {x + gap, top, std::ceil(fonts.caption(sheet.rows[r].note)) + 2, cell};
    double right = layout.width - margin;
    const auto column = [&](bool shown, double wide) {
      if (!shown) return QRectF();
      right -= wide;
      return QRectF(right, top, wide, cell);
    };
    place.memory = column(memory, columns[2]);
    place.exposed = column(true, columns[1]);
    place.bar = column(bar, bar_width + gap).adjusted(bar ? gap : 0, 0, 0, 0);
    place.bytes = column(bytes, columns[0]);
    place.lock = {right - lock_width, top, lock_width, cell};
    y += pitch;
  }
  layout.height = y;
  return layout;
}

std::optional<Place> place_at(const Layout& layout, const QPointF& at) {
  for (std::size_t r = 0; r < layout.rows.size(); ++r) {
    const RowPlace& row = layout.rows[r];
    if (!row.whole.contains(at)) continue;
    if (row.lock.contains(at)) return Place{static_cast<int>(r), -1};
    for (std::size_t d = 0; d < row.degrees.size(); ++d)
      if (row.degrees[d].contains(at)) return Place{static_cast<int>(r), static_cast<int>(d)};
  }
  return {};
}

}  // namespace pipedeck::models::mesh
