// SPDX-License-Identifier: Apache-2.0
// The maximum or mean of a window that slides over each channel, or the mean of each whole channel.
#include <algorithm>

#include "core/runtime/cpu/image_kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/size_reader.hpp"

namespace pipedeck {
namespace {

enum class PoolKind { largest, mean };

class Pool final : public LayerKernel {
 public:
  Pool(const PoolShape& shape, PoolKind kind)
      : LayerKernel(shape.in_values(), shape.out_values(), 0), shape_(shape), kind_(kind) {}

  void initialise(std::span<float>, Random) const override {}

  Tensor forward(Tensor input, std::span<const float>, Saved& saved) const override {
    Tensor output(input.memory(), input.samples(), output_width());
    (kind_ == PoolKind::largest ? max_pool : average_pool)(output.data(), input.data(), shape_, input.samples());
    saved.tensors.push_back(std::move(input));
    return output;
  }

  Tensor backward_input(Tensor output_gradient, std::span<const float>, Saved& saved, bool wanted) const override {
    Tensor gradient;
    if (wanted) gradient = backward(output_gradient, saved.tensors[0]);
    saved.tensors.clear();
    return gradient;
  }

  void backward_weight(Saved&, std::span<float>) const override {}

 private:
  Tensor backward(const Tensor& output_gradient, const Tensor& input) const {
    Tensor gradient = Tensor::zeros(input.memory(), input.samples(), input.width());
    if (kind_ == PoolKind::mean) {
      average_pool_backward(gradient.data(), output_gradient.data(), shape_, input.samples());
      return gradient;
    }
    Tensor scratch(input.memory(), 1, 2 * shape_.channels);
    max_pool_backward(gradient.data(), output_gradient.data(), input.data(), scratch.data(), shape_, input.samples());
    return gradient;
  }

  PoolShape shape_;
  PoolKind kind_;
};

Result<std::unique_ptr<LayerKernel>> make_pool(SizeReader& size, const PoolShape& shape, PoolKind kind) {
  size.bounded("values a sample", static_cast<double>(shape.channels) * static_cast<double>(shape.height) *
                                      static_cast<double>(shape.width));
  if (auto read = size.result(); !read) return tl::unexpected(read.error());
  return std::make_unique<Pool>(shape, kind);
}

Result<std::unique_ptr<LayerKernel>> make_windowed(const ModelLayer& layer, PoolKind kind) {
  SizeReader size(layer);
  const PoolShape shape{size("channels"), size("kernel"), size("stride"),
                        size("padding"),  size("height"), size("width")};
  size.check_window();
  return make_pool(size, shape, kind);
}

/// A window that covers the longer side, clipped at the end of the shorter: each channel's mean.
PoolShape whole_image(SizeReader& size) {
  const std::int64_t channels = size("channels"), height = size("height"), width = size("width");
  return {channels, std::max(height, width), std::max(height, width), 0, height, width};
}

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_max_pool(const ModelLayer& layer) {
  return make_windowed(layer, PoolKind::largest);
}

Result<std::unique_ptr<LayerKernel>> make_average_pool(const ModelLayer& layer) {
  return make_windowed(layer, PoolKind::mean);
}

Result<std::unique_ptr<LayerKernel>> make_global_average_pool(const ModelLayer& layer) {
  SizeReader size(layer);
  return make_pool(size, whole_image(size), PoolKind::mean);
}

}  // namespace pipedeck
