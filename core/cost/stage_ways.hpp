// SPDX-License-Identifier: Apache-2.0
// How the layers of a tensor-parallel stage are cut, and so what its devices have of each tensor: whole, or in columns
// (simulator.md, "Cut over several devices").
#pragma once

#include <span>
#include <vector>

#include "core/domain/layer_bytes.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck {

/// The way of each of the stage's layers, which the runtime chooses for all neighbouring stages that are cut alike
/// together. Empty where the stage isn't cut in even parts, or the profile doesn't say in which ways its layers can be.
std::vector<const CutWay*> stage_ways(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                                      StageId stage);

/// Weights of the stage's layers, and what of them each device has whole.
Weights stage_weights(const Plan& plan, const Profile& profile, std::span<const LayerId> order, StageId stage);

/// What each device has of the tensors at every position of the order: cut_bytes, or a device's columns of it.
std::vector<Bytes> held_cut_bytes(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                                  std::span<const Bytes> cuts);

}  // namespace pipedeck
