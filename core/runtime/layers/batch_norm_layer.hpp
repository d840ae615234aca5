// SPDX-License-Identifier: Apache-2.0
// Batch norm as a layer (cpu/cpu_ops.hpp), with an optional activation after it. `Ops` is the device's
// operations (cpu/cpu_ops.hpp).
#pragma once

#include <utility>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/shapes.hpp"

namespace pipedeck::runtime::layers {

/// A batch norm layer. Forward saves the input, its statistics and, with an activation, the activation's input.
template <class Ops>
class BatchNorm final : public LayerKernel {
 public:
  BatchNorm(std::int64_t channels, std::int64_t pixels, Activation activation)
      : LayerKernel(channels * pixels, channels * pixels, 2 * channels), passes_(channels), activation_(activation) {}

  void initialise(std::span<float> parameters, Random) const override { passes_.initialise(parameters.data()); }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters, SavedTensors& saved) const override {
    ColumnStatistics statistics;
    tensor::Tensor normalised = passes_.forward(input, parameters.data(), statistics);
    auto& s = saved.tensors;
    s.push_back(std::move(input));
    s.push_back(std::move(statistics.mean));
    s.push_back(std::move(statistics.inv_std));
    if (activation_ == Activation::none) return normalised;
    tensor::Tensor output = Ops::activate(activation_, normalised);
    s.push_back(std::move(normalised));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor gradient, std::span<const float> parameters, SavedTensors& saved,
                                bool wanted) const override {
    auto& s = saved.tensors;
    if (activation_ != Activation::none) Ops::activate_backward(activation_, gradient, s[normal]);
    const ColumnStatistics statistics{std::move(s[mean]), std::move(s[inv_std])};
    tensor::Tensor sums = passes_.backward(gradient, s[x], statistics, parameters.data());
    s.clear();
    s.push_back(std::move(sums));
    if (!wanted) gradient.release();
    return gradient;
  }

  void backward_weight(SavedTensors& saved, std::span<float> gradients) const override {
    const tensor::Tensor& sums = saved.tensors[0];
    sums.memory()->device().add(gradients.data(), sums.data(), sums.size());
    saved.tensors.clear();
  }

 private:
  enum SavedTensor : std::size_t { x, mean, inv_std, normal };

  typename Ops::Norm passes_;
  Activation activation_;
};

}  // namespace pipedeck::runtime::layers
