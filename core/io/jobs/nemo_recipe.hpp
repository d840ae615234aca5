// SPDX-License-Identifier: Apache-2.0
// Settings of a NeMo 2 recipe in Python, as NeMo-Run has them: assignments to a recipe. They are the fields of
// Megatron-Bridge under other paths (scripts/performance/helpers.py of NeMo).
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::jobs {

/// Returns an assignment for each field of a configuration of Megatron-Bridge that a recipe has, a line each:
/// "recipe.trainer.strategy.tensor_model_parallel_size = 4". Fields of `comm_overlap` are of the callback `overlap`.
std::string recipe_lines(const json::Members& bridge, const std::string& indentation);

bool looks_like_nemo_recipe(const std::string& text);

/// Returns the job of a recipe's assignments; other lines are not read. bad_input with the path that cannot be read.
Result<TrainingJob> job_from_nemo_recipe(const std::string& text, std::string name);

}  // namespace pipedeck::io::jobs
