// SPDX-License-Identifier: Apache-2.0
// Devices whose memory the host can't touch: addresses are the host's moved to where nothing is, so that whoever reads
// or writes a tensor past its device ends in a fault. Layers compute with the processor's kernels on copies. All
// devices of one FarWorld watch each other: work on a block that another device has written or read must have waited
// for that, as work of two queues must.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/layers/backend.hpp"

namespace pipedeck::test {

/// How far the work of each device had got.
using FarClock = std::map<std::size_t, std::uint64_t>;

class FarMark final : public runtime::tensor::StreamEvent {
 public:
  explicit FarMark(FarClock clock) : clock_(std::move(clock)) {}
  runtime::tensor::RunClock::time_point wait_until_reached() const override { return time_; }
  const FarClock& clock() const { return clock_; }

 private:
  FarClock clock_;
  runtime::tensor::RunClock::time_point time_ = runtime::tensor::RunClock::now();
};

/// Where the blocks of all devices are, and who used them last.
class FarWorld {
 public:
  void add(const float* block, std::int64_t floats) {
    const std::lock_guard lock(mutex_);
    blocks_[block] = {floats, {}};
  }
  void remove(const float* block) {
    const std::lock_guard lock(mutex_);
    blocks_.erase(block);
  }

  /// Work of `device`, which knows of the others' up to `known`.
  void use(const float* from, std::int64_t floats, std::size_t device, const FarClock& known, bool writes) {
    if (floats == 0) return;
    const std::lock_guard lock(mutex_);
    auto found = blocks_.upper_bound(from);
    if (found == blocks_.begin() || (--found)->first + found->second.floats < from + floats)
      throw std::logic_error("work on what is no block of a device's memory");
    const Use now{from, from + floats, device, known.at(device), writes};
    auto& uses = found->second.uses;
    for (const Use& before : uses)
      if (before.meets(now) && !known_by(known, before))
        throw std::logic_error(fmt::format("device {} did not wait for another's work on a block", device));
    std::erase_if(uses, [&](const Use& before) {
      return before.first >= now.first && before.last <= now.last &&
             (now.writes || (!before.writes && before.device == now.device));
    });
    uses.push_back(now);
  }

 private:
  struct Use {
    const float *first, *last;
    std::size_t device;
    std::uint64_t time;  ///< of the device
    bool writes;
    bool meets(const Use& other) const {
      return (writes || other.writes) && device != other.device && first < other.last && other.first < last;
    }
  };
  static bool known_by(const FarClock& clock, const Use& use) {
    const auto found = clock.find(use.device);
    return found != clock.end() && found->second >= use.time;
  }
  struct Block {
    std::int64_t floats = 0;
    std::vector<Use> uses;  ///< those that later ones did not cover
  };
  std::mutex mutex_;
  std::map<const float*, Block> blocks_;
};

class FarDevice final : public runtime::tensor::ComputeDevice {
 public:
  /// One that does not `reach` works only on its own memory, copies aside.
  FarDevice(std::shared_ptr<FarWorld> world, std::size_t number, bool reaches = true)
      : world_(std::move(world)), number_(number), reaches_(reaches), clock_{{number, 0}} {}

  bool on_host() const override { return false; }
  bool reaches(const runtime::tensor::ComputeDevice& other) const override { return reaches_ || &other == this; }

  float* allocate(std::int64_t floats) override {
    float* block = far(runtime::tensor::cpu_device()->allocate(floats));
    world_->add(block, floats);
    return block;
  }
  void deallocate(float* block) noexcept override {
    world_->remove(block);
    runtime::tensor::cpu_device()->deallocate(near(block));
  }

