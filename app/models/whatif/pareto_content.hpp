// SPDX-License-Identifier: GPL-3.0-or-later
// Plans as points of a chart: their measures along each axis, the Pareto front, and the order of the points on the
// front.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QString>

#include "core/model/what_if.hpp"

namespace pipedeck::models::whatif {

enum class FrontMeasure { memory, price, devices, price_per_million };
inline constexpr std::array front_measures{FrontMeasure::memory, FrontMeasure::price, FrontMeasure::devices,
                                           FrontMeasure::price_per_million};

QString measure_title(FrontMeasure measure);  ///< "Peak memory"
/// Formats the plan's measure: "13.1 GiB", or a price without currency, "48.96". Returns "unknown" if it is unknown.
QString measure_text(const PlanCandidate& plan, FrontMeasure measure);
QString measure_value_text(double value, FrontMeasure measure);
std::optional<double> measure_of(const PlanCandidate& plan, FrontMeasure measure);

/// Formats a price, as everywhere in the window: "12.3 per hour".
QString price_text(const std::optional<double>& price);

struct ParetoContent {
  std::vector<PlanCandidate> plans;
  /// True if no plan is better in samples per second, peak memory and price. An unknown price is not compared.
  std::vector<bool> on_front;
  /// The points that the line joins: the front in samples per second and `x` alone, by ascending `x`.
  std::vector<std::size_t> line;
  FrontMeasure x = FrontMeasure::memory;    ///< horizontal axis; the vertical one shows samples per second
  FrontMeasure size = FrontMeasure::price;  ///< larger points have a larger measure

  bool empty() const { return plans.empty(); }
};
ParetoContent make_front_content(std::vector<PlanCandidate> plans, FrontMeasure x, FrontMeasure size);

/// Returns the next point of the front after `from` in the direction of smaller or larger x, or the first one without
/// `from`. Points are ordered by x, ties by samples per second.
std::optional<std::size_t> next_on_front(const ParetoContent& content, std::optional<std::size_t> from, int direction);

/// Describes the point, one fact per line. The first line is the plan's name.
QStringList describe_point(const PlanCandidate& plan, bool on_front);

}  // namespace pipedeck::models::whatif
