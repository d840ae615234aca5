// SPDX-License-Identifier: Apache-2.0
// What joins two workers, by real transfers over whatever transport they have: a ball is copied, as a part of a
// micro-batch is, sent, and sent back.
#pragma once

#include <memory>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/runtime/profile/robust.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck {

struct TransferPoint {
  Bytes bytes;
  RobustSummary seconds;  ///< one way: half a round trip
};

struct LinkMeasurement {
  Link link;                          ///< latency + bytes / bandwidth, the line through `points` (robust.hpp)
  std::vector<TransferPoint> points;  ///< from 64 bytes to 4 MiB
};

/// The two ends of a measurement, each on its own thread or in its own process. Throw Interrupted as transfers do.
LinkMeasurement time_transfers(Endpoint& mine, std::size_t peer, const std::shared_ptr<DeviceMemory>& memory);
void answer_transfers(Endpoint& mine, std::size_t peer, const std::shared_ptr<DeviceMemory>& memory);

/// Copies from one device's memory to another's, by marks in the queue of the one that copies. From 64 bytes to 64 MiB.
/// Throws what devices fail with.
LinkMeasurement measure_copies(const std::shared_ptr<DeviceMemory>& from, const std::shared_ptr<DeviceMemory>& to);

/// Between two threads of this process. Threads are not bound to cores: one link stands for every pair.
LinkMeasurement measure_thread_link();

}  // namespace pipedeck
