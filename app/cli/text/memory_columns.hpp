// SPDX-License-Identifier: Apache-2.0
// The columns on memory in the tables of plan, compare and simulate.
#pragma once

#include <string>

#include "core/model/simulation.hpp"

namespace pipedeck::cli::text {

/// Returns the highest upper estimate of a device.
Bytes largest_peak(const Simulation& simulation);
/// Returns "11.40 GiB (71 %)", of the device that is fullest against its capacity; "-" without devices. The unit is
/// that of `largest`, the largest_peak() of a table.
std::string worst_peak_text(const Simulation& simulation, Bytes largest);
/// Returns the same by the upper estimate.
std::string at_most_text(const Simulation& simulation, Bytes largest);
/// "yes"; "yes (at most: no)" where some device's upper estimate does not fit; "no".
std::string fits_word(const Simulation& simulation);
/// A sentence of the same.
std::string fits_text(const Simulation& simulation);

/// Returns each device's memory at its peak, item by item.
std::string items_table(const Simulation& simulation);

}  // namespace pipedeck::cli::text
