// SPDX-License-Identifier: Apache-2.0
// Time and memory of a step over the imbalance of its experts (parallelism.md, "Expert parallelism").
#pragma once

#include <span>
#include <vector>

#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"

namespace pipedeck::sim::step {

struct ImbalancePoint {
  double imbalance = 1;  ///< rows of the fullest rank's experts over the mean
  mesh::Prediction prediction;
};

struct ImbalanceBand {
  std::vector<ImbalancePoint> points;
  double most = 1;        ///< all tokens go to the experts of one rank
  double fits_up_to = 0;  ///< the largest imbalance, in steps of 0.01 up to `most`, that fits; 0: not even balanced
};

/// Returns true if imbalance matters: experts on several ranks, without a capacity factor.
bool has_imbalance(const mesh::Question& question);

/// Returns the largest imbalance that routing can lead to: min(e, E/k).
double most_imbalance(const mesh::Question& question);

/// Returns the predictions at the imbalances of `at` up to the largest. The question must have imbalance.
Result<ImbalanceBand> imbalance_band(mesh::Question question, const mesh::Rates& rates, std::span<const double> at);

}  // namespace pipedeck::sim::step
