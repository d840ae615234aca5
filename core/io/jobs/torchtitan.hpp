// SPDX-License-Identifier: Apache-2.0
// Jobs of torchtitan by their TOML configuration. Names are those of torchtitan/config/job_config.py at b5bcd76, and of
// the sections that it had before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::io::jobs {

/// A model of torchtitan's folders by its published name, "llama3" "8B".
struct TitanModel {
  std::string_view model, flavour;
};
/// Returns the published model of that shape; nothing if there is none.
std::optional<TitanModel> titan_model_of(const TransformerConfig& config);

/// Returns the blocks of each stage: as even as whole blocks allow, the ends counted as blocks, the larger stages first
/// (distributed/pipeline_parallel.py, generate_llm_fqn_per_model_part). Empty if an end counts for more than a stage
/// has.
std::vector<int> titan_blocks(int stages, int blocks, const WeighedEnds& ends);

/// Returns the name of a block, and of the modules before and behind them, as torchtitan's configuration lists them.
std::string titan_block_name(int block);
inline constexpr std::string_view titan_embedding = "tok_embeddings", titan_norm = "norm", titan_head = "output";

bool looks_like_torchtitan(const std::string& text);

/// Returns bad_input with the line or key that cannot be read.
Result<TrainingJob> job_from_torchtitan(const std::string& text, std::string name);

}  // namespace pipedeck::io::jobs
