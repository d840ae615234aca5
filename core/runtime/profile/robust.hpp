// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated measurements that a few disturbed ones do not move.
#pragma once

#include <vector>

namespace pipedeck {

struct RobustSummary {
  double median = 0, lower = 0, upper = 0;  ///< with the quartiles
  double error = 0;                         ///< standard error of the median
  int kept = 0, outliers = 0;
};

/// `values` (one or more) without outliers: what lies further from the median than 5 standard deviations, which the
/// median absolute deviation (MAD) stands for as in a normal distribution: 1.4826 MAD.
RobustSummary summary_of(std::vector<double> values);

struct FittedLine {
  double at_zero = 0, slope = 0;
  double at(double x) const { return at_zero + slope * x; }
};

/// A line through points (two or more different x) by the weighted median of all slopes between two of them (Theil-Sen;
/// a pair counts by how far apart it is), then the median of what is left at the third of the points with the smallest
/// x, where the slope's own error is least. Neither is negative.
FittedLine line_through(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace pipedeck
