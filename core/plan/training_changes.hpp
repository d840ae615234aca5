// SPDX-License-Identifier: Apache-2.0
// Differences between training with a plan and training on one device that takes whole batches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/plan.hpp"

namespace pipedeck::plan {

/// A kind of difference in the trained weights that is more than rounding.
enum class TrainingChange {
  batch,           ///< an update, or a batch norm, sees other samples than the whole batch
  padding,         ///< words or rows are computed that no sample has
  dropped_tokens,  ///< experts leave tokens out
  stale_weights,   ///< gradients are of older weights than those that they change
  frozen_weights,  ///< adapters are trained in place of the weights
};
std::string_view name_of(TrainingChange change);  // "stale weights"

struct TrainingEffect {
  TrainingChange change;
  std::string text;  ///< with its amount, without a full stop: "gradients are of weights up to 3 updates old"
  bool operator==(const TrainingEffect&) const = default;
};

/// Returns what the plan changes in training, in the order of the kinds; empty: nothing but rounding. The plan must be
/// valid. `kinds`: of the model's layers, as Layer::kind, among which batch norms count. `vocabulary`: words of the
/// model; 0: they are not padded.
std::vector<TrainingEffect> training_effects(const Plan& plan, const std::vector<std::string_view>& kinds,
                                             std::int64_t vocabulary);

/// Returns the effects in one line, "stale weights: gradients are of weights up to 3 updates old"; "nothing" if there
/// are none.
std::string training_text(const std::vector<TrainingEffect>& effects);

}  // namespace pipedeck::plan
