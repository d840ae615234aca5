// SPDX-License-Identifier: Apache-2.0
// Time of an all-reduce: the less of a flat ring and a hierarchical one (simulator.md, "Communication").
#pragma once

#include <span>

#include "core/cost/network.hpp"

namespace pipedeck {

/// 2(n-1)(alpha + b/(n beta)) with devices in cluster order, alpha the largest latency and beta the smallest bandwidth
/// of a hop. 0 for one device.
Seconds ring_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

/// 2(p-1)(alpha_in + b/(p beta_in)) + 2(k-1)(alpha_out + b/(k beta_out)) over k nodes of at most p devices each.
Seconds hierarchical_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

/// The less of the two.
Seconds all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

}  // namespace pipedeck
