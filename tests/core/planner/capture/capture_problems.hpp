// SPDX-License-Identifier: Apache-2.0
// Random problems that CAPTURE's plans may be enumerated for.
#pragma once

#include "tests/support/random_problem.hpp"

namespace pipedeck::test {

/// PIPEDECK_RANDOM_PROBLEMS of each kind, 60 where it is not set; larger ones where there are many.
int random_problems();

struct CaptureShape {
  int layers = 5, devices = 4;
  bool unlike = false, tensor = false;
};

/// With workspaces, every precision, and perhaps devices of two memories and speeds, and layers that can be split.
Problem capture_problem(Random& random, const CaptureShape& shape);

/// Micro-batches of 2 samples.
Problem pipeline_problem(int seed);
Problem hybrid_problem(int seed);
Pins random_pins(Random& random, const Problem& problem);

}  // namespace pipedeck::test
