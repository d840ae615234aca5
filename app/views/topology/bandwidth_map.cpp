// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/bandwidth_map.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QPaintEngine>
#include <QPainter>
#include <QToolTip>

#include "app/models/format.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::topology {

namespace {

constexpr double legend_width = 110;
constexpr double min_map_with_legend = 80;  ///< if smaller, the squares take the legend's room; tooltips replace it
constexpr std::size_t legend_limit = 6;

/// Returns the different bandwidths, largest first.
std::vector<double> levels_of(const Bandwidths& table) {
  std::set<double, std::greater<>> different;
  for (const auto& row : table.rows)
    for (const BytesPerSecond value : row)
      if (value.count > 0) different.insert(value.count);
  return {different.begin(), different.end()};
}

/// Returns the shade of a bandwidth: larger is darker on light, lighter on dark. The scale is logarithmic because
/// networks span powers of ten.
QColor shade(double value, const std::vector<double>& levels, const widgets::Theme& theme) {
  if (value <= 0 || levels.empty()) return theme.panel;
  const double widest = std::log(levels.front()), narrowest = std::log(levels.back());
  const double share = widest > narrowest ? (std::log(value) - narrowest) / (widest - narrowest) : 1;
  return widgets::blended(theme.of_group(0), theme.panel, 0.18 + 0.82 * share);
}

}  // namespace

BandwidthMap::BandwidthMap(QWidget* parent) : QWidget(parent) {
  widgets::install_accessible_items();  // before any interface is requested
  setObjectName(QStringLiteral("bandwidth_map"));
  setAccessibleName(tr("Bandwidth between devices"));
}

void BandwidthMap::set_bandwidths(Bandwidths table) {
  if (table == table_) return;
  table_ = std::move(table);
  picture_ = {};
  setVisible(!table_.rows.empty());
  updateGeometry();
  update();
}

QSize BandwidthMap::sizeHint() const { return table_.rows.empty() ? QSize(0, 0) : QSize(320, 220); }

double BandwidthMap::heading() const { return QFontMetricsF(font()).height() + 10; }

bool BandwidthMap::has_legend() const { return width() >= legend_width + min_map_with_legend; }

double BandwidthMap::cell() const {
  if (table_.rows.empty()) return 0;
  const double side = std::min(height() - heading(), width() - (has_legend() ? legend_width : 0));
  return std::clamp(side / static_cast<double>(table_.rows.size()), 0.5, 22.0);
}

void BandwidthMap::paintEvent(QPaintEvent*) {
  if (table_.rows.empty()) return;
  QPainter painter(this);
  const QPaintEngine::Type engine = painter.paintEngine()->type();
  if (engine == QPaintEngine::SVG || engine == QPaintEngine::Pdf) return paint_on(painter);
  if (picture_.isNull()) {
    picture_ = QPixmap(size() * devicePixelRatioF());
    picture_.setDevicePixelRatio(devicePixelRatioF());
    picture_.fill(Qt::transparent);
    QPainter on_picture(&picture_);
    paint_on(on_picture);
  }
  painter.drawPixmap(0, 0, picture_);
}

void BandwidthMap::paint_on(QPainter& painter) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const std::vector<double> levels = levels_of(table_);
  const double top = heading(), side = cell(), gap = side > 6 ? 1 : 0;
  painter.setFont(widgets::section_font(font()));
  painter.setPen(theme.muted);
  const QString title = of_nodes() ? tr("BANDWIDTH BETWEEN NODES") : tr("BANDWIDTH BETWEEN DEVICES");
  painter.drawText(QRectF(0, 0, width(), top - 4), Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(title, Qt::ElideRight, width()));
  // Edges are on whole pixels: fractions would show seams between squares.
  const auto edge = [side](std::size_t i) { return std::round(static_cast<double>(i) * side); };
  for (std::size_t i = 0; i < table_.rows.size(); ++i)
    for (std::size_t j = 0; j < table_.rows.size(); ++j)
      painter.fillRect(QRectF(edge(j), top + edge(i), edge(j + 1) - edge(j) - gap, edge(i + 1) - edge(i) - gap),
                       shade(table_.rows[i][j].count, levels, theme));
  if (has_legend()) paint_legend(painter, levels, edge(table_.rows.size()) + 16);
}

void BandwidthMap::paint_legend(QPainter& painter, const std::vector<double>& levels, double left) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const double line = QFontMetricsF(font()).height() + 6;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font());
  for (std::size_t k = 0; k < std::min(levels.size(), legend_limit); ++k) {
    const QRectF row(left, heading() + static_cast<double>(k) * line, width() - left, line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(shade(levels[k], levels, theme));
    painter.drawRoundedRect(QRectF(row.left(), row.center().y() - 5, 10, 10), 2, 2);
    painter.setPen(theme.muted);
    painter.drawText(row.adjusted(18, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     models::format_rate(BytesPerSecond(levels[k])));
  }
}

void BandwidthMap::resizeEvent(QResizeEvent*) { picture_ = {}; }

void BandwidthMap::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) picture_ = {};
  QWidget::changeEvent(event);
}

bool BandwidthMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tip(help->pos()), this);
  return true;
}

QString BandwidthMap::tip(QPointF point) const {
  if (table_.rows.empty()) return {};
  const QPointF at = point - QPointF(0, heading());
  if (at.x() < 0 || at.y() < 0) return {};
  const auto row = static_cast<std::size_t>(at.y() / cell()), column = static_cast<std::size_t>(at.x() / cell());
  if (row >= table_.rows.size() || column >= table_.rows.size()) return {};
  return text_of({row, column});
}

QString BandwidthMap::text_of(Square square) const {
  const auto [row, column] = square;
  const BytesPerSecond value = table_.rows[row][column];
  const auto name = [&](std::size_t i) {
    return of_nodes() ? QString::fromStdString(table_.nodes[i]) : QStringLiteral("G%1").arg(i);
  };
  const QString rate = value.count > 0 ? models::format_rate(value) : tr("not linked");
  if (row == column) return of_nodes() ? tr("inside %1: %2").arg(name(row), rate) : QString();
  return tr("%1 – %2: %3").arg(name(row), name(column), rate);
}

int BandwidthMap::item_count() const {
  const auto side = static_cast<int>(table_.rows.size());
  return side * (side - 1) / 2 + (of_nodes() ? side : 0);
}

BandwidthMap::Square BandwidthMap::square_of(int pair) const {
  auto left = static_cast<std::size_t>(pair);
  for (std::size_t row = 0;; ++row) {
    const std::size_t first = row + (of_nodes() ? 0 : 1), in_row = table_.rows.size() - first;
    if (left < in_row) return {row, first + left};
    left -= in_row;
  }
}

QString BandwidthMap::item_text(int pair) const { return text_of(square_of(pair)); }

QRect BandwidthMap::item_rect(int pair) const {
  const auto [row, column] = square_of(pair);
  const double side = cell();
  return QRectF(static_cast<double>(column) * side, heading() + static_cast<double>(row) * side, side, side)
      .toAlignedRect();
}

}  // namespace pipedeck::views::topology
