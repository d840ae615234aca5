// SPDX-License-Identifier: Apache-2.0
// A model as an embedding, transformer blocks and a head, as Megatron-LM and torchtitan cut it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// The layers of a profile by their place. Positions are those of the profile's list.
struct Blocks {
  int first = 0;            ///< position of the first block
  std::vector<int> begins;  ///< where each block begins
  int behind = 0;           ///< position of the first layer behind the last block
  int stranger = -1;        ///< a layer that has no place; -1: none
  int last_embedding = -1;

  /// Returns the number of blocks that begin in the stage.
  int in(const Stage& stage) const;
};
Blocks blocks_of(const Profile& profile);

/// Returns true before a block and behind the last one.
bool may_cut_blocks(const Profile& profile, int position);
/// Names a layer that is none of the three; empty: there is none.
std::string block_limitation(const Profile& profile, std::string_view engine);
/// Returns the source of a computed profile if it has as many blocks; else null.
const TransformerOrigin* origin_of_blocks(const EngineRequest& question, const Blocks& blocks);

}  // namespace pipedeck::study::engines
