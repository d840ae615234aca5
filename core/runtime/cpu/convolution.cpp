// SPDX-License-Identifier: Apache-2.0
// y = activation(window of x times W + b), at every place of the window.
#include <cmath>

#include "core/runtime/cpu/activation.hpp"
#include "core/runtime/cpu/convolution_passes.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/size_reader.hpp"

namespace pipedeck {
namespace {

class Convolution final : public LayerKernel {
 public:
  Convolution(const ConvolutionShape& shape, bool bias, Activation activation)
      : LayerKernel(shape.in_values(), shape.out_values(), shape.weights() + (bias ? shape.out : 0)),
        passes_(shape, bias),
        activation_(activation) {}

  void initialise(std::span<float> parameters, Random random) const override {
    const ConvolutionShape& shape = passes_.shape();
    const auto weights = static_cast<std::size_t>(shape.weights());
    const auto inputs = static_cast<float>(shape.kernel * shape.kernel * shape.in);               // of one output
    const float deviation = std::sqrt((activation_ == Activation::none ? 1.0f : 2.0f) / inputs);  // as linear's
    for (float& value : parameters.first(weights)) value = deviation * random.bell();
    for (float& value : parameters.subspan(weights)) value = 0;
  }

  /// Saves input and, where there is an activation, what goes into it.
  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    Tensor linear = passes_.forward(input, parameters.data());
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
    if (wanted) gradient = passes_.backward_input(output_gradient, parameters.data());
    saved.tensors.push_back(std::move(output_gradient));
    return gradient;
  }

  void backward_weight(Saved& saved, std::span<float> gradients) const override {
    passes_.backward_weight(saved.tensors[0], saved.tensors[1], gradients.data());
    saved.tensors.clear();
  }

 private:
  ConvolutionPasses passes_;
  Activation activation_;
};

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_convolution(const ModelLayer& layer) {
  SizeReader size(layer);
  const ConvolutionShape shape{size("in"),      size("out"),    size("kernel"), size("stride"),
                               size("padding"), size("height"), size("width")};
  const auto activation = static_cast<Activation>(size("activation"));
  const bool bias = size("bias") == 1;
  size.check_window();
  if (auto read = size.result(); !read) return tl::unexpected(read.error());
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  size.bounded("weights", real(shape.kernel) * real(shape.kernel) * real(shape.in) * real(shape.out));
  size.bounded("values a sample", real(shape.in) * real(shape.height) * real(shape.width));
  size.bounded("values a sample", real(shape.out) * real(shape.out_height()) * real(shape.out_width()));
  if (auto read = size.result(); !read) return tl::unexpected(read.error());
  return std::make_unique<Convolution>(shape, bias, activation);
}

}  // namespace pipedeck
