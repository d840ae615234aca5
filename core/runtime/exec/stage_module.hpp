// SPDX-License-Identifier: Apache-2.0
// The layers of one stage on one device: parameters, gradients, and the saved tensors of each micro-batch in flight.
// Asynchronous training has several weight versions: a micro-batch's backward uses the version of its forward. With
// sharded states a device has pieces of weights and gradients (state_exchange.hpp).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/plan/blocks.hpp"
#include "core/runtime/exec/captured_passes.hpp"
#include "core/runtime/exec/frozen_parameters.hpp"
#include "core/runtime/exec/gradient_buckets.hpp"
#include "core/runtime/exec/offloaded_tensors.hpp"
#include "core/runtime/exec/report.hpp"
#include "core/runtime/exec/state_exchange.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/loss_kernel.hpp"
#include "core/runtime/tensor/optimizer.hpp"

namespace pipedeck::runtime::exec {

struct StageShape {
  std::span<const std::unique_ptr<layers::LayerKernel>> layers;
  /// Segments of layers whose forward is rerun, relative to the first; `by_block`: each within the backward, directly
  /// before its own part of it; else all of them in recompute().
  std::vector<plan::RecomputedSegment> recompute;
  bool by_block = false;
  /// Parts of the other layers that a forward discards and a backward restores.
  layers::RecomputedParts discarded = {};
  std::shared_ptr<const layers::LossKernel> loss;  ///< of the last stage; else null
  float loss_scale = 1;                            ///< 1 / (samples x positions) of the update's mean loss
  bool first = false;                              ///< of the model: its input's gradient is not needed
  /// The model's whole first layer, whose table the stage's head, its last layer, shares; null without such a head.
  const layers::LayerKernel* table = nullptr;
  bool borrows = false;  ///< the head takes the table of a module of this device (borrow_table)
};

/// A layer of the model in which parameters are stored, and the number of parameters of that whole layer.
struct StoredIn {
  int layer = 0;
  std::int64_t whole = 0;
};

/// The sharding of a stage's weights and gradients; null: they are whole.
struct ShardedStates {
  std::shared_ptr<ScatteredGradients> gradients;
  std::shared_ptr<GatheredWeights> weights;
};

class StageModule {
 public:
  /// `exchange` divides the stage's states. `frozen`: its weights that are not trained; null: it trains all.
  StageModule(StageShape shape, std::shared_ptr<const StateExchange> exchange, ShardedStates sharded,
              std::shared_ptr<tensor::DeviceMemory> memory, std::shared_ptr<FrozenParameters> frozen = nullptr);

  /// Draws the weights of model layer i from stream i of `seed`, independently of the stage boundaries.
  void initialise(std::uint64_t seed, int first_layer);
  /// Takes the weights from those of the model's whole layers without adapters. Adapters are drawn from `seed`.
  void load(std::span<const std::vector<float>> whole_layers, std::uint64_t seed, int first_layer);

  /// Lets the head take the weights of the table that `owner`, a module of this device or this one itself, begins with.
  void borrow_table(StageModule& owner) { owner_ = &owner; }
  bool borrows(std::size_t layer) const { return shape_.borrows && layer + 1 == layers(); }
  /// Returns where the parameters of a layer are stored, which has none of its own if the stage borrows them. `first`:
  /// the model's layer of the stage's first. The head's table is a part of the embedding.
  StoredIn stored_in(int first, std::size_t layer) const;

  std::int64_t input_width() const { return shape_.layers.front()->input_width(); }
  std::int64_t output_width() const { return shape_.layers.back()->output_width(); }
  bool first() const { return shape_.first; }  ///< of the model
  bool last() const { return shape_.loss != nullptr; }

  /// Captures passes after begin_recording and replays them (captured_passes.hpp), in `inside`.
  void record_passes(std::shared_ptr<tensor::DeviceMemory> inside) {
    passes_ = std::make_unique<CapturedPasses>(std::move(inside), memory_);
  }
  /// Keeps tensors of some layers on the device's host from a forward to its backward. Passes are not captured then.
  void offload(std::unique_ptr<OffloadedTensors> tensors) { offloaded_ = std::move(tensors); }
  /// Returns null if passes are not captured.
  CapturedPasses* recorded_passes() { return passes_.get(); }

