// SPDX-License-Identifier: Apache-2.0
// LSTM as a layer through cuDNN (lstm.hpp), which cannot shard a layer over devices: a shard is computed step by step.
#include "core/runtime/cuda/gpu_ops.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/cuda/lstm.hpp"
#include "core/runtime/layers/lstm_by_steps.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// Saved by forward and still present between the backward passes: input, output, and cuDNN's saved data.
enum SavedTensor : std::size_t { saved_input, saved_output, saved_steps };

class LstmLayer final : public CudaLayer {
 public:
  LstmLayer(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)),
        shape_{layer.size("in"), layer.size("hidden"), layer.size("sequence"), layer.size("directions")} {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    Lstm& program = lstm(input);
    const int samples = input.samples();
    tensor::Tensor output(input.memory(), samples, output_width()),
        state = kept_tensor(input, program.saved_bytes(samples));
    program.forward(output.data(), state.data(), input.data(), parameters.data(), samples);
    saved.tensors.push_back(std::move(input));
    saved.tensors.push_back(output.slice(0, samples, output.memory()));
    saved.tensors.push_back(std::move(state));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float> parameters,
                                layers::SavedTensors& saved, bool wanted) const override {
    auto& s = saved.tensors;
    tensor::Tensor gradient;
    if (wanted) gradient = s[saved_input].empty_like();
    lstm(s[saved_input])
        .backward_input(gradient.data(), s[saved_steps].data(), output_gradient.data(), s[saved_output].data(),
                        parameters.data(), s[saved_input].samples());
    return gradient;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    auto& s = saved.tensors;
    lstm(s[saved_input])
        .backward_weight(gradients.data(), s[saved_steps].data(), s[saved_input].data(), s[saved_output].data(),
                         s[saved_input].samples());
    s.clear();
  }

 private:
  Lstm& lstm(const tensor::Tensor& where) const {
    return lstms_.of(CudaDevice::of(where), [&](Context& context) { return std::make_unique<Lstm>(context, shape_); });
  }

  static tensor::Tensor kept_tensor(const tensor::Tensor& beside, std::size_t bytes) {
    return tensor::Tensor(beside.memory(), 1, static_cast<std::int64_t>((bytes + sizeof(float) - 1) / sizeof(float)));
  }

  LstmShape shape_;
  PerDevice<Lstm> lstms_;
};

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_sharded_lstm(const ModelLayer& layer,
                                                               const layers::LayerSharding& sharding) {
  TRY_VOID(layers::check_shardable(layer, layer.size("hidden"), "hidden values", sharding.partners.shard()));
  return std::make_unique<layers::UnrolledLstm<GpuOps>>(layer.size("in"), layer.size("hidden"), layer.size("sequence"),
                                                        layer.size("directions"), sharding.partners);
}

std::unique_ptr<layers::LayerKernel> make_lstm(const ModelLayer& layer,
                                               std::unique_ptr<layers::LayerKernel> on_processor) {
  return std::make_unique<LstmLayer>(layer, std::move(on_processor));
}

}  // namespace pipedeck::runtime::cuda
