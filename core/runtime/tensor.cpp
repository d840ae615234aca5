// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/tensor.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

namespace pipedeck {
namespace {

constexpr std::align_val_t alignment{64};  // a cache line, and the widest vector register

float* allocate(std::int64_t floats) {
  return static_cast<float*>(::operator new(static_cast<std::size_t>(floats) * sizeof(float), alignment));
}

void deallocate(float* block) noexcept { ::operator delete(block, alignment); }

Bytes bytes_of(std::int64_t floats) { return Bytes(floats * static_cast<std::int64_t>(sizeof(float))); }

}  // namespace

DeviceMemory::~DeviceMemory() {
  for (auto& [size, blocks] : kept_)
    for (float* block : blocks) deallocate(block);
}

float* DeviceMemory::take(std::int64_t floats, bool counted) {
  const std::lock_guard lock(mutex_);
  if (counted) check_limit(floats);
  if (counted) count(floats);
  const auto found = kept_.find(floats);
  if (found == kept_.end() || found->second.empty()) {
    ++allocations_;
    return allocate(floats);
  }
  float* block = found->second.back();
  found->second.pop_back();
  return block;
}

void DeviceMemory::give_back(float* block, std::int64_t floats, bool counted) noexcept {
  const std::lock_guard lock(mutex_);
  if (counted) used_floats_ -= floats;
  kept_[floats].push_back(block);
}

void DeviceMemory::count(std::int64_t floats) {
  used_floats_ += floats;
  peak_floats_ = std::max(peak_floats_, used_floats_);
}

void DeviceMemory::check_limit(std::int64_t floats) const {
  if (most_floats_ == 0 || used_floats_ + floats <= most_floats_) return;
  throw OutOfMemory(fmt::format("out of memory: found {} bytes in use and {} more needed, expected {} at most",
                                bytes_of(used_floats_).count, bytes_of(floats).count, bytes_of(most_floats_).count));
}

void DeviceMemory::set_limit(Bytes limit) {
  const std::lock_guard lock(mutex_);
  most_floats_ = limit.count / static_cast<std::int64_t>(sizeof(float));
}

void DeviceMemory::charge(std::int64_t floats) {
  const std::lock_guard lock(mutex_);
  count(floats);
}

void DeviceMemory::reserve(std::int64_t floats, int count) {
  const std::lock_guard lock(mutex_);
  auto& blocks = kept_[floats];
  for (int i = 0; i < count; ++i) {
    // At the front: taken last, so that pages which were used already are used again first.
    blocks.insert(blocks.begin(), allocate(floats));
    ++allocations_;
  }
}

std::int64_t DeviceMemory::allocations() const {
  const std::lock_guard lock(mutex_);
  return allocations_;
}

Bytes DeviceMemory::in_use() const {
  const std::lock_guard lock(mutex_);
  return bytes_of(used_floats_);
}

Bytes DeviceMemory::peak() const {
  const std::lock_guard lock(mutex_);
  return bytes_of(peak_floats_);
}

void DeviceMemory::restart_peak() {
  const std::lock_guard lock(mutex_);
  peak_floats_ = used_floats_;
}

Tensor::Tensor(std::shared_ptr<DeviceMemory> memory, int samples, std::int64_t width)
    : memory_(std::move(memory)), home_(memory_), samples_(samples), width_(width) {
  data_ = home_->take(size());
}

Tensor::Tensor(Tensor&& other) noexcept
    : memory_(std::move(other.memory_)),
      home_(std::move(other.home_)),
      data_(std::exchange(other.data_, nullptr)),
      samples_(std::exchange(other.samples_, 0)),
      width_(std::exchange(other.width_, 0)) {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  release();
  memory_ = std::move(other.memory_);
  home_ = std::move(other.home_);
  data_ = std::exchange(other.data_, nullptr);
  samples_ = std::exchange(other.samples_, 0);
  width_ = std::exchange(other.width_, 0);
  return *this;
}

Tensor Tensor::zeros(std::shared_ptr<DeviceMemory> memory, int samples, std::int64_t width) {
  Tensor tensor(std::move(memory), samples, width);
  std::fill_n(tensor.data_, tensor.size(), 0.0f);
  return tensor;
}

Tensor Tensor::slice(int first, int count, std::shared_ptr<DeviceMemory> memory) const {
  Tensor part(std::move(memory), count, width_);
  std::copy_n(data_ + first * width_, part.size(), part.data_);
  return part;
}

Tensor Tensor::part(int first, int count) const {
  Tensor part;
  part.home_ = home_;
  part.samples_ = count, part.width_ = width_;
  part.data_ = home_->take(part.size(), false);
  std::copy_n(data_ + first * width_, part.size(), part.data_);
  return part;
}

void Tensor::hand_over(std::shared_ptr<DeviceMemory> memory) {
  if (empty() || memory == memory_) return;
  if (memory_) memory_->charge(-size());
  memory->charge(size());
  memory_ = std::move(memory);
}

void Tensor::release() noexcept {
  if (data_ != nullptr) {
    const bool at_home = memory_ == home_;
    if (memory_ && !at_home) memory_->charge(-size());
    home_->give_back(data_, size(), at_home);
  }
  data_ = nullptr;
  memory_.reset(), home_.reset();
  samples_ = 0, width_ = 0;
}

}  // namespace pipedeck
