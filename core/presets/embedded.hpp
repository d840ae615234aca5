// SPDX-License-Identifier: Apache-2.0
// The text of the files of presets/, in name order; made at build by cmake/EmbedPresets.cmake.
#pragma once

#include <string>
#include <vector>

namespace pipedeck::presets {

const std::vector<std::string>& embedded_clouds();
const std::vector<std::string>& embedded_clusters();
const std::vector<std::string>& embedded_devices();
const std::vector<std::string>& embedded_efficiency();  ///< one file
const std::vector<std::string>& embedded_families();
const std::vector<std::string>& embedded_models();
const std::vector<std::string>& embedded_published_runs();  ///< one CSV table
const std::vector<std::string>& embedded_transformers();

}  // namespace pipedeck::presets
