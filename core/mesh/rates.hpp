// SPDX-License-Identifier: Apache-2.0
// The device types of a cluster with what they reach of their data sheets.
#pragma once

#include <vector>

#include "core/analytic/transformer/shards/work_times.hpp"
#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/device_model.hpp"
#include "core/model/efficiency.hpp"

namespace pipedeck::mesh {

using TypeRates = analytic::transformer::shards::Rates;

/// A cluster's device types with their rates. The base is of its first device.
struct Rates : TypeRates {
  std::vector<TypeRates> types{};  ///< by position in Cluster::device_types; empty: there is one type

  const TypeRates& of(int type) const { return types.empty() ? *this : types[static_cast<std::size_t>(type)]; }
};

/// Returns the types of the cluster's devices, with the catalogue's peaks and link to the host where they have none of
/// their own, and the table's rows for them. bad_input if the cluster has fewer than `devices` devices.
Result<Rates> rates_of(const Cluster& cluster, int devices, const std::vector<DeviceModel>& catalogue,
                       const EfficiencyTable& table);

}  // namespace pipedeck::mesh
