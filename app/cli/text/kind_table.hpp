// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/sim/compare_timelines.hpp"

namespace pipedeck::cli::text {

/// Where the time of two timelines went, by kind of operation; the titles are those of the two columns.
std::string kinds_table(const sim::TimelineDifference& difference, const std::string& first, const std::string& second);

/// A list of {kind, count, total milliseconds} of both sides.
nlohmann::ordered_json kinds_json(const sim::TimelineDifference& difference);

}  // namespace pipedeck::cli::text
