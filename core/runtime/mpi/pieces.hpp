// SPDX-License-Identifier: Apache-2.0
// Pieces of values that members of a collective send each other, and the buffers that they are in, which are used again
// and again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/runtime/transport/control.hpp"

namespace pipedeck {

using Buffer = std::shared_ptr<std::vector<float>>;

/// Buffers come back here when the last one who holds them lets go. Safe to use from several threads.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  Buffer take(std::size_t floats);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::vector<float>>> kept_;
};

struct Piece {
  Buffer values;
  RunClock::time_point arrived;  ///< when it began to
};

/// What has come for one worker.
class PieceBox {
 public:
  /// From which worker, of which group, the how-manieth.
  using Address = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;
  void post(Address address, Piece piece);
  /// Throws Interrupted.
  Piece take(Address address, RunControl& control);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Address, Piece> pieces_;
};

}  // namespace pipedeck
