// SPDX-License-Identifier: Apache-2.0
// The report of an autopsy as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/study/autopsy/autopsy.hpp"

namespace pipedeck::cli::text {

/// Returns each section: its title, sentences, table.
std::string autopsy_text(const std::vector<study::autopsy::Section>& report);

/// Returns the members "files", "collectives", "late_ranks" and "memory" (formats.md, "Autopsies").
nlohmann::ordered_json autopsy_json(const study::autopsy::Autopsy& autopsy, const study::autopsy::RankPlaces& places,
                                    const study::autopsy::Predicted& predicted);

}  // namespace pipedeck::cli::text
