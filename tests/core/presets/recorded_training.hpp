// SPDX-License-Identifier: Apache-2.0
// A training of a known model in the format of PyTorch's profiler: its construction determines the expected profile of
// its trace.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace pipedeck::test {

struct TrueLayer {
  std::string name;
  double output = 0, parameters = 0, saved = 0;  ///< bytes
  std::vector<double> forward, backward;         ///< ns, a pass each
};

struct Training {
  bool gpu = false;
  bool recompute = false;    ///< blocks run again in the backward pass (checkpoint, not reentrant)
  bool wrapped = false;      ///< the model is in another module
  bool in_encoder = false;   ///< the blocks are in a module of their own
  bool annotations = false;  ///< of the user, not the profiler's
  bool shapes = true;
  bool backward = true;
  int steps = 0;  ///< ProfilerStep; 0: none are recorded
  int micro_batches = 4;
  int blocks = 3;
  int samples = 5;
  bool all_forward_first = false;  ///< of a step's micro-batches
};

struct RecordedTraining {
  std::string trace;  ///< JSON
  std::vector<TrueLayer> layers;
};

RecordedTraining record(const Training& training, std::mt19937& random);

}  // namespace pipedeck::test
