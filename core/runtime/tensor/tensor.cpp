// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/tensor/tensor.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::runtime::tensor {
namespace {

/// Returns when the device has finished its enqueued work. Waits if the device cannot mark it. A failed device has
/// finished.
Completion release_after(ComputeDevice& device) noexcept {
  try {
    return device.now();
  } catch (const std::exception&) {
  }
  try {
    device.synchronise();
  } catch (const std::exception&) {
  }
  return {};
}

Bytes bytes_of(std::int64_t floats) { return Bytes(floats * static_cast<std::int64_t>(sizeof(float))); }

}  // namespace

DeviceMemory::DeviceMemory(std::shared_ptr<DeviceMemory> whole) : device_(whole->device_), whole_(std::move(whole)) {
  const std::lock_guard lock(whole_->parts_mutex_);
  whole_->parts_.push_back(this);
}

DeviceMemory::~DeviceMemory() {
  if (whole_) {
    const std::lock_guard lock(whole_->parts_mutex_);
    std::erase(whole_->parts_, this);
  }
  free_kept();
}

/// Returns all cached blocks to the system.
void DeviceMemory::free_kept() {
  const std::lock_guard lock(mutex_);
  for (auto& [size, of] : blocks_) {
    for (const Block& block : of.kept) {
      try {
        if (block.done.event()) device_->wait(block.done);
      } catch (const std::exception&) {  // a failed device has no work left
      }
      device_->deallocate(block.data);
    }
    of.all -= of.kept.size();
    of.kept.clear();
  }
}

void DeviceMemory::give_back() {
  if (whole_) return whole_->give_back();
  free_kept();
  const std::lock_guard lock(parts_mutex_);
  for (DeviceMemory* part : parts_) part->free_kept();
}

/// Makes the list long enough for all blocks, so that returning one allocates no memory.
void DeviceMemory::make_room(Blocks& of) {
  if (of.kept.capacity() <= of.all) of.kept.reserve(2 * of.all + 1);
}

/// Lists of other sizes may hold the memory that the device lacks.
float* DeviceMemory::allocate(std::int64_t floats, Blocks& of, Lock& lock) {
  make_room(of);
  float* const block = [&] {
    try {
      return device_->allocate(floats);
    } catch (const OutOfMemory&) {
    } catch (const std::bad_alloc&) {
    }
    lock.unlock();
    give_back();
    lock.lock();
    make_room(of);
    return device_->allocate(floats);
  }();
  ++of.all, ++allocations_;
  return block;
}

/// The caller holds the lock.
DeviceMemory::Block DeviceMemory::allocate_any(std::int64_t floats, Lock& lock) {
  Blocks& blocks = blocks_[floats];
  if (blocks.kept.empty()) return {allocate(floats, blocks, lock), {}};
  // A part returns the lowest address, whichever block came back last, so that a repeated sequence gets the same
  // blocks.
  const auto chosen = whole_ ? std::ranges::min_element(blocks.kept, {}, &Block::data) : std::prev(blocks.kept.end());
  Block block = std::move(*chosen);
  blocks.kept.erase(chosen);
  return block;
}

float* DeviceMemory::allocate(std::int64_t floats, bool counted) {
  Lock lock(mutex_);
  if (counted) check_limit(floats);
  const Block block = allocate_any(floats, lock);
  if (counted) count(floats);
  if (taken_) taken_->push_back({block.data, floats});
  lock.unlock();
  if (block.done.event()) device_->wait(block.done);
  return block.data;
}

float* DeviceMemory::allocate_after(std::int64_t floats, Completion& free) {
  Lock lock(mutex_);
  const Block block = allocate_any(floats, lock);
  free = block.done;
  return block.data;
}

void DeviceMemory::reacquire(float* data, std::int64_t floats) {
  std::unique_lock lock(mutex_);
  check_limit(floats);
  std::vector<Block>& kept = blocks_[floats].kept;
  const auto found = std::ranges::find(kept, data, &Block::data);
  ensure(found != kept.end(), "a reused block is among the kept ones");
  const Block block = std::move(*found);
  kept.erase(found);
  count(floats);
  lock.unlock();
  if (block.done.event()) device_->wait(block.done);
}

bool DeviceMemory::available(const float* data, std::int64_t floats) const {
  const std::lock_guard lock(mutex_);
  const auto blocks = blocks_.find(floats);
  return blocks != blocks_.end() &&
         std::ranges::find(blocks->second.kept, data, &Block::data) != blocks->second.kept.end();
}

void DeviceMemory::record_allocations(std::vector<AllocatedBlock>* taken) {
  const std::lock_guard lock(mutex_);
  taken_ = taken;
}

void DeviceMemory::deallocate(float* block, std::int64_t floats, bool counted, const Completion& done) noexcept {
  const std::lock_guard lock(mutex_);
  if (counted) count(-floats);
  blocks_.find(floats)->second.kept.push_back({block, done});
}

void DeviceMemory::count(std::int64_t floats) {
  used_floats_ += floats;
  peak_floats_ = std::max(peak_floats_, used_floats_);
  if (whole_) whole_->account(floats);
}

