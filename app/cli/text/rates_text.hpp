// SPDX-License-Identifier: Apache-2.0
// Exposed communication, tokens per second, MFU, and where figures come from, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/cli/text/table.hpp"
#include "core/model/simulation.hpp"
#include "core/model/utilization.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::cli::text {

/// Returns "18.5 %", the exposed communication of a mean device.
std::string exposed_text(const TimeBreakdown& parts);
/// Returns "18.1 / 0.3 / 0.1": its parts in percent of the iteration, of tensor parallelism, pipeline and gradients.
std::string exposed_parts_text(const TimeBreakdown& parts);

/// Columns "tokens/s", "tokens/s/device" and "MFU", and their cells; "-" for what is unknown.
std::vector<Table::Column> rate_columns();
std::vector<std::string> rate_cells(const std::optional<Utilization>& rates);
/// Returns "52.1 %", with "!" above the peak, or "-".
std::string mfu_text(const Utilization& rates);
/// Returns lines under a table: the convention of MFU, and for each plan above the peak its name and the reason.
std::string mfu_notes(const std::vector<std::pair<std::string, std::optional<Utilization>>>& plans);

nlohmann::ordered_json utilization_json(const Utilization& rates);
nlohmann::ordered_json provenance_json(const Problem& problem);

}  // namespace pipedeck::cli::text
