// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/accuracy/scatter_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/models/format.hpp"

namespace pipedeck::models::accuracy {

namespace {

constexpr double room = 1.25;         // factor beyond the outermost values
constexpr double error_share = 0.95;  // of the runs are inside a chart of errors
constexpr double column_distance = 70, row_distance = 34;

void find_span(std::span<const RunRow> rows, ScatterGeometry& geometry) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::vector<double> errors;
  for (const RunRow& row : rows) {
    if (!row.shown()) continue;
    least = std::min({least, row.measured, row.predicted});
    most = std::max({most, row.measured, row.predicted});
    errors.push_back(std::abs(row.error()));
  }
  if (most > 0) {
    geometry.least = least / room;
    geometry.most = most * room;
  }
  if (errors.empty()) return;
  std::ranges::sort(errors);
  const double usual =
      errors[static_cast<std::size_t>(std::ceil(error_share * static_cast<double>(errors.size() - 1)))];
  geometry.error_edge = std::clamp(usual * room, ScatterGeometry::least_error, ScatterGeometry::most_error);
}

/// Returns 1, 2 and 5 times powers of ten, or powers alone if they suffice.
std::vector<double> log_ticks(double least, double most, double room_for) {
  const double decades = std::log10(most / least);
  const std::vector<double> factors = decades * 3 <= room_for ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  std::vector<double> ticks;
  for (double power = std::pow(10, std::floor(std::log10(least))); power <= most; power *= 10)
    for (const double factor : factors)
      if (power * factor >= least && power * factor <= most) ticks.push_back(power * factor);
  return ticks;
}

std::vector<double> error_ticks(double edge, double room_for) {
  double step = 1;
  for (const double smaller : {0.5, 0.2, 0.1})
    if (2 * edge / smaller <= room_for) step = smaller;
  std::vector<double> ticks;
  const int steps = static_cast<int>(std::floor(edge / step + 1e-9));
  for (int i = -steps; i <= steps; ++i) ticks.push_back(i * step);
  return ticks;
}

void make_ticks(ScatterGeometry& geometry) {
  for (const double value : log_ticks(geometry.least, geometry.most, geometry.plot.width() / column_distance))
    geometry.across.push_back({geometry.x_of(value), tokens_text(value)});
  const double rows = geometry.plot.height() / row_distance;
  if (geometry.mode == ScatterMode::scatter) {
    for (const double value : log_ticks(geometry.least, geometry.most, rows))
      geometry.up.push_back({geometry.y_of(value), tokens_text(value)});
  } else {
    for (const double error : error_ticks(geometry.error_edge, rows))
      geometry.up.push_back({geometry.y_of_error(error), error == 0 ? QStringLiteral("0") : format_change(error)});
  }
}

}  // namespace

double ScatterGeometry::x_of(double tokens_per_second) const {
  return plot.left() + std::log(tokens_per_second / least) / std::log(most / least) * plot.width();
}

double ScatterGeometry::y_of(double tokens_per_second) const {
  return plot.bottom() - std::log(tokens_per_second / least) / std::log(most / least) * plot.height();
}

double ScatterGeometry::y_of_error(double error) const {
  return plot.center().y() - std::clamp(error / error_edge, -1.0, 1.0) * plot.height() / 2;
}

QPointF ScatterGeometry::point_of(double measured, double predicted) const {
  return {x_of(measured), mode == ScatterMode::scatter ? y_of(predicted) : y_of_error(predicted / measured - 1)};
}

QPolygonF ScatterGeometry::band(double share) const {
  return QPolygonF({point_of(least, least * (1 + share)), point_of(most, most * (1 + share)),
                    point_of(most, most * (1 - share)), point_of(least, least * (1 - share))});
}

std::optional<std::size_t> ScatterGeometry::hit(const QPointF& position) const {
  std::optional<std::size_t> best;
  double least_distance = reach;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const QPointF apart = points[i] - position;
    const double distance = std::hypot(apart.x(), apart.y());
    if (distance > least_distance || (best && distance == least_distance)) continue;
    least_distance = distance;
    best = i;
  }
  return best;
}

ScatterGeometry lay_out_runs(std::span<const RunRow> rows, std::span<const std::size_t> shown, ScatterMode mode,
                             const QRectF& plot) {
  ScatterGeometry geometry;
  geometry.plot = plot;
  geometry.mode = mode;
  find_span(rows, geometry);
  for (const std::size_t i : shown) geometry.points.push_back(geometry.point_of(rows[i].measured, rows[i].predicted));
  make_ticks(geometry);
  return geometry;
}

std::optional<std::size_t> next_run(std::span<const RunRow> rows, std::span<const std::size_t> shown,
                                    std::optional<std::size_t> from, int direction) {
  if (shown.empty()) return std::nullopt;
  std::vector<std::size_t> order(shown.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows[shown[i]].measured; });
  if (!from) return direction > 0 ? order.front() : order.back();
  const auto at = std::ranges::find(order, *from) - order.begin();
  return order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at + direction, 0, std::ssize(order) - 1))];
}

}  // namespace pipedeck::models::accuracy
