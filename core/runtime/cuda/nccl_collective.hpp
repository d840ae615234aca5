// SPDX-License-Identifier: Apache-2.0
// Collectives of workers on GPUs through NCCL. A function returns when its work is enqueued; later work on the compute
// stream finds the results. NCCL chooses the order of sums by machine and size: it is always the same, but it is not
// rank order.
#pragma once

#include "core/runtime/cuda/nccl_site.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::cuda {

class NcclCollective final : public transport::Collective {
 public:
  /// `communicator` is connected before the first operation.
  NcclCollective(NcclDevice worker, std::shared_ptr<Communicator> communicator, int rank, int size)
      : worker_(std::move(worker)), communicator_(std::move(communicator)), rank_(rank), size_(size) {}
  ~NcclCollective() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  tensor::Completion all_reduce(std::span<float> values) override;
  AsyncCollective all_reduce_async(std::span<float> values, const tensor::Completion& ready) override;
  AsyncCollective all_gather_async(std::span<const float> mine, std::span<float> all,
                                   std::span<const std::size_t> counts, const tensor::Completion& ready) override;
  AsyncCollective reduce_scatter_async(std::span<const float> values, std::span<float> mine,
                                       std::span<const std::size_t> counts, const tensor::Completion& ready) override;
  tensor::Completion all_reduce_max(std::span<float> values) override;
  tensor::Completion all_gather(std::span<const float> mine, std::span<float> all,
                                std::span<const std::size_t> counts) override;
  tensor::Completion reduce_scatter(std::span<const float> values, std::span<float> mine,
                                    std::span<const std::size_t> counts) override;
  tensor::Completion all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                std::span<float> from, std::span<const std::size_t> from_counts) override;
  tensor::Completion broadcast(int root, std::span<float> values) override;

 private:
  tensor::Completion reduce(std::span<float> values, ncclRedOp_t operation);
  void prepare();
  /// Runs enqueue(communicator, stream) on the compute stream.
  template <class Enqueue>
  tensor::Completion between(const char* name, const Enqueue& enqueue);
  /// Runs enqueue(communicator, stream) after `ready`, in parallel to the compute stream.
  template <class Enqueue>
  AsyncCollective beside(const char* name, const tensor::Completion& ready, const Enqueue& enqueue);
  ncclResult_t enqueue_all_gather(std::span<const float> mine, std::span<float> all,
                                  std::span<const std::size_t> counts, ncclComm_t communicator,
                                  cudaStream_t stream) const;
  ncclResult_t enqueue_reduce_scatter(std::span<const float> values, std::span<float> mine,
                                      std::span<const std::size_t> counts, ncclComm_t communicator,
                                      cudaStream_t stream) const;
  /// Makes one group of calls: enqueue(rank) for each rank.
  template <class Enqueue>
  ncclResult_t grouped(const Enqueue& enqueue) const;

  NcclDevice worker_;
  std::shared_ptr<Communicator> communicator_;
  int rank_, size_;
  Stream stream_;  ///< of work parallel to the compute stream
};

}  // namespace pipedeck::runtime::cuda
