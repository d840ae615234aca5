// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/bandwidths.hpp"
#include "core/model/cluster.hpp"

namespace pipedeck::session::cluster {

/// Returns the bandwidths between a cluster's devices or nodes (study::bandwidths_of). Empty if the cluster is invalid.
/// Call it in the background, as its time grows with the square of the rows.
Bandwidths bandwidths_of(const Cluster& cluster);

}  // namespace pipedeck::session::cluster
