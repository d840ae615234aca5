// SPDX-License-Identifier: Apache-2.0
// The shares of data sheets in presets/efficiency.json, compiled into the program.
#pragma once

#include "core/model/efficiency.hpp"

namespace pipedeck::presets {

/// Returns the table, with a default row.
const EfficiencyTable& efficiency();

}  // namespace pipedeck::presets
