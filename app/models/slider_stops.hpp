// SPDX-License-Identifier: GPL-3.0-or-later
// What a slider stops at: figures in ascending order, today's among them.
#pragma once

#include <optional>
#include <vector>

namespace pipedeck::app {

class SliderStops {
 public:
  SliderStops() = default;
  /// Of any order, twice or not; `today` joins them where it is not there.
  SliderStops(std::vector<double> stops, double today);

  /// Four stops to each doubling from today / 2^`down` to today x 2^`up`, of three digits; all doublings exact.
  static SliderStops doublings(double today, int down, int up);
  /// The same of whole figures from `least` on.
  static SliderStops whole_doublings(double today, int down, int up, double least);
  /// Every whole number.
  static SliderStops whole(int least, int most, int today);

  const std::vector<double>& values() const { return values_; }
  int count() const { return static_cast<int>(values_.size()); }
  double at(int stop) const;
  /// The nearest by ratio (by difference, where figures are 0).
  int nearest(double value) const;
  int today() const { return today_; }

 private:
  std::vector<double> values_;
  int today_ = 0;
};

/// Micro-batches that can be asked for: 0 (left to the planners), and what is a power of two times `measured` and
/// divides the batch.
std::vector<double> micro_batch_stops(int global_batch, int measured);

}  // namespace pipedeck::app
