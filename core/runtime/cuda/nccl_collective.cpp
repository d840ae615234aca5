// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_collective.hpp"

#include <algorithm>
#include <utility>

namespace pipedeck::runtime::cuda {
namespace {

bool alike(std::span<const std::size_t> counts) {
  return std::all_of(counts.begin(), counts.end(), [&](std::size_t count) { return count == counts[0]; });
}

const char* gather_name(std::span<const std::size_t> counts) {
  return alike(counts) ? "ncclAllGather" : "ncclBroadcast";
}
const char* scatter_name(std::span<const std::size_t> counts) {
  return alike(counts) ? "ncclReduceScatter" : "ncclReduce";
}

bool failed(ncclResult_t status) { return status != ncclSuccess && status != ncclInProgress; }

}  // namespace

NcclCollective::~NcclCollective() {
  static_cast<void>(cudaSetDevice(worker_.gpu));
  communicator_->abort_if_interrupted();  // ends its work before its stream
  end_work(stream_);
}

void NcclCollective::prepare() {
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  if (stream_) return;
  stream_ = make_urgent_stream();
}

template <class Enqueue>
tensor::Completion NcclCollective::between(const char* name, const Enqueue& enqueue) {
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  const tensor::Completion began = worker_.memory->device().now();
  communicator_->call(name, [&](ncclComm_t communicator) { return enqueue(communicator, worker_.compute); });
  return began;
}

template <class Enqueue>
transport::Collective::AsyncCollective NcclCollective::beside(const char* name, const tensor::Completion& ready,
                                                              const Enqueue& enqueue) {
  prepare();
  worker_.device.wait_on(stream_.get(), ready);
  const tensor::Completion began = worker_.device.record_event(stream_.get());
  communicator_->call(name, [&](ncclComm_t communicator) { return enqueue(communicator, stream_.get()); });
  return {began, worker_.device.record_event(stream_.get())};
}

template <class Enqueue>
ncclResult_t NcclCollective::grouped(const Enqueue& enqueue) const {
  ncclResult_t status = ncclGroupStart();
  for (int rank = 0; rank < size_ && !failed(status); ++rank) status = enqueue(rank);
  const ncclResult_t ended = ncclGroupEnd();
  return failed(status) ? status : ended;
}

tensor::Completion NcclCollective::reduce(std::span<float> values, ncclRedOp_t operation) {
  return between("ncclAllReduce", [&](ncclComm_t communicator, cudaStream_t stream) {
    return ncclAllReduce(values.data(), values.data(), values.size(), ncclFloat32, operation, communicator, stream);
  });
}

transport::Collective::AsyncCollective NcclCollective::all_reduce_async(std::span<float> values,
                                                                        const tensor::Completion& ready) {
  return beside("ncclAllReduce", ready, [&](ncclComm_t communicator, cudaStream_t stream) {
    return ncclAllReduce(values.data(), values.data(), values.size(), ncclFloat32, ncclSum, communicator, stream);
  });
}

tensor::Completion NcclCollective::all_reduce(std::span<float> values) { return reduce(values, ncclSum); }
tensor::Completion NcclCollective::all_reduce_max(std::span<float> values) { return reduce(values, ncclMax); }

/// NCCL's all-gather needs equal counts: otherwise each rank broadcasts its values to all, in one group.
ncclResult_t NcclCollective::enqueue_all_gather(std::span<const float> mine, std::span<float> all,
                                                std::span<const std::size_t> counts, ncclComm_t communicator,
                                                cudaStream_t stream) const {
  if (alike(counts)) return ncclAllGather(mine.data(), all.data(), mine.size(), ncclFloat32, communicator, stream);
  std::size_t at = 0;
  return grouped([&](int root) {
    const std::size_t count = counts[static_cast<std::size_t>(root)];
    float* const place = all.data() + std::exchange(at, at + count);
    // Another rank's values may be more than this rank has: what is not sent is not read.
    const float* const sent = root == rank_ ? mine.data() : place;
    return ncclBroadcast(sent, place, count, ncclFloat32, root, communicator, stream);
  });
}

tensor::Completion NcclCollective::all_gather(std::span<const float> mine, std::span<float> all,
                                              std::span<const std::size_t> counts) {
  return between(gather_name(counts), [&](ncclComm_t communicator, cudaStream_t stream) {
    return enqueue_all_gather(mine, all, counts, communicator, stream);
  });
}

transport::Collective::AsyncCollective NcclCollective::all_gather_async(std::span<const float> mine,
                                                                        std::span<float> all,
                                                                        std::span<const std::size_t> counts,
                                                                        const tensor::Completion& ready) {
  return beside(gather_name(counts), ready, [&](ncclComm_t communicator, cudaStream_t stream) {
    return enqueue_all_gather(mine, all, counts, communicator, stream);
  });
}

/// Pieces of unequal sizes are reduced to one rank each, in one group.
ncclResult_t NcclCollective::enqueue_reduce_scatter(std::span<const float> values, std::span<float> mine,
                                                    std::span<const std::size_t> counts, ncclComm_t communicator,
                                                    cudaStream_t stream) const {
  if (alike(counts))
    return ncclReduceScatter(values.data(), mine.data(), mine.size(), ncclFloat32, ncclSum, communicator, stream);
  std::size_t at = 0;
  return grouped([&](int root) {
    const std::size_t count = counts[static_cast<std::size_t>(root)];
    const float* const piece = values.data() + std::exchange(at, at + count);
    return ncclReduce(piece, root == rank_ ? mine.data() : nullptr, count, ncclFloat32, ncclSum, root, communicator,
                      stream);
  });
}

tensor::Completion NcclCollective::reduce_scatter(std::span<const float> values, std::span<float> mine,
                                                  std::span<const std::size_t> counts) {
  return between(scatter_name(counts), [&](ncclComm_t communicator, cudaStream_t stream) {
    return enqueue_reduce_scatter(values, mine, counts, communicator, stream);
  });
}

transport::Collective::AsyncCollective NcclCollective::reduce_scatter_async(std::span<const float> values,
                                                                            std::span<float> mine,
                                                                            std::span<const std::size_t> counts,
                                                                            const tensor::Completion& ready) {
  return beside(scatter_name(counts), ready, [&](ncclComm_t communicator, cudaStream_t stream) {
    return enqueue_reduce_scatter(values, mine, counts, communicator, stream);
  });
}

tensor::Completion NcclCollective::all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                              std::span<float> from, std::span<const std::size_t> from_counts) {
  std::size_t sent = 0, received = 0;
  return between("ncclSend", [&](ncclComm_t communicator, cudaStream_t stream) {
    return grouped([&](int peer) {
      const std::size_t out = to_counts[static_cast<std::size_t>(peer)],
                        in = from_counts[static_cast<std::size_t>(peer)];
      ncclResult_t status = ncclSuccess;
      if (out > 0) status = ncclSend(to.data() + sent, out, ncclFloat32, peer, communicator, stream);
      if (in > 0 && !failed(status))
        status = ncclRecv(from.data() + received, in, ncclFloat32, peer, communicator, stream);
      sent += out, received += in;
      return status;
    });
  });
}

tensor::Completion NcclCollective::broadcast(int root, std::span<float> values) {
  return between("ncclBroadcast", [&](ncclComm_t communicator, cudaStream_t stream) {
    return ncclBroadcast(values.data(), values.data(), values.size(), ncclFloat32, root, communicator, stream);
  });
}

}  // namespace pipedeck::runtime::cuda
