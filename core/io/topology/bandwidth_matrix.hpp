// SPDX-License-Identifier: Apache-2.0
// Bandwidths between any two devices as a table: a heading with the devices' names, a row a device that begins with its
// name, the unit in the corner ("GB/s", "from/to (GB/s)"). Sheets and benchmarks write such tables.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// Returns true if the heading of a table is followed by a row of its first device.
bool looks_like_bandwidth_matrix(const std::string& text);

/// `name` is the file's. Values that are not above 0 (the diagonal is not looked at), missing and doubled devices are
/// bad_input with line and column.
Result<FoundMachines> matrix_from_csv(const std::string& text, const std::string& name);

}  // namespace pipedeck::io::topology
