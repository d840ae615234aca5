// SPDX-License-Identifier: Apache-2.0
// Every plan that CAPTURE may choose from, each evaluated straight from its definition: what its recommenders are
// checked against. Exponential.
#pragma once

#include <optional>

#include "core/cost/evaluate.hpp"
#include "core/model/plan.hpp"

namespace pipedeck {

struct CaptureEnumeration {
  cost::EvaluateOptions evaluate;
  int slice = 1;  ///< least samples of a replica
  bool pipeline_only = false;
};

/// The plan of the smallest highest peak: any number of stages, any degrees, any devices for any stage, as long as the
/// fullest replica of a stage fits its smallest device, and the problem's pins are kept.
std::optional<Plan> enumerate_capture(const Problem& problem, int micro_batch, const CaptureEnumeration& options);

}  // namespace pipedeck
