// SPDX-License-Identifier: Apache-2.0
#include "core/sim/step/imbalance_band.hpp"

#include <algorithm>
#include <cmath>

#include "core/sim/step/predict_step.hpp"

namespace pipedeck::sim::step {
namespace {

/// Returns the largest imbalance that fits, by bisection over hundredths: memory grows with imbalance.
Result<double> largest_that_fits(mesh::Question& question, const mesh::Rates& rates, double most) {
  const auto fits = [&](double imbalance) -> Result<bool> {
    question.layer.imbalance = imbalance;
    TRY(const mesh::Prediction memory, predict_memory(question, rates));
    return memory.fits;
  };
  TRY(const bool always, fits(most));
  if (always) return most;
  TRY(const bool balanced, fits(1));
  if (!balanced) return 0.0;
  int below = 100, above = static_cast<int>(std::ceil(most * 100));
  while (above - below > 1) {
    const int middle = (below + above) / 2;
    TRY(const bool fitting, fits(middle / 100.0));
    (fitting ? below : above) = middle;
  }
  return below / 100.0;
}

}  // namespace

bool has_imbalance(const mesh::Question& question) {
  return question.config.experts && question.shard().expert > 1 && question.layer.capacity == 0;
}

double most_imbalance(const mesh::Question& question) {
  const double ranks = question.shard().expert;
  return question.config.experts
             ? std::min(ranks, double(question.config.experts->count) / question.config.experts->per_token)
             : 1;
}

Result<ImbalanceBand> imbalance_band(mesh::Question question, const mesh::Rates& rates, std::span<const double> at) {
  ImbalanceBand band;
  band.most = most_imbalance(question);
  for (const double imbalance : at) {
    if (imbalance > band.most) continue;
    question.layer.imbalance = imbalance;
    TRY(mesh::Prediction prediction, predict_step(question, rates));
    band.points.push_back({imbalance, prediction});
  }
  TRY(band.fits_up_to, largest_that_fits(question, rates, band.most));
  return band;
}

}  // namespace pipedeck::sim::step
