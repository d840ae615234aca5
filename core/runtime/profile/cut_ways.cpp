// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/cut_ways.hpp"

#include <algorithm>
#include <memory>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/sharding.hpp"
#include "core/runtime/profile/chain_timer.hpp"
#include "core/runtime/transport/profiling_collectives.hpp"

namespace pipedeck::runtime::profile {
namespace {

Bytes bytes_of_parameters(const layers::LayerKernel& kernel) {
  return Bytes(kernel.parameters() * static_cast<std::int64_t>(sizeof(float)));
}

/// Returns the intercept of the straight line through both needs, rounded up. A need is the maximum of several lines,
/// and so between the two measured sizes not above that line.
Bytes fixed_bytes(Bytes of_one, Bytes of_all, int samples) {
  const std::int64_t rest = of_one.count * samples - of_all.count;
  return std::clamp(Bytes((rest + samples - 2) / (samples - 1)), Bytes(), of_all);
}

/// A meter for the layers of one model, sharded over one degree.
class ShardingMemoryMeter {
 public:
  ShardingMemoryMeter(const ModelSpec& model, const exec::ModelParts& parts, int degree, int micro_batch,
                      const layers::Backend& backend, const std::shared_ptr<tensor::ComputeDevice>& device)
      : model_(model), parts_(parts), degree_(degree), micro_batch_(micro_batch), backend_(backend), device_(device) {}

  Result<ShardingCost> measure(int layer, const layers::ShardingOption& way) const {
    std::vector<std::unique_ptr<layers::LayerKernel>> alone;
    const auto group = std::make_shared<transport::SingleRankCollective>(0, degree_, device_);
    const layers::TensorParallelGroup partners({0, degree_, {}}, group);
    TRY(auto made, layers::make_sharded_layer(model_.layers[static_cast<std::size_t>(layer)], backend_.kernels,
                                              {partners, way.choice}));
    alone.push_back(std::move(made));
    const ChainEnds ends{layer == 0, layer + 1 == layers::plannable_layers(model_)};
    const layers::SoftmaxCrossEntropy loss =
        ends.last && way.step.to == TensorLayout::column_sharded ? parts_.loss.over(partners) : parts_.loss;
    const auto pass = [&](int samples) {
      LayerTimer timer(alone, loss, *parts_.source, model_.seed, samples, group.get(), ends,
                       {std::make_shared<tensor::DeviceMemory>(device_), backend_.loss(loss)});
      // The workspace of libraries belongs to the device and grows on first use.
      if (!device_->on_host()) timer.warm_up();
      timer.run_once();
      return timer.seen().front();
    };
    const LayerSamples seen = pass(micro_batch_);
    const layers::LayerKernel& whole = *parts_.layers[static_cast<std::size_t>(layer)];
    ShardingCost measured{way.step,
                          replicated_bytes(bytes_of_parameters(whole), bytes_of_parameters(*alone.front()), degree_),
                          seen.saved, std::max(seen.memory.forward, seen.memory.backward), seen.memory};
    if (micro_batch_ > 1) add_fixed_bytes(measured.memory, pass(1).memory, micro_batch_);
    return measured;
  }

 private:
  const ModelSpec& model_;
  const exec::ModelParts& parts_;
  int degree_, micro_batch_;
  const layers::Backend& backend_;
  const std::shared_ptr<tensor::ComputeDevice>& device_;
};

}  // namespace

Bytes replicated_bytes(Bytes all, Bytes own, int degree) {
  const std::int64_t beyond = own.count * degree - all.count;
  return std::clamp(Bytes((beyond + degree - 2) / (degree - 1)), Bytes(), all);
}

void add_fixed_bytes(LayerMemory& memory, const LayerMemory& of_one, int samples) {
  // Repacked weights have the same size for one sample, which frees less before they are made: its peak can be higher.
  memory.forward = std::max(memory.forward, of_one.forward);
  memory.backward = std::max(memory.backward, of_one.backward);
  memory.forward_fixed = fixed_bytes(of_one.forward, memory.forward, samples);
  memory.backward_fixed = fixed_bytes(of_one.backward, memory.backward, samples);
}

Result<std::vector<std::vector<ShardingCost>>> measure_sharding_memory(
    const ModelSpec& model, const exec::ModelParts& parts, int degree, int micro_batch, const layers::Backend& backend,
    const std::shared_ptr<tensor::ComputeDevice>& device) {
  TRY(const auto all, layers::sharding_ways(model, layers::plannable_layers(model), backend.kernels, degree));
  const ShardingMemoryMeter meter(model, parts, degree, micro_batch, backend, device);
  std::vector<std::vector<ShardingCost>> measured(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const layers::ShardingOption& way : all[i].ways) {
      TRY(auto one, meter.measure(static_cast<int>(i), way));
      measured[i].push_back(std::move(one));
    }
  return measured;
}

}  // namespace pipedeck::runtime::profile
