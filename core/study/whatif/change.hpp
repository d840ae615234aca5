// SPDX-License-Identifier: Apache-2.0
// A question changed by a WhatIf.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/device_model.hpp"
#include "core/model/what_if.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::study::whatif {

/// Devices that could be had (core/presets/device_catalogue, or none).
using DeviceCatalogue = std::vector<DeviceModel>;

/// Returns the changed question. The speed of devices of another type follows from the catalogue's peaks
/// (relative_speed). The reference is the profile's device if the catalogue lists it, else a device of the cluster;
/// `time_scale` holds the choice. A type without a price or a peak takes the catalogue's. Pins to removed devices are
/// dropped.
/// bad_usage for an impossible cluster.
Result<Problem> with_change(const Problem& problem, const WhatIf& change, const DeviceCatalogue& catalogue);

/// How the profile's times are taken to `type` in this problem's cluster, before with_change.
TimeScale time_scale(const Problem& problem, const DeviceType& type, const DeviceCatalogue& catalogue);

/// The next quicker type: of those of the catalogue that have a price and are quicker the slowest, with at least as
/// much memory where there is one; else of the cluster's own; else the same device twice as quick, of no known price.
DeviceType next_type(const Problem& problem, const DeviceType& type, const DeviceCatalogue& catalogue);

/// The price of an hour of a type: its own, else the catalogue's.
std::optional<double> price_of(const DeviceType& type, const DeviceCatalogue& catalogue);

}  // namespace pipedeck::study::whatif
