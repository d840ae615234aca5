// SPDX-License-Identifier: Apache-2.0
// y = activation(window of x times W + b), at every position of the window.
#include "core/runtime/cpu/cpu_ops.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/product_layer.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

Result<std::unique_ptr<layers::LayerKernel>> convolution_kernel(const ModelLayer& layer, bool weights_alone) {
  layers::SizeReader size(layer);
  const layers::ConvolutionShape shape{size("in"),      size("out"),    size("kernel"), size("stride"),
                                       size("padding"), size("height"), size("width")};
  const auto activation = static_cast<layers::Activation>(size("activation"));
  const bool bias = size("bias") == 1;
  size.check_window();
  TRY_VOID(size.result());
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  size.bounded("weights", real(shape.kernel) * real(shape.kernel) * real(shape.in) * real(shape.out));
  size.bounded("values per sample", real(shape.in) * real(shape.height) * real(shape.width));
  size.bounded("values per sample", real(shape.out) * real(shape.out_height()) * real(shape.out_width()));
  TRY_VOID(size.result());
  const layers::ProductSize product{shape.in_values(), shape.out_values(), shape.kernel * shape.kernel * shape.in,
                                    shape.weights()};
  return std::make_unique<layers::MatmulLayer<ConvolutionPasses, CpuOps>>(
      product, weights_alone ? layers::Activation::none : activation,
      std::make_unique<ConvolutionPasses>(shape, bias && !weights_alone));
}

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_convolution(const ModelLayer& layer) {
  return convolution_kernel(layer, false);
}
Result<std::unique_ptr<layers::LayerKernel>> make_convolution_weights(const ModelLayer& layer) {
  return convolution_kernel(layer, true);
}

}  // namespace pipedeck::runtime::cpu
