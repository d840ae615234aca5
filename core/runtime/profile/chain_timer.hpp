// SPDX-License-Identifier: Apache-2.0
// Times and bytes of a model's layers, one by one, in the sequence that one device would run.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/profile.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "core/runtime/exec/stage_module.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/loss_kernel.hpp"
#include "core/runtime/layers/softmax_cross_entropy.hpp"
#include "core/runtime/transport/profiling_collectives.hpp"

namespace pipedeck::runtime::profile {

/// The measurements of one layer at one micro-batch size.
struct LayerSamples {
  std::vector<double> forward, backward_input, backward_weight;  ///< s, one per repetition, without `moving`
  Bytes output, saved;
  LayerMemory memory;
  transport::CountingCollective::Taken forward_all_reduced,
      backward_all_reduced;  ///< if the layers are one rank's shards
};

/// The ends of the chain. It begins with the model's samples or between its layers, and ends with its loss or before
/// further layers.
struct ChainEnds {
  bool first = true, last = true;
};

/// A rank's part of the chain: its positions of every sample, and its pieces of sharded weights and gradients.
struct ChainRank {
  std::vector<layers::ShardRange> positions;
  std::int64_t sequence = 1;               ///< positions of a whole sample
  exec::StageModule* module = nullptr;     ///< has the chain's layers
  layers::RecomputedParts discarded = {};  ///< parts that forwards discard and backwards restore
  /// The rank's first sample, and those of a micro-batch of all ranks: each run of the chain takes the next one.
  std::uint64_t first_sample = 0, micro_batch = 0;
};

/// A device for the chain; by default the CPU.
struct ChainDevice {
  std::shared_ptr<tensor::DeviceMemory> memory = std::make_shared<tensor::DeviceMemory>();
  std::shared_ptr<const layers::LossKernel> loss = nullptr;  ///< of that device; null: the CPU's
  bool records = false;  ///< passes are captured if the device can, as in a run that captures its own
  std::optional<ChainRank> rank = {};
};

/// A timer that runs the whole chain forward and backward, as a device with all layers would. Every layer finds the
/// caches as in training. Like in a worker, the first layer's forward makes the samples, the last one's the targets and
/// the loss; a chain within the model starts from zeros. On a device with a queue everything is enqueued, and times are
/// those between marks in the queue. Captured passes launch each layer at once, so that the host does not delay the
/// queue. All constructor arguments must outlive the timer.
class LayerTimer {
 public:
  LayerTimer(std::span<const std::unique_ptr<layers::LayerKernel>> layers, const layers::SoftmaxCrossEntropy& loss,
             const data::SampleSource& source, std::uint64_t seed, int samples,
             transport::CountingCollective* group = nullptr, ChainEnds ends = {}, ChainDevice device = {});

  /// Runs once without counting: it fills caches, allocates memory and generates oneDNN's code.
  void warm_up();
  void run_once();
  const std::vector<LayerSamples>& seen() const { return seen_; }
  /// True if the last run launched captured passes. The second function returns why capturing failed, if it was tried.
  bool recorded() const { return !passes_.empty(); }
  const std::string& not_captured_reason() const { return not_captured_reason_; }

 private:
  /// A time span on a device.
  struct Span {
    tensor::Completion begin, end;
    double seconds() const { return std::chrono::duration<double>(end.time() - begin.time()).count(); }
  };
  struct LayerSpans {
    Span forward, backward_input, backward_weight;
  };
  struct Pass {
    Span* time;
    std::unique_ptr<tensor::CapturedGraph> work;
  };
  std::span<float> of_layer(tensor::Tensor& list, std::size_t layer) const;
  template <class Work>
  Span timed(const Work& work);
  template <class Work>
  void pass(Span& time, const Work& work);
  void run_chain();
  void record_chain();
  bool launch_passes();
  void abandon_capture(const char* why);
  void collect_times();
  void write_samples(std::span<float> to, bool targets) const;
  tensor::Tensor samples(bool targets) const;
  exec::GatheredWeights* gathered() const { return rank_ ? rank_->module->sharded().weights.get() : nullptr; }
  exec::ScatteredGradients* scattered() const { return rank_ ? rank_->module->sharded().gradients.get() : nullptr; }
  std::span<const float> weights(std::size_t layer, std::size_t next);
  exec::FrozenParameters* frozen() const;
  std::span<const float> frozen_weights(std::size_t layer, std::size_t next);
  void release_weights(std::size_t layer, bool forward);
  Bytes fetched_bytes(std::size_t layer) const;
  void add_weight_gradient(std::size_t layer, layers::SavedTensors& saved);
  bool ends_with_loss(std::size_t layer) const { return ends_.last && layer + 1 == layers_.size(); }
  transport::CountingCollective::Taken all_reduced() const;
  void collective_durations();
  tensor::Tensor forward(std::size_t layer, tensor::Tensor value, const tensor::Tensor& targets,
                         layers::SavedTensors& saved);
  tensor::Tensor backward(std::size_t layer, tensor::Tensor value, layers::SavedTensors& saved);

  std::span<const std::unique_ptr<layers::LayerKernel>> layers_;
  std::int64_t positions_;  ///< per sample, that the loss evaluates
  const data::SampleSource& source_;
  int samples_;
  transport::CountingCollective* group_;  ///< of a rank's shards; null for whole layers
  ChainEnds ends_;
  std::shared_ptr<tensor::DeviceMemory> memory_;
  std::shared_ptr<const layers::LossKernel> loss_kernel_;
  std::optional<ChainRank> rank_;
  std::vector<tensor::Tensor> parameters_, gradients_;
  std::vector<std::unique_ptr<tensor::WeightCopy>> copies_;  ///< of parameters_, as a run has them
  Span making_input_, making_targets_;                       ///< of the current repetition, like the next
  std::vector<LayerSpans> spans_;
  bool records_, warm_ = false, recording_ = false;
  std::uint64_t runs_ = 0;  ///< of the chain so far
  std::string not_captured_reason_;
  std::span<float> input_, targets_;  ///< input and targets of captured passes, in blocks that stay allocated
  std::vector<Pass> passes_;          ///< in the chain's order; empty: nothing is captured
  std::vector<LayerSamples> seen_;
};

}  // namespace pipedeck::runtime::profile
