// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.hpp"
#include "core/model/bandwidths.hpp"
#include "core/model/cluster.hpp"

namespace pipedeck::study {

/// Returns the bandwidths between devices, up to max_device_rows, or else between nodes, up to max_node_rows. Empty
/// for larger clusters and for a single row. The cluster need not be connected. Returns bad_input if a link names no
/// node or switch.
Result<Bandwidths> bandwidths_of(const Cluster& cluster);

}  // namespace pipedeck::study
