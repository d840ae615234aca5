// SPDX-License-Identifier: Apache-2.0
// The kinds of devices of a cluster whose nodes differ (parallelism.md, "Unlike devices").
#pragma once

#include <vector>

#include "core/model/cluster.hpp"

namespace pipedeck::mesh {

/// The most kinds that nodes make; if there were more, kinds are device types alone.
inline constexpr int most_kinds = 4;

/// Returns the kind of each device, in the order of devices_of(): 0 is the first device's. Devices of one kind have the
/// same type. Their nodes have equally many devices in node and domain, and all their bandwidths differ by at most
/// 10 %.
std::vector<int> kinds_of(const Cluster& cluster);

}  // namespace pipedeck::mesh
