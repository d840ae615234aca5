// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_collective.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace pipedeck::cuda {

NcclCollective::~NcclCollective() {
  static_cast<void>(cudaSetDevice(worker_.gpu));
  communicator_.reset();  // its work ends before its stream
}

void NcclCollective::connect() {
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  if (communicator_) return;
  stream_ = make_stream();
  event_ = make_event();
  std::array<float, sizeof(ncclUniqueId) / sizeof(float)> carried{};
  ncclUniqueId id{};
  if (rank() == 0) {
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    std::memcpy(carried.data(), id.internal, sizeof id.internal);
  }
  meeting_->broadcast(0, carried);
  std::memcpy(id.internal, carried.data(), sizeof id.internal);
  auto made = watch_.make();
  made->connect(id, size(), rank());
  communicator_ = std::move(made);
}

template <class Enqueue>
Moment NcclCollective::between(const char* name, const Enqueue& enqueue) {
  connect();
  const Moment began = worker_.memory->device().now();
  order(worker_.compute, stream_.get(), event_.get());
  communicator_->call(name, [&](ncclComm_t communicator) { return enqueue(communicator, stream_.get()); });
  order(stream_.get(), worker_.compute, event_.get());
  return began;
}

Moment NcclCollective::reduce(std::span<float> values, ncclRedOp_t operation) {
  return between("ncclAllReduce", [&](ncclComm_t communicator, cudaStream_t stream) {
    return ncclAllReduce(values.data(), values.data(), values.size(), ncclFloat32, operation, communicator, stream);
  });
}

Moment NcclCollective::all_reduce(std::span<float> values) { return reduce(values, ncclSum); }
Moment NcclCollective::all_reduce_max(std::span<float> values) { return reduce(values, ncclMax); }

Moment NcclCollective::all_gather(std::span<const float> mine, std::span<float> all,
                                  std::span<const std::size_t> counts) {
  const bool alike = std::all_of(counts.begin(), counts.end(), [&](std::size_t count) { return count == counts[0]; });
  if (alike)
    return between("ncclAllGather", [&](ncclComm_t communicator, cudaStream_t stream) {
      return ncclAllGather(mine.data(), all.data(), mine.size(), ncclFloat32, communicator, stream);
    });
  // NCCL gathers as much of each: each sends what it has to all instead, in one group.
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

Moment NcclCollective::broadcast(int root, std::span<float> values) {
  return between("ncclBroadcast", [&](ncclComm_t communicator, cudaStream_t stream) {
    return ncclBroadcast(values.data(), values.data(), values.size(), ncclFloat32, root, communicator, stream);
  });
}

}  // namespace pipedeck::cuda
