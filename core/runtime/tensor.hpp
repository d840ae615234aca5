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

#include "core/domain/units.hpp"
#include "core/runtime/device.hpp"

namespace pipedeck {

/// A device has not so much memory.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct TakenBlock {
  float* data = nullptr;
  std::int64_t floats = 0;
};

/// The memory of one worker. Freed blocks are kept for the next tensor of the same size (a step repeats its shapes, and
/// fresh pages cost more than most kernels); kept blocks don't count as in use. A block goes back to the memory that it
/// came from, wherever it was handed over to in between, and is taken again when the work of whoever had it last is
/// done. Safe to use from several threads.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::shared_ptr<ComputeDevice> device = processor()) : device_(std::move(device)) {}
  /// Blocks of their own on the device of `whole`, where they count as well. The same takes and gives give the same
  /// blocks.
  explicit DeviceMemory(std::shared_ptr<DeviceMemory> whole) : device_(whole->device_), whole_(std::move(whole)) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  ComputeDevice& device() const { return *device_; }
  const std::shared_ptr<ComputeDevice>& device_shared() const { return device_; }

  /// Where not `counted`, it is in use elsewhere, which charge() says there.
  /// Throws OutOfMemory beyond the limit, std::bad_alloc where the system has no more.
  float* take(std::int64_t floats, bool counted = true);
  /// Counts nowhere, and its device's work does not wait: it may be used from `free` on.
  float* take_when_free(std::int64_t floats, Moment& free);
  /// This one, which is at hand.
  void take_again(float* block, std::int64_t floats);
  bool at_hand(const float* block, std::int64_t floats) const;
  /// `done`: when another device has no more work on it.
  void give_back(float* block, std::int64_t floats, bool counted = true, const Moment& done = {}) noexcept;
  /// So many floats more (or less) are in use, beside blocks: of a part they count in the whole alone.
  void charge(std::int64_t floats);
  /// So many floats more were in use for a moment. Throws OutOfMemory as take does.
  void touch(std::int64_t floats);
  /// Every block that is taken from now on is added there; null: no more.
  void note_taken(std::vector<TakenBlock>* taken);
  /// From now on `count` more blocks of this size are at hand. Nobody touches their pages before they are used.
  void reserve(std::int64_t floats, int count);

  void set_limit(Bytes limit);  ///< of what is in use; 0: none

  /// Blocks asked of the system so far.
  std::int64_t allocations() const;

  Bytes in_use() const;
  Bytes peak() const;  ///< since the last restart_peak
  void restart_peak();

 private:
  struct Block {
    float* data;
    Moment done;  ///< it is free from then on
  };
  /// Blocks of one size.
  struct Blocks {
    std::vector<Block> kept;
    std::size_t all = 0;  ///< for which there is room here, so that giving one back asks for no memory
  };
  float* allocate(std::int64_t floats, Blocks& of);
  Block take_any(std::int64_t floats);
  void count(std::int64_t floats);
  void check_limit(std::int64_t floats) const;

  std::shared_ptr<ComputeDevice> device_;
  std::shared_ptr<DeviceMemory> whole_;  ///< null: this is no part of another
  std::vector<TakenBlock>* taken_ = nullptr;
  mutable std::mutex mutex_;
  std::map<std::int64_t, Blocks> blocks_;  ///< by floats
  std::int64_t used_floats_ = 0, peak_floats_ = 0, allocations_ = 0;
  std::int64_t most_floats_ = 0;  ///< 0: no limit
};

/// `samples` x `width` floats, samples contiguous: any range of samples can be cut out. Empty when made by default.
class Tensor {
 public:
  Tensor() = default;
  /// Uninitialised.
  Tensor(std::shared_ptr<DeviceMemory> memory, int samples, std::int64_t width);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() { release(); }

  /// In this block, which is at hand in `memory`, with what lies there.
  static Tensor in_block(std::shared_ptr<DeviceMemory> memory, float* block, int samples, std::int64_t width);
  /// In a block of `blocks`, which may be used from `free` on, counted in `memory` of the same device.
  static Tensor arriving(std::shared_ptr<DeviceMemory> blocks, std::shared_ptr<DeviceMemory> memory, int samples,
                         std::int64_t width, Moment& free);
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
  Tensor like() const { return Tensor(memory_, samples_, width_); }
  /// A copy of `count` samples from `first` on, in `memory`.
  Tensor slice(int first, int count, std::shared_ptr<DeviceMemory> memory) const;
  /// A copy of `count` samples from `first` on, to be handed over: until then it counts nowhere.
  Tensor part(int first, int count) const;
  /// Same block, counted on another device from now on, which calls arrive() before it uses it.
  void hand_over(std::shared_ptr<DeviceMemory> memory);
  /// The device's work from now on finds what the one before has computed, in a block of its own where it can't reach
  /// the other's.
  void arrive();
  void release() noexcept;

 private:
  std::shared_ptr<DeviceMemory> memory_;  ///< where it counts
  std::shared_ptr<DeviceMemory> home_;    ///< where the block is from
  Moment computed_;                       ///< by the device that handed it over
  float* data_ = nullptr;
  int samples_ = 0;
  std::int64_t width_ = 0;
};

}  // namespace pipedeck
