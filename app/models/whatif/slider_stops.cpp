// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/whatif/slider_stops.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pipedeck::models::whatif {

namespace {

constexpr int per_doubling = 4;

double three_digits(double value) {
  if (value <= 0) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::round(value / unit) * unit;
}

}  // namespace

SliderValues::SliderValues(std::vector<double> stops, double today) : values_(std::move(stops)) {
  values_.push_back(today);
  std::ranges::sort(values_);
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  current_ = static_cast<int>(std::ranges::lower_bound(values_, today) - values_.begin());
}

SliderValues SliderValues::doublings(double today, int down, int up) {
  std::vector<double> stops;
  for (int i = -down * per_doubling; i <= up * per_doubling; ++i) {
    const double value = today * std::exp2(static_cast<double>(i) / per_doubling);
    stops.push_back(i % per_doubling == 0 ? value : three_digits(value));
  }
  return {std::move(stops), today};
}

SliderValues SliderValues::whole_doublings(double today, int down, int up, double least) {
  std::vector<double> stops;
  for (int i = -down; i <= up; ++i) stops.push_back(std::max(least, std::round(today * std::exp2(i))));
  return {std::move(stops), today};
}

SliderValues SliderValues::whole(int least, int most, int today) {
  std::vector<double> stops;
  for (int value = least; value <= most; ++value) stops.push_back(value);
  return {std::move(stops), static_cast<double>(today)};
}

double SliderValues::at(int stop) const {
  return values_.empty() ? 0 : values_[static_cast<std::size_t>(std::clamp(stop, 0, count() - 1))];
}

int SliderValues::nearest(double value) const {
  const auto distance = [&](double stop) {
    return stop > 0 && value > 0 ? std::abs(std::log(stop / value)) : std::abs(stop - value) * 1e3;
  };
  int best = 0;
  for (int i = 1; i < count(); ++i)
    if (distance(at(i)) < distance(at(best))) best = i;
  return best;
}

std::vector<double> micro_batch_stops(int global_batch, int measured) {
  std::vector<double> stops{0};
  for (std::int64_t size = std::max(1, measured); size <= global_batch; size *= 2)
    if (global_batch % size == 0) stops.push_back(static_cast<double>(size));
  return stops;
}

}  // namespace pipedeck::models::whatif
