// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated measurements that are robust against a few outliers.
#pragma once

#include <vector>

namespace pipedeck::runtime::machine {

struct RobustSummary {
  double median = 0, lower = 0, upper = 0;  ///< with the quartiles
  double error = 0;                         ///< standard error of the median
  int kept = 0, outliers = 0;
};

/// Returns the summary of `values` (one or more) without outliers: values further from the median than 5 standard
/// deviations. The standard deviation is estimated as 1.4826 MAD (median absolute deviation), as for a normal
/// distribution.
RobustSummary summary_of(std::vector<double> values);

struct FittedLine {
  double at_zero = 0, slope = 0;
  double at(double x) const { return at_zero + slope * x; }
};

/// Fits a line to points (two or more different x) by Theil-Sen. Its slope is the weighted median of the slopes of all
/// pairs, weighted by their distance. The intercept is the median residual of the third of the points with the smallest
/// x, where the slope's own error is smallest. Neither is negative.
FittedLine line_through(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace pipedeck::runtime::machine
