// SPDX-License-Identifier: Apache-2.0
// Stages between which a tensor may stay column-sharded (simulator.md, "Cut over several devices").
#pragma once

#include <span>

#include "core/model/plan.hpp"

namespace pipedeck::plan {

/// Returns the stage and its neighbours with the same sharding: equal replicas and samples, equal devices per replica
/// and shards.
std::span<const Stage> uniformly_sharded_stages(const Plan& plan, StageId stage);

}  // namespace pipedeck::plan
