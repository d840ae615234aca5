// SPDX-License-Identifier: Apache-2.0
// The shares of data sheets that device types reach (docs/formats.md, "Efficiency").
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/model/efficiency.hpp"

namespace pipedeck::io::documents {

/// Returns the table, a row for each device of the file's rows. bad_input if a member is unknown, missing or out of
/// range, or if a device occurs twice.
Result<EfficiencyTable> efficiency_from_json(const std::string& text);
std::string efficiency_to_json(const EfficiencyTable& table);

/// Reads and writes the members of a row but its devices.
DeviceEfficiency read_efficiency(json::ObjectReader& in);
void write_efficiency(json::ObjectWriter& out, const DeviceEfficiency& row);

}  // namespace pipedeck::io::documents