  /// Runs the forward with the weights of `version`, which is the latest or a stored one. Returns the stage's output.
  /// On the last stage, which takes `targets` and adds up the loss, it is empty.
  tensor::Tensor forward(int micro_batch, tensor::Tensor input, tensor::Tensor targets, int version);
  /// Returns true if backward reruns forwards, and recompute() does nothing.
  bool reruns_in_backward() const { return shape_.by_block && !shape_.recompute.empty(); }
  /// Recomputes the tensors that forward did not save.
  void recompute(int micro_batch);
  /// The times of the forwards that a backward reruns; a captured pass has none.
  using RerunTimes = std::vector<std::pair<tensor::Completion, tensor::Completion>>;
  /// Returns the input's gradient (empty on the first stage). If `weights_too`, it also computes the weights';
  /// otherwise backward_weight follows later. `gradient` is the output's; empty on the last stage. `done` is called for
  /// each layer when its weight gradient includes this micro-batch, last layer first.
  using LayerDone = std::function<void(std::size_t layer)>;
  tensor::Tensor backward(int micro_batch, tensor::Tensor gradient, bool weights_too, const LayerDone& done = {},
                          RerunTimes* reruns = nullptr);
  void backward_weight(int micro_batch, const LayerDone& done = {});

  int version() const { return version_; }
  /// Returns the weights for the optimizer to change, which become the latest version. Micro-batches in flight retain
  /// theirs. With `keep`, later micro-batches use the present weights, too: the new ones begin as a copy. Otherwise
  /// they are changed in place.
  tensor::Tensor& advance_version(bool keep);
  void drop_versions_before(int version);

  std::span<const std::unique_ptr<layers::LayerKernel>> kernels() const { return shape_.layers; }
  const std::shared_ptr<const layers::LossKernel>& loss() const { return shape_.loss; }  ///< null before the last stage
  /// Returns the older versions by number, which is below that of the latest.
  const std::map<int, std::shared_ptr<tensor::Tensor>>& stashed_versions() const { return kept_; }
  /// Returns an older version to fill, in a run that resumes from a checkpoint.
  tensor::Tensor& older_version(int version);

  /// Returns the weights and gradients that the device has between passes: whole layers, or its pieces of them.
  tensor::Tensor& parameters() {
    if (copy_) copy_->weights_changed();  // by the caller
    return *parameters_;
  }
  const tensor::Tensor& parameters() const { return *parameters_; }
  tensor::Tensor& gradients() { return gradients_; }
  void scale_gradients(float factor);
  std::size_t layers() const { return shape_.layers.size(); }
  /// Returns the whole gradients of layers [first, last), which are not sharded.
  std::span<float> gradients_of(std::size_t first, std::size_t last);
  const StateExchange& exchange() const { return *exchange_; }
  const ShardedStates& sharded() const { return sharded_; }
  FrozenParameters* frozen() const { return frozen_.get(); }  ///< null: all weights are trained

  // The reduction and update of a step, where states are divided. All members of the groups call them.
  using ReduceTimes = std::vector<std::pair<tensor::Completion, tensor::Completion>>;
  /// Sums the gradients that passes did not sum. Returns when reductions were active since the last call.
  ReduceTimes reduce_gradients();
  /// Sums the gradients of a table that the other end of the model shares, after all passes of both ends.
  ReduceTimes reduce_table();
  bool has_table() const;  ///< that the other end shares
  /// Sums the gradients of a bucket of layers, which are whole, but that table.
  StateExchange::Async reduce_bucket(const GradientBucket& bucket, const tensor::Completion& ready);
  /// Updates all weights, which become the latest version, as advance_version().
  void update(tensor::OptimizerState& optimizer, bool keep);
  /// Updates the parts of the weights whose optimizer states the device has, and gathers them from the others.
  void update_pieces(tensor::OptimizerState& optimizer);

  /// Returns the weights of a unit of a layer on this device: the range of them is own_range(unit).
  std::span<const float> own_weights(std::size_t layer, std::size_t unit) const;
  ParameterRange own_range(std::size_t unit) const;
  /// Returns the position of the range in parameters().
  std::int64_t own_offset(std::size_t layer, std::size_t unit) const;
  /// Adds the parameters that the device has of every layer, if it is the first of the devices that have them. The
  /// first layer is layer `first` of the model.
  void add_parameters(int first, std::vector<LayerParameters>& to) const;
  /// Returns the loss of the latest forward, summed over samples and positions.
  layers::LossSum release_loss() { return std::move(loss_); }

