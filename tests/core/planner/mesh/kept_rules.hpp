// SPDX-License-Identifier: Apache-2.0
// The rules of a mesh, as the enumerations of the tests ask for them.
#pragma once

#include <algorithm>
#include <string_view>

#include "core/mesh/question.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/planner/mesh/space.hpp"

namespace pipedeck::test {

/// Returns true if a mesh breaks neither its own rules nor those of the space's engines. Along a V torchtitan's hold.
/// `hides_pipeline`: as asked for; a mesh without virtual stages has it off.
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
  if (in_a_v && !space.engines.empty())
    return plan::broken_rules(rules).empty() && plan::broken_rules(rules, "torchtitan").empty();
  return plan::broken_rules(rules).empty() && std::ranges::all_of(space.engines, [&](std::string_view engine) {
           return plan::broken_rules(rules, engine).empty();
         });
}

}  // namespace pipedeck::test
