// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_collective.hpp"

#include <algorithm>
#include <utility>

namespace pipedeck::runtime::cuda {
namespace {

bool alike(std::span<const std::size_t> counts) {
  return std::all_of(counts.begin(), counts.end(), [&](std::size_t count) { return count == counts[0]; });
}

bool failed(ncclResult_t status) { return status != ncclSuccess && status != ncclInProgress; }

}  // namespace

NcclCollective::~NcclCollective() {
  static_cast<void>(cudaSetDevice(worker_.gpu));
  communicator_->abort_if_interrupted();  // ends its work before its stream
}

void NcclCollective::prepare() {
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  if (stream_) return;
  stream_ = make_stream();
  event_ = make_event();
}

template <class Enqueue>
tensor::Completion NcclCollective::between(const char* name, const Enqueue& enqueue) {
  prepare();
  const tensor::Completion began = worker_.memory->device().now();
  order(worker_.compute, stream_.get(), event_.get());
  communicator_->call(name, [&](ncclComm_t communicator) { return enqueue(communicator, stream_.get()); });
  order(stream_.get(), worker_.compute, event_.get());
  return began;
}

template <class Enqueue>
tensor::Completion NcclCollective::grouped(const char* name, const Enqueue& enqueue) {
  return between(name, [&](ncclComm_t communicator, cudaStream_t stream) {
    ncclResult_t status = ncclGroupStart();
    for (int rank = 0; rank < size_ && !failed(status); ++rank) status = enqueue(rank, communicator, stream);
    const ncclResult_t ended = ncclGroupEnd();
    return failed(status) ? status : ended;
  });
}

tensor::Completion NcclCollective::reduce(std::span<float> values, ncclRedOp_t operation) {
  return between("ncclAllReduce", [&](ncclComm_t communicator, cudaStream_t stream) {
    return ncclAllReduce(values.data(), values.data(), values.size(), ncclFloat32, operation, communicator, stream);
  });
}

transport::Collective::AsyncCollective NcclCollective::all_reduce_async(std::span<float> values,
                                                                        const tensor::Completion& ready) {
  prepare();
  worker_.device.wait_on(stream_.get(), ready);
  const tensor::Completion began = worker_.device.record_event(stream_.get());
  communicator_->call("ncclAllReduce", [&](ncclComm_t communicator) {
    return ncclAllReduce(values.data(), values.data(), values.size(), ncclFloat32, ncclSum, communicator,
                         stream_.get());
  });
  return {began, worker_.device.record_event(stream_.get())};
}

tensor::Completion NcclCollective::all_reduce(std::span<float> values) { return reduce(values, ncclSum); }
tensor::Completion NcclCollective::all_reduce_max(std::span<float> values) { return reduce(values, ncclMax); }

tensor::Completion NcclCollective::all_gather(std::span<const float> mine, std::span<float> all,
                                              std::span<const std::size_t> counts) {
  if (alike(counts))
    return between("ncclAllGather", [&](ncclComm_t communicator, cudaStream_t stream) {
      return ncclAllGather(mine.data(), all.data(), mine.size(), ncclFloat32, communicator, stream);
    });
  // NCCL's all-gather needs equal counts: instead each rank broadcasts its values to all, in one group.
  std::size_t at = 0;
  return grouped("ncclBroadcast", [&](int root, ncclComm_t communicator, cudaStream_t stream) {
    const std::size_t count = counts[static_cast<std::size_t>(root)];
    float* const place = all.data() + std::exchange(at, at + count);
    return ncclBroadcast(mine.data(), place, count, ncclFloat32, root, communicator, stream);
  });
}

tensor::Completion NcclCollective::reduce_scatter(std::span<const float> values, std::span<float> mine,
                                                  std::span<const std::size_t> counts) {
  if (alike(counts))
    return between("ncclReduceScatter", [&](ncclComm_t communicator, cudaStream_t stream) {
      return ncclReduceScatter(values.data(), mine.data(), mine.size(), ncclFloat32, ncclSum, communicator, stream);
    });
  std::size_t at = 0;
  return grouped("ncclReduce", [&](int root, ncclComm_t communicator, cudaStream_t stream) {
    const std::size_t count = counts[static_cast<std::size_t>(root)];
    const float* const piece = values.data() + std::exchange(at, at + count);
    return ncclReduce(piece, root == rank_ ? mine.data() : nullptr, count, ncclFloat32, ncclSum, root, communicator,
                      stream);
  });
}

tensor::Completion NcclCollective::all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                              std::span<float> from, std::span<const std::size_t> from_counts) {
  std::size_t sent = 0, received = 0;
  return grouped("ncclSend", [&](int peer, ncclComm_t communicator, cudaStream_t stream) {
    const std::size_t out = to_counts[static_cast<std::size_t>(peer)], in = from_counts[static_cast<std::size_t>(peer)];
    ncclResult_t status = ncclSuccess;
    if (out > 0) status = ncclSend(to.data() + sent, out, ncclFloat32, peer, communicator, stream);
    if (in > 0 && !failed(status))
      status = ncclRecv(from.data() + received, in, ncclFloat32, peer, communicator, stream);
    sent += out, received += in;
    return status;
  });
}

tensor::Completion NcclCollective::broadcast(int root, std::span<float> values) {
  return between("ncclBroadcast", [&](ncclComm_t communicator, cudaStream_t stream) {
    return ncclBroadcast(values.data(), values.data(), values.size(), ncclFloat32, root, communicator, stream);
  });
}

}  // namespace pipedeck::runtime::cuda
