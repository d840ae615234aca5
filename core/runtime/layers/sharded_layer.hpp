// SPDX-License-Identifier: Apache-2.0
// A rank's shard of a layer: a kernel for fewer columns, and the collectives that join it with the other ranks'
// (sharding.hpp). `Ops` is the device's operations (cpu/cpu_ops.hpp).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/shapes.hpp"
#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::layers {

/// A shard's kernel, that of the whole layer (from which weights are drawn), and the shard's blocks in the parameters
/// of the whole.
struct KernelPart {
  std::unique_ptr<LayerKernel> part, whole;
  std::vector<ParameterBlock> blocks;
  LayerSharding sharding;
};

/// A column-parallel layer: the shard has some of the output's columns. For a replicated input its gradient is summed.
class ColumnParallelLayer final : public LayerKernel {
 public:
  ColumnParallelLayer(KernelPart part, std::int64_t output_columns)
      : LayerKernel(part.part->input_width(),
                    (part.sharding.choice.output_whole ? part.whole : part.part)->output_width(),
                    part.part->parameters()),
        part_(std::move(part)),
        columns_(output_columns) {}

  std::int64_t replicated_parameters() const override { return part_.whole->parameters(); }
  std::vector<ParameterBlock> blocks() const override { return part_.blocks; }
  std::int64_t table_parameters() const override { return part_.part->table_parameters(); }
  bool takes_narrow_gradient() const override { return !choice().output_whole && part_.part->takes_narrow_gradient(); }
  void initialise(std::span<float> parameters, Random random) const override {
    initialise_part(*part_.whole, part_.blocks, parameters, random);
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters, SavedTensors& saved) const override {
    if (choice().output_whole) saved.feeds_loss = false;  // the partners' columns come between
    tensor::Tensor output = part_.part->forward(std::move(input), parameters, saved);
    return choice().output_whole ? partners().all_gather(output, columns_) : std::move(output);
  }

  tensor::Tensor backward_input(tensor::Tensor gradient, std::span<const float> parameters, SavedTensors& saved,
                                bool wanted) const override {
    if (choice().output_whole) gradient = partners().scatter(gradient, columns_);
    tensor::Tensor input_gradient = part_.part->backward_input(std::move(gradient), parameters, saved, wanted);
    if (choice().input_whole && !input_gradient.empty()) partners().all_reduce(input_gradient);
    return input_gradient;
  }

  void backward_weight(SavedTensors& saved, std::span<float> gradients) const override {
    part_.part->backward_weight(saved, gradients);
  }

 private:
  const ShardingChoice& choice() const { return part_.sharding.choice; }
  const TensorParallelGroup& partners() const { return part_.sharding.partners; }

  KernelPart part_;
  std::int64_t columns_;
};

/// A row-parallel layer: the shard is a product with some of the weights' rows. Bias and activation are applied to the
/// sum. `output_columns` is the number of the bias's values, if there is one.
template <class Ops>
class RowParallelLayer final : public LayerKernel {
 public:
  RowParallelLayer(KernelPart part, std::int64_t output_columns, Activation activation)
      : LayerKernel((part.sharding.choice.input_whole ? part.whole : part.part)->input_width(),
                    part.whole->output_width(), floats_in(part.blocks)),
        part_(std::move(part)),
        columns_(output_columns),
        activation_(activation) {}

  std::int64_t replicated_parameters() const override { return part_.whole->parameters(); }
  std::vector<ParameterBlock> blocks() const override { return part_.blocks; }
  void initialise(std::span<float> parameters, Random random) const override {
    initialise_part(*part_.whole, part_.blocks, parameters, random);
  }

  /// Saves the product's saved tensors, beginning with its own columns of the input, and the activation's input. Its
  /// own columns suffice to run it again.
  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters, SavedTensors& saved) const override {
    if (input.width() != part_.part->input_width()) input = partners().scatter(input, choice().input_columns);
    saved.feeds_loss = false;  // the sum comes between
    tensor::Tensor linear = part_.part->forward(std::move(input), parameters.first(weights()), saved);
    partners().all_reduce(linear);
    if (biased()) Ops::add_bias(linear, parameters.data() + weights(), columns_);
    if (activation_ == Activation::none) return linear;
    tensor::Tensor output = Ops::activate(activation_, linear);
    saved.tensors.push_back(std::move(linear));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor gradient, std::span<const float> parameters, SavedTensors& saved,
                                bool wanted) const override {
    if (activation_ != Activation::none) {
      Ops::activate_backward(activation_, gradient, saved.tensors.back());
      saved.tensors.pop_back();
    }
    tensor::Tensor input_gradient =
        part_.part->backward_input(std::move(gradient), parameters.first(weights()), saved, wanted);
    if (wanted && choice().input_whole) input_gradient = partners().all_gather(input_gradient, choice().input_columns);
    return input_gradient;
  }

  /// Adds the gradients. The bias's gradient is equal on every rank.
  void backward_weight(SavedTensors& saved, std::span<float> gradients) const override {
    if (biased()) Ops::add_column_sums(gradients.data() + weights(), saved.tensors[1], columns_);
    part_.part->backward_weight(saved, gradients.first(weights()));
  }

 private:
  const ShardingChoice& choice() const { return part_.sharding.choice; }
  const TensorParallelGroup& partners() const { return part_.sharding.partners; }
  std::size_t weights() const { return static_cast<std::size_t>(part_.part->parameters()); }
  bool biased() const { return parameters() > part_.part->parameters(); }

  KernelPart part_;
  std::int64_t columns_;
  Activation activation_;
};

/// A backend's factories, from which shards are made.
struct PartKinds {
  std::map<std::string, KernelFactory> layers;
  /// Products without bias and activation. The first tensor that they save is the input. Between the two backward
  /// passes, the second is the output's gradient.
  KernelFactory linear_weights, convolution_weights;
  std::function<std::unique_ptr<LayerKernel>(KernelPart, std::int64_t output_columns, Activation)> rows_layer;
};

/// Returns the factories of the layers whose shards are smaller layers of their own kind: products by columns and by
/// rows, and layers that treat each channel by itself. All backends share them, with their own layers.
std::map<std::string, ShardedFactory> smaller_layers(PartKinds kinds);

}  // namespace pipedeck::runtime::layers
