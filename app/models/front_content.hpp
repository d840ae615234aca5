// SPDX-License-Identifier: GPL-3.0-or-later
// Plans as points: what they are measured by along an axis, which of them nothing beats, in which order one walks along
// the front.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QString>

#include "core/domain/what_if.hpp"

namespace pipedeck::app {

enum class FrontMeasure { memory, price, devices, price_per_million };
inline constexpr std::array front_measures{FrontMeasure::memory, FrontMeasure::price, FrontMeasure::devices,
                                           FrontMeasure::price_per_million};

QString measure_title(FrontMeasure measure);  ///< "Peak memory"
/// "13.1 GiB", "$"-less price "48.96"; "unknown" where it is.
QString measure_text(const FoundPlan& plan, FrontMeasure measure);
QString measure_value_text(double value, FrontMeasure measure);
std::optional<double> measure_of(const FoundPlan& plan, FrontMeasure measure);

/// "12.3 per hour": what a price is written as everywhere.
QString price_text(const std::optional<double>& price);

struct FrontContent {
  std::vector<FoundPlan> plans;
  /// Beaten by none in samples a second, largest peak and price; the price is left aside where one is unknown.
  std::vector<bool> on_front;
  /// Of these, those that none beats in samples a second and along `x` alone, from the least `x` on: what a line joins.
  std::vector<std::size_t> line;
  FrontMeasure x = FrontMeasure::memory;    ///< across; samples a second go up
  FrontMeasure size = FrontMeasure::price;  ///< larger points have more of it

  bool empty() const { return plans.empty(); }
};
FrontContent make_front_content(std::vector<FoundPlan> plans, FrontMeasure x, FrontMeasure size);

/// From `from` (absent: the first) to the next point of the front in the direction of less or more x; the order is that
/// of x, ties by samples a second.
std::optional<std::size_t> next_on_front(const FrontContent& content, std::optional<std::size_t> from, int direction);

/// The point in words, one fact a line; the first is the plan's name.
QStringList describe_point(const FoundPlan& plan, bool on_front);

}  // namespace pipedeck::app
