// SPDX-License-Identifier: Apache-2.0
// Workers that work on values of their GPUs together, through NCCL. A function returns when its work is given to the
// GPU; work that is given to the compute stream afterwards finds its results. Sums are added in an order that NCCL
// chooses by the machine and the size: the same everywhere and every time, but not the ranks'.
#pragma once

#include "core/runtime/cuda/nccl_site.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::cuda {

class NcclCollective final : public Collective {
 public:
  /// `meeting`: the same members, with values of the host: there the first operation learns who they are. Nothing is
  /// connected before it, so that one thread may make several members.
  NcclCollective(NcclWatch& watch, NcclWorker worker, std::unique_ptr<Collective> meeting)
      : watch_(watch), worker_(std::move(worker)), meeting_(std::move(meeting)) {}
  ~NcclCollective() override;

  int rank() const override { return meeting_->rank(); }
  int size() const override { return meeting_->size(); }
  Moment all_reduce(std::span<float> values) override;
  Moment all_reduce_max(std::span<float> values) override;
  Moment all_gather(std::span<const float> mine, std::span<float> all, std::span<const std::size_t> counts) override;
  Moment broadcast(int root, std::span<float> values) override;

 private:
  Moment reduce(std::span<float> values, ncclRedOp_t operation);
  void connect();
  /// enqueue(communicator, stream) behind what the compute stream has to do, and before what it gets afterwards.
  template <class Enqueue>
  Moment between(const char* name, const Enqueue& enqueue);

  NcclWatch& watch_;
  NcclWorker worker_;
  std::unique_ptr<Collective> meeting_;
  std::shared_ptr<Communicator> communicator_;
  Stream stream_;
  Event event_;
};

}  // namespace pipedeck::cuda
