// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/machine/robust.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/quantile.hpp"
#include "core/base/result.hpp"

namespace pipedeck::runtime::machine {
namespace {

/// Returns 1.4826 MAD: the standard deviation of a normal distribution with this median absolute deviation.
double deviation(const std::vector<double>& values, double middle) {
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return 1.4826 * median(std::move(distances));
}

double weighted_median(std::vector<std::pair<double, double>> values) {
  std::sort(values.begin(), values.end());
  const auto add = [](double sum, const auto& value) { return sum + value.second; };
  const double half = std::accumulate(values.begin(), values.end(), 0.0, add) / 2;
  double sum = 0;
  for (const auto& [value, weight] : values)
    if ((sum += weight) >= half) return value;
  return values.back().first;
}

}  // namespace

RobustSummary summary_of(std::vector<double> values) {
  ensure(!values.empty(), "a summary is of one value or more");
  std::sort(values.begin(), values.end());
  const double middle = quantile(values, 0.5), far = 5 * deviation(values, middle);
  const std::size_t all = values.size();
  if (far > 0) std::erase_if(values, [&](double value) { return std::abs(value - middle) > far; });
  RobustSummary summary;
  summary.median = quantile(values, 0.5);
  summary.lower = quantile(values, 0.25), summary.upper = quantile(values, 0.75);
  summary.kept = static_cast<int>(values.size());
  summary.outliers = static_cast<int>(all - values.size());
  // The error for a normal distribution: sqrt(pi / 2) sigma / sqrt(n).
  summary.error = 1.2533 * deviation(values, summary.median) / std::sqrt(static_cast<double>(values.size()));
  return summary;
}

FittedLine line_through(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<std::pair<double, double>> slopes;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (x[i] != x[j]) slopes.emplace_back((y[i] - y[j]) / (x[i] - x[j]), std::abs(x[i] - x[j]));
  ensure(!slopes.empty(), "a line needs points at two places");
  FittedLine line;
  line.slope = std::max(0.0, weighted_median(std::move(slopes)));
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  order.resize(std::max<std::size_t>(1, x.size() / 3));
  std::vector<double> rests;
  for (const std::size_t i : order) rests.push_back(y[i] - line.slope * x[i]);
  line.at_zero = std::max(0.0, median(std::move(rests)));
  return line;
}

}  // namespace pipedeck::runtime::machine
