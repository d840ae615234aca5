// SPDX-License-Identifier: Apache-2.0
// Headers that are sent before each NCCL transfer: NCCL has no tags, so both ends must know the order. They go through
// the host transport, between threads or processes.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::cuda {

struct TransferHeader {
  transport::MessageKey key;
  int samples = 0;
  std::int64_t width = 0;
};

/// One end of a path's headers, which arrive in the order of sending. One thread uses it.
class TransferHeaders {
 public:
  /// `hosts` outlives this object.
  TransferHeaders(transport::Transport& hosts, std::size_t from, std::size_t to)
      : host_transport_(hosts), from_(from), to_(to) {}

  void send(const TransferHeader& note);
  /// Returns the next one; empty if none has arrived within `patience`.
  std::optional<TransferHeader> take(std::chrono::milliseconds patience);

 private:
  transport::MessageKey next_key() const { return {false, StageId(0), counted_}; }

  transport::Transport& host_transport_;
  std::size_t from_, to_;
  int counted_ = 0;
  std::shared_ptr<tensor::DeviceMemory> memory_ = std::make_shared<tensor::DeviceMemory>();
};

}  // namespace pipedeck::runtime::cuda
