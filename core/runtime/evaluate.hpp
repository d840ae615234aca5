// SPDX-License-Identifier: Apache-2.0
// How well trained parameters do, on data that may not have been trained on.
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/domain/model.hpp"
#include "core/domain/result.hpp"
#include "core/runtime/trainer.hpp"

namespace pipedeck {

struct ModelScore {
  std::uint64_t samples = 0;
  double loss = 0;      ///< mean over samples and positions
  double accuracy = 0;  ///< share of positions at which the target got the largest value
};

/// Of all samples of `model.data`, or of the first `most` where there is no end of them, `batch` at a time (batch norm
/// has the statistics of those). On the calling thread's time, one core.
Result<ModelScore> evaluate_on_cpu(const ModelSpec& model, const TrainedParameters& parameters, int batch = 64,
                                   std::uint64_t most = 1024, std::stop_token stop = {});

}  // namespace pipedeck
