// SPDX-License-Identifier: Apache-2.0
// Pipelines over devices of several kinds (planners.md, "Unlike devices").
#pragma once

#include <string>
#include <vector>

#include "core/model/cluster.hpp"

namespace pipedeck::planner::mesh {

/// A number of devices with equally many blocks on each rank's stages. Devices of several kinds share each stage, and
/// the slowest sets its pace.
struct Pool {
  std::vector<std::vector<DeviceId>> kinds;  ///< the devices of each kind, in the cluster's order
  std::string name;                          ///< "H100-SXM", "H100-SXM with A100-80GB"

  int devices() const;
};

/// Pools in the order of the pipeline.
struct Arrangement {
  std::vector<Pool> pools{};  ///< none: the cluster's first devices
  int domain = 0;             ///< devices of the smallest NVLink domain

  int devices() const;
};

/// The most kinds of which every arrangement is searched.
inline constexpr int most_arranged_kinds = 3;

/// Returns the arrangements of a cluster. One kind of device: one without pools. Up to three kinds: every way to divide
/// some or all of them into pools, in every order. More kinds: all in one pool, each kind alone, and each kind a pool
/// in the cluster's order and the reverse.
std::vector<Arrangement> arrangements_of(const Cluster& cluster);

/// Returns the arrangement with all devices in one pool; of one kind of device, the one without pools.
Arrangement all_together(const Cluster& cluster);

/// Returns a type's operations per second: its peak in bf16, else its relative speed.
double operations_per_second(const DeviceType& type);

/// Returns the pipeline ranks of each pool if each has `stage_devices` devices; none if that does not divide. A stage
/// has equally many of each kind of its pool, in multiples of `multiples`.
std::vector<int> ranks_of_pools(const Arrangement& arrangement, int stage_devices, const std::vector<int>& multiples);

/// Returns the devices in rank order.
std::vector<DeviceId> placement_of(const Arrangement& arrangement, const std::vector<int>& ranks);

}  // namespace pipedeck::planner::mesh
