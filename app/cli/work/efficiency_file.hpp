// SPDX-License-Identifier: Apache-2.0
// The table of efficiencies that a command uses.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/efficiency.hpp"

namespace pipedeck::cli::work {

/// Returns the file's table; of an empty name the program's own.
Result<EfficiencyTable> read_efficiency(const std::string& file);

}  // namespace pipedeck::cli::work