 private:
  struct MicroBatch {
    int number = 0;
    std::shared_ptr<const tensor::Tensor> weights;  ///< until the input's gradient is computed
    PassTensors tensors;  ///< logits as the loss's forward left them; targets if it is recomputed
  };
  /// Returns the module of this device that has a layer's weights, and their layer there.
  std::pair<StageModule&, std::size_t> owner_of(std::size_t layer) {
    if (borrows(layer)) return {*owner_, 0};
    return {*this, layer};
  }
  bool is_head(std::size_t layer) const { return shape_.table != nullptr && layer + 1 == layers(); }
  void balance(std::size_t layer, ParameterRange range, std::span<float> weights, std::span<float> excess) const;
  void note_balanced(tensor::OptimizerState& optimizer, std::size_t layer, ParameterRange range, std::int64_t at) const;
  void fill_weights(std::size_t layer, const std::function<void(std::span<float>)>& fill);
  std::span<float> part(tensor::Tensor& of, std::size_t layer) const;
  std::span<const float> part(const tensor::Tensor& of, std::size_t layer) const;
  /// The layer that uses its weights after this one begins to gather them.
  tensor::Tensor run_forward(MicroBatch& kept, std::size_t layer, std::size_t end, tensor::Tensor input);
  /// Also points the layer's saved tensors to its frozen weights.
  std::span<const float> acquire_weights(MicroBatch& kept, std::size_t layer);
  void send_to_host(MicroBatch& kept, std::size_t layer);
  void fetch_from_host(MicroBatch& kept, std::size_t layer);
  void prefetch_weights(const MicroBatch& kept, std::size_t layer);
  void release_weights(std::size_t layer, int times = 1);
  bool keeps_weights_for_backward() const {
    return sharded_.weights && exchange_->seat().sharding.reshard == Reshard::after_backward;
  }
  void add_weight_gradient(std::size_t layer, layers::SavedTensors& saved);
  std::span<float> own_piece(tensor::Tensor& of, bool pieces, std::size_t layer, std::size_t unit) const;
  template <class Work>
  void for_each_unit(std::size_t layer, const Work& work) const {
    const auto [first, last] = exchange_->pieces().units(layer);
    for (std::size_t unit = first; unit < last; ++unit) work(unit);
  }
  void refresh_copy();
  void run(PassKind kind, MicroBatch& of, const LayerDone& done, const std::function<void()>& work);
  // Passes over a micro-batch's tensors.
  void run_layers_forward(MicroBatch& kept);
  void rerun_forward(MicroBatch& kept, const plan::RecomputedSegment& segment);
  void run_layers_backward(MicroBatch& kept, bool weights_too, const LayerDone& done, RerunTimes* reruns);
  bool reruns_loss() const {
    return !shape_.recompute.empty() && static_cast<std::size_t>(shape_.recompute.back().last) == layers();
  }

  StageShape shape_;
  std::shared_ptr<const StateExchange> exchange_;
  ShardedStates sharded_;
  std::shared_ptr<FrozenParameters> frozen_;
  StageModule* owner_ = nullptr;  ///< of the table that the head borrows
  std::shared_ptr<tensor::DeviceMemory> memory_;
  std::shared_ptr<tensor::Tensor> parameters_;
  std::unique_ptr<tensor::WeightCopy> copy_;  ///< of parameters_; null: passes take the weights themselves
  bool may_copy_;                             ///< false: weights are gathered, or have several versions
  tensor::Tensor gradients_;
  int version_ = 0;
  std::map<int, std::shared_ptr<tensor::Tensor>> kept_;  ///< older versions that later micro-batches will use
  std::map<int, MicroBatch> micro_batches_;
  layers::LossSum loss_;
  std::unique_ptr<CapturedPasses> passes_;
  std::unique_ptr<OffloadedTensors> offloaded_;  ///< null: all tensors stay on the device
};

}  // namespace pipedeck::runtime::exec
