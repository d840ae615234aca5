// SPDX-License-Identifier: Apache-2.0
// Texts in Megatron-LM's arguments that are small languages: layouts of pipelines, patterns of experts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::io::jobs {

/// A pipeline's layout (`--pipeline-model-parallel-layout`): "Et*3|(tt|)*6,m,L".
struct MegatronLayout {
  std::vector<int> blocks;          ///< of each stage
  int first_embedding = -1;         ///< stage of `E`
  int last_loss = -1;               ///< stage of `L`
  int further = 0, further_at = 0;  ///< blocks for further tokens, `m`, and the stage of the last
  bool further_apart = false;       ///< `m` in several stages
  bool further_before = false;      ///< `m` before a `t`
};

/// bad_input for other letters, brackets without an end, and more than 100,000 letters.
Result<MegatronLayout> layout_of(std::string_view text);

/// Returns the layout of stages with these numbers of blocks: "Et*3|t*3|t*2mL". `E` is in the first stage, `L` and the
/// blocks for further tokens are in the last.
std::string layout_text(std::span<const int> blocks, int further);

/// Returns the blocks, of `blocks`, without experts (`--moe-layer-freq`): of "2" every second, of "[0]*3+[1]*58" the
/// first three.
Result<std::vector<int>> dense_blocks(std::string_view pattern, int blocks);

}  // namespace pipedeck::io::jobs
