// SPDX-License-Identifier: Apache-2.0
// A model of which only a profile is known, run as if it were computed: the same executor and schedule, transfers and
// allocations of the real sizes, and in place of each pass a loop that keeps the core busy for as long as it is told.
// That measures the box - links, memory, overlap - and not the model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/domain/model.hpp"
#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {

struct ReplayTimes {
  Seconds forward, backward_input, backward_weight;
};

/// Bytes are for one micro-batch of `samples`; a kernel takes its share by whole floats a sample, rounded up.
struct ReplayLayer {
  std::string name;
  Bytes output;     ///< all that goes to the layers behind this one: in a graph, what crosses a cut there
  Bytes saved;      ///< kept for backward, the input among it where it is as large
  Bytes workspace;  ///< held while a pass runs
  Bytes parameters;
  std::function<ReplayTimes(int samples)> times;  ///< called from any thread
};

struct ReplayModel {
  ModelSpec model;  ///< "replay" layers and a loss of two classes, on samples of zeros
  Kernels kernels;  ///< what train_with takes beside it
};

/// Its layers one after the other. `samples` that the bytes are for: 1 or more.
ReplayModel make_replay(const std::string& name, std::vector<ReplayLayer> layers, int samples);

}  // namespace pipedeck
