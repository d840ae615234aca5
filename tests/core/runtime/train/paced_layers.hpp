// SPDX-License-Identifier: Apache-2.0
// Layers that take a set time, so that the operations of a run meet as in its simulation, and the memory of its steps.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "core/model/cluster.hpp"
#include "core/model/profile.hpp"
#include "core/model/run.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::test {

/// Returns the memory of most steps.
inline Bytes usual(const std::vector<StepDone>& steps, std::size_t device) {
  std::vector<Bytes> peaks;
  for (const StepDone& step : steps) peaks.push_back(step.memory[device]);
  std::ranges::sort(peaks);
  return peaks[peaks.size() / 2];
}

inline Bytes most(const std::vector<StepDone>& steps, std::size_t device) {
  Bytes peak;
  for (const StepDone& step : steps) peak = std::max(peak, step.memory[device]);
  return peak;
}

/// Devices of this machine with links that take no time to speak of, as handing over a block does.
inline std::shared_ptr<const Cluster> cluster_of(int devices) {
  Cluster cluster;
  cluster.name = "threads";
  cluster.device_types.push_back({"CPU-core", Bytes(std::int64_t{1} << 34), 1.0, {}, {}, {}, {}});
  Node node;
  node.name = "here";
  node.devices.push_back({"CPU-core", devices});
  node.link = Link{};
  node.link->bandwidth = BytesPerSecond(1e13);
  node.link->latency = Seconds(1e-9);
  cluster.nodes.push_back(node);
  return std::make_shared<const Cluster>(std::move(cluster));
}

/// A pass of each layer, some of them longer than others so that no two devices are done at one instant.
inline Seconds pass_time(const std::string& layer) {
  return Seconds(1e-3 + 1e-4 * (std::hash<std::string>{}(layer) % 7));
}

/// A layer that takes its time asleep: how the threads of a run meet is then the schedule's doing, not that of the
/// machine's few cores and of what else runs on them.
class Paced final : public runtime::layers::LayerKernel {
 public:
  Paced(std::unique_ptr<runtime::layers::LayerKernel> layer, Seconds pass)
      : runtime::layers::LayerKernel(layer->input_width(), layer->output_width(), layer->parameters()),
        layer_(std::move(layer)),
        pass_(pass) {}
  std::int64_t replicated_parameters() const override { return layer_->replicated_parameters(); }
  std::vector<runtime::layers::ParameterBlock> blocks() const override { return layer_->blocks(); }
  std::int64_t expert_parameters() const override { return layer_->expert_parameters(); }
  void initialise(std::span<float> parameters, Random random) const override { layer_->initialise(parameters, random); }
  std::int64_t frozen_parameters() const override { return layer_->frozen_parameters(); }
  std::int64_t replicated_frozen_parameters() const override { return layer_->replicated_frozen_parameters(); }
  std::vector<runtime::layers::ParameterBlock> frozen_blocks() const override { return layer_->frozen_blocks(); }
  std::int64_t frozen_expert_parameters() const override { return layer_->frozen_expert_parameters(); }
  void initialise_frozen(std::span<float> weights, Random random) const override {
    layer_->initialise_frozen(weights, random);
  }
  runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float> parameters,
                                  runtime::layers::SavedTensors& saved) const override {
    wait();
    return layer_->forward(std::move(input), parameters, saved);
  }
  void discard(runtime::layers::SavedTensors& saved, const runtime::layers::RecomputedParts& parts) const override {
    layer_->discard(saved, parts);
  }
  void restore(runtime::layers::SavedTensors& saved, std::span<const float> parameters,
               const runtime::layers::RecomputedParts& parts) const override {
    layer_->restore(saved, parameters, parts);
  }
  runtime::tensor::Tensor backward_input(runtime::tensor::Tensor gradient, std::span<const float> parameters,
                                         runtime::layers::SavedTensors& saved, bool wanted) const override {
    wait();
    return layer_->backward_input(std::move(gradient), parameters, saved, wanted);
  }
  void backward_weight(runtime::layers::SavedTensors& saved, std::span<float> gradients) const override {
    wait();
    layer_->backward_weight(saved, gradients);
  }

 private:
  void wait() const { std::this_thread::sleep_for(std::chrono::duration<double>(pass_.count)); }
  std::unique_ptr<runtime::layers::LayerKernel> layer_;
  Seconds pass_;
};

/// Wraps what a factory of layers makes. Its first argument is the layer.
template <class Factory>
void pace(std::map<std::string, Factory>& factories, double times) {
  for (auto& [kind, factory] : factories)
    factory = [make = factory, times](const ModelLayer& layer, const auto&... more) {
      return make(layer, more...)
          .map(
              [&](std::unique_ptr<runtime::layers::LayerKernel> made) -> std::unique_ptr<runtime::layers::LayerKernel> {
                return std::make_unique<Paced>(std::move(made), pass_time(layer.name) * times);
              });
    };
}

/// Returns kernels whose passes take `times` as long as pass_time(): on a busy machine a thread wakes up late.
inline runtime::layers::KernelRegistry paced_kernels(double times) {
  runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
  pace(kernels.layers, times), pace(kernels.sharded, times), pace(kernels.context, times), pace(kernels.experts, times);
  return kernels;
}

/// Replaces measured times by those of the paced layers.
inline void set_paced_times(Profile& profile) {
  for (Layer& layer : profile.layers) {
    layer.forward = layer.backward_weight = pass_time(layer.name);
    layer.backward = layer.forward * 2;
    layer.at = {{1, layer.forward, layer.backward}};
    if (profile.micro_batch > 1) layer.at.push_back({profile.micro_batch, layer.forward, layer.backward});
    for (TensorParallelPoint& point : layer.tensor_parallel)
      point.forward = layer.forward, point.backward = layer.backward;
  }
}

}  // namespace pipedeck::test
