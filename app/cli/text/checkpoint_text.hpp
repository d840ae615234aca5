// SPDX-License-Identifier: Apache-2.0
// The content of a folder of checkpoints, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/runtime/checkpoint/folder.hpp"

namespace pipedeck::cli::text {

/// Every step that has a folder, the last one first, with all its values read. bad_input where there is no folder.
Result<std::vector<runtime::checkpoint::StepContent>> checkpoints_in(const std::string& folder);

/// "step 100: complete, ..." with what is missing or damaged.
std::string summary_of(const runtime::checkpoint::StepContent& step);
std::string checkpoints_text(const std::vector<runtime::checkpoint::StepContent>& steps);
std::string checkpoints_json(const std::vector<runtime::checkpoint::StepContent>& steps);

/// "part of a checkpoint: step 100 of MODEL, layers 0 to 3".
std::string summary_of(const runtime::checkpoint::ShardFile& file);

}  // namespace pipedeck::cli::text
