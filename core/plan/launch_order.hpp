// SPDX-License-Identifier: Apache-2.0
// The numbering of processes by launchers (torchrun, mpirun): one process per device, a node's processes one after
// another, each on the next device of its node. Engines number a plan's processes through tensor-parallel groups first,
// then replicas, then pipeline ranks.
#pragma once

#include <optional>
#include <vector>

#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::plan {

/// Returns the plan's device behind each process number.
std::vector<DeviceId> devices_by_process(const Plan& plan);

/// Returns the first process number that no launcher gives to its device: another node's process is between it and an
/// earlier one of its node, or it has an earlier device of the node. Nothing if a launcher can start the plan.
std::optional<int> first_out_of_launch_order(const Plan& plan, const Cluster& cluster);

/// Returns the plan with its processes on the first devices of the cluster, in launch order. Nothing if the plan is in
/// launch order already, has copies of stages, or devices differ.
std::optional<Plan> in_launch_order(const Plan& plan, const Cluster& cluster);

}  // namespace pipedeck::plan
