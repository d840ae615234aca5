// SPDX-License-Identifier: Apache-2.0
// The rules of a mesh, as the enumerations of the tests ask for them.
#pragma once

#include <algorithm>
#include <string_view>

#include "core/mesh/question.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/planner/mesh/space.hpp"

namespace pipedeck::test {

/// Returns true if a mesh breaks neither its own rules nor those of the space's engines. Along a V torchtitan's hold;
/// so they do for weights sharded inside a pipeline, which Megatron-LM lacks. `hides_pipeline`: as asked for; a mesh
/// without virtual stages has it off.
inline bool keeps_rules(const mesh::Question& question, const planner::mesh::Space& space, bool hides_pipeline) {
  plan::MeshQuestion rules;
  rules.model = &question.config, rules.shard = question.shard(), rules.sharding = question.sharding;
  rules.devices = question.devices(), rules.pipeline = question.pipeline;
  rules.virtual_stages = question.virtual_stages, rules.sequence = question.layer.count.sequence;
  rules.micro_batch = question.layer.count.micro_batch, rules.micro_batches = question.micro_batches;
  rules.global_batch = space.global_batch, rules.even_blocks = false;
  rules.hides_pipeline = hides_pipeline;
  const bool in_a_v = traits_of(question.order).placement == StagePlacement::v_shaped;
  if (in_a_v) rules.schedule = question.order;
  if (!plan::broken_rules(rules).empty()) return false;
  if (space.engines.empty()) return true;
  const bool keeps_torchtitan = plan::broken_rules(rules, "torchtitan").empty();
  if (in_a_v) return keeps_torchtitan;
  for (const std::string_view engine : space.engines)
    for (const plan::MeshRule& rule : plan::mesh_rules()) {
      if (rule.engine != engine || !rule.broken(rules)) continue;
      if (rule.name != "sharded gradients and pipeline" || rules.sharding.level != 3) return false;
    }
  return rules.sharding.level != 3 || rules.pipeline == 1 || keeps_torchtitan;
}

}  // namespace pipedeck::test
