// SPDX-License-Identifier: Apache-2.0
// Token and position embedding. Sources only produce tokens of the vocabulary: the GPU does not check them.
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/layers.hpp"

namespace pipedeck::runtime::cuda {
namespace {

class Embedding final : public CudaLayer {
 public:
  Embedding(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)),
        vocabulary_(layer.size("vocabulary")),
        hidden_(layer.size("hidden")),
        sequence_(layer.size("sequence")),
        has_positions_(layer.size("positions") == 1) {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    tensor::Tensor output(input.memory(), input.samples(), output_width());
    embedding(CudaDevice::of(input).stream(), output.data(), input.data(), parameters.data(),
              has_positions_ ? parameters.data() + vocabulary_ * hidden_ : nullptr, shape(input));
    saved.tensors.push_back(std::move(input));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float>, layers::SavedTensors& saved,
                                bool) const override {
    saved.tensors.push_back(std::move(output_gradient));
    return {};  // tokens have no gradient
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const tensor::Tensor &tokens = saved.tensors[0], &gradient = saved.tensors[1];
    CudaDevice& device = CudaDevice::of(tokens);
    embedding_backward(device.stream(), gradients.data(),
                       has_positions_ ? gradients.data() + vocabulary_ * hidden_ : nullptr, gradient.data(),
                       tokens.data(), device.context().workspace(embedding_backward_scratch(shape(tokens))),
                       shape(tokens));
    saved.tensors.clear();
  }

 private:
  EmbeddingShape shape(const tensor::Tensor& tokens) const {
    return {tokens.samples(), sequence_, hidden_, vocabulary_};
  }

  std::int64_t vocabulary_, hidden_, sequence_;
  bool has_positions_;
};

}  // namespace

std::unique_ptr<layers::LayerKernel> make_embedding(const ModelLayer& layer,
                                                    std::unique_ptr<layers::LayerKernel> on_processor) {
  return std::make_unique<Embedding>(layer, std::move(on_processor));
}

}  // namespace pipedeck::runtime::cuda