  void zero(std::span<float> values) override { std::ranges::fill(written(values), 0.0f); }
  void copy(float* to, const float* from, std::int64_t count) override {
    runtime::tensor::cpu_device()->copy(write(to, count), read(from, count), count);
  }
  void copy_rows(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride, std::int64_t rows,
                 std::int64_t columns) override {
    for (std::int64_t row = 0; row < rows; ++row) copy(to + row * to_stride, from + row * from_stride, columns);
  }
  void scale(std::span<float> values, float factor) override {
    runtime::tensor::cpu_device()->scale(written(values), factor);
  }
  void add(float* to, const float* from, std::int64_t count) override {
    runtime::tensor::cpu_device()->add(write(to, count), read(from, count), count);
  }
  void largest(float* to, const float* from, std::int64_t count) override {
    runtime::tensor::cpu_device()->largest(write(to, count), read(from, count), count);
  }
  void balance(float* biases, float* excess, float rate, std::int64_t count) override {
    runtime::tensor::cpu_device()->balance(write(biases, count), write(excess, count), rate, count);
  }
  void update(const runtime::tensor::UpdateRule& rule, const runtime::tensor::UpdatedValues& v) override {
    const auto own = [&](float* values) { return values ? write(values, v.count) : nullptr; };
    runtime::tensor::cpu_device()->update(rule,
                                          {own(v.weights), own(v.gradients), own(v.first), own(v.second), v.count});
  }

  bool all_finite(std::span<const float> values) override {
    const auto count = static_cast<std::int64_t>(values.size());
    return runtime::tensor::cpu_device()->all_finite({read(values.data(), count), values.size()});
  }

  void upload(std::span<float> to, const std::function<void(std::span<float>)>& write) override { write(written(to)); }
  void download(std::span<float> to, const float* from) override {
    const auto count = static_cast<std::int64_t>(to.size());
    std::copy_n(read(from, count), count, to.begin());
  }

  runtime::tensor::Completion now() override {
    const std::lock_guard lock(mutex_);
    return runtime::tensor::Completion(std::make_shared<FarMark>(clock_));
  }
  void wait(const runtime::tensor::Completion& moment) override {
    if (!moment.event()) return;
    const std::lock_guard lock(mutex_);
    for (const auto& [device, time] : dynamic_cast<const FarMark&>(*moment.event()).clock())
      clock_[device] = std::max(clock_[device], time);
  }
  void synchronise() override {}

 private:
  static constexpr std::uintptr_t away = std::uintptr_t{1} << 62;  // no address that a processor takes
  static float* far(float* block) { return reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(block) + away); }
  static float* near(const float* block) {
    return reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(block) - away);
  }
  float* used(const float* values, std::int64_t count, bool writes) {
    const std::lock_guard lock(mutex_);
    ++clock_[number_];
    world_->use(values, count, number_, clock_, writes);
    return near(values);
  }
  float* write(float* values, std::int64_t count) { return used(values, count, true); }
  const float* read(const float* values, std::int64_t count) { return used(values, count, false); }
  std::span<float> written(std::span<float> values) {
    return {write(values.data(), static_cast<std::int64_t>(values.size())), values.size()};
  }

  std::shared_ptr<FarWorld> world_;
  std::size_t number_;
  bool reaches_;
  std::mutex mutex_;
  FarClock clock_;
};

inline runtime::tensor::Tensor near_of(const runtime::tensor::Tensor& tensor) {
  if (tensor.empty()) return {};
  runtime::tensor::Tensor copy(std::make_shared<runtime::tensor::DeviceMemory>(), tensor.samples(), tensor.width());
  tensor.memory()->device().download(copy.values(), tensor.data());
  return copy;
}

inline runtime::tensor::Tensor far_of(const runtime::tensor::Tensor& tensor,
                                      const std::shared_ptr<runtime::tensor::DeviceMemory>& memory) {
  if (tensor.empty()) return {};
  runtime::tensor::Tensor copy(memory, tensor.samples(), tensor.width());
  memory->device().upload(copy.values(), [&](std::span<float> to) { std::ranges::copy(tensor.values(), to.begin()); });
  return copy;
}

inline std::vector<float> near_of(std::span<const float> values, runtime::tensor::ComputeDevice& device) {
  std::vector<float> copy(values.size());
  if (!values.empty()) device.download(copy, values.data());
  return copy;
}

/// A layer of the processor's, computed on copies.
class FarLayer final : public runtime::layers::LayerKernel {
 public:
  explicit FarLayer(std::unique_ptr<runtime::layers::LayerKernel> layer)
      : runtime::layers::LayerKernel(layer->input_width(), layer->output_width(), layer->parameters()),
        layer_(std::move(layer)) {}

