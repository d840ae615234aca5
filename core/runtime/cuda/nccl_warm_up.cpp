// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_site.hpp"

#include <thread>

namespace pipedeck::runtime::cuda {
namespace {

constexpr std::chrono::microseconds warm_up_poll{50};

/// Device memory of the calls: `size` values to read and as many to write, all zero.
class Values {
 public:
  explicit Values(int size) : size_(static_cast<std::size_t>(size)) {
    void* data = nullptr;
    check(cudaMalloc(&data, 2 * size_ * sizeof(float)), "cudaMalloc");
    data_.reset(static_cast<float*>(data));
  }
  void zero(cudaStream_t stream) const {
    check(cudaMemsetAsync(data_.get(), 0, 2 * size_ * sizeof(float), stream), "cudaMemsetAsync");
  }
  const float* from() const { return data_.get(); }
  float* to() const { return data_.get() + size_; }

 private:
  std::size_t size_;
  std::unique_ptr<float, Destroyer<cudaFree>> data_;
};

void transfer(Communicator& communicator, const Values& values, int rank, cudaStream_t stream) {
  communicator.call(rank == 0 ? "ncclSend" : "ncclRecv", [&](ncclComm_t own) {
    return rank == 0 ? ncclSend(values.from(), 1, ncclFloat32, 1, own, stream)
                     : ncclRecv(values.to(), 1, ncclFloat32, 0, own, stream);
  });
}

void collectives(Communicator& communicator, const Values& values, cudaStream_t stream) {
  communicator.call("ncclAllReduce", [&](ncclComm_t own) {
    return ncclAllReduce(values.from(), values.to(), 1, ncclFloat32, ncclSum, own, stream);
  });
  communicator.call("ncclAllGather", [&](ncclComm_t own) {
    return ncclAllGather(values.from(), values.to(), 1, ncclFloat32, own, stream);
  });
  communicator.call("ncclReduceScatter", [&](ncclComm_t own) {
    return ncclReduceScatter(values.from(), values.to(), 1, ncclFloat32, ncclSum, own, stream);
  });
  communicator.call("ncclBroadcast", [&](ncclComm_t own) {
    return ncclBroadcast(values.from(), values.to(), 1, ncclFloat32, 0, own, stream);
  });
  communicator.call("ncclReduce", [&](ncclComm_t own) {
    return ncclReduce(values.from(), values.to(), 1, ncclFloat32, ncclSum, 0, own, stream);
  });
}

void exchange(Communicator& communicator, const Values& values, int size, cudaStream_t stream) {
  communicator.call("ncclSend", [&](ncclComm_t own) {
    ncclResult_t status = ncclGroupStart();
    for (int peer = 0; peer < size && status == ncclSuccess; ++peer) {
      status = ncclSend(values.from() + peer, 1, ncclFloat32, peer, own, stream);
      if (status == ncclSuccess) status = ncclRecv(values.to() + peer, 1, ncclFloat32, peer, own, stream);
    }
    const ncclResult_t ended = ncclGroupEnd();
    return status == ncclSuccess ? ended : status;
  });
}

/// Waits without blocking, since another rank may be lost.
void wait_for(cudaStream_t stream, transport::RunControl& control) {
  for (;;) {
    const cudaError_t state = cudaStreamQuery(stream);
    if (state != cudaErrorNotReady) return check(state, "cudaStreamQuery");
    control.throw_if_interrupted();
    if (control.any_running()) control.check_progress_timeout();
    std::this_thread::sleep_for(warm_up_poll);
  }
}

}  // namespace

void warm_up(const NcclDevice& worker, Communicator& communicator, WarmUp use, int rank, int size,
             transport::RunControl& control) {
  check(cudaSetDevice(worker.gpu), "cudaSetDevice");
  const Values values(size);  // outlives the stream, whose work uses it
  const Stream stream = make_stream();
  try {
    values.zero(stream.get());
    if (use == WarmUp::path)
      transfer(communicator, values, rank, stream.get());
    else
      collectives(communicator, values, stream.get());
    if (use == WarmUp::exchanging_group) exchange(communicator, values, size, stream.get());
    wait_for(stream.get(), control);
  } catch (...) {
    communicator.abort();  // otherwise freeing the memory waits for the work
    throw;
  }
}

}  // namespace pipedeck::runtime::cuda
