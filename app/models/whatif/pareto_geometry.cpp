// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/whatif/pareto_geometry.hpp"

#include <algorithm>
#include <cmath>

#include <QLocale>

namespace pipedeck::models::whatif {

namespace {

constexpr double reach = 8;     // pixels beyond a point's edge
constexpr double log_from = 8;  // ratio of maximum to minimum
constexpr double room = 0.06;   // of the span, outside the outermost points
constexpr double tick_distance = 90, row_distance = 44;
constexpr QPointF nowhere(-1e6, -1e6);

/// Returns 1, 2 or 5 times a power of ten, or for memory a power of two.
double nice_step(double span, double wanted, bool binary) {
  if (span <= 0 || wanted < 1) return 1;
  const double raw = span / wanted;
  if (binary) return std::exp2(std::ceil(std::log2(raw)));
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) return factor * power;
  return 10 * power;
}

void find_span(const ParetoContent& content, ParetoGeometry& geometry) {
  double least = INFINITY, most = -INFINITY, highest = 0;
  for (const PlanCandidate& plan : content.plans) {
    const auto x = measure_of(plan, content.x);
    if (!x) continue;
    least = std::min(least, *x);
    most = std::max(most, *x);
    highest = std::max(highest, plan.samples_per_second);
  }
  if (least > most) least = most = 1;
  geometry.log_x = least > 0 && most / least > log_from;
  if (geometry.log_x) {
    const double beyond = std::pow(most / least, room);
    geometry.min_x = least / beyond;
    geometry.max_x = most * beyond;
  } else {
    geometry.min_x = 0;
    geometry.max_x = most > 0 ? most * (1 + room) : 1;
  }
  geometry.max_y = highest > 0 ? highest * (1 + room) : 1;
}

void make_ticks(const ParetoContent& content, ParetoGeometry& geometry) {
  const bool memory = content.x == FrontMeasure::memory;
  const double columns = std::max(1.0, geometry.plot.width() / tick_distance);
  const auto add = [&](double value) {
    geometry.across.push_back({geometry.x_of(value), measure_value_text(value, content.x)});
  };
  if (geometry.log_x) {
    const double decades = std::log2(geometry.max_x / geometry.min_x);
    const int every = std::max(1, static_cast<int>(std::ceil(decades / columns)));
    for (int power = static_cast<int>(std::ceil(std::log2(geometry.min_x))); std::exp2(power) <= geometry.max_x;
         ++power)
      if (power % every == 0) add(std::exp2(power));
  } else {
    double step = nice_step(geometry.max_x, columns, memory);
    if (content.x == FrontMeasure::devices) step = std::max(1.0, step);
    for (double value = 0; value <= geometry.max_x; value += step) add(value);
  }
  const double step = nice_step(geometry.max_y, std::max(1.0, geometry.plot.height() / row_distance), false);
  for (double value = 0; value <= geometry.max_y; value += step)
    geometry.up.push_back({geometry.y_of(value), QLocale().toString(value, 'g', 6)});
}

/// Returns a radius whose area grows linearly with the measure, from `least` to `most`.
double radius_of(const PlanCandidate& plan, FrontMeasure measure, double least, double most) {
  const auto value = measure_of(plan, measure);
  if (!value || most <= least) return (ParetoGeometry::min_radius + ParetoGeometry::max_radius) / 2;
  const double share = (*value - least) / (most - least);
  const double small = ParetoGeometry::min_radius * ParetoGeometry::min_radius;
  const double large = ParetoGeometry::max_radius * ParetoGeometry::max_radius;
  return std::sqrt(small + share * (large - small));
}

}  // namespace

double ParetoGeometry::x_of(double value) const {
  const double share = log_x ? std::log(value / min_x) / std::log(max_x / min_x) : (value - min_x) / (max_x - min_x);
  return plot.left() + share * plot.width();
}

double ParetoGeometry::y_of(double samples_per_second) const {
  return plot.bottom() - samples_per_second / max_y * plot.height();
}

std::optional<std::size_t> ParetoGeometry::hit(const ParetoContent& content, const QPointF& position) const {
  std::optional<std::size_t> best;
  double least = INFINITY;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const QPointF apart = points[i] - position;
    double distance = std::hypot(apart.x(), apart.y()) - radii[i];
    if (distance > reach) continue;
    if (!content.on_front[i]) distance += reach / 2;
    if (distance < least) least = distance, best = i;
  }
  return best;
}

std::vector<QPointF> ParetoGeometry::staircase(const ParetoContent& content) const {
  std::vector<QPointF> steps;
  for (const std::size_t i : content.line) {
    if (!steps.empty()) steps.emplace_back(points[i].x(), steps.back().y());
    steps.push_back(points[i]);
  }
  if (!steps.empty()) steps.emplace_back(plot.right(), steps.back().y());
  return steps;
}

ParetoGeometry lay_out_front(const ParetoContent& content, const QRectF& plot) {
  ParetoGeometry geometry;
  geometry.plot = plot;
  find_span(content, geometry);
  double least = INFINITY, most = -INFINITY;
  for (const PlanCandidate& plan : content.plans)
    if (const auto value = measure_of(plan, content.size)) {
      least = std::min(least, *value);
      most = std::max(most, *value);
    }
  for (const PlanCandidate& plan : content.plans) {
    const auto x = measure_of(plan, content.x);
    geometry.points.push_back(x ? QPointF(geometry.x_of(*x), geometry.y_of(plan.samples_per_second)) : nowhere);
    geometry.radii.push_back(radius_of(plan, content.size, least, most));
  }
  make_ticks(content, geometry);
  return geometry;
}

}  // namespace pipedeck::models::whatif