  void initialise(std::span<float> parameters, pipedeck::Random random) const override {
    layer_->initialise(parameters, random);
  }
  runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float> parameters,
                                  runtime::layers::SavedTensors& saved) const override {
    const auto memory = input.memory();
    runtime::layers::SavedTensors near;
    const runtime::tensor::Tensor output = layer_->forward(near_of(input), near_of(parameters, memory->device()), near);
    input.release();
    bring(near, memory, saved);
    return far_of(output, memory);
  }
  runtime::tensor::Tensor backward_input(runtime::tensor::Tensor output_gradient, std::span<const float> parameters,
                                         runtime::layers::SavedTensors& saved, bool wanted) const override {
    const auto memory = output_gradient.memory();
    runtime::layers::SavedTensors near = fetched(saved);
    const runtime::tensor::Tensor gradient =
        layer_->backward_input(near_of(output_gradient), near_of(parameters, memory->device()), near, wanted);
    bring(near, memory, saved);
    return far_of(gradient, memory);
  }
  void backward_weight(runtime::layers::SavedTensors& saved, std::span<float> gradients) const override {
    if (gradients.empty()) return saved.tensors.clear();
    const auto memory = saved.tensors.front().memory();
    runtime::layers::SavedTensors near = fetched(saved);
    std::vector<float> sums = near_of(gradients, memory->device());
    layer_->backward_weight(near, sums);
    memory->device().upload(gradients, [&](std::span<float> to) { std::ranges::copy(sums, to.begin()); });
    saved.tensors.clear();
  }

 private:
  static runtime::layers::SavedTensors fetched(const runtime::layers::SavedTensors& saved) {
    runtime::layers::SavedTensors near;
    for (const runtime::tensor::Tensor& tensor : saved.tensors) near.tensors.push_back(near_of(tensor));
    return near;
  }
  static void bring(const runtime::layers::SavedTensors& near,
                    const std::shared_ptr<runtime::tensor::DeviceMemory>& memory,
                    runtime::layers::SavedTensors& saved) {
    saved.tensors.clear();
    for (const runtime::tensor::Tensor& tensor : near.tensors) saved.tensors.push_back(far_of(tensor, memory));
  }

  std::unique_ptr<runtime::layers::LayerKernel> layer_;
};

class FarLoss final : public runtime::layers::LossKernel {
 public:
  explicit FarLoss(const runtime::layers::SoftmaxCrossEntropy& loss) : loss_(loss) {}
  runtime::layers::LossSum forward(runtime::tensor::Tensor& logits, const runtime::tensor::Tensor& targets, float scale,
                                   bool) const override {
    runtime::tensor::Tensor near = near_of(logits);
    const double sum = runtime::cpu::cross_entropy(loss_, near, near_of(targets));
    logits = far_of(runtime::cpu::cross_entropy_gradient(std::move(near), scale), logits.memory());
    runtime::tensor::Tensor there(logits.memory(), 1, 2);
    logits.memory()->device().upload(there.values(),
                                     [&](std::span<float> to) { std::memcpy(to.data(), &sum, sizeof sum); });
    return runtime::layers::LossSum(std::move(there));
  }

 private:
  runtime::layers::SoftmaxCrossEntropy loss_;
};

inline runtime::layers::KernelRegistry far_kernels() {
  runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
  kernels.sharded.clear();
  for (auto& [kind, factory] : kernels.layers)
    factory = [near = factory](const ModelLayer& layer) -> Result<std::unique_ptr<runtime::layers::LayerKernel>> {
      auto made = near(layer);
      if (!made) return made;
      return std::make_unique<FarLayer>(*std::move(made));
    };
  return kernels;
}

inline runtime::layers::Backend far_backend(bool reaches = true) {
  runtime::layers::Backend backend = runtime::cpu::cpu_backend(far_kernels());
  backend.name = "far";
  backend.device = [world = std::make_shared<FarWorld>(), reaches](std::size_t worker) {
    return std::make_shared<FarDevice>(world, worker, reaches);
  };
  backend.loss = [](const runtime::layers::SoftmaxCrossEntropy& loss) { return std::make_shared<FarLoss>(loss); };
  return backend;
}

}  // namespace pipedeck::test
