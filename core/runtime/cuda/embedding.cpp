// SPDX-License-Identifier: Apache-2.0
// Token and position embedding. Sources only produce tokens of the vocabulary: the GPU does not check them. A tied
// embedding's table is also the head's, so tensor-parallel ranks divide its words: each gives the rows of its own, and
// the ranks sum these (arXiv 1909.08053, section 3).
#include <optional>
#include <utility>

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/layers.hpp"

namespace pipedeck::runtime::cuda {
namespace {

class Embedding final : public CudaLayer {
 public:
  /// `partners` have the other words; none: the table is whole.
  Embedding(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel> on_processor,
            std::optional<layers::TensorParallelGroup> partners)
      : CudaLayer(std::move(on_processor)),
        vocabulary_(layer.size("vocabulary")),
        hidden_(layer.size("hidden")),
        sequence_(layer.size("sequence")),
        has_positions_(layer.size("positions") == 1),
        words_(partners ? partners->local_range(vocabulary_) : layers::ShardRange{0, vocabulary_}),
        partners_(std::move(partners)) {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    tensor::Tensor output(input.memory(), input.samples(), output_width());
    const cudaStream_t stream = CudaDevice::of(input).stream();
    const float* const positions = has_positions_ ? parameters.data() + table() : nullptr;
    embedding(stream, output.data(), input.data(), parameters.data(), partners_ ? nullptr : positions, shape(input));
    if (partners_) {
      partners_->all_reduce(output);
      if (positions) add_bias(stream, output.data(), positions, output.samples(), output.width());
    }
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
    embedding_backward(device.stream(), gradients.data(), has_positions_ ? gradients.data() + table() : nullptr,
                       gradient.data(), tokens.data(),
                       device.context().workspace(embedding_backward_scratch(shape(tokens))), shape(tokens));
    saved.tensors.clear();
  }

 private:
  EmbeddingShape shape(const tensor::Tensor& tokens) const {
    return {tokens.samples(), sequence_, hidden_, vocabulary_, words_.first, words_.count};
  }

  std::int64_t table() const { return words_.count * hidden_; }

  std::int64_t vocabulary_, hidden_, sequence_;
  bool has_positions_;
  layers::ShardRange words_;  ///< of the table here
  std::optional<layers::TensorParallelGroup> partners_;
};

}  // namespace

std::unique_ptr<layers::LayerKernel> make_embedding(const ModelLayer& layer,
                                                    std::unique_ptr<layers::LayerKernel> on_processor) {
  return std::make_unique<Embedding>(layer, std::move(on_processor), std::nullopt);
}

std::unique_ptr<layers::LayerKernel> make_sharded_words(const ModelLayer& layer, const layers::LayerSharding& sharding,
                                                        std::unique_ptr<layers::LayerKernel> on_processor) {
  return std::make_unique<Embedding>(layer, std::move(on_processor), sharding.partners);
}

}  // namespace pipedeck::runtime::cuda
