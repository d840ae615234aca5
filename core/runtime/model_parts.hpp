// SPDX-License-Identifier: Apache-2.0
// The parts of a model on its device: its layers, its loss, its samples.
#pragma once

#include <memory>
#include <vector>

#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/data_source.hpp"
#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {

struct ModelParts {
  std::vector<std::unique_ptr<LayerKernel>> layers;
  SoftmaxCrossEntropy loss;
  std::unique_ptr<SampleSource> source;
};

/// Creates the parts. Fails like make_layers, SoftmaxCrossEntropy::of and make_source.
Result<ModelParts> make_parts(const ModelSpec& model, const Kernels& kernels);

}  // namespace pipedeck
