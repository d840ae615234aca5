// SPDX-License-Identifier: Apache-2.0
// Layers on images: convolutions, batch norms, pools, residual blocks.
#include <algorithm>

#include "core/runtime/cuda/gpu_ops.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/cuda/pooling.hpp"
#include "core/runtime/layers/batch_norm_layer.hpp"
#include "core/runtime/layers/product_layer.hpp"
#include "core/runtime/layers/residual_block.hpp"

namespace pipedeck::runtime::cuda {
namespace {

std::unique_ptr<layers::LayerKernel> make_convolution(const ModelLayer& layer, layers::Activation activation,
                                                      bool bias) {
  const layers::ConvolutionShape shape{layer.size("in"),     layer.size("out"),     layer.size("kernel"),
                                       layer.size("stride"), layer.size("padding"), layer.size("height"),
                                       layer.size("width")};
  const layers::ProductSize size{shape.in_values(), shape.out_values(), shape.kernel * shape.kernel * shape.in,
                                 shape.weights()};
  return std::make_unique<layers::MatmulLayer<ConvolutionPasses, GpuOps>>(
      size, activation, std::make_unique<ConvolutionPasses>(shape, bias));
}

/// Covers the image if the window is larger than it: each channel's mean or maximum.
layers::PoolShape pool_shape(const ModelLayer& layer) {
  const std::int64_t channels = layer.size("channels"), height = layer.size("height"), width = layer.size("width");
  const std::int64_t side = std::max(height, width);
  if (layer.kind == "global_average_pool") return {channels, side, side, 0, height, width};
  return {channels, layer.size("kernel"), layer.size("stride"), layer.size("padding"), height, width};
}

class Pool final : public CudaLayer {
 public:
  Pool(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)),
        shape_(pool_shape(layer)),
        kind_(layer.kind == "max_pool" ? Pooling::Kind::largest : Pooling::Kind::mean) {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float>, layers::SavedTensors& saved) const override {
    tensor::Tensor output(input.memory(), input.samples(), output_width());
    pooling(input).forward(output.data(), input.data(), input.samples());
    saved.tensors.push_back(std::move(input));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float>, layers::SavedTensors& saved,
                                bool wanted) const override {
    tensor::Tensor gradient;
    if (wanted) {
      const tensor::Tensor& input = saved.tensors[0];
      gradient = input.empty_like();
      pooling(input).backward(gradient.data(), output_gradient.data(), input.data(), input.samples());
    }
    saved.tensors.clear();
    return gradient;
  }

  void backward_weight(layers::SavedTensors&, std::span<float>) const override {}

 private:
  Pooling& pooling(const tensor::Tensor& where) const {
    return poolings_.of(CudaDevice::of(where), [&](Context& context) {
      return std::make_unique<Pooling>(context, shape_, kind_, Element::fp32);
    });
  }

  layers::PoolShape shape_;
  Pooling::Kind kind_;
  PerDevice<Pooling> poolings_;
};

}  // namespace

std::unique_ptr<layers::LayerKernel> make_convolution(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel>) {
  return make_convolution(layer, static_cast<layers::Activation>(layer.size("activation")), layer.size("bias") == 1);
}
std::unique_ptr<layers::LayerKernel> make_convolution_weights(const ModelLayer& layer,
                                                              std::unique_ptr<layers::LayerKernel>) {
  return make_convolution(layer, layers::Activation::none, false);
}

std::unique_ptr<layers::LayerKernel> make_batch_norm(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel>) {
  return std::make_unique<layers::BatchNorm<GpuOps>>(layer.size("channels"), layer.size("height") * layer.size("width"),
                                                     static_cast<layers::Activation>(layer.size("activation")));
}

std::unique_ptr<layers::LayerKernel> make_pool(const ModelLayer& layer,
                                               std::unique_ptr<layers::LayerKernel> on_processor) {
  return std::make_unique<Pool>(layer, std::move(on_processor));
}

std::unique_ptr<layers::LayerKernel> make_block(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel>) {
  return std::make_unique<layers::Residual<GpuOps>>(layers::block_shape(layer).value());
}
Result<std::unique_ptr<layers::LayerKernel>> make_sharded_block(const ModelLayer& layer,
                                                                const layers::LayerSharding& sharding) {
  TRY(const auto part, layers::block_part(layer, sharding.partners));
  return std::make_unique<layers::Residual<GpuOps>>(part);
}

}  // namespace pipedeck::runtime::cuda
