// SPDX-License-Identifier: Apache-2.0
// Buffers of floats, counted on the device that holds them: memory is measured, not estimated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/base/units.hpp"
#include "core/runtime/tensor/device.hpp"

namespace pipedeck::runtime::tensor {

/// An error of a device that lacks the memory.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct AllocatedBlock {
  float* data = nullptr;
  std::int64_t floats = 0;
};

/// The memory of one worker. Freed blocks are cached for tensors of the same size: steps repeat their shapes, and fresh
/// pages cost more than most kernels. Cached blocks do not count as in use. A block returns to the memory that
/// allocated it, wherever it was transferred in between. It is reused when the work of its last user is done.
/// Thread-safe.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::shared_ptr<ComputeDevice> device = cpu_device()) : device_(std::move(device)) {}
  /// Creates a part with its own blocks on the device of `whole`, where they also count. Repeating a sequence of takes
  /// and returns yields identical blocks.
  explicit DeviceMemory(std::shared_ptr<DeviceMemory> whole);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  ComputeDevice& device() const { return *device_; }
  const std::shared_ptr<ComputeDevice>& device_shared() const { return device_; }

  /// Allocates a block. If not `counted`, it is in use elsewhere, and account() counts it there. Throws OutOfMemory
  /// beyond the limit, std::bad_alloc if the system has no more memory. Before that, cached blocks of other sizes, also
  /// those of the parts, return to the system.
  float* allocate(std::int64_t floats, bool counted = true);
  /// Allocates an uncounted block without waiting on the device: it may be used from `free` on.
  float* allocate_after(std::int64_t floats, Completion& free);
  /// Allocates this block, which is available.
  void reacquire(float* block, std::int64_t floats);
  bool available(const float* block, std::int64_t floats) const;
  /// Returns a block. `done` is when another device has finished its work on it.
  void deallocate(float* block, std::int64_t floats, bool counted = true, const Completion& done = {}) noexcept;
  /// Counts `floats` more (or fewer) in use, in addition to blocks. In a part they count only in the whole.
  void account(std::int64_t floats);
  /// Counts `floats` more as in use for a moment. Throws OutOfMemory as allocate does.
  void account_transient(std::int64_t floats);
  /// Adds every block that is allocated from now on to `taken`; null: stops.
  void record_allocations(std::vector<AllocatedBlock>* taken);
  /// Makes `count` more blocks of this size available. Their pages are not touched before they are used.
  void reserve(std::int64_t floats, int count);

  void set_limit(Bytes limit);  ///< of the memory in use; 0: none

  /// Returns the number of blocks allocated from the system so far.
  std::int64_t allocations() const;

  Bytes in_use() const;
  Bytes peak() const;  ///< since the last restart_peak
  void restart_peak();

 private:
  struct Block {
    float* data;
    Completion done;  ///< time from which it is free
  };
  /// Blocks of one size.
  struct Blocks {
    std::vector<Block> kept;
    std::size_t all = 0;  ///< capacity of the list, so that returning a block allocates no memory
  };
  using Lock = std::unique_lock<std::mutex>;
  float* allocate(std::int64_t floats, Blocks& of, Lock& lock);
  Block allocate_any(std::int64_t floats, Lock& lock);
  static void make_room(Blocks& of);
  void give_back();
  void free_kept();
  void count(std::int64_t floats);
  void check_limit(std::int64_t floats) const;

  std::shared_ptr<ComputeDevice> device_;
  std::shared_ptr<DeviceMemory> whole_;  ///< null: this is not a part
  std::vector<AllocatedBlock>* taken_ = nullptr;
  mutable std::mutex mutex_;
  std::map<std::int64_t, Blocks> blocks_;  ///< by floats
  std::mutex parts_mutex_;
  std::vector<DeviceMemory*> parts_;  ///< whose `whole` this is
  std::int64_t used_floats_ = 0, peak_floats_ = 0, allocations_ = 0;
  std::int64_t max_floats_ = 0;  ///< 0: no limit
};

/// A tensor of `samples` x `width` floats. Samples are contiguous: any range of samples can be sliced. Empty by
/// default.
class Tensor {
 public:
  Tensor() = default;
  /// Uninitialised.
  Tensor(std::shared_ptr<DeviceMemory> memory, int samples, std::int64_t width);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() { release(); }

  /// Returns a tensor in this block, which is available in `memory`, with its present values.
  static Tensor in_block(std::shared_ptr<DeviceMemory> memory, float* block, int samples, std::int64_t width);
  /// Returns a tensor in a block of `blocks` that is usable from `free` on, counted in `memory` of the same device.
  static Tensor arriving(std::shared_ptr<DeviceMemory> blocks, std::shared_ptr<DeviceMemory> memory, int samples,
                         std::int64_t width, Completion& free);
  static Tensor zeros(std::shared_ptr<DeviceMemory> memory, int samples, std::int64_t width);

  bool empty() const { return data_ == nullptr; }
  int samples() const { return samples_; }
  std::int64_t width() const { return width_; }
  std::int64_t size() const { return samples_ * width_; }
  Bytes bytes() const { return Bytes(size() * static_cast<std::int64_t>(sizeof(float))); }
  const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }

  float* data() { return data_; }
  const float* data() const { return data_; }
  std::span<float> values() { return {data_, static_cast<std::size_t>(size())}; }
  std::span<const float> values() const { return {data_, static_cast<std::size_t>(size())}; }

  /// A tensor of the same shape and memory, uninitialised.
  Tensor empty_like() const { return Tensor(memory_, samples_, width_); }
  /// Returns a copy of `count` samples from `first` on, in `memory`.
  Tensor slice(int first, int count, std::shared_ptr<DeviceMemory> memory) const;
  /// Returns a copy of `count` samples from `first` on, to be transferred: it is uncounted until then.
  Tensor slice_uncounted(int first, int count) const;
  /// Transfers the block: it counts on another device from now on, which calls arrive() before it uses it.
  void transfer_to(std::shared_ptr<DeviceMemory> memory);
  /// Makes the device's later work wait for the sender's. Copies the values to an own block if the device cannot access
  /// the sender's.
  void arrive();
  void release() noexcept;

 private:
  std::shared_ptr<DeviceMemory> memory_;  ///< where it counts
  std::shared_ptr<DeviceMemory> owner_;   ///< where the block was allocated
  Completion computed_;                   ///< by the device that transferred it
  float* data_ = nullptr;
  int samples_ = 0;
  std::int64_t width_ = 0;
};

}  // namespace pipedeck::runtime::tensor
