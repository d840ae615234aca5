// SPDX-License-Identifier: Apache-2.0
// Layer kinds on a GPU. Each takes its sizes, parameter positions and initial weights from the CPU's layer of the same
// kind. A run therefore begins with the same weights on every device.
#pragma once

#include <memory>

#include "core/runtime/cuda/device.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/loss_kernel.hpp"
#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::cuda {

/// A layer that forwards to the CPU's layer, which may be a rank's shard.
class CudaLayer : public layers::LayerKernel {
 public:
  explicit CudaLayer(std::unique_ptr<layers::LayerKernel> on_processor)
      : layers::LayerKernel(on_processor->input_width(), on_processor->output_width(), on_processor->parameters()),
        on_processor_(std::move(on_processor)) {}
  std::int64_t replicated_parameters() const override { return on_processor_->replicated_parameters(); }
  std::vector<layers::ParameterBlock> blocks() const override { return on_processor_->blocks(); }
  std::int64_t expert_parameters() const override { return on_processor_->expert_parameters(); }
  std::int64_t table_parameters() const override { return on_processor_->table_parameters(); }
  layers::BalancedBiases balanced_biases() const override { return on_processor_->balanced_biases(); }
  void initialise(std::span<float> parameters, Random random) const override {
    on_processor_->initialise(parameters, random);
  }
  std::int64_t frozen_parameters() const override { return on_processor_->frozen_parameters(); }
  std::int64_t replicated_frozen_parameters() const override { return on_processor_->replicated_frozen_parameters(); }
  std::vector<layers::ParameterBlock> frozen_blocks() const override { return on_processor_->frozen_blocks(); }
  std::int64_t frozen_expert_parameters() const override { return on_processor_->frozen_expert_parameters(); }
  void initialise_frozen(std::span<float> weights, Random random) const override {
    on_processor_->initialise_frozen(weights, random);
  }
  void merge(std::span<const float> parameters, std::span<float> frozen) const override {
    on_processor_->merge(parameters, frozen);
  }

 private:
  std::unique_ptr<layers::LayerKernel> on_processor_;
};

// Creates a layer from one of the CPU's factory, which has checked its sizes.
using MakeLayer = std::unique_ptr<layers::LayerKernel>(const ModelLayer& layer,
                                                       std::unique_ptr<layers::LayerKernel> on_processor);
MakeLayer make_batch_norm, make_block, make_convolution, make_convolution_weights, make_embedding, make_layer_norm,
    make_linear, make_linear_weights, make_lstm, make_pool, make_rms_norm;
/// Returns the epsilon of a layer's root mean squares.
float epsilon_of(const ModelLayer& layer);
/// Values within the block are of T; values between blocks are floats.
template <class T>
std::unique_ptr<layers::LayerKernel> make_transformer(const ModelLayer& layer,
                                                      std::unique_ptr<layers::LayerKernel> on_processor);
/// Does the same for a decoder, or its halves, attention and feed_forward.
template <class T>
std::unique_ptr<layers::LayerKernel> make_decoder(const ModelLayer& layer,
                                                  std::unique_ptr<layers::LayerKernel> on_processor);
/// Refuses adapters in experts, which no GPU has. bad_input.
Result<void> check_expert_adapters(const ModelLayer& layer, const layers::LayerKernel& on_processor);
/// Does the same as make_decoder for a mixture of experts.
template <class T>
std::unique_ptr<layers::LayerKernel> make_experts(const ModelLayer& layer,
                                                  std::unique_ptr<layers::LayerKernel> on_processor);

// A rank's shard of a layer (sharding.hpp).
using MakePart = Result<std::unique_ptr<layers::LayerKernel>>(const ModelLayer& layer,
                                                              const layers::LayerSharding& sharding);
MakePart make_sharded_block, make_sharded_lstm;
/// Creates a rank's words of an embedding, whose table is the head's.
std::unique_ptr<layers::LayerKernel> make_sharded_words(const ModelLayer& layer, const layers::LayerSharding& sharding,
                                                        std::unique_ptr<layers::LayerKernel> on_processor);
/// Creates a shard from one of the CPU's factory.
template <class T>
std::unique_ptr<layers::LayerKernel> make_sharded_transformer(const ModelLayer& layer,
                                                              const layers::LayerSharding& sharding,
                                                              std::unique_ptr<layers::LayerKernel> on_processor);
template <class T>
std::unique_ptr<layers::LayerKernel> make_sharded_decoder(const ModelLayer& layer,
                                                          const layers::LayerSharding& sharding,
                                                          std::unique_ptr<layers::LayerKernel> on_processor);
/// Creates a rank's columns of each expert, and of the part that every token passes. The router is replicated.
template <class T>
std::unique_ptr<layers::LayerKernel> make_sharded_experts(const ModelLayer& layer,
                                                          const layers::LayerSharding& sharding,
                                                          std::unique_ptr<layers::LayerKernel> on_processor);
/// Creates some experts of a layer, or columns of them, on a rank of a group that divides them. bad_input names a count
/// that cannot be cut over the ranks.
template <class T>
Result<std::unique_ptr<layers::LayerKernel>> make_divided_experts(const ModelLayer& layer,
                                                                  const layers::RankPlaces& places);

/// Returns the available kinds.
layers::KernelRegistry cuda_kernels(Precision precision);

std::shared_ptr<const layers::LossKernel> cuda_loss(const layers::SoftmaxCrossEntropy& loss);

}  // namespace pipedeck::runtime::cuda
