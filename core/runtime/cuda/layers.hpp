// SPDX-License-Identifier: Apache-2.0
// Layer kinds on a GPU. Each takes its sizes, its parameters' places and its first weights from the processor's layer
// of the same kind, so that a run begins with the same weights wherever it computes.
#pragma once

#include <memory>

#include "core/runtime/cuda/cuda_device.hpp"
#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/loss_kernel.hpp"

namespace pipedeck::cuda {

/// What all kinds have of the processor's.
class CudaLayer : public LayerKernel {
 public:
  explicit CudaLayer(std::unique_ptr<LayerKernel> on_processor)
      : LayerKernel(on_processor->input_width(), on_processor->output_width(), on_processor->parameters()),
        on_processor_(std::move(on_processor)) {}
  void initialise(std::span<float> parameters, Random random) const override {
    on_processor_->initialise(parameters, random);
  }

 private:
  std::unique_ptr<LayerKernel> on_processor_;
};

// Of a layer that the processor's factory has made, which has looked at its sizes.
std::unique_ptr<LayerKernel> make_embedding(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor);
std::unique_ptr<LayerKernel> make_layer_norm(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor);
std::unique_ptr<LayerKernel> make_linear(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor);
std::unique_ptr<LayerKernel> make_transformer(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor);

/// The kinds that there are.
Kernels cuda_kernels();

std::shared_ptr<const LossKernel> cuda_loss(const SoftmaxCrossEntropy& loss);

}  // namespace pipedeck::cuda
