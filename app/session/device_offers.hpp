// SPDX-License-Identifier: GPL-3.0-or-later
// The device types that a cluster can be built of.
#pragma once

#include <string>
#include <vector>

#include "core/domain/cluster.hpp"

namespace pipedeck::app {

struct DeviceOffer {
  DeviceType type;
  Link inside;        ///< what joins several of them in a node
  bool own = false;   ///< the cluster has it already, with figures of its own
  std::string about;  ///< one line for people
};

/// The cluster's own types first, then those of the catalogue that it has not, their speeds relative to the same type
/// as the cluster's own. Without a cluster: the catalogue.
std::vector<DeviceOffer> device_offers(const Cluster* cluster);

}  // namespace pipedeck::app
