// SPDX-License-Identifier: Apache-2.0
// Owning handles of streams and events.
#pragma once

#include <memory>

#include "core/runtime/cuda/library.hpp"

namespace pipedeck::runtime::cuda {

/// A deleter that calls Destroy and ignores its status.
template <auto Destroy>
struct Destroyer {
  template <class Handle>
  void operator()(Handle* handle) const noexcept {
    static_cast<void>(Destroy(handle));
  }
};

using Stream = std::unique_ptr<CUstream_st, Destroyer<cudaStreamDestroy>>;
using Event = std::unique_ptr<CUevent_st, Destroyer<cudaEventDestroy>>;

/// Creates a stream on the current device that does not wait for the default stream.
inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return Stream(stream);
}

/// Creates one whose blocks start before those of other streams that wait: for transfers, which other GPUs wait for.
inline Stream make_urgent_stream() {
  int least = 0, greatest = 0;  // the lower number is the greater priority
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest), "cudaStreamCreateWithPriority");
  return Stream(stream);
}

/// Returns when the stream has ended its work, or failed. Memory that the work uses can be freed then.
inline void end_work(const Stream& stream) noexcept {
  if (stream) static_cast<void>(cudaStreamSynchronize(stream.get()));
}

/// Creates an event without times, which cost more.
inline Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return Event(event);
}

/// Makes later work on `later` wait for the present work on `earlier`. `event` can be reused at once.
inline void order(cudaStream_t earlier, cudaStream_t later, cudaEvent_t event) {
  check(cudaEventRecord(event, earlier), "cudaEventRecord");
  check(cudaStreamWaitEvent(later, event, 0), "cudaStreamWaitEvent");
}

}  // namespace pipedeck::runtime::cuda
