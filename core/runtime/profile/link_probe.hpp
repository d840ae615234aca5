// SPDX-License-Identifier: Apache-2.0
// A benchmark of the link between two workers, over whatever transport they have. As in training, a tensor is copied
// and sent; here it is also sent back.
#pragma once

#include <memory>
#include <vector>

#include "core/model/cluster.hpp"
#include "core/runtime/machine/robust.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::profile {

struct TransferPoint {
  Bytes bytes;
  machine::RobustSummary seconds;  ///< in one direction: half a round trip
};

struct LinkMeasurement {
  Link link;                          ///< latency + bytes / bandwidth, fitted to `points` (robust.hpp)
  std::vector<TransferPoint> points;  ///< from 64 bytes to 4 MiB
};

/// The two ends of a measurement, each on its own thread or in its own process. Throw Interrupted as transfers do.
LinkMeasurement time_transfers(transport::Endpoint& mine, std::size_t peer,
                               const std::shared_ptr<tensor::DeviceMemory>& memory);
void answer_transfers(transport::Endpoint& mine, std::size_t peer, const std::shared_ptr<tensor::DeviceMemory>& memory);

/// Measures copies from one device's memory to another's, from 64 bytes to 64 MiB. Times are taken by events in the
/// queue of the copying device. Throws the devices' errors.
LinkMeasurement measure_copies(const std::shared_ptr<tensor::DeviceMemory>& from,
                               const std::shared_ptr<tensor::DeviceMemory>& to);

/// Measures between two threads of this process. Threads are not bound to cores: one link represents every pair.
LinkMeasurement measure_thread_link();

}  // namespace pipedeck::runtime::profile
