// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/train/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/one_core.hpp"
#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/exec/model_parts.hpp"
#include "core/runtime/layers/adapters.hpp"

namespace pipedeck::runtime::train {
namespace {

class Evaluator {
 public:
  Evaluator(const std::vector<std::unique_ptr<layers::LayerKernel>>& layers, const layers::SoftmaxCrossEntropy& loss,
            const data::SampleSource& source, const Weights& parameters)
      : layers_(layers), loss_(loss), source_(source), parameters_(parameters) {}

  void add(std::uint64_t first, int count) {
    tensor::Tensor value = samples(first, count, false);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      layers::SavedTensors dropped;
      value = layers_[i]->forward(std::move(value), weights(i), dropped);
    }
    const tensor::Tensor targets = samples(first, count, true);
    right_ += right(value, targets);
    loss_sum_ += cpu::cross_entropy(loss_, value, targets);
    done_ += static_cast<std::uint64_t>(count);
  }

  ModelScore result() const {
    const double positions = static_cast<double>(done_) * static_cast<double>(loss_.sequence());
    // The sign of a NaN means nothing.
    const double loss = std::isnan(loss_sum_) ? std::numeric_limits<double>::quiet_NaN() : loss_sum_ / positions;
    return {done_, loss, static_cast<double>(right_) / positions};
  }

 private:
  /// Returns a layer's weights. A head that shares the embedding's table has none of its own.
  std::span<const float> weights(std::size_t layer) const {
    const std::int64_t table = layer > 0 ? layers_[layer]->table_parameters() : 0;
    if (table == 0) return parameters_[layer];
    return std::span(parameters_.front()).first(static_cast<std::size_t>(table));
  }
  tensor::Tensor samples(std::uint64_t first, int count, bool targets) const {
    tensor::Tensor values(memory_, count, targets ? loss_.sequence() : layers_.front()->input_width());
    const auto width = static_cast<std::size_t>(values.width());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const auto sample = values.values().subspan(i * width, width);
      targets ? source_.target(first + i, sample) : source_.input(first + i, sample);
    }
    return values;
  }

  std::int64_t right(const tensor::Tensor& logits, const tensor::Tensor& targets) const {
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < targets.size(); ++row) {
      const float* begin = logits.data() + row * loss_.classes();
      const auto largest = std::max_element(begin, begin + loss_.classes()) - begin;
      if (largest == static_cast<std::int64_t>(targets.data()[row])) ++count;
    }
    return count;
  }

  const std::vector<std::unique_ptr<layers::LayerKernel>>& layers_;
  const layers::SoftmaxCrossEntropy& loss_;
  const data::SampleSource& source_;
  const Weights& parameters_;
  std::shared_ptr<tensor::DeviceMemory> memory_ = std::make_shared<tensor::DeviceMemory>();
  std::uint64_t done_ = 0;
  std::int64_t right_ = 0;
  double loss_sum_ = 0;
};

}  // namespace

Result<Weights> merged_weights(const ModelSpec& model, const TrainedParameters& trained) {
  if (trained.frozen.empty()) return trained.layers;
  TRY(const auto layers, layers::make_layers(model, cpu::cpu_kernel_registry()));
  Weights merged = trained.frozen;
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i]->merge(trained.layers[i], merged[i]);
  return merged;
}

Result<ModelScore> evaluate_on_cpu(const ModelSpec& model, const TrainedParameters& parameters, int batch,
                                   std::uint64_t most, std::stop_token stop) {
  TRY(const auto weights, merged_weights(model, parameters));
  TRY(const auto parts, exec::make_parts(layers::without_adapters(model), cpu::cpu_kernel_registry()));
  const std::uint64_t count = parts.source->count() > 0 ? parts.source->count() : most;
  Evaluator evaluator(parts.layers, parts.loss, *parts.source, weights);
  cpu::run_on_worker_thread([&] {
    for (std::uint64_t first = 0; first < count && !stop.stop_requested(); first += static_cast<std::uint64_t>(batch))
      evaluator.add(first, static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(batch), count - first)));
  });
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the evaluation was stopped");
  return evaluator.result();
}

}  // namespace pipedeck::runtime::train
