// SPDX-License-Identifier: Apache-2.0
// Measured training runs that others published, in presets/published-runs.csv, compiled into the program.
#pragma once

#include <string>

namespace pipedeck::presets {

/// Returns the table, with the columns of docs/accuracy.md.
const std::string& published_runs();

}  // namespace pipedeck::presets
