// SPDX-License-Identifier: Apache-2.0
// The layers of one stage on one device: parameters, gradients, and what is kept of each micro-batch under way.
// Asynchronous training has several versions of the weights: a micro-batch's backward meets those of its forward.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/loss_kernel.hpp"
#include "core/runtime/recorded_passes.hpp"
#include "core/runtime/report.hpp"

namespace pipedeck {

struct StageShape {
  std::span<const std::unique_ptr<LayerKernel>> layers;
  std::vector<bool> recompute;             ///< a layer: run its forward again before the backward
  std::shared_ptr<const LossKernel> loss;  ///< the last stage's; else null
  float loss_scale = 1;                    ///< 1 / (samples x positions) of those whose mean loss is the one
  bool first = false;                      ///< of the model: its input's gradient is not wanted
};

class StageModule {
 public:
  StageModule(StageShape shape, std::shared_ptr<DeviceMemory> memory);

  /// Weights of model layer i are drawn from stream i of `seed`: the same however the model is cut.
  void initialise(std::uint64_t seed, int first_layer);

  std::int64_t input_width() const { return shape_.layers.front()->input_width(); }
  std::int64_t output_width() const { return shape_.layers.back()->output_width(); }
  bool first() const { return shape_.first; }  ///< of the model
  bool last() const { return shape_.loss != nullptr; }

  /// Passes are recorded, after begin_recording, and done again (recorded_passes.hpp), in `inside`.
  void record_passes(std::shared_ptr<DeviceMemory> inside) {
    passes_ = std::make_unique<RecordedPasses>(std::move(inside), memory_);
  }
  /// Null where they are not.
  RecordedPasses* recorded_passes() { return passes_.get(); }

  /// The stage's output; empty on the last stage, which takes `targets` and adds up the loss. With the weights of
  /// `version`, which must be there: the latest, or one that was kept.
  Tensor forward(int micro_batch, Tensor input, Tensor targets, int version);
  /// Brings back what forward did not keep.
  void recompute(int micro_batch);
  /// The input's gradient (empty on the first stage) and, where `weights_too`, the weights': else backward_weight
  /// follows some time. `gradient`: the output's; empty on the last stage.
  /// `done` is told of each layer whose weights' gradient has got this micro-batch's, the last layer first.
  using LayerDone = std::function<void(std::size_t layer)>;
  Tensor backward(int micro_batch, Tensor gradient, bool weights_too, const LayerDone& done = {});
  void backward_weight(int micro_batch, const LayerDone& done = {});

  int version() const { return version_; }
  /// Weights for the optimizer to change, which become the latest. Micro-batches under way keep theirs, and `keep` says
  /// that some to come will meet the present ones: then the new begin as a copy, else they are changed in place.
  Tensor& next_version(bool keep);
  void forget_before(int version);

  std::span<const std::unique_ptr<LayerKernel>> kernels() const { return shape_.layers; }
  /// By their number, which is below that of the latest.
  const std::map<int, std::shared_ptr<Tensor>>& older_versions() const { return kept_; }
  /// One to fill, of a run that goes on from a checkpoint.
  Tensor& older_version(int version);

  Tensor& parameters() { return *parameters_; }
  const Tensor& parameters() const { return *parameters_; }
  Tensor& gradients() { return gradients_; }
  void scale_gradients(float factor);
  std::size_t layers() const { return shape_.layers.size(); }
  /// Those of layers [first, last).
  std::span<float> gradients_of(std::size_t first, std::size_t last);
  /// Of every layer; the first one is layer `first` of the model.
  void add_parameters(int first, std::vector<LayerParameters>& to) const;
  /// Sum over samples and positions of the loss of the latest micro-batch that went forward.
  LossSum take_loss() { return std::move(loss_); }

 private:
  struct MicroBatch {
    std::shared_ptr<const Tensor> weights;  ///< until the input's gradient is there
    PassTensors tensors;  ///< logits as the loss's forward left them; targets where it is computed again
  };
  std::span<float> part(Tensor& of, std::size_t layer) const;
  std::span<const float> part(const Tensor& of, std::size_t layer) const;
  Tensor run_forward(MicroBatch& kept, std::size_t layer, Tensor input);
  void run(PassKind kind, MicroBatch& of, const LayerDone& done, const std::function<void()>& work);
  // What a pass does with a micro-batch's tensors.
  void go_forward(MicroBatch& kept);
  void go_forward_again(MicroBatch& kept);
  void go_backward(MicroBatch& kept, bool weights_too, const LayerDone& done);

  StageShape shape_;
  std::shared_ptr<DeviceMemory> memory_;
  std::vector<std::int64_t> offsets_;  ///< of each layer's parameters, and their end
  std::shared_ptr<Tensor> parameters_;
  Tensor gradients_;
  int version_ = 0;
  std::map<int, std::shared_ptr<Tensor>> kept_;  ///< older versions that micro-batches to come will meet
  std::map<int, MicroBatch> micro_batches_;
  LossSum loss_;
  std::unique_ptr<RecordedPasses> passes_;
};

}  // namespace pipedeck
