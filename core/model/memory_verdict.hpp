// SPDX-License-Identifier: Apache-2.0
// A short answer to whether a plan fits: by the estimate, and by the upper estimate.
#pragma once

#include <string>

#include "core/model/simulation.hpp"

namespace pipedeck {

enum class Fit {
  surely,    ///< whatever the durations of operations
  expected,  ///< by the estimate, but not by some device's upper estimate
  no,
};
Fit fit_of(const SimulatedDevice& device);
/// Returns the result of the device that fits least.
Fit fit_of(const Simulation& simulation);

/// Returns the number of devices whose upper estimate exceeds their capacity.
int num_devices_over_capacity(const Simulation& simulation);

/// Returns the peak over the device's capacity; 0 if it has no capacity.
double share_of_capacity(Bytes peak, const SimulatedDevice& device);
/// The margin below which a plan that fits is shown in amber, a fraction of the capacity.
inline constexpr double thin_margin = 0.05;
/// Returns the least fraction of a device's capacity that is left at its peak, below 0 if the plan does not fit; 1
/// without devices.
double memory_margin(const Simulation& simulation);
/// Returns the margin as it is shown, rounded down: to 0.1 % below 10 %, else to 1 %. No plan is over that shows 0.
double margin_rounded_down(double margin);
/// Returns "8.5 % left", or "2 % over" if it does not fit.
std::string margin_text(double margin);

/// A device's memory at its peak as three programs report it.
struct MemoryMarks {
  Bytes allocated;   ///< tensors: the allocator's peak
  Bytes reserved;    ///< with what the allocator loses to fragmentation
  Bytes nvidia_smi;  ///< with communicators, context and other programs
  bool operator==(const MemoryMarks&) const = default;
};
/// `fragmentation`: the workload's, a fraction of the allocator's memory.
MemoryMarks memory_marks(const SimulatedDevice& device, double fragmentation);

/// Returns the device with the largest share of its capacity in use at the peak, the first of equals; null without
/// devices.
const SimulatedDevice* most_loaded_device(const Simulation& simulation);
/// Returns the most loaded device by the upper estimate.
const SimulatedDevice* fullest_device_at_most(const Simulation& simulation);

}  // namespace pipedeck
