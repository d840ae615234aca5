// SPDX-License-Identifier: GPL-3.0-or-later
// The stops of a slider: values in ascending order, including the current one.
#pragma once

#include <optional>
#include <vector>

namespace pipedeck::models::whatif {

class SliderValues {
 public:
  SliderValues() = default;
  /// Sorts the stops, removes duplicates, and adds `today`.
  SliderValues(std::vector<double> stops, double today);

  /// Returns four stops per doubling from today / 2^`down` to today x 2^`up`, rounded to three digits. Doublings are
  /// exact.
  static SliderValues doublings(double today, int down, int up);
  /// Returns one rounded integer stop per doubling, at least `least`.
  static SliderValues whole_doublings(double today, int down, int up, double least);
  /// Returns all integers from `least` to `most`.
  static SliderValues whole(int least, int most, int today);

  const std::vector<double>& values() const { return values_; }
  int count() const { return static_cast<int>(values_.size()); }
  double at(int stop) const;
  /// Returns the nearest stop by ratio, or by difference if a value is 0.
  int nearest(double value) const;
  int current() const { return current_; }

 private:
  std::vector<double> values_;
  int current_ = 0;
};

/// Returns the available micro-batch sizes: 0 (chosen by the planners), and `measured` times each power of two that
/// divides the batch.
std::vector<double> micro_batch_stops(int global_batch, int measured);

}  // namespace pipedeck::models::whatif
