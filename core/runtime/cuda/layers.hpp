// SPDX-License-Identifier: Apache-2.0
// Layer kinds on a GPU. Each takes its sizes, its parameters' places and its first weights from the processor's layer
// of the same kind, so that a run begins with the same weights wherever it computes.
#pragma once

#include <memory>

#include "core/runtime/cuda/cuda_device.hpp"
#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/loss_kernel.hpp"
#include "core/runtime/sharding.hpp"

namespace pipedeck::cuda {

/// What all kinds have of the processor's, which may be a rank's part of a layer.
class CudaLayer : public LayerKernel {
 public:
  explicit CudaLayer(std::unique_ptr<LayerKernel> on_processor)
      : LayerKernel(on_processor->input_width(), on_processor->output_width(), on_processor->parameters()),
        on_processor_(std::move(on_processor)) {}
  std::int64_t whole_parameters() const override { return on_processor_->whole_parameters(); }
  std::vector<ParameterBlock> blocks() const override { return on_processor_->blocks(); }
  void initialise(std::span<float> parameters, Random random) const override {
    on_processor_->initialise(parameters, random);
  }

 private:
  std::unique_ptr<LayerKernel> on_processor_;
};

// Of a layer that the processor's factory has made, which has looked at its sizes.
using MakeLayer = std::unique_ptr<LayerKernel>(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor);
MakeLayer make_batch_norm, make_block, make_convolution, make_convolution_weights, make_embedding, make_layer_norm,
    make_linear, make_linear_weights, make_lstm, make_pool;
/// Values within the block are of T, those between blocks floats.
template <class T>
std::unique_ptr<LayerKernel> make_transformer(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor);

// A rank's part of a layer (sharding.hpp).
using MakePart = Result<std::unique_ptr<LayerKernel>>(const ModelLayer& layer, const LayerSharding& sharding);
MakePart make_sharded_block, make_sharded_lstm;
/// Of a part that the processor's factory has made.
template <class T>
std::unique_ptr<LayerKernel> make_sharded_transformer(const ModelLayer& layer, const LayerSharding& sharding,
                                                      std::unique_ptr<LayerKernel> on_processor);

/// The kinds that there are.
Kernels cuda_kernels(Precision precision);

std::shared_ptr<const LossKernel> cuda_loss(const SoftmaxCrossEntropy& loss);

}  // namespace pipedeck::cuda
