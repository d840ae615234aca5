// SPDX-License-Identifier: Apache-2.0
// The bytes of model states per parameter by recipe and sharding level (parallelism.md, "Bytes per parameter").
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/cost/data_traffic.hpp"
#include "core/model/shard.hpp"
#include "core/model/training.hpp"
#include "core/plan/groups.hpp"

namespace pipedeck::cost {

/// A way in which an engine trains with Adam in 16 bits or fewer.
struct StateRecipe {
  std::string_view name;  ///< "mixed-18"
  StateBytes bytes;
  std::string_view source;
  bool paged = false;  ///< the optimizer's are on the host but in its step (Training::pages_optimizer)
};
std::span<const StateRecipe> state_recipes();
std::optional<StateBytes> state_bytes(std::string_view recipe);

/// Returns the bytes per parameter that a rank holds during passes: level 1 shards optimizer states over `group` ranks,
/// level 2 gradients too, level 3 weights too. `step` and `freed` stay as they are, sharded from level 1 on.
/// Level 3 with Reshard::after_step also holds `gathered` bytes of whole weights, and whole gradients with its shard
/// of them (torchtitan in a pipeline).
/// With CopySync::shard_optimizer, `copies` x `group` ranks share the optimizer states.
StateBytes sharded_bytes(const StateBytes& bytes, const Sharding& sharding, int group, int copies = 1,
                         double gathered = 2);

/// Returns the bytes of each kind that a rank of the stage holds. `degrees` are those with `sharding`.
StateBytes held_bytes(const StateBytes& recipe, const Sharding& sharding, const plan::StageDegrees& degrees,
                      const RankWeights& weights);

}  // namespace pipedeck::cost
