// SPDX-License-Identifier: Apache-2.0
// A cluster made larger or smaller, quicker or slower: each function gives a new one.
#pragma once

#include <span>

#include "core/model/what_if.hpp"

namespace pipedeck::study::whatif {

ClusterScales scales_of(const Cluster& cluster);

/// The assumed link between nodes if a cluster of one node has none: 100 Gbit/s, 5 us. Callers report the assumption.
Link default_link();

/// The first `count` nodes with what joins them, or more like the last, linked as that is. `nodes` at least 1.
Cluster with_node_count(const Cluster& cluster, int count);

void scale_inside(Cluster& cluster, double factor);
void scale_between(Cluster& cluster, double factor);
/// A connection between two nodes or switches, or inside a node (`from` equals `to`).
void scale_link(Cluster& cluster, const LinkScale& scale);
void scale_memory(Cluster& cluster, double factor);

/// The devices become `type`, which the cluster then has; devices that the cluster has not are left out.
void swap_devices(Cluster& cluster, std::span<const DeviceId> devices, const DeviceType& type);
/// Types that no device has go, but `kept`.
void drop_unused_types(Cluster& cluster, const std::string& kept);

}  // namespace pipedeck::study::whatif
