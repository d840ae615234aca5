// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/bandwidth_map.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include "app/models/format.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::BandwidthMap)
};

constexpr double largest_side = 272;
constexpr std::size_t legend_limit = 6;
constexpr std::size_t device_limit = 136;  ///< more would be squares too small to read and slow to draw

bool drawn(std::size_t devices) { return devices >= 2 && devices <= device_limit; }

double heading_height(const QFont& font) { return QFontMetricsF(font).height() + 10; }

double cell_size(std::size_t devices) {
  return devices == 0 ? 0 : std::clamp(std::floor(largest_side / static_cast<double>(devices)), 2.0, 22.0);
}

/// Different bandwidths, widest first.
std::vector<double> levels_of(const BandwidthMatrix& matrix) {
  std::set<double, std::greater<>> different;
  for (const auto& row : matrix)
    for (double value : row)
      if (value > 0) different.insert(value);
  return {different.begin(), different.end()};
}

/// Wider is darker on light, lighter on dark; by logarithm, since networks span powers of ten.
QColor shade(double value, const std::vector<double>& levels, const Theme& theme) {
  if (value <= 0 || levels.empty()) return theme.panel;
  const double widest = std::log(levels.front()), narrowest = std::log(levels.back());
  const double share = widest > narrowest ? (std::log(value) - narrowest) / (widest - narrowest) : 1;
  return blended(theme.accent, theme.panel, 0.18 + 0.82 * share);
}

}  // namespace

double bandwidth_map_height(std::size_t devices, const QFont& font) {
  if (!drawn(devices)) return 0;
  const double side = cell_size(devices) * static_cast<double>(devices);
  return heading_height(font) + std::max(side, 3 * (QFontMetricsF(font).height() + 6)) + 8;
}

void paint_bandwidth_map(QPainter& painter, const QRectF& area, const BandwidthMatrix& matrix, const Theme& theme,
                         const QFont& font) {
  if (!drawn(matrix.size())) return;
  const double top = area.top() + heading_height(font), cell = cell_size(matrix.size());
  const double gap = cell > 6 ? 1 : 0;
  const std::vector<double> levels = levels_of(matrix);
  painter.setFont(section_font(font));
  painter.setPen(theme.muted);
  painter.drawText(QRectF(area.left(), area.top(), area.width(), heading_height(font) - 4),
                   Qt::AlignLeft | Qt::AlignVCenter, Text::tr("BANDWIDTH BETWEEN DEVICES"));
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < matrix.size(); ++j)
      painter.fillRect(QRectF(area.left() + static_cast<double>(j) * cell, top + static_cast<double>(i) * cell,
                              cell - gap, cell - gap),
                       shade(matrix[i][j], levels, theme));
  painter.setRenderHint(QPainter::Antialiasing);
  const double line = QFontMetricsF(font).height() + 6;
  const double x = area.left() + cell * static_cast<double>(matrix.size()) + 20;
  painter.setFont(font);
  for (std::size_t k = 0; k < std::min(levels.size(), legend_limit); ++k) {
    const QRectF row(x, top + static_cast<double>(k) * line, area.right() - x, line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(shade(levels[k], levels, theme));
    painter.drawRoundedRect(QRectF(x, row.center().y() - 5, 10, 10), 2, 2);
    painter.setPen(theme.muted);
    painter.drawText(row.adjusted(18, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     format_rate(BytesPerSecond(levels[k])));
  }
}

QString bandwidth_tip(const QRectF& area, const BandwidthMatrix& matrix, const QFont& font, QPointF point) {
  if (!drawn(matrix.size())) return {};
  const double cell = cell_size(matrix.size());
  const QPointF at = point - QPointF(area.left(), area.top() + heading_height(font));
  if (at.x() < 0 || at.y() < 0) return {};
  const auto row = static_cast<std::size_t>(at.y() / cell), column = static_cast<std::size_t>(at.x() / cell);
  if (row >= matrix.size() || column >= matrix.size() || row == column) return {};
  const double value = matrix[row][column];
  return value > 0 ? Text::tr("G%1 – G%2: %3").arg(row).arg(column).arg(format_rate(BytesPerSecond(value)))
                   : Text::tr("G%1 – G%2: not joined").arg(row).arg(column);
}

}  // namespace pipedeck::app
