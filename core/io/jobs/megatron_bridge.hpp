// SPDX-License-Identifier: Apache-2.0
// Jobs of Megatron-Bridge by the YAML that overrides a recipe, or that a run saves: members of its ConfigContainer.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::jobs {

/// The version whose fields are read and written.
inline constexpr std::string_view bridge_version = "core 0.15, as Megatron-Bridge 0.5 calls it";

bool looks_like_bridge(const std::string& text);

/// Returns the job of Megatron-LM that the configuration is. The file has no number of devices. bad_input with the
/// path that cannot be read.
Result<TrainingJob> job_from_bridge(const std::string& text, std::string name);
/// Returns the job of a configuration's members. Scalars are text, as of tree_from_yaml().
Result<TrainingJob> job_from_bridge_tree(const json::Value& tree, std::string name);

}  // namespace pipedeck::io::jobs
