// SPDX-License-Identifier: Apache-2.0
// The layers of one stage on one device: parameters, gradients, and what is kept of each micro-batch under way.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {

struct StageShape {
  std::span<const std::unique_ptr<LayerKernel>> layers;
  std::vector<bool> recompute;              ///< a layer: run its forward again before the backward
  std::optional<SoftmaxCrossEntropy> loss;  ///< the last stage's
  float loss_scale = 1;                     ///< 1 / (global batch x positions): gradients of the mean
  bool first = false;                       ///< of the model: its input's gradient is not wanted
};

class StageModule {
 public:
  StageModule(StageShape shape, std::shared_ptr<DeviceMemory> memory);

  /// Weights of model layer i are drawn from stream i of `seed`: the same however the model is cut.
  void initialise(std::uint64_t seed, int first_layer);

  /// The stage's output; empty on the last stage, which takes `targets` and adds up the loss.
  Tensor forward(int micro_batch, Tensor input, Tensor targets);
  /// Brings back what forward did not keep.
  void recompute(int micro_batch);
  /// The input's gradient (empty on the first stage) and, where `weights_too`, the weights': else backward_weight
  /// follows some time. `gradient`: the output's; empty on the last stage.
  Tensor backward(int micro_batch, Tensor gradient, bool weights_too);
  void backward_weight(int micro_batch);

  Tensor& parameters() { return parameters_; }
  Tensor& gradients() { return gradients_; }
  std::vector<float> layer_parameters(std::size_t layer) const;
  /// Sum over samples and positions of a micro-batch's loss in the latest step.
  double loss(int micro_batch) const { return losses_.at(micro_batch); }

 private:
  struct MicroBatch {
    std::vector<Saved> layers;
    Tensor logits;   ///< as the loss's forward left them
    Tensor targets;  ///< kept where the loss is computed again
  };
  std::span<float> part(Tensor& of, std::size_t layer) const;
  Tensor run_forward(MicroBatch& kept, std::size_t layer, Tensor input);

  StageShape shape_;
  std::shared_ptr<DeviceMemory> memory_;
  std::vector<std::int64_t> offsets_;  ///< of each layer's parameters, and their end
  Tensor parameters_, gradients_;
  std::map<int, MicroBatch> micro_batches_;
  std::map<int, double> losses_;
};

}  // namespace pipedeck
