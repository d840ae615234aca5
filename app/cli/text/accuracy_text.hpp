// SPDX-License-Identifier: Apache-2.0
// Predictions next to published measurements, as text and JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/study/accuracy/accuracy.hpp"

namespace pipedeck::cli::text {

/// `keys`: of the table of groups. `all_rows`: every row instead of the worst ones.
std::string accuracy_text(std::span<const study::accuracy::Outcome> outcomes, const std::vector<std::string>& keys,
                          bool all_rows);
std::string accuracy_json(std::span<const study::accuracy::Outcome> outcomes, const std::vector<std::string>& keys);

}  // namespace pipedeck::cli::text
