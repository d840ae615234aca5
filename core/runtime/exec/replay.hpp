// SPDX-License-Identifier: Apache-2.0
// A replay of a model of which only a profile is known. It uses the executor, schedule, transfers and allocations of a
// real run, but a pass only keeps its core busy for a given time. This measures the machine - links, memory, overlap -
// and not the model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::exec {

struct ReplayTimes {
  Seconds forward, backward_input, backward_weight;
};

/// A layer to replay. Bytes are for one micro-batch of `samples`; a kernel rounds its share up to whole floats per
/// sample.
struct ReplayLayer {
  std::string name;
  Bytes output;     ///< all bytes sent to later layers: in a graph, those that cross a boundary there
  Bytes saved;      ///< bytes saved for backward, including the input if it is that large
  Bytes workspace;  ///< held during a pass
  Bytes parameters;
  std::function<ReplayTimes(int samples)> times;  ///< called from any thread
};

struct ReplayModel {
  ModelSpec model;                 ///< "replay" layers and a loss of two classes, on samples of zeros
  layers::KernelRegistry kernels;  ///< for train_with
};

/// Returns a model of the layers in sequence. `samples` (1 or more) is the number that the bytes are for.
ReplayModel make_replay(const std::string& name, std::vector<ReplayLayer> layers, int samples);

}  // namespace pipedeck::runtime::exec
