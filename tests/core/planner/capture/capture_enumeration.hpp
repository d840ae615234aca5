// SPDX-License-Identifier: Apache-2.0
// Enumerates every plan of CAPTURE's space, each evaluated by its definition. An oracle for the recommenders.
// Exponential.
#pragma once

#include <optional>

#include "core/model/plan.hpp"
#include "core/planner/evaluation/evaluation.hpp"

namespace pipedeck {

struct CaptureEnumeration {
  planner::evaluation::EvaluateOptions evaluate;
  int slice = 1;  ///< least samples of a replica
  bool pipeline_only = false;
};

/// Returns the plan of the smallest highest peak: any number of stages, any degrees, any devices for any stage. The
/// fullest replica of a stage must fit its smallest device, and the plan keeps the problem's pins.
std::optional<Plan> enumerate_capture(const Problem& problem, int micro_batch, const CaptureEnumeration& options);

}  // namespace pipedeck
