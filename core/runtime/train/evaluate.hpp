// SPDX-License-Identifier: Apache-2.0
// Evaluation of trained parameters, possibly on data that they were not trained on.
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/runtime/train/options.hpp"

namespace pipedeck::runtime::train {

struct ModelScore {
  std::uint64_t samples = 0;
  double loss = 0;      ///< mean over samples and positions
  double accuracy = 0;  ///< fraction of positions where the target got the largest value
};

/// Returns the weights of whole layers. Weights of a run with adapters are merged into W + s A B; `model` has the
/// adapters.
Result<Weights> merged_weights(const ModelSpec& model, const TrainedParameters& trained);

/// Evaluates all samples of `model.data`, or the first `most` of an endless source, `batch` at a time (batch norm uses
/// that batch's statistics). `model` has the adapters of the run, if any. Runs on the calling thread, on one core.
Result<ModelScore> evaluate_on_cpu(const ModelSpec& model, const TrainedParameters& parameters, int batch = 64,
                                   std::uint64_t most = 1024, std::stop_token stop = {});

}  // namespace pipedeck::runtime::train
