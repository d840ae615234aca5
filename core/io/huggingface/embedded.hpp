// SPDX-License-Identifier: Apache-2.0
// The text of presets/architectures.json, one file; made at build by cmake/EmbedPresets.cmake.
#pragma once

#include <string>
#include <vector>

namespace pipedeck::io::huggingface {

const std::vector<std::string>& embedded_architectures();

}  // namespace pipedeck::io::huggingface
