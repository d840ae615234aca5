// SPDX-License-Identifier: Apache-2.0
#include "core/planner/capture/gaussian_process.hpp"

#include <cmath>
#include <numbers>

namespace pipedeck::planner::capture {

namespace {

constexpr double noise = 1e-6;  // conditions the factor if points are close

/// Computes K = L L^T, in place of the lower triangle of K.
void factorise(std::vector<std::vector<double>>& k) {
  for (std::size_t i = 0; i < k.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = k[i][j];
      for (std::size_t m = 0; m < j; ++m) rest -= k[i][m] * k[j][m];
      k[i][j] = i == j ? std::sqrt(std::fmax(rest, noise)) : rest / k[j][j];
    }
}

/// Computes L^-1 b.
std::vector<double> forward(const std::vector<std::vector<double>>& factor, std::vector<double> b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= factor[i][j] * b[j];
    b[i] /= factor[i][i];
  }
  return b;
}

/// Computes L^-T b.
std::vector<double> backward(const std::vector<std::vector<double>>& factor, std::vector<double> b) {
  for (std::size_t i = b.size(); i-- > 0;) {
    for (std::size_t j = i + 1; j < b.size(); ++j) b[i] -= factor[j][i] * b[j];
    b[i] /= factor[i][i];
  }
  return b;
}

}  // namespace

GaussianProcess::GaussianProcess(std::vector<std::vector<double>> points, const std::vector<double>& values,
                                 double length)
    : points_(std::move(points)), length_(length) {
  const auto count = static_cast<double>(values.size());
  for (const double value : values) mean_ += value / count;
  double variance = 0;
  for (const double value : values) variance += (value - mean_) * (value - mean_) / count;
  if (variance > 0) scale_ = std::sqrt(variance);
  std::vector<double> standard;
  for (const double value : values) standard.push_back((value - mean_) / scale_);

  for (std::size_t i = 0; i < points_.size(); ++i) {
    factor_.emplace_back();
    for (std::size_t j = 0; j <= i; ++j) factor_[i].push_back(kernel(points_[i], points_[j]) + (i == j ? noise : 0));
  }
  factorise(factor_);
  weights_ = backward(factor_, forward(factor_, standard));
  evidence_ = -count / 2 * std::log(2 * std::numbers::pi);
  for (std::size_t i = 0; i < points_.size(); ++i) evidence_ -= standard[i] * weights_[i] / 2 + std::log(factor_[i][i]);
}

double GaussianProcess::kernel(const std::vector<double>& a, const std::vector<double>& b) const {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  const double r = std::sqrt(5 * square) / length_;
  return (1 + r + r * r / 3) * std::exp(-r);
}

GaussianProcess::GpPrediction GaussianProcess::at(const std::vector<double>& point) const {
  std::vector<double> near;
  double mean = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    near.push_back(kernel(point, points_[i]));
    mean += near[i] * weights_[i];
  }
  double variance = 1;
  for (const double part : forward(factor_, std::move(near))) variance -= part * part;
  return {mean_ + scale_ * mean, scale_ * std::sqrt(std::fmax(variance, 0))};
}

}  // namespace pipedeck::planner::capture
