// SPDX-License-Identifier: Apache-2.0
// The sharding of a tensor-parallel stage's layers, and so the layout of each tensor on its devices: replicated or
// column-sharded (simulator.md, "Cut over several devices").
#pragma once

#include <span>
#include <vector>

#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::cost {

/// Returns the sharding of each of the stage's layers. The runtime chooses it for all neighbouring stages with the same
/// sharding together. Empty if the stage has uneven shards, or the profile doesn't list the shardings of its layers.
std::vector<const ShardingCost*> stage_sharding(const Plan& plan, const Profile& profile,
                                                std::span<const LayerId> order, StageId stage);

/// Returns the weights of the stage's layers, and the part that each device holds whole.
plan::Weights stage_weights(const Plan& plan, const Profile& profile, std::span<const LayerId> order, StageId stage);

/// Returns the bytes per device of the tensors at every position of the order: boundary_bytes, or a device's columns of
/// them.
std::vector<Bytes> sharded_boundary_bytes(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                                          std::span<const Bytes> cuts);

}  // namespace pipedeck::cost
