// SPDX-License-Identifier: Apache-2.0
// Predictions next to published measurements, as text and JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/study/accuracy/accuracy.hpp"
#include "core/study/accuracy/own_runs.hpp"

namespace pipedeck::cli::text {

/// Returns the degrees above 1: "T8 C2 E8 P4 V5 D16".
std::string mapping_text(const study::accuracy::PublishedRun& run);

/// `keys`: of the table of groups. `all_rows`: every row instead of the worst ones.
std::string accuracy_text(std::span<const study::accuracy::Outcome> outcomes, const std::vector<std::string>& keys,
                          bool all_rows);
std::string accuracy_json(std::span<const study::accuracy::Outcome> outcomes, const std::vector<std::string>& keys,
                          std::span<const study::accuracy::OwnRunsFit> fits = {});
/// Returns nothing for no fits.
std::string own_runs_text(std::span<const study::accuracy::OwnRunsFit> fits);

}  // namespace pipedeck::cli::text
