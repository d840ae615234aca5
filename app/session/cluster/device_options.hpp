// SPDX-License-Identifier: GPL-3.0-or-later
// The device types available for a cluster.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "app/session/project/state.hpp"
#include "core/model/cluster.hpp"

namespace pipedeck::session::cluster {

/// Describes where the times on the cluster's devices come from if they are not the profile's own, or why there are
/// none. Empty if they are, or a choice is missing.
QString device_warning(const project::State& state);

struct DeviceOption {
  DeviceType type;
  Link inside;        ///< link between several of them in a node
  bool own = false;   ///< a type of the cluster with its own figures
  std::string about;  ///< one line of description
};

/// Returns the cluster's types, then the other types of the catalogue. Their speeds are scaled by a type that both
/// have. Without a cluster, returns the catalogue.
std::vector<DeviceOption> device_offers(const Cluster* cluster);

}  // namespace pipedeck::session::cluster
