// SPDX-License-Identifier: Apache-2.0
// Published runs like a step, as text and JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/study/accuracy/nearest_runs.hpp"

namespace pipedeck::cli::text {

/// Returns a line on the band, or on why there is none.
std::string band_text(const study::accuracy::LikeRuns& like);

/// Returns the nearest runs, and the parts of the way from their time to the step's; nothing for none.
std::string nearest_text(const study::accuracy::LikeRuns& like);

nlohmann::ordered_json like_runs_json(const study::accuracy::LikeRuns& like);

}  // namespace pipedeck::cli::text
