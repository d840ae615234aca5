// SPDX-License-Identifier: Apache-2.0
// Stages between which a tensor may stay in columns (simulator.md, "Cut over several devices").
#pragma once

#include <span>

#include "core/domain/plan.hpp"

namespace pipedeck {

/// The stage and its neighbours that are cut alike: as many replicas with the same samples, as many devices in each
/// with the same shards.
std::span<const Stage> stages_cut_alike(const Plan& plan, StageId stage);

}  // namespace pipedeck
