// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_collective.hpp"

#include <algorithm>

namespace pipedeck::runtime::cuda {

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
  const bool alike = std::all_of(counts.begin(), counts.end(), [&](std::size_t count) { return count == counts[0]; });
  if (alike)
    return between("ncclAllGather", [&](ncclComm_t communicator, cudaStream_t stream) {
      return ncclAllGather(mine.data(), all.data(), mine.size(), ncclFloat32, communicator, stream);
    });
  // NCCL's all-gather needs equal counts: instead each rank broadcasts its values to all, in one group.
  return between("ncclBroadcast", [&](ncclComm_t communicator, cudaStream_t stream) {
    ncclResult_t status = ncclGroupStart();
    std::size_t at = 0;
    for (std::size_t root = 0; root < counts.size(); at += counts[root], ++root) {
      if (status != ncclSuccess && status != ncclInProgress) break;
      status = ncclBroadcast(mine.data(), all.data() + at, counts[root], ncclFloat32, static_cast<int>(root),
                             communicator, stream);
    }
    const ncclResult_t ended = ncclGroupEnd();
    return status != ncclSuccess && status != ncclInProgress ? status : ended;
  });
}

tensor::Completion NcclCollective::broadcast(int root, std::span<float> values) {
  return between("ncclBroadcast", [&](ncclComm_t communicator, cudaStream_t stream) {
    return ncclBroadcast(values.data(), values.data(), values.size(), ncclFloat32, root, communicator, stream);
  });
}

}  // namespace pipedeck::runtime::cuda
