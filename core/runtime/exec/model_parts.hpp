// SPDX-License-Identifier: Apache-2.0
// The parts of a model on its device: its layers, its loss, its samples.
#pragma once

#include <memory>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/plan.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/softmax_cross_entropy.hpp"

namespace pipedeck::runtime::exec {

struct ModelParts {
  std::vector<std::unique_ptr<layers::LayerKernel>> layers;
  layers::SoftmaxCrossEntropy loss;
  std::unique_ptr<data::SampleSource> source;
};

/// Creates the parts. Fails like make_layers, SoftmaxCrossEntropy::of and make_source.
Result<ModelParts> make_parts(const ModelSpec& model, const layers::KernelRegistry& kernels);

/// Refuses a model of which the plan's replicas hold more parameters, gradients and optimizer states than `memory`.
/// bad_input names the largest layer.
Result<void> check_memory(const ModelSpec& model, const Plan& plan, Bytes memory);

}  // namespace pipedeck::runtime::exec
