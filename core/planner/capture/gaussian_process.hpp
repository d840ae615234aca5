// SPDX-License-Identifier: Apache-2.0
// The surrogate of Bayesian optimisation: a Gaussian process with a Matern 5/2 kernel of one length (Rasmussen and
// Williams, Gaussian Processes for Machine Learning, algorithm 2.1). Values are standardised; the solver is a Cholesky
// factorisation.
#pragma once

#include <vector>

namespace pipedeck::planner::capture {

class GaussianProcess {
 public:
  struct GpPrediction {
    double mean = 0, deviation = 0;
  };

  /// Fits the process to as many values as points, at least one of each; all points have one dimension.
  GaussianProcess(std::vector<std::vector<double>> points, const std::vector<double>& values, double length);

  GpPrediction at(const std::vector<double>& point) const;
  /// Returns the log marginal likelihood of the values, which selects the length.
  double evidence() const { return evidence_; }

 private:
  double kernel(const std::vector<double>& a, const std::vector<double>& b) const;

  std::vector<std::vector<double>> points_;
  double length_, mean_ = 0, scale_ = 1, evidence_ = 0;
  std::vector<std::vector<double>> factor_;  // lower triangle, row by row
  std::vector<double> weights_;              // K^-1 y
};

}  // namespace pipedeck::planner::capture