void DeviceMemory::check_limit(std::int64_t floats) const {
  if (whole_) {
    const std::lock_guard lock(whole_->mutex_);
    return whole_->check_limit(floats);
  }
  if (max_floats_ == 0 || used_floats_ + floats <= max_floats_) return;
  throw OutOfMemory(fmt::format("out of memory: found {} bytes in use and {} more needed, expected {} at most",
                                bytes_of(used_floats_).count, bytes_of(floats).count, bytes_of(max_floats_).count));
}

void DeviceMemory::account_transient(std::int64_t floats) {
  const std::lock_guard lock(mutex_);
  check_limit(floats);
  count(floats);
  count(-floats);
}

void DeviceMemory::set_limit(Bytes limit) {
  const std::lock_guard lock(mutex_);
  max_floats_ = limit.count / static_cast<std::int64_t>(sizeof(float));
}

void DeviceMemory::account(std::int64_t floats) {
  if (whole_) return whole_->account(floats);
  const std::lock_guard lock(mutex_);
  count(floats);
}

void DeviceMemory::reserve(std::int64_t floats, int count) {
  Lock lock(mutex_);
  Blocks& blocks = blocks_[floats];
  for (int i = 0; i < count; ++i) {
    float* const block = allocate(floats, blocks, lock);
    // Added at the front, so that pages which were used already are used again first.
    blocks.kept.insert(blocks.kept.begin(), {block, {}});
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
    : memory_(std::move(memory)), owner_(memory_), samples_(samples), width_(width) {
  data_ = owner_->allocate(size());
}

Tensor::Tensor(Tensor&& other) noexcept
    : memory_(std::move(other.memory_)),
      owner_(std::move(other.owner_)),
      computed_(std::exchange(other.computed_, {})),
      data_(std::exchange(other.data_, nullptr)),
      samples_(std::exchange(other.samples_, 0)),
      width_(std::exchange(other.width_, 0)) {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  release();
  memory_ = std::move(other.memory_);
  owner_ = std::move(other.owner_);
  computed_ = std::exchange(other.computed_, {});
  data_ = std::exchange(other.data_, nullptr);
  samples_ = std::exchange(other.samples_, 0);
  width_ = std::exchange(other.width_, 0);
  return *this;
}

Tensor Tensor::in_block(std::shared_ptr<DeviceMemory> memory, float* block, int samples, std::int64_t width) {
  Tensor tensor;
  memory->reacquire(block, samples * width);
  tensor.memory_ = tensor.owner_ = std::move(memory);
  tensor.data_ = block;
  tensor.samples_ = samples, tensor.width_ = width;
  return tensor;
}

Tensor Tensor::arriving(std::shared_ptr<DeviceMemory> blocks, std::shared_ptr<DeviceMemory> memory, int samples,
                        std::int64_t width, Completion& free) {
  Tensor tensor;
  memory->account_transient(samples * width);
  tensor.data_ = blocks->allocate_after(samples * width, free);
  tensor.samples_ = samples, tensor.width_ = width;
  memory->account(tensor.size());
  tensor.owner_ = std::move(blocks), tensor.memory_ = std::move(memory);
  return tensor;
}

Tensor Tensor::zeros(std::shared_ptr<DeviceMemory> memory, int samples, std::int64_t width) {
  Tensor tensor(std::move(memory), samples, width);
  tensor.memory_->device().zero(tensor.values());
  return tensor;
}

Tensor Tensor::slice(int first, int count, std::shared_ptr<DeviceMemory> memory) const {
  Tensor part(std::move(memory), count, width_);
  part.memory_->device().copy(part.data_, data_ + first * width_, part.size());
  return part;
}

Tensor Tensor::slice_uncounted(int first, int count) const {
  Tensor part;
  part.owner_ = memory_;
  part.samples_ = count, part.width_ = width_;
  part.data_ = memory_->allocate(part.size(), false);
  memory_->device().copy(part.data_, data_ + first * width_, part.size());
  return part;
}

void Tensor::transfer_to(std::shared_ptr<DeviceMemory> memory) {
  if (empty() || memory == memory_) return;
  computed_ = (memory_ ? memory_ : owner_)->device().now();
  if (memory_) memory_->account(-size());
  memory->account(size());
  memory_ = std::move(memory);
}

void Tensor::arrive() {
  if (!computed_.event()) return;
  ComputeDevice& device = memory_->device();
  device.wait(std::exchange(computed_, {}));
  if (!device.reaches(owner_->device())) *this = slice(0, samples_, memory_);
}

void Tensor::release() noexcept {
  if (data_ != nullptr) {
    const bool at_home = memory_ == owner_;
    if (memory_ && !at_home) memory_->account(-size());
    owner_->deallocate(data_, size(), at_home, memory_ && !at_home ? release_after(memory_->device()) : Completion());
  }
  data_ = nullptr;
  memory_.reset(), owner_.reset(), computed_ = {};
  samples_ = 0, width_ = 0;
}

}  // namespace pipedeck::runtime::tensor
