// SPDX-License-Identifier: Apache-2.0
// A plan's ranks in the order in which launchers number them.
#pragma once

#include <optional>

#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::study::placement {

/// Returns the plan with its ranks on the first devices of each kind (mesh::kinds_of), in the cluster's order: groups
/// of consecutive ranks then leave a node only if they must. Rank order is that of the stages' devices, as they come.
/// Nothing: the plan has this order, or a device that the cluster does not have.
std::optional<Plan> placed_contiguously(const Plan& plan, const Cluster& cluster);

}  // namespace pipedeck::study::placement
