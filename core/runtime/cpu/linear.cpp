// SPDX-License-Identifier: Apache-2.0
// y = activation(x W + b), at each of `sequence` positions; b is optional. The weights of a tied head are the table of
// the embedding's words: y = x E^T, with a row of E for each output.
#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/cpu_ops.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/layers/product_layer.hpp"

namespace pipedeck::runtime::cpu {
namespace {

struct LinearShape {
  std::int64_t in, out, sequence;
  bool tied = false;  ///< weights are out x in instead of in x out
  std::int64_t weights() const { return in * out; }
};

class LinearPasses {
 public:
  LinearPasses(const LinearShape& shape, bool bias) : shape_(shape), bias_(bias) {}

  std::int64_t parameters() const { return shape_.weights() + (bias_ ? shape_.out : 0); }
  std::int64_t table_parameters() const { return shape_.tied ? shape_.weights() : 0; }

  tensor::Tensor forward(const tensor::Tensor& input, const float* parameters) const {
    const std::int64_t in = shape_.in, out = shape_.out, rows = rows_of(input);
    tensor::Tensor output(input.memory(), input.samples(), shape_.sequence * out);
    if (shape_.tied)
      multiply(rows, out, in, {input.data(), in}, tensor::transpose(parameters, in), output.data(), out);
    else
      multiply(rows, out, in, {input.data(), in}, {parameters, out}, output.data(), out);
    if (bias_) add_bias(output.data(), parameters + shape_.weights(), rows, out);
    return output;
  }

  tensor::Tensor backward_input(const tensor::Tensor& output_gradient, const float* parameters) const {
    const std::int64_t in = shape_.in, out = shape_.out, rows = rows_of(output_gradient);
    tensor::Tensor gradient(output_gradient.memory(), output_gradient.samples(), shape_.sequence * in);
    if (shape_.tied)
      multiply(rows, in, out, {output_gradient.data(), out}, {parameters, in}, gradient.data(), in);
    else
      multiply(rows, in, out, {output_gradient.data(), out}, tensor::transpose(parameters, out), gradient.data(), in);
    return gradient;
  }

  /// Adds to `gradients`.
  void backward_weight(const tensor::Tensor& input, const tensor::Tensor& output_gradient, float* gradients) const {
    const std::int64_t in = shape_.in, out = shape_.out, rows = rows_of(input);
    if (shape_.tied)
      multiply(out, in, rows, tensor::transpose(output_gradient.data(), out), {input.data(), in}, gradients, in, 1);
    else
      multiply(in, out, rows, tensor::transpose(input.data(), in), {output_gradient.data(), out}, gradients, out, 1);
    if (bias_) add_column_sums(gradients + shape_.weights(), output_gradient.data(), rows, out);
  }

 private:
  std::int64_t rows_of(const tensor::Tensor& tensor) const { return tensor.samples() * shape_.sequence; }

  LinearShape shape_;
  bool bias_;
};

Result<std::unique_ptr<layers::LayerKernel>> linear_kernel(const ModelLayer& layer, bool weights_alone) {
  const auto in = layers::size_of(layer, "in"), out = layers::size_of(layer, "out"),
             sequence = layers::size_of(layer, "sequence"), activation = layers::size_of(layer, "activation", 0),
             bias = layers::size_of(layer, "bias", 0);
  for (const auto* size : {&in, &out, &sequence, &activation, &bias})
    if (!*size) return tl::unexpected(size->error());
  if (*activation > 2)
    return fail(
        ErrorCode::bad_input,
        fmt::format("layer '{}': activation is {}, expected 0 (none), 1 (relu) or 2 (gelu)", layer.name, *activation));
  if (*bias > 1)
    return fail(ErrorCode::bad_input, fmt::format("layer '{}': bias is {}, expected 0 or 1", layer.name, *bias));
  const LinearShape shape{*in, *out, *sequence, is_tied(layer)};
  const layers::ProductSize size{shape.sequence * shape.in, shape.sequence * shape.out, shape.in, shape.weights()};
  return std::make_unique<layers::MatmulLayer<LinearPasses, CpuOps>>(
      size, weights_alone ? layers::Activation::none : static_cast<layers::Activation>(*activation),
      std::make_unique<LinearPasses>(shape, *bias == 1 && !weights_alone));
}

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_linear(const ModelLayer& layer) {
  return linear_kernel(layer, false);
}
Result<std::unique_ptr<layers::LayerKernel>> make_linear_weights(const ModelLayer& layer) {
  return linear_kernel(layer, true);
}

}  // namespace pipedeck::runtime::cpu
