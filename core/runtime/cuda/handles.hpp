// SPDX-License-Identifier: Apache-2.0
// Streams and events that end with their owner.
#pragma once

#include <memory>

#include "core/runtime/cuda/library.hpp"

namespace pipedeck::cuda {

/// Calls Destroy, whose status nobody can do anything about.
template <auto Destroy>
struct Destroyer {
  template <class Handle>
  void operator()(Handle* handle) const noexcept {
    static_cast<void>(Destroy(handle));
  }
};

using Stream = std::unique_ptr<CUstream_st, Destroyer<cudaStreamDestroy>>;
using Event = std::unique_ptr<CUevent_st, Destroyer<cudaEventDestroy>>;

/// On the current device; it does not wait for the default stream.
inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return Stream(stream);
}

/// Without times, which cost more.
inline Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return Event(event);
}

/// What is put on `later` from now on waits for what is on `earlier` now. `event` is free again at once.
inline void order(cudaStream_t earlier, cudaStream_t later, cudaEvent_t event) {
  check(cudaEventRecord(event, earlier), "cudaEventRecord");
  check(cudaStreamWaitEvent(later, event, 0), "cudaStreamWaitEvent");
}

}  // namespace pipedeck::cuda
