// SPDX-License-Identifier: Apache-2.0
// A worker's GPU: its memory, and one stream on which all of its work runs in order.
#pragma once

#include <mutex>
#include <vector>

#include "core/runtime/cuda/attention.hpp"
#include "core/runtime/cuda/context.hpp"
#include "core/runtime/cuda/matmul.hpp"
#include "core/runtime/cuda/weight_copies.hpp"
#include "core/runtime/tensor/device.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cuda {

/// A pool of timed events, which are reused when their times are no longer needed.
class EventPool {
 public:
  explicit EventPool(int gpu) : gpu_(gpu) {}
  Event take();
  void release(Event event) noexcept;

 private:
  int gpu_;
  std::mutex mutex_;
  std::vector<Event> free_;
  std::size_t made_ = 0;  ///< capacity of the list, so that returning an event allocates no memory
};

class CudaDevice final : public tensor::ComputeDevice {
 public:
  /// Throws CudaError, OutOfMemory.
  CudaDevice(int gpu, Precision precision);
  /// Enables the fastest copies between this GPU and the others, if possible; otherwise copies go through host memory.
  void enable_peer_access(const std::vector<int>& gpus) const;
  /// Lets the others that can reach this GPU access the memory that it allocates. NCCL does within a process.
  void share_memory(const std::vector<int>& gpus) const;
  ~CudaDevice() override;

  /// Returns the device that holds a tensor's values, current on the calling thread: for layers and losses.
  static CudaDevice& of(tensor::DeviceMemory& memory);
  static CudaDevice& of(const tensor::Tensor& tensor) { return of(*tensor.memory()); }
  Context& context() { return context_; }
  GemmRunner& gemms() { return products_; }
  FusedAttention& fused_attention() { return fused_attention_; }
  WeightCopies& weights() { return weights_; }
  cudaStream_t stream() const { return context_.stream(); }

  bool on_host() const override { return false; }
  bool reaches(const tensor::ComputeDevice& other) const override;

  float* allocate(std::int64_t floats) override;
  void deallocate(float* block) noexcept override;

  void zero(std::span<float> values) override;
  void copy(float* to, const float* from, std::int64_t count) override;
  void copy_rows(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride, std::int64_t rows,
                 std::int64_t columns) override;
  void scale(std::span<float> values, float factor) override;
  void add(float* to, const float* from, std::int64_t count) override;
  void largest(float* to, const float* from, std::int64_t count) override;
  void balance(float* biases, float* excess, float rate, std::int64_t count) override;
  void update(const tensor::UpdateRule& rule, const tensor::UpdatedValues& values) override;
  /// A line of the cache for Bf16, and more than any vector load.
  std::int64_t parameter_alignment() const override { return 64; }
  std::unique_ptr<tensor::WeightCopy> copy_of_weights(const tensor::Tensor& weights) override;
  std::string consume_warnings() override { return context_.consume_warnings(); }
  bool all_finite(std::span<const float> values) override;

  void upload(std::span<float> to, const std::function<void(std::span<float>)>& write) override;
  void download(std::span<float> to, const float* from) override;

  /// Created by the first call: runs without offload have no streams for it.
  tensor::HostLink* host_link() override;

  bool records() const override { return true; }
  std::unique_ptr<tensor::CapturedGraph> record(const std::function<void()>& work) override;

  tensor::Completion now() override { return record_event(stream()); }
  void wait(const tensor::Completion& moment) override { wait_on(stream(), moment); }
  /// Variants of now() and wait() for another stream of this GPU.
  tensor::Completion record_event(cudaStream_t stream);
  void wait_on(cudaStream_t stream, const tensor::Completion& moment) const;
  void synchronise() override;

 private:
  /// A buffer of pinned host memory, which the GPU reads directly until the event `read`.
  struct StagingBuffer {
    std::unique_ptr<float, Destroyer<cudaFreeHost>> data;
    std::size_t floats = 0;
    Event read;
  };
  struct Reference;
  class CudaEvent;
  class CudaHostLink;

  std::vector<int> peers(const std::vector<int>& gpus) const;
  float* allocate_from_pool(std::size_t bytes);
  void forbid_during_capture(const char* what) const;
  StagingBuffer acquire_staging_buffer(std::size_t floats);
  void account_workspace(tensor::DeviceMemory& memory);

  Context context_;
  Stream memory_stream_;  ///< of allocations alone; null: the GPU has no pools
  GemmRunner products_;
  FusedAttention fused_attention_;
  WeightCopies weights_;
  std::unique_ptr<int, Destroyer<cudaFree>> not_finite_;  ///< on the GPU
  std::int64_t charged_ = 0;                              ///< floats of the workspace that count as in use
  std::shared_ptr<EventPool> events_;
  std::mutex mutex_;
  std::shared_ptr<const Reference> reference_;  ///< of marks created from now on
  std::vector<StagingBuffer> staging_;          ///< available; the GPU may still read them
  std::unique_ptr<CudaHostLink> host_link_;
};

}  // namespace pipedeck::runtime::cuda
