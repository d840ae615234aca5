// SPDX-License-Identifier: Apache-2.0
// Clusters of one device type in several sizes (presets/families): every device type of a family, with each number of
// devices per node and each number of nodes. Figures of the devices come from the catalogue.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"

namespace pipedeck::presets {

/// Returns the clusters of all families, in the order of the file: "8 × 8 H100-SXM", alias "8x8-h100-sxm"; of one node
/// "8 × H100-SXM", alias "8-h100-sxm".
const std::vector<Cluster>& family_clusters();

/// Returns the clusters of one file. Returns bad_input for unknown devices, or devices that lack NVLink.
Result<std::vector<Cluster>> family_clusters_from_json(const std::string& text);

}  // namespace pipedeck::presets
