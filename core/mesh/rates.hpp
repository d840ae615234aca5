// SPDX-License-Identifier: Apache-2.0
// The device type of a cluster with what it reaches of its data sheet.
#pragma once

#include <vector>

#include "core/analytic/transformer/shards/work_times.hpp"
#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/device_model.hpp"
#include "core/model/efficiency.hpp"

namespace pipedeck::mesh {

using analytic::transformer::shards::Rates;

/// Returns the type of the first `devices` devices, with the catalogue's peaks and link to the host where it has none
/// of its own, and the table's row for it. bad_input if they are of several types or the cluster has fewer.
Result<Rates> rates_of(const Cluster& cluster, int devices, const std::vector<DeviceModel>& catalogue,
                       const EfficiencyTable& table);

}  // namespace pipedeck::mesh
