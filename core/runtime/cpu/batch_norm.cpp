// SPDX-License-Identifier: Apache-2.0
// Batch norm as a layer (batch_norm_passes.hpp), with an activation behind it where asked for.
#include "core/runtime/cpu/activation.hpp"
#include "core/runtime/cpu/batch_norm_passes.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/size_reader.hpp"

namespace pipedeck {
namespace {

/// Saved by forward: the input, its statistics and, where there is an activation, what goes into it.
enum SavedTensor : std::size_t { x, mean, inverse, normal };

class BatchNorm final : public LayerKernel {
 public:
  BatchNorm(std::int64_t channels, std::int64_t pixels, Activation activation)
      : LayerKernel(channels * pixels, channels * pixels, 2 * channels), passes_(channels), activation_(activation) {}

  void initialise(std::span<float> parameters, Random) const override { passes_.initialise(parameters.data()); }

  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    ColumnStatistics statistics = passes_.statistics(input);
    Tensor normalised = input.like();
    passes_.forward(normalised, input, statistics, parameters.data());
    auto& s = saved.tensors;
    s.push_back(std::move(input));
    s.push_back(std::move(statistics.mean));
    s.push_back(std::move(statistics.inverse));
    if (activation_ == Activation::none) return normalised;
    Tensor output = activate(activation_, normalised);
    s.push_back(std::move(normalised));
    return output;
  }

  Tensor backward_input(Tensor gradient, std::span<const float> parameters, Saved& saved, bool wanted) const override {
    auto& s = saved.tensors;
    if (activation_ != Activation::none) activate_backward(activation_, gradient, s[normal]);
    const ColumnStatistics statistics{std::move(s[mean]), std::move(s[inverse])};
    Tensor sums = passes_.backward(gradient, s[x], statistics, parameters.data());
    s.clear();
    s.push_back(std::move(sums));
    if (!wanted) gradient.release();
    return gradient;
  }

  void backward_weight(Saved& saved, std::span<float> gradients) const override {
    add(gradients.data(), saved.tensors[0].data(), passes_.parameters());
    saved.tensors.clear();
  }

 private:
  BatchNormPasses passes_;
  Activation activation_;
};

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_batch_norm(const ModelLayer& layer) {
  SizeReader size(layer);
  const std::int64_t channels = size("channels"), height = size("height"), width = size("width");
  const auto activation = static_cast<Activation>(size("activation"));
  size.bounded("values a sample",
               static_cast<double>(channels) * static_cast<double>(height) * static_cast<double>(width));
  if (auto read = size.result(); !read) return tl::unexpected(read.error());
  return std::make_unique<BatchNorm>(channels, height * width, activation);
}

}  // namespace pipedeck
