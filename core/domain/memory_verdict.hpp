// SPDX-License-Identifier: Apache-2.0
// Whether a plan fits, in words shorter than a simulation: by the estimate, and by the upper estimate too.
#pragma once

#include "core/domain/simulation.hpp"

namespace pipedeck {

enum class Fit {
  surely,    ///< however long operations take
  expected,  ///< by the estimate, but not by the upper one on some device
  no,
};
Fit fit_of(const DeviceVerdict& device);
/// Of the device that fits least.
Fit fit_of(const Simulation& simulation);

/// Devices whose upper estimate is above their capacity.
int devices_beyond(const Simulation& simulation);

/// A peak over its device's capacity; 0 where there is none.
double share_of_capacity(Bytes peak, const DeviceVerdict& device);
/// The device whose peak is nearest to, or furthest over, its capacity, the first of equals; null without devices.
const DeviceVerdict* fullest_device(const Simulation& simulation);
/// The same by the upper estimate.
const DeviceVerdict* fullest_device_at_most(const Simulation& simulation);

}  // namespace pipedeck
