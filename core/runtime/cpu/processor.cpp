// SPDX-License-Identifier: Apache-2.0
// The CPU device: every function works synchronously on the calling thread.
#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/tensor/device.hpp"
#include "core/runtime/tensor/update_rules.hpp"

namespace pipedeck::runtime::cpu {
namespace {

constexpr std::align_val_t alignment{64};  // a cache line, and the widest vector register

class Processor : public tensor::ComputeDevice {
 public:
  bool on_host() const override { return true; }
  bool reaches(const tensor::ComputeDevice& other) const override { return other.on_host(); }

  float* allocate(std::int64_t floats) override {
    return static_cast<float*>(::operator new(static_cast<std::size_t>(floats) * sizeof(float), alignment));
  }
  void deallocate(float* block) noexcept override { ::operator delete(block, alignment); }

  void zero(std::span<float> values) override { std::ranges::fill(values, 0.0f); }
  void copy(float* to, const float* from, std::int64_t count) override { std::copy_n(from, count, to); }
  void copy_rows(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride, std::int64_t rows,
                 std::int64_t columns) override {
    for (std::int64_t row = 0; row < rows; ++row) std::copy_n(from + row * from_stride, columns, to + row * to_stride);
  }
  void scale(std::span<float> values, float factor) override {
    cpu::scale(values.data(), factor, static_cast<std::int64_t>(values.size()));
  }
  void add(float* to, const float* from, std::int64_t count) override { cpu::add(to, from, count); }
  void largest(float* to, const float* from, std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) to[i] = std::max(to[i], from[i]);
  }
  void balance(float* biases, float* excess, float rate, std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) {
      if (excess[i] != 0) biases[i] -= std::copysign(rate, excess[i]);
      excess[i] = 0;
    }
  }
  void update(const tensor::UpdateRule& rule, const tensor::UpdatedValues& v) override {
    tensor::update_on_host(rule, v);
  }

  bool all_finite(std::span<const float> values) override {
    return runtime::cpu::all_finite(values.data(), static_cast<std::int64_t>(values.size()));
  }

  void upload(std::span<float> to, const std::function<void(std::span<float>)>& write) override { write(to); }
  void download(std::span<float> to, const float* from) override { std::copy_n(from, to.size(), to.begin()); }

  tensor::Completion now() override { return tensor::RunClock::now(); }
  void wait(const tensor::Completion&) override {}
  void synchronise() override {}
};

/// A processor whose memory another device reads and writes by itself.
class PinnedProcessor final : public Processor {
 public:
  explicit PinnedProcessor(std::shared_ptr<tensor::ComputeDevice> device) : device_(std::move(device)) {}
  float* allocate(std::int64_t floats) override { return device_->host_link()->allocate(floats); }
  void deallocate(float* block) noexcept override { device_->host_link()->deallocate(block); }

 private:
  std::shared_ptr<tensor::ComputeDevice> device_;
};

}  // namespace

}  // namespace pipedeck::runtime::cpu

namespace pipedeck::runtime {

std::shared_ptr<tensor::ComputeDevice> tensor::cpu_device() {
  static const auto the_one = std::make_shared<cpu::Processor>();
  return the_one;
}

std::shared_ptr<tensor::ComputeDevice> tensor::pinned_host(std::shared_ptr<ComputeDevice> device) {
  return std::make_shared<cpu::PinnedProcessor>(std::move(device));
}

}  // namespace pipedeck::runtime
