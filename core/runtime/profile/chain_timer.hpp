// SPDX-License-Identifier: Apache-2.0
// Times and bytes of a model's layers, one by one, in the chain that one device would run.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/domain/profile.hpp"
#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/data_source.hpp"
#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/loss_kernel.hpp"
#include "core/runtime/transport/counted_collective.hpp"

namespace pipedeck {

/// What was seen of one layer at one micro-batch size.
struct LayerSamples {
  std::vector<double> forward, backward_input, backward_weight;  ///< s, one a repetition, without `moving`
  Bytes output, saved;
  LayerMemory memory;
  CountedCollective::Taken forward_all_reduced, backward_all_reduced;  ///< where the layers are one rank's parts
};

/// Where the chain begins and ends: with the model's samples, or amid its layers; with its loss, or before more of
/// them.
struct ChainEnds {
  bool first = true, last = true;
};

/// What the chain runs on: the processor, where nothing else is said.
struct ChainDevice {
  std::shared_ptr<DeviceMemory> memory = std::make_shared<DeviceMemory>();
  std::shared_ptr<const LossKernel> loss = nullptr;  ///< of that device; null: the processor's
  bool records = false;  ///< passes are recorded where the device can, as in a run that records its own
};

/// The whole chain forward and backward, as a device that holds all of it would run it: so every layer finds the caches
/// as it does in training. The first layer's forward makes the samples, the last one's their targets and the loss, as
/// the workers' do; amid the model they take zeros. On a device that has a queue all of it is queued, and times are
/// those between marks in the queue. Where passes are recorded, each layer's are one launch, so that the queue is not
/// kept waiting by whoever fills it. What it is given must outlive it.
class ChainTimer {
 public:
  ChainTimer(const std::vector<std::unique_ptr<LayerKernel>>& layers, const SoftmaxCrossEntropy& loss,
             const SampleSource& source, std::uint64_t seed, int samples, CountedCollective* group = nullptr,
             ChainEnds ends = {}, ChainDevice device = {});

  /// Not counted: caches, memory and oneDNN's code have yet to be made.
  void warm_up();
  void run_once();
  const std::vector<LayerSamples>& seen() const { return seen_; }
  /// Whether the last one did what was recorded; and why not, where that was tried.
  bool recorded() const { return !passes_.empty(); }
  const std::string& why_not_recorded() const { return why_not_recorded_; }

 private:
  /// What a device did from one moment to another.
  struct Span {
    Moment begin, end;
    double seconds() const { return std::chrono::duration<double>(end.time() - begin.time()).count(); }
  };
  struct LayerSpans {
    Span forward, backward_input, backward_weight;
  };
  struct Pass {
    Span* time;
    std::unique_ptr<RecordedWork> work;
  };
  template <class Work>
  Span timed(const Work& work);
  template <class Work>
  void pass(Span& time, const Work& work);
  void run_chain();
  void record_chain();
  bool launch_passes();
  void give_up_recording(const char* why);
  void take_times();
  void write_samples(std::span<float> to, bool targets) const;
  Tensor samples(bool targets) const;
  bool ends_with_loss(std::size_t layer) const { return ends_.last && layer + 1 == layers_.size(); }
  CountedCollective::Taken all_reduced() const;
  void take_moved();
  Tensor forward(std::size_t layer, Tensor value, const Tensor& targets, Saved& saved);
  Tensor backward(std::size_t layer, Tensor value, Saved& saved);

  const std::vector<std::unique_ptr<LayerKernel>>& layers_;
  std::int64_t positions_;  ///< of a sample, that the loss looks at
  const SampleSource& source_;
  int samples_;
  CountedCollective* group_;  ///< of the rank's parts; none of whole layers
  ChainEnds ends_;
  std::shared_ptr<DeviceMemory> memory_;
  std::shared_ptr<const LossKernel> loss_kernel_;
  std::vector<Tensor> parameters_, gradients_;
  Span making_input_, making_targets_;  ///< of the repetition at hand, as the next
  std::vector<LayerSpans> spans_;
  bool records_, warm_ = false, recording_ = false;
  std::string why_not_recorded_;
  std::span<float> input_, targets_;  ///< where recorded passes find them, in blocks that are at hand
  std::vector<Pass> passes_;          ///< in the chain's order; none: nothing is recorded
  std::vector<LayerSamples> seen_;
};

}  // namespace pipedeck
