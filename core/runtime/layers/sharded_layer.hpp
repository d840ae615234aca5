// SPDX-License-Identifier: Apache-2.0
// A rank's part of a layer, made of a kernel for fewer columns and of what joins it with the other ranks'
// (sharding.hpp). `On` says on what (cpu/on_processor.hpp).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/runtime/cpu/activation.hpp"
#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/sharding.hpp"

namespace pipedeck {

/// The kernel of a part, that of the whole layer (from which weights are drawn), and where the one's parameters lie in
/// the other's.
struct KernelPart {
  std::unique_ptr<LayerKernel> part, whole;
  std::vector<ParameterBlock> blocks;
  LayerSharding sharding;
};

/// The part has some of the output's columns. With a whole input its gradient is summed.
class ColumnsLayer final : public LayerKernel {
 public:
  ColumnsLayer(KernelPart part, std::int64_t output_columns)
      : LayerKernel(part.part->input_width(),
                    (part.sharding.choice.output_whole ? part.whole : part.part)->output_width(),
                    part.part->parameters()),
        part_(std::move(part)),
        columns_(output_columns) {}

  std::int64_t whole_parameters() const override { return part_.whole->parameters(); }
  std::vector<ParameterBlock> blocks() const override { return part_.blocks; }
  void initialise(std::span<float> parameters, Random random) const override {
    initialise_part(*part_.whole, part_.blocks, parameters, random);
  }

  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    Tensor output = part_.part->forward(std::move(input), parameters, saved);
    return choice().output_whole ? partners().gather(output, columns_) : std::move(output);
  }

  Tensor backward_input(Tensor gradient, std::span<const float> parameters, Saved& saved, bool wanted) const override {
    if (choice().output_whole) gradient = partners().take(gradient, columns_);
    Tensor input_gradient = part_.part->backward_input(std::move(gradient), parameters, saved, wanted);
    if (choice().input_whole && !input_gradient.empty()) partners().reduce(input_gradient);
    return input_gradient;
  }

  void backward_weight(Saved& saved, std::span<float> gradients) const override {
    part_.part->backward_weight(saved, gradients);
  }

 private:
  const ShardingChoice& choice() const { return part_.sharding.choice; }
  const Partners& partners() const { return part_.sharding.partners; }

  KernelPart part_;
  std::int64_t columns_;
};

/// The part is a product with some of the weights' rows, without bias and activation, which follow on the sum.
/// `output_columns` are as many as the bias has values, where there is one.
template <class On>
class RowsLayer final : public LayerKernel {
 public:
  RowsLayer(KernelPart part, std::int64_t output_columns, Activation activation)
      : LayerKernel((part.sharding.choice.input_whole ? part.whole : part.part)->input_width(),
                    part.whole->output_width(), floats_in(part.blocks)),
        part_(std::move(part)),
        columns_(output_columns),
        activation_(activation) {}

  std::int64_t whole_parameters() const override { return part_.whole->parameters(); }
  std::vector<ParameterBlock> blocks() const override { return part_.blocks; }
  void initialise(std::span<float> parameters, Random random) const override {
    initialise_part(*part_.whole, part_.blocks, parameters, random);
  }

  /// Saves what the part's product saves, its own columns of the input first, and what goes into the activation: from
  /// its own columns it can run again.
  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    if (input.width() != part_.part->input_width()) input = partners().take(input, choice().input_columns);
    Tensor linear = part_.part->forward(std::move(input), parameters.first(weights()), saved);
    partners().reduce(linear);
    if (biased()) On::add_bias(linear, parameters.data() + weights(), columns_);
    if (activation_ == Activation::none) return linear;
    Tensor output = On::activate(activation_, linear);
    saved.tensors.push_back(std::move(linear));
    return output;
  }

  Tensor backward_input(Tensor gradient, std::span<const float> parameters, Saved& saved, bool wanted) const override {
    if (activation_ != Activation::none) {
      On::activate_backward(activation_, gradient, saved.tensors.back());
      saved.tensors.pop_back();
    }
    Tensor input_gradient = part_.part->backward_input(std::move(gradient), parameters.first(weights()), saved, wanted);
    if (wanted && choice().input_whole) input_gradient = partners().gather(input_gradient, choice().input_columns);
    return input_gradient;
  }

  /// The bias's gradient is the same on every rank.
  void backward_weight(Saved& saved, std::span<float> gradients) const override {
    if (biased()) On::add_column_sums(gradients.data() + weights(), saved.tensors[1], columns_);
    part_.part->backward_weight(saved, gradients.first(weights()));
  }

 private:
  const ShardingChoice& choice() const { return part_.sharding.choice; }
  const Partners& partners() const { return part_.sharding.partners; }
  std::size_t weights() const { return static_cast<std::size_t>(part_.part->parameters()); }
  bool biased() const { return parameters() > part_.part->parameters(); }

  KernelPart part_;
  std::int64_t columns_;
  Activation activation_;
};

}  // namespace pipedeck
