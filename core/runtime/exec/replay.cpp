// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/replay.hpp"

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

namespace pipedeck::runtime::exec {
namespace {

constexpr const char* replay_kind = "replay";

/// Returns the CPU time of this thread: on shared cores passes take longer, as real ones would.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// A pass that keeps the core busy for its time, including allocations and writes.
class Pass {
 public:
  explicit Pass(Seconds time) : end_(processor_seconds() + time.count) {}
  void finish() const {
    while (processor_seconds() < end_) {
    }
  }

 private:
  double end_;
};

std::int64_t floats_a_sample(Bytes bytes, int samples) {
  const std::int64_t whole = static_cast<std::int64_t>(sizeof(float)) * samples;
  return (bytes.count + whole - 1) / whole;
}

class ReplayKernel : public layers::LayerKernel {
 public:
  ReplayKernel(const ReplayLayer& layer, std::int64_t input, std::int64_t output, int samples)
      : layers::LayerKernel(input, output, floats_a_sample(layer.parameters, 1)),
        saved_(floats_a_sample(layer.saved, samples)),
        workspace_(floats_a_sample(layer.workspace, samples)),
        times_(layer.times) {}

  void initialise(std::span<float> parameters, Random) const override {
    std::fill(parameters.begin(), parameters.end(), 0.0f);
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float>, layers::SavedTensors& saved) const override {
    const int samples = input.samples();
    const Pass pass(times_(samples).forward);
    const auto memory = input.memory();
    const tensor::Tensor scratch = room(memory, samples, workspace_);
    // The saved tensors are the input, whole or truncated to the saved size, and the remaining saved bytes.
    const std::int64_t beside = saved_ - input_width();
    if (beside < 0) input = tensor::Tensor::zeros(memory, samples, std::max<std::int64_t>(saved_, 1));
    saved.tensors.push_back(std::move(input));
    if (beside > 0) saved.tensors.push_back(tensor::Tensor::zeros(memory, samples, beside));
    tensor::Tensor output = tensor::Tensor::zeros(memory, samples, output_width());
    pass.finish();
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor gradient, std::span<const float>, layers::SavedTensors&,
                                bool wanted) const override {
    const int samples = gradient.samples();
    const Pass pass(times_(samples).backward_input);
    const auto memory = gradient.memory();
    const tensor::Tensor scratch = room(memory, samples, workspace_);
    gradient.release();
    tensor::Tensor result = wanted ? tensor::Tensor::zeros(memory, samples, input_width()) : tensor::Tensor();
    pass.finish();
    return result;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float>) const override {
    const int samples = saved.tensors.front().samples();
    const Pass pass(times_(samples).backward_weight);
    const tensor::Tensor scratch = room(saved.tensors.front().memory(), samples, workspace_);
    pass.finish();
    saved.tensors.clear();
  }

 private:
  static tensor::Tensor room(const std::shared_ptr<tensor::DeviceMemory>& memory, int samples, std::int64_t floats) {
    return floats > 0 ? tensor::Tensor(memory, samples, floats) : tensor::Tensor();
  }

  std::int64_t saved_, workspace_;
  std::function<ReplayTimes(int)> times_;
};

}  // namespace

ReplayModel make_replay(const std::string& name, std::vector<ReplayLayer> layers, int samples) {
  ensure(!layers.empty() && samples > 0, "a replay has layers and samples");
  const auto kept = std::make_shared<const std::vector<ReplayLayer>>(std::move(layers));
  ReplayModel replay;
  replay.model.name = name;
  replay.model.data.kind = "zeros";
  for (std::size_t i = 0; i < kept->size(); ++i)
    replay.model.layers.push_back({(*kept)[i].name, replay_kind, {{"position", static_cast<std::int64_t>(i)}}});
  replay.model.layers.push_back({"loss", "softmax_cross_entropy", {{"classes", 2}, {"sequence", 1}}});
  replay.kernels.layers[replay_kind] =
      [kept, samples](const ModelLayer& layer) -> Result<std::unique_ptr<layers::LayerKernel>> {
    const auto position = static_cast<std::size_t>(layer.size("position"));
    // A profile has no model input, and only the loss takes the last output: two classes.
    const auto output_of = [&](std::size_t i) {
      return i + 1 == kept->size() ? 2 : std::max<std::int64_t>(1, floats_a_sample((*kept)[i].output, samples));
    };
    const std::int64_t input = position == 0 ? 1 : output_of(position - 1);
    return std::make_unique<ReplayKernel>((*kept)[position], input, output_of(position), samples);
  };
  return replay;
}

}  // namespace pipedeck::runtime::exec
