// SPDX-License-Identifier: Apache-2.0
// Device orders: joint's dynamic programme gives stages consecutive devices of an order.
#pragma once

#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::joint {

/// Every two devices are joined alike, and all are of one type: any order is as good as any other.
bool uniform_cluster(const cost::Network& network);

/// Orders worth trying, none twice (nor where only devices or nodes that are alike change places): the cluster's own,
/// by speed and by memory, one device of each node in turn, the reverse of each; and all there are where they are at
/// most a few dozen. With layers pinned to devices, each with the pinned devices where their layers need them.
std::vector<std::vector<DeviceId>> joint_orders(search::Chain& chain);

}  // namespace pipedeck::planner::joint
