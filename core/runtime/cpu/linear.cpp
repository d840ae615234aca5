// SPDX-License-Identifier: Apache-2.0
// y = activation(x W + b), at each of `sequence` positions alike.
#include <cmath>

#include <fmt/format.h>

#include "core/runtime/cpu/activation.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/matmul.hpp"

namespace pipedeck {
namespace {

class Linear final : public LayerKernel {
 public:
  Linear(std::int64_t in, std::int64_t out, std::int64_t sequence, Activation activation)
      : LayerKernel(sequence * in, sequence * out, (in + 1) * out),
        in_(in),
        out_(out),
        sequence_(sequence),
        activation_(activation) {}

  void initialise(std::span<float> parameters, Random random) const override {
    // Keeps the variance from layer to layer (He et al., 2015, where the activation halves it).
    const float deviation = std::sqrt((activation_ == Activation::none ? 1.0f : 2.0f) / static_cast<float>(in_));
    const auto weights = static_cast<std::size_t>(in_ * out_);
    for (float& value : parameters.first(weights)) value = deviation * random.bell();
    for (float& value : parameters.subspan(weights)) value = 0;
  }

  /// Saves input and, where there is an activation, what goes into it.
  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    Tensor linear(input.memory(), input.samples(), output_width());
    multiply(rows(input), out_, in_, {input.data(), in_}, {parameters.data(), out_}, linear.data(), out_);
    add_bias(linear.data(), parameters.data() + in_ * out_, rows(input), out_);
    saved.tensors.push_back(std::move(input));
    if (activation_ == Activation::none) return linear;
    Tensor output = activate(activation_, linear);
    saved.tensors.push_back(std::move(linear));
    return output;
  }

  Tensor backward_input(Tensor output_gradient, std::span<const float> parameters, Saved& saved,
                        bool wanted) const override {
    if (activation_ != Activation::none) {
      activate_backward(activation_, output_gradient, saved.tensors[1]);
      saved.tensors.pop_back();
    }
    Tensor gradient;
    if (wanted) {
      gradient = saved.tensors[0].like();
      multiply(rows(gradient), in_, out_, {output_gradient.data(), out_}, transpose(parameters.data(), out_),
               gradient.data(), in_);
    }
    saved.tensors.push_back(std::move(output_gradient));
    return gradient;
  }

  void backward_weight(Saved& saved, std::span<float> gradients) const override {
    const Tensor& input = saved.tensors[0];
    const Tensor& gradient = saved.tensors[1];
    multiply(in_, out_, rows(input), transpose(input.data(), in_), {gradient.data(), out_}, gradients.data(), out_, 1);
    add_column_sums(gradients.data() + in_ * out_, gradient.data(), rows(input), out_);
    saved.tensors.clear();
  }

 private:
  std::int64_t rows(const Tensor& tensor) const { return tensor.samples() * sequence_; }

  std::int64_t in_, out_, sequence_;
  Activation activation_;
};

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_linear(const ModelLayer& layer) {
  const auto in = size_of(layer, "in"), out = size_of(layer, "out"), sequence = size_of(layer, "sequence"),
             activation = size_of(layer, "activation", 0);
  for (const auto* size : {&in, &out, &sequence, &activation})
    if (!*size) return tl::unexpected(size->error());
  if (*activation > 2)
    return fail(
        ErrorCode::bad_input,
        fmt::format("layer '{}': activation is {}, expected 0 (none), 1 (relu) or 2 (gelu)", layer.name, *activation));
  return std::make_unique<Linear>(*in, *out, *sequence, static_cast<Activation>(*activation));
}

}  // namespace pipedeck
