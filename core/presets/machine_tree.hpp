// SPDX-License-Identifier: Apache-2.0
// A batch system's knowledge of its machines: partitions, and the switches above them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/found_machine.hpp"
#include "core/presets/machine_types.hpp"

namespace pipedeck::presets {

/// "Partitions: gpu of 12 machines, long of 4"; empty where there are fewer than two.
std::string partitions_text(const std::vector<DetectedMachine>& machines);

/// A partition without machines is bad_usage and lists those that there are.
Result<std::vector<DetectedMachine>> machines_of_partition(std::vector<DetectedMachine> machines,
                                                           const std::string& partition);

/// Returns the machines below some switch; the number of the others is noted.
std::vector<DetectedMachine> machines_of_tree(std::vector<DetectedMachine> machines,
                                              const std::vector<FoundSwitch>& tree, ImportMessages& notes);

/// The switches that have machines of `cluster` below them, and the links to them. A link between switches is as wide
/// as `uplink`, else as everything below it together. `networks` is each node's bandwidth.
void add_switch_tree(Cluster& cluster, const std::vector<FoundSwitch>& tree,
                     const std::vector<BytesPerSecond>& networks, Seconds latency, std::optional<BytesPerSecond> uplink,
                     ImportMessages& notes);

}  // namespace pipedeck::presets
