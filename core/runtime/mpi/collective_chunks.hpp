// SPDX-License-Identifier: Apache-2.0
// Chunks of values that the members of a collective send to each other, and a pool of their buffers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/runtime/transport/control.hpp"

namespace pipedeck::runtime::mpi {

using Buffer = std::shared_ptr<std::vector<float>>;

/// A pool of buffers. A buffer returns to it when its last owner releases it. Thread-safe.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  Buffer take(std::size_t floats);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::vector<float>>> kept_;
};

struct CollectiveChunk {
  Buffer values;
  tensor::RunClock::time_point arrived;  ///< when it began to arrive
};

/// A mailbox for the chunks of one worker.
class ChunkMailbox {
 public:
  /// (sender, group, sequence number).
  using Address = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;
  void post(Address address, CollectiveChunk piece);
  /// Throws Interrupted.
  CollectiveChunk take(Address address, transport::RunControl& control);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Address, CollectiveChunk> pieces_;
};

}  // namespace pipedeck::runtime::mpi
