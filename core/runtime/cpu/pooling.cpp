// SPDX-License-Identifier: Apache-2.0
// The maximum or mean of a window that slides over each channel, or the mean of each whole channel.
#include <algorithm>

#include "core/runtime/cpu/image_kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

enum class PoolKind { largest, mean };

class Pool final : public layers::LayerKernel {
 public:
  Pool(const layers::PoolShape& shape, PoolKind kind)
      : layers::LayerKernel(shape.in_values(), shape.out_values(), 0), shape_(shape), kind_(kind) {}

  void initialise(std::span<float>, Random) const override {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float>, layers::SavedTensors& saved) const override {
    tensor::Tensor output(input.memory(), input.samples(), output_width());
    (kind_ == PoolKind::largest ? max_pool : average_pool)(output.data(), input.data(), shape_, input.samples());
    saved.tensors.push_back(std::move(input));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float>, layers::SavedTensors& saved,
                                bool wanted) const override {
    tensor::Tensor gradient;
    if (wanted) gradient = backward(output_gradient, saved.tensors[0]);
    saved.tensors.clear();
    return gradient;
  }

  void backward_weight(layers::SavedTensors&, std::span<float>) const override {}

 private:
  tensor::Tensor backward(const tensor::Tensor& output_gradient, const tensor::Tensor& input) const {
    tensor::Tensor gradient = tensor::Tensor::zeros(input.memory(), input.samples(), input.width());
    if (kind_ == PoolKind::mean) {
      average_pool_backward(gradient.data(), output_gradient.data(), shape_, input.samples());
      return gradient;
    }
    tensor::Tensor scratch(input.memory(), 1, 2 * shape_.channels);
    max_pool_backward(gradient.data(), output_gradient.data(), input.data(), scratch.data(), shape_, input.samples());
    return gradient;
  }

  layers::PoolShape shape_;
  PoolKind kind_;
};

Result<std::unique_ptr<layers::LayerKernel>> make_pool(layers::SizeReader& size, const layers::PoolShape& shape,
                                                       PoolKind kind) {
  size.bounded("values per sample", static_cast<double>(shape.channels) * static_cast<double>(shape.height) *
                                        static_cast<double>(shape.width));
  TRY_VOID(size.result());
  return std::make_unique<Pool>(shape, kind);
}

Result<std::unique_ptr<layers::LayerKernel>> make_windowed(const ModelLayer& layer, PoolKind kind) {
  layers::SizeReader size(layer);
  const layers::PoolShape shape{size("channels"), size("kernel"), size("stride"),
                                size("padding"),  size("height"), size("width")};
  size.check_window();
  return make_pool(size, shape, kind);
}

/// A window that covers the longer side, clipped at the end of the shorter: each channel's mean.
layers::PoolShape whole_image(layers::SizeReader& size) {
  const std::int64_t channels = size("channels"), height = size("height"), width = size("width");
  return {channels, std::max(height, width), std::max(height, width), 0, height, width};
}

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_max_pool(const ModelLayer& layer) {
  return make_windowed(layer, PoolKind::largest);
}

Result<std::unique_ptr<layers::LayerKernel>> make_average_pool(const ModelLayer& layer) {
  return make_windowed(layer, PoolKind::mean);
}

Result<std::unique_ptr<layers::LayerKernel>> make_global_average_pool(const ModelLayer& layer) {
  layers::SizeReader size(layer);
  return make_pool(size, whole_image(size), PoolKind::mean);
}

}  // namespace pipedeck::runtime::cpu
