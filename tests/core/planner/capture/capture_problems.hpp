// SPDX-License-Identifier: Apache-2.0
// Random problems that are small enough to enumerate CAPTURE's plans.
#pragma once

#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"

namespace pipedeck::test {

struct CaptureShape {
  int layers = 5, devices = 4;
  bool unlike = false, tensor = false;
};

/// Returns a problem with workspaces and any precision, perhaps with devices of two memories and speeds, and shardable
/// layers.
Problem capture_problem(Random& random, const CaptureShape& shape);

/// Return problems with micro-batches of 2 samples.
Problem pipeline_problem(int seed);
Problem hybrid_problem(int seed);
PlanConstraints random_pins(Random& random, const Problem& problem);

}  // namespace pipedeck::test
